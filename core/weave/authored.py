"""Detect clips authored around the origin of one character, which fit each other without alignment.

Method: Connecting two clips.
"""

from dataclasses import dataclass

import numpy as np

from ..motion import kinematics, root_motion
from ..motion.clip import Clip
from ..motion.quat import Array
from . import root_trajectory

IN_PLACE = 0.3  # body heights; a clip that ends nearer to its start stays in place
STRAIGHT = np.radians(30.0)  # radians; a clip that turns further ends with another facing
# Limits of a clip that was made around the rest pose: the angle of its facing from that of the rest pose (idle stances
# have up to 43°), the angle of its travel from that facing, and the distance of its start from the rest pose.
FACING = np.radians(50.0)  # radians
AHEAD = np.radians(25.0)  # radians
NEAR = 0.2  # body heights
ALONG_AXIS = np.radians(10.0)  # radians from an axis of the ground, instead of AHEAD, for a clip with an unknown front
LEVEL = 0.02  # body heights; shoulders nearer to each other at rest show no facing
# Clips do not fit without alignment if their distance exceeds WORSE times that after alignment plus MORE body heights.
WORSE, MORE = 2.5, 0.02


@dataclass(frozen=True)
class Stand:
    """Whether a clip stays in place, and whether it starts at the place and facing of the rest pose.

    in_place : it ends near its start, with the same facing
    as_made : it starts near the rest pose with its facing, and travels forward or not at all; captures start anywhere
    """

    in_place: bool
    as_made: bool


def stand(clip: Clip) -> Stand:
    """Return whether a clip stays in place, and whether it starts at the place and facing of the rest pose.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.weave import authored
        >>> authored.stand(actions.wave())
        Stand(in_place=True, as_made=True)
        >>> authored.stand(actions.walk())
        Stand(in_place=False, as_made=True)
    """
    skeleton, height = clip.skeleton, clip.skeleton.height
    ground, _ = root_motion.ground_frames(clip)
    raw, ahead = _facing(clip)
    facing = root_motion.smooth(raw, root_motion.HEADING_SIGMA * clip.rate)
    travel = complex(*(ground[-1] - ground[0]))
    straight = bool(abs(facing[-1] - facing[0]) < STRAIGHT)
    in_place = straight and abs(travel) < IN_PLACE * height
    # A body that faces +y has a heading of 0, as has travel along +y.
    goes = float(np.angle(travel / 1j))
    if ahead is None:  # the front is unknown; animators let such clips travel along an axis
        ahead, goes_ahead = 0.0, straight and abs(np.angle(np.exp(4j * goes))) <= 4.0 * ALONG_AXIS
    else:
        goes_ahead = straight and root_trajectory.measure_angle(goes, ahead) <= AHEAD
    place = skeleton.rest[1][root_motion.travelling_joint(skeleton), :2]
    near = (
        np.linalg.norm(ground[0] - place) <= NEAR * height
        and root_trajectory.measure_angle(float(np.mean(facing)), ahead) <= FACING
    )
    return Stand(in_place, bool(near and (in_place or goes_ahead)))


def _facing(clip: Clip) -> tuple[Array, float | None]:
    """Return the facing of the body in each frame (F,) and at rest, radians.

    Without thighs it is taken from the upper arms or shoulders. Without these it is the turn of the hips, and None at
    rest.
    """
    skeleton = clip.skeleton
    if root_motion.heading_source(skeleton) == "thighs":
        return root_motion.ground_frames(clip)[1], root_motion.rest_heading(skeleton)
    for part in ("upper_arm", "clavicle"):
        sides = [skeleton.roles.get(f"{part}.{side}") for side in "LR"]
        if None not in sides:
            known = [joint for joint in sides if joint is not None]
            places = np.concatenate([skeleton.rest[1][None], kinematics.world_of(clip, known)[1]])
            line = (places[:, known[1]] - places[:, known[0]])[:, :2] @ np.array([1.0, 1j])
            if abs(line[0]) > LEVEL * skeleton.height:
                angles = np.unwrap(np.angle(line))
                return angles[1:], float(angles[0])
    return root_motion.ground_frames(clip)[1], None
