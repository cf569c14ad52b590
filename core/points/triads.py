"""Axes of body parts, computed in the same way from a person's points and a character's rest pose (methods: Points).

The axes of a part are called its frame. Its columns are right, front and up in a body that stands with its arms and
fingers held out to the sides.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..motion import root_motion
from ..motion.quat import Array
from . import body, gaps

Places = Mapping[str, Array]  # (F, 3) by the names of `body.NAMES`

_THIGHS = 0.245  # weight of the thighs' mean direction in the up direction of the pelvis; the trunk has the weight 1
_SIGMA = 0.06  # s; sigma for smoothing the axis of a hinge (a knee or an elbow)
# Weight of the hinge axis expected from the rest pose. The axis that a bent limb shows has the weight sin² of
# the bend, so the expected axis decides in nearly straight limbs.
_PRIOR = {"thigh": 0.003, "upper_arm": 0.01}
_FOOT_HINT = 0.05  # weight of the knee's axis that the direction of the foot shows
_NOSE_BELOW = np.radians(15.0)  # angle of the nose below the ears of a head held straight
_DOWN, _LEFT, _FRONT = np.array([0.0, 0.0, -1.0]), np.array([-1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])


@dataclass(frozen=True)
class _Limb:
    """A limb of two bones: its roles and points, the role it is attached to, and its direction and hinge axis there."""

    roles: tuple[str, str]
    points: tuple[str, str, str]
    carrier: str
    direction: Array
    hinge: Array


def _limbs(side: str) -> tuple[_Limb, _Limb]:
    out = _LEFT if side == "L" else -_LEFT
    leg = _Limb(("thigh", "shin"), ("hip", "knee", "ankle"), "hips", _DOWN, _LEFT)
    arm = _Limb(("upper_arm", "forearm"), ("shoulder", "elbow", "wrist"), "chest", out, np.cross(out, _FRONT))
    return leg, arm


def frames_of(points: Places, rate: float) -> dict[str, Array]:
    """Return the frames (F, 3, 3) of the parts of a body by role, for parts with known points.

    rate : frames per second
    """
    hips, shoulders = middle(points, "hip"), middle(points, "shoulder")
    thighs = 0.5 * (points["hip.L"] - points["knee.L"] + points["hip.R"] - points["knee.R"])
    up = _unit(shoulders - hips) + _THIGHS * _unit(thighs)
    frames = {"hips": _about_right(up, points["hip.R"] - points["hip.L"])}
    frames["chest"] = gaps.axes_of(shoulders - points.get("spine", hips), points["shoulder.R"] - points["shoulder.L"])
    head = _head(points, frames["chest"])
    if head is not None:
        frames["head"] = head
    for side in body.SIDES:
        for limb in _limbs(side):
            frames |= _limb_frames(points, limb, side, frames[limb.carrier], rate)
        frames |= _ends(points, frames, side)
    return frames


def middle(points: Places, part: str) -> Array:
    """Return the middle of a part's points on both sides."""
    return np.asarray(0.5 * (points[f"{part}.L"] + points[f"{part}.R"]))


def _unit(vectors: Array) -> Array:
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12))


def _about_right(up: Array, right: Array) -> Array:
    """Return axes (F, 3, 3) with exactly this right direction, and with the nearest possible up direction."""
    x = _unit(right)
    y = _unit(np.cross(up, x))
    return np.stack([x, y, np.cross(x, y)], axis=-1)


def _head(points: Places, chest: Array) -> Array | None:
    """Return the frame of the head from ears and nose, or else from its top and the shoulders; None without these."""
    if {"ear.L", "ear.R", "nose"} <= set(points):
        across = points["ear.R"] - points["ear.L"]
        front = _unit(points["nose"] - middle(points, "ear"))
        x = _unit(across)
        up = _unit(np.cross(x, front))
        level = np.cos(_NOSE_BELOW) * _unit(np.cross(up, x)) + np.sin(_NOSE_BELOW) * up
        return gaps.axes_of(np.cross(x, level), across)
    if "head" in points:
        return gaps.axes_of(points["head"] - middle(points, "shoulder"), chest[..., 0])
    return None


def _limb_frames(points: Places, limb: _Limb, side: str, carrier: Array, rate: float) -> dict[str, Array]:
    """Return the frames of both bones of a limb.

    carrier : the frame of hips or chest; the hinge axis of a straight limb moves with it
    """
    first, second, third = (points[f"{part}.{side}"] for part in limb.points)
    upper, lower = _unit(second - first), _unit(third - second)
    carried = np.einsum("...ik,k->...i", carrier, limb.direction)
    expected = _swing(carried, upper, np.einsum("...ik,k->...i", carrier, limb.hinge))
    bend = np.cross(upper, lower)  # its length is the sine of the bend
    axis = np.linalg.norm(bend, axis=-1, keepdims=True) * bend + _PRIOR[limb.roles[0]] * expected
    if limb.roles[0] == "thigh" and f"toe.{side}" in points:
        back = points.get(f"heel.{side}", third)
        axis = axis + _FOOT_HINT * _unit(np.cross(points[f"toe.{side}"] - back, upper))
    axis = root_motion.smooth(axis, _SIGMA * rate) if len(axis) > 1 else axis
    turn_back = _bone_axes(limb).T  # from the limb's direction and hinge axis at rest
    return {
        f"{role}.{side}": _bone_frame(direction, axis) @ turn_back
        for role, direction in zip(limb.roles, (upper, lower), strict=True)
    }


def _bone_axes(limb: _Limb) -> Array:
    return np.asarray(_bone_frame(limb.direction[None], limb.hinge[None])[0])


def _bone_frame(direction: Array, axis: Array) -> Array:
    """Return axes (…, 3, 3) of a bone: its hinge axis, its direction, and the normal to both."""
    n = _unit(axis - np.sum(axis * direction, axis=-1, keepdims=True) * direction)
    return np.stack([n, direction, np.cross(n, direction)], axis=-1)


def _swing(one: Array, other: Array, vectors: Array) -> Array:
    """Return vectors (F, 3) turned by the shortest rotation between two unit directions (F, 3)."""
    cross = np.cross(one, other)
    cosine = np.sum(one * other, axis=-1, keepdims=True)
    along = np.sum(cross * vectors, axis=-1, keepdims=True)
    return np.asarray(cosine * vectors + np.cross(cross, vectors) + cross * along / np.maximum(1.0 + cosine, 1e-3))


def _ends(points: Places, frames: Mapping[str, Array], side: str) -> dict[str, Array]:
    """Return the frames of the hand and the foot of a side, each if its points are known."""
    found = {}
    out = _LEFT if side == "L" else -_LEFT
    wrist = points[f"wrist.{side}"]
    index, pinky = points.get(f"index.{side}"), points.get(f"pinky.{side}")
    forearm = frames[f"forearm.{side}"]
    if index is not None and pinky is not None:
        along = _unit(0.5 * (index + pinky) - wrist)
        found[f"hand.{side}"] = _bone_frame(along, index - pinky) @ _bone_frame(out[None], _FRONT[None])[0].T
    elif f"knuckle.{side}" in points:
        along = _unit(points[f"knuckle.{side}"] - wrist)
        found[f"hand.{side}"] = _swing_to(forearm, out, along)
    toe = points.get(f"toe.{side}")
    if toe is not None:
        shin = frames[f"shin.{side}"]
        ankle = points[f"ankle.{side}"]
        along = _unit(toe - points.get(f"heel.{side}", ankle))
        across = np.einsum("...ik,k->...i", shin, -_LEFT)
        level = gaps.axes_of(np.cross(across, along), across)
        found[f"foot.{side}"] = level
    return found


def _swing_to(frame: Array, direction: Array, wanted: Array) -> Array:
    """Return frames (F, 3, 3) after the shortest rotation that brings one of their directions to the wanted one."""
    now = np.einsum("...ik,k->...i", frame, direction)
    return np.stack([_swing(now, wanted, frame[..., k]) for k in range(3)], axis=-1)


def upright_frame(hips: Array) -> Array:
    """Return the frame (F, 3, 3) of an upright head above hips: up is Z, and it faces as the hips do."""
    return gaps.axes_of(np.broadcast_to(-_DOWN, hips[..., 0].shape), hips[..., 0])


def level_feet(frames: Array, flat: NDArray[np.bool_]) -> Array:
    """Return frames of feet (F, 3, 3), pitched by a constant so that the median pitch of a flat foot is 0.

    flat (F,) : whether the foot is flat on the ground
    """
    pitch = np.arcsin(np.clip(frames[..., 2, 1], -1.0, 1.0))
    usual = float(np.median(pitch[flat] if flat.any() else pitch))
    cosine, sine = np.cos(usual), np.sin(usual)
    turn = np.array([[1.0, 0.0, 0.0], [0.0, cosine, sine], [0.0, -sine, cosine]])
    return np.asarray(frames @ turn)
