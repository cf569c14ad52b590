"""The kernels of this package for numba; `_numpy` has the same functions for numpy."""

import numpy as np

from ..jit import kernel

_HALF, _FAR = np.float32(0.5), np.float32(np.inf)


@kernel("void(f4[:, ::1], f4[::1], i4[::1])")
def warped(costs, totals, starts):  # type: ignore[no-untyped-def]
    """See `_numpy.warped`."""
    count, width = costs.shape
    # The totals of three rows, and where their paths start: this row, the one before it, and the one before that.
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


@kernel("void(f4[:, ::1], i4[::1], i4[::1], i8, i8, f4[:, ::1], i4[:, ::1])")
def nearest(numbers, clips, firsts, apart, low, best, who):  # type: ignore[no-untyped-def]
    """See `_numpy.nearest`."""
    count, size = numbers.shape
    most, block = best.shape[1], 512  # columns whose first numbers stay in a processor's first-level cache
    few = min(12, size // 4 * 4)  # numbers that rule out most columns as too far away
    slow, sums = np.empty((few, count), np.float32), np.empty(block, np.float32)
    for k in range(few):
        slow[k] = numbers[:, k]
    best[:], who[:] = np.float32(np.inf), -1
    for begin in range(0, count, block):
        end = min(begin + block, count)
        for row in range(low, low + len(best)):
            own, bests, places = numbers[row], best[row - low], who[row - low]
            sums[:] = np.float32(0.0)
            for k in range(0, few, 4):  # four at a time, so that sums are loaded and stored less often
                a, b, c, d = own[k], own[k + 1], own[k + 2], own[k + 3]
                of_a, of_b = slow[k, begin:end], slow[k + 1, begin:end]
                of_c, of_d = slow[k + 2, begin:end], slow[k + 3, begin:end]
                for column in range(end - begin):
                    total = sums[column]
                    total += (of_a[column] - a) * (of_a[column] - a)
                    total += (of_b[column] - b) * (of_b[column] - b)
                    total += (of_c[column] - c) * (of_c[column] - c)
                    total += (of_d[column] - d) * (of_d[column] - d)
                    sums[column] = total
            limit = bests[most - 1]
            for column in range(end - begin):
                if sums[column] >= limit:
                    continue
                other, total = begin + column, sums[column]
                if clips[other] == clips[row] and abs(firsts[other] - firsts[row]) < apart:
                    continue
                away_from = numbers[other]
                for k in range(few, size):
                    away = away_from[k] - own[k]
                    total += away * away
                if total < limit:
                    place = most - 1
                    while place > 0 and bests[place - 1] > total:
                        bests[place], places[place] = bests[place - 1], places[place - 1]
                        place -= 1
                    bests[place], places[place] = total, other
                    limit = bests[most - 1]


@kernel("i8(i8[::1], i4[::1], i4[::1])")
def agreed(starts, neighbours, labels):  # type: ignore[no-untyped-def]
    """See `_numpy.agreed`."""
    votes, changes = np.zeros(len(labels), np.int32), 0
    for window in range(len(labels)):
        around = neighbours[starts[window] : starts[window + 1]]
        label, most = labels[window], 0
        for other in around:
            votes[labels[other]] += 1
        for other in around:
            theirs = labels[other]
            if votes[theirs] > most or (votes[theirs] == most and theirs < label):
                label, most = theirs, votes[theirs]
        for other in around:
            votes[labels[other]] = 0
        changes += label != labels[window]
        labels[window] = label
    return changes
