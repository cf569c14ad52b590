"""The recurrences and distances of this package for numpy: the same numbers as `_numba`.

Recurrences and distances between places agree to the last bit, distances between rotations except for rounding.
"""

import numpy as np
from numpy.typing import NDArray

from ..motion.quat import Array

LEAST = 1e-12  # m²; smaller differences of squared distances are rounding, and count as equal
_SOME = 2000  # pairs that are compared at a time, so that their windows stay small

Places = NDArray[np.int64]
Ground = NDArray[np.complex128]


def accumulate(distance: Array, skip_rows: Array, skip_columns: Array, limit: int) -> tuple[Array, NDArray[np.int16]]:
    """See `dtw.accumulate`."""
    rows, columns = distance.shape
    total = np.empty((rows + 1, columns + 1))
    steps = np.zeros((rows, columns), dtype=np.int16)
    total[:, 0] = skip_rows
    total[0, :] = skip_columns
    for i in range(rows):
        run = distance[i].copy()
        best = total[i, :-1] + run
        step = steps[i]
        for k in range(1, min(limit, i + 1)):
            run += distance[i - k]
            candidate = total[i - k, :-1] + run
            better = candidate < best
            best[better] = candidate[better]
            step[better] = k
        run = distance[i].copy()
        for k in range(1, min(limit, columns)):
            run[k:] += distance[i, :-k]
            candidate = total[i, : columns - k] + run[k:]
            better = candidate < best[k:]
            best[k:][better] = candidate[better]
            step[k:][better] = -k
        total[i + 1, 1:] = best
    return total, steps


def borders(
    distance: Array, skip_rows: Array, skip_columns: Array, limit: int
) -> tuple[Array, Array, NDArray[np.int16]]:
    """See `dtw.borders`."""
    total, steps = accumulate(distance, skip_rows, skip_columns, limit)
    return total[-1], total[:, -1], steps


def accumulate_unlimited(distance: Array, skip_rows: Array, skip_columns: Array) -> tuple[Array, NDArray[np.int16]]:
    """See `dtw.accumulate`; by antidiagonals, whose cells do not depend on each other."""
    rows, columns = distance.shape
    total = np.empty((rows + 1, columns + 1))
    steps = np.zeros((rows, columns), dtype=np.int16)
    total[:, 0] = skip_rows
    total[0, :] = skip_columns
    for diagonal in range(rows + columns - 1):
        i = np.arange(max(0, diagonal - columns + 1), min(diagonal, rows - 1) + 1)
        j = diagonal - i
        best, step = total[i, j], np.zeros(len(i), dtype=np.int16)
        down = np.where(i > 0, total[i, j + 1], np.inf)
        better = down < best
        best, step = np.where(better, down, best), np.where(better, steps[i - 1, j] + 1, step)
        right = np.where(j > 0, total[i + 1, j], np.inf)
        better = right < best
        best, step = np.where(better, right, best), np.where(better, steps[i, j - 1] - 1, step)
        total[i + 1, j + 1], steps[i, j] = best + distance[i, j], step
    return total, steps


def starts(steps: NDArray[np.int16], ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """See `dtw.starts`."""
    cells = ends.copy()
    going = np.arange(len(ends))
    while len(going):
        i, j = cells[going].T
        step = steps[i, j].astype(np.int64)
        first = np.stack([i - np.maximum(step, 0), j + np.minimum(step, 0)], axis=1)
        cells[going] = first
        further = (first > 0).all(axis=1)
        going = going[further]
        cells[going] -= 1
    return cells


def trace(steps: NDArray[np.int16], i: int, j: int, longest: int) -> tuple[NDArray[np.int64], int]:
    """See `dtw.trace`."""
    cells, count = [], 0
    while i >= 0 and j >= 0:
        step = int(steps[i, j])
        cells += [(i - k, j) for k in range(step)] if step > 0 else [(i, j - k) for k in range(-step)]
        i, j = i - max(step, 0), j - max(-step, 0)
        cells.append((i, j))
        count += abs(step) == longest
        i, j = i - 1, j - 1
    return np.array(cells[::-1], dtype=np.int64).reshape(-1, 2), count


def _mean_along(products: Array, window: int) -> Array:
    """Return the mean over a window along the diagonals; see `distance.apart`."""
    count, columns = products.shape[0] - 2 * window, products.shape[1] - 2 * window
    total = products[:count, :columns].copy()
    for k in range(1, 2 * window + 1):
        total += products[k : k + count, k : k + columns]
    if window > 0:
        total /= 2 * window + 1
    return total


def apart(products: Array, window: int, square: Array, other_square: Array) -> Array:
    """See `distance.apart`."""
    squares = square[:, None] + other_square[None] - 2.0 * _mean_along(products, window)
    return np.asarray(np.sqrt(np.maximum(squares, 0.0)))


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


def angles_apart(rotations: Array, others: Array, weights: Array, squared: bool) -> Array:
    """See `angles.angles_apart`."""
    total = np.zeros((rotations.shape[2], others.shape[2]))
    for joint, other, weight in zip(rotations, others, weights, strict=True):
        # A matrix product takes half the time, but rounds in an order of its own. Between rotations that are nearly
        # equal, that makes an angle as large as the root of the rounding.
        cosine = joint.T @ other if squared else sum(a[:, None] * b[None] for a, b in zip(joint, other, strict=True))
        angle = 2.0 * np.arccos(np.minimum(np.abs(cosine), 1.0))
        total += weight * (angle * angle if squared else angle)
    return total


def weighted_window(poses: Array, weights: Array) -> Array:
    """See `angles.weighted_window`."""
    window = len(weights) // 2
    total = np.zeros_like(poses)
    for k, weight in zip(range(-window, window + 1), weights, strict=True):
        total += weight * poses[np.ix_(_shifted(len(poses), k), _shifted(poses.shape[1], k))]
    return total


def _shifted(count: int, k: int) -> NDArray[np.int64]:
    """Return the frames k later; where there is none, the frame itself."""
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
    """Return the squared distances (M,) of the windows about pairs of rows (M, 2)."""
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
