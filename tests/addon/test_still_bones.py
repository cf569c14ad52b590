"""Unkeyed bones that the pose has moved, like a root that an importer leaves above a body."""

import bpy
import material
import numpy as np
import pytest


@pytest.fixture
def raised(loom):
    """The demo figure on a root bone without keys; the pose raises it by a metre and turns it by 90°."""
    bpy.ops.action_loom.add_demo()
    armature = bpy.context.object
    bpy.ops.object.mode_set(mode="EDIT")
    bones = armature.data.edit_bones
    root = bones.new("root")
    root.head, root.tail = (0.0, 0.0, 0.0), (0.0, 0.3, 0.0)
    bones["hips"].parent = root
    bpy.ops.object.mode_set(mode="OBJECT")
    bone = armature.pose.bones["root"]
    bone.rotation_mode = "QUATERNION"
    bone.location, bone.rotation_quaternion = (0.2, 0.0, 1.0), (np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5))
    bpy.context.view_layer.update()
    return armature


def places(armature, action, frames):
    """Return the world positions (F, B, 3) of all bones at frames of an action."""
    data = armature.animation_data
    data.action = action
    if hasattr(action, "slots") and action.slots:
        data.action_slot = action.slots[0]
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        found.append([(armature.matrix_world @ bone.matrix).translation[:] for bone in armature.pose.bones])
    return np.array(found)


def woven(operator, first, *others, **options):
    """Run an operator with all weight on the first source, and return the action it makes."""
    sources = [{"name": first, "weight": 1.0}, *({"name": other, "weight": 0.0} for other in others)]
    return material.new_action(lambda: operator(sources=sources, **options))


def begins(armature, action, seen):
    """Return whether frame 1 shows the given places, within 1e-5, and within a millimetre for the smoothed root."""
    away = np.abs(places(armature, action, [1]) - seen).max(axis=(0, 2))
    root = armature.pose.bones.find("root")
    return np.delete(away, root).max() < 1e-5 and away[root] < 1e-3


@pytest.mark.parametrize("visual", [False, True])
def test_a_result_that_lets_the_root_travel_begins_where_it_stands(raised, visual):
    walk = bpy.data.actions["Walk"]
    seen = places(raised, walk, [1])
    travels = {"travel": "ROOT", "visual": visual}
    first = woven(bpy.ops.action_loom.blend, "Walk", "Sneak", **travels)
    assert begins(raised, first, seen)
    # Frame 20 of the result leaves the root ahead, and the walk does not move it back.
    places(raised, first, [20])
    again = woven(bpy.ops.action_loom.blend, "Walk", "Sneak", **travels)
    assert begins(raised, again, seen)
    twice = woven(bpy.ops.action_loom.loop, again.name, visual=visual)
    assert begins(raised, twice, seen)


def test_a_result_that_leaves_the_root_alone_does_not_key_it(raised, loom):
    made = woven(bpy.ops.action_loom.splice, "Walk", "Wave")
    assert "root" not in loom("addon.bridge.curves").bones_keyed(made)


def test_a_bone_that_another_action_keys_is_at_rest_where_it_is_not_keyed(raised):
    key = raised.animation_data
    key.action = bpy.data.actions["Wave"]
    if hasattr(key.action, "slots"):
        key.action_slot = key.action.slots[0]
    raised.pose.bones["root"].keyframe_insert("location", frame=1)
    made = woven(bpy.ops.action_loom.blend, "Walk", "Sneak", travel="ROOT")
    assert places(raised, made, [1])[0, :, 2].max() < 2.0


@pytest.mark.parametrize("value", [3, "text", {"root": [1.0]}, {"root": "x"}, {"gone": [0.0] * 7}, [1.0, 2.0]])
def test_what_was_kept_may_be_anything(raised, value):
    raised["action_loom_still"] = value
    seen = places(raised, bpy.data.actions["Walk"], [1])
    made = woven(bpy.ops.action_loom.blend, "Walk", "Sneak", travel="ROOT")
    assert begins(raised, made, seen)
