"""Groups of strides: their members, their mean motion, and the component that separates them."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.errors import OptionError
from action_loom.core.recipes.style import table_of
from action_loom.core.style import groups
from action_loom.core.verbs import FitStyle
from numpy.testing import assert_allclose

WAYS = ((0.9, 0.5), (1.2, 0.65), (1.5, 0.72))


@pytest.fixture(scope="module")
def style():
    walks = [actions.walk(30.0, 4, speed=speed, step=step) for speed, step in WAYS]
    names = [f"p{k}" for k in range(3)]
    labels = table_of(("clip", "person", "pace"), [("p0", "ann", "slow"), ("p1", "ben", ""), ("p2", "cleo", "fast")])
    return verbs.apply(
        FitStyle(labels=labels), [replace(walk, name=name) for walk, name in zip(walks, names, strict=True)]
    )


def test_the_mean_of_a_group_is_that_of_its_strides_and_its_spread_theirs(style):
    learnt, rows = style.learnt("apart"), style.material.rows
    group = groups.of(style, "stride").every[1]
    mean, spread = groups.curves(learnt, rows, group)
    own = np.degrees(rows[group.strides][:, :, learnt.turning])
    weights = style.material.weights[group.strides]
    assert_allclose(mean, np.average(own, axis=0, weights=weights), atol=1e-12)
    assert_allclose(spread**2, np.average((own - mean) ** 2, axis=0, weights=weights), atol=1e-9)


def test_under_and_over_the_median_are_all_strides_and_none_is_in_both(style):
    under, over = groups.of(style, "stride").every
    assert (under.strides ^ over.strides).all()
    measured = style.material.measured["stride"]
    assert measured[under.strides].max() < measured[over.strides].min()


def test_people_are_groups_and_clips_without_the_label_are_in_none(style):
    assert [group.name for group in groups.of(style, "person").every] == ["ann", "ben", "cleo"]
    slow, fast = groups.of(style, "pace").every
    assert (slow.name, fast.name) == ("slow", "fast")
    assert not (slow.strides | fast.strides)[style.material.of == 1].any()


def test_a_component_tells_groups_of_its_own_scores_apart_best(style):
    """Three ways to walk lie mostly along one component, so the first component separates people."""
    found = groups.of(style, "person")
    assert found.component == 0
    assert 0.9 < found.share <= 1.0 + 1e-9


def test_what_is_the_same_for_all_is_refused(style):
    with pytest.raises(OptionError, match="must be a label or a measure of this style: person, pace, "):
        groups.of(style, "mood")
