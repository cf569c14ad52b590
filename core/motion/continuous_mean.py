"""Mean of rotations over frames without jumps, even if they differ by more than half a turn.

Method: N-way blending.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from . import quat
from .quat import Array

FAR = np.radians(150.0)  # rotations that never differ by more have a unique shortest arc, so `quat.mean` is continuous
SWINGS = 3.0  # times the largest step of the rotations; larger steps of their vectors are swings of the axis
ENDS_ALIKE = np.radians(20.0)  # a joint returns if its rotation differs by less between the first and the last frame


def mean_of_frames(rotations: Sequence[Array], weights: Array) -> Array:
    """Return the weighted mean rotations (F, J, 4) of N arrays (F, J, 4), continuous over the frames.

    weights (N, F) : with sum 1 over N

    The mean equals `quat.mean` unless two rotations of a joint differ by more than 150° in a frame. Their difference
    is then unwrapped along the frames, starting at the frame of its minimum, or split into turns about one axis
    and a rest if its axis swings near a whole turn. If all rotations return to their start but differ in their number
    of turns, the mean does not return, so with constant weights the joint takes the rotation of the greatest weight.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.motion import continuous_mean, quat
        >>> turn = quat.about_axis("Z", np.radians(np.linspace(0.0, 300.0, 31)))[:, None]
        >>> still = np.tile(quat.IDENTITY, (31, 1, 1))
        >>> half = continuous_mean.mean_of_frames([still, turn], np.full((2, 31), 0.5))
        >>> np.degrees(np.unwrap(quat.yaw(half[:, 0]))).round(6)[[10, 20, 30]].tolist()
        [50.0, 100.0, 150.0]
    """
    found = quat.mean(rotations, weights[..., None])
    apart = [np.abs(np.einsum("fjk,fjk->fj", rotations[0], other)).min(axis=0) for other in rotations[1:]]
    for joint in np.flatnonzero(np.any([one < np.cos(0.5 * FAR) for one in apart], axis=0)).tolist():
        found[:, joint] = _mean_of_joint([one[:, joint] for one in rotations], weights)
    return found


def _mean_of_joint(rotations: Sequence[Array], weights: Array) -> Array:
    first = quat.continuous(rotations[0])
    away = [_split(quat.mul(quat.inv(first), other)) for other in rotations[1:]]
    turns = [float(np.linalg.norm(turn[-1] - turn[0])) > np.pi for turn, _ in away]
    if any(turns) and all(map(_comes_back, rotations)) and np.ptp(weights, axis=1).max() < 1e-9:
        return rotations[int(np.argmax(weights[:, 0]))]
    turn, rest = np.einsum("nf,npfk->pfk", weights[1:], np.array(away))
    return quat.normalize(quat.mul(first, quat.mul(quat.exp(turn), quat.exp(rest))))


def _split(rotations: Array) -> tuple[Array, Array]:
    """Return rotation vectors (F, 3) whose rotations, one after the other, are `rotations` (F, 4), without jumps.

    The second is 0 if the unwrapped vectors are steady. Near a whole turn their axis may be any, and swings: turns
    about the axis of most motion are then unwrapped alone.
    """
    vectors = unwrap(quat.log(rotations))
    steps = quat.log(quat.mul(rotations[1:], quat.inv(rotations[:-1])))
    whole = vectors, np.zeros_like(vectors)
    if len(steps) == 0 or _largest(np.diff(vectors, axis=0)) <= SWINGS * _largest(steps):
        return whole
    axis = np.linalg.eigh(steps.T @ steps)[1][:, -1]
    turn = np.unwrap(2.0 * np.arctan2(rotations[:, 1:] @ axis, rotations[:, 0]))[:, None] * axis
    rest = quat.log(quat.mul(quat.exp(-turn), rotations))
    swinging = _largest(np.diff(turn, axis=0)) + _largest(np.diff(rest, axis=0))
    return (turn, rest) if swinging < _largest(np.diff(vectors, axis=0)) else whole


def _largest(vectors: Array) -> float:
    return float(np.linalg.norm(vectors, axis=1).max())


def _comes_back(rotations: Array) -> bool:
    return float(np.linalg.norm(quat.log(quat.mul(quat.inv(rotations[0]), rotations[-1])))) < ENDS_ALIKE


def unwrap(vectors: Array) -> Array:
    """Return rotation vectors (F, 3) of the same rotations without jumps between frames; angles may exceed half a turn.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.motion import continuous_mean
        >>> jumping = np.radians([[0.0, 0.0, 170.0], [0.0, 0.0, -170.0]])
        >>> np.degrees(continuous_mean.unwrap(jumping))[:, 2].round(6).tolist()
        [170.0, 190.0]
    """
    out, start = vectors.copy(), int(np.argmin(np.linalg.norm(vectors, axis=1)))
    for order in (range(start + 1, len(out)), range(start - 1, -1, -1)):
        before = out[start]
        for frame in order:
            before = out[frame] = _nearest(vectors[frame], before)
    return out


def _nearest(vector: Array, to: Array) -> NDArray[np.float64]:
    """Return the vector (3,) nearest to `to` among all vectors of the same rotation as `vector`."""
    angle = float(np.linalg.norm(vector))
    if angle < 1e-9:
        # Whole turns are the identity about any axis.
        far = float(np.linalg.norm(to))
        turns = round(far / (2.0 * np.pi))
        return np.asarray(2.0 * np.pi * turns / far * to if turns else vector)
    axis = vector / angle
    return np.asarray((angle + 2.0 * np.pi * round((float(to @ axis) - angle) / (2.0 * np.pi))) * axis)
