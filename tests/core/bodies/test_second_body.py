"""A second body in one skeleton: another tree with legs or many moving joints, and none of the known parts."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core.bodies import second_body
from action_loom.core.demo_character import body
from action_loom.core.motion.skeleton import Skeleton


def beside(figure, *, joints=None):
    """The figure with the first joints of another figure beside it, without roles for them."""
    count = len(figure) if joints is None else joints
    parents = np.where(figure.parents[:count] < 0, -1, figure.parents[:count] + len(figure))
    offsets = figure.offsets[:count].copy()
    offsets[0] += [2.0, 0.0, 0.0]
    return replace(
        figure,
        names=(*figure.names, *(f"other {name}" for name in figure.names[:count])),
        parents=np.concatenate([figure.parents, parents]),
        offsets=np.concatenate([figure.offsets, offsets]),
        orients=np.concatenate([figure.orients, figure.orients[:count]]),
        tips=np.concatenate([figure.tips, figure.tips[:count]]),
        roles=dict(figure.roles),
    )


@pytest.fixture
def two():
    return beside(body.skeleton())


def test_another_figure_is_found_if_it_moves(two):
    assert isinstance(two, Skeleton)
    figure = len(two) // 2
    assert second_body.root_of(two, np.ones(len(two), dtype=bool)) == figure
    assert second_body.root_of(two, np.arange(len(two)) < figure) == -1


def test_legs_count_however_few_joints_move(two):
    figure = len(two) // 2
    moving = np.arange(len(two)) <= figure
    assert second_body.root_of(two, moving) == figure


def test_a_small_prop_is_no_body():
    figure = body.skeleton()
    prop = beside(figure, joints=3)
    assert second_body.root_of(prop, np.ones(len(prop), dtype=bool)) == -1
