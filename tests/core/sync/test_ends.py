"""Ends and stretches found with few paths, against every path computed from scratch."""

import numpy as np
import pytest
from action_loom.core.demo_character import actions
from action_loom.core.errors import RegistrationError
from action_loom.core.motion import resample, retarget
from action_loom.core.recipes.matching import Matching
from action_loom.core.sync import dtw, ends, metrics, refine, registration
from numpy.testing import assert_allclose, assert_array_equal
from oracles import warping
from oracles.material import captured

pytestmark = pytest.mark.both_engines

FLOOR = 0.05


def recorded(rng, count, other_count, overhang, noise):
    """Distances of two recordings of one curve, each at its own pace; the second one has more at both ends."""
    steps = rng.normal(size=(400, 5)).cumsum(axis=0)
    curve = 0.2 * np.stack([np.convolve(column, np.hanning(25), mode="same") for column in steps.T], axis=1)
    pace = np.sort(rng.uniform(overhang, 399.0 - overhang, count))
    other_pace = np.sort(rng.uniform(0.0, 399.0, other_count))
    one, other = resample.curve(curve, pace), resample.curve(curve, other_pace)
    other = other + noise * rng.normal(size=other.shape)
    return np.sqrt(((one[:, None] - other) ** 2).sum(axis=2))


SHAPES = [(90, 70), (60, 140), (310, 420)]


@pytest.mark.parametrize("kind", ["auto", "open", "pinned"])
@pytest.mark.parametrize("overhang", [0.0, 90.0])
@pytest.mark.parametrize("shape", SHAPES)
def test_ends_and_path_are_those_found_from_scratch(rng, shape, overhang, kind):
    for noise in (0.02, 0.6, 3.0):
        matrix = recorded(rng, *shape, overhang, noise)
        matching = Matching(metric="motion", ends=kind)
        wanted, path = warping.choose_ends(matrix, matching, 3, FLOOR)
        found = ends.choose(matrix, matching, 3, FLOOR)
        assert found.kind == wanted
        assert_array_equal(found.path.cells, path.cells)
        assert found.path.cost == pytest.approx(path.cost, rel=1e-12)
        assert found.path.at_limit == pytest.approx(path.at_limit)


@pytest.mark.parametrize("overhang", [0.0, 60.0])
def test_what_a_similar_matrix_told_changes_nothing(rng, overhang):
    matrix = recorded(rng, 120, 130, overhang, 0.3)
    matching = Matching(metric="motion")
    wanted, path = warping.choose_ends(matrix, matching, 3, FLOOR)
    for factor in (0.7, 0.999, 1.001, 1.4):
        for guess in ("pinned", "open"):
            told = ends.choose(factor * matrix, matching, 3, FLOOR)
            found = ends.choose(matrix, matching, 3, FLOOR, ends.Ends(guess, told.path, told.least))
            assert found.kind == wanted
            assert_array_equal(found.path.cells, path.cells)


def test_the_least_mean_cost_is_that_of_no_stretch_below_it(rng):
    matrix = recorded(rng, 90, 120, 30.0, 0.4)
    least = dtw.least_mean(matrix, 3, 0.0)
    assert least.steady
    for factor in (0.3, 0.9, 1.1, 3.0):
        guess = dtw.LeastMean(factor * least.cost, True)
        assert dtw.least_mean(matrix, 3, 0.0, guess).cost == pytest.approx(least.cost, rel=1e-4)
    below, above = (dtw.Stretches(matrix, 3, factor * least.cost).path().mean_cost for factor in (0.99, 1.01))
    assert min(below, above) >= least.cost * (1.0 - 1e-6)
    assert dtw.least_mean(matrix, 3, 2.0 * least.cost).cost == 2.0 * least.cost


def test_where_half_must_be_kept_the_search_begins_at_the_mean_whatever_was_told(rng):
    """A short clip and a long one: the least mean cost is that of exactly half, and no price has it for its path."""
    unsteady = 0
    for _ in range(12):
        matrix = recorded(rng, 40, 140, 0.0, 2.0)
        wanted = warping.open_ended(matrix, 3, 2.5, 0.0)
        first = ends.choose(matrix, Matching(metric="motion", ends="open"), 3, 0.0)
        again = ends.choose(matrix, Matching(metric="motion", ends="open"), 3, 0.0, first)
        unsteady += not first.least.steady
        assert_array_equal(first.path.cells, wanted.cells)
        assert_array_equal(again.path.cells, wanted.cells)
    assert unsteady > 0


def test_no_path_is_cheaper_than_what_is_said_of_all(rng):
    matrix = recorded(rng, 50, 60, 20.0, 0.4)
    whole = dtw.find_pinned_path(matrix, 3)
    for price in np.linspace(0.2, 1.5, 14) * whole.mean_cost:
        stretches = dtw.Stretches(matrix, 3, float(price))
        assert stretches.least_whole <= whole.cost * (1.0 + 1e-12)
        if stretches.none_cheaper:
            assert stretches.path().mean_cost >= price * (1.0 - 1e-9)
        else:
            assert price > 0.2 * whole.mean_cost


def test_no_stretch_of_half_of_both_is_refused():
    with pytest.raises(RegistrationError, match="No stretch of at least half of both clips"):
        ends.choose(np.ones((10, 90)), Matching(metric="motion", ends="open"), 3, FLOOR)


@pytest.mark.parametrize("reach", [0, 2, 7])
def test_a_path_in_a_band_is_the_one_of_the_whole_matrix_without_the_rest(rng, reach):
    one, other = actions.walk(cycles=4), actions.sneak()
    bodies = [metrics.prepare(clip, Matching(metric="motion")) for clip in (one, other)]
    matrix = bodies[0].matrix(bodies[1], 0)
    guide = warping.stretch(matrix, 3, 0.5).cells
    (top, left), (bottom, right) = guide[0], guide[-1]
    rows, columns = np.arange(len(one))[:, None, None], np.arange(len(other))[None, :, None]
    # Rows within reach of a row pass columns; those within reach of these columns are in the band.
    near = (np.abs(rows - guide[:, 0]) <= reach) & (columns >= guide[:, 1] - reach) & (columns <= guide[:, 1] + reach)
    between = _filled(near.any(axis=2))
    inside = np.where(between, matrix, np.inf)[top : bottom + 1, left : right + 1]
    wanted = warping.pinned(inside, 3).cells + guide[0]
    assert_array_equal(refine.cells(*bodies, guide, 3, reach), wanted)
    assert_array_equal(refine.path(matrix, dtw.WarpPath(guide, 0.0, 0.0), 3, reach).cells, wanted)


def _filled(near):
    """Rows of cells without gaps."""
    return (np.cumsum(near, axis=1) > 0) & (np.cumsum(near[:, ::-1], axis=1)[:, ::-1] > 0)


@pytest.mark.parametrize("limit", [2, 3, 40])
def test_rolled_matrices_cost_what_each_costs_alone(rng, limit):
    matrix = rng.random((30, 40))
    starts = np.array([0, 7, 39, 20])
    wanted = [warping.pinned(np.roll(matrix, -start, axis=1), limit).cost for start in starts]
    assert_allclose(dtw.compute_rolled_costs(matrix, starts, limit), wanted, rtol=1e-12)


# Walks alike, with a turn; and two that have hardly anything in common.
CAPTURES = [("mb_07_01", "mb_16_15"), ("asf_16_17", "asf_16_19"), ("mb_05_03", "mb_26_01")]


@pytest.mark.shared
@pytest.mark.both_engines
@pytest.mark.parametrize("metric", ["motion", "points"])
@pytest.mark.parametrize("pair", CAPTURES)
def test_captures_are_registered_by_the_path_found_from_scratch(pair, metric):
    one, other = _thinned_pair(*pair)
    kind, limit, path, _ = warping.first_pass(one, other, Matching(metric=metric))
    found = registration.register_pair(one, other, Matching(metric=metric))
    assert (found.ends, found.limit) == (kind, limit)
    assert found.cost == pytest.approx(path.mean_cost, rel=1e-9)
    assert found.at_limit == pytest.approx(path.at_limit)
    assert_array_equal(found.cells[[0, -1]], path.cells[[0, -1]])


@pytest.mark.shared
@pytest.mark.both_engines
@pytest.mark.parametrize("pair", [("asf_16_15", "asf_17_03"), ("mb_05_03", "mb_26_01"), ("mb_02_05", "mb_02_06")])
def test_strangers_are_registered_by_the_path_found_from_scratch(pair):
    """Also where shorter stretches, and the legs alone, are tried; a sneak is matched to a walk by these."""
    one, other = _thinned_pair(*pair)
    kind, limit, path, likeness = warping.by_motion(one, other)
    found = registration.register_pair(one, other, Matching())
    assert (found.metric, found.ends, found.limit) == ("motion", kind, limit)
    assert found.likeness == pytest.approx(likeness, rel=1e-6)
    assert_array_equal(found.cells[[0, -1]], path.cells[[0, -1]])


def _thinned_pair(a, b):
    """Two captured clips on one body, at 60 frames a second, so that the plain search does not take long."""
    one, other = (captured(f"cmu_{name}").cut(0, 900).decimate(2) for name in (a, b))
    return one, retarget.onto(other, one.skeleton)
