"""Place from the panel: at the 3D cursor, after another action, and at a picked frame."""

import bpy
import material
import numpy as np
import pytest


@pytest.fixture
def walker():
    rig = material.biped()
    material.key_walk(rig, "second", frames=24, stride=1.8)
    material.key_walk(rig, "walk", frames=36)
    bpy.ops.action_loom.add_sources()
    bpy.context.view_layer.update()
    bpy.context.scene.action_loom.edit = "place"
    return rig


def hips(rig, action, frame):
    rig.animation_data.action = action
    bpy.context.scene.frame_set(frame)
    return np.array(rig.matrix_world @ rig.pose.bones["hips"].head)


def test_at_the_cursor(walker):
    cursor = bpy.context.scene.cursor
    cursor.location, cursor.rotation_euler = (2.0, -3.0, 1.0), (0.0, 0.0, np.pi / 2)
    assert material.press(walker, "place_from_cursor") == {"FINISHED"}
    settings = bpy.context.scene.action_loom.place
    assert (settings.where, settings.face) == ("at", "way")
    assert settings.facing == pytest.approx(90.0, abs=1e-4)
    way = hips(walker, bpy.data.actions["walk"], 37)[:2] - hips(walker, bpy.data.actions["walk"], 1)[:2]
    assert material.press(walker, "place") == {"FINISHED"}
    made = walker.animation_data.action
    assert made.name == "walk placed"
    np.testing.assert_allclose(hips(walker, made, 1)[:2], (2.0, -3.0), atol=1e-5)
    assert np.linalg.norm(hips(walker, made, 37)[:2] - (2.0, -3.0)) == pytest.approx(np.linalg.norm(way), abs=1e-4)


def test_after_another_action_and_made_anew_from_both(walker):
    settings = bpy.context.scene.action_loom
    settings.place.where = "after"
    with bpy.context.temp_override(action_loom_armature=walker):
        assert not bpy.ops.action_loom.place.poll()
        with pytest.raises(RuntimeError, match="Choose the action to go on from"):
            bpy.ops.action_loom.place()
    settings.place_after = bpy.data.actions["second"]
    end = hips(walker, bpy.data.actions["second"], 25)
    walker.animation_data.action = bpy.data.actions["walk"]
    assert material.press(walker, "place") == {"FINISHED"}
    made = walker.animation_data.action
    assert made.name == "walk after second"
    np.testing.assert_allclose(hips(walker, made, 1)[:2], end[:2], atol=0.02)
    was = material.fingerprint(made)
    assert bpy.ops.action_loom.rebuild(action=made.name) == {"FINISHED"}
    assert material.fingerprint(made) == was


def test_each_ticked_action_goes_on_from_the_same_one(walker):
    settings = bpy.context.scene.action_loom
    for line in settings.rigs[0].sources:
        line.use = True
    settings.edit_which, settings.place.where, settings.place_after = "TICKED", "after", bpy.data.actions["second"]
    before = set(bpy.data.actions)
    assert material.press(walker, "place") == {"FINISHED"}
    assert {action.name for action in set(bpy.data.actions) - before} == {"walk after second", "second after second"}


def test_the_frame_is_picked_of_the_action_that_the_armature_has(walker):
    for line in bpy.context.scene.action_loom.rigs[0].sources:
        line.use = False
    bpy.context.scene.frame_set(11)
    assert material.press(walker, "pick_frame", group="place", option="frame") == {"FINISHED"}
    assert bpy.context.scene.action_loom.place.frame == 10
    bpy.context.scene.frame_set(99)
    with pytest.raises(RuntimeError, match="walk has no frame 99: its frames are 1 to 37"):
        material.press(walker, "pick_frame", group="place", option="frame")
