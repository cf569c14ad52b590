"""The compiled search and its twin: the same numbers to the last bit."""

import numpy as np
import pytest
from action_loom.core.library import _numpy
from numpy.testing import assert_array_equal


@pytest.mark.parametrize("width", [1, 2, 3, 50, 700])
@pytest.mark.parametrize("count", [1, 2, 5, 36])
def test_the_kernel_and_its_twin_agree(rng, width, count):
    _numba = pytest.importorskip("action_loom.core.library._numba")
    costs = rng.uniform(0.0, 1.0, (count, width)).astype(np.float32)
    found = []
    for engine in (_numba, _numpy):
        totals, starts = np.empty(width, np.float32), np.empty(width, np.int32)
        engine.warped(costs, totals, starts)
        found.append((totals, starts))
    assert_array_equal(found[0][0], found[1][0])
    reached = np.isfinite(found[0][0])
    assert_array_equal(found[0][1][reached], found[1][1][reached])


@pytest.mark.parametrize("most", [1, 10])
@pytest.mark.parametrize("count", [1, 9, 600, 3000])
def test_windows_have_the_same_neighbours_by_both(rng, count, most):
    """Many that are the same to the last bit among them, of clips of any length, from any row on."""
    _numba = pytest.importorskip("action_loom.core.library._numba")
    numbers = rng.normal(size=(count, 32)).astype(np.float32)
    numbers[:, 12:] *= 0.2
    numbers[count // 2 :] = numbers[: count - count // 2]
    clips = np.sort(rng.integers(0, max(count // 20, 1), count)).astype(np.int32)
    firsts = (8 * (np.arange(count) - np.searchsorted(clips, clips))).astype(np.int32)
    low = count // 3
    found = []
    for engine in (_numba, _numpy):
        best, who = np.empty((count - low, most), np.float32), np.empty((count - low, most), np.int32)
        engine.nearest(numbers, clips, firsts, 30, low, best, who)
        found.append((best, who))
    assert_array_equal(found[0][0], found[1][0])
    assert_array_equal(found[0][1], found[1][1])


def test_windows_have_the_same_labels_by_both(rng):
    _numba = pytest.importorskip("action_loom.core.library._numba")
    counts = rng.integers(0, 6, 200)
    starts = np.concatenate([[0], np.cumsum(counts)])
    neighbours = rng.integers(0, 200, counts.sum()).astype(np.int32)
    found = []
    for engine in (_numba, _numpy):
        labels = np.arange(200, dtype=np.int32)
        changes = [engine.agreed(starts, neighbours, labels) for _ in range(5)]
        found.append((labels, changes))
    assert_array_equal(found[0][0], found[1][0])
    assert found[0][1] == found[1][1]
