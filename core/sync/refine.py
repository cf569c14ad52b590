"""The second pass of a registration: single frames, at the full rate, in a band round the first path.

A window takes for granted that both clips run equally fast inside it, and is lopsided at the clips' ends; single
frames know better once it is clear where to look.

Method: Time registration.
"""

import numpy as np

from ..motion.quat import Array
from . import dtw
from .distance import Metric
from .dtw import Cells

PIECE = 1000  # frames of the reference at a time
OVERLAP = 120  # frames on each side of a piece that only lead the path there


def path(matrix: Array, first: dtw.WarpPath, limit: int, reach: int) -> dtw.WarpPath:
    """Return the best path in a band of ± reach frames round a first one, between the same ends."""
    (top, left), (bottom, right) = first.cells[0], first.cells[-1]
    # The path passes all rows between, so what lies within reach of its cells is one stretch of each row.
    rows = np.arange(top, bottom + 1)
    lowest = first.cells[np.searchsorted(first.cells[:, 0], np.maximum(rows - reach, top)), 1] - reach
    highest = first.cells[np.searchsorted(first.cells[:, 0], np.minimum(rows + reach, bottom), "right") - 1, 1] + reach
    columns = np.arange(left, right + 1)
    near = (columns >= lowest[:, None]) & (columns <= highest[:, None])
    banded = np.where(near, matrix[top : bottom + 1, left : right + 1], np.inf)
    found = dtw.pinned(banded, max(limit, dtw.needed_limit(*banded.shape)))
    return dtw.WarpPath(found.cells + first.cells[0], found.cost, found.at_limit)


def cells(reference: Metric, clip: Metric, around: Cells, limit: int, reach: int) -> Cells:
    """Return the cells (·, 2) of the best path in a band round a first one of cells (K, 2), some rows at a time.

    The whole matrix is never there. Rows go on from piece to piece; a column may stay where two pieces meet.
    """
    (top, _), (bottom, _) = around[0], around[-1]
    found = []
    for start in range(top, bottom + 1, PIECE):
        end = min(start + PIECE, bottom + 1)
        inside = (around[:, 0] >= start - OVERLAP) & (around[:, 0] < end + OVERLAP)
        led = around[inside]
        low, high = led[0], led[-1]
        matrix = reference.part(low[0], high[0]).matrix(clip.part(low[1], high[1]), 0)
        here = path(matrix, dtw.WarpPath(led - low, 0.0, 0.0), limit, reach).cells + low
        found.append(here[(here[:, 0] >= start) & (here[:, 0] < end)])
    joined = np.concatenate(found)
    return np.column_stack([joined[:, 0], np.maximum.accumulate(joined[:, 1])])


def spread(thinned: Cells, every: int, rows: int, columns: int) -> Cells:
    """Return the cells of a path through every so manieth frame as one through all frames (M, N) of both clips."""
    corners = thinned * every
    # The last of the thinned frames stands for those up to the end.
    end = [
        count - 1 if last == (count - 1) // every else last * every
        for last, count in zip(thinned[-1], (rows, columns), strict=True)
    ]
    corners = np.concatenate([corners, [end]])
    found = [corners[-1:]]
    for corner, step in zip(corners[-2::-1], np.diff(corners, axis=0)[::-1], strict=True):
        count = int(step.max())
        if count > 0:
            found.append(corner + np.arange(count)[:, None] * step // count)
    return np.concatenate(found[::-1])
