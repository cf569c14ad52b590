"""Shares of clips: normalised, keyed, and what does not fit is refused."""

import numpy as np
import pytest
from action_loom.core.errors import OptionError
from action_loom.core.weave import shares
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

pytestmark = pytest.mark.both_engines

positive = st.floats(0.01, 100.0)


@given(st.lists(positive, min_size=2, max_size=5))
def test_constant_shares_sum_to_one_and_keep_their_ratios(weights):
    found = shares.constant(weights, len(weights)).at(np.linspace(0.0, 1.0, 4))
    assert_allclose(found.sum(axis=0), 1.0)
    assert_allclose(found[0] * weights[1], found[1] * weights[0])


def test_keys_are_met_and_eased_in_between():
    keyed = shares.keyed([(0.2, 3, 1), (0.4, 0, 1), (0.8, 1, 0)], 2)
    found = keyed.at(np.array([0.0, 0.2, 0.4, 0.6, 0.8, 1.0]))
    assert_allclose(found[0], [0.75, 0.75, 0.0, 0.5, 1.0, 1.0])
    assert_allclose(found.sum(axis=0), 1.0)
    fine = keyed.at(np.linspace(0.0, 1.0, 10001))[0]
    assert np.abs(np.diff(fine, n=2)).max() < 1e-5  # a corner would show as 1e-4


def test_one_key_holds_all_the_way():
    assert_allclose(shares.keyed([(0.5, 1, 3)], 2).at(np.array([0.0, 1.0])), [[0.25, 0.25], [0.75, 0.75]])


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ([(0.0, 1.0)], "1 weights were given at 0 of the way for 2 clips"),
        ([(0.0, 0.0, 0.0)], "All weights are zero"),
        ([(0.5, 1, 1), (0.5, 1, 0)], "each after the last"),
        ([(0.5, 1, 1), (0.2, 1, 0)], "each after the last"),
        ([(1.5, 1, 1)], r"from 0 \(start\) to 1"),
        ([()], "begin with their place"),
    ],
)
def test_keys_that_do_not_fit_are_refused(keys, message):
    with pytest.raises(OptionError, match=message):
        shares.keyed(keys, 2)
