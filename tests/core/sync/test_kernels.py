"""The compiled paths and distances against their numpy twins."""

import importlib
from importlib import util

import numpy as np
import pytest
from action_loom.core.sync import dtw
from numpy.testing import assert_allclose, assert_array_equal
from oracles import material

PACKAGE = "action_loom.core.sync"
pytestmark = pytest.mark.skipif(util.find_spec("numba") is None, reason="numba is not installed")
twins = importlib.import_module(f"{PACKAGE}._numpy")
kernels = importlib.import_module(f"{PACKAGE}._numba") if util.find_spec("numba") else None
SHAPES = [(1, 1), (1, 9), (9, 1), (2, 3), (57, 83)]


@pytest.mark.parametrize("limit", [1, 2, 3, 6, 40])
@pytest.mark.parametrize("shape", SHAPES)
def test_borders_of_the_costs_are_those_of_all_of_them(rng, shape, limit):
    distance = rng.random(shape)
    distance[rng.random(shape) < 0.1] = np.inf
    skips = 0.1 * np.arange(shape[0] + 1), np.concatenate([[0.0], np.full(shape[1], np.inf)])
    total, steps = twins.accumulate(distance, *skips, limit)
    for engine in (kernels, twins):
        last_row, last_column, same_steps = engine.borders(distance, *skips, limit)
        assert_array_equal(last_row, total[-1])
        assert_array_equal(last_column, total[:, -1])
        assert_array_equal(same_steps, steps)


@pytest.mark.parametrize("limit", [1, 2, 3, 200])
@pytest.mark.parametrize("shape", [*SHAPES, (20, 90)])
def test_paths_are_the_twins(rng, shape, limit):
    distance = rng.random(shape)
    _, steps = dtw.accumulate(distance, 0.01 * np.arange(shape[0] + 1), 0.01 * np.arange(shape[1] + 1), limit)
    for end in ((shape[0] - 1, shape[1] - 1), (0, 0), (shape[0] // 2, shape[1] - 1)):
        cells, waits = kernels.trace(steps, *end, limit - 1)
        twin_cells, twin_waits = twins.trace(steps, *end, limit - 1)
        assert_array_equal(cells, twin_cells)
        assert waits == twin_waits


@pytest.mark.parametrize("window", [0, 1, 5])
@pytest.mark.parametrize("shape", SHAPES)
def test_distances_between_places_are_the_twins_to_the_last_bit(rng, shape, window):
    padded = shape[0] + 2 * window, shape[1] + 2 * window
    products, drift = rng.normal(size=(3, *padded)), rng.normal(size=(2, *shape))
    # Some so small that nothing is left under the root.
    squares = [scale * rng.random(count) for scale, count in zip((9.0, 0.1), shape, strict=True)]
    heights = [rng.random(count) for count in shape]
    assert_array_equal(kernels.apart(products[2], window, *squares), twins.apart(products[2], window, *squares))
    found = kernels.clouds_apart(products, drift, window, *squares, *heights)
    assert_array_equal(found, twins.clouds_apart(products, drift, window, *squares, *heights))
    assert np.isfinite(found).all()


@pytest.mark.parametrize("squared", [True, False])
@pytest.mark.parametrize("shape", SHAPES)
def test_angles_are_the_twins(rng, shape, squared):
    one, other = (material.rotations(rng, 4, count).transpose(0, 2, 1).copy() for count in shape)
    other[0, :, 0] = -one[0, :, 0]  # the same rotation
    other[1, :, 0] = one[1, [1, 0, 3, 2], 0] * [-1.0, 1.0, -1.0, 1.0]  # half a turn away
    weights = rng.dirichlet(np.ones(4))
    found = kernels.angles_apart(one, other, weights, squared)
    assert_allclose(found, twins.angles_apart(one, other, weights, squared), rtol=0.0, atol=1e-12)
    half_a_turn = kernels.angles_apart(one[1:2, :, :1].copy(), other[1:2, :, :1].copy(), np.ones(1), False)
    assert_allclose(half_a_turn, np.pi, atol=1e-12)


@pytest.mark.parametrize("window", [1, 5, 12])
@pytest.mark.parametrize("shape", SHAPES)
def test_weighted_windows_are_the_twins_to_the_last_bit(rng, shape, window):
    poses, weights = rng.random(shape), rng.dirichlet(np.ones(2 * window + 1))
    assert_array_equal(kernels.weighted_window(poses, weights), twins.weighted_window(poses, weights))


def test_kernels_of_no_frames_give_none():
    none, two = np.empty(0), np.array([1.0, 2.0])
    assert kernels.apart(np.empty((0, 2)), 0, none, two).shape == (0, 2)
    assert kernels.clouds_apart(np.empty((3, 0, 2)), np.empty((2, 0, 2)), 0, none, two, none, two).shape == (0, 2)
    assert kernels.angles_apart(np.empty((1, 4, 0)), np.empty((1, 4, 2)), np.ones(1), True).shape == (0, 2)
