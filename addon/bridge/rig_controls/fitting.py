"""The movement that brings places where they should be."""

import numpy as np

from ....core.motion.quat import Array

_WEIGHT = 1e-6  # of what does not turn beside places apart by the rig's height: only places in one line leave it free


def movement(here: Array, there: Array, height: float) -> Array:
    """Return the stiff movement (F, 4, 4) that takes places (N, F, 3) to others, turned by no more than they need.

    height : of the rig
    """
    middle, goal = here.mean(axis=0), there.mean(axis=0)
    spread = np.einsum("nfi,nfj->fij", there - goal, here - middle) + _WEIGHT * height**2 * np.eye(3)
    left, _, right = np.linalg.svd(spread)
    left[:, :, 2] *= np.sign(np.linalg.det(left @ right))[:, None]
    out = np.broadcast_to(np.eye(4), (len(middle), 4, 4)).copy()
    out[:, :3, :3] = left @ right
    out[:, :3, 3] = goal - np.einsum("fij,fj->fi", out[:, :3, :3], middle)
    return out
