"""The recurrence against all admissible paths, its two engines against each other, and its refusals."""

from functools import cache

import numpy as np
import pytest
from action_loom.core.errors import RegistrationError
from action_loom.core.recipes.matching import Matching
from action_loom.core.sync import dtw, ends
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from oracles import warping

pytestmark = pytest.mark.both_engines


def cheapest_by_trying_all(distance, limit, skip_rows, skip_columns):
    """Cost of the cheapest admissible path to every cell, by trying every step backwards."""

    @cache
    def cost(i, j):
        if i < 0 and j < 0:
            return 0.0
        if i < 0:
            return skip_columns[j + 1]
        if j < 0:
            return skip_rows[i + 1]
        down = [cost(i - 1 - k, j - 1) + distance[i - k : i + 1, j].sum() for k in range(min(limit, i + 1))]
        right = [cost(i - 1, j - 1 - k) + distance[i, j - k : j + 1].sum() for k in range(1, min(limit, j + 1))]
        return min(down + right)

    rows, columns = distance.shape
    return np.array([[cost(i, j) for j in range(columns)] for i in range(rows)])


def corner(count):
    return np.concatenate([[0.0], np.full(count, np.inf)])


@pytest.mark.parametrize("limit", [1, 2, 3, 5])
def test_every_cell_costs_what_the_cheapest_of_all_paths_costs(limit):
    rng = np.random.default_rng(limit)
    for rows, columns in ((1, 1), (2, 7), (5, 5), (8, 6)):
        distance = rng.random((rows, columns))
        wanted = cheapest_by_trying_all(distance, limit, corner(rows), corner(columns))
        for i in range(rows):
            found = dtw.Costs(distance[: i + 1], corner(i + 1), corner(columns), limit)
            assert_allclose(found.last_row[1:], wanted[i], rtol=1e-12)
            assert_allclose(found.last_column[1:], wanted[: i + 1, -1], rtol=1e-12)


def test_leaving_out_first_frames_costs_what_was_said():
    rng = np.random.default_rng(7)
    distance = rng.random((6, 9))
    skip_rows, skip_columns = 0.3 * np.arange(7), 0.2 * np.arange(10)
    wanted = cheapest_by_trying_all(distance, 3, skip_rows, skip_columns)
    found = dtw.Costs(distance, skip_rows, skip_columns, 3)
    assert_allclose(found.last_row[1:], wanted[-1], rtol=1e-12)
    assert_allclose(found.last_column[1:], wanted[:, -1], rtol=1e-12)


@given(st.integers(2, 12), st.integers(2, 12), st.integers(1, 5), st.integers(0, 10**6))
def test_a_path_goes_from_corner_to_corner_and_keeps_its_limit(rows, columns, limit, seed):
    distance = np.random.default_rng(seed).random((rows, columns))
    needed = dtw.needed_limit(rows, columns)
    if limit < needed:
        with pytest.raises(RegistrationError, match=f"allow {needed}"):
            dtw.find_pinned_path(distance, limit)
        return
    path = dtw.find_pinned_path(distance, limit)
    assert path.cells[0].tolist() == [0, 0]
    assert path.cells[-1].tolist() == [rows - 1, columns - 1]
    steps = np.diff(path.cells, axis=0)
    assert {tuple(s) for s in steps.tolist()} <= {(1, 1), (1, 0), (0, 1)}
    for axis in (0, 1):
        # Frames of one clip that wait on the same frame of the other.
        _, waiting = np.unique(path.cells[:, axis], return_counts=True)
        assert waiting.max() <= limit
    assert path.cost == pytest.approx(distance[path.cells[:, 0], path.cells[:, 1]].sum())


def open_ended(distance, penalty):
    matching = Matching(metric="motion", ends="open", open_end_penalty=penalty)
    return ends.choose(distance, matching, 3, 1e-3).path


def test_open_ends_find_a_stretch_that_is_the_same_in_both():
    rng = np.random.default_rng(0)
    a, b = rng.random((60, 4)), rng.random((80, 4))
    b[40:] = a[:40]
    distance = np.linalg.norm(a[:, None] - b[None], axis=2)
    path = open_ended(distance, 1.5)
    # Random frames next to the stretch may match a little, too; the stretch itself is matched exactly.
    matched = {(i, j) for i, j in path.cells.tolist()}
    assert {(k, 40 + k) for k in range(1, 39)} <= matched
    assert path.rows < 50
    assert path.columns < 50


def test_keeping_more_never_keeps_less():
    rng = np.random.default_rng(1)
    distance = np.abs(np.sin(0.11 * np.arange(90))[:, None] - np.sin(0.13 * np.arange(70) + 1.0)) + 0.1 * rng.random(
        (90, 70)
    )
    kept = [open_ended(distance, k).rows for k in (1.0, 1.5, 2.5, 5.0, 10.0)]
    assert kept == sorted(kept)


def test_the_first_end_whose_path_is_long_enough_is_taken():
    rng = np.random.default_rng(4)
    distance = rng.random((30, 40))
    skips = 0.1 * np.arange(31), 0.1 * np.arange(41)
    _, steps = warping.costs(distance, *skips, 3)
    found = dtw.Costs(distance, *skips, 3)
    places = np.array([(0, 3), (7, 39), (29, 5), (29, 20), (29, 30), (29, 39)])
    lengths = [warping.path(distance, steps, i, j, 3).kept for i, j in places]
    for rows, columns in ((1, 1), (5, 5), (9, 9), (20, 5), (5, 25), (30, 30)):
        enough = [k for k, kept in enumerate(lengths) if kept[0] >= rows and kept[1] >= columns]
        path = found.path(places, rows, columns)
        if enough:
            assert_array_equal(path.cells, warping.path(distance, steps, *places[enough[0]], 3).cells)
        else:
            assert path is None


def test_half_of_both_clips_is_always_kept():
    rng = np.random.default_rng(2)
    for rows, columns in ((40, 90), (90, 40), (50, 50)):
        path = open_ended(rng.random((rows, columns)), 1.0)
        assert 2 * path.rows >= rows
        assert 2 * path.columns >= columns


def classic_cost(distance):
    """Cost from corner to corner by the three-neighbour recurrence of the textbooks."""
    total = np.full(np.add(distance.shape, 1), np.inf)
    total[0, 0] = 0.0
    for i, j in np.ndindex(distance.shape):
        total[i + 1, j + 1] = distance[i, j] + min(total[i, j], total[i, j + 1], total[i + 1, j])
    return total[-1, -1]


@given(st.integers(1, 14), st.integers(1, 14), st.integers(0, 10**6))
def test_without_a_limit_it_is_classic_time_warping(rows, columns, seed):
    distance = np.random.default_rng(seed).random((rows, columns))
    path = dtw.find_pinned_path(distance, max(rows, columns))
    assert path.cost == pytest.approx(classic_cost(distance), rel=1e-12)


def test_a_limit_that_is_never_reached_changes_nothing():
    distance = np.random.default_rng(9).random((40, 40)) + 10.0 * np.abs(np.subtract.outer(range(40), range(40)))
    assert_array_equal(dtw.find_pinned_path(distance, 39).cells, dtw.find_pinned_path(distance, 40).cells)


def test_a_band_that_leaves_no_way_is_refused():
    distance = np.ones((10, 30))
    banded = np.where(np.abs(np.arange(30) - 3.0 * np.arange(10)[:, None]) <= 0.4, distance, np.inf)
    with pytest.raises(RegistrationError, match="wider band"):
        dtw.find_pinned_path(banded, 3)


def test_a_frame_waits_for_as_many_as_a_step_can_tell():
    most = dtw.LONGEST_WAIT + 1
    for shape in ((1, most), (most, 1)):
        path = dtw.find_pinned_path(np.zeros(shape), 40_000)
        assert_array_equal(path.cells, np.argwhere(np.ones(shape)))
    for shape in ((1, most + 1), (most + 1, 1)):
        with pytest.raises(RegistrationError, match=r"may wait for more than 32,767 others: give a slope limit"):
            dtw.find_pinned_path(np.zeros(shape), 40_000)
