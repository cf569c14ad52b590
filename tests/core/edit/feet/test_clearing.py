"""Feet stay clear of the ground: lifted where they sink, unchanged elsewhere."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core.demo_character import actions
from action_loom.core.edit.feet import clearing
from action_loom.core.motion import cycles, feet, kinematics, quat


def lows(clip):
    return feet.lows(clip.skeleton, kinematics.points(clip))


def test_a_foot_that_swings_through_the_ground_is_lifted_and_the_other_stays():
    walk = actions.walk(cycles=2)
    knee = walk.skeleton.roles["shin.L"]
    turns = walk.rotations.copy()
    turns[:, knee] = quat.exp(0.3 * quat.log(turns[:, knee]))  # hardly bent
    sunk = replace(walk, rotations=turns)
    made = clearing.cleared(sunk, lows(walk), 32.0)
    assert lows(sunk)[:, 0].min() < -0.03
    assert lows(made)[:, 0].min() > -0.01
    assert np.array_equal(lows(made)[:, 1], lows(sunk)[:, 1])


def test_what_is_clear_is_the_same_to_the_bit():
    walk = actions.walk(cycles=2)
    assert clearing.cleared(walk, lows(walk), 32.0) is walk


@pytest.mark.parametrize("start", [0, 8, 12, 24])
def test_a_cycle_whose_knee_is_bent_backwards_across_its_ends_still_closes(start):
    """The stretch across the ends is corrected as one: split at the ends, it left them up to 6 cm from each other."""
    walk = actions.walk(cycles=1)
    cycle = replace(cycles.unroll_cycle(walk, 0, 1).cut(start, start + len(walk)), cyclic=True)
    knee, turns = cycle.skeleton.roles["shin.L"], cycle.rotations.copy()
    bends = quat.log(turns[:, knee])
    axis = bends[np.linalg.norm(bends, axis=1).argmax()]
    back = quat.exp(np.radians(-25.0) * axis / np.linalg.norm(axis))
    turns[:, knee] = quat.mul(turns[:, knee], back)
    bent = replace(cycle, rotations=turns)
    made = clearing.cleared(bent, lows(cycle) + 0.02, 32.0)
    assert made is not bent
    assert made.cyclic
    assert cycles.gap(made) < 1e-9
