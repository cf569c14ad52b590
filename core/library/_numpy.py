"""The search for one stretch among many rows, for numpy: the same numbers as `_numba`, to the last bit."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Places = NDArray[np.int32]


def warped(costs: Floats, totals: Floats, starts: Places) -> None:
    """Write for each column (N,) the least total of costs (M, N) on a way that ends there, and where it starts.

    Ways go through every row and have slopes from one half to two; see `search`.
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
