"""Faces in another slot of the same action follow the body's result; measured on evaluated shape keys."""

import bpy
import judge
import material
import numpy as np
import pytest

FRAMES = np.arange(1, 26)


@pytest.fixture
def rig():
    """A walker whose two actions also move shape keys, the second for longer than its body."""
    made = material.biped()
    data = bpy.data.meshes.new("Face")
    data.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    face = bpy.data.objects.new("Face", data)
    bpy.context.scene.collection.objects.link(face)
    face.parent = made
    for name in ("Basis", "smile", "wink.L", "wink.R"):
        face.shape_key_add(name=name)
    for name, most, last in (("one", 0.4, 25), ("two", 0.8, 60)):
        action = material.key_walk(made, name, frames=24, stride=1.2)
        keys = data.shape_keys
        animation = keys.animation_data or keys.animation_data_create()
        animation.action = action
        animation.action_slot = action.slots.new("KEY", keys.name)
        for frame, value in ((1, 0.0), (13, most), (last, 0.1)):
            keys.key_blocks["smile"].value = value
            keys.key_blocks["smile"].keyframe_insert("value", frame=frame)
            keys.key_blocks["wink.L"].value = 0.5 * value
            keys.key_blocks["wink.L"].keyframe_insert("value", frame=frame)
        for curve in bag_of(action).fcurves:
            for key in curve.keyframe_points:
                key.interpolation = "LINEAR"
    judge.play(made, bpy.data.actions["one"])
    return made


def bag_of(action):
    slot = next(one for one in action.slots if one.target_id_type == "KEY")
    return action.layers[0].strips[0].channelbag(slot)


def values(key="smile", frames=FRAMES):
    """Return the values (F,) of a shape key at frames, as Blender animates it."""
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(int(frame))
        found.append(bpy.data.meshes["Face"].shape_keys.key_blocks[key].value)
    return np.array(found)


def test_a_blend_shows_the_mean_of_both_faces(rig):
    judge.play(rig, bpy.data.actions["two"])
    second = values()
    judge.play(rig, bpy.data.actions["one"])
    first = values()
    made = material.weave("blend", "one", "two")
    assert bpy.data.meshes["Face"].shape_keys.animation_data.action == made
    assert np.abs(values() - 0.5 * (first + second))[:-1].max() < 0.02  # the last frame begins the next cycle


def test_connect_goes_from_one_face_to_the_other(rig):
    made = material.weave("connect", "one", "two")
    last = int(made.frame_range[1])
    face = values(frames=np.arange(1, last + 1))
    assert face[:8].max() > 0.15
    assert face.max() > 0.5


def test_fewer_keys_keeps_the_face(rig):
    smile = values()
    material.weave("fewer_keys", "one", within=0.01)
    assert np.abs(values() - smile).max() < 0.05


def test_an_edit_of_the_face_alone_is_read_anew(rig):
    material.weave("blend", "one", "two")
    for curve in bag_of(bpy.data.actions["one"]).fcurves:
        for key in curve.keyframe_points:
            key.co.y = 0.9
    judge.play(rig, bpy.data.actions["one"])
    material.weave("loop", "one", whole="yes")
    assert values().min() > 0.85


def rebuild(capfd):
    """Rebuild the result; return the report of changes since, or ""."""
    capfd.readouterr()
    bpy.ops.action_loom.rebuild(action="Mixed")
    return "".join(line for line in capfd.readouterr().out.splitlines() if "changed since" in line)


def test_rebuild_reports_a_face_that_has_changed(rig, capfd):
    both = [{"name": name, "weight": 1.0} for name in ("one", "two")]
    bpy.ops.action_loom.blend(sources=both, result_name="Mixed")
    assert rebuild(capfd) == ""
    bag_of(bpy.data.actions["one"]).fcurves[0].keyframe_points[1].co.y = 0.9
    assert "slot Key ('one') changed since Mixed was made" in rebuild(capfd)
    assert rebuild(capfd) == ""
    action = bpy.data.actions["two"]
    action.slots.remove(next(one for one in action.slots if one.target_id_type == "KEY"))
    assert "slot Key ('two') changed since Mixed was made" in rebuild(capfd)
