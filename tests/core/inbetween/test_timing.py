"""Suggest Timing: shifted keys return to their times in the motion, and all other motion stays."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.inbetween import fill, timing
from oracles import material

TRUE = np.array([4, 20, 44, 68])


def at_other_times(clip, frames, true=TRUE):
    """Return a clip with the poses of some frames at other frames, each held until the next."""
    held = np.searchsorted(frames, np.arange(frames[-1] + 1), side="right") - 1
    return clip.take_frames(true[held])


def suggested(clip, frames, sources, **options):
    recipe = verbs.Fill(key_frames=(tuple(frames),), suggest_timing=True, plant_feet=False, **options)
    return verbs.apply(recipe, [clip, *sources])


@pytest.mark.parametrize("frames", [(0, 10, 40, 60), (0, 25, 40, 76), (5, 21, 45, 69)])
def test_keys_go_back_to_where_the_motion_has_them(frames):
    walk, frames = actions.walk(), np.array(frames)
    block = at_other_times(walk, frames)
    made = suggested(block, frames, [actions.sneak(), walk])
    assert made.report["fill"]["timing"][0] == frames[0]
    np.testing.assert_allclose(np.diff(made.report["fill"]["timing"]), np.diff(TRUE), atol=1)
    line = verbs.Fill().figures(made.report)[-1]
    assert line.startswith("  timing: ")
    plain = verbs.apply(verbs.Fill(key_frames=(tuple(frames),), plant_feet=False), [block, actions.sneak(), walk])
    np.testing.assert_array_equal(plain.clip.rotations, made.clip.rotations)  # nothing is moved without consent
    assert plain.report["fill"]["timing"] is None


def test_it_is_in_frames_of_the_blocking_whatever_its_rate():
    walk = actions.walk()
    frames = np.array([0, 20, 80, 120])
    block = replace(at_other_times(walk, frames), rate=60.0)
    times = np.diff(suggested(block, frames, [walk]).report["fill"]["timing"])
    np.testing.assert_allclose(times, 2 * np.diff(TRUE), atol=2)


def test_where_nothing_is_alike_and_where_gaps_are_short_keys_keep_their_distance():
    wave, frames = actions.wave(), np.array([0, 30, 33, 60])
    made = suggested(wave, frames, [actions.turn_left()])
    assert made.report["fill"]["timing"] == frames.tolist()
    assert verbs.Fill().figures(made.report)[-1] == "  timing: no pose would move"


def test_a_stretch_that_is_set_gives_its_own_pace():
    walk, frames = actions.walk(), np.array([0, 12, 40])
    block = at_other_times(walk, frames, TRUE[:3])
    for number in range(4):
        made = suggested(block, frames, [walk, actions.sneak()], gaps=((0, number, -1),))
        piece = made.report["fill"]["gaps"][0]["candidates"][number]["stretches"][0]
        assert made.report["fill"]["timing"][1] == round(piece["last"] - piece["first"])


@pytest.mark.shared
def test_keys_of_captured_walks_come_nearer_to_when_they_were(rng):
    """No constant was tuned on this walker; the other walks have other speeds."""
    clips = material.strides("02", "03", "05", "06")
    true = np.arange(0, len(clips[0]) - 1, 12)
    factors = np.exp(rng.uniform(np.log(0.55), np.log(1.8), len(true) - 1))
    frames = np.concatenate([[0], np.cumsum(np.maximum(np.round(12 * factors), 6))]).astype(int)
    made = timing.suggest_frames(at_other_times(clips[0], frames, true), frames, fill.library(clips[1:], 1.0))
    off = [np.abs(np.log(np.diff(some) / 12)).mean() for some in (frames, made)]
    assert off[1] < 0.5 * off[0]
