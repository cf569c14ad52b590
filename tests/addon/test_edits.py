"""Tools for one action: which actions they take, new or replaced results, moved markers, and messages."""

import json
import sys
from importlib import import_module
from pathlib import Path

import bpy
import material
import numpy as np
import pytest
from drawing import Drawing, Layout, context_now


@pytest.fixture
def walker():
    """A biped with two ticked walks that plays the first."""
    rig = material.biped()
    material.key_walk(rig, "run", frames=24, stride=1.8)
    walk = material.key_walk(rig, "walk", frames=36)
    material.list_all()
    bpy.context.view_layer.update()
    assert rig.animation_data.action == walk
    return rig


def pressed(rig, operator, **options):
    """Press a button of the tab and return the new actions."""
    return set(material.pressed(rig, operator, **options).values())


def knees(rig, frame):
    bpy.context.scene.frame_set(frame)
    return [np.array(rig.pose.bones[f"shin.{side}"].matrix.to_quaternion()) for side in "LR"]


def test_the_armatures_own_action_becomes_a_new_one_and_stays_as_it_was(walker):
    walk = walker.animation_data.action
    was = material.fingerprint(walk)
    left, right = knees(walker, 10)
    (made,) = pressed(walker, "mirror", keep_start=False)
    assert made.name == "walk mirrored"
    assert walker.animation_data.action == made
    assert material.fingerprint(walk) == was
    now_left, now_right = knees(walker, 10)
    for now, seen in ((now_left, right), (now_right, left)):
        image = seen * (1.0, 1.0, -1.0, -1.0)  # in the plane x = 0
        np.testing.assert_allclose(now * np.sign(now @ image), image, atol=1e-5)


def test_twice_is_the_action_again(walker):
    walk = walker.animation_data.action
    (once,) = pressed(walker, "mirror")
    (twice,) = pressed(walker, "mirror")
    assert twice.name == "walk mirrored mirrored"
    for frame in (1, 10, 20, 37):
        seen = []
        for action in (walk, twice):
            walker.animation_data.action = action
            bpy.context.scene.frame_set(frame)
            seen.append([np.array(bone.matrix) for bone in walker.pose.bones])
        np.testing.assert_allclose(seen[1], seen[0], atol=2e-5)
    assert once.name == "walk mirrored"


def test_each_ticked_action_by_itself(walker):
    bpy.context.scene.action_loom.edit_which = "TICKED"
    made = pressed(walker, "mirror")
    assert {action.name for action in made} == {"walk mirrored", "run mirrored"}
    assert walker.animation_data.action.name in {"walk mirrored", "run mirrored"}


def test_an_armature_without_an_action_means_the_ticked_ones(walker):
    walker.animation_data.action = None
    assert len(pressed(walker, "mirror")) == 2


def test_replace_puts_the_result_in_the_place_of_the_action_and_keeps_that(walker):
    walk = walker.animation_data.action
    was = material.fingerprint(walk)
    bpy.context.scene.action_loom.edit_replace = True
    (kept,) = pressed(walker, "mirror")
    assert kept.name == "walk before Mirror"
    assert kept.use_fake_user
    assert material.fingerprint(kept) == was
    assert material.fingerprint(walk) != was
    assert walker.animation_data.action == walk
    assert walk.name == "walk"
    stored = walk["action_loom"].to_dict()
    assert json.loads(stored["recipe"])["verb"] == "mirror"
    now = material.fingerprint(walk)
    assert bpy.ops.action_loom.rebuild(action="walk") == {"FINISHED"}  # from the kept action
    assert material.fingerprint(walk) == now
    (again,) = pressed(walker, "mirror")
    assert again.name == "walk before Mirror.001"
    assert material.fingerprint(again) == now
    bpy.context.scene.frame_set(5)
    pose = [np.array(bone.matrix) for bone in walker.pose.bones]
    walker.animation_data.action = kept
    bpy.context.scene.frame_set(5)
    np.testing.assert_allclose(pose, [np.array(bone.matrix) for bone in walker.pose.bones], atol=2e-5)


def test_replace_takes_the_whole_action_even_where_its_line_has_a_range(walker):
    line = next(one for one in bpy.context.scene.action_loom.rigs[0].sources if one.action.name == "walk")
    line.use_range, line.first, line.last = True, 5, 15
    before = bpy.data.actions["walk"].curve_frame_range[:]
    pressed(walker, "mirror", replace=True)
    assert bpy.data.actions["walk"].curve_frame_range[:] == before
    walker.animation_data.action = bpy.data.actions["walk before Mirror"]
    line.action = walker.animation_data.action
    (made,) = pressed(walker, "mirror", replace=False)
    assert made.curve_frame_range[:] == (5.0, 15.0)


def test_markers_go_along_and_those_of_feet_change_sides_in_the_mirror(walker):
    walk = walker.animation_data.action
    for name, frame in (("breath", 12), ("L down 1", 4), ("L up 1", 9), ("right ball 1 down", 20)):
        walk.pose_markers.new(name).frame = frame
    (made,) = pressed(walker, "mirror")
    assert {(marker.name, marker.frame) for marker in made.pose_markers} == {
        ("breath", 12),
        ("R down 1", 4),
        ("R up 1", 9),
        ("left ball 1 down", 20),
    }
    assert len(walk.pose_markers) == 4
    walker.animation_data.action = walk
    pressed(walker, "mirror", replace=True)
    assert {(marker.name, marker.frame) for marker in walk.pose_markers} == {
        (marker.name, marker.frame) for marker in made.pose_markers
    }


def test_a_linked_action_is_not_replaced(walker, tmp_path):
    path = str(tmp_path / "library.blend")
    bpy.data.libraries.write(path, {bpy.data.actions["walk"]}, fake_user=True)
    with bpy.data.libraries.load(path, link=True) as (_, into):
        into.actions = ["walk"]
    linked = next(action for action in bpy.data.actions if action.library is not None)
    walker.animation_data.action = linked
    count = len(bpy.data.actions)
    with bpy.context.temp_override(action_loom_armature=walker), pytest.raises(RuntimeError, match="linked"):
        bpy.ops.action_loom.mirror("INVOKE_DEFAULT", replace=True)
    assert len(bpy.data.actions) == count
    (made,) = pressed(walker, "mirror", replace=False)
    assert made.library is None


def test_what_can_not_be_done_with_one_action_is_said_and_done_with_the_others(walker, capfd):
    bpy.context.scene.action_loom.edit_which = "TICKED"
    for curve in material.fcurves(bpy.data.actions["run"]):
        curve.data_path = curve.data_path.replace("pose.bones[", 'pose.bones["gone')
    line = next(one for one in bpy.context.scene.action_loom.rigs[0].sources if one.action.name == "run")
    assert line.use
    made = pressed(walker, "mirror")
    assert {action.name for action in made} == {"walk mirrored"}


def test_what_came_of_it_is_in_the_panel(walker):
    pressed(walker, "mirror")
    message = bpy.context.scene.action_loom.rigs[0].last
    assert message.startswith("walk mirrored: 37 frames made in ")
    assert ", keys " in message
    assert " → " in message


def test_nothing_is_written_for_a_preview(walker):
    with bpy.context.temp_override(action_loom_armature=walker):
        before = set(bpy.data.actions)
        assert bpy.ops.action_loom.mirror("INVOKE_DEFAULT", preview=True) == {"FINISHED"}
    assert set(bpy.data.actions) == before


def test_without_an_action_the_button_says_why_it_is_grey():
    rig = material.biped()
    with bpy.context.temp_override(action_loom_armature=rig):
        assert not bpy.ops.action_loom.mirror.poll()
        with pytest.raises(RuntimeError, match="The armature has no action: play one, or tick actions in the list"):
            bpy.ops.action_loom.mirror()


def test_the_pie_has_every_tool_and_its_shortcut_is_in_pose_and_object_mode(loom):
    drawn = []
    menu = Drawing(bpy.types.ACTION_LOOM_MT_repair_pie, Layout(drawn))
    menu.draw(context_now())
    tools = [f"action_loom.{recipe.verb}" for recipe in loom("addon.model.intents").EDITS]
    assert [given[0] for name, given, _ in drawn if name == "operator"] == tools
    keymaps = bpy.context.window_manager.keyconfigs.addon.keymaps
    for mode in ("Pose", "Object Mode"):
        (item,) = [one for one in keymaps[mode].keymap_items if one.idname == "wm.call_menu_pie"]
        assert item.properties.name == "ACTION_LOOM_MT_repair_pie"
        assert (item.type, item.shift, item.alt, item.ctrl) == ("U", True, True, False)


def test_the_shortcut_is_nobody_elses():
    """Blender's default keymap leaves Shift Alt U free for the 3D View, its modes, screens and windows."""
    for folder in bpy.utils.preset_paths("keyconfig"):
        sys.path.append(str(Path(folder) / "keymap_data"))
    blender_default = import_module("blender_default")
    taken = [
        (name, item[0])
        for name, _, content in blender_default.generate_keymaps(blender_default.Params())
        if name
        in ("Pose", "Object Mode", "Object Non-modal", "3D View", "3D View Generic", "Screen", "Window", "Frames")
        for item in content["items"]
        if item[1]["type"] == "U" and item[1].get("shift") and item[1].get("alt")
    ]
    assert taken == []


def test_a_body_that_leans_back_is_shifted_over_its_feet_by_weight(capfd):
    rig = material.biped()
    rig.animation_data_create()
    for frame in (1, 60):
        rig.pose.bones["spine"].rotation_euler.x = np.radians(-50.0)
        rig.pose.bones["spine"].keyframe_insert("rotation_euler", frame=frame)
        rig.pose.bones["hips"].keyframe_insert("location", frame=frame)

    def places():
        bpy.context.scene.frame_set(30)
        return {name: np.array(rig.pose.bones[name].tail) for name in ("foot.L", "foot.R", "hips")}

    before = places()
    assert pressed(rig, "weight") == set()
    assert "nothing needed changing" in capfd.readouterr().out
    (made,) = pressed(rig, "weight", balance=True)
    material.show(rig, made)
    moved = {name: place - before[name] for name, place in places().items()}
    assert max(np.linalg.norm(moved[f"foot.{side}"]) for side in "LR") < 0.001
    assert -0.11 < moved["hips"][1] < -0.02  # it faces −Y
