"""Rigid transform that best maps points onto their targets."""

import numpy as np

from ....core.motion.quat import Array

_WEIGHT = 1e-6  # weight against rotation, relative to the rig's height: it matters only for collinear places


def movement(here: Array, there: Array, height: float) -> Array:
    """Return the rigid transforms (F, 4, 4) that take places (N, F, 3) to others with the smallest possible rotation.

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
