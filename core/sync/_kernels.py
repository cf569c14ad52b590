"""The recurrences of this package for numba; `_twins` has the same functions for numpy."""

import numpy as np

from ..jit import kernel


@kernel("Tuple((f8[:, ::1], i1[:, ::1]))(f8[:, ::1], f8[::1], f8[::1], i8)")
def accumulate(distance, skip_rows, skip_columns, limit):  # type: ignore[no-untyped-def]
    """See `timewarp.accumulate`."""
    rows, columns = distance.shape
    total = np.empty((rows + 1, columns + 1))
    steps = np.zeros((rows, columns), dtype=np.int8)
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


@kernel("i8[:, ::1](i1[:, ::1], i8[:, ::1])")
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
