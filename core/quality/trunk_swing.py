"""The counter-rotation of chest and pelvis, as in walking.

Method: Splicing upper body onto locomotion.
"""

import numpy as np

from ..motion import quat, root_motion
from ..motion.clip import Clip
from ..motion.quat import Array
from . import world_pose

SLOW = 0.5  # s; sigma of the slow bearing, which is subtracted from the faster swing of steps
STILL = np.radians(0.1)  # radians; a part with a smaller standard deviation does not swing


def yaws(clip: Clip) -> tuple[Array, Array] | None:
    """Return the swing of pelvis and chest (F,) about the vertical, radians; None if these parts are not known.

    Example:
        >>> from action_loom.core.quality import trunk_swing
        >>> from action_loom.core.demo_character import actions
        >>> pelvis, chest = trunk_swing.yaws(actions.walk())
        >>> pelvis.shape, [round(float(abs(yaw).max()), 2) for yaw in (pelvis, chest)]
        ((97,), [0.15, 0.17])
    """
    roles = clip.skeleton.roles
    if "chest" not in roles or root_motion.heading_source(clip.skeleton) != "thighs":
        return None
    body, sigma = world_pose.pose(clip), SLOW * clip.rate
    pelvis = root_motion.raw_pelvis_heading(clip.skeleton, body.rotations, body.points)
    faced = root_motion.smooth(pelvis, sigma)
    chest = quat.mul(body.rotations[:, roles["chest"]], quat.inv(clip.skeleton.rest[0][roles["chest"]]))
    turned = np.unwrap(quat.yaw(quat.mul(quat.about_axis("Z", -faced), chest)))
    return pelvis - faced, turned - root_motion.smooth(turned, sigma)


def counter(clip: Clip) -> float | None:
    """Return the correlation of both swings: near −1 if the chest swings against the pelvis, near 1 if with it.

    None if pelvis or chest is not known or does not swing.

    Example:
        >>> from action_loom.core.quality import trunk_swing
        >>> from action_loom.core.demo_character import actions
        >>> round(trunk_swing.counter(actions.walk()), 2), round(trunk_swing.counter(actions.carry()), 2)
        (-1.0, -0.66)
    """
    swings = yaws(clip)
    if swings is None or min(float(np.std(yaw)) for yaw in swings) < STILL:
        return None
    return float(np.corrcoef(*swings)[0, 1])
