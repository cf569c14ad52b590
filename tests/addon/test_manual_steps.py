"""The pages of the manual, done step by step as they say, with the demo and with captured files.

What needs a hand in a window (dragging the pad, drawing a curve) is set instead; the pages' other sentences are theirs.
"""

import bpy
import material
import numpy as np
import pytest

DONE = {"FINISHED"}


@pytest.fixture
def settings():
    return bpy.context.scene.action_loom


@pytest.fixture
def demo(settings):
    """The demo as *Add Demo* leaves it."""
    assert bpy.ops.action_loom.add_demo() == DONE
    return bpy.context.object


def lines():
    return {line.action.name: line for line in bpy.context.scene.action_loom.rigs[0].sources}


def tick(*names, reference=None):
    """Tick these lines of the list alone; the first one, or another, is marked."""
    for name, line in lines().items():
        line.use = name in names
    place = list(lines()).index(reference or names[0])
    bpy.context.view_layer.objects.active = hint()
    assert bpy.ops.action_loom.set_reference(index=place) == DONE


def weave(mode, **options):
    """Press *Weave* in a mode and return the armature's new action."""
    bpy.context.scene.action_loom.mode = mode
    bpy.context.view_layer.objects.active = hint()  # where a button is pressed, the tab says whose it is
    before = set(bpy.data.actions)
    kept = {action.name: material.fingerprint(action) for action in before}
    assert getattr(bpy.ops.action_loom, mode)(**options) == DONE
    action = hint().animation_data.action
    assert action not in before
    assert action.use_fake_user
    assert {name: material.fingerprint(bpy.data.actions[name]) for name in kept} == kept
    return action


def hint():
    return next(one for one in bpy.context.scene.objects if one.type == "ARMATURE")


def message():
    return bpy.context.scene.action_loom.rigs[0].last


def grey(operator):
    return not getattr(bpy.ops.action_loom, operator).poll()


def hips_at(frame):
    return material.pose_positions(hint(), ["hips"], frame)[0]


# --- Five minutes ---------------------------------------------------------------------------------------------------


def test_five_minutes_from_the_demo(demo, settings):
    assert len(lines()) == 7
    assert [name for name, line in lines().items() if line.use] == ["Run", "Walk"]
    assert weave("blend").name == "Run + Walk 50:50"
    lines()["Sneak"].use = True
    settings.pad = True
    assert weave("blend").name.startswith("Run + Sneak + Walk")


def test_a_blend_is_previewed_and_nothing_is_written(demo, loom):
    actions = set(bpy.data.actions)
    assert bpy.ops.action_loom.blend(preview=True) == DONE
    assert set(bpy.data.actions) == actions
    assert loom("addon.services.preview.previews").of(demo.session_uid) is not None
    assert bpy.ops.action_loom.clear_preview() == DONE


def test_a_walk_along_a_curve(demo, settings):
    tick("Walk", "Turn Left", "Turn Right")
    settings.mode = "follow"
    assert bpy.ops.action_loom.new_curve() == DONE
    assert settings.curve == bpy.context.object  # the tab stays with its armature
    start = np.array(settings.curve.matrix_world @ settings.curve.data.splines[0].bezier_points[0].co)
    action = weave("follow")
    assert np.linalg.norm((hips_at(action.frame_range[0]) - start)[:2]) < 0.3
    assert hips_at(action.frame_range[1])[1] < -8.0


def test_from_motion_files(walks, settings):
    files = [{"name": path.name} for path in walks]
    assert (
        bpy.ops.action_loom.import_motion(directory=str(walks[0].parent), files=files, match_rate=True, fit_range=True)
        == DONE
    )
    assert bpy.context.object.type == "ARMATURE"
    assert set(lines()) == {"walk", "sneak"}
    assert all(line.use for line in lines().values())
    assert material.scene_rate() == pytest.approx(60.0)
    weave("blend")


@material.needs_shared
def test_a_captured_walk_becomes_a_loop():
    captured = material.SHARED / "cmu" / "cmu_mb_07_01.bvh"
    assert material.import_motion(captured, match_rate=True, fit_range=True) == DONE
    assert material.scene_rate() == pytest.approx(120.0, rel=1e-3)
    tick(*lines())
    bpy.context.scene.action_loom.mode = "loop"
    assert bpy.ops.action_loom.find_cycles() == DONE
    action = weave("loop")
    assert 0.8 < (action.frame_range[1] - action.frame_range[0]) / material.scene_rate() < 1.6  # two steps


# --- Blend ----------------------------------------------------------------------------------------------------------


def test_the_slider_between_two_names(demo, settings):
    tick("Walk", "Sneak")
    settings.rigs[0].balance = 0.25
    assert sorted(line.weight for line in lines().values() if line.use) == pytest.approx([0.25, 0.75])
    name = weave("blend").name
    assert name in ("Walk + Sneak 75:25", "Sneak + Walk 75:25")


def test_place_lets_the_result_begin_at_the_cursor(demo, settings):
    tick("Walk", "Sneak")
    bpy.context.scene.cursor.location = (3.0, 2.0, 0.0)
    settings.result.place = "CURSOR"
    action = weave("blend")
    assert hips_at(action.frame_range[0])[:2] == pytest.approx((3.0, 2.0), abs=0.05)


def test_what_is_said_when_a_blend_is_done(demo):
    tick("Walk", "Sneak")
    weave("blend")
    assert "frames" in message()
    assert "cm/s" in message()


def test_weights_that_change_on_the_way(demo, settings):
    tick("Walk", "Sneak")
    scene = bpy.context.scene
    for frame, share in ((1, 0.0), (30, 1.0)):
        scene.frame_set(frame)
        settings.rigs[0].balance = share
        assert bpy.ops.action_loom.key_weights() == DONE
    assert " to " in weave("blend").name
    assert bpy.ops.action_loom.edit_recipe() == DONE
    assert bpy.ops.action_loom.clear_weight_keys() == DONE
    assert grey("clear_weight_keys")


# --- Connect, Loop, Splice ------------------------------------------------------------------------------------------


def test_connect_plays_the_ticked_ones_in_the_order_of_the_list(demo, settings):
    tick("Walk", "Run")
    settings.mode = "connect"
    assert bpy.ops.action_loom.find_transitions() == DONE
    assert bpy.ops.action_loom.choose_candidate(index=1) == DONE
    assert settings.connect.candidate == 1 or settings.connect.from_frame >= 0
    action = weave("connect")
    assert action.name == " > ".join(name for name, line in lines().items() if line.use)
    assert [marker.name for marker in action.pose_markers if marker.name.startswith("Seam")] == ["Seam 1"]


def test_loop_of_an_action_that_repeats_itself(demo, settings):
    tick("Sneak")
    settings.mode = "loop"
    assert bpy.ops.action_loom.find_cycles() == DONE
    assert bpy.ops.action_loom.choose_candidate(index=0) == DONE
    action = weave("loop")
    assert action.use_cyclic or any(
        modifier.type == "CYCLES" for curve in material.fcurves(action) for modifier in curve.modifiers
    )


def test_splice_takes_legs_and_way_of_the_marked_line(demo, settings):
    tick("Wave", "Walk", reference="Walk")
    assert weave("splice").name == "Wave on Walk"
    settings.splice.strength = 0.0
    still = weave("splice")
    frames = range(int(still.frame_range[0]), int(still.frame_range[1]) + 1, 5)
    places = [material.pose_positions(demo, ["hand.L", "foot.L", "head"], frame) for frame in frames]
    material.show(demo, bpy.data.actions["Walk"])
    walked = [material.pose_positions(demo, ["hand.L", "foot.L", "head"], frame) for frame in frames]
    assert np.abs(np.array(places) - walked).max() < 1e-3  # "0 is the locomotion as it was"


def test_several_actions_in_turn_on_one_walk(demo, settings):
    tick("Wave", "Carry", "Walk", reference="Walk")
    settings.splice.timing = "points"
    settings.splice.splice_threshold = 0.3  # Points Within
    assert "on Walk" in weave("splice").name


# --- Path -----------------------------------------------------------------------------------------------------------


def test_a_stretch_of_a_path_on_which_the_upper_body_does_something_else(demo, settings):
    tick("Walk", "Turn Left", "Turn Right")
    settings.mode = "follow"
    bpy.ops.action_loom.new_curve()
    assert bpy.ops.action_loom.add_stretch() == DONE
    stretch = settings.stretches[0]
    stretch.action = bpy.data.actions["Wave"]
    stretch.splice_threshold = 0.3
    assert weave("follow")


def test_other_walks(demo, settings):
    tick("Walk", "Turn Left", "Turn Right")
    settings.mode = "follow"
    settings.walk.seconds = 5.0
    assert bpy.ops.action_loom.build_graph() == DONE
    assert bpy.ops.action_loom.walk() == DONE
    settings.shortest.leave, settings.shortest.reach = "Walk:3", "Turn Left:10"
    assert bpy.ops.action_loom.shortest() == DONE


# --- Travel, Style, Parametric, Poses -------------------------------------------------------------------------------


def test_in_place_and_travel_gives_it_back(demo):
    tick("Sneak")
    material.show(demo, bpy.data.actions["Sneak"])
    first, last = (int(frame) for frame in bpy.data.actions["Sneak"].frame_range)
    way = hips_at(last) - hips_at(first)
    still = weave("in_place")
    assert np.linalg.norm((hips_at(still.frame_range[1]) - hips_at(still.frame_range[0]))[:2]) < 0.05
    assert bpy.ops.action_loom.add_active_source() == DONE
    tick(still.name)
    again = weave("travel")
    assert hips_at(again.frame_range[1]) - hips_at(again.frame_range[0]) == pytest.approx(way, abs=0.02)


def test_style_of_walks_of_several_people(demo, settings):
    tick("Walk", "Sneak", "Carry", reference="Walk")
    settings.mode = "restyle"
    settings.style.mirror = True  # of seven strides there are too few
    assert bpy.ops.action_loom.learn_style() == DONE
    settings.restyle.stride = 1.0
    assert weave("restyle").name == "Walk restyled"


def test_parametric_goes_as_fast_as_is_asked(demo, settings):
    tick("Walk", "Run", "Sneak", "Turn Left", "Turn Right")
    settings.ask.speed = 1.0
    action = weave("ask")
    first, last = action.frame_range
    speed = np.linalg.norm((hips_at(last) - hips_at(first))[:2]) / ((last - first) / material.scene_rate())
    assert speed == pytest.approx(1.0, abs=0.15)


def test_poses_that_were_picked(demo, settings):
    tick("Walk", "Wave")
    settings.mode = "key_poses"
    for name, frame in (("Walk", 5), ("Wave", 40)):
        material.show(demo, bpy.data.actions[name])
        bpy.context.scene.frame_set(frame)
        assert bpy.ops.action_loom.pick_pose() == DONE
    assert len(settings.key_poses.poses.split(";")) == 2
    weave("key_poses")


# --- Repair ---------------------------------------------------------------------------------------------------------


def edited(tool, **options):
    """Press the button of a tool and return the new action."""
    bpy.context.scene.action_loom.edit = tool
    before, old = set(bpy.data.actions), hint().animation_data.action
    assert getattr(bpy.ops.action_loom, tool)(**options) == DONE
    action = hint().animation_data.action
    assert action not in before
    assert old.name in bpy.data.actions
    return action


@pytest.mark.parametrize("tool", ["mirror", "fewer_keys", "filter", "place"])
def test_tools_that_need_nothing_but_their_button(demo, tool):
    material.show(demo, bpy.data.actions["Sneak"])
    edited(tool)


def test_replace_keeps_the_action_as_it_was(demo, settings):
    material.show(demo, bpy.data.actions["Sneak"])
    settings.edit_replace = True
    assert bpy.ops.action_loom.mirror() == DONE
    assert demo.animation_data.action.name == "Sneak"
    assert "Sneak before Mirror" in bpy.data.actions


def test_spread_pose(demo):
    material.show(demo, bpy.data.actions["Sneak"])
    bpy.context.scene.frame_set(20)
    bpy.ops.object.mode_set(mode="POSE")
    bone = demo.pose.bones["upper_arm.R"]
    bone.rotation_mode = "QUATERNION"
    before = bone.matrix.copy()
    bone.rotation_quaternion = (0.7, 0.7, 0.0, 0.0)
    bpy.context.view_layer.update()
    wanted = np.array(bone.matrix)
    edited("warp")
    bpy.context.scene.frame_set(20)
    bpy.context.view_layer.update()
    assert np.abs(np.array(bone.matrix) - wanted).max() < 1e-3
    assert np.abs(np.array(before) - wanted).max() > 0.05


def test_tween_pose_keys_nothing(demo):
    material.show(demo, bpy.data.actions["Sneak"])
    bpy.ops.object.mode_set(mode="POSE")
    bpy.context.scene.frame_set(20)
    content = material.fingerprint(bpy.data.actions["Sneak"])
    assert bpy.ops.action_loom.tween(share=1.2) == DONE
    assert material.fingerprint(bpy.data.actions["Sneak"]) == content


def test_move_events(demo, settings):
    material.show(demo, bpy.data.actions["Wave"])
    bpy.context.scene.frame_set(30)
    assert bpy.ops.action_loom.add_event() == DONE
    bpy.context.scene.frame_set(34)
    assert bpy.ops.action_loom.event_to_here() == DONE
    assert (settings.events[0].first, settings.events[0].to) == (30, 34)
    length = bpy.data.actions["Wave"].frame_range[1]
    assert edited("move_events").frame_range[1] == length


def test_reach_at_the_cursor(demo, settings):
    material.show(demo, bpy.data.actions["Wave"])
    bpy.context.scene.frame_set(10)
    hand = np.array(material.pose_positions(demo, ["hand.R"], 10)[0])
    target = hand + np.array([0.0, -0.1, 0.1])
    bpy.context.scene.cursor.location = target
    bpy.context.scene.frame_set(10)
    edited("reach")
    assert np.linalg.norm(material.pose_positions(demo, ["hand.R"], 10)[0] - target) < 0.02


def test_root_motion_asks_for_a_bone_above_the_hips(demo):
    material.show(demo, bpy.data.actions["Sneak"])
    with pytest.raises(RuntimeError, match="bone"):
        bpy.ops.action_loom.root()


def test_clean_up_keeps_a_copy(demo):
    material.show(demo, bpy.data.actions["Sneak"])
    assert bpy.ops.action_loom.clean_up() == DONE
    assert "Sneak before Clean Up" in bpy.data.actions


# --- Plant Feet -----------------------------------------------------------------------------------------------------


def test_contacts_as_rows_and_as_markers(demo, settings):
    sneak = bpy.data.actions["Sneak"]
    for curve in material.fcurves(sneak):
        if curve.data_path == 'pose.bones["hips"].location':
            for point in curve.keyframe_points:
                point.co.y *= 0.8  # its feet slide now
    material.show(demo, sneak)
    action = edited("plant")
    held = next(one for one in settings.contacts if len(one.rows))
    count = len(held.rows)
    assert bpy.ops.action_loom.contacts_to_markers() == DONE
    names = {marker.name for marker in action.pose_markers}
    assert {"left ball 1 down", "left ball 1 up"} <= names
    assert bpy.ops.action_loom.contacts_from_markers() == DONE
    assert len(held.rows) == count
    held.rows[0].last += 1
    assert bpy.ops.action_loom.rebuild() == DONE  # Weave Again
    assert demo.animation_data.action.name == action.name
    assert bpy.ops.action_loom.find_contacts() == DONE


def test_feet_that_stand_still_already_are_not_listed(demo, settings):
    tick("Walk", "Sneak")
    weave("blend")
    assert bpy.ops.action_loom.find_contacts() == DONE
    assert not any(len(one.rows) for one in settings.contacts)


# --- Preview, Sources, Check, Other bodies, Library -----------------------------------------------------------------


@pytest.mark.parametrize("mode", ["blend", "connect", "splice"])
def test_the_ghost_is_there_in_every_mode(demo, settings, mode):
    tick("Walk", "Wave")
    settings.mode = mode
    count = len(bpy.data.actions)
    assert getattr(bpy.ops.action_loom, mode)(preview=True) == DONE
    assert len(bpy.data.actions) == count


def test_synchronise_shows_which_frames_correspond(demo, settings):
    tick("Walk", "Sneak")
    assert bpy.ops.action_loom.analyse() == DONE
    assert bpy.ops.action_loom.show_registration() == DONE
    assert bpy.ops.action_loom.retime() == DONE
    assert demo.animation_data.action.name == "Sneak in time with Walk"


def test_check_of_the_demo_is_the_same(demo, loom):
    assert bpy.ops.action_loom.check() == DONE
    assert loom("addon.services.sources.rig_checks").of(demo.session_uid, demo.animation_data.action.name).same


def test_files_become_actions_of_the_selected_character(demo, walks):
    count = len([one for one in bpy.data.objects if one.type == "ARMATURE"])
    files = [{"name": path.name} for path in walks]
    assert bpy.ops.action_loom.import_motion(directory=str(walks[0].parent), files=files) == DONE
    assert len([one for one in bpy.data.objects if one.type == "ARMATURE"]) == count
    assert {"walk", "sneak"} <= set(lines())


def test_actions_of_another_armature(demo, settings):
    other = material.biped(name="Hero", units=1.0)
    material.key_walk(other, "theirs", frames=30)
    demo.select_set(True)
    other.select_set(True)
    bpy.context.view_layer.objects.active = other
    assert bpy.ops.action_loom.retarget(which="PLAYED") == DONE
    assert other.animation_data.action.name == "Walk on Hero"
    bpy.context.view_layer.objects.active = demo
    assert bpy.ops.action_loom.add_selected_sources() == DONE


def test_a_library_finds_what_is_alike(demo, walks, tmp_path, extension):
    kept = bpy.context.preferences.addons[extension].preferences
    assert bpy.ops.action_loom.new_library(filepath=str(tmp_path / "all")) == DONE
    assert kept.library.rstrip("/").endswith("all.loomlib")
    assert bpy.ops.action_loom.add_to_library(directory=str(walks[0].parent)) == DONE
    assert bpy.ops.action_loom.find_like() == DONE
    assert len(bpy.context.window_manager.action_loom_library.found)
    before = set(bpy.data.actions)
    bpy.context.window_manager.action_loom_library.found[0].use = True
    assert bpy.ops.action_loom.import_found() == DONE
    assert set(bpy.data.actions) > before


# --- If something looks wrong ---------------------------------------------------------------------------------------


def said_when(capsys, call):
    """What an operator says, whatever comes of it."""
    capsys.readouterr()
    try:
        call()
    except RuntimeError as error:
        return str(error)
    return capsys.readouterr().out


def test_an_action_of_another_rate_is_red_and_says_so(demo):
    line = lines()["Sneak"]
    line.rate = 6.0  # it was made at the scene's
    tick("Sneak", "Walk")
    weave("connect")
    assert "steps a second at 6 frames: was it made at" in line.warning


def test_an_action_that_does_not_repeat_is_no_loop(capsys):
    material.two_actions()
    bpy.ops.action_loom.add_sources()
    tick("one")
    assert "does not repeat itself" in said_when(capsys, lambda: weave("loop"))


def test_a_loop_that_turns_says_why_it_does_not_go_on(demo, capsys):
    tick("Turn Left")
    bpy.context.scene.action_loom.loop.whole = "yes"
    assert "repeat offsets can't turn its travel" in said_when(capsys, lambda: weave("loop"))


def test_actions_of_other_objects_are_not_listed_and_named(capsys):
    rig = material.two_actions()
    empty = bpy.data.objects.new("Prop", None)
    bpy.context.scene.collection.objects.link(empty)
    empty.keyframe_insert("location", frame=1)
    bpy.context.view_layer.objects.active = rig
    reported = said_when(capsys, bpy.ops.action_loom.add_sources)
    assert "not listed, of other objects: 'PropAction'" in reported
    assert set(lines()) == {"one", "two"}


def test_without_turns_a_corner_cannot_be_walked(demo, capsys, settings):
    settings.mode = "follow"
    bpy.ops.action_loom.new_curve()
    for point, place in zip(
        settings.curve.data.splines[0].bezier_points, ((0, 0), (0, -2), (2, -2), (2, 0)), strict=True
    ):
        point.co = (*place, 0.0)
    tick("Walk")
    settings.follow.bend = 0.0
    assert "draw it wider, or give the graph clips that turn" in said_when(capsys, lambda: weave("follow"))


def test_a_constrained_bone_is_named_by_check(demo, loom):
    copy = demo.pose.bones["head"].constraints.new("COPY_ROTATION")
    copy.target, copy.subtarget = demo, "hand.L"
    assert bpy.ops.action_loom.check() == DONE
    found = loom("addon.services.sources.rig_checks").of(demo.session_uid, demo.animation_data.action.name)
    assert any("turn on Visual" in note for note in found.notes)


def test_results_are_there_when_the_file_is_opened_again(demo, tmp_path):
    tick("Walk", "Sneak")
    name = weave("blend").name
    demo.animation_data.action = bpy.data.actions["Walk"]
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "kept.blend"))
    assert name in material.opened(tmp_path / "kept.blend")
