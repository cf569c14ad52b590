"""Bounds that exclude that two clips are one performance, before any search for a path."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core.demo_character import actions
from action_loom.core.formats import bvh
from action_loom.core.motion import kinematics, quat, resample, root_motion, trim
from action_loom.core.recipes.matching import Matching
from action_loom.core.sync import posed_clip, registration, retimed_comparison
from action_loom.core.sync.posed_clip import PosedClip
from action_loom.core.sync.positions import PointMetric
from numpy.testing import assert_allclose, assert_array_equal
from oracles.material import SHARED, captured

pytestmark = pytest.mark.both_engines
HALF = 0.5  # of the shorter clip


def captured_stride(name):
    """One of the captured walks of data/strides."""
    clip, _ = bvh.to_clip(bvh.read(SHARED / "strides" / f"cmu_{name}.bvh"))
    return trim.ends(clip).clip


def cloud(clip):
    return PointMetric(PosedClip(clip), Matching(metric="points"))


@pytest.mark.parametrize("other", [actions.sneak, actions.run, actions.turn_left])
def test_no_moment_is_nearer_than_what_is_said_of_all(other):
    one, other = actions.walk().cut(0, 40), other().cut(0, 40)
    between = resample.sample(other, np.linspace(0.0, len(other) - 1.0, 40 * len(other)))
    bound = cloud(one).never_nearer(cloud(other))
    nearest = cloud(one).matrix(cloud(between), 0).min(axis=1)
    assert (bound <= nearest).all()
    assert (bound > 0.5 * nearest).mean() > 0.5  # and not far below


@pytest.mark.parametrize("speed", [0.4, 1.0, 2.3])
def test_a_re_timed_copy_may_be_one_performance_with_the_clip(speed):
    clip = actions.walk(cycles=2)
    even = np.linspace(0.0, len(clip) - 1.0, round(len(clip) / speed))
    copy = resample.sample(clip, even + 4.0 * np.sin(np.pi * even / even[-1]) ** 2)
    moved = root_motion.place_clip(copy, 2.1, np.array([3.0, -1.0]))
    for one, other in ((clip, moved), (moved, clip), (clip.cut(0, 40), moved), (clip, moved.cut(10, 45))):
        assert retimed_comparison.may_be_same_performance(PosedClip(one), PosedClip(other), "all", HALF)


@pytest.mark.both_engines
@pytest.mark.shared
@pytest.mark.parametrize("pair", [("mb_35_02", "mb_35_11"), ("mb_35_34", "mb_35_04"), ("mb_35_29", "mb_35_30")])
def test_what_is_one_performance_is_never_ruled_out(pair, monkeypatch):
    """Recordings of one walker so alike that some are taken for one performance, with and without the check."""
    clips = [captured_stride(name) for name in pair]
    checked = registration.register_pair(*clips, Matching())
    monkeypatch.setattr(retimed_comparison, "may_be_same_performance", lambda *_: True)
    unchecked = registration.register_pair(*clips, Matching())
    assert checked.metric == unchecked.metric
    assert_array_equal(checked.frames, unchecked.frames)


@pytest.mark.both_engines
@pytest.mark.shared
def test_different_people_are_ruled_out_at_once():
    walks = [PosedClip(captured(f"cmu_{name}")) for name in ("mb_02_01", "mb_05_01", "mb_07_01", "mb_16_15")]
    for walk in walks[1:]:
        assert not retimed_comparison.may_be_same_performance(walks[0], walk, "all", HALF)


def test_points_in_the_heading_frame_are_those_of_the_whole_clip_in_a_cut():
    body = PosedClip(actions.turn_left())
    assert_array_equal(body.points, kinematics.points(body.clip))
    part = body.cut(10, 50)
    assert_array_equal(part.points, body.points[10:50])
    assert part.clip.rotations.shape == part.clip.cut(0, 40).rotations.shape
    assert body.cut(0, len(body)) is body
    # Points face ahead: the travelling joint stays over the origin, and a turned clip has the same points.
    hips = root_motion.travelling_joint(body.clip.skeleton)
    assert_allclose(body.local[:, hips, :2], 0.0, atol=1e-12)
    turned = PosedClip(root_motion.place_clip(body.clip, 1.3, np.array([2.0, 5.0])))
    assert_allclose(turned.local, body.local, atol=1e-9)
    assert_allclose(body.velocities[1:-1].mean(axis=0), turned.velocities[1:-1].mean(axis=0), atol=1e-9)


@pytest.mark.parametrize("frames", [2, 3, 10, 33, 70, 97])
@pytest.mark.parametrize("rate", [30.0, 240.0])
def test_velocities_are_differences_of_smoothed_places(frames, rate):
    body = PosedClip(replace(actions.walk().cut(0, frames), rate=rate))
    smooth = root_motion.smooth(body.local, posed_clip.VELOCITY_SIGMA * rate)
    assert_allclose(body.velocities, np.gradient(smooth, axis=0), rtol=0.0, atol=1e-12)


def with_a_jump(clip):
    """The clip with two frames in the rest pose, as captures have them."""
    rotations = clip.rotations.copy()
    rotations[40:42, 1:] = quat.IDENTITY
    return replace(clip, rotations=rotations)


def test_a_jump_does_not_hide_that_clips_differ():
    walk, sneak = PosedClip(actions.walk(rate=120.0)), actions.sneak(rate=120.0)
    for other in (sneak, with_a_jump(sneak)):
        assert not retimed_comparison.may_be_same_performance(walk, PosedClip(other), "all", HALF)


def test_a_copy_of_a_clip_with_a_jump_may_be_one_performance_with_it():
    clip = with_a_jump(actions.walk(rate=120.0))
    even = np.linspace(0.0, len(clip) - 1.0, round(1.3 * len(clip)))
    copy = resample.sample(clip, even + 4.0 * np.sin(np.pi * even / even[-1]) ** 2)
    for one, other in ((clip, copy), (copy, clip)):
        assert retimed_comparison.may_be_same_performance(PosedClip(one), PosedClip(other), "all", HALF)
