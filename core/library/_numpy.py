"""The kernels of this package for numpy: the same numbers as `_numba`, to the last bit."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Places = NDArray[np.int32]
Longs = NDArray[np.int64]

ROWS, COLUMNS = 1024, 8192  # of one product in `nearest`: 32 MB
_ROUNDING = np.float32(2e-5)  # share of the squares, more than a product and a sum can differ by
_LARGEST = np.finfo(np.float32).max


def warped(costs: Floats, totals: Floats, starts: Places) -> None:
    """Write for each column (N,) the least total of costs (M, N) on a path that ends there, and where it starts.

    Paths pass every row, with slopes from one half to two; see `search`.
    """
    count, width = costs.shape
    half, far = np.float32(0.5), np.float32(np.inf)
    before, before_from = np.zeros(width, np.float32), np.arange(1, width + 1, dtype=np.int32)
    earlier, earlier_from = np.full(width, far), before_from
    for row in range(count):
        cost = costs[row]
        total, start = np.full(width, far), np.zeros(width, np.int32)
        total[1:] = before[:-1] + cost[1:]
        start[1:] = before_from[:-1]
        fast = before[:-2] + half * (cost[1:-1] + cost[2:])
        better = fast < total[2:]
        total[2:] = np.where(better, fast, total[2:])
        start[2:] = np.where(better, before_from[:-2], start[2:])
        if row > 0:
            slow = earlier[:-1] + (costs[row - 1, 1:] + cost[1:])
            better = slow < total[1:]
            total[1:] = np.where(better, slow, total[1:])
            start[1:] = np.where(better, earlier_from[:-1], start[1:])
        earlier, earlier_from, before, before_from = before, before_from, total, start
    totals[:], starts[:] = before, before_from


def nearest(numbers: Floats, clips: Places, firsts: Places, apart: int, low: int, best: Floats, who: Places) -> None:
    """Write the least squared distances of rows low … of numbers (W, K) to other rows, and the numbers of these.

    clips, firsts (W,) : both rising; rows of the same clip whose firsts are less than `apart` away are left out
    best, who (R, most) : the nearest first, of equals the first one; inf and −1 where there are fewer

    Squares are summed in one order, so that no distance depends on how the work is divided, or on the kernel.
    """
    best[:], who[:] = np.inf, -1
    squares = np.einsum("ij,ij->i", numbers, numbers)
    whole = np.concatenate([numbers, squares[:, None]], axis=1)
    most = best.shape[1]
    for top in range(0, len(best), ROWS):
        some = slice(top, top + ROWS)
        rows = np.arange(low + top, low + top + len(best[some]))
        asked = np.concatenate([np.float32(-2.0) * numbers[rows], np.ones((len(rows), 1), np.float32)], axis=1)
        near, too_near = _too_near(clips, firsts, apart, rows)
        for begin in range(0, len(numbers), COLUMNS):
            # A product is fast, but rounded in another order: it only selects the pairs that are summed.
            product = asked @ whole[begin : begin + COLUMNS].T
            here = (too_near >= begin) & (too_near < begin + COLUMNS)
            product[near[here], too_near[here] - begin] = np.inf
            limit = best[some, -1] - squares[rows]
            if begin == 0 and product.shape[1] >= most:
                limit = np.partition(product, most - 1, axis=1)[:, most - 1]
            limit = limit + _ROUNDING * (squares[rows] + squares[begin : begin + COLUMNS].max())
            row, column = np.nonzero(product <= np.minimum(limit, _LARGEST)[:, None])
            _keep(best[some], who[some], row, column + begin, _sums(numbers, rows[row], column + begin))


def _too_near(clips: Places, firsts: Places, apart: int, rows: Longs) -> tuple[Longs, Longs]:
    """Return the pairs of rows, by their places, and others of the same clip that are less than `apart` away."""
    others = rows[:, None] + np.arange(1 - apart, apart)
    inside = np.clip(others, 0, len(clips) - 1)
    near = (clips[inside] == clips[rows, None]) & (np.abs(firsts[inside] - firsts[rows, None]) < apart)
    row, place = np.nonzero(near & (inside == others))
    return row, others[row, place]


def _sums(numbers: Floats, own: Longs, others: Longs) -> Floats:
    """Return the squared distances of pairs of rows, summed in order."""
    totals = np.zeros(len(own), np.float32)
    for k in range(numbers.shape[1]):
        away = numbers[others, k] - numbers[own, k]
        totals += away * away
    return totals


def _keep(best: Floats, who: Places, row: Longs, others: Longs, totals: Floats) -> None:
    """Insert other rows among the best of their rows where they are nearer."""
    changed, most = np.unique(row), best.shape[1]
    rows = np.concatenate([np.repeat(changed, most), row])
    all_totals = np.concatenate([best[changed].ravel(), totals])
    all_others = np.concatenate([who[changed].ravel(), others])
    order = np.lexsort((all_others, all_totals, rows))
    places = np.searchsorted(rows[order], changed)[:, None] + np.arange(most)
    chosen = order[places]
    best[changed], who[changed] = all_totals[chosen], all_others[chosen]


def agreed(starts: Longs, neighbours: Places, labels: Places) -> int:
    """Give each window in turn the commonest label of its neighbours, of equals the least; return how many changed.

    starts (N + 1,) : where the neighbours of each begin in `neighbours` (E,); a window without any keeps its label
    """
    current, changes = labels.tolist(), 0
    places, others = starts.tolist(), neighbours.tolist()
    for window, label in enumerate(current):
        votes: dict[int, int] = {}
        for other in others[places[window] : places[window + 1]]:
            votes[current[other]] = votes.get(current[other], 0) + 1
        if votes:
            current[window] = min(votes, key=lambda name: (-votes[name], name))
            changes += current[window] != label
    labels[:] = current
    return changes
