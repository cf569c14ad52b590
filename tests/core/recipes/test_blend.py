"""The requested weights of a blend: shares with sum 1, and refusals of weights that do not fit the clips."""

import pytest
from action_loom.core.errors import OptionError
from action_loom.core.verbs import Blend


def test_shares_are_normalised_and_equal_where_none_are_given():
    assert Blend().shares(4) == ([0.0], [[0.25] * 4])
    assert Blend(weights=(1, 3)).shares(2) == ([0.0], [[0.25, 0.75]])


def test_keys_take_the_place_of_weights():
    recipe = Blend(weights=(1, 1), weight_keys=((0, 1, 0), (0.5, 2, 2), (1, 0, 4)))
    assert recipe.shares(2) == ([0.0, 0.5, 1.0], [[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ((1.0,), "^weights has 1 values, but takes 2"),
        ((1.0, 1.0, 1.0), "^weights has 3 values, but takes 2"),
        ((0.0, 0.0), "^All weights are zero"),
    ],
)
def test_weights_that_do_not_fit_are_refused(weights, message):
    with pytest.raises(OptionError, match=message):
        Blend(weights=weights).shares(2)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (((0.0, 1.0),), "weight_keys has 1 values, but takes 2"),
        (((0.0, 0.0, 0.0),), "All weights are zero"),
        (((0.5, 1, 1), (0.5, 1, 0)), "weight_keys takes rows of"),
        (((0.5, 1, 1), (0.2, 1, 0)), "weight_keys takes rows of"),
        (((1.5, 1, 1),), "weight_keys takes rows of"),
        (((),), "weight_keys takes rows of"),
    ],
)
def test_keys_that_do_not_fit_are_refused(keys, message):
    with pytest.raises(OptionError, match=message):
        Blend(weight_keys=keys).shares(2)
