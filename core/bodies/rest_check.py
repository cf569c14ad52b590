"""Check whether a body can stand in its rest pose, and otherwise choose a frame of the clip.

Some exporters orient every bone along its own axis, so that legs point up or bodies lie. Rotations relative to such a
pose have no anatomical meaning. Method: Body roles and retargeting.
"""

from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..errors import OptionError
from ..motion import feet, kinematics, quat
from ..motion.clip import Clip
from ..motion.quat import Array
from ..motion.skeleton import Skeleton
from . import rest_frames
from .rest_frames import RestPose

AUTO, REST = "auto", "rest"
LEGS, TRUNK = 50.0, 45.0  # degrees from the vertical allowed at rest for a thigh or shin, and for the trunk
NARROW = 0.15  # of leg length: least distance of the shoulders

CONSTANT = 1e-6  # 1 − |q·r| of rotations that count as equal


class Tilt(NamedTuple):
    """Deviation from standing in degrees: of the worst leg bone, of the trunk, and in total; 0 for unknown parts.

    shoulders : their distance over the leg length; infinite for unknown ones
    """

    legs: Array
    trunk: Array
    total: Array
    shoulders: Array

    @property
    def possible(self) -> Array:
        return np.asarray((self.legs <= LEGS) & (self.trunk <= TRUNK) & (self.shoulders >= NARROW))


def tilt(skeleton: Skeleton, points: Array) -> Tilt:
    """Return the tilt of legs and trunk of a body, and its shoulder distance, from its points (…, P, 3)."""
    roles, worst = skeleton.roles, np.zeros(points.shape[:-2])
    total = worst
    for side, (_, ankle) in feet.balls_and_ankles(skeleton).items():
        ends = (roles.get(f"thigh.{side}"), roles.get(f"shin.{side}"), ankle)
        for high, low in pairwise(ends):
            if high is not None and low is not None:
                angle = _from_vertical(points[..., low, :] - points[..., high, :], -1.0)
                worst, total = np.maximum(worst, angle), total + angle
    trunk = np.zeros_like(worst)
    below = [roles[role] for role in ("thigh.L", "thigh.R") if role in roles]
    above = [roles[role] for role in ("upper_arm.L", "upper_arm.R") if role in roles]
    above = above or [roles[role] for role in ("head", "neck", "chest") if role in roles][:1]
    if below and above:
        rise = points[..., above, :].mean(axis=-2) - points[..., below, :].mean(axis=-2)
        trunk = _from_vertical(rise, 1.0)
    return Tilt(worst, trunk, total + trunk, _shoulders(skeleton, points))


def _shoulders(skeleton: Skeleton, points: Array) -> Array:
    """Return the distance (…,) of the shoulders over the leg length; infinite if they or the legs are not known."""
    left, right = (skeleton.roles.get(f"upper_arm.{side}") for side in "LR")
    if left is None or right is None or skeleton.leg_length <= 0.0:
        return np.full(points.shape[:-2], np.inf)
    return np.asarray(np.linalg.norm(points[..., left, :] - points[..., right, :], axis=-1) / skeleton.leg_length)


def most_upright(clip: Clip) -> int:
    """Return the frame with legs and trunk nearest to upright, by the sum of their angles."""
    found = tilt(clip.skeleton, kinematics.points(clip))
    return int(np.argmin(np.where(found.shoulders >= NARROW, found.total, found.total + 360.0)))


def choose(clip: Clip, asked: str = AUTO) -> RestPose:
    """Return the rest pose relative to which the rotations of a clip are measured.

    asked : "auto" for the rest pose of the skeleton, or the most upright frame of the clip if nobody can stand in that
    rest pose; "rest" for the rest pose of the skeleton in any case; a number for a frame. Raises OptionError for other
    values.

    Example:
        >>> from action_loom.core.bodies import rest_check
        >>> from action_loom.core.demo_character import actions
        >>> rest_check.choose(actions.walk(cycles=1)).name, rest_check.choose(actions.walk(cycles=1), "12").name
        ('rest pose', 'frame 12')
    """
    own = rest_frames.at_rest(clip.skeleton)
    if asked.strip().lower() in (REST, rest_frames.REST_POSE):
        return replace(own, chosen=True)
    if asked != AUTO:
        frame = _frame(clip, asked)
        why = f"Frame {frame} of {clip.name} is used as its rest pose"
        return rest_frames.at_frame(clip, frame, why)
    found = tilt(clip.skeleton, own.points)
    if found.possible:
        return own
    frame = most_upright(clip)
    why = (
        f"Nobody can stand in the rest pose of {clip.name} ({_describe_tilt(found)}): frame {frame}, the most upright,"
        " is used; name another if that is better"
    )
    return replace(rest_frames.at_frame(clip, frame, why), chosen=False)


def stand_up(clip: Clip) -> Clip:
    """Return a clip whose rest pose stands, if it lies and constant rotations above the hips turn it upright.

    Some libraries save a body that lies and a root that turns it up in every frame (KayKit). No pose changes.

    Example:
        >>> from action_loom.core.bodies import rest_check
        >>> from action_loom.core.demo_character import actions
        >>> walk = actions.walk()
        >>> rest_check.stand_up(walk) is walk
        True
    """
    skeleton, hips = clip.skeleton, clip.skeleton.roles.get("hips", -1)
    if hips < 0 or skeleton.inheritance is not None or can_stand(skeleton):
        return clip
    orients, rotations, translations = skeleton.orients.copy(), clip.rotations.copy(), clip.translations.copy()
    joint = int(skeleton.parents[hips])
    while joint >= 0:
        turn = rotations[0, joint].copy()
        if np.abs(rotations[:, joint] @ turn).min() > 1.0 - CONSTANT:
            orients[joint] = quat.mul(orients[joint], turn)
            rotations[:, joint] = quat.mul(quat.inv(turn), rotations[:, joint])
            translations[:, joint] = quat.rotate(quat.inv(turn), translations[:, joint])
        joint = int(skeleton.parents[joint])
    standing = replace(skeleton, orients=orients)
    if not can_stand(standing):
        return clip
    return replace(clip, skeleton=standing, rotations=rotations, translations=translations)


def of_body(skeleton: Skeleton) -> RestPose:
    """Return the rest pose of a body without a clip; its `why` is a warning if nobody can stand in it."""
    own = rest_frames.at_rest(skeleton)
    found = tilt(skeleton, own.points)
    why = f"Nobody can stand in the rest pose of the body ({_describe_tilt(found)}): the result is as far off"
    return own if found.possible else replace(own, why=why)


def can_stand(skeleton: Skeleton) -> bool:
    """Return whether a body can stand in its rest pose; false for a body with unknown legs.

    Example:
        >>> from action_loom.core.bodies import rest_check
        >>> from action_loom.core.demo_character import body
        >>> rest_check.can_stand(body.skeleton())
        True
    """
    known = skeleton.leg_length > 0.0
    return known and bool(tilt(skeleton, rest_frames.at_rest(skeleton).points).possible)


def of_own_poses(clip: Clip) -> RestPose:
    """Return the rest pose of a body with several known poses, or the most upright of them if nobody stands at rest.

    Example:
        >>> from action_loom.core.bodies import rest_check
        >>> from action_loom.core.demo_character import actions
        >>> rest_check.of_own_poses(actions.walk(cycles=1)).name
        'rest pose'
    """
    own = of_body(clip.skeleton)
    if not own.why:
        return own
    chosen = choose(clip)
    return chosen if bool(tilt(clip.skeleton, chosen.points).possible) else own


def _describe_tilt(found: Tilt) -> str:
    if found.legs > LEGS:
        return f"legs {float(found.legs):.0f}° from down"
    if found.shoulders < NARROW:
        return "its shoulders on one another"
    return f"the trunk {float(found.trunk):.0f}° from up"


def _frame(clip: Clip, asked: str) -> int:
    text = asked.strip().removeprefix("frame").strip()
    if not text.isdecimal() or int(text) >= len(clip):
        raise OptionError(f"{asked!r} is no rest pose: auto, rest, or a frame of {clip.name} from 0 to {len(clip) - 1}")
    return int(text)


def _from_vertical(bones: Array, sign: float) -> Array:
    length = np.maximum(np.linalg.norm(bones, axis=-1), 1e-12)
    return np.asarray(np.degrees(np.arccos(np.clip(sign * bones[..., 2] / length, -1.0, 1.0))))
