"""A clip on the body of another, as a verb."""

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.errors import ClipError
from action_loom.core.figure import actions
from action_loom.core.verbs import InPlace, Retarget, Travel
from action_loom.core.verbs.retarget.work import limbs_off
from numpy.testing import assert_allclose
from oracles import bodies, material

pytestmark = pytest.mark.both_engines


@pytest.fixture(scope="module")
def other():
    factors = {"Leg": 0.9, "Arm": 1.2}
    return material.walk(
        1.0, skeleton=bodies.resting(bodies.proportioned(material.figure(), factors), {}), name="other"
    )


def test_the_first_is_the_body_and_the_second_the_motion(other):
    clip = actions.walk(30.0, 3)
    made = verbs.apply(Retarget(), [other, clip])
    assert made.clip.name == f"{clip.name} on other"
    assert made.clip.skeleton is other.skeleton
    assert made.reference == 0
    assert len(made.clip) == len(clip)
    assert max(float(angle.max()) for angle in limbs_off(clip, made.clip).values()) < 0.01
    assert made.report["quality"]["after"]["slide_cm_s"] is not None


@pytest.mark.parametrize("count", [0, 1, 3])
def test_two_clips_are_taken(count, other):
    with pytest.raises(ClipError, match=f"takes two clips, .*; {count} given"):
        verbs.apply(Retarget(), count * [other])


def test_a_way_that_was_taken_off_is_scaled_with_the_legs(other):
    clip = actions.walk(30.0, 3)
    still = verbs.apply(InPlace(), [clip]).clip
    made = verbs.apply(Retarget(), [other, still])
    gone = verbs.apply(Travel(), [made.clip]).clip
    straight = verbs.apply(Retarget(), [other, clip])
    hips = [one.translations[-1, 0, :2] - one.translations[0, 0, :2] for one in (gone, straight.clip)]
    assert_allclose(np.linalg.norm(hips[0]), np.linalg.norm(hips[1]), rtol=0.02)
