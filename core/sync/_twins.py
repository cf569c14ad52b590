"""The recurrences of this package for numpy, row by row: the same numbers as `_kernels` to the last bit."""

import numpy as np
from numpy.typing import NDArray

from ..motion.quat import Array


def accumulate(
    distance: Array, skip_rows: Array, skip_columns: Array, limit: int
) -> tuple[Array, NDArray[np.int8]]:
    """See `timewarp.accumulate`."""
    rows, columns = distance.shape
    total = np.empty((rows + 1, columns + 1))
    steps = np.zeros((rows, columns), dtype=np.int8)
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


def starts(steps: NDArray[np.int8], ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """See `timewarp.starts`."""
    found = ends.copy()
    going = np.arange(len(ends))
    while len(going):
        i, j = found[going].T
        step = steps[i, j].astype(np.int64)
        first = np.stack([i - np.maximum(step, 0), j + np.minimum(step, 0)], axis=1)
        found[going] = first
        further = (first > 0).all(axis=1)
        going = going[further]
        found[going] -= 1
    return found
