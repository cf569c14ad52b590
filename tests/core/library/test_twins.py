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
