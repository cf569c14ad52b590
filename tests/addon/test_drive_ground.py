"""Drive on a mesh: climbing stairs, and moving, hidden and deleted ones."""

import bpy
import numpy as np
import pytest
from steered import event, go, walking


def stairs():
    """A mesh of four stairs ahead of the biped, as W leads without a view: 15 cm high, 30 cm deep."""
    corners, faces = [], []
    for k in range(4):
        y, end, z = 0.6 + 0.3 * k, 0.9 + 0.3 * k + (9.0 if k == 3 else 0.0), 0.15 * (k + 1)
        first = len(corners)
        corners += [(-3, y, z), (3, y, z), (3, end, z), (-3, end, z)]
        faces.append(tuple(range(first, first + 4)))
    mesh = bpy.data.meshes.new("Stairs")
    mesh.from_pydata(corners, [], faces)
    drawn = bpy.data.objects.new("Stairs", mesh)
    bpy.context.scene.collection.objects.link(drawn)
    return drawn


def test_a_chosen_mesh_is_climbed_live_and_in_what_is_kept(loom):
    rig = walking()
    bpy.context.scene.action_loom.ground = stairs()
    steering = loom("addon.interface.operators.steer").Steering(bpy.context, rig)
    level = (rig.matrix_world @ rig.pose.bones["hips"].head).z
    steering.handle(bpy.context, event("W"))
    go(steering, 3.0)
    steering.handle(bpy.context, event("W", "RELEASE"))
    go(steering, 1.0)
    bpy.context.view_layer.update()
    hips = rig.matrix_world @ rig.pose.bones["hips"].head
    assert abs(hips.y) > 1.8
    assert hips.z - level == pytest.approx(0.6, abs=0.06)
    steering.leave(bpy.context)
    steering.put_wishes(bpy.context.scene.action_loom)
    assert bpy.ops.action_loom.drive() == {"FINISHED"}
    action = rig.animation_data.action
    first, last = (int(frame) for frame in action.frame_range)
    heights = []
    for frame in (first, last):
        bpy.context.scene.frame_set(frame)
        heights.append((rig.matrix_world @ rig.pose.bones["hips"].head).z)
    assert heights[1] - heights[0] == pytest.approx(0.6, abs=0.06)
    assert loom("addon.model.storage").recipe_of(action).ground


def test_a_ground_that_moves_is_that_of_the_first_frame_at_any_playhead(loom):
    """A lift carries the walker and the stairs: the stairs are keyed, have a shape key and a keyed parent."""
    rig, drawn = walking(), stairs()
    lift = bpy.data.objects.new("Lift", None)
    bpy.context.scene.collection.objects.link(lift)
    drawn.parent = rig.parent = lift
    drawn.shape_key_add(name="Basis")
    higher = drawn.shape_key_add(name="Higher")
    higher.data[0].co.z += 1.0
    for frame, z in ((1, 0.0), (60, 2.0)):
        lift.location.z = z
        lift.keyframe_insert("location", frame=frame)
        drawn.location.y, higher.value = z, 0.5 * z
        drawn.keyframe_insert("location", frame=frame)
        higher.keyframe_insert("value", frame=frame)
    bpy.context.scene.action_loom.ground = drawn
    rows = []
    for frame in (1, 47):
        bpy.context.scene.frame_set(frame)
        steering = loom("addon.interface.operators.steer").Steering(bpy.context, rig)
        rows.append(steering.session.kept()["ground"])
        steering.leave(bpy.context)
    assert rows[0] == rows[1]
    wanted = [tuple(drawn.data.vertices[k].co[:]) for k in range(4)]
    assert np.array(rows[0])[0].reshape(3, 3) == pytest.approx(np.array([wanted[k] for k in (0, 1, 2)]), abs=1e-4)


def test_a_ground_that_is_deleted_is_refused_and_a_hidden_one_is_walked_on(loom):
    rig, drawn = walking(), stairs()
    drawn.hide_viewport = True
    bpy.context.scene.action_loom.ground = drawn
    steer = loom("addon.interface.operators.steer")
    steering = steer.Steering(bpy.context, rig)
    assert len(steering.session.ground) == 8
    steering.leave(bpy.context)
    bpy.context.scene.collection.objects.unlink(drawn)
    with pytest.raises(Exception, match="Stairs was deleted"):
        steer.Steering(bpy.context, rig)
