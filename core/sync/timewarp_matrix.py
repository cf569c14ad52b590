"""Timewarping as a matrix, and incremental inverse timewarping from it, as [TMPS] gives them (methods 3).

Registration curves do the same on smooth curves; this is for paths as they are.
"""

import numpy as np

from ..motion.quat import Array
from .dtw import Cells


def matrix(cells: Cells) -> Array:
    """Return the timewarp matrix W (M, N) of a path of cells (K, 2) from corner to corner.

    A motion of M frames, as a row of frame values (M,) times W, is in the time of the one of N frames. Frames that
    share a column are averaged; a row that goes on over several columns passes evenly to the next row, and the
    last row holds.
    """
    rows, columns = cells[-1] + 1
    warp = np.zeros((rows, columns))
    same_row = np.flatnonzero(np.diff(cells[:, 0], append=-1) != 0)
    for start, end in zip(np.append(0, same_row[:-1] + 1), same_row, strict=True):
        row, run = cells[start, 0], cells[start : end + 1, 1]
        # A column belongs to this row alone if the rows before and after do not share it.
        alone = run[~np.isin(run, cells[np.r_[:start, end + 1 : len(cells)], 1])]
        passed = np.zeros(len(alone)) if row == rows - 1 else np.arange(len(alone)) / max(len(alone), 1)
        warp[row, alone] = 1.0 - passed
        if row < rows - 1:
            warp[row + 1, alone] = passed
    for column in range(columns):
        sharing = cells[cells[:, 1] == column, 0]
        if len(sharing) > 1:
            warp[sharing, column] = 1.0 / len(sharing)
    return warp


def warped(warp: Array) -> Array:
    """Return the frame (N,) of the warped motion, from 0, at each frame of the other: s = s_m · W."""
    return np.arange(len(warp), dtype=float) @ warp


def steps(warp: Array) -> Array:
    """Return d (N,), by how much each frame takes the warped motion on: d[n] = s[n+1] − s[n], the last 1.

    Weighted sums of such steps, added up, time a blend without ever going backward (Kovar & Gleicher 2003).
    """
    return np.append(np.diff(warped(warp)), 1.0)
