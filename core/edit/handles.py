"""Bézier handles of other lengths than a third of the gap between two keys (methods: Fewer keys)."""

import numpy as np
from numpy.typing import NDArray

from ..motion.quat import Array

_STEPS = 40  # bisection steps: a parameter to 1e-12


def parameter(share: Array, leaving: Array, arriving: Array) -> Array:
    """Return the parameter of a Bézier segment at a share of its duration.

    share : of the time between two keys, 0 to 1; leaving, arriving : lengths of the two handles as shares, each at most
        1

    Example:
        >>> import numpy as np
        >>> from action_loom.core.edit import handles
        >>> handles.parameter(np.array([0.0, 0.5, 1.0]), np.array(1 / 3), np.array(1 / 3)).round(6).tolist()
        [0.0, 0.5, 1.0]
    """
    low, high = np.zeros(np.broadcast_shapes(share.shape, leaving.shape)), np.ones(1)
    high = np.broadcast_to(high, low.shape).copy()
    for _ in range(_STEPS):
        middle = 0.5 * (low + high)
        _, first, second, last = weights(middle)
        early = first * leaving + second * (1.0 - arriving) + last < share
        low, high = np.where(early, middle, low), np.where(early, high, middle)
    return np.asarray(0.5 * (low + high))


def weights(t: Array) -> tuple[Array, Array, Array, Array]:
    """Return the weights of a Bézier segment's four control points at a parameter.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.edit import handles
        >>> [float(one) for one in handles.weights(np.array(0.5))]
        [0.125, 0.375, 0.375, 0.125]
    """
    u = 1.0 - t
    return u**3, 3.0 * u * u * t, 3.0 * u * t * t, t**3


def slopes(values: Array, frames: NDArray[np.int64], reach: Array) -> tuple[Array, float]:
    """Return the handle slopes (K, 2, n) that best fit values (F, n) between given keys, and the largest error.

    frames (K,) : of the keys, increasing, including the first and the last; reach (K, 2) : of their handles, in frames

    Example:
        >>> import numpy as np
        >>> from action_loom.core.edit import handles
        >>> wave = (np.arange(11.0) ** 3)[:, None]
        >>> found, missed = handles.slopes(wave, np.array([0, 10]), np.full((2, 2), 10.0 / 3.0))
        >>> round(float(found[1, 0, 0])), missed < 1e-6  # of x ** 3 at 10
        (300, True)
    """
    count, width = len(frames), values.shape[1]
    found, missed = np.zeros((count, 2, width)), 0.0
    for k in range(count - 1):
        first, last = int(frames[k]), int(frames[k + 1])
        gap = float(last - first)
        line = (values[last] - values[first]) / gap
        found[k, 1], found[k + 1, 0] = line, line
        share = np.arange(1, last - first) / gap
        if not len(share):
            continue
        leave, arrive = float(reach[k, 1]), float(reach[k + 1, 0])
        w0, w1, w2, w3 = weights(parameter(share, np.array(leave / gap), np.array(arrive / gap)))
        base = np.outer(w0 + w1, values[first]) + np.outer(w2 + w3, values[last])
        pull = np.stack([leave * w1, -arrive * w2], axis=1)
        rest = values[first + 1 : last] - base
        solved = np.linalg.lstsq(pull, rest, rcond=1e-9)[0]
        found[k, 1], found[k + 1, 0] = solved
        missed = max(missed, float(np.linalg.norm(rest - pull @ solved, axis=1).max()))
    found[0, 0], found[-1, 1] = found[0, 1], found[-1, 0]
    return found, missed
