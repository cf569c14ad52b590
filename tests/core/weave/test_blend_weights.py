"""Shares of clips on the way: normalised, and eased from key to key."""

import numpy as np
import pytest
from action_loom.core.verbs import Blend
from action_loom.core.verbs.blend import weights as blend_weights
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

pytestmark = pytest.mark.both_engines

positive = st.floats(0.01, 100.0)


def of_keys(*rows):
    """The weights of two clips by their keys."""
    return blend_weights.of_recipe(Blend(weight_keys=rows), 2)


@given(st.lists(positive, min_size=2, max_size=5))
def test_constant_shares_sum_to_one_and_keep_their_ratios(weights):
    found = blend_weights.of_recipe(Blend(weights=tuple(weights)), len(weights)).at(np.linspace(0.0, 1.0, 4))
    assert_allclose(found.sum(axis=0), 1.0)
    assert_allclose(found[0] * weights[1], found[1] * weights[0])


def test_keys_are_met_and_eased_in_between():
    keyed = of_keys((0.2, 3, 1), (0.4, 0, 1), (0.8, 1, 0))
    found = keyed.at(np.array([0.0, 0.2, 0.4, 0.6, 0.8, 1.0]))
    assert_allclose(found[0], [0.75, 0.75, 0.0, 0.5, 1.0, 1.0])
    assert_allclose(found.sum(axis=0), 1.0)
    fine = keyed.at(np.linspace(0.0, 1.0, 10001))[0]
    assert np.abs(np.diff(fine, n=2)).max() < 1e-5  # a corner would show as 1e-4


def test_one_key_holds_all_the_way():
    assert_allclose(of_keys((0.5, 1, 3)).at(np.array([0.0, 1.0])), [[0.25, 0.25], [0.75, 0.75]])


def test_weights_change_and_close_as_their_keys_do():
    steady, there = of_keys((0.0, 1, 3)), of_keys((0, 1, 0), (1, 0, 1))
    there_and_back = of_keys((0, 1, 0), (0.5, 0, 1), (1, 1, 0))
    assert [one.change for one in (steady, there, there_and_back)] == [False, True, True]
    assert [one.close for one in (steady, there, there_and_back)] == [True, False, True]
