"""Planted spikes are found and mended; real motion is left alone."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core.demo_character import actions
from action_loom.core.edit import filtering, spikes
from action_loom.core.motion import kinematics, quat
from numpy.testing import assert_allclose, assert_array_equal
from oracles import material, planted_spikes

pytestmark = pytest.mark.both_engines

TUNED = ["cmu_daz_13_18", "cmu_asf_16_03"]
ASIDE = ["cmu_mb_08_01", "cmu_mb_35_22", "cmu_daz_10_03", "cmu_asf_16_19", "cmu_mb_06_14"]


def found_and_left(name, every, seed=7):
    """Return the share of spikes found, the share of false alarms, and the median error left at spikes, degrees."""
    clip = material.captured(name)
    clip = clip.cut(0, min(len(clip), 1200)).decimate(every)
    rng = np.random.default_rng(seed)
    joints = planted_spikes.body(clip)
    clean = clip.rotations[:, joints]
    given, truth = planted_spikes.planted(planted_spikes.noisy(clean, rng), rng)
    flags = spikes.find_turned(given, clip.rate, planted_spikes.LONGEST)
    left = planted_spikes.degrees(spikes.mended_turns(given, flags), clean)[truth]
    return flags[truth].mean(), flags[~truth].mean(), float(np.median(left))


@pytest.mark.both_engines
@pytest.mark.shared
@pytest.mark.parametrize("every", [1, 2])
@pytest.mark.parametrize("name", [*TUNED, *ASIDE])
def test_planted_spikes_are_found_and_mended(name, every):
    found, others, left = found_and_left(name, every)
    assert found >= (0.98 if every == 1 else 0.97)
    assert others <= 0.0025
    assert left <= 1.0


@pytest.mark.both_engines
@pytest.mark.shared
def test_at_thirty_frames_a_second_most_are_found_where_spikes_may_be_that_long():
    figures = np.array([found_and_left(name, 4) for name in (*TUNED, *ASIDE)])
    assert figures[:, 0].mean() >= 0.93
    assert figures[:, 1].mean() <= 0.0025
    assert np.median(figures[:, 2]) <= 1.5


@pytest.mark.parametrize("rate", [24.0, 120.0])
def test_what_is_quick_and_meant_is_no_spike(rate):
    """Steps of generated walks."""
    for make in (actions.walk, actions.turn_left, actions.wave, actions.sneak):
        clip = make(rate)
        assert not spikes.find_turned(clip.rotations, rate).any()
        assert not spikes.find_moved(clip.translations, rate, clip.skeleton.height).any()


def test_only_what_is_flagged_is_changed():
    turns, rng = actions.walk(60.0).rotations, np.random.default_rng(3)
    given, _ = planted_spikes.planted(turns, rng)
    flags = spikes.find_turned(given, 60.0)
    assert flags.any()
    made = spikes.mended_turns(given, flags)
    assert_array_equal(made[~flags], given[~flags])
    assert_allclose(np.linalg.norm(made, axis=-1), 1.0, atol=1e-12)


def test_signs_and_frames_of_reference_do_not_matter(rng):
    turns = quat.continuous(planted_spikes.planted(actions.walk(60.0).rotations, np.random.default_rng(3))[0])
    flags = spikes.find_turned(turns, 60.0)
    signs = rng.choice([-1.0, 1.0], size=(*turns.shape[:2], 1))
    assert_array_equal(spikes.find_turned(signs * turns, 60.0), flags)
    assert_allclose(spikes.mended_turns(signs * turns, flags), signs * spikes.mended_turns(turns, flags), atol=1e-12)
    about = material.rotations(rng)
    assert_array_equal(spikes.find_turned(turns[::-1], 60.0), spikes.find_turned(quat.mul(about, turns)[::-1], 60.0))


def test_places_that_jump_are_mended():
    time = np.arange(240) / 60.0
    clean = np.stack([1.3 * time, 0.02 * np.sin(9.0 * time), 0.9 + 0.03 * np.sin(18.0 * time)], axis=1)[:, None]
    given = clean.copy()
    jumps = [40, 41, 90, 150, 151, 152]
    given[jumps, 0] += [0.1, -0.2, 0.15]
    flags = spikes.find_moved(given, 60.0, 1.75)
    assert_array_equal(np.flatnonzero(flags[:, 0]), jumps)
    assert np.abs(spikes.mended_places(given, flags) - clean).max() < 0.01
    assert not spikes.find_moved(clean, 60.0, 1.75).any()


@pytest.mark.parametrize("frames", [0, 1, 2, 3, 4, 5, 6, 9])
def test_few_frames(frames, rng):
    turns = material.rotations(rng, frames, 3)
    flags = spikes.find_turned(turns, 30.0)
    assert flags.shape == (frames, 3)
    made = spikes.mended_turns(turns, flags)
    assert np.isfinite(made).all()
    everything = np.ones((frames, 3), dtype=bool)
    assert_allclose(quat.same_side(spikes.mended_turns(turns, everything), turns), turns, atol=1e-12)


@pytest.mark.parametrize(("rate", "frames"), [(24.0, 1), (30.0, 1), (50.0, 2), (60.0, 3), (120.0, 3), (12.0, 1)])
def test_a_spike_lasts_no_longer_than_a_blow(rate, frames):
    assert spikes.longest(rate) == frames
    shake = np.random.default_rng(2).normal(size=(120, 1, 3))
    for length in (1, 2, 3, 4):
        turns = quat.exp(np.radians(0.2) * shake)
        where = slice(50, 50 + length)
        turns[where] = quat.mul(turns[where], quat.about_axis("X", np.radians(40.0)))
        assert spikes.find_turned(turns, rate).sum() == (length if length <= frames else 0)
        assert spikes.find_turned(turns, rate, 3).sum() == (length if length <= 3 else 0)


def test_a_quick_blow_stays():
    """A punch of three frames after a pose that is held, as games have it, at 24 frames a second."""
    angles = np.radians([0.0] * 12 + [10.0, 41.0, 82.0, 108.0, 60.0, 20.0, 5.0] + [0.0] * 12)
    turns = quat.about_axis("X", angles)[:, None]
    assert not spikes.find_turned(turns, 24.0).any()


@pytest.mark.one_engine
def test_one_joint_that_stands_and_one_that_steps():
    """A step stays where it goes; it does not come back."""
    turns = np.tile(quat.IDENTITY, (120, 2, 1))
    turns[60:, 1] = quat.about_axis("X", np.radians(40.0))
    assert not spikes.find_turned(turns, 60.0).any()


@pytest.mark.parametrize("undone", [True, False])
def test_what_another_joint_undoes_is_not_mended_alone(undone):
    """An upper arm turned about its length in one frame; the forearm turned back, as solvers of captures do."""
    walk = actions.walk(60.0)
    arm, forearm = (walk.skeleton.index(f"{part}.L") for part in ("upper_arm", "forearm"))
    turns, along = walk.rotations.copy(), walk.skeleton.offsets[forearm]
    spike, orient = quat.exp(np.radians(25.0) * along / np.linalg.norm(along)), walk.skeleton.orients[forearm]
    turns[40, arm] = quat.mul(turns[40, arm], spike)
    if undone:
        back = quat.mul(quat.mul(quat.inv(orient), quat.inv(spike)), orient)
        turns[40, forearm] = quat.mul(back, turns[40, forearm])
    given, every = replace(walk, rotations=turns), np.ones(len(walk.skeleton), dtype=bool)
    only = every & (np.arange(len(every)) == arm)
    assert spikes.find_turned(turns, 60.0)[40, arm]
    done = filtering.filter_clip(given, filtering.Asked(0.0, (), every, only), repeats=False)
    assert done.turned.any() != undone
    after = filtering.filter_clip(given, filtering.Asked(0.0, (), every, every), repeats=False).after
    hand = walk.skeleton.index("hand.L")
    assert_allclose(kinematics.world(after)[0][:, hand], kinematics.world(walk)[0][:, hand], atol=0.02)
