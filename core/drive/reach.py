"""Move feet to their locked places: raise the heel if the leg is too short, bend the knee if it is too long.

Method: Drive.
"""

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ..motion import ik, kinematics, quat
from ..motion.clip import Clip
from ..motion.ik import Limb
from ..motion.quat import Array

STRAIGHT = 0.985  # of leg length, limit of stretching the knee
RISES = 0.8  # radians of heel rise at most
BENDS = (0.01, 0.05)  # excess of leg length, as a share: a straight knee starts to bend, and bends fully


def move_balls(clip: Clip, offs: Mapping[Limb, tuple[int, Array, Array | None]]) -> Clip:
    """Return a one-frame clip with balls, given as points of `kinematics.points`, moved by metres (3,).

    Each offset comes with a rotation (4,) of the foot about its ball, or None.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.drive import reach
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import ik, kinematics
        >>> stand = actions.walk().cut(30, 31)
        >>> leg = ik.legs(stand.skeleton)[0]
        >>> ball, away = stand.skeleton.index("toe.L"), np.array([0.0, 0.08, 0.02])
        >>> moved = kinematics.points(reach.move_balls(stand, {leg: (ball, away, None)})) - kinematics.points(stand)
        >>> bool(np.abs(moved[0, ball] - away).max() < 0.005)
        True
    """
    if not offs:
        return clip
    turned, places = (one[0] for one in kinematics.pose_clip(clip))
    targets, rising, bends = {}, {}, {}
    for limb, (ball, off, tilt) in offs.items():
        ankle = places[limb.end]
        arm = ankle - places[ball] if tilt is None else quat.rotate(tilt, ankle - places[ball])
        rise = _rise(arm, places[ball] + off, places[limb.upper], _reach(places, limb))
        whole = rise if tilt is None else quat.mul(rise, tilt)
        rising[limb] = ball, whole, quat.inv(whole) if tilt is None else quat.mul(quat.inv(whole), tilt)
        targets[limb] = (places[ball] + off + quat.rotate(rise, arm))[None]
        bends[limb] = _bend(places, limb, places[ball] - places[limb.end], targets[limb][0])
    done = ik.to_targets(_turn_shins(clip, turned, bends), targets)[0]
    rotations, translations = done.rotations.copy(), done.translations.copy()
    for limb, target in targets.items():
        if not ik.hangs_together(clip.skeleton, limb):  # an ankle that is not below the shin is moved directly
            rotations[:, limb.end] = clip.rotations[:, limb.end]
            translations[0, limb.end] += _in_its_frame(clip, turned, limb.end, target[0] - places[limb.end])
    for limb, (ball, whole, toes) in rising.items():
        if whole[0] == 1.0:
            continue
        _turn(rotations, turned, limb.end, whole)
        if ball < len(turned):  # toes stay on the ground
            _turn(rotations, turned, ball, toes)
    return replace(done, rotations=rotations, translations=translations)


def _in_its_frame(clip: Clip, turned: Array, joint: int, off: Array) -> Array:
    """Return a world offset (3,) as a joint's translation; turned (J, 4) : world rotations."""
    above, orient = int(clip.skeleton.parents[joint]), clip.skeleton.orients[joint]
    return np.asarray(quat.rotate(quat.inv(orient if above < 0 else quat.mul(turned[above], orient)), off))


def _reach(places: Array, limb: Limb) -> float:
    """Return the largest distance of an ankle from its hip, metres: the current one, or a nearly straight leg."""
    hip, knee, ankle = (places[joint] for joint in (limb.upper, limb.lower, limb.end))
    length = float(np.linalg.norm(knee - hip) + np.linalg.norm(ankle - knee))
    return max(float(np.linalg.norm(ankle - hip)), STRAIGHT * length)


def _rise(arm: Array, ball: Array, hip: Array, reach: float) -> Array:
    """Return the rotation (4,) about a ball (3,) that brings the ankle, at offset `arm` (3,), in reach of its hip."""
    none, to = np.array([1.0, 0.0, 0.0, 0.0]), hip - ball
    short, far = float(np.linalg.norm(arm)), float(np.linalg.norm(to))
    if np.linalg.norm(to - arm) <= reach or short * far < 1e-9:
        return none
    cosine = (short**2 + far**2 - reach**2) / (2.0 * short * far)
    axis = np.cross(arm, to)
    size = float(np.linalg.norm(axis))
    angle = math.atan2(size, float(arm @ to)) - math.acos(max(-1.0, min(1.0, cosine)))
    if size < 1e-9 * short * far or angle <= 0.0:
        return none
    return np.asarray(quat.exp(axis * (min(angle, RISES) / size)))


def _bend(places: Array, limb: Limb, ahead: Array, target: Array) -> Array | None:
    """Return the rotation (4,) of a shin that brings its ankle nearer to the hip, for a nearly straight knee.

    Such a knee has no axis of its own, so it bends towards the toes, `ahead` (3,).
    """
    hip, knee, ankle = (places[joint] for joint in (limb.upper, limb.lower, limb.end))
    thigh, shin, now = (float(np.linalg.norm(one)) for one in (knee - hip, ankle - knee, ankle - hip))
    length = max(thigh + shin, 1e-9)
    wanted = max(float(np.linalg.norm(target - hip)), abs(thigh - shin))
    straight = 1.0 - _smooth(1.0 - now / length, *ik.UNDETERMINED)
    share = straight * _smooth((now - wanted) / length, *BENDS)
    axis = np.cross(ahead, ankle - hip)
    size = float(np.linalg.norm(axis))
    if share <= 0.0 or size < 1e-9 * length:
        return None
    return np.asarray(quat.exp(axis * (share * (_knee(thigh, shin, now) - _knee(thigh, shin, wanted)) / size)))


def _smooth(value: float, low: float, high: float) -> float:
    share = max(0.0, min(1.0, (value - low) / (high - low)))
    return share * share * (3.0 - 2.0 * share)


def _knee(thigh: float, shin: float, apart: float) -> float:
    """Return the inner angle of a knee between bones of two lengths with their far ends at distance `apart`."""
    return math.acos(max(-1.0, min(1.0, (thigh**2 + shin**2 - apart**2) / max(2.0 * thigh * shin, 1e-12))))


def _turn_shins(clip: Clip, turned: Array, bends: Mapping[Limb, Array | None]) -> Clip:
    """Return a clip with shins turned in the world; feet keep their world rotations."""
    if all(bend is None for bend in bends.values()):
        return clip
    rotations = clip.rotations.copy()
    for limb, bend in bends.items():
        if bend is not None and ik.hangs_together(clip.skeleton, limb):
            _turn(rotations, turned, limb.lower, bend)
            _turn(rotations, turned, limb.end, np.asarray(quat.inv(bend)))
    return replace(clip, rotations=rotations)


def _turn(rotations: Array, turned: Array, joint: int, by: Array) -> None:
    """Add a world rotation to a joint, in addition to its parent's; turned (J, 4) : world rotations before."""
    own = quat.mul(quat.inv(turned[joint]), quat.mul(by, turned[joint]))
    rotations[0, joint] = quat.mul(rotations[0, joint], own)
