"""Anatomical frames of body parts at rest, comparable between bodies with any bone axes.

Rotations are transferred between bodies in such frames: x to the right, y to the front, z up, for a body that stands
with its arms held out and its feet straight. For another rest pose the frame of a limb follows by parallel transport:
the shortest rotation at each joint, from the trunk outwards, so that an arm at rest by the side is treated as a
straight arm lowered at the shoulder. Method: Body roles and retargeting.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import SkeletonError
from ..motion import feet, fingers, kinematics, quat
from ..motion.clip import Clip
from ..motion.quat import Array
from ..motion.skeleton import Skeleton

REST_POSE = "rest pose"
_ACROSS = ("thigh", "clavicle", "upper_arm", "shin")
_OUT = {"L": np.array([-1.0, 0.0, 0.0]), "R": np.array([1.0, 0.0, 0.0])}  # direction of an arm in its own frame
_FRONT, _DOWN = np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, -1.0])
_ALONG = 0.8  # cosine; a line across the hips or shoulders that is closer to the direction of the trunk is not used
_FOOT_TELLS = 0.05  # of leg length: a shorter horizontal part of the foot gives no direction


@dataclass(frozen=True, eq=False)
class RestPose:
    """A pose used as the rest pose of a body: its own, or a frame of a clip.

    rotations (J, 4), points (P, 3) : in the world; points are joints and then tips
    name : "rest pose" or "frame 12"; why : a sentence for the user, "" in the normal case; chosen : not by default
    moving : whether the body may lean and twist in it, as in a frame of a run
    """

    rotations: Array
    points: Array
    name: str = REST_POSE
    why: str = ""
    chosen: bool = False
    moving: bool = False


def at_rest(skeleton: Skeleton) -> RestPose:
    """Return the rest pose of a skeleton."""
    return of_joints(skeleton, *skeleton.rest)


def of_joints(skeleton: Skeleton, rotations: Array, places: Array) -> RestPose:
    """Return a rest pose by the world rotations (J, 4) and places (J, 3) of the joints."""
    tipped = skeleton.tipped
    tips = places[tipped] + quat.rotate(rotations[tipped], skeleton.tips[tipped])
    return RestPose(rotations, np.concatenate([places, tips]))


def at_frame(clip: Clip, frame: int, why: str = "") -> RestPose:
    """Return the pose of a frame of a clip as a rest pose of its body."""
    rotations, points = kinematics.pose_clip(clip.cut(frame, frame + 1))
    return RestPose(rotations[0], points[0], f"frame {frame}", why, chosen=True, moving=True)


def body_frame(skeleton: Skeleton, pose: RestPose) -> Array:
    """Return the rotation (4,) about the vertical from a body that faces +y to a body in a rest pose.

    Raises SkeletonError if left and right joints coincide.
    """
    roles, wide = skeleton.roles, np.zeros(3)
    for role in _ACROSS:
        left, right = roles.get(f"{role}.L"), roles.get(f"{role}.R")
        if left is not None and right is not None:
            wide += pose.points[right] - pose.points[left]
    if np.hypot(wide[0], wide[1]) < 1e-6:
        raise SkeletonError("Nothing tells which way the body faces: its left and right joints are in the same places")
    return np.asarray(quat.about_axis("Z", np.asarray(np.arctan2(wide[1], wide[0]))))


def of_body(
    skeleton: Skeleton, pose: RestPose, fanned: Collection[str] = (), *, leans: bool = False
) -> dict[int, Array]:
    """Return the frame (4,) of every joint with a role, and of the fingers' joints, in a rest pose.

    fanned : sides whose hand roll is taken from the fingers' roots, rather than from the arm
    leans : whether the trunk's frames follow its direction and the lines across hips and shoulders; otherwise the
        trunk is taken as upright, because the directions of its bones are conventions
    Raises SkeletonError as `body_frame` does.
    """
    upright = body_frame(skeleton, pose)
    found = dict.fromkeys(skeleton.roles.values(), upright)
    if leans:
        found |= _trunk(skeleton, pose, upright)
    for side in "LR":
        found |= _arm(skeleton, pose, side, upright, side in fanned)
        found |= _leg(skeleton, pose, side, upright)
    return found


def _trunk(skeleton: Skeleton, pose: RestPose, upright: Array) -> dict[int, Array]:
    """Return the frames of the trunk's joints, turned with the hips below and with the shoulders above."""
    roles, points = skeleton.roles, pose.points
    ends = [[roles.get(f"{role}.{side}", -1) for side in "LR"] for role in ("thigh", "upper_arm")]
    if min(ends[0] + ends[1]) < 0:
        return {}
    rise = points[ends[1]].mean(axis=0) - points[ends[0]].mean(axis=0)
    lines = [_unit(points[right] - points[left]) for left, right in ends]
    up = _unit(rise)
    if up is None or any(line is None or abs(line @ up) > _ALONG for line in lines):
        return {}
    low, high = (_stand_on(up, line) for line in lines if line is not None)
    turn = quat.log(quat.mul(quat.inv(low), quat.same_side(high, low)))
    middle = quat.mul(low, quat.exp(0.5 * turn))
    # The turn of a head is unknown: it counts as level, and the neck as half way.
    neck = quat.mul(high, quat.exp(0.5 * quat.log(quat.mul(quat.inv(high), quat.same_side(upright, high)))))
    frames = {"hips": low, "spine": middle, "chest": high, "clavicle.L": high, "clavicle.R": high, "neck": neck}
    return {roles[role]: np.asarray(frame) for role, frame in frames.items() if role in roles}


def _stand_on(up: Array, across: Array) -> Array:
    """Return the rotation (4,) that turns z to `up` and x into the plane of `up` and `across`."""
    right = across - (across @ up) * up
    right = right / np.linalg.norm(right)
    return np.asarray(quat.from_matrix(np.stack([right, np.cross(up, right), up], axis=-1)))


def _arm(skeleton: Skeleton, pose: RestPose, side: str, upright: Array, fanned: bool) -> dict[int, Array]:
    joints = [skeleton.roles.get(f"{role}.{side}") for role in ("upper_arm", "forearm", "hand")]
    known = [joint for joint in joints if joint is not None]
    if not known:
        return {}
    found, points, out = {}, pose.points, _OUT[side]
    frame = upright
    for joint, beyond in zip(known, [*known[1:], -1], strict=True):
        frame = _point_axis(frame, out, _bone_direction(skeleton, side, joint, beyond, points))
        found[joint] = frame
    hand = joints[-1]
    if hand is None:
        return found
    if fanned and (across := fingers.fan(skeleton, side, points)) is not None:
        along = quat.rotate(frame, out)
        frame = _point_axis(frame, _FRONT, _unit(across - (across @ along) * along))
        found[hand] = frame
    for chain in fingers.chains(skeleton, side).values():
        bent = frame
        for joint, beyond in zip(chain, [*chain[1:], -1], strict=True):
            bent = _point_axis(bent, out, _unit(points[beyond] - points[joint]) if beyond >= 0 else None)
            found[joint] = bent
    return found


def _bone_direction(skeleton: Skeleton, side: str, joint: int, beyond: int, points: Array) -> Array | None:
    """Return the direction of a bone of the arm at rest; None if unknown."""
    if beyond >= 0:
        return _unit(points[beyond] - points[joint])
    if joint == skeleton.roles.get(f"hand.{side}"):
        return fingers.pointing(skeleton, side, points)
    if joint in skeleton.tipped:
        return _unit(points[len(skeleton) + int(np.searchsorted(skeleton.tipped, joint))] - points[joint])
    return None


def _leg(skeleton: Skeleton, pose: RestPose, side: str, upright: Array) -> dict[int, Array]:
    roles, points = skeleton.roles, pose.points
    thigh, shin, foot, toe = (roles.get(f"{role}.{side}") for role in ("thigh", "shin", "foot", "toe"))
    ball, ankle = feet.balls_and_ankles(skeleton).get(side, (-1, -1))
    known: Sequence[int] = [joint for joint in (thigh, shin) if joint is not None]
    found, frame = {}, upright
    for joint, beyond in zip(known, [*known[1:], ankle], strict=True):
        frame = _point_axis(frame, _DOWN, _unit(points[beyond] - points[joint]) if beyond >= 0 else None)
        found[joint] = frame
    # Soles are flat at rest but ankle heights differ between rigs, so feet point along their horizontal part.
    level = (points[ball] - points[ankle]) * np.array([1.0, 1.0, 0.0])
    directed = ball != ankle and float(np.linalg.norm(level)) > _FOOT_TELLS * skeleton.leg_length
    flat = _point_axis(upright, _FRONT, _unit(level) if directed else None)
    return found | {joint: flat for joint in (foot, toe) if joint is not None}


def _point_axis(frame: Array, axis: Array, direction: Array | None) -> Array:
    """Return a frame rotated by the shortest way to point one of its axes in a direction; None keeps it."""
    if direction is None:
        return frame
    now = quat.rotate(frame, axis)
    shortest = np.array([1.0 + now @ direction, *np.cross(now, direction)])
    if shortest[0] < 1e-9:  # opposite directions: half a turn about another axis of the frame
        return np.asarray(quat.mul(frame, quat.about_axis("Z" if abs(axis[2]) < 0.5 else "X", np.array(np.pi))))
    return np.asarray(quat.mul(quat.normalize(shortest), frame))


def _unit(vector: Array) -> Array | None:
    length = float(np.linalg.norm(vector))
    return vector / length if length > 1e-9 else None
