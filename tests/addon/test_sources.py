"""The list of sources: filling, order, and the notes of each line on reading its action."""

import bpy
import material
import pytest


@pytest.fixture
def rig():
    rig = material.biped()
    for k, frames in enumerate((24, 30, 36)):
        material.key_walk(rig, f"walk {frames}", frames=frames, leads="LR"[k % 2])
    return rig


@pytest.fixture
def listed(rig):
    bpy.ops.action_loom.add_sources()
    return bpy.context.scene.action_loom.rigs[0]


def tick(listed, *ticked):
    for source in listed.sources:
        source.use = source.action.name in ticked


def names(listed):
    return [source.action.name for source in listed.sources]


def test_all_actions_come_with_range_and_a_colour_each(listed):
    assert names(listed) == ["walk 24", "walk 30", "walk 36"]
    # The armature's action and one other are ticked at first.
    assert [source.use for source in listed.sources] == [True, False, True]
    assert len({tuple(source.color) for source in listed.sources}) == 3
    assert [(source.first, source.last) for source in listed.sources] == [(1, 25), (1, 31), (1, 37)]


def test_the_active_action_can_be_listed_alone_and_more_than_once(rig):
    rig.animation_data.action = bpy.data.actions["walk 30"]
    bpy.ops.action_loom.add_active_source()
    bpy.ops.action_loom.add_active_source()
    listed = bpy.context.scene.action_loom.rigs[0]
    assert names(listed) == ["walk 30", "walk 30"]
    assert listed.active == 1


def test_an_action_of_nothing_here_is_refused(rig):
    other = bpy.data.actions.new("elsewhere")
    rig.animation_data.action = other
    with pytest.raises(RuntimeError, match="elsewhere moves no bone of Biped"):
        bpy.ops.action_loom.add_active_source()


def test_lines_move_with_their_reference_mark(listed):
    tick(listed, *names(listed))
    bpy.ops.action_loom.set_reference(index=0)
    listed.active = 0
    bpy.ops.action_loom.move_source(down=True)
    assert names(listed) == ["walk 30", "walk 24", "walk 36"]
    assert (listed.active, listed.reference) == (1, 1)
    bpy.ops.action_loom.move_source(down=False)
    assert (listed.active, listed.reference) == (0, 0)
    assert bpy.ops.action_loom.move_source(down=False) == {"CANCELLED"}


def test_a_line_is_removed_and_its_action_stays(listed):
    listed.reference, listed.active = 2, 0
    bpy.ops.action_loom.remove_source()
    assert names(listed) == ["walk 30", "walk 36"]
    assert (listed.active, listed.reference) == (0, 1)
    assert "walk 24" in bpy.data.actions
    listed.active = 1
    bpy.ops.action_loom.remove_source()
    assert (listed.active, listed.reference) == (0, 0)


def test_a_reference_that_there_is_not_is_refused(listed):
    with pytest.raises(RuntimeError, match="There is no row 3; there are 3, from 0"):
        bpy.ops.action_loom.set_reference(index=3)


def test_the_panel_s_button_weaves_what_the_list_says(listed):
    settings = bpy.context.scene.action_loom
    tick(listed, "walk 24", "walk 30")
    listed.sources[0].weight, listed.sources[1].weight = 1.0, 3.0
    bpy.ops.action_loom.set_reference(index=1)
    settings.matching.metric, settings.result.result_name = "points", "Mixed"
    bpy.ops.action_loom.blend()
    stored = bpy.data.actions["Mixed"]["action_loom"].to_dict()
    assert '"reference": "2"' in stored["recipe"]
    assert '"metric": "points"' in stored["recipe"]
    assert '"weights": [1.0, 3.0]' in stored["recipe"]


def test_a_part_of_an_action_is_read(listed, loom):
    tick(listed, "walk 24", "walk 30")
    source = listed.sources[0]
    source.use_range, source.first, source.last = True, 5, 20
    settings = bpy.context.scene.action_loom
    settings.matching.ends, settings.result.result_name = "pinned", "Part"
    settings.result.place = "REFERENCE"
    listed.sources[0].weight, listed.sources[1].weight = 1.0, 0.0
    bpy.ops.action_loom.blend()
    assert tuple(bpy.data.actions["Part"].frame_range) == (5.0, 20.0)
    clips, rigs = loom("addon.bridge.clip"), loom("addon.bridge.rig")
    rig = bpy.context.object
    whole, part = (clips.read(rig, bpy.data.actions[n], rigs.read(rig), 24.0).clip for n in ("walk 24", "Part"))
    points = loom("core.motion.kinematics").points
    assert abs(points(whole)[4:20] - points(part)).max() < 1e-5


def test_roles_are_listed_corrected_and_kept(listed, loom):
    rigs = loom("addon.bridge.rig")
    roles = {role.name: role.bone for role in listed.roles}
    assert roles["thigh.L"] == "thigh.L"
    assert roles["hips"] == "hips"
    assert {role.found_by for role in listed.roles if role.bone} == {"NAME"}
    assert {role.found_by for role in listed.roles if not role.bone} <= {"NONE"}
    listed.roles["neck"].bone = "head"
    assert (listed.roles["neck"].found_by, listed.roles["head"].found_by) == ("HAND", "NAME")
    armature = bpy.context.object
    assert rigs.chosen_roles(armature) == {"neck": "head"}
    skeleton = rigs.read(armature).skeleton
    assert skeleton.names[skeleton.roles["neck"]] == "head"
    bpy.ops.action_loom.set_role(role="neck", bone="")
    assert "neck" not in rigs.read(armature).skeleton.roles
    assert (listed.roles["neck"].bone, listed.roles["neck"].found_by) == ("", "NONE")
    bpy.ops.action_loom.find_roles()
    assert (listed.roles["neck"].bone, listed.roles["neck"].found_by) == ("neck", "NAME")
    assert rigs.chosen_roles(armature) == {}
    with pytest.raises(RuntimeError, match="There is no role 'tail'"):
        bpy.ops.action_loom.set_role(role="tail", bone="head")
    with pytest.raises(RuntimeError, match="has no bone 'wing'"):
        bpy.ops.action_loom.set_role(role="neck", bone="wing")


def test_roles_guessed_from_the_shape_are_said_shown_and_accepted(loom):
    rig = material.biped()
    material.key_walk(rig, "walk", frames=24)
    for number, bone in enumerate(rig.data.bones):
        bone.name = f"Bone.{number:03}"
    bpy.ops.action_loom.add_sources()
    (listed,) = bpy.context.scene.action_loom.rigs
    guessed = {role.name for role in listed.roles if role.found_by == "SHAPE"}
    assert {"thigh.L", "thigh.R", "hips", "hand.R"} <= guessed
    bpy.ops.action_loom.mirror()
    assert "body roles were guessed from its shape" in listed.sources[0].warning
    bpy.context.scene.action_loom.show_roles = True
    overlay = loom("addon.interface.pictures.roles_overlay")
    at = {words: place for words, place, found in overlay.labels(bpy.context) if found}
    assert len(at) == len(guessed)
    thigh = rig.pose.bones[listed.roles["thigh.L"].bone]
    assert (at["thigh.L"] - rig.matrix_world @ thigh.head).length < 1e-6
    bpy.ops.action_loom.accept_roles()
    assert {role.found_by for role in listed.roles if role.bone} == {"HAND"}
    listed.roles["neck"].bone = ""  # clearing one role keeps the others
    assert listed.roles["thigh.L"].found_by == "HAND"
    bpy.ops.action_loom.mirror()
    assert "guessed" not in listed.sources[0].warning


def test_a_bone_that_there_is_not_is_taken_back_from_the_table(listed, loom, capfd):
    rigs = loom("addon.bridge.rig")
    listed.roles["neck"].bone = "head"
    for name in ("wing", "b" * 10_240, "head\n"):
        listed.roles["neck"].bone = name
        assert listed.roles["neck"].bone == "head"
    assert rigs.chosen_roles(bpy.context.object) == {"neck": "head"}
    out, err = capfd.readouterr()
    assert "Traceback" not in out + err


def test_roles_of_a_linked_armature_are_taken_back(listed, loom, capfd, tmp_path):
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(str(tmp_path / "library.blend"), link=True) as (_, into):
        into.objects = ["Biped"]
    (rig,) = into.objects
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    listed = loom("addon.model.properties").ensure_rig(bpy.context.scene, rig)
    loom("addon.services.sources.body_roles").look_up(listed)
    assert listed.roles["neck"].bone == "neck"
    listed.roles["neck"].bone = "head"
    assert listed.roles["neck"].bone == "neck"
    out, err = capfd.readouterr()
    assert "Traceback" not in out + err


def test_left_and_right_are_told_by_knees_where_names_say_them_wrongly(rig, loom):
    bpy.ops.object.mode_set(mode="EDIT")
    for bone in rig.data.edit_bones:
        side = {"L": "R", "R": "L"}.get(bone.name[-1]) if bone.name[-2:-1] == "." else None
        if side is not None:
            bone.name = f"new {bone.name[:-1]}{side}"
    for bone in rig.data.edit_bones:
        bone.name = bone.name.removeprefix("new ")
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.action_loom.add_sources()
    roles = bpy.context.scene.action_loom.rigs[0].roles
    assert (roles["thigh.L"].bone, roles["thigh.L"].found_by) == ("thigh.R", "SHAPE")
    assert roles["hips"].found_by == "NAME"
    rigs = loom("addon.bridge.rig")
    for moving_object in (False, True):
        body = rigs.read(rig, moving_object=moving_object).skeleton
        assert body.names[body.roles["foot.R"]] == "foot.L"
    assert rigs.found_roles(rig)["foot.R"] == "foot.L"


def test_the_result_can_begin_at_the_cursor(listed, loom):
    cursor = bpy.context.scene.cursor
    cursor.location, cursor.rotation_euler = (3.0, -2.0, 0.5), (0.0, 0.0, 1.0)
    settings = bpy.context.scene.action_loom
    settings.result.place, settings.result.result_name = "CURSOR", "There"
    bpy.ops.action_loom.blend()
    (hips,) = material.pose_positions(bpy.context.object, ["hips"], 1)
    assert hips[:2] == pytest.approx([3.0, -2.0], abs=1e-4)
    rigs, clips = loom("addon.bridge.rig"), loom("addon.bridge.clip")
    clip = clips.read(bpy.context.object, bpy.data.actions["There"], rigs.read(bpy.context.object), 24.0).clip
    heading = loom("core.motion.root_motion").heading(clip)[0]
    assert (heading - 1.0 + 3.14159) % 6.28318 - 3.14159 == pytest.approx(0.0, abs=0.02)


def test_everything_in_the_list_survives_saving(listed, tmp_path):
    source = listed.sources[1]
    source.weight, source.rate, source.use_range, source.first = 0.25, 48.0, True, 3
    listed.reference = 1
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "file.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "file.blend"))
    again = bpy.context.scene.action_loom.rigs[0]
    assert again.owner.name == "Biped"
    assert names(again) == ["walk 24", "walk 30", "walk 36"]
    assert (again.sources[1].weight, again.sources[1].rate, again.sources[1].first) == (0.25, 48.0, 3)
    assert again.reference == 1
    assert len(again.roles) > 10


@material.needs_shared
def test_a_rate_that_steps_belie_is_said_beside_the_line():
    walk = material.import_bvh("cmu_mb_07_01")
    action = walk.animation_data.action
    bpy.ops.action_loom.add_active_source()
    (line,) = bpy.context.scene.action_loom.rigs[0].sources
    assert line.warning == ""
    bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = 24, 1.0
    bpy.ops.action_loom.add_active_source()
    assert "was it made at 120? At 24 frames it makes" in line.warning
    line.rate = 120.0
    bpy.ops.action_loom.blend(
        sources=[{"name": action.name, "weight": 1.0}] * 2,
        readings=[{"name": action.name, "rate": 120.0, "slot": "", "first": 0, "last": 0}],
    )
    assert line.warning == ""


@material.needs_shared
def test_a_guessed_rate_mends_an_action_and_its_note():
    walk = material.import_bvh("cmu_mb_07_01")
    action = walk.animation_data.action
    bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = 24, 1.0
    bpy.ops.action_loom.add_active_source()
    (line,) = bpy.context.scene.action_loom.rigs[0].sources
    assert line.warning
    first, last = action.frame_range
    bpy.ops.action_loom.match_rate(how="ACTION", rate=120.0)
    assert line.warning == ""
    assert action.frame_range[1] - action.frame_range[0] == pytest.approx((last - first) / 5.0, abs=1.0)
    bpy.ops.action_loom.add_active_source()
    assert line.warning == ""


def test_a_range_without_keys_is_said_beside_the_line(listed):
    tick(listed, "walk 24", "walk 30")
    source = listed.sources[0]
    source.use_range, source.last = True, 200
    bpy.ops.action_loom.blend()
    assert source.warning == "walk 24: frames 1–200 are asked for, its keys go from 1 to 25"


def test_travel_goes_on_a_root_bone_or_back_on_the_hips():
    rig = material.biped(root=True)
    for k, frames in enumerate((24, 30)):
        material.key_walk(rig, f"walk {frames}", frames=frames, leads="LR"[k])
    results = {}
    for travel in ("REFERENCE", "ROOT", "HIPS"):
        sources = [{"name": f"walk {frames}", "weight": 1.0} for frames in (24, 30)]
        bpy.ops.action_loom.blend(sources=sources, travel=travel, result_name=travel)
        names = ["hips", "foot.L", "hand.R", "root"]
        results[travel] = [material.pose_positions(rig, names, frame) for frame in (1, 10, 28)]
    for travel in ("ROOT", "HIPS"):
        for found, wanted in zip(results[travel], results["REFERENCE"], strict=True):
            assert abs(found[:3] - wanted[:3]).max() < 1e-4
    assert abs(results["ROOT"][-1][3] - results["ROOT"][0][3]).max() > 1.0
    assert abs(results["HIPS"][-1][3] - results["HIPS"][0][3]).max() < 1e-4


def test_without_a_root_bone_travel_can_t_go_on_one(listed):
    with pytest.raises(RuntimeError, match="what should carry its travel is not above hips"):
        bpy.ops.action_loom.blend(travel="ROOT")
