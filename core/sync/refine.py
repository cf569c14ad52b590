"""The second pass of a registration: single frames at the full rate in a band round the first path.

A window assumes that both clips run at one speed inside it, and is lopsided at the ends of a clip. Single frames are
more exact once the first path shows where to search (methods: Time registration).
"""

import numpy as np

from ..motion.quat import Array
from . import dtw
from .distance import Metric
from .dtw import Cells

PIECE = 1000  # frames of the reference at a time
OVERLAP = 120  # frames more on each side of a piece, so that its path does not depend on where it is cut


def path(matrix: Array, first: dtw.WarpPath, limit: int, reach: int) -> dtw.WarpPath:
    """Return the best path in a band of ± reach frames round the first one, between the same ends."""
    (top, left), (bottom, right) = first.cells[0], first.cells[-1]
    # The path passes every row in between, so each row has one stretch of cells within reach of it.
    rows = np.arange(top, bottom + 1)
    lowest = first.cells[np.searchsorted(first.cells[:, 0], np.maximum(rows - reach, top)), 1] - reach
    highest = first.cells[np.searchsorted(first.cells[:, 0], np.minimum(rows + reach, bottom), "right") - 1, 1] + reach
    columns = np.arange(left, right + 1)
    near = (columns >= lowest[:, None]) & (columns <= highest[:, None])
    banded = np.where(near, matrix[top : bottom + 1, left : right + 1], np.inf)
    best = dtw.pinned(banded, max(limit, dtw.needed_limit(*banded.shape)))
    return dtw.WarpPath(best.cells + first.cells[0], best.cost, best.at_limit)


def cells(reference: Metric, clip: Metric, around: Cells, limit: int, reach: int) -> Cells:
    """Return the cells (·, 2) of the best path in a band round the first path's cells (K, 2).

    The matrix is computed in pieces of rows, never whole. Rows rise from piece to piece; where two pieces meet, the
    path may stay in one column.
    """
    (top, _), (bottom, _) = around[0], around[-1]
    pieces = []
    for start in range(top, bottom + 1, PIECE):
        end = min(start + PIECE, bottom + 1)
        inside = (around[:, 0] >= start - OVERLAP) & (around[:, 0] < end + OVERLAP)
        guide = around[inside]
        low, high = guide[0], guide[-1]
        matrix = reference.part(low[0], high[0]).matrix(clip.part(low[1], high[1]), 0)
        here = path(matrix, dtw.WarpPath(guide - low, 0.0, 0.0), limit, reach).cells + low
        pieces.append(here[(here[:, 0] >= start) & (here[:, 0] < end)])
    joined = np.concatenate(pieces)
    return np.column_stack([joined[:, 0], np.maximum.accumulate(joined[:, 1])])


def spread(thinned: Cells, every: int, rows: int, columns: int) -> Cells:
    """Return the cells of a path through every n-th frame (n = `every`) as one through all frames (M, N) of both clips.

    thinned : cells of the thinned clips
    """
    corners = thinned * every
    # The last thinned frame stands for all up to the end.
    end = [
        count - 1 if last == (count - 1) // every else last * every
        for last, count in zip(thinned[-1], (rows, columns), strict=True)
    ]
    corners = np.concatenate([corners, [end]])
    stretches = [corners[-1:]]
    for corner, step in zip(corners[-2::-1], np.diff(corners, axis=0)[::-1], strict=True):
        count = int(step.max())
        if count > 0:
            stretches.append(corner + np.arange(count)[:, None] * step // count)
    return np.concatenate(stretches[::-1])
