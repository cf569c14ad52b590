"""Convert a smooth registration curve to a timewarp matrix of [TMPS] (methods: Time registration)."""

import numpy as np

from ..motion.quat import Array


def matrix(frames: Array, rows: int) -> Array:
    """Return the timewarp matrix W (M, N) of a registration: the row 0, 1 … M−1 times W is `frames` (N,).

    frames : of a clip of M = `rows` frames, at each frame of the reference, NaN without a counterpart

    Each column interpolates linearly between two adjacent frames, so that the curve is reproduced exactly; a NaN gives
    an empty column. [TMPS] uses whole cells along its smoothed path, which rounds the frames played.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.sync import timewarp_matrix
        >>> warp = timewarp_matrix.matrix(np.array([0.0, 0.75, 2.0]), rows=3)
        >>> warp.tolist()
        [[1.0, 0.25, 0.0], [0.0, 0.75, 0.0], [0.0, 0.0, 1.0]]
        >>> (np.arange(3) @ warp).tolist()
        [0.0, 0.75, 2.0]
    """
    known = np.flatnonzero(~np.isnan(frames))
    before = np.clip(np.floor(frames[known]).astype(np.int64), 0, max(rows - 2, 0))
    share = frames[known] - before
    warp = np.zeros((rows, len(frames)))
    warp[before, known] = 1.0 - share
    warp[np.minimum(before + 1, rows - 1), known] += share
    return warp
