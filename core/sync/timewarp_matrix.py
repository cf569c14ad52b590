"""Timewarping as a matrix, as [TMPS] has it, of a smooth registration curve (methods: Time registration)."""

import numpy as np

from ..motion.quat import Array


def matrix(frames: Array, rows: int) -> Array:
    """Return the timewarp matrix W (M, N) of a registration: frames 0 … M−1 as a row, times W, are `frames` (N,).

    frames : of a clip of M = `rows` frames, at each frame of the reference, NaN where none corresponds. Two
    neighbouring frames share a column, in the ratio of their distances, so that the curve comes out exactly; a
    column of NaN is empty. [TMPS] has its smoothed path as whole cells, and rounds what it plays by doing so.
    """
    known = np.flatnonzero(~np.isnan(frames))
    before = np.clip(np.floor(frames[known]).astype(np.int64), 0, max(rows - 2, 0))
    share = frames[known] - before
    warp = np.zeros((rows, len(frames)))
    warp[before, known] = 1.0 - share
    warp[np.minimum(before + 1, rows - 1), known] += share
    return warp
