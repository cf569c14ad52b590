"""The recurrences of this package for numba; `_twins` has the same functions for numpy."""

import numpy as np

from ..jit import kernel


@kernel("Tuple((f8[:, ::1], i2[:, ::1]))(f8[:, ::1], f8[::1], f8[::1], i8)")
def accumulate(distance, skip_rows, skip_columns, limit):  # type: ignore[no-untyped-def]
    """See `timewarp.accumulate`."""
    rows, columns = distance.shape
    total = np.empty((rows + 1, columns + 1))
    steps = np.zeros((rows, columns), dtype=np.int16)
    total[:, 0] = skip_rows
    total[0, :] = skip_columns
    for i in range(rows):
        for j in range(columns):
            run = distance[i, j]
            best = total[i, j] + run
            step = 0
            for k in range(1, min(limit, i + 1)):
                run += distance[i - k, j]
                if total[i - k, j] + run < best:
                    best = total[i - k, j] + run
                    step = k
            run = distance[i, j]
            for k in range(1, min(limit, j + 1)):
                run += distance[i, j - k]
                if total[i, j - k] + run < best:
                    best = total[i, j - k] + run
                    step = -k
            total[i + 1, j + 1] = best
            steps[i, j] = step
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
    found = np.empty((len(ends), 2), dtype=np.int64)
    for k in range(len(ends)):
        i, j = ends[k, 0], ends[k, 1]
        first_i, first_j = i, j
        while i >= 0 and j >= 0:
            step = steps[i, j]
            first_i, first_j = i - max(step, 0), j + min(step, 0)
            i, j = first_i - 1, first_j - 1
        found[k, 0], found[k, 1] = first_i, first_j
    return found
