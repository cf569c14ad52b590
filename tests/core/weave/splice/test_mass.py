"""Where the mass of a trunk is, against what was measured."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core.errors import SkeletonError
from action_loom.core.figure import actions
from action_loom.core.weave.splice import mass
from numpy.testing import assert_allclose

BODY = actions.walk().skeleton


@pytest.mark.both_engines
def test_the_halves_of_the_trunk_have_together_the_trunks_centre():
    """Ae, Tang & Yokoi 1992: 30.2 + 18.7 = 48.9 % of the body's mass, the whole's centre at 49.3 % from the neck."""
    halves, whole = mass.trunk_halves(BODY), mass.trunk(BODY)
    assert_allclose(np.concatenate([halves, whole]).sum(axis=1), 1.0)
    places = BODY.rest[1]
    upper, lower = halves @ places
    assert_allclose((0.302 * upper + 0.187 * lower) / 0.489, (whole @ places)[0], atol=5e-3)
    neck = places[BODY.roles["neck"]]
    hips = 0.5 * (places[BODY.roles["thigh.L"]] + places[BODY.roles["thigh.R"]])
    assert neck[2] > upper[2] > lower[2] > hips[2]
    assert_allclose((neck[2] - (whole @ places)[0, 2]) / (neck[2] - hips[2]), 0.493, atol=0.02)
    # The ribs end at 0.63 of the trunk: 0.428 of that, and 0.609 of the rest.
    assert_allclose(mass.RIBS, 0.63, atol=0.01)


@pytest.mark.both_engines
def test_a_body_without_a_neck_has_no_trunk_to_weigh():
    headless = replace(BODY, roles={role: j for role, j in BODY.roles.items() if role != "neck"})
    with pytest.raises(SkeletonError, match="no joint plays the part of neck"):
        mass.trunk(headless)
