"""Clips that repeat: their detection, and their continuation before and after their one cycle."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core.demo_character import actions
from action_loom.core.motion import cycles, kinematics, quat, resample, root_motion
from action_loom.core.motion.clip import Channel
from numpy.testing import assert_allclose
from oracles import material
from oracles.material import captured, some_captured_files, walk

pytestmark = pytest.mark.both_engines

RATE, STRIDE = 30.0, 1.25
PERIOD = round(RATE / STRIDE)


def endless(turn=0.0):
    return walk(6.0, RATE, stride=STRIDE, turn=turn)


@pytest.mark.parametrize("turn", [0.0, 0.7, -2.5])
def test_a_cycle_is_told_wherever_it_goes_and_a_part_of_one_is_not(turn):
    whole = endless(turn)
    for start in (0, 5, 17):
        assert cycles.closes(whole.cut(start, start + PERIOD + 1))
        for length in (PERIOD - 1, PERIOD, PERIOD + 2, PERIOD // 2 + 1):
            assert not cycles.closes(whole.cut(start, start + length))


def test_what_does_not_move_is_no_cycle():
    whole = endless()
    still = resample.sample(whole, np.zeros(20))
    assert not cycles.closes(still)


@pytest.mark.both_engines
@pytest.mark.shared
@pytest.mark.parametrize("file", [f.stem for f in some_captured_files("cmu")])
def test_no_captured_clip_closes_by_itself(file):
    assert not cycles.closes(captured(file))


@pytest.mark.parametrize("turn", [0.0, 0.7, -2.5])
@pytest.mark.parametrize(("before", "after"), [(0, 0), (1, 0), (0, 2), (2, 1)])
def test_unrolled_cycles_are_the_motion_that_they_were_cut_from(turn, before, after):
    whole = endless(turn)
    start = 3 * PERIOD
    unrolled = cycles.unroll_cycle(whole.cut(start, start + PERIOD + 1), before, after)
    wanted = whole.cut(start - before * PERIOD, start + (1 + after) * PERIOD + 1)
    assert len(unrolled) == len(wanted)
    assert_allclose(kinematics.points(unrolled), kinematics.points(wanted), atol=1e-9)


def test_frames_of_any_cycle_can_be_sampled():
    whole = endless(0.4)
    start = 3 * PERIOD
    cycle = whole.cut(start, start + PERIOD + 1)
    frames = np.array([-PERIOD - 3.5, -0.25, 0.0, 0.5, 11.0, PERIOD - 0.5, PERIOD + 0.5, 2.0 * PERIOD])
    found = kinematics.points(cycles.sample(cycle, frames))
    assert_allclose(found, kinematics.points(resample.sample(whole, start + frames)), atol=1e-9)


def test_channels_and_scales_repeat():
    cycle = endless().cut(0, PERIOD + 1)
    values = np.sin(2.0 * np.pi * np.arange(PERIOD + 1) / PERIOD)
    cycle = replace(
        cycle,
        scales=np.ones_like(cycle.translations) * (1.0 + 0.1 * values)[:, None, None],
        channels={"smile": Channel(values), "prop": Channel((values > 0).astype(float), discrete=True)},
    )
    unrolled = cycles.unroll_cycle(cycle, 1, 1)
    again = np.sin(2.0 * np.pi * np.arange(-PERIOD, 2 * PERIOD + 1) / PERIOD)
    assert_allclose(unrolled.channels["smile"].values, again, atol=1e-12)
    assert unrolled.channels["prop"].discrete
    assert_allclose(unrolled.scales[:, 3, 1], 1.0 + 0.1 * again, atol=1e-12)


@pytest.mark.parametrize("rate", [24.0, 60.0, 29.97])
def test_at_another_rate_a_cycle_still_closes(rate):
    cycle = replace(endless(0.4).cut(7, 8 + PERIOD), cyclic=True)
    other = cycles.to_rate(cycle, rate)
    assert other.cyclic
    assert other.rate == rate
    assert cycles.closes(other)
    assert other.seconds == pytest.approx(cycle.seconds, abs=0.5 / rate)


def test_a_cut_out_part_of_a_cycle_is_no_cycle_any_more():
    cycle = replace(endless().cut(0, PERIOD + 1), cyclic=True)
    assert not cycle.cut(0, 10).cyclic
    assert not resample.sample(cycle, np.arange(5.0)).cyclic
    assert root_motion.place_clip(cycle, 1.0, np.zeros(2)).cyclic


def test_the_gap_is_how_far_apart_the_ends_are():
    clip = actions.walk()
    moved = root_motion.place_clip(clip, 1.3, np.array([2.0, 5.0]))
    assert cycles.gap(moved) == pytest.approx(cycles.gap(clip), abs=1e-9)
    first_again = replace(
        clip,
        rotations=np.concatenate([clip.rotations, clip.rotations[:1]]),
        translations=np.concatenate([clip.translations, clip.translations[:1] + np.array([0.0, 0.0, 0.25])]),
    )
    assert cycles.gap(first_again) >= 0.25 - 1e-9


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_equal_cycles_are_counted(count):
    whole = walk(8.0, RATE, stride=STRIDE, turn=0.3)
    assert cycles.repeats(whole.cut(4, 5 + count * PERIOD)) == count


def test_cycles_that_differ_count_as_one():
    two = endless().cut(0, 2 * PERIOD + 1)
    bend = 0.1 * np.sin(np.pi * np.arange(len(two)) / (2 * PERIOD)) ** 2
    neck = two.skeleton.index("Neck")
    bowing = material.turn_joint(two, neck, quat.about_axis("X", bend))
    assert cycles.closes(bowing)
    assert cycles.repeats(bowing) == 1


def test_cycles_that_take_no_whole_frames_are_counted_and_one_is_cut():
    clip = resample.to_rate(actions.walk(cycles=5), 24.0)  # 25.6 frames each
    assert cycles.repeats(clip) == 5
    one = cycles.first_of(clip)
    assert (len(one), one.cyclic) == (27, True)
    assert cycles.gap(one) < 0.005


def test_a_root_that_stays_behind_stays_there_in_every_cycle():
    one = actions.walk(cycles=1)
    rooted = replace(one, skeleton=replace(one.skeleton, roles=one.skeleton.roles | {"hips": 1}))
    places = kinematics.world(rooted)[1]
    still = kinematics.standing_at(rooted, *_with_still_root(rooted))
    several = cycles.unroll_cycle(still, 1, 2)
    assert_allclose(kinematics.world(several)[1][:, 0], np.tile(places[0, 0], (len(several), 1)), atol=1e-9)
    whole = kinematics.world(cycles.unroll_cycle(rooted, 1, 2))[1]
    assert_allclose(kinematics.world(several)[1][:, 1:], whole[:, 1:], atol=1e-9)
    assert np.ptp(whole[:, 0], axis=0).max() > 3.0


def _with_still_root(clip):
    linear, places = kinematics.matrices(clip)
    linear[:, 0], places[:, 0] = linear[0, 0], places[0, 0]
    return linear, places
