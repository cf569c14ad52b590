"""Keys of turns without jumps: which whole turns, other triples and signs take jumps off, and nothing else.

Of each key it is told as how its numbers are to be changed, so that handles can be changed along with them.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..motion.quat import Array

NEAR = 3.0  # frames; keys farther apart than that may be meant to spin
_JUMP = np.pi  # of all three angles together; by at least so much less they change without a jump


@dataclass(frozen=True, eq=False)
class Mended:
    """Keys (K, n) are to be factors * keys + turns; jumps (K,) : whether one was taken off before a key."""

    factors: Array
    turns: Array
    jumps: NDArray[np.bool_]


def eulers(times: Array, angles: Array, middle: int) -> Mended:
    """Return what takes jumps off angles (K, 3), radians, keyed at times (K,), frames; middle : which axis is.

    A jump is a change of about a whole turn, or to the other triple of the same rotation (outer angles half a turn on,
    the middle one reflected), between keys that are `NEAR`; all later keys are changed alike.
    """
    other = np.full(3, np.pi), np.where(np.arange(3) == middle, -1.0, 1.0)
    return _mended(times, angles, other)


def angle(times: Array, angles: Array) -> Mended:
    """Return what takes jumps over whole turns off one angle (K, 1) whose fellows have keys elsewhere, or none."""
    return _mended(times, angles, None)


def signs(quaternions: Array) -> Mended:
    """Return the signs that bring neighbouring keys (K, 4) into one hemisphere, the first one's."""
    jumps = np.concatenate([[False], (quaternions[1:] * quaternions[:-1]).sum(axis=1) < 0.0])
    sign = np.where(np.cumsum(jumps) % 2 == 1, -1.0, 1.0)
    factors = np.repeat(sign[:, None], quaternions.shape[1], axis=1)
    return Mended(factors, np.zeros(quaternions.shape), jumps)


def _mended(times: Array, angles: Array, other: tuple[Array, Array] | None) -> Mended:
    factors, turns = np.ones(angles.shape), np.zeros(angles.shape)
    jumps = np.zeros(len(angles), dtype=bool)
    change = np.abs(np.diff(angles, axis=0)).sum(axis=1)
    factor, turn = np.ones(angles.shape[1]), np.zeros(angles.shape[1])
    begin = 0
    # The change from key to key is the same, whichever triple the keys before were brought to.
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
    """The factors and what is added that bring angles (n,) nearest to those before them, as the same rotation."""
    ways = [(np.ones(len(angles)), np.zeros(len(angles)))]
    if other is not None:
        ways.append((other[1], other[0]))
    found = []
    for factor, added in ways:
        whole = 2.0 * np.pi * np.round((before - factor * angles - added) / (2.0 * np.pi))
        found.append((factor, added + whole))
    return min(found, key=lambda one: float(np.abs(one[0] * angles + one[1] - before).sum()))
