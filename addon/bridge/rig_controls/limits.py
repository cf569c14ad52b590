"""Limbs that can't be fully straight, such as MMD's legs: their maximal length, and the reachable part of a motion."""

from collections.abc import Mapping
from typing import NamedTuple

import bpy
import numpy as np

from ....core.motion import quat
from ....core.motion.quat import Array
from ...ground.blender_types import armature_data, present
from . import poles
from .found import Part

_NEAR = 0.01  # of a bone's length: bones in the same joint
_FREE = 1e-3  # radians, and of a bone's length: smaller differences are ignored
_ANY = (-np.pi, np.pi)


class Limit(NamedTuple):
    """The bending range of a limb's middle joint: axis (3,) in the armature's space, angles from rest in radians."""

    axis: Array
    low: float
    high: float


def reach(armature: bpy.types.Object, part: Part, *, inverse: bool) -> float:
    """Return the largest distance between a limb's ends, as a share of its bones' lengths: 1 if it can be straight.

    inverse : whether to use the limits of inverse kinematics
    """
    limit = of(armature, part, inverse=inverse)
    if limit is None:
        return 1.0
    upper, lower = _rest(armature, part)
    straight = float(np.linalg.norm(upper) + np.linalg.norm(lower))
    return float(_span(limit, upper, lower, np.array([straight]))[0]) / straight


def _rest(armature: bpy.types.Object, part: Part) -> tuple[Array, Array]:
    """Return the vectors (3,) from a limb's upper joint to the middle one, and from there to the lower, at rest."""
    bones = armature_data(armature).bones
    places = [np.array(bones[bone].head_local, dtype=np.float64) for _, bone in part.bones[:3]]
    return places[1] - places[0], places[2] - places[1]


def of(armature: bpy.types.Object, part: Part, *, inverse: bool = False) -> Limit | None:
    """Return the bending limit of a limb's middle joint, None for a free one; `inverse` as in `reach`."""
    bones, (role, middle) = present(armature.pose).bones, part.bones[1]
    owner = _solver(armature, part) if inverse else dict(part.fk).get(role, "")
    bone = bones.get(owner)
    if bone is None or (bone.bone.head_local - bones[middle].bone.head_local).length > _NEAR * bone.bone.length:
        return None
    limits = {k: (_of_solver if inverse else _of_axis)(bone, axis) for k, axis in ((0, "x"), (2, "z"))}
    bending = [k for k, between in limits.items() if between != _ANY and between[0] < between[1]]
    if len(bending) != 1:
        return None
    return Limit(np.array(bone.bone.matrix_local, dtype=np.float64)[:3, bending[0]], *limits[bending[0]])


def _solver(armature: bpy.types.Object, part: Part) -> str:
    """Return the bone of a limb's middle joint that inverse kinematics turns, "" if none is known."""
    bones = present(armature.pose).bones
    here = [bones[bone].bone.head_local for _, bone in part.bones[:2]]
    for bone in bones:
        if bone.parent is None or not any(isinstance(one, bpy.types.KinematicConstraint) for one in bone.constraints):
            continue
        near = _NEAR * bone.bone.length
        if all((one.bone.head_local - at).length < near for one, at in zip((bone.parent, bone), here, strict=True)):
            return bone.name
    return ""


def _of_solver(bone: bpy.types.PoseBone, axis: str) -> tuple[float, float]:
    """Return the range of angles in which inverse kinematics turns a bone about one of its axes."""
    if getattr(bone, f"lock_ik_{axis}"):
        return 0.0, 0.0
    if not getattr(bone, f"use_ik_limit_{axis}"):
        return _ANY
    return getattr(bone, f"ik_min_{axis}"), getattr(bone, f"ik_max_{axis}")


def _of_axis(bone: bpy.types.PoseBone, axis: str) -> tuple[float, float]:
    """Return the range of angles in which constraints let a bone turn about one of its axes."""
    low, high = _ANY
    for one in bone.constraints:
        whole = one.enabled and one.influence == 1.0 and one.owner_space == "LOCAL"
        if whole and isinstance(one, bpy.types.LimitRotationConstraint) and getattr(one, f"use_limit_{axis}"):
            low, high = max(low, getattr(one, f"min_{axis}")), min(high, getattr(one, f"max_{axis}"))
    return low, high


def able(armature: bpy.types.Object, part: Part, limit: Limit, motion: Mapping[str, Array]) -> dict[str, Array]:
    """Bend a limb's motion, of bones (F, 4, 4), where it exceeds its limit; its end stays close to the goal."""
    names = [bone for _, bone in part.bones if bone in motion]
    upper, lower = _rest(armature, part)
    root, axis, way, far = poles.plane(part, motion)
    span = _span(limit, upper, lower, far)
    along = 0.5 * (upper @ upper - lower @ lower + span**2) / span
    knee = root + along[:, None] * axis + np.sqrt(np.maximum(upper @ upper - along**2, 0.0))[:, None] * way
    end = root + span[:, None] * axis
    out = {name: motion[name].copy() for name in names}
    limited = np.abs(span - far) > _FREE * np.linalg.norm(upper)
    for name, after, way_there in ((names[0], names[1], knee - root), (names[1], names[2], end - knee)):
        swing = _swing(motion[after][:, :3, 3] - motion[name][:, :3, 3], way_there)
        out[name][limited, :3, :3] = (swing @ motion[name][:, :3, :3])[limited]
    out[names[1]][limited, :3, 3] = knee[limited]
    step = end - motion[names[2]][:, :3, 3]
    for name in names[2:]:
        out[name][limited, :3, 3] += step[limited]
    return out


def _span(limit: Limit, upper: Array, lower: Array, far: Array) -> Array:
    """Return the possible distances (F,) between a limb's ends, nearest to some distances (F,)."""
    fixed = (limit.axis @ upper) * (limit.axis @ lower)
    cosine, sine = upper @ lower - fixed, upper @ np.cross(limit.axis, lower)
    straight, most = float(np.arctan2(sine, cosine)), float(np.hypot(cosine, sine))
    side = 1.0 if limit.high - straight > straight - limit.low else -1.0
    square = upper @ upper + lower @ lower
    bend = np.arccos(np.clip((0.5 * (far**2 - square) - fixed) / most, -1.0, 1.0))
    angle = np.clip(straight + side * bend, limit.low, limit.high)
    return np.asarray(np.sqrt(square + 2.0 * (fixed + most * np.cos(angle - straight))))


def _swing(here: Array, there: Array) -> Array:
    """Return the shortest turns (F, 3, 3) from directions (F, 3) to others."""
    axis = np.cross(here, there)
    sine = np.linalg.norm(axis, axis=1, keepdims=True)
    angle = np.arctan2(sine, np.sum(here * there, axis=1, keepdims=True))
    return quat.to_matrix(quat.exp(axis / np.maximum(sine, 1e-12) * angle))
