"""The search for one stretch among many rows, for numba; `_numpy` has the same function for numpy."""

import numpy as np

from ..jit import kernel

_HALF, _FAR = np.float32(0.5), np.float32(np.inf)


@kernel("void(f4[:, ::1], f4[::1], i4[::1])")
def warped(costs, totals, starts):  # type: ignore[no-untyped-def]
    """See `_numpy.warped`."""
    count, width = costs.shape
    # The totals of three rows, and where their ways start: of this one, the one before and the one before that.
    sums, froms = np.empty((3, width), np.float32), np.empty((3, width), np.int32)
    for column in range(width):
        sums[2, column], sums[1, column] = np.float32(0.0), _FAR
        froms[2, column] = froms[1, column] = column + 1
    for row in range(count):
        total, start = sums[row % 3], froms[row % 3]
        before, before_from = sums[(row + 2) % 3], froms[(row + 2) % 3]
        earlier, earlier_from = sums[(row + 1) % 3], froms[(row + 1) % 3]
        cost, cost_before = costs[row], costs[max(row - 1, 0)]
        for column in range(min(2, width)):
            total[column], start[column] = _FAR, 0
        if width > 1:
            total[1], start[1] = before[0] + cost[1], before_from[0]
            slow = earlier[0] + (cost_before[1] + cost[1])
            if row > 0 and slow < total[1]:
                total[1], start[1] = slow, earlier_from[0]
        for column in range(2, width):
            here = cost[column]
            best, origin = before[column - 1] + here, before_from[column - 1]
            fast = before[column - 2] + _HALF * (cost[column - 1] + here)
            quicker = fast < best
            best, origin = fast if quicker else best, before_from[column - 2] if quicker else origin
            slow = earlier[column - 1] + (cost_before[column] + here)
            slower = row > 0 and slow < best
            total[column] = slow if slower else best
            start[column] = earlier_from[column - 1] if slower else origin
    last = (count - 1) % 3
    totals[:], starts[:] = sums[last], froms[last]
