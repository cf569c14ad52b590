"""The kernels of this package for numpy: the same numbers as `_numba`, up to rounding."""

import numpy as np
from numpy.typing import NDArray

from . import quat
from .quat import Array


def mean(rotations: Array, weights: Array, iterations: int) -> Array:
    """See `quat.mean`."""
    heaviest = np.argmax(weights, axis=0)
    estimate = np.take_along_axis(rotations, heaviest[None, :, None], axis=0)[0]
    # Only estimates that still move are continued: two rotations need one step, many that lie far apart some dozens.
    moving = np.arange(len(estimate))
    for _ in range(iterations):
        here = estimate[moving]
        logarithms = quat.log(quat.mul(quat.inv(here), rotations[:, moving]))
        step = np.sum(weights[:, moving, None] * logarithms, axis=0)
        estimate[moving] = quat.mul(here, quat.exp(step))
        moving = moving[np.abs(step).max(axis=-1, initial=0.0) >= 1e-12]
        if len(moving) == 0:
            break
    return quat.normalize(estimate)


def curve(values: Array, frames: Array) -> Array:
    """See `resample.curve`; for two samples or more, and frames within them."""
    last = len(values) - 1
    start = np.minimum(frames.astype(np.int64), last - 1)
    t = (frames - start)[:, None]
    before, end, after = np.maximum(start - 1, 0), start + 1, np.minimum(start + 2, last)
    a, b = values[start], values[end]
    slope_a, slope_b = (b - values[before]) / (end - before)[:, None], (values[after] - a) / (after - start)[:, None]
    step = b - a
    return a + t * (slope_a + t * (3.0 * step - 2.0 * slope_a - slope_b + t * (slope_a + slope_b - 2.0 * step)))


def forward(
    joints: NDArray[np.int64],
    parents: NDArray[np.int64],
    offsets: Array,
    orients: Array,
    rotations: Array,
    translations: Array,
) -> tuple[Array, Array]:
    """See `kinematics.forward`: for some joints, parents before children; the others are zero."""
    turned, moved = np.zeros(rotations.shape), np.zeros(translations.shape)
    depth = np.zeros(len(parents), dtype=np.int64)
    for joint in joints:
        depth[joint] = 0 if parents[joint] < 0 else depth[parents[joint]] + 1
    for level in range(int(depth[joints].max(initial=-1)) + 1):
        here = joints[depth[joints] == level]
        orient, above = orients[here], parents[here]
        turn = quat.mul(orient, rotations[:, here])
        place = offsets[here] + quat.rotate(orient, translations[:, here])
        if level > 0:
            around = turned[:, above]
            turn, place = quat.mul(around, turn), moved[:, above] + quat.rotate(around, place)
        turned[:, here], moved[:, here] = turn, place
    return turned, moved
