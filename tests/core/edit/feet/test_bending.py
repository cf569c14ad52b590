"""Bend knees from locking straight by the required flexion, over feet that do not move."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core.demo_character import actions
from action_loom.core.edit.feet import bending, legs
from action_loom.core.motion import cycles, ik, kinematics, quat

REACH = {"L": 0.98, "R": 0.98}
LEAST = 23.0  # the flexion in degrees at this reach of the figure's legs


def posed(clip):
    return legs.posed(clip, ik.legs(clip.skeleton))[1]


@pytest.fixture(scope="module")
def walk():
    return actions.walk(cycles=2)


def test_feet_stay_and_the_hips_come_down_smoothly(walk):
    made, done = bending.bent(walk, REACH)
    before, after = posed(walk), posed(made)
    for foot, leg in after.items():
        assert np.degrees(before[foot].flexion.min()) < LEAST - 3.0
        assert np.degrees(leg.flexion.min()) > LEAST - 0.1
        assert np.linalg.norm(leg.end - before[foot].end, axis=1).max() < 1e-3
    down = (kinematics.world(walk)[1] - kinematics.world(made)[1])[:, walk.skeleton.roles["hips"], 2]
    assert down.min() >= 0.0
    assert done.lower < 0.01
    assert down.max() == pytest.approx(done.lower)
    assert np.abs(np.diff(down, n=2)).max() * walk.rate**2 < 2.0  # m/s²
    assert 0 < done.frames < len(walk)


def test_legs_that_are_short_enough_are_the_same_to_the_bit(walk):
    made, done = bending.bent(walk, {"L": 0.9999, "R": 0.9999})
    assert made is walk
    assert done.frames == 0
    assert bending.bent(walk, {})[0] is walk


def test_a_cycle_stays_one():
    walk = actions.walk(cycles=1)
    assert cycles.closes(walk)
    assert cycles.closes(bending.bent(walk, REACH)[0])


def test_a_knee_that_bends_backwards_bends_forwards(walk):
    turns, knee = walk.rotations.copy(), walk.skeleton.roles["shin.L"]
    bend = quat.log(turns[:, knee])
    angle = np.linalg.norm(bend, axis=1, keepdims=True)
    turns[:, knee] = quat.exp(bend / angle * (angle - 0.45))
    back = replace(walk, rotations=turns)
    assert np.degrees(posed(back)["L"].flexion.min()) < -5.0
    made, _ = bending.bent(back, REACH)
    cross = np.cross(posed(made)["L"].upper, posed(made)["L"].lower)
    forwards = np.cross(posed(walk)["L"].upper, posed(walk)["L"].lower).mean(axis=0)
    assert (cross @ forwards).min() > 0.0


def _with(turns, joint, more):
    out = turns.copy()
    out[:, joint] = quat.mul(turns[:, joint], more)
    return out


def test_the_hips_stay_over_a_leg_that_is_level(walk):
    """The leg kicks: lowering the hips can't give it the length it lacks."""
    turns, thigh = walk.rotations.copy(), walk.skeleton.roles["thigh.L"]
    knee = walk.skeleton.roles["shin.L"]
    turns[:, knee] = quat.exp(0.2 * quat.log(turns[:, knee]))
    kick = replace(walk, rotations=turns)
    lack = max(float((leg.reach - REACH[foot] * leg.length).max()) for foot, leg in posed(kick).items())
    for degrees in (-80.0, -88.0, -95.0):
        raised = replace(kick, rotations=_with(turns, thigh, quat.about_axis("X", np.radians(degrees))))
        assert bending.bent(raised, REACH)[1].lower < bending.STEEP * lack + 1e-6
