"""Loops and connections in Blender: what plays on for ever, and what goes over into what."""

import bpy
import material
import numpy as np
import pytest


@pytest.fixture
def long_walk(loom):
    """A biped with a walk of four cycles that do not close, on its own, as a capture would be."""
    rig = material.biped()
    material.key_walk(rig, "cycle", frames=30)
    rigs, clips = loom("addon.bridge.rig"), loom("addon.bridge.clip")
    body = rigs.read(rig)
    cycle = clips.read(rig, bpy.data.actions["cycle"], body, 24.0).clip
    long = loom("core.motion.cycles").unrolled(cycle, 0, 3).cut(7, 112)
    clips.write(rig, long, body, first_frame=1.0).name = "walk"
    bpy.data.actions.remove(bpy.data.actions["cycle"])
    return rig


def test_a_loop_plays_on_for_ever(long_walk):
    bpy.ops.action_loom.loop(sources=[{"name": "walk", "weight": 1.0}])
    action = long_walk.animation_data.action
    assert action.name == "walk loop"
    first, last = action.frame_range
    assert last - first == pytest.approx(30.0, abs=1.0)
    names = ["hips", "foot.L", "foot.R", "hand.L", "head"]
    length = last - first
    frames = first + np.arange(-2.0, 5.0 * length + 3.0)
    places = np.array([material.pose_positions(long_walk, names, frame) for frame in frames])
    steps = np.linalg.norm(np.diff(places, axis=0), axis=2).max(axis=1)
    bends = np.linalg.norm(np.diff(places, n=2, axis=0), axis=2).max(axis=1)
    seams = [round(2 + k * length) for k in range(1, 5)]
    for values in (steps, bends):
        at = max(values[k - 2 : k + 1].max() for k in seams)
        assert at <= 1.05 * max(values[seam + 4 : seam + 20].max() for seam in seams)
    travelled = places[seams[1], 0] - places[seams[0], 0]
    again = places[seams[2], 0] - places[seams[1], 0]
    assert np.abs(travelled - again).max() < 1e-4
    assert np.linalg.norm(travelled) > 0.8


def test_a_loop_in_place_and_so_many_times(long_walk):
    bpy.ops.action_loom.loop(sources=[{"name": "walk", "weight": 1.0}], in_place=True, repeat=3, result_name="Spot")
    first, last = bpy.data.actions["Spot"].frame_range
    assert last - first == pytest.approx(90.0, abs=3.0)
    places = [material.pose_positions(long_walk, ["hips"], frame)[0] for frame in (first, last)]
    assert np.abs(places[1] - places[0])[:2].max() < 1e-3


def test_what_does_not_repeat_is_refused(long_walk):
    half = [{"name": "walk", "rate": 0.0, "slot": "", "first": 1, "last": 25}]
    with pytest.raises(RuntimeError, match=r"walk (does not repeat itself|is too short)"):
        bpy.ops.action_loom.loop(sources=[{"name": "walk", "weight": 1.0}], readings=half)


def test_actions_are_connected_with_a_marker_at_the_seam(long_walk):
    material.key_walk(long_walk, "quick", frames=20, leads="R")
    sources = [{"name": "walk", "weight": 1.0}, {"name": "quick", "weight": 1.0}]
    bpy.ops.action_loom.connect(sources=sources, method="inertial")
    action = long_walk.animation_data.action
    assert action.name == "walk > quick"
    (marker,) = action.pose_markers
    assert marker.name == "Seam 1"
    first, last = action.frame_range
    frames = np.arange(first, last + 1.0)
    places = np.array([material.pose_positions(long_walk, ["hips", "foot.L", "hand.R"], frame) for frame in frames])
    steps = np.linalg.norm(np.diff(places, axis=0), axis=2).max(axis=1)
    seam = round(marker.frame - first)
    elsewhere = np.abs(np.arange(len(steps)) - seam) > 6
    assert steps[~elsewhere].max() <= 1.5 * steps[elsewhere].max()


def test_recipes_of_both_come_back_into_the_panel_and_are_rebuilt(long_walk):
    settings = bpy.context.scene.action_loom
    bpy.ops.action_loom.loop(sources=[{"name": "walk", "weight": 1.0}], method="offset", repeat=2)
    made = material.fingerprint(long_walk.animation_data.action)
    bpy.ops.action_loom.edit_recipe()
    assert (settings.mode, settings.loop.method, settings.loop.repeat) == ("loop", "offset", 2)
    bpy.ops.action_loom.rebuild()
    assert material.fingerprint(long_walk.animation_data.action) == made


def test_sources_are_never_changed(long_walk):
    before = material.fingerprint(bpy.data.actions["walk"])
    bpy.ops.action_loom.loop(sources=[{"name": "walk", "weight": 1.0}])
    assert material.fingerprint(bpy.data.actions["walk"]) == before
