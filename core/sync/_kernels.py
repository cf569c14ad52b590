"""The recurrences of this package for numba; `_twins` has the same functions for numpy."""

import numpy as np

from ..jit import kernel


@kernel("void(f8[::1], f8[::1], f8[::1], f8[::1], i2[::1], i2)")
def _consider(before, further, run, best, steps, step):  # type: ignore[no-untyped-def]
    """Let a row of cells take a step that goes over one cell more than the last one, where that is cheaper."""
    for j in range(len(best)):
        run[j] += further[j]
        candidate = before[j] + run[j]
        if candidate < best[j]:
            best[j] = candidate
            steps[j] = step


@kernel("Tuple((f8[:, ::1], i2[:, ::1]))(f8[:, ::1], f8[::1], f8[::1], i8)")
def accumulate(distance, skip_rows, skip_columns, limit):  # type: ignore[no-untyped-def]
    """See `timewarp.accumulate`."""
    rows, columns = distance.shape
    total = np.empty((rows + 1, columns + 1))
    steps = np.zeros((rows, columns), dtype=np.int16)
    total[:, 0] = skip_rows
    total[0, :] = skip_columns
    # The cells of a row do not depend on each other. By rows, many at a time, takes a third as long as by cells.
    run = np.empty(columns)
    for i in range(rows):
        here, above, best = distance[i], total[i], total[i + 1, 1:]
        best[:] = above[:columns] + here
        run[:] = here
        for k in range(1, min(limit, i + 1)):
            _consider(total[i - k, :columns], distance[i - k], run, best, steps[i], k)
        run[:] = here
        for k in range(1, min(limit, columns)):
            _consider(above[: columns - k], here[: columns - k], run[k:], best[k:], steps[i, k:], -k)
    return total, steps


@kernel("Tuple((f8[:, ::1], i2[:, ::1]))(f8[:, ::1], f8[::1], f8[::1])")
def accumulate_unlimited(distance, skip_rows, skip_columns):  # type: ignore[no-untyped-def]
    """See `timewarp.accumulate`, where the limit is no limit."""
    rows, columns = distance.shape
    total = np.empty((rows + 1, columns + 1))
    steps = np.zeros((rows, columns), dtype=np.int16)
    total[:, 0] = skip_rows
    total[0, :] = skip_columns
    # Of the row above: the cost of coming by the diagonal, and of coming down (with how many steps).
    slanting = np.full(columns, np.inf)
    down = np.full(columns, np.inf)
    down_steps = np.zeros(columns, dtype=np.int16)
    for i in range(rows):
        right, right_steps, slanting_left = np.inf, 0, np.inf
        for j in range(columns):
            here = distance[i, j]
            slant = total[i, j] + here
            if down[j] < slanting[j]:
                down[j] += here
                down_steps[j] += 1
            else:
                down[j] = slanting[j] + here
                down_steps[j] = 1
            if right < slanting_left:
                right += here
                right_steps += 1
            else:
                right = slanting_left + here
                right_steps = 1
            best, step = slant, 0
            if down[j] < best:
                best, step = down[j], down_steps[j]
            if right < best:
                best, step = right, -right_steps
            total[i + 1, j + 1] = best
            steps[i, j] = step
            slanting[j] = slant
            slanting_left = slant
    return total, steps


@kernel("i8[:, ::1](i2[:, ::1], i8[:, ::1])")
def starts(steps, ends):  # type: ignore[no-untyped-def]
    """See `timewarp.starts`."""
    columns = steps.shape[1]
    found = np.empty((len(ends), 2), dtype=np.int64)
    # Paths run together: of each cell that one has passed, the number of its path. Where another comes upon it, its
    # start is known. (Pages of zeros that no path comes to are never made.)
    passed = np.zeros(steps.size, dtype=np.int32)
    for k in range(len(ends)):
        i, j = ends[k, 0], ends[k, 1]
        first_i, first_j = i, j
        while i >= 0 and j >= 0:
            other = passed[i * columns + j]
            if other > 0:
                first_i, first_j = found[other - 1, 0], found[other - 1, 1]
                break
            passed[i * columns + j] = k + 1
            step = steps[i, j]
            first_i, first_j = i - max(step, 0), j + min(step, 0)
            i, j = first_i - 1, first_j - 1
        found[k, 0], found[k, 1] = first_i, first_j
    return found


@kernel("Tuple((i8[:, ::1], i8))(i2[:, ::1], i8, i8, i8)")
def trace(steps, i, j, longest):  # type: ignore[no-untyped-def]
    """See `timewarp.trace`."""
    cells = np.empty((i + j + 2, 2), dtype=np.int64)
    at, count = len(cells), 0
    while i >= 0 and j >= 0:
        step = steps[i, j]
        count += abs(step) == longest
        for _ in range(abs(step)):
            at -= 1
            cells[at, 0], cells[at, 1] = i, j
            i -= step > 0
            j -= step < 0
        at -= 1
        cells[at, 0], cells[at, 1] = i, j
        i, j = i - 1, j - 1
    return cells[at:].copy(), count
