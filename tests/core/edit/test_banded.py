"""Five diagonals: against dense algebra and scipy, by both engines."""

import numpy as np
import pytest
from action_loom.core.edit import _numpy, banded
from numpy.testing import assert_allclose
from scipy import linalg

pytestmark = pytest.mark.both_engines

SIZES = (1, 2, 3, 4, 7, 500)


def system(size, seed=3):
    rng = np.random.default_rng(seed)
    rows = 6.0 + rng.random(size), rng.normal(size=max(size - 1, 0)), rng.normal(size=max(size - 2, 0))
    return (*rows, rng.normal(size=(size, 2)))


@pytest.mark.parametrize("size", SIZES)
def test_it_is_what_others_solve(size):
    diagonal, first, second, right = system(size)
    found = banded.solve(diagonal, first, second, right)
    matrix = np.diag(diagonal)
    for shift, values in ((1, first), (2, second)):
        matrix[: len(values), shift : shift + len(values)] += np.diag(values)
        matrix[shift : shift + len(values), : len(values)] += np.diag(values)
    assert_allclose(found, np.linalg.solve(matrix, right), atol=1e-12)
    if size > 2:
        bands = np.zeros((3, size))
        bands[0], bands[1, :-1], bands[2, :-2] = diagonal, first, second
        assert_allclose(found, linalg.solveh_banded(bands, right, lower=True), atol=1e-12)


@pytest.mark.one_engine
@pytest.mark.parametrize("size", SIZES)
def test_the_kernel_and_its_twin_agree(size):
    _numba = pytest.importorskip("action_loom.core.edit._numba")
    arrays = system(size)
    assert_allclose(_numba.pentadiagonal(*arrays), _numpy.pentadiagonal(*arrays), atol=1e-13)


@pytest.mark.parametrize("size", SIZES)
def test_what_is_pulled_is_the_least_of_its_sum(size):
    rng = np.random.default_rng(size)
    weights, goals = rng.random(size), rng.normal(size=(size, 2))
    bends = np.diff(np.eye(size), n=2, axis=0)
    matrix = np.diag(weights + 0.1) + 3.0 * bends.T @ bends
    expected = np.linalg.solve(matrix, weights[:, None] * goals)
    assert_allclose(banded.smooth_curve(weights, goals, 3.0, 0.1), expected, atol=1e-12)


def test_nothing_gives_nothing_and_other_shapes_are_refused():
    none = np.empty(0)
    assert banded.solve(none, none, none, np.empty((0, 2))).shape == (0, 2)
    diagonal, first, second, right = system(5)
    for wrong in ((diagonal, first[1:], second, right), (diagonal, first, second, right[1:])):
        with pytest.raises(ValueError, match="right sides"):
            banded.solve(*wrong)
