"""Prevent knee hyperextension by stopping knees at straight, with the feet kept in place (methods: Style)."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..motion import ik, kinematics, quat
from ..motion.clip import Clip
from ..motion.ik import Limb
from ..motion.quat import Array

SOFT = np.radians(3.0)  # largest angle over which a knee decelerates to its stop
LEAST_SOFT = np.radians(0.01)  # and the smallest, to avoid division by zero
UNSCALED = 1e-3  # changes of scale up to this are treated as rounding
LEAST_BEND = 1e-3  # mean sine; for a knee that bends less the axis is unknown


def without_hyperextension(clip: Clip, before: Clip) -> Clip:
    """Return a clip in which no knee bends beyond straight, or beyond its bend in the clip `before`.

    before : the same motion unchanged, which may have another number of frames

    The shin turns back about the knee's own axis, and the thigh compensates so that the foot keeps its direction from
    the hip; it also keeps its world rotation. Bodies without full inheritance, or with scaled legs, are returned
    unchanged.

    Example:
        >>> from dataclasses import replace
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import quat
        >>> from action_loom.core.style import knees
        >>> walk = actions.walk(cycles=1)
        >>> rotations, shin = walk.rotations.copy(), walk.skeleton.index("shin.L")
        >>> rotations[:, shin] = quat.mul(rotations[:, shin], quat.about_axis("X", -0.5))
        >>> bent = replace(walk, rotations=rotations)
        >>> round(knees.least(bent)), round(knees.least(knees.without_hyperextension(bent, walk)))
        (-10, 0)
    """
    legs = ik.legs(clip.skeleton)
    if clip.skeleton.inheritance is not None or not legs or _are_scaled(clip, legs):
        return clip
    rotations = clip.rotations.copy()
    turned, places = kinematics.pose_clip(clip)
    turned_before, places_before = kinematics.pose_clip(before)
    changed = False
    for limb in legs:
        axis = _axis(limb, turned_before, places_before)
        if axis is None:
            continue
        bent, _ = _bend(limb, turned, places, axis)
        bent_before = _in_frames(_bend(limb, turned_before, places_before, axis)[0], len(clip))
        allowed = np.minimum(bent_before, 0.0)
        # The soft limit must not change a knee that bends as before.
        wanted = allowed + _soft(bent - allowed, np.clip(bent_before, LEAST_SOFT, SOFT))
        if np.abs(wanted - bent).max() < 1e-9:
            continue
        changed = True
        _turn(rotations, clip, limb, turned, places, axis, wanted - bent)
    return replace(clip, rotations=rotations) if changed else clip


def least(clip: Clip) -> float:
    """Return the least bend of a clip's knees, degrees; negative for hyperextension, NaN for unknown knees.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.style import knees
        >>> round(knees.least(actions.walk()))
        18
    """
    turned, places = kinematics.pose_clip(clip)
    angles = [
        float(_bend(limb, turned, places, axis)[0].min())
        for limb in ik.legs(clip.skeleton)
        if (axis := _axis(limb, turned, places)) is not None
    ]
    return float(np.degrees(min(angles))) if angles else float("nan")


def _are_scaled(clip: Clip, legs: Sequence[Limb]) -> bool:
    """Return whether legs, or their ancestors, are scaled by more than rounding."""
    if clip.scales is None:
        return False
    above = set[int]()
    for limb in legs:
        joint = limb.end
        while joint >= 0:
            above.add(joint)
            joint = int(clip.skeleton.parents[joint])
    return bool(np.abs(clip.scales[:, sorted(above)] - 1.0).max() > UNSCALED)


def _in_frames(angle: Array, count: int) -> Array:
    """Return angles at `count` frames from the first to the last."""
    return np.interp(np.linspace(0.0, len(angle) - 1.0, count), np.arange(len(angle)), angle)


def _soft(angle: Array, over: Array) -> Array:
    """Return angles (F,) unchanged above `over` (F,), and approaching zero smoothly below it."""
    return np.where(angle > over, angle, np.where(angle < -over, 0.0, (angle + over) ** 2 / (4.0 * over)))


def _axis(limb: Limb, turned: Array, places: Array) -> Array | None:
    """Return the mean bending axis (3,) of a knee in the thigh's frame, None if it hardly bends."""
    upper, lower = _bones(limb, places)
    across = (
        quat.cross(upper, lower)
        / np.maximum(np.linalg.norm(upper, axis=1) * np.linalg.norm(lower, axis=1), 1e-12)[:, None]
    )
    axis = quat.rotate(quat.inv(turned[:, limb.upper]), across).sum(axis=0)
    size = float(np.linalg.norm(axis))
    return axis / size if size > LEAST_BEND * len(places) else None


def _bones(limb: Limb, places: Array) -> tuple[Array, Array]:
    """Return the vectors (F, 3) from hip to knee and from knee to ankle."""
    hip, knee, end = (places[:, joint] for joint in (limb.upper, limb.lower, limb.end))
    return knee - hip, end - knee


def _bend(limb: Limb, turned: Array, places: Array, axis: Array) -> tuple[Array, Array]:
    """Return the bend (F,) of a knee about its axis, radians, and that axis in the world (F, 3)."""
    upper, lower = _bones(limb, places)
    world = quat.rotate(turned[:, limb.upper], np.broadcast_to(axis, upper.shape))
    sine = (quat.cross(upper, lower) * world).sum(axis=1)
    across = (upper * world).sum(axis=1) * (lower * world).sum(axis=1)
    return np.arctan2(sine, (upper * lower).sum(axis=1) - across), world


def _turn(rotations: Array, clip: Clip, limb: Limb, turned: Array, places: Array, axis: Array, more: Array) -> None:
    """Bend a knee by `more` (F,) in `rotations`, and swing the leg back; the foot keeps its rotation in the world."""
    upper, lower = _bones(limb, places)
    world = quat.rotate(turned[:, limb.upper], np.broadcast_to(axis, upper.shape))
    bend = quat.exp(world * more[:, None])
    swing = ik.shortest(upper + quat.rotate(bend, lower), upper + lower)
    above = {joint: turned[:, joint] for joint in (limb.upper, limb.lower, limb.end)}
    rotations[:, limb.upper] = ik.local_rotation(clip, limb.upper, turned, quat.mul(swing, above[limb.upper]), None)
    rotations[:, limb.lower] = ik.local_rotation(clip, limb.lower, turned, quat.mul(bend, above[limb.lower]), None)
    rotations[:, limb.end] = ik.local_rotation(clip, limb.end, turned, above[limb.end], quat.mul(swing, bend))
