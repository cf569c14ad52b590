"""How chest and pelvis swing against each other, as those of walking bodies do.

Method: Splicing upper body onto locomotion.
"""

import numpy as np

from ..motion import quat, root_motion
from ..motion.clip import Clip
from ..motion.quat import Array
from . import world_pose

SLOW = 0.5  # s; sigma of what is left out as bearing: a step's swing to and fro is faster
STILL = np.radians(0.1)  # what turns less does not swing


def yaws(clip: Clip) -> tuple[Array, Array] | None:
    """Return how pelvis and chest (F,) swing about the vertical, radians; None where these parts are not known."""
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
    """Return the correlation of both: near −1 the chest swings against the pelvis, near 1 it goes with it."""
    found = yaws(clip)
    if found is None or min(float(np.std(yaw)) for yaw in found) < STILL:
        return None
    return float(np.corrcoef(*found)[0, 1])
