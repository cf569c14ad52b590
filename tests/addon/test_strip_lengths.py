"""Rebuilt results in the NLA: their strips play them whole, and strips behind keep their places."""

import bpy
import material
import numpy as np
import pytest


@pytest.fixture
def walker(loom):
    """A biped with a strip that plays a result: its two walks, one after the other."""
    rig = material.biped()
    for name, frames in (("slow", 36), ("quick", 24)):
        action = material.key_walk(rig, name, frames=frames)
        for curve in material.fcurves(action):
            curve.modifiers.remove(curve.modifiers[0])
    sources = [{"name": "slow", "weight": 1.0}, {"name": "quick", "weight": 1.0}]
    assert bpy.ops.action_loom.connect(sources=sources, result_name="Both", from_frame=30, to_frame=4) == {"FINISHED"}
    assert bpy.ops.action_loom.push_down("EXEC_DEFAULT", True) == {"FINISHED"}
    return rig


def strip_of(rig):
    return next(strip for track in rig.animation_data.nla_tracks for strip in track.strips if strip.name == "Both")


def rebuilt(from_frame):
    options = f'{{"from_frame": {from_frame}, "to_frame": 4}}'
    assert bpy.ops.action_loom.rebuild(action="Both", options=options) == {"FINISHED"}


def heads(rig, frame):
    bpy.context.scene.frame_set(round(frame))
    return np.array([rig.matrix_world @ bone.head for bone in rig.pose.bones])


@pytest.mark.parametrize(("scale", "repeat"), [(1.0, 1.0), (2.0, 1.0), (0.5, 3.0)])
@pytest.mark.parametrize("leaves", [20, 34])
def test_a_strip_plays_all_of_the_result_as_fast_and_as_often(walker, scale, repeat, leaves):
    strip = strip_of(walker)
    strip.scale, strip.repeat = scale, repeat
    begin = strip.frame_start
    rebuilt(leaves)
    action = bpy.data.actions["Both"]
    first, last = action.curve_frame_range
    assert (strip.frame_start, strip.scale, strip.repeat) == (begin, scale, repeat)
    assert (strip.action_frame_start, strip.action_frame_end) == (first, last)
    assert strip.frame_end == pytest.approx(begin + (last - first) * scale * repeat)
    if scale == repeat == 1.0:
        in_strip = heads(walker, strip.frame_end)
        walker.animation_data.use_nla = False
        material.show(walker, action)
        np.testing.assert_allclose(in_strip, heads(walker, last), atol=1e-5)


@pytest.mark.parametrize("room", [3, 40])
def test_a_strip_behind_is_not_overlapped(walker, room, capfd):
    strip = strip_of(walker)
    track = walker.animation_data.nla_tracks[0]
    was = strip.frame_end
    behind = track.strips.new("behind", round(was) + room, bpy.data.actions["quick"])
    place = behind.frame_start, behind.frame_end
    rebuilt(35)
    message = capfd.readouterr().out
    last = bpy.data.actions["Both"].curve_frame_range[1]
    assert (behind.frame_start, behind.frame_end) == place
    assert strip.frame_end <= behind.frame_start
    assert ("ends early" in message) == (room == 3)
    if room == 3:
        assert strip.frame_end == was
        more = strip.frame_start + last - 1.0 - behind.frame_start
        assert f"{behind.name} follows it: move that one {more:g} frames on" in message
        assert f"end at frame {last:g}" in message
    else:
        assert strip.action_frame_end == last


def test_a_strip_that_plays_a_part_stays_as_it_is(walker):
    strip = strip_of(walker)
    strip.action_frame_start, strip.action_frame_end = 5, 20
    was = strip.frame_start, strip.frame_end
    rebuilt(34)
    assert (strip.action_frame_start, strip.action_frame_end) == (5, 20)
    assert (strip.frame_start, strip.frame_end) == was
