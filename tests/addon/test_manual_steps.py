"""The pages of the manual, done step by step as they say, with the demo and with captured files.

The tests set the values of steps that need a hand in a window (dragging the pad, drawing a curve).
"""

import bpy
import material
import numpy as np
import pytest
from manual_steps import grey, hips_at, lines, message, tick, weave

pytestmark = pytest.mark.core_result

DONE = {"FINISHED"}


# --- Five minutes ---------------------------------------------------------------------------------------------------


def test_five_minutes_from_the_demo(on_demo, tab):
    assert len(lines()) == 7
    assert [name for name, line in lines().items() if line.use] == ["Run", "Walk"]
    assert weave("blend").name == "Run + Walk 50:50"
    lines()["Sneak"].use = True
    tab.pad = True
    assert weave("blend").name.startswith("Run + Sneak + Walk")


def test_a_walk_along_a_curve(on_demo, tab):
    tick("Walk", "Turn Left", "Turn Right")
    tab.mode = "follow"
    assert bpy.ops.action_loom.new_curve() == DONE
    assert tab.curve == bpy.context.object  # the tab stays with its armature
    start = np.array(tab.curve.matrix_world @ tab.curve.data.splines[0].bezier_points[0].co)
    action = weave("follow")
    assert np.linalg.norm((hips_at(action.frame_range[0]) - start)[:2]) < 0.3
    assert hips_at(action.frame_range[1])[1] < -8.0


def test_from_motion_files(walks, tab):
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


def test_the_bars_of_two_actions(on_demo):
    tick("Walk", "Sneak")
    lines()["Sneak"].share = 25.0
    assert [lines()[name].weight for name in ("Sneak", "Walk")] == pytest.approx([0.25, 0.75])
    name = weave("blend").name
    assert name == "Sneak + Walk 25:75"


def test_what_is_said_when_a_blend_is_done(on_demo):
    tick("Walk", "Sneak")
    weave("blend")
    assert "frames" in message()
    assert "cm/s" in message()


def test_weights_that_change_on_the_way(on_demo):
    tick("Walk", "Sneak")
    scene = bpy.context.scene
    for frame, share in ((1, 0.0), (30, 100.0)):
        scene.frame_set(frame)
        lines()["Sneak"].share = share
        assert bpy.ops.action_loom.key_weights() == DONE
    assert " to " in weave("blend").name
    assert bpy.ops.action_loom.edit_recipe() == DONE
    assert bpy.ops.action_loom.clear_weight_keys() == DONE
    assert grey("clear_weight_keys")


# --- Connect, Loop, Splice ------------------------------------------------------------------------------------------


def test_connect_plays_the_ticked_ones_in_the_order_of_the_list(on_demo, tab):
    tick("Walk", "Run")
    tab.mode = "connect"
    assert bpy.ops.action_loom.find_transitions() == DONE
    assert bpy.ops.action_loom.choose_candidate(index=1) == DONE
    assert tab.connect.candidate == 1 or tab.connect.from_frame >= 0
    action = weave("connect")
    assert action.name == " > ".join(name for name, line in lines().items() if line.use)
    assert [marker.name for marker in action.pose_markers if marker.name.startswith("Seam")] == ["Seam 1"]


def test_loop_of_an_action_that_repeats_itself(on_demo, tab):
    tick("Sneak")
    tab.mode = "loop"
    assert bpy.ops.action_loom.find_cycles() == DONE
    assert bpy.ops.action_loom.choose_candidate(index=0) == DONE
    action = weave("loop")
    assert action.use_cyclic or any(
        modifier.type == "CYCLES" for curve in material.fcurves(action) for modifier in curve.modifiers
    )


def test_splice_takes_legs_and_way_of_the_marked_line(on_demo, tab):
    tick("Wave", "Walk", reference="Walk")
    assert weave("splice").name == "Wave on Walk"
    tab.splice.strength = 0.0
    still = weave("splice")
    frames = range(int(still.frame_range[0]), int(still.frame_range[1]) + 1, 5)
    places = [material.pose_positions(on_demo, ["hand.L", "foot.L", "head"], frame) for frame in frames]
    material.show(on_demo, bpy.data.actions["Walk"])
    walked = [material.pose_positions(on_demo, ["hand.L", "foot.L", "head"], frame) for frame in frames]
    assert np.abs(np.array(places) - walked).max() < 1e-3  # "0 is the locomotion as it was"


def test_several_actions_in_turn_on_one_walk(on_demo, tab):
    tick("Wave", "Carry", "Walk", reference="Walk")
    tab.splice.timing = "points"
    tab.splice.splice_threshold = 0.3  # Points Within
    assert "on Walk" in weave("splice").name


# --- Path -----------------------------------------------------------------------------------------------------------


def test_a_stretch_of_a_path_on_which_the_upper_body_does_something_else(on_demo, tab):
    tick("Walk", "Turn Left", "Turn Right")
    tab.mode = "follow"
    bpy.ops.action_loom.new_curve()
    assert bpy.ops.action_loom.add_stretch() == DONE
    stretch = tab.stretches[0]
    stretch.action = bpy.data.actions["Wave"]
    stretch.splice_threshold = 0.3
    assert weave("follow")


def test_other_walks(on_demo, tab):
    tick("Walk", "Turn Left", "Turn Right")
    tab.mode = "follow"
    assert bpy.ops.action_loom.build_graph() == DONE
    tab.shortest.leave, tab.shortest.reach = "Walk:3", "Turn Left:10"
    assert bpy.ops.action_loom.shortest() == DONE


# --- Endless --------------------------------------------------------------------------------------------------------


def test_endless_variations_with_a_keyed_pose_and_several_at_once(on_demo, tab):
    tick("Wave")
    tab.mode = "walk"
    tab.walk.seconds = 6.0
    material.show(on_demo, bpy.data.actions["Wave"])
    bpy.context.scene.frame_set(20)
    assert bpy.ops.action_loom.pick_pose() == DONE
    bpy.context.scene.frame_set(40)
    assert bpy.ops.action_loom.pick_pose() == DONE
    assert [row.split()[1] for row in tab.walk.poses.split(";")] == ["1", "1"]
    assert weave("walk")
    before = len(bpy.data.actions)
    assert bpy.ops.action_loom.walks(count=3) == DONE
    assert len(bpy.data.actions) == before + 3
    assert bpy.ops.action_loom.clear_poses() == DONE
    assert not tab.walk.poses


# --- Travel, Style, Parametric, Poses -------------------------------------------------------------------------------


def test_in_place_and_travel_gives_it_back(on_demo):
    tick("Sneak")
    material.show(on_demo, bpy.data.actions["Sneak"])
    first, last = (int(frame) for frame in bpy.data.actions["Sneak"].frame_range)
    way = hips_at(last) - hips_at(first)
    still = weave("in_place")
    assert np.linalg.norm((hips_at(still.frame_range[1]) - hips_at(still.frame_range[0]))[:2]) < 0.05
    assert bpy.ops.action_loom.add_active_source() == DONE
    tick(still.name)
    again = weave("travel")
    assert hips_at(again.frame_range[1]) - hips_at(again.frame_range[0]) == pytest.approx(way, abs=0.02)


def test_style_of_walks_of_several_people(on_demo, tab):
    tick("Walk", "Sneak", "Carry", reference="Walk")
    tab.mode = "restyle"
    tab.style.mirror = True  # of seven strides there are too few
    assert bpy.ops.action_loom.learn_style() == DONE
    tab.restyle.stride = -1.0  # the walk has the longest stride of all: more is held back
    assert weave("restyle").name == "Walk restyled"


def test_parametric_goes_as_fast_as_is_asked(on_demo, tab):
    tick("Walk", "Run", "Sneak", "Turn Left", "Turn Right")
    tab.ask.speed = 1.0
    action = weave("ask")
    first, last = action.frame_range
    speed = np.linalg.norm((hips_at(last) - hips_at(first))[:2]) / ((last - first) / material.scene_rate())
    assert speed == pytest.approx(1.0, abs=0.15)


def test_poses_are_filled_with_the_characters_own_motion(on_demo, tab):
    poses = {frame: pose_of(on_demo, "Walk", frame) for frame in (1, 25, 49)}
    blocking = on_demo.animation_data.action = bpy.data.actions.new("Blocking")
    for frame, bones in poses.items():
        for bone in on_demo.pose.bones:
            bone.matrix_basis = bones[bone.name]
            kind = "quaternion" if bone.rotation_mode == "QUATERNION" else "euler"
            for path in ("location", f"rotation_{kind}"):
                bone.keyframe_insert(path, frame=frame)
    tick("Walk", "Sneak")
    material.show(on_demo, blocking)
    made = weave("fill")
    kinds = {point.type for curve in material.fcurves(made) for point in curve.keyframe_points}
    assert {"KEYFRAME", "BREAKDOWN"} <= kinds
    assert "nothing like" not in message()


def pose_of(armature, name, frame):
    material.show(armature, bpy.data.actions[name])
    bpy.context.scene.frame_set(frame)
    return {bone.name: bone.matrix_basis.copy() for bone in armature.pose.bones}
