"""Keep the IK control of a foot still during stances, while a control below it rolls the foot."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ....core.motion import quat
from ....core.motion.quat import Array


def control_transforms(stiff: Array, rest: Array, stances: Sequence[tuple[int, int]], up: Array) -> Array:
    """Return the transforms of the control (F, 4, 4): in each stance, the transform of the most level foot.

    stiff (F, 4, 4) : its transforms without the roll; rest (4, 4) : at rest, with a level foot
    stances : frames (first, end) in which the foot stands; up (3,) : upwards in the same space

    Between stances the roll is interpolated from the end of one to the beginning of the next.
    """
    count = len(stiff)
    upright = np.linalg.norm((stiff @ np.linalg.inv(rest))[:, :3, :3] @ up - up, axis=1)
    out, stands = stiff.copy(), np.zeros(count, bool)
    knots, rolls = [-1], [np.eye(4)]
    for first, end in stances:
        level = stiff[first + int(upright[first:end].argmin())]
        out[first:end], stands[first:end] = level, True
        knots += [first, end - 1]
        rolls += [np.linalg.inv(stiff[k]) @ level for k in (first, end - 1)]
    roll = _between(np.array([*knots, count]), np.stack([*rolls, np.eye(4)]), np.arange(count))
    out[~stands] = (stiff @ roll)[~stands]
    return out


def _between(knots: NDArray[np.int64], there: Array, frames: NDArray[np.int64]) -> Array:
    """Interpolate transforms (F, 4, 4) between known frames."""
    vectors = quat.log(quat.from_matrix(there[:, :3, :3]))
    numbers = [np.interp(frames, knots, one) for one in (*vectors.T, *there[:, :3, 3].T)]
    out = np.tile(np.eye(4), (len(frames), 1, 1))
    out[:, :3, :3] = quat.to_matrix(quat.exp(np.stack(numbers[:3], axis=1)))
    out[:, :3, 3] = np.stack(numbers[3:], axis=1)
    return out
