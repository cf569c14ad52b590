"""Place and Root Motion in Blender: the start of an action and the bone of its travel, with unchanged poses."""

import bpy
import material
import numpy as np
import pytest


@pytest.fixture
def walker():
    """A biped with a root bone and a walk that its hips carry."""
    rig = material.biped(root=True)
    material.key_walk(rig, "walk", frames=24)
    bpy.context.view_layer.update()
    return rig


def done(rig, operator, **options):
    assert getattr(bpy.ops.action_loom, operator)(sources=[{"name": "walk", "weight": 1.0}], **options) == {"FINISHED"}
    return rig.animation_data.action


def matrices(rig, frames=range(1, 26)):
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        found.append([[list(row) for row in rig.matrix_world @ bone.matrix] for bone in rig.pose.bones])
    return np.array(found)


def test_the_root_bone_takes_the_travel_and_nothing_else_moves(walker):
    root = walker.pose.bones.find("root")
    before = matrices(walker)
    action = done(walker, "root")
    assert action.name == "walk on root"
    after = matrices(walker)
    others = [k for k in range(len(walker.pose.bones)) if k != root]
    assert np.abs(after[:, others] - before[:, others]).max() < 2e-5
    assert np.ptp(before[:, root, :3, 3], axis=0).max() < 1e-6
    hips = walker.pose.bones.find("hips")
    gone = after[-1, :, :2, 3] - after[0, :, :2, 3]
    np.testing.assert_allclose(gone[root], gone[hips], atol=1e-4)  # a cycle travels equally on the root
    assert np.linalg.norm(gone[root]) > 1.0
    again = material.fcurves(action)
    assert any('"root"' in curve.data_path for curve in again)


def test_a_walk_begins_where_it_was_put_and_faces_the_way(walker, loom):
    before = matrices(walker)
    done(walker, "place", x=2.0, y=-3.0, face="way", facing=90.0)
    after = matrices(walker)
    hips = walker.pose.bones.find("hips")
    np.testing.assert_allclose(after[0, hips, :2, 3], [2.0, -3.0], atol=1e-4)
    turn = after[:, :, :3, :3] @ before[:, :, :3, :3].transpose(0, 1, 3, 2)
    assert np.abs(turn - turn[0, hips]).max() < 1e-4  # the whole body turns alike, about the vertical
    np.testing.assert_allclose(turn[0, hips, 2], [0.0, 0.0, 1.0], atol=1e-5)
    np.testing.assert_allclose(after[:, :, 2, 3], before[:, :, 2, 3], atol=2e-5)


def test_without_a_root_bone_it_is_said_and_the_object_is_keyed_where_that_is_asked_for(loom):
    rig = material.biped()
    material.key_walk(rig, "walk", frames=24)
    with pytest.raises(RuntimeError, match="is not above hips.*put it onto the object"):
        done(rig, "root")
    before = matrices(rig)
    done(rig, "root", onto="object")
    assert np.abs(matrices(rig) - before).max() < 1e-4
    frames = [bpy.context.scene.frame_set(frame) or rig.matrix_world.translation.copy() for frame in (1, 12)]
    assert (frames[1] - frames[0]).length > 0.1


def test_an_object_that_is_keyed_can_carry():
    rig = material.biped()
    material.key_walk(rig, "walk", frames=24, object_travels=True)
    bpy.context.view_layer.update()
    before = matrices(rig)
    done(rig, "root", onto="hips")
    assert np.abs(matrices(rig) - before).max() < 2e-5
    bpy.context.scene.frame_set(1)
    first = rig.location.copy()
    bpy.context.scene.frame_set(25)
    assert (rig.location - first).length < 1e-6
    rig.animation_data.action = bpy.data.actions["walk"]
    done(rig, "root", onto="object", smooth=0.1)
    assert np.abs(matrices(rig) - before).max() < 2e-5
