"""Timewarping as [TMPS] prints it, of paths of whole cells: its matrix, and its incremental inverse timewarping.

Its rows are the frames of the re-timed clip, its columns the reference's frames; here both count from 0.
"""

import numpy as np

# The path of its figures, counted from 1, and the printed frames for it.
PRINTED = np.array([(1, 1), (2, 2), (3, 3), (4, 3), (5, 3), (6, 4), (6, 5), (6, 6), (6, 7), (7, 8)])
PRINTED_FRAMES = (1, 2, 4, 6, 6.25, 6.5, 6.75, 7)


def of_cells(cells: np.ndarray) -> np.ndarray:
    """Return its matrix W (M, N) of a path of cells (K, 2) from corner to corner.

    Frames that share a column are averaged; a row over several columns passes evenly to the next row, and the last row
    holds.
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


def warped(warp: np.ndarray) -> np.ndarray:
    """Return the frame (N,) of the re-timed clip, from 0, at each frame of the reference: s = s_m · W."""
    return np.arange(len(warp), dtype=float) @ warp


def steps(warp: np.ndarray) -> np.ndarray:
    """Return d (N,), the step of the re-timed clip at each frame: d[n] = s[n+1] − s[n], the last 1.

    A blend with weights w has the length of the sum of all w·d, the reference's own d being 1.
    """
    return np.append(np.diff(warped(warp)), 1.0)
