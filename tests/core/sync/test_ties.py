"""The last bits of distances do not choose between paths of equal cost."""

import numpy as np
import pytest
from action_loom.core.demo_character import actions
from action_loom.core.motion import cycles, root_motion
from action_loom.core.recipes.matching import Matching
from action_loom.core.sync import cycle_search, dtw, ends, metrics, refine, registration, ties
from numpy.testing import assert_array_equal
from oracles import warping

pytestmark = pytest.mark.both_engines

NOISE = 1e-13  # of each distance; a matrix product in another order changes less


def noisy(matrix, rng):
    return matrix * (1.0 + NOISE * rng.normal(size=matrix.shape))


def matrices(rng):
    """Yield distances with many ties: few values, a clip that repeats itself, and one against itself."""
    yield rng.integers(0, 3, (40, 50)).astype(float)
    yield 1.0 + rng.integers(0, 2, (60, 45))
    yield np.ones((30, 30))
    walk, sneak = actions.walk(cycles=3), actions.sneak(cycles=2)
    for metric in ("points", "motion"):
        one, other = (metrics.prepare(clip, Matching(metric=metric)) for clip in (walk, sneak))
        yield one.matrix(one, 1)
        yield one.matrix(other, 1)
        yield other.matrix(other, 1)


def found_in(matrix):
    """All paths that registration looks for."""
    yield dtw.find_pinned_path(matrix, 3).cells
    yield dtw.find_pinned_path(matrix, max(matrix.shape)).cells
    for kind in ("auto", "open"):
        yield ends.choose(matrix, Matching(metric="motion", ends=kind), 3, 1e-3).path.cells
    diagonal = dtw.find_pinned_path(matrix, 3)
    yield refine.path(matrix, diagonal, 3, 4).cells
    costs = dtw.compute_rolled_costs(matrix, np.arange(matrix.shape[1]), 3)
    yield np.array([ties.first_least(costs)])


def test_noise_in_the_last_digits_changes_no_path(rng):
    for matrix in matrices(rng):
        wanted = list(found_in(matrix))
        for _ in range(5):
            for path, other in zip(wanted, found_in(noisy(matrix, rng)), strict=True):
                assert_array_equal(path, other)


def test_of_equal_steps_the_diagonal_is_taken_then_down_then_right(rng):
    assert_array_equal(dtw.find_pinned_path(np.ones((20, 20)), 3).cells, np.stack([np.arange(20)] * 2, axis=1))
    for _ in range(20):
        # Whole numbers, whose sums are exact: the plain way takes the first of equals.
        matrix = rng.integers(0, 3, (25, 30)).astype(float)
        assert_array_equal(dtw.find_pinned_path(matrix, 3).cells, warping.pinned(matrix, 3).cells)


def test_of_equal_values_the_first_is_the_least(rng):
    values = np.array([5.0, 2.0, 3.0, 2.0, 2.0, 7.0])
    for _ in range(20):
        noise = noisy(values, rng)
        assert ties.first_least(noise) == 1
        assert ties.rank_values(noise)[:4].tolist() == [1, 3, 4, 2]
    assert ties.first_least(np.array([0.0, 0.0])) == 0


def test_of_equal_clips_the_first_is_in_the_middle():
    walk, sneak = actions.walk(), actions.sneak()
    for clips, middle in (([walk, walk, walk], 0), ([sneak, walk, walk, walk], 1)):
        assert registration.choose_reference(clips, Matching(reference="medoid", metric="points")) == middle


def test_of_equal_cycles_the_same_is_found_however_the_clip_stands():
    walk = cycles.unroll_cycle(actions.walk(cycles=1), 1, 6)
    found = [
        cycle_search.find(root_motion.place_clip(walk, turn, np.array([3.0, turn]))).best
        for turn in np.linspace(0.0, 6.0, 12)
    ]
    assert {(cycle.start, cycle.length) for cycle in found} == {(found[0].start, 32)}
