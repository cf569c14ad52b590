"""Clips at other times: equal at their own frames, smooth in between."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core.motion import quat, resample
from action_loom.core.motion.clip import Clip
from numpy.testing import assert_allclose, assert_array_equal
from oracles import material

pytestmark = pytest.mark.both_engines


def angle_between(a, b):
    return np.linalg.norm(quat.log(quat.mul(quat.inv(a), b)), axis=-1)


@pytest.fixture
def clip(rng):
    """Smooth motion of a made-up body, with signs as an exporter may leave them."""
    skeleton = material.random_skeleton(rng, joints=6)
    time = np.linspace(0.0, 1.0, 31)[:, None, None]
    axes, speed = rng.normal(size=(6, 3)), rng.uniform(2.0, 5.0, size=(6, 3))
    turns = quat.exp(axes * np.sin(speed * time))
    flipped = turns * rng.choice([-1.0, 1.0], size=(31, 6, 1))
    return Clip("wave", skeleton, 30.0, flipped, np.cos(speed * time))


def test_whole_frames_are_the_clips_own(clip):
    sampled = resample.sample(clip, np.arange(31.0))
    assert_allclose(quat.same_side(sampled.rotations, clip.rotations), clip.rotations, rtol=0.0, atol=1e-15)
    assert_allclose(sampled.translations, clip.translations, rtol=0.0, atol=1e-15)


def test_frames_may_be_asked_for_in_any_order_and_more_than_once(clip):
    frames = np.array([7.0, 3.0, 3.0, 30.0, 0.0])
    sampled = resample.sample(clip, frames)
    assert_allclose(sampled.translations, clip.translations[frames.astype(int)], rtol=0.0, atol=1e-15)


def test_signs_do_not_matter(clip, rng):
    frames = rng.uniform(0.0, 30.0, size=100)
    other = replace(clip, rotations=clip.rotations * rng.choice([-1.0, 1.0], size=(31, 6, 1)))
    difference = angle_between(resample.sample(clip, frames).rotations, resample.sample(other, frames).rotations)
    assert_allclose(difference, 0.0, atol=1e-12)


def test_rotations_stay_of_unit_length(clip, rng):
    sampled = resample.sample(clip, rng.uniform(0.0, 30.0, size=300))
    assert_allclose(np.linalg.norm(sampled.rotations, axis=-1), 1.0, rtol=0.0, atol=1e-12)


def test_between_frames_the_motion_is_the_one_that_was_sampled():
    time = np.arange(61) / 30.0
    axis = np.array([0.6, 0.0, 0.8])

    def turn(t):
        return quat.exp(np.sin(4.0 * t)[:, None, None] * axis)

    skeleton = material.random_skeleton(np.random.default_rng(0), joints=1)
    clip = Clip("", skeleton, 30.0, turn(time), np.sin(4.0 * time)[:, None, None] * axis)
    frames = np.linspace(1.0, 59.0, 1000)
    sampled = resample.sample(clip, frames)
    assert angle_between(sampled.rotations, turn(frames / 30.0)).max() < 2e-4
    expected = np.sin(4.0 * frames / 30.0)[:, None, None] * axis
    assert_allclose(sampled.translations, expected, rtol=0.0, atol=1e-4)


def test_outside_the_clip_its_ends_are_held(clip):
    sampled = resample.sample(clip, np.array([-5.0, -0.1, 30.5, 99.0]))
    assert_allclose(sampled.translations, clip.translations[[0, 0, 30, 30]], rtol=0.0, atol=1e-15)


def test_lines_are_kept_everywhere_and_parabolas_inside(rng):
    frames = rng.uniform(0.0, 20.0, size=200)
    count = np.arange(21.0)
    assert_allclose(resample.curve(3.0 - 2.0 * count, frames), 3.0 - 2.0 * frames, atol=1e-12)
    inside = frames[(frames > 1.0) & (frames < 19.0)]
    assert_allclose(resample.curve(count**2 - count, inside), inside**2 - inside, atol=1e-9)


def test_speed_is_continuous_across_frames(rng):
    values = rng.normal(size=(12, 3))
    for frame in range(1, 11):
        near = frame + np.array([-2e-6, -1e-6, 1e-6, 2e-6])
        before, _, after = np.diff(resample.curve(values, near), axis=0) / 1e-6
        assert_allclose(before, after, atol=1e-3)


@pytest.mark.parametrize("frames", [1, 2, 3])
def test_clips_of_few_frames_can_be_sampled(rng, frames):
    clip = material.random_clip(rng, material.random_skeleton(rng), frames=frames)
    sampled = resample.sample(clip, np.array([0.0, 0.5, frames - 1.0, 9.0]))
    last = clip.translations[-1]
    assert_allclose(sampled.translations[[0, 2, 3]], [clip.translations[0], last, last], rtol=0.0, atol=1e-15)
    assert_allclose(np.linalg.norm(sampled.rotations, axis=-1), 1.0, rtol=0.0, atol=1e-12)


def test_the_same_rate_is_the_same_clip(clip):
    assert resample.to_rate(clip, 30.0) is clip


@pytest.mark.parametrize(
    ("rate", "count"), [(15.0, 16), (60.0, 61), (24.0, 25), (25.0, 26), (7.0, 8), (1.0, 2), (0.9, 1)]
)
def test_another_rate_keeps_the_time(clip, rate, count):
    again = resample.to_rate(clip, rate)
    assert (again.rate, len(again)) == (rate, count)
    assert again.seconds <= clip.seconds + 1e-9
    assert clip.seconds - again.seconds < 1.0 / rate


def test_half_the_rate_is_every_second_frame(clip):
    half = resample.to_rate(clip, 15.0)
    assert_allclose(half.translations, clip.translations[::2], rtol=0.0, atol=1e-15)


def test_twice_the_rate_and_back_is_the_clip(clip):
    back = resample.to_rate(resample.to_rate(clip, 60.0), 30.0)
    assert_allclose(back.translations, clip.translations, rtol=0.0, atol=1e-15)
    assert_allclose(quat.same_side(back.rotations, clip.rotations), clip.rotations, rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("seconds", [0.1, 0.7, 1.1, 33.3])
@pytest.mark.parametrize(("rate", "other"), [(120.0, 30.0), (30.0, 120.0), (24.0, 60.0), (23.976, 30.0)])
def test_rounding_never_costs_the_last_frame(seconds, rate, other):
    whole = round(seconds * rate)
    skeleton = material.random_skeleton(np.random.default_rng(0), joints=1)
    clip = Clip("", skeleton, rate, np.tile(quat.IDENTITY, (whole + 1, 1, 1)), np.zeros((whole + 1, 1, 3)))
    again = resample.to_rate(clip, other)
    assert len(again) == int(whole * other / rate + 1e-9) + 1


def test_curves_that_must_not_be_written_and_those_of_one_sample(rng):
    held = np.broadcast_to(rng.normal(size=3), (6, 3))
    assert_array_equal(resample.curve(held, np.array([-1.0, 2.5, 9.0])), held[:3])
    assert_array_equal(resample.curve(held[:1], np.array([0.0, 0.7])), held[:2])
    assert resample.curve(held, np.empty(0)).shape == (0, 3)
