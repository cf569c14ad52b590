"""The timewarp matrix against the example that its source prints [TMPS], and what every such matrix must do."""

import numpy as np
import pytest
from action_loom.core.sync import dtw, timewarp_matrix
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

pytestmark = pytest.mark.both_engines

# Cells from 1, as the source counts them.
PRINTED = np.array([(1, 1), (2, 2), (3, 3), (4, 3), (5, 3), (6, 4), (6, 5), (6, 6), (6, 7), (7, 8)])


def test_the_printed_example_comes_out_exactly():
    warp = timewarp_matrix.matrix(PRINTED - 1)
    assert warp.shape == (7, 8)
    assert (timewarp_matrix.warped(warp) + 1).tolist() == [1, 2, 4, 6, 6.25, 6.5, 6.75, 7]
    assert timewarp_matrix.steps(warp).tolist() == [1, 2, 2, 0.25, 0.25, 0.25, 0.25, 1]


def test_the_diagonal_is_the_identity():
    assert_allclose(timewarp_matrix.matrix(np.stack([np.arange(5)] * 2, axis=1)), np.eye(5))


def test_a_path_that_ends_along_a_row_holds_the_last_frame():
    warped = timewarp_matrix.warped(timewarp_matrix.matrix(np.array([(0, 0), (1, 1), (1, 2), (1, 3)])))
    assert warped.tolist() == [0, 1, 1, 1]


@given(st.integers(2, 14), st.integers(2, 14), st.integers(0, 10**6))
def test_every_frame_is_a_mean_of_frames_and_time_never_goes_backward(rows, columns, seed):
    distance = np.random.default_rng(seed).random((rows, columns))
    path = dtw.pinned(distance, max(rows, columns))
    warp = timewarp_matrix.matrix(path.cells)
    assert_allclose(warp.sum(axis=0), 1.0)
    assert warp.min() >= 0.0
    assert (timewarp_matrix.steps(warp) >= -1e-12).all()


def test_incremental_steps_add_up_to_the_length_that_they_came_from():
    rng = np.random.default_rng(1)
    path = dtw.pinned(np.abs(np.subtract.outer(np.arange(40), np.arange(25) * 1.6)) + rng.random((40, 25)), 3)
    steps = timewarp_matrix.steps(timewarp_matrix.matrix(path.cells))
    assert steps.sum() == pytest.approx(40, abs=1.0)
