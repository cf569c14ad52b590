"""Armatures moved by a parent or a constraint: results do not depend on the current frame, and a message names it."""

import json
from itertools import pairwise

import bpy
import material
import numpy as np
import pytest
from situations import following_a_path, moving_parent
from test_control_bodies import WALK, by_hand, with_legs_on_ik


@pytest.fixture
def rig():
    made = material.biped()
    for name, stride in (("one", 1.2), ("two", 1.6)):
        material.key_walk(made, name, frames=24, stride=stride)
    material.show(made, bpy.data.actions["one"])
    return made


def woven(verb, frame, **options):
    bpy.context.scene.frame_set(frame)
    made = material.weave(verb, *(["one", "two"] if verb in ("blend", "connect") else ["one"]), **options)
    found = material.keys_of(made)
    bpy.data.actions.remove(made)
    return found


@pytest.mark.parametrize("carry", [moving_parent, following_a_path])
def test_what_moves_it_is_told(rig, carry, capfd):
    carry(rig)
    woven("blend", 20)
    said = capfd.readouterr().out
    assert "Biped follows" in said
    assert "results are made where it stands at frame 1" in said


def find_places(rig, frames, names):
    """Return the world positions of the bones' heads at frames of the scene (F, B, 3)."""
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(int(frame))
        now = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
        found.append([now.matrix_world @ now.pose.bones[name].head for name in names])
    return np.array(found)


def growing_parent(rig):
    moving_parent(rig)
    parent = rig.parent
    for frame, size in ((1, 1.0), (60, 1.5)):
        parent.scale = (size, size, size)
        parent.keyframe_insert("scale", frame=frame)


def on_the_object(rig):
    """Key the walk's travel on the armature object."""
    moving_parent(rig)
    rig.rotation_mode = "XYZ"
    for frame, y in ((1, 0.0), (25, -1.2)):
        rig.location.y = y
        rig.keyframe_insert("location", frame=frame)


POINTS = np.array([(0.0, 0.0, 0.0), (0.0, -3.0, 0.0), (1.5, -6.0, 0.0)])


def walk_path(rig, loom, frame, **options):
    """Weave a walk at a frame; return its frames, the evaluated places of bones, and their places in its preview.

    The preview shows the world of the first frame. A second walk can't be compared: differences of 1e-9 m change its
    route.
    """
    bpy.context.scene.frame_set(frame)
    sources = [{"name": "one", "weight": 1.0}]
    assert bpy.ops.action_loom.follow(sources=sources, curve="Path", preview=True) == {"FINISHED"}
    ghost = loom("addon.services.preview.previews").of(rig.session_uid)
    body = ghost.read.body
    made = material.weave("follow", "one", curve="Path", **options)
    first, last = made.curve_frame_range
    frames = np.arange(round(first), round(last) + 1)
    names = body.controls.seen if body.controls is not None else body.bones
    joints = slice(int(body.moving_object), len(body.skeleton))
    return frames, find_places(rig, frames, names), ghost.figures[-1].points[:, joints]


@pytest.mark.parametrize("frame", [1, 47])
@pytest.mark.parametrize("carry", [moving_parent, growing_parent, following_a_path, on_the_object])
def test_a_path_is_walked_in_the_world_while_a_parent_moves(rig, loom, carry, frame, capfd):
    material.draw_curve(POINTS)
    carry(rig)
    frames, now, shown = walk_path(rig, loom, frame)
    assert np.linalg.norm(now - shown, axis=2).max() < 1e-3
    assert "follows" not in capfd.readouterr().out
    line = np.concatenate([np.linspace(*pair, 200) for pair in pairwise(POINTS)])[:, :2]
    hips = now[:, 0, None, :2]  # the root is the first bone
    assert np.linalg.norm(hips - line, axis=2).min(axis=1).max() < 0.3
    assert len(frames) > 60


@material.needs_shared
@pytest.mark.parametrize("limbs", ["FK", "IK"])
def test_controls_are_keyed_so_that_a_path_is_walked_in_the_world(loom, limbs):
    rig = by_hand(with_legs_on_ik, pole=True)
    how = {"onto": "ACTIVE", "select": False, "plant_feet": False, "rate": "SCENE"}
    assert material.import_motion(WALK, **how) == {"FINISHED"}
    bpy.data.actions[0].name = "one"
    material.draw_curve(POINTS)
    moving_parent(rig)
    _, now, shown = walk_path(rig, loom, 47, limbs=limbs)
    assert np.linalg.norm(now - shown, axis=2).max() < 1e-3


@pytest.mark.parametrize("frame", [1, 47])
def test_a_path_on_the_parent_is_walked_there(rig, loom, frame):
    """The parent carries the curve, too: the walk follows the curve's place in each frame."""
    curve = material.draw_curve(POINTS)
    moving_parent(rig)
    curve.parent = rig.parent
    frames, now, shown = walk_path(rig, loom, frame)
    for row, at in enumerate(frames):
        bpy.context.scene.frame_set(int(at))
        there = np.array(rig.parent.matrix_world)
        if row == 0:
            back = np.linalg.inv(there)
        way = there @ back
        assert np.abs(shown[row] @ way[:3, :3].T + way[:3, 3] - now[row]).max() < 1e-3


def hook_end(curve):
    """Let a moving empty pull the last point of a curve."""
    hook = bpy.data.objects.new("Hook", None)
    bpy.context.scene.collection.objects.link(hook)
    for at, x in ((1, 0.0), (60, 4.0)):
        hook.location.x = x
        hook.keyframe_insert("location", frame=at)
    bpy.context.scene.frame_set(1)
    modifier = curve.modifiers.new("Hook", "HOOK")
    modifier.object = hook
    modifier.vertex_indices_set([2])


def key_shape(curve):
    """Key a shape key of a curve that moves all its points."""
    curve.shape_key_add(name="Basis")
    key = curve.shape_key_add(name="aside")
    for point in key.data:
        point.co.x += 3.0
    for at, value in ((1, 0.0), (60, 1.0)):
        key.value = value
        key.keyframe_insert("value", frame=at)


@pytest.mark.parametrize("change", [hook_end, key_shape])
def test_a_curve_that_changes_its_shape_is_walked_as_in_the_first_frame_and_told(rig, change, capfd):
    curve, routes = material.draw_curve(POINTS), []
    change(curve)
    for frame in (1, 47):
        bpy.context.scene.frame_set(frame)
        made = material.weave("follow", "one", curve="Path", assign=False)
        routes.append(json.loads(made["action_loom"]["recipe"])["path"])
        assert "Path changes its shape: the walk keeps to its shape at frame 1" in capfd.readouterr().out
    assert np.allclose(routes[0], POINTS, atol=1e-5)
    assert routes[1] == routes[0]


def test_a_curve_that_keeps_its_shape_is_not_told(rig, capfd):
    curve = material.draw_curve(POINTS)
    for at, x in ((1, 0.0), (60, 4.0)):
        curve.location.x = x
        curve.keyframe_insert("location", frame=at)
    material.weave("follow", "one", curve="Path")
    assert "changes its shape" not in capfd.readouterr().out


@pytest.mark.parametrize("frame", [1, 47])
def test_a_led_path_follows_its_parent_whatever_the_current_frame_is(rig, loom, frame):
    curve, scene = material.draw_curve(POINTS), bpy.context.scene
    moving_parent(rig)
    curve.parent, data = rig.parent, curve.data
    data.use_path, data.path_duration = True, 60
    for at in (1, 61):
        data.eval_time = at - 1.0
        data.keyframe_insert("eval_time", frame=at)
    scene.frame_end = 61
    scene.frame_set(frame)
    rows = np.array(loom("addon.bridge.leader").places(scene, curve, 1.0))
    for at, row in ((1, 0), (61, -1)):
        scene.frame_set(at)
        there = np.array(curve.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world)
        point = there[:3, :3] @ POINTS[row] + there[:3, 3]
        assert rows[row, :2] == pytest.approx(point[:2], abs=2e-3)


def test_of_a_parent_that_stands_nothing_is_told(rig, capfd):
    parent = bpy.data.objects.new("Cart", None)
    bpy.context.scene.collection.objects.link(parent)
    rig.parent, parent.location = parent, (1.0, 2.0, 0.0)
    woven("blend", 20)
    assert "follows" not in capfd.readouterr().out
