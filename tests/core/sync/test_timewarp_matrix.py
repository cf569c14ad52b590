"""The timewarp matrix of a curve against its source's printed matrix, and properties of every such matrix [TMPS]."""

import numpy as np
import pytest
from action_loom.core.sync import curve_fit, dtw, timewarp_matrix
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from oracles import timewarps

pytestmark = pytest.mark.both_engines


def test_the_printed_example_comes_out_exactly():
    printed = timewarps.of_cells(timewarps.PRINTED - 1)
    assert printed.shape == (7, 8)
    assert tuple(timewarps.warped(printed) + 1) == timewarps.PRINTED_FRAMES
    warp = timewarp_matrix.matrix(np.array(timewarps.PRINTED_FRAMES) - 1.0, 7)
    assert warp.shape == (7, 8)
    assert tuple(timewarps.warped(warp) + 1) == timewarps.PRINTED_FRAMES
    assert timewarps.steps(warp).tolist() == [1, 2, 2, 0.25, 0.25, 0.25, 0.25, 1]
    # The numbers equal the printed ones except where the clip is hurried: the source has more than two a column there.
    assert_allclose(np.delete(warp, 2, axis=1), np.delete(printed, 2, axis=1))


def test_the_diagonal_is_the_identity():
    assert_allclose(timewarp_matrix.matrix(np.arange(5.0), 5), np.eye(5))
    assert_allclose(timewarps.of_cells(np.stack([np.arange(5)] * 2, axis=1)), np.eye(5))


def test_a_column_where_nothing_corresponds_is_empty():
    warp = timewarp_matrix.matrix(np.array([np.nan, 0.0, 0.25, np.nan]), 3)
    assert warp.T.tolist() == [[0, 0, 0], [1, 0, 0], [0.75, 0.25, 0], [0, 0, 0]]


def test_a_clip_of_one_frame_has_one_row():
    assert timewarp_matrix.matrix(np.zeros(2), 1).tolist() == [[1.0, 1.0]]


@given(st.integers(1, 14), st.lists(st.floats(0.0, 1.0), min_size=1, max_size=14))
def test_frames_times_the_matrix_are_the_curve(rows, shares):
    frames = np.sort(shares) * (rows - 1)
    warp = timewarp_matrix.matrix(frames, rows)
    assert_allclose(warp.sum(axis=0), 1.0)
    assert warp.min() >= 0.0
    assert (np.count_nonzero(warp, axis=0) <= 2).all()
    assert_allclose(timewarps.warped(warp), frames, atol=1e-12)


@given(st.integers(2, 14), st.integers(2, 14), st.integers(0, 10**6))
def test_of_a_path_it_is_near_the_sources_own(rows, columns, seed):
    path = dtw.find_pinned_path(np.random.default_rng(seed).random((rows, columns)), max(rows, columns))
    theirs = timewarps.of_cells(path.cells)
    assert_allclose(theirs.sum(axis=0), 1.0)
    assert (timewarps.steps(theirs) >= -1e-12).all()
    _, frames = curve_fit.midpoints(path.cells[:, ::-1])
    ours = timewarps.warped(timewarp_matrix.matrix(frames, rows))
    # Ours pins the ends; theirs averages the frames of a column there, and passes on a held row.
    assert np.abs(ours - timewarps.warped(theirs))[1:-1].max(initial=0.0) < 1.0


def test_incremental_steps_add_up_to_the_length_that_they_came_from():
    rng = np.random.default_rng(1)
    path = dtw.find_pinned_path(np.abs(np.subtract.outer(np.arange(40), np.arange(25) * 1.6)) + rng.random((40, 25)), 3)
    _, frames = curve_fit.midpoints(path.cells[:, ::-1])
    for warp in (timewarps.of_cells(path.cells), timewarp_matrix.matrix(frames, 40)):
        assert timewarps.steps(warp).sum() == pytest.approx(40, abs=1.0)
