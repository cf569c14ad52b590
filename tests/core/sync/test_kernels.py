"""The compiled paths and distances against their numpy twins."""

import importlib
from importlib import util

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from oracles import material, warping

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
    total, _ = warping.costs(distance, *skips, limit)
    found = [engine.borders(distance, *skips, limit) for engine in (kernels, twins)]
    for last_row, last_column, _ in found:
        assert_allclose(last_row, total[-1], rtol=1e-12)
        assert_allclose(last_column, total[:, -1], rtol=1e-12)
    assert_array_equal(found[0][0], found[1][0])
    assert_array_equal(found[0][1], found[1][1])


@pytest.mark.parametrize("limit", [1, 2, 3, 200])
@pytest.mark.parametrize("shape", [*SHAPES, (20, 90)])
def test_paths_are_the_twins(rng, shape, limit):
    distance = rng.random(shape)
    skips = 0.01 * np.arange(shape[0] + 1), 0.01 * np.arange(shape[1] + 1)
    found = [
        engine.borders(distance, *skips, limit) if limit < max(shape) else engine.borders_unlimited(distance, *skips)
        for engine in (kernels, twins)
    ]
    for ends in range(2):  # costs of the last row and of the last column
        assert_array_equal(found[0][ends], found[1][ends])
    for end in ((shape[0] - 1, shape[1] - 1), (0, 0), (shape[0] // 2, shape[1] - 1)):
        cells, twin_cells = (
            engine.trace(back, np.array([end]), 1, 1)
            for engine, (_, _, back) in zip((kernels, twins), found, strict=True)
        )
        assert_array_equal(cells, twin_cells)


@pytest.mark.parametrize("limit", [1, 3, 6])
def test_paths_in_bands_are_the_twins(rng, limit):
    for rows, columns, reach in ((1, 1, 0), (40, 55, 6), (55, 40, 9), (30, 30, 2)):
        even = np.arange(rows) * ((columns - 1) / max(rows - 1, 1))
        first = np.maximum(np.floor(even).astype(int) - reach, 0)
        counts = np.minimum(np.ceil(even).astype(int) + reach, columns - 1) - first + 1
        begin = np.concatenate([[0], np.cumsum(counts)])
        distance = rng.random(begin[-1])
        assert_array_equal(*(engine.find_banded_path(distance, first, begin, limit) for engine in (kernels, twins)))


@pytest.mark.parametrize("limit", [1, 3, 6])
@pytest.mark.parametrize("shape", [(2, 3), (30, 30), (30, 45)])
def test_costs_of_rolled_matrices_are_the_twins_to_the_last_bit(rng, shape, limit):
    distance, starts = rng.random(shape), rng.permutation(shape[1])
    found = [engine.compute_rolled_costs(distance, starts, limit) for engine in (kernels, twins)]
    assert_array_equal(*found)


@pytest.mark.parametrize("window", [0, 1, 5])
@pytest.mark.parametrize("shape", SHAPES)
def test_distances_between_places_are_the_twins_to_the_last_bit(rng, shape, window):
    padded = shape[0] + 2 * window, shape[1] + 2 * window
    products, drift = rng.normal(size=(3, *padded)), rng.normal(size=(2, *shape))
    # Some so small that nothing is left under the root.
    squares = [scale * rng.random(count) for scale, count in zip((9.0, 0.1), shape, strict=True)]
    heights = [rng.random(count) for count in shape]
    assert_array_equal(
        kernels.compute_distances(products[2], window, *squares), twins.compute_distances(products[2], window, *squares)
    )
    found = kernels.clouds_apart(products, drift, window, *squares, *heights)
    assert_array_equal(found, twins.clouds_apart(products, drift, window, *squares, *heights))
    assert np.isfinite(found).all()


@pytest.mark.parametrize("shape", SHAPES)
def test_angles_are_the_twins(rng, shape):
    one, other = (material.rotations(rng, 4, count).transpose(0, 2, 1).copy() for count in shape)
    other[0, :, 0] = -one[0, :, 0]  # the same rotation
    other[1, :, 0] = one[1, [1, 0, 3, 2], 0] * [-1.0, 1.0, -1.0, 1.0]  # half a turn away
    weights = rng.dirichlet(np.ones(4))
    found = kernels.angles_apart(one, other, weights)
    assert_allclose(found, twins.angles_apart(one, other, weights), rtol=0.0, atol=1e-12)
    half_a_turn = kernels.angles_apart(one[1:2, :, :1].copy(), other[1:2, :, :1].copy(), np.ones(1))
    assert_allclose(half_a_turn, np.pi**2, atol=1e-12)


@pytest.mark.parametrize("window", [1, 5, 12])
@pytest.mark.parametrize("shape", SHAPES)
def test_weighted_windows_are_the_twins_to_the_last_bit(rng, shape, window):
    poses, weights = rng.random(shape), rng.dirichlet(np.ones(2 * window + 1))
    assert_array_equal(kernels.weighted_window(poses, weights), twins.weighted_window(poses, weights))


def test_kernels_of_no_frames_give_none():
    none, two = np.empty(0), np.array([1.0, 2.0])
    assert kernels.compute_distances(np.empty((0, 2)), 0, none, two).shape == (0, 2)
    assert kernels.clouds_apart(np.empty((3, 0, 2)), np.empty((2, 0, 2)), 0, none, two, none, two).shape == (0, 2)
    assert kernels.angles_apart(np.empty((1, 4, 0)), np.empty((1, 4, 2)), np.ones(1)).shape == (0, 2)
