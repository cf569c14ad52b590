"""Toes that stay on the floor while the heel of a longer foot is raised (methods: Body roles and retargeting)."""

import numpy as np

from ..motion import quat
from ..motion.quat import Array
from ..motion.skeleton import Skeleton

# Largest angle of a toe relative to its foot. People reach 90°; a little more is allowed, because otherwise the whole
# body is lifted.
MOST_FLEXION = np.radians(100.0)


def flex_toes(skeleton: Skeleton, turned: Array, places: Array, floor: float) -> Array:
    """Return world rotations whose toes are turned up so that their ends do not sink below the floor.

    A foot with longer toes, pitched like the source's, pushes their ends into the floor when the heel rises. A person
    bends the toe joint there. Toes turn no higher than level, and only where the toe is a joint with a known end.

    turned (F, J, 4), places (F, J, 3) : world rotations and places of the joints
    floor : height of the floor, metres

    Example:
        >>> from action_loom.core.bodies import toe_flexion
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import kinematics
        >>> walk = actions.walk(cycles=1)
        >>> rotations, places = kinematics.world(walk)
        >>> toe_flexion.flex_toes(walk.skeleton, rotations, places, -1.0) is rotations
        True
    """
    flexed, rest = turned, skeleton.rest[0]
    for side in "LR":
        toe = skeleton.roles.get(f"toe.{side}")
        length = 0.0 if toe is None else float(np.linalg.norm(skeleton.tips[toe]))
        if toe is None or length == 0.0:
            continue
        forward = quat.rotate(rest[toe], skeleton.tips[toe])
        axis = quat.rotate(quat.inv(rest[toe]), np.array([forward[1], -forward[0], 0.0]))
        if not (size := float(np.linalg.norm(axis))):
            continue
        across, reach = quat.rotate(turned[:, toe], axis / size), quat.rotate(turned[:, toe], skeleton.tips[toe])
        angle = _rise(reach, np.cross(across, reach), np.minimum(floor - places[:, toe, 2], 0.0))
        if angle.any():
            flexed = _turn_up(skeleton, flexed, toe, across * angle[:, None])
    return flexed


def _rise(reach: Array, beside: Array, least: Array) -> Array:
    """Return the smallest angles (F,) that raise vectors to a height in the plane that they span with others.

    reach, beside (F, 3) : vectors of one length, at right angles; reach turns towards beside
    least (F,) : the height, at most 0
    """
    size = np.maximum(np.hypot(reach[:, 2], beside[:, 2]), 1e-12)
    peak = np.arctan2(beside[:, 2], reach[:, 2]) % (2.0 * np.pi)
    angle = peak - np.arccos(np.clip(least / size, -1.0, 1.0))
    return np.where(reach[:, 2] < least, np.clip(angle, 0.0, MOST_FLEXION), 0.0)


def _turn_up(skeleton: Skeleton, turned: Array, toe: int, turn: Array) -> Array:
    """Return rotations in which a toe and the joints below it are turned by rotation vectors (F, 3)."""
    below, found = {toe}, turned.copy()
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if joint == toe or parent in below:
            below.add(joint)
            found[:, joint] = quat.mul(quat.exp(turn), turned[:, joint])
    return found
