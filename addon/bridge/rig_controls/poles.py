"""The place of a limb's pole: in the plane of its joints, corrected by the swivel error of the middle joint."""

from collections.abc import Mapping

import numpy as np

from ....core.motion import quat
from ....core.motion.quat import Array
from .found import Part

_STRAIGHT = 0.02  # of the limb's length: if it is less bent, the plane of the most bent frame is used
_NEAREST = 0.3  # of the limb's length: a closer pole would rotate strongly with every millimetre


def _joints(part: Part, bones: Mapping[str, Array]) -> tuple[Array, Array, Array]:
    """Return the places (F, 3) of a limb's upper, middle and lower joint."""
    roles = dict(part.bones)
    third = part.bones[2][0]
    last = third if third in dict(part.tips) else part.end  # the foot's roll control moves the ankle
    names = [*list(roles.values())[:2], roles[last]]
    upper, middle, end = (bones[name][:, :3, 3] for name in names)
    return upper, middle, end


def _bend(upper: Array, middle: Array, end: Array) -> tuple[Array, Array]:
    """Return the axis (F, 3) of a limb, and the vector (F, 3) from it to the middle joint."""
    axis = end - upper
    axis = axis / np.maximum(np.linalg.norm(axis, axis=1, keepdims=True), 1e-12)
    return axis, _across(middle - upper, axis)


def _across(vectors: Array, axis: Array) -> Array:
    return np.asarray(vectors - np.sum(vectors * axis, axis=1, keepdims=True) * axis)


def _length(part: Part, motion: Mapping[str, Array]) -> float:
    upper, middle, end = _joints(part, motion)
    return float(np.median(np.linalg.norm(middle - upper, axis=1) + np.linalg.norm(end - middle, axis=1)))


def plane(part: Part, motion: Mapping[str, Array]) -> tuple[Array, Array, Array, Array]:
    """Return a limb's upper joint, its axis, the bending direction across it (F, 3), and its span (F,)."""
    upper, middle, end = _joints(part, motion)
    axis, bend = _bend(upper, middle, end)
    thigh = motion[part.bones[0][1]][:, :3, :3]
    size = np.linalg.norm(bend, axis=1)
    most = int(size.argmax())
    # If the limb is nearly straight, use the bending direction of the most bent frame, relative to the upper bone.
    carried = _across(thigh @ (thigh[most].T @ (bend[most] / max(size[most], 1e-12))), axis)
    carried /= np.maximum(np.linalg.norm(carried, axis=1, keepdims=True), 1e-12)
    weight = np.clip((size / _length(part, motion) - 0.5 * _STRAIGHT) / (1.5 * _STRAIGHT), 0.0, 1.0)[:, None]
    way = weight * bend / np.maximum(size[:, None], 1e-12) + (1.0 - weight) * carried
    way /= np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-12)
    return upper, axis, way, np.linalg.norm(end - upper, axis=1)


def targets(part: Part, motion: Mapping[str, Array], rest: Array, index: Mapping[str, int]) -> Array:
    """Return the pole's goal (F, 4, 4), at its rest distance from the middle joint."""
    _, middle, _ = _joints(part, motion)
    _, axis, way, _ = plane(part, motion)
    length = _length(part, motion)
    at_rest = rest[index[part.pole]]
    away = np.linalg.norm(at_rest[:3, 3] - rest[index[part.bones[1][1]], :3, 3])
    out = np.broadcast_to(np.eye(4), (len(way), 4, 4)).copy()
    out[:, :3, :3] = np.stack([axis, way, np.cross(axis, way)], axis=-1)  # a correction in these axes follows the limb
    out[:, :3, 3] = middle + max(float(away), _NEAREST * length) * way
    return out


def lies_across(part: Part, rest: Array, index: Mapping[str, int]) -> bool:
    """Return whether a limb's middle bone points away from its lower joint, like Unreal's bones."""
    bones = {bone: rest[None, index[bone]] for _, bone in part.bones}
    _, middle, end = _joints(part, bones)
    way, own = (end - middle)[0], bones[part.bones[1][1]][0, :3, 1]
    return bool(way @ own < 0.9 * np.linalg.norm(way) * np.linalg.norm(own))


def angle(part: Part, motion: Mapping[str, Array], seen: Array, index: Mapping[str, int]) -> Array:
    """Return the angle (F,) about the limb's axis that takes the middle joint to its goal.

    Each angle is measured about its own axis, because an error of the end of a nearly straight limb moves the middle,
    too.
    """
    upper, middle, end = _joints(part, motion)
    axis, goal = _bend(upper, middle, end)
    _, now = _bend(*_joints(part, {bone: seen[:, index[bone]] for _, bone in part.bones if bone in motion}))
    turn = np.arctan2(np.sum(np.cross(now, goal) * axis, axis=1), np.sum(now * goal, axis=1))
    length = np.linalg.norm(middle - upper, axis=1) + np.linalg.norm(end - middle, axis=1)
    return np.where(np.linalg.norm(goal, axis=1) > 1e-3 * length, turn, 0.0)


def swivel(part: Part, motion: Mapping[str, Array], seen: Array, index: Mapping[str, int]) -> Array:
    """Return the rotation (F, 4, 4) about the limb's axis that takes the middle joint to its goal."""
    upper, middle, end = _joints(part, motion)
    axis, _ = _bend(upper, middle, end)
    turn = angle(part, motion, seen, index)
    out = np.broadcast_to(np.eye(4), (len(turn), 4, 4)).copy()
    out[:, :3, :3] = quat.to_matrix(quat.exp(axis * turn[:, None]))
    out[:, :3, 3] = upper - np.einsum("fij,fj->fi", out[:, :3, :3], upper)
    return out
