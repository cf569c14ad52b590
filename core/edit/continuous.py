"""Discontinuity filters for rotation keys: remove jumps by whole turns, equivalent Euler triples and signs.

The result is a factor and a summand for each key's values, so that its handles can be changed with the key.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..motion.quat import Array

NEAR = 3.0  # frames; a large change over a longer gap may be an intended spin
_JUMP = np.pi  # radians, all angles together; a correction must reduce the change by at least this


@dataclass(frozen=True, eq=False)
class Mended:
    """The correction of keys (K, n): factors * keys + turns; jumps (K,) : whether a jump was removed before a key."""

    factors: Array
    turns: Array
    jumps: NDArray[np.bool_]


def eulers(times: Array, angles: Array, middle: int) -> Mended:
    """Return the correction of jumps in Euler angles (K, 3), radians, keyed at times (K,), frames.

    middle : column of the middle axis of the rotation order. A jump is a change of about a whole turn, or to the other
    triple of the same rotation (outer angles shifted by half a turn, the middle one reflected), between keys at most
    `NEAR` apart; all later keys are changed in the same way.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.edit import continuous
        >>> angles = np.radians([[170.0, 0.0, 0.0], [-170.0, 0.0, 0.0]])
        >>> mended = continuous.eulers(np.array([1.0, 2.0]), angles, middle=1)
        >>> np.degrees(mended.factors * angles + mended.turns)[:, 0].round().tolist()
        [170.0, 190.0]
    """
    other = np.full(3, np.pi), np.where(np.arange(3) == middle, -1.0, 1.0)
    return _mend_angles(times, angles, other)


def angle(times: Array, angles: Array) -> Mended:
    """Return the correction of jumps by whole turns in a single angle (K, 1) keyed separately from the others.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.edit import continuous
        >>> angles = np.radians([[350.0], [5.0], [20.0]])
        >>> mended = continuous.angle(np.arange(3.0), angles)
        >>> np.degrees(angles + mended.turns)[:, 0].round().tolist(), mended.jumps.tolist()
        ([350.0, 365.0, 380.0], [False, True, False])
    """
    return _mend_angles(times, angles, None)


def signs(quaternions: Array) -> Mended:
    """Return the signs that bring quaternion keys (K, 4) into the hemisphere of the first one.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.edit import continuous
        >>> keys = np.array([[1.0, 0.0, 0.0, 0.0], [-0.8, -0.6, 0.0, 0.0]])
        >>> continuous.signs(keys).factors[:, 0].tolist()
        [1.0, -1.0]
    """
    jumps = np.concatenate([[False], (quaternions[1:] * quaternions[:-1]).sum(axis=1) < 0.0])
    sign = np.where(np.cumsum(jumps) % 2 == 1, -1.0, 1.0)
    factors = np.repeat(sign[:, None], quaternions.shape[1], axis=1)
    return Mended(factors, np.zeros(quaternions.shape), jumps)


def _mend_angles(times: Array, angles: Array, other: tuple[Array, Array] | None) -> Mended:
    factors, turns = np.ones(angles.shape), np.zeros(angles.shape)
    jumps = np.zeros(len(angles), dtype=bool)
    change = np.abs(np.diff(angles, axis=0)).sum(axis=1)
    factor, turn = np.ones(angles.shape[1]), np.zeros(angles.shape[1])
    begin = 0
    # The change between keys does not depend on the triple chosen for earlier keys, so raw keys are compared.
    for k in (np.flatnonzero((change > _JUMP) & (np.diff(times) <= NEAR)) + 1).tolist():
        own, added = _nearest(angles[k], angles[k - 1], other)
        if change[k - 1] - np.abs(own * angles[k] + added - angles[k - 1]).sum() < _JUMP:
            continue
        factors[begin:k], turns[begin:k] = factor, turn
        factor, turn = factor * own, factor * added + turn
        begin, jumps[k] = k, True
    factors[begin:], turns[begin:] = factor, turn
    return Mended(factors, turns, jumps)


def _nearest(angles: Array, before: Array, other: tuple[Array, Array] | None) -> tuple[Array, Array]:
    """Return the factors and summands that give the angles (n,) of the same rotation nearest to `before`."""
    triples = [(np.ones(len(angles)), np.zeros(len(angles)))]
    if other is not None:
        triples.append((other[1], other[0]))
    candidates = []
    for factor, added in triples:
        whole = 2.0 * np.pi * np.round((before - factor * angles - added) / (2.0 * np.pi))
        candidates.append((factor, added + whole))
    return min(candidates, key=lambda pair: float(np.abs(pair[0] * angles + pair[1] - before).sum()))
