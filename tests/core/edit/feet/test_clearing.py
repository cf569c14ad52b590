"""Feet that stay clear of the ground: lifted where they sink, else as they are."""

from dataclasses import replace

import numpy as np
from action_loom.core.edit.feet import clearing
from action_loom.core.figure import actions
from action_loom.core.motion import feet, kinematics, quat


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
