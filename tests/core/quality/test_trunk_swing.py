"""How chest and pelvis swing against each other."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core.demo_character import actions
from action_loom.core.motion import quat, resample, root_motion
from action_loom.core.quality import trunk_swing
from numpy.testing import assert_allclose

pytestmark = pytest.mark.both_engines


def swinging(chest_angle, *, drift=0.0):
    """Return a walk whose chest turns by an angle (F,) about the vertical in the world, over swinging hips."""
    walk = actions.walk(60.0, 6)
    time = np.arange(len(walk)) / walk.rate
    rotations = np.tile(quat.IDENTITY, (len(walk), len(walk.skeleton), 1))
    pelvis = 0.1 * np.sin(2.0 * np.pi * time)
    rotations[:, 0] = quat.about_axis("Z", pelvis + drift * time)
    spine = walk.skeleton.roles["spine"]
    rotations[:, spine] = quat.about_axis("Z", chest_angle(2.0 * np.pi * time) - pelvis)
    return replace(walk, rotations=rotations)


@pytest.mark.parametrize(
    ("chest", "expected"),
    [
        (lambda phase: -0.2 * np.sin(phase), -1.0),
        (lambda phase: 0.05 * np.sin(phase), 1.0),
        (lambda phase: 0.2 * np.cos(phase), 0.0),
        (lambda phase: 0.8 - 0.2 * np.sin(phase), -1.0),
    ],
)
def test_it_is_the_correlation_of_what_both_do_about_their_bearing(chest, expected):
    assert_allclose(trunk_swing.counter(swinging(chest)), expected, atol=0.05)
    assert_allclose(trunk_swing.counter(swinging(chest, drift=0.5)), expected, atol=0.05)


def test_it_does_not_matter_where_a_clip_stands_and_faces():
    walk = actions.walk(60.0)
    moved = root_motion.place_clip(walk, 2.5, np.array([3.0, 1.0]))
    assert_allclose(trunk_swing.counter(moved), trunk_swing.counter(walk), atol=1e-9)


def test_a_body_that_stands_still_or_is_not_known_has_none():
    still = resample.sample(actions.wave(), np.zeros(50))
    assert trunk_swing.counter(still) is None
    roles = {role: joint for role, joint in still.skeleton.roles.items() if role != "chest"}
    assert trunk_swing.yaws(replace(actions.walk(), skeleton=replace(still.skeleton, roles=roles))) is None
