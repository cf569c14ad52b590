"""Optimal time warping of a query to rows: costs and start columns of paths (methods: Libraries of clips)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .basis import Rows

Places = NDArray[np.int32]
Longs = NDArray[np.int64]
Flags = NDArray[np.bool_]
Bits = NDArray[np.uint8]

_HALF, _FAR = np.float32(0.5), np.float32(np.inf)


@dataclass(frozen=True, eq=False)
class Paths:
    """The best paths of a query of M rows that end in each column (N).

    totals (N,) : their costs; inf without a path
    quick, slow (M, N / 8) : whether the last step to a cell spans two columns, or two rows; packed bits
    """

    totals: Rows
    quick: Bits
    slow: Bits

    def begins(self, ends: Longs) -> Longs:
        """Return the first columns (K,) of the paths that end in some columns, each of which must have a path."""
        row, column = np.full(len(ends), len(self.quick) - 1), ends
        for _ in range(len(self.quick)):
            inside = row >= 0
            slow = inside & _bit(self.slow, row, column)
            quick = inside & _bit(self.quick, row, column) & ~slow
            row, column = row - inside - slow, column - inside - quick
        return column + 1


def _bit(bits: Bits, row: Longs, column: Longs) -> Flags:
    return np.asarray((bits[row, column >> 3] >> (7 - (column & 7))) & 1, dtype=np.bool_)


def paths(costs: Rows) -> Paths:
    """Return the best paths through costs (M, N); see `steps`."""
    totals, quick, slow = steps(costs)
    return Paths(totals, np.packbits(quick, axis=1), np.packbits(slow, axis=1))


def steps(costs: Rows) -> tuple[Rows, Flags, Flags]:
    """Return for all columns of costs (M, N) the total (N,) of the best path that ends there, and the last steps.

    Paths pass every row once, with slopes from one half to two. With D(−1, j) = 0:

        D(i, j) = min(D(i−1, j−1) + c(i, j), D(i−1, j−2) + ½(c(i, j−1) + c(i, j)), D(i−2, j−1) + c(i−1, j) + c(i, j))

    Returns D(M−1, j), and flags (M, N) of the second or third term being less than the earlier ones. Cells of a row are
    independent, so a whole row is computed at once; storing start columns as well would double the time.
    """
    count, width = costs.shape
    quick, slow = np.zeros((count, width), dtype=np.bool_), np.zeros((count, width), dtype=np.bool_)
    total, before, earlier = np.empty(width, np.float32), np.zeros(width, np.float32), np.full(width, _FAR)
    other = np.empty(width, np.float32)
    for row, cost in enumerate(costs):
        total[:1] = _FAR
        np.add(before[:-1], cost[1:], out=total[1:])
        np.add(cost[1:-1], cost[2:], out=other[2:])
        other[2:] *= _HALF
        other[2:] += before[:-2]
        np.less(other[2:], total[2:], out=quick[row, 2:])
        np.minimum(total[2:], other[2:], out=total[2:])
        if row > 0:
            np.add(costs[row - 1, 1:], cost[1:], out=other[1:])
            other[1:] += earlier[:-1]
            np.less(other[1:], total[1:], out=slow[row, 1:])
            np.minimum(total[1:], other[1:], out=total[1:])
        total, before, earlier = earlier, total, before
    return before, quick, slow
