"""Armatures that a parent or a constraint moves: results do not depend on the current frame, and it is told."""

import bpy
import material
import numpy as np
import pytest


@pytest.fixture
def rig():
    made = material.biped()
    for name, stride in (("one", 1.2), ("two", 1.6)):
        material.key_walk(made, name, frames=24, stride=stride)
    material.show(made, bpy.data.actions["one"])
    return made


def moving_parent(rig):
    parent = bpy.data.objects.new("Cart", None)
    bpy.context.scene.collection.objects.link(parent)
    for frame, x, turn in ((1, 0.0, 0.0), (60, 3.0, 0.8)):
        parent.location, parent.rotation_euler = (x, 1.0, 0.2), (0.0, 0.0, turn)
        parent.keyframe_insert("location", frame=frame)
        parent.keyframe_insert("rotation_euler", frame=frame)
    rig.parent = parent


def following_a_path(rig):
    data = bpy.data.curves.new("Track", "CURVE")
    data.dimensions, data.use_path = "3D", True
    spline = data.splines.new("POLY")
    spline.points.add(3)
    for point, place in zip(spline.points, ((0, 0, 0), (2, 0, 0), (4, 1, 0), (5, 3, 0)), strict=True):
        point.co = (*place, 1.0)
    data.path_duration = 60
    data.eval_time = 0.0
    data.keyframe_insert("eval_time", frame=1)
    data.eval_time = 60.0
    data.keyframe_insert("eval_time", frame=60)
    track = bpy.data.objects.new("Track", data)
    bpy.context.scene.collection.objects.link(track)
    constraint = rig.constraints.new("FOLLOW_PATH")
    constraint.target, constraint.use_curve_follow = track, True


def keys(action):
    """Every key of an action, by curve."""
    found = {}
    for curve in material.fcurves(action):
        points = np.empty(2 * len(curve.keyframe_points))
        curve.keyframe_points.foreach_get("co", points)
        found[curve.data_path, curve.array_index] = points.tolist()
    return found


def woven(verb, frame, **options):
    bpy.context.scene.frame_set(frame)
    made = material.weave(verb, *(["one", "two"] if verb in ("blend", "connect") else ["one"]), **options)
    found = keys(made)
    bpy.data.actions.remove(made)
    return found


JOBS = {
    "blend": {},
    "connect": {},
    "mirror": {},
    "plant": {},
    "place": {"where": "at", "x": 2.0, "y": 1.0},
    "root": {"onto": "object"},
}


@pytest.mark.parametrize("carry", [moving_parent, following_a_path])
@pytest.mark.parametrize("verb", JOBS)
def test_the_same_press_at_any_frame_gives_the_same_keys(rig, carry, verb):
    carry(rig)
    first, later = (woven(verb, frame, assign=False, **JOBS[verb]) for frame in (1, 47))
    assert first.keys() == later.keys()
    assert all(np.allclose(first[one], later[one], atol=1e-5) for one in first)


@pytest.mark.parametrize("carry", [moving_parent, following_a_path])
def test_what_moves_it_is_told(rig, carry, capfd):
    carry(rig)
    woven("blend", 20)
    said = capfd.readouterr().out
    assert "Biped follows" in said
    assert "results are made where it stands at frame 1" in said


def test_of_a_parent_that_stands_nothing_is_told(rig, capfd):
    parent = bpy.data.objects.new("Cart", None)
    bpy.context.scene.collection.objects.link(parent)
    rig.parent, parent.location = parent, (1.0, 2.0, 0.0)
    woven("blend", 20)
    assert "follows" not in capfd.readouterr().out
