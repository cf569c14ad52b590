"""Functions with compiled code that runs only if it is loaded already: their results equal numpy's bit for bit."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core.motion import kinematics
from numpy.testing import assert_array_equal
from oracles import engines, material

PACKAGE = "action_loom.core.motion"


def assert_same_bits(one, other):
    assert_array_equal(one.view(np.int64), other.view(np.int64))


@pytest.mark.parametrize("joints", [1, 2, 9, 40])
def test_joints_are_placed_alike(rng, joints):
    clip = material.random_clip(rng, material.random_skeleton(rng, joints), 15)
    some = rng.choice(joints, size=min(joints, 3), replace=False).tolist()

    def placed():
        """New clips, since results are cached for each clip."""
        return [
            *kinematics.world(replace(clip)),
            *kinematics.world_of(replace(clip), some),
            kinematics.points(replace(clip)),
        ]

    found = engines.by_both(PACKAGE, placed)
    for one, other in zip(*found, strict=True):
        assert_same_bits(one, other)
