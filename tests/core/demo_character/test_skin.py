"""The skin of the generated figure is one closed surface whose weights are fit for skinning."""

import numpy as np
import pytest
from action_loom.core.demo_character import actions
from action_loom.core.demo_character import skin as figure_skin
from numpy.testing import assert_allclose


@pytest.fixture(scope="module")
def skin():
    return figure_skin.skin()


def edges_of(quads):
    return np.sort(np.concatenate([quads[:, [k, (k + 1) % 4]] for k in range(4)]), axis=1)


def test_it_is_one_closed_surface_that_looks_outwards(skin):
    edges, uses = np.unique(edges_of(skin.quads), axis=0, return_counts=True)
    assert (uses == 2).all()
    assert len(skin.vertices) - len(edges) + len(skin.quads) == 2  # a sphere's, by Euler
    a, b, c, d = (skin.vertices[skin.quads[:, k]] for k in range(4))
    volume = ((np.cross(b - a, c - a) + np.cross(c - a, d - a)) * a).sum() / 6.0
    assert 0.05 < volume < 0.08  # m³


def test_it_is_as_tall_as_the_figure_and_stands_on_the_ground(skin):
    assert skin.vertices[:, 2].min() == 0.0
    assert skin.vertices[:, 2].max() == pytest.approx(1.72, abs=0.02)


def test_it_is_symmetric(skin):
    mirrored = skin.vertices * (-1.0, 1.0, 1.0)
    away = np.linalg.norm(skin.vertices[:, None] - mirrored[None, ::7], axis=2).min(axis=0)
    assert away.max() < 1e-9


def test_weights_are_shares_that_fade_and_belong_to_bones_nearby(skin):
    assert skin.weights.shape == (len(skin.vertices), len(actions.skeleton()))
    assert_allclose(skin.weights.sum(axis=1), 1.0, atol=1e-12)
    assert (skin.weights >= 0.0).all()
    assert (skin.weights > 0.0).any(axis=0).all()
    assert (skin.weights > 0.0).sum(axis=1).max() > 4
    a, b = edges_of(skin.quads).T
    assert np.abs(skin.weights[a] - skin.weights[b]).max() < 0.4
    names = actions.skeleton().names
    left = [k for k, name in enumerate(names) if name.endswith(".L")]
    right_hand_side = skin.vertices[:, 0] < -0.1
    assert not skin.weights[right_hand_side][:, left].any()


def test_no_quad_is_folded_or_needle_thin(skin):
    ends = skin.vertices[np.stack([skin.quads, np.roll(skin.quads, -1, axis=1)], axis=-1)]
    lengths = np.linalg.norm(ends[..., 0, :] - ends[..., 1, :], axis=-1)
    assert lengths.min() > 0.003
    assert lengths.max() < 0.07
