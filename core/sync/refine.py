"""The second pass of a registration: single frames at the full rate in a band around the first path.

A window assumes that both clips have the same speed inside it, and is asymmetric at the ends of a clip. Single frames
are more accurate once the first path limits the search (methods: Time registration).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..motion.quat import Array
from . import dtw
from .distance import Metric
from .dtw import Cells

ROWS = 128  # rows of the band whose distances are computed at a time


@dataclass(frozen=True, eq=False)
class Band:
    """The cells near a path: in each row (M,) from `low` to `high`, both inclusive and never decreasing."""

    top: int
    low: NDArray[np.int64]
    high: NDArray[np.int64]

    @classmethod
    def around(cls, cells: Cells, reach: int) -> "Band":
        """Return the band of ± reach rows and columns around a path's cells (K, 2), from its first cell to its last."""
        (top, left), (bottom, right) = cells[0], cells[-1]
        # The path passes every row in its range, so the cells within reach form one interval per row.
        rows = np.arange(top, bottom + 1)
        first = np.searchsorted(cells[:, 0], np.maximum(rows - reach, top))
        last = np.searchsorted(cells[:, 0], np.minimum(rows + reach, bottom), "right") - 1
        low, high = cells[first, 1] - reach, cells[last, 1] + reach
        return cls(int(top), np.maximum(low, left), np.minimum(high, right))

    def path(self, distance: Array, limit: int) -> dtw.WarpPath:
        """Return the best path from the first cell of the band to the last one.

        distance (K,) : of its cells, row by row. Raises RegistrationError if there is none.
        """
        left, counts = int(self.low[0]), self.high - self.low + 1
        limit = max(limit, dtw.needed_limit(len(counts), int(self.high[-1]) - left + 1))
        best = dtw.find_banded_path(distance, self.low - left, counts, limit)
        return dtw.WarpPath(best.cells + np.array([self.top, left]), best.cost, best.at_limit)


def path(matrix: Array, first: dtw.WarpPath, limit: int, reach: int) -> dtw.WarpPath:
    """Return the best path in a band of ± reach frames around the first one, between the same ends."""
    band = Band.around(first.cells, reach)
    columns = np.arange(matrix.shape[1])
    near = (columns >= band.low[:, None]) & (columns <= band.high[:, None])
    return band.path(matrix[band.top : band.top + len(near)][near], limit)


def cells(reference: Metric, clip: Metric, around: Cells, limit: int, reach: int) -> Cells:
    """Return the cells (·, 2) of the best path in a band around the first path's cells (K, 2).

    Only the distances in the band are computed, so memory grows linearly with the length of the clips.
    """
    band = Band.around(around, reach)
    pieces = []
    for start in range(0, len(band.low), ROWS):
        low, high = band.low[start : start + ROWS], band.high[start : start + ROWS]
        rows = reference.part(band.top + start, band.top + start + len(low) - 1)
        distance = rows.matrix(clip.part(int(low[0]), int(high[-1])), 0)
        columns = np.arange(low[0], high[-1] + 1)
        pieces.append(distance[(columns >= low[:, None]) & (columns <= high[:, None])])
    return band.path(np.concatenate(pieces), limit).cells


def spread(thinned: Cells, every: int, rows: int, columns: int) -> Cells:
    """Return the cells of a path through every n-th frame (n = `every`) extended to all frames (M, N) of both clips.

    thinned : cells in the decimated clips
    """
    corners = thinned * every
    # The last decimated frame represents all frames up to the end.
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
