"""The recurrences and distances of this package for numpy: the same numbers as `_numba`.

Recurrences and distances between positions agree to the last bit, distances between rotations up to rounding.
"""

from collections.abc import Callable, Container
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..motion.quat import Array
from .ties import TIE

ENOUGH = 1.0 + TIE  # the first step with a cost below this multiple of the least one is taken
LEAST = 1e-12  # m²; smaller differences of squared distances are rounding, and count as equal
_SOME = 2000  # pairs compared at a time, to keep their windows small
_TOGETHER = 20_000  # cells of rows computed together over several matrices, to stay in cache

Places = NDArray[np.int64]
Ground = NDArray[np.complex128]


class _Back(NamedTuple):
    """Data for backtracking a path: distances (M, N), the costs (M+1, N+1) of all cells, and the slope limit."""

    distance: Array
    total: Array
    limit: int


class _Row:
    """The recurrence of `dtw.Costs` for a row of cells (…, N) at a time, for one matrix or several."""

    def __init__(self, shape: tuple[int, ...], rows: int, limit: int) -> None:
        # Costs of downward steps that started in recent rows, and of steps to the right. They are sliced once instead
        # of in each row, because call overhead dominates a row in numpy.
        self._down, right = np.full((min(limit, rows), *shape), np.inf), np.full((2, *shape), np.inf)
        self._begun = [(begun, begun[..., :-1]) for begun in self._down]
        self._right = [(right[k % 2, ..., 1:], right[k % 2, ..., :-1]) for k in range(1, min(limit, shape[-1]))]
        self._at = 0

    def fill(self, above: Array, here: Array, row: Array) -> None:
        """Compute the costs of a row.

        above (…, N) : costs of the previous cells on the diagonal; here (…, N) : the row's distances
        """
        diagonal, before = self._begun[self._at]
        diagonal[:] = above
        np.add(self._down, here, out=self._down)
        np.minimum.reduce(self._down, axis=0, out=row)
        rest, best = here[..., 1:], row[..., 1:]
        for after, next_before in self._right:
            np.add(before, rest, out=after)
            np.minimum(best, after, out=best)
            before = next_before
        self._at = (self._at + 1) % len(self._begun)


def borders(distance: Array, skip_rows: Array, skip_columns: Array, limit: int) -> tuple[Array, Array, _Back]:
    """See `dtw.Costs`."""
    rows, columns = distance.shape
    total = np.empty((rows + 1, columns + 1))
    total[:, 0] = skip_rows
    total[0] = skip_columns
    recurrence = _Row((columns,), rows, limit)
    for above, here, row in zip(total[:-1, :-1], distance, total[1:, 1:], strict=True):
        recurrence.fill(above, here, row)
    return total[-1], total[:, -1], _Back(distance, total, limit)


def borders_unlimited(distance: Array, skip_rows: Array, skip_columns: Array) -> tuple[Array, Array, _Back]:
    """See `dtw.Costs`; computed by antidiagonals, whose cells are independent."""
    rows, columns = distance.shape
    total = np.full((rows + 1, columns + 1), np.inf)
    costs, distances = total.ravel(), distance.ravel()
    for diagonal in range(rows + columns - 1):
        low, high = max(0, diagonal - columns + 1), min(diagonal, rows - 1)
        # In the flat array, the next cell of an antidiagonal is one row further, less one.
        begin, end = low * columns + diagonal, high * columns + diagonal + 1
        best = costs[begin:end:columns].copy()
        if low == 0:
            best[0] = skip_columns[diagonal]
        if high == diagonal:
            best[-1] = skip_rows[diagonal]
        for onwards in (1, columns + 1):  # from the cell above, and from the one on the left
            np.minimum(best, costs[begin + onwards : end + onwards : columns], out=best)
        here = slice(begin - low, end - high, max(columns - 1, 1))
        costs[begin + columns + 2 : end + columns + 2 : columns] = best + distances[here]
    total[:, 0] = skip_rows
    total[0] = skip_columns
    return total[-1], total[:, -1], _Back(distance, total, rows + columns)


def compute_rolled_costs(distance: Array, starts: NDArray[np.int64], limit: int) -> Array:
    """See `dtw.compute_rolled_costs`; computes all starts at once."""
    rows, columns = distance.shape
    costs = np.empty(len(starts))
    at_once = max(1, _TOGETHER // columns)
    for first in range(0, len(starts), at_once):
        some = starts[first : first + at_once]
        turned = (some[:, None] + np.arange(columns)) % columns
        recurrence = _Row(turned.shape, rows, limit)
        above = np.full((len(some), columns + 1), np.inf)
        above[:, 0] = 0.0
        row = np.full(above.shape, np.inf)
        for here in distance:
            recurrence.fill(above[:, :-1], here[turned], row[:, 1:])
            above, row = row, above
            row[:, 0] = np.inf
        costs[first : first + at_once] = above[:, -1]
    return costs


def _steps(back: _Back) -> Callable[[int, int], int]:
    """Return a function for the step that leads to a cell, the first of those with least cost (see `ties`)."""
    # Reading single numbers from a memoryview takes half the time of an array.
    distance, total, limit = back.distance.ravel().data, back.total.ravel().data, back.limit
    columns = back.distance.shape[1]

    def step_to(i: int, j: int) -> int:
        here, before = i * columns + j, i * (columns + 1) + j
        run = distance[here]
        least = total[before + columns + 2] * ENOUGH
        if total[before] + run <= least:
            return 0
        for k in range(1, min(limit, i + 1)):
            run += distance[here - k * columns]
            if total[before - k * (columns + 1)] + run <= least:
                return k
        run = distance[here]
        for k in range(1, min(limit, j + 1)):
            run += distance[here - k]
            if total[before - k] + run <= least:
                return -k
        return 0

    def unlimited_step_to(i: int, j: int) -> int:
        down = right = 0
        while True:
            here, before = (i - down) * columns + j - right, (i - down) * (columns + 1) + j - right
            least = total[before + columns + 2] * ENOUGH - distance[here]
            if total[before] <= least or (down == i and right == j):
                return down or -right
            if right == 0 and down < i and total[before + 1] <= least:
                down += 1
            elif right < j:
                right += 1
            else:
                return down or -right

    return unlimited_step_to if limit >= max(back.distance.shape) else step_to


def trace(back: _Back, ends: NDArray[np.int64], rows: int, columns: int) -> NDArray[np.int64]:
    """See `dtw.Costs.path`."""
    step_to = _steps(back)
    begins: dict[tuple[int, int], tuple[int, int]] = {}
    for i, j in ends.tolist():
        passed, steps, met = _trace_back(step_to, i, j, begins)
        step, (first_i, first_j) = steps[-1], passed[-1]
        begin = begins[met] if met else (first_i - max(step, 0), first_j + min(step, 0))
        if i - begin[0] + 1 >= rows and j - begin[1] + 1 >= columns:
            if met:
                _, steps, _ = _trace_back(step_to, i, j, {})
            return _cells(steps, i, j)
        begins.update(dict.fromkeys(passed, begin))
    return np.empty((0, 2), dtype=np.int64)


def _trace_back(
    step_to: Callable[[int, int], int], i: int, j: int, until: Container[tuple[int, int]]
) -> tuple[list[tuple[int, int]], list[int], tuple[int, int] | None]:
    """Trace a path backwards: return the cells at the ends of its steps, the steps, and its first cell in `until`."""
    passed: list[tuple[int, int]] = []
    steps: list[int] = []
    while i >= 0 and j >= 0:
        if (i, j) in until:  # paths that meet are identical from here
            return passed, steps, (i, j)
        passed.append((i, j))
        step = step_to(i, j)
        steps.append(step)
        i, j = (i - step - 1, j - 1) if step > 0 else (i - 1, j + step - 1)
    return passed, steps, None


def _cells(steps: list[int], i: int, j: int) -> NDArray[np.int64]:
    """Return the cells (K, 2) of a path from its steps, the last one first, and its last cell."""
    # Traced backwards, each step consists of its moves down or to the right, and one diagonal move.
    step = np.array(steps, dtype=np.int64)
    moves = np.repeat(np.stack([step > 0, step < 0], axis=1), np.abs(step) + 1, axis=0)
    moves[np.cumsum(np.abs(step) + 1) - 1] = True
    before = np.cumsum(moves[:-1], axis=0, dtype=np.int64)
    return np.ascontiguousarray(np.concatenate([[(i, j)], (i, j) - before])[::-1])


def find_banded_path(
    distance: Array, first: NDArray[np.int64], begin: NDArray[np.int64], limit: int
) -> NDArray[np.int64]:
    """See `dtw.find_banded_path`."""
    counts = np.diff(begin)
    rows, columns = len(first), int(first[-1] + counts[-1])
    total = np.empty(len(distance))
    # As in `_Row`, indexed by columns of the whole matrix, so that cells outside the band are infinite.
    above = np.full(columns + 1, np.inf)
    down, right = np.full((min(limit, rows), columns), np.inf), np.empty((2, columns))
    begun, moved = list(down), list(right)
    above[0] = 0.0
    left = 0
    for i, (low, at, count) in enumerate(zip(first.tolist(), begin.tolist(), counts.tolist(), strict=False)):
        high = low + count
        here, best = distance[at : at + count], total[at : at + count]
        before, some = begun[i % len(begun)], down[:, low:high]
        before[low:high] = above[low:high]
        np.add(some, here, out=some)
        np.minimum.reduce(some, axis=0, out=best)
        for k in range(1, min(limit, count)):
            after = moved[k % 2][low + k : high]
            np.add(before[low + k - 1 : high - 1], here[k:], out=after)
            np.minimum(best[k:], after, out=best[k:])
            before = moved[k % 2]
        above[left : low + 1] = np.inf
        above[low + 1 : high + 1] = best
        left = low
    if not np.isfinite(total[-1]):
        return np.empty((0, 2), dtype=np.int64)
    step_to = _banded_steps(distance, total, first.tolist(), begin.tolist(), limit)
    _, steps, _ = _trace_back(step_to, rows - 1, columns - 1, ())
    return _cells(steps, rows - 1, columns - 1)


def _banded_steps(
    distances: Array, totals: Array, first: list[int], begin: list[int], limit: int
) -> Callable[[int, int], int]:
    """Return a function for the step that leads to a cell of a band, from the costs of all its cells; see `_steps`."""
    distance, total = distances.data, totals.data  # as lists they would take four times the memory

    def cost(i: int, j: int) -> float:
        if i < 0 or j < 0:
            return 0.0 if i < 0 and j < 0 else np.inf
        at = begin[i] + j - first[i]
        return total[at] if begin[i] <= at < begin[i + 1] else np.inf

    def step_to(i: int, j: int) -> int:
        at = begin[i] + j - first[i]
        least, run = total[at] * ENOUGH, distance[at]
        if cost(i - 1, j - 1) + run <= least:
            return 0
        for k in range(1, min(limit, i + 1)):
            higher = begin[i - k] + j - first[i - k]
            if higher >= begin[i - k + 1]:
                break  # outside the band, like all rows above
            run += distance[higher]
            if cost(i - 1 - k, j - 1) + run <= least:
                return k
        run = distance[at]
        for k in range(1, min(limit, at - begin[i] + 1)):
            run += distance[at - k]
            if cost(i - 1, j - 1 - k) + run <= least:
                return -k
        return 0

    return step_to


def _mean_along(products: Array, window: int) -> Array:
    """Return the mean over a window along the diagonals; see `distance.compute_distances`."""
    count, columns = products.shape[0] - 2 * window, products.shape[1] - 2 * window
    total = products[:count, :columns].copy()
    for k in range(1, 2 * window + 1):
        total += products[k : k + count, k : k + columns]
    if window > 0:
        total /= 2 * window + 1
    return total


def compute_distances(products: Array, window: int, square: Array, other_square: Array) -> Array:
    """See `distance.compute_distances`."""
    mean = _mean_along(products, window)
    mean *= 2.0
    squares = np.subtract(square[:, None] + other_square, mean, out=mean)
    np.maximum(squares, 0.0, out=squares)
    return np.sqrt(squares, out=squares)


def clouds_apart(
    products: Array, drift: Array, window: int, spread: Array, other_spread: Array, lift: Array, other_lift: Array
) -> Array:
    """See `alignment.clouds_apart`."""
    cosine, sine, height = (_mean_along(product, window) for product in products)
    cosine += drift[0]
    sine += drift[1]
    turned = np.sqrt(cosine * cosine + sine * sine)
    square = spread[:, None] + other_spread[None] - 2.0 * turned - 2.0 * height
    lifted = lift[:, None] - other_lift[None]
    return np.asarray(np.sqrt(np.maximum(square - lifted * lifted, 0.0)))


def angles_apart(rotations: Array, others: Array, weights: Array) -> Array:
    """See `angles.angles_apart`."""
    total = np.zeros((rotations.shape[2], others.shape[2]))
    several = max(_TOGETHER // max(others.shape[2], 1), 1)
    for first in range(0, len(total), several):
        rows = slice(first, first + several)
        for joint, other, weight in zip(rotations[:, :, rows], others, weights, strict=True):
            angle = joint.T @ other
            np.minimum(np.abs(angle, out=angle), 1.0, out=angle)
            np.arccos(angle, out=angle)
            angle *= 2.0
            np.square(angle, out=angle)
            angle *= weight
            total[rows] += angle
    return total


def weighted_window(poses: Array, weights: Array) -> Array:
    """See `angles.weighted_window`."""
    window = len(weights) // 2
    total = np.zeros_like(poses)
    for k, weight in zip(range(-window, window + 1), weights, strict=True):
        total += weight * poses[np.ix_(_shift_frames(len(poses), k), _shift_frames(poses.shape[1], k))]
    return total


def _shift_frames(count: int, k: int) -> NDArray[np.int64]:
    """Return the frames shifted by k; frames out of range are replaced by the original frame."""
    frames = np.arange(count)
    return np.where((frames + k >= 0) & (frames + k < count), frames + k, frames)


def downhill(
    x: Array, y: Array, heights: Array, weights: Array, samples: Places, start: Places, low: Places, high: Places
) -> tuple[Places, Array]:
    """See `alignment.nearest_nearby`."""
    ground: Ground = x + 1j * y
    sums: tuple[Ground, Array] = (np.asarray(ground @ weights), (x**2 + y**2 + heights**2).sum(axis=1))
    places, best = start.copy(), _pairs_apart(ground, heights, sums, samples, start)
    moving = np.arange(len(start))
    while len(moving):
        origin = places[moving]
        least, there = best[moving], origin.copy()
        for step in ((d, a) for d in (-1, 0, 1) for a in (-1, 0, 1) if (d, a) != (0, 0)):
            tried = origin + step
            inside = ((tried >= low[moving]) & (tried <= high[moving])).all(axis=1)
            value = np.full(len(tried), np.inf)
            value[inside] = _pairs_apart(ground, heights, sums, samples, tried[inside])
            better = value < least - LEAST
            least[better], there[better] = value[better], tried[better]
        moved = least < best[moving]
        best[moving], places[moving] = least, there
        moving = moving[moved]
    return places, np.sqrt(best)


def _pairs_apart(ground: Ground, heights: Array, sums: tuple[Ground, Array], samples: Places, places: Places) -> Array:
    """Return the squared distances (M,) of the windows around pairs of rows (M, 2)."""
    distances = np.empty(len(places))
    means, squares = sums
    for first in range(0, len(places), _SOME):
        some = slice(first, first + _SOME)
        a, b = places[some, 0, None] + samples, places[some, 1, None] + samples
        mean_a, mean_b = means[a].sum(axis=1), means[b].sum(axis=1)
        size = len(samples)
        turned = np.einsum("mkp,mkp->m", ground[a].conj(), ground[b]) - mean_a.conj() * mean_b / size
        square = squares[a].sum(axis=1) + squares[b].sum(axis=1) - (abs(mean_a) ** 2 + abs(mean_b) ** 2) / size
        up = np.einsum("mkp,mkp->m", heights[a], heights[b])
        distances[some] = np.maximum(square - 2.0 * (abs(turned) + up), 0.0) / size
    return distances
