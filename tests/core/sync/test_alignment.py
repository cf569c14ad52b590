"""Ground alignment against known turns and against a search, by all its methods; and the search for minima."""

import numpy as np
import pytest
from action_loom.core import jit
from action_loom.core.motion.feet import Footing
from action_loom.core.sync import alignment, exact_sums
from action_loom.core.sync.alignment import Clouds
from action_loom.core.sync.positions import PointMetric
from numpy.testing import assert_allclose, assert_array_equal

pytestmark = pytest.mark.both_engines

FRAMES, POINTS = 7, 5  # of a window
ROUNDED = 2e-7  # of a distance: points are rounded to 23 bits of the largest
TURNS = [0.0, 0.3, -2.0, 3.1, np.pi / 2.0]


@pytest.fixture(params=["auto", "numpy"])
def engine(request, monkeypatch):
    """Each engine; where numba is missing, both are numpy."""
    monkeypatch.setattr(jit, "_wanted", request.param)


def windows(rng, *shape):
    """Return random points on the ground, x + iy, in windows of any shape."""
    shape = (*shape, FRAMES, POINTS)
    return rng.normal(size=shape) + 1j * rng.normal(size=shape)


def weights_of(rng, points=POINTS):
    return rng.dirichlet(np.ones(points))


def moved(window, turn, shift):
    return np.exp(1j * turn) * window + shift


def left(one, other, weights, turn):
    """Return the distance left between windows after a turn and its best shift, by the definition."""
    turned = np.exp(1j * turn) * other
    shift = ((one - turned) @ weights).mean()
    return float((np.abs(one - turned - shift) ** 2 @ weights).mean())


def least_left(one, other, weights):
    """Return the least distance left by any turn, by a search, and the turn."""
    best, width = 0.0, np.pi
    while width > 1e-9:
        tried = best + np.linspace(-width, width, 41)
        best = tried[np.argmin([left(one, other, weights, turn) for turn in tried])]
        width /= 10.0
    return left(one, other, weights, best), best


def same_angle(one, other, atol=1e-9):
    assert_allclose(np.exp(1j * np.asarray(one)), np.exp(1j * np.asarray(other)), atol=atol)


@pytest.mark.parametrize("turn", TURNS)
def test_a_window_that_was_turned_and_moved_is_brought_back(rng, turn):
    one, weights = windows(rng), weights_of(rng)
    found = alignment.align(moved(one, turn, 3.0 - 8.0j), one, weights)
    same_angle(found.turn, turn)
    assert_allclose(found.shift, 3.0 - 8.0j, atol=1e-9)
    assert 0.0 <= found.residual < 1e-12


@pytest.mark.parametrize("alike", [0.0, 0.5, 3.0])
def test_no_turn_and_shift_leave_less(rng, alike):
    for _ in range(5):
        one, weights = windows(rng), weights_of(rng)
        other = windows(rng) + alike * one
        found = alignment.align(one, other, weights)
        least, turn = least_left(one, other, weights)
        assert_allclose(found.residual, least, rtol=1e-9)
        same_angle(found.turn, turn, atol=1e-4)
        for away in 0.01 * np.exp(1j * np.linspace(0.0, 6.0, 7)):
            off = one - moved(other, found.turn, found.shift + away)
            assert (np.abs(off) ** 2 @ weights).mean() > found.residual


@pytest.mark.parametrize("turn", TURNS)
def test_where_windows_stand_and_how_they_are_turned_changes_nothing_but_what_brings_them_together(rng, turn):
    one, other, weights = windows(rng), windows(rng), weights_of(rng)
    plain = alignment.align(one, other, weights)
    brought = moved(other, plain.turn, plain.shift)
    first = alignment.align(moved(one, turn, -20.0 + 4.0j), other, weights)
    second = alignment.align(one, moved(other, turn, 7.0 + 30.0j), weights)
    assert_allclose([first.residual, second.residual], plain.residual, rtol=1e-9)
    same_angle(first.turn, plain.turn + turn)
    same_angle(second.turn, plain.turn - turn)
    assert_allclose(moved(other, first.turn, first.shift), moved(brought, turn, -20.0 + 4.0j), atol=1e-9)
    assert_allclose(moved(moved(other, turn, 7.0 + 30.0j), second.turn, second.shift), brought, atol=1e-9)


def footing(rng, *shape, standing=0.5):
    shape = (*shape, FRAMES, 2)
    return Footing(rng.normal(size=shape) + 1j * rng.normal(size=shape), rng.random(shape) < standing)


@pytest.mark.one_engine
@pytest.mark.parametrize("turning", [True, False])
def test_no_turn_and_shift_leave_less_of_body_and_standing_feet_together(rng, turning):
    from scipy import optimize

    for _ in range(5):
        one, weights, feet = windows(rng), weights_of(rng), [footing(rng), footing(rng)]
        other = windows(rng) + 2.0 * one
        both = feet[0].stands & feet[1].stands
        found = alignment.align(one, other, weights, feet, turning=turning)

        def cost(motion, one=one, other=other, weights=weights, feet=feet, both=both):
            body = (np.abs(one - moved(other, motion[0], motion[1] + 1j * motion[2])) ** 2 @ weights).mean()
            off = np.abs(feet[0].balls - moved(feet[1].balls, motion[0], motion[1] + 1j * motion[2])) ** 2
            return body + alignment.STANDING * (off * both).sum() / FRAMES

        def placed(motion, cost=cost):
            return cost([motion[0] if turning else 0.0, motion[1], motion[2]])

        mine = [float(found.turn), found.shift.real, found.shift.imag]
        starts = [[turn, 0.0, 0.0] for turn in np.linspace(-3.0, 3.0, 7)]
        least = min(optimize.minimize(placed, start, tol=1e-12).fun for start in starts)
        assert_allclose(cost(mine), least, rtol=1e-7)
        assert turning or found.turn == 0.0
        left_over = (np.abs(one - moved(other, found.turn, found.shift)) ** 2 @ weights).mean()
        assert_allclose(found.residual, left_over, rtol=1e-9)


def test_feet_that_stand_in_one_of_two_windows_only_do_not_count(rng):
    one, other, weights = windows(rng), windows(rng), weights_of(rng)
    plain = alignment.align(one, other, weights)
    found = alignment.align(one, other, weights, [footing(rng, standing=1.0), footing(rng, standing=0.0)])
    assert_allclose([found.turn, found.residual], [plain.turn, plain.residual])
    assert_allclose(found.shift, plain.shift)


def test_each_way_round_is_the_others_inverse(rng):
    one, other, weights = windows(rng), windows(rng), weights_of(rng)
    there, back = alignment.align(one, other, weights), alignment.align(other, one, weights)
    assert_allclose(there.residual, back.residual)
    assert_allclose(moved(moved(one, back.turn, back.shift), there.turn, there.shift), one, atol=1e-9)


def test_points_without_weight_do_not_count(rng):
    one, other, weights = windows(rng), windows(rng), weights_of(rng)
    plain = alignment.align(one, other, weights)
    more = [np.concatenate([window, 100.0 * windows(rng)[:, :2]], axis=1) for window in (one, other)]
    found = alignment.align(*more, np.concatenate([weights, [0.0, 0.0]]))
    assert_allclose([found.turn, found.residual], [plain.turn, plain.residual])
    assert_allclose(found.shift, plain.shift)


def test_many_windows_at_once_are_aligned_as_each_by_itself(rng):
    one, other, weights = windows(rng, 3, 4), windows(rng, 3, 4), weights_of(rng)
    found = alignment.align(one, other, weights)
    assert found.turn.shape == found.shift.shape == found.residual.shape == (3, 4)
    for place in np.ndindex(3, 4):
        single = alignment.align(one[place], other[place], weights)
        assert_allclose(found.turn[place], single.turn)
        assert_allclose(found.shift[place], single.shift)
        assert_allclose(found.residual[place], single.residual, atol=1e-12)


def test_a_window_of_one_point_needs_no_turn_to_fall_together():
    found = alignment.align(np.array([[2.0 + 1.0j]]), np.array([[5.0 + 0.0j]]), np.ones(1))
    assert_allclose(moved(5.0, found.turn, found.shift), 2.0 + 1.0j)
    assert found.residual == 0.0


def motion(rng, frames=40):
    """Points that move smoothly (F, P, 3) and their weights."""
    steps = rng.normal(size=(frames, POINTS, 3))
    smooth = np.apply_along_axis(np.convolve, 0, steps, np.ones(9) / 9.0, mode="same")
    return rng.normal(size=(POINTS, 3)) + 2.0 * smooth, weights_of(rng)


def apart(one, other, weights):
    """The distance of two windows (K, P, 3): on the ground as aligned, and in height."""
    ground = [window[..., 0] + 1j * window[..., 1] for window in (one, other)]
    lifted = (((one - other)[..., 2] ** 2) @ weights).mean()
    return np.sqrt(alignment.align(*ground, weights).residual + lifted)


def test_all_pairs_of_two_clips_are_as_far_apart_as_pair_by_pair(rng, engine):
    (one, weights), (other, _) = motion(rng), motion(rng, 25)
    found = PointMetric.of_cloud(one, weights).matrix(PointMetric.of_cloud(other, weights), 3)
    assert found.shape == (40, 25)
    for i, j in [(3, 3), (20, 10), (36, 21), (9, 18)]:
        assert_allclose(found[i, j], apart(one[i - 3 : i + 4], other[j - 3 : j + 4], weights), rtol=ROUNDED)


def clouds(places, weights, frames, none=()):
    """Windows about frames of points as rows, of which some are none."""
    around = places[frames[:, None] + np.arange(-3, 4)]
    roots, scale = np.sqrt(weights), 1.0 / np.sqrt(7.0)
    ground = around[..., 0] + 1j * around[..., 1]
    ground = (ground - (ground @ weights).mean(axis=1)[:, None, None]) * roots * scale
    flat = (len(frames), -1)
    ground = exact_sums.round_rows(ground.reshape(flat))
    heights = exact_sums.round_rows((around[..., 2] * roots * scale).reshape(flat))
    square = (np.abs(ground) ** 2 + heights**2).sum(axis=1)
    square[list(none)] = np.inf
    return Clouds(ground, heights, square)


def test_blocks_of_pairs_are_the_same_and_infinite_where_there_is_no_window(rng):
    (one, weights), (other, _) = motion(rng), motion(rng)
    frames, others = np.arange(3, 37, 3), np.arange(4, 36, 5)
    rows, columns = clouds(one, weights, frames, none=[4]), clouds(other, weights, others, none=[2, 6])
    whole = alignment.distances(rows, columns, slice(0, None), slice(0, None))
    assert_array_equal(np.isinf(whole), (np.arange(12) == 4)[:, None] | np.isin(np.arange(7), (2, 6)))
    for i, j in [(0, 0), (7, 5), (11, 3), (2, 4)]:
        expected = apart(one[frames[i] - 3 : frames[i] + 4], other[others[j] - 3 : others[j] + 4], weights)
        assert_allclose(whole[i, j], expected, rtol=ROUNDED)
    part = alignment.distances(rows, columns, slice(5, 9), slice(1, 4))
    assert_array_equal(part, whole[5:9, 1:4])


SAMPLES = np.array([-3, -1, 0, 1, 3])


def nearby(places, weights, start, low, high):
    roots = np.sqrt(weights)
    ground = (places[..., 0] + 1j * places[..., 1]) * roots
    heights = np.ascontiguousarray(places[..., 2] * roots)
    return alignment.nearest_nearby(ground, heights, roots, SAMPLES, start, low, high)


def test_steps_downhill_end_where_no_pair_beside_is_nearer(rng, engine):
    places, weights = motion(rng, 60)
    start = rng.integers(10, 50, (30, 2))
    low, high = start - rng.integers(0, 6, (30, 2)), start + rng.integers(0, 6, (30, 2))

    def away(i, j):
        return apart(places[i + SAMPLES], places[j + SAMPLES], weights)

    found, distance = nearby(places, weights, start, low, high)
    assert ((found >= low) & (found <= high)).all()
    assert (found != start).any()
    for (i, j), least, begun, lowest, highest in zip(found, distance, start, low, high, strict=True):
        assert_allclose(least, away(i, j), atol=1e-6)
        assert least <= away(*begun) + 1e-6
        beside = np.array([(i + down, j + across) for down in (-1, 0, 1) for across in (-1, 0, 1)])
        inside = ((beside >= lowest) & (beside <= highest)).all(axis=1)
        assert least <= min(away(*pair) for pair in beside[inside]) + 1e-6


@pytest.mark.one_engine
def test_both_engines_go_downhill_alike(rng, monkeypatch):
    places, weights = motion(rng, 80)
    start = rng.integers(15, 60, (40, 2))
    found = []
    for wanted in ("auto", "numpy"):
        monkeypatch.setattr(jit, "_wanted", wanted)
        found.append(nearby(places, weights, start, start - 3, start + 3))
    assert_array_equal(found[0][0], found[1][0])
    assert_allclose(found[0][1], found[1][1], atol=1e-9)


def minima_one_by_one(matrix):
    """Return the local minima among the cells, cell by cell."""
    rows, columns = matrix.shape
    cells = []
    for i in range(rows):
        for j in range(columns):
            around = matrix[max(i - 1, 0) : i + 2, max(j - 1, 0) : j + 2]
            if not (around < matrix[i, j]).any():
                cells.append((i, j))
    return np.array(cells, dtype=int).reshape(-1, 2)


def matrices(rng):
    """Matrices with minima inside, on borders and in corners; with plateaus; and with cells that are none."""
    for shape in [(12, 17), (1, 9), (9, 1), (1, 1), (2, 2), (3, 2), (0, 4), (4, 0)]:
        yield rng.random(shape)
        yield rng.integers(0, 4, shape).astype(float)
        yield np.where(rng.random(shape) < 0.3, np.inf, rng.integers(0, 5, shape))
        yield np.full(shape, 2.5)
        yield np.full(shape, np.inf)
        yield rng.random(shape).astype(np.float32)


def test_minima_are_found_as_cell_by_cell_and_row_by_row(rng):
    found = 0
    for matrix in matrices(rng):
        ours = alignment.local_minima(matrix)
        assert_array_equal(ours, minima_one_by_one(matrix))
        found += len(ours)
    assert found > 100


def test_of_some_cells_those_are_told_that_are_minima(rng):
    for matrix in matrices(rng):
        if not matrix.size:
            continue
        rows, columns = (rng.integers(0, count, 50) for count in matrix.shape)
        every = {tuple(cell) for cell in minima_one_by_one(matrix).tolist()}
        expected = [cell in every for cell in zip(rows.tolist(), columns.tolist(), strict=True)]
        assert alignment.are_minima(matrix, rows, columns).tolist() == expected
