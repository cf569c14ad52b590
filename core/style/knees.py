"""Knees that are not bent to the wrong side: legs are held straight there, and swung so that feet stay.

Method: Style.
"""

from dataclasses import replace

import numpy as np

from ..motion import ik, kinematics, quat
from ..motion.clip import Clip
from ..motion.ik import Limb
from ..motion.quat import Array

SOFT = np.radians(3.0)  # over which a knee comes to a stop, at most
LEAST_SOFT = np.radians(0.01)
LEAST_BEND = 1e-3  # sine; knees that never bend more have no axis that is known


def kept_from_overstretching(clip: Clip, before: Clip) -> Clip:
    """Return a clip with no knee straighter than straight, or than it was before, of other seconds maybe.

    The shin turns back about the knee's own axis, the thigh takes up so that the foot is in the same direction from
    the hip, and keeps its turn in the world. Bodies that do not inherit all, or are scaled, stay as they are.
    """
    legs = ik.legs(clip.skeleton)
    if clip.scales is not None or clip.skeleton.inheritance is not None or not legs:
        return clip
    rotations = clip.rotations.copy()
    turned, places = kinematics.posed(clip)
    turned_before, places_before = kinematics.posed(before)
    changed = False
    for limb in legs:
        axis = _axis(limb, turned_before, places_before)
        if axis is None:
            continue
        bent, _ = _bend(limb, turned, places, axis)
        bent_before = _in_frames(_bend(limb, turned_before, places_before, axis)[0], len(clip))
        allowed = np.minimum(bent_before, 0.0)
        # As softly as leaves a knee alone that is bent as it was.
        wanted = allowed + _soft(bent - allowed, np.clip(bent_before, LEAST_SOFT, SOFT))
        if np.abs(wanted - bent).max() < 1e-9:
            continue
        changed = True
        _turn(rotations, clip, limb, turned, places, axis, wanted - bent)
    return replace(clip, rotations=rotations) if changed else clip


def least(clip: Clip) -> float:
    """Return the least angle, degrees, by which a knee of a clip is bent; below 0 is to the wrong side."""
    turned, places = kinematics.posed(clip)
    found = [
        float(_bend(limb, turned, places, axis)[0].min())
        for limb in ik.legs(clip.skeleton)
        if (axis := _axis(limb, turned, places)) is not None
    ]
    return float(np.degrees(min(found))) if found else float("nan")


def _in_frames(angle: Array, count: int) -> Array:
    """Angles (F,) at so many frames from the first to the last."""
    return np.interp(np.linspace(0.0, len(angle) - 1.0, count), np.arange(len(angle)), angle)


def _soft(angle: Array, over: Array) -> Array:
    """Angles (F,) as they are where they are larger than others (F,), and going out at zero where they are below."""
    return np.where(angle > over, angle, np.where(angle < -over, 0.0, (angle + over) ** 2 / (4.0 * over)))


def _axis(limb: Limb, turned: Array, places: Array) -> Array | None:
    """The axis (3,) in the thigh's frame about which a leg's knee bends most of the time; None where none is known."""
    upper, lower = _bones(limb, places)
    across = (
        quat.cross(upper, lower)
        / np.maximum(np.linalg.norm(upper, axis=1) * np.linalg.norm(lower, axis=1), 1e-12)[:, None]
    )
    axis = quat.rotate(quat.inv(turned[:, limb.upper]), across).sum(axis=0)
    size = float(np.linalg.norm(axis))
    return axis / size if size > LEAST_BEND * len(places) else None


def _bones(limb: Limb, places: Array) -> tuple[Array, Array]:
    hip, knee, end = (places[:, joint] for joint in (limb.upper, limb.lower, limb.end))
    return knee - hip, end - knee


def _bend(limb: Limb, turned: Array, places: Array, axis: Array) -> tuple[Array, Array]:
    """By how much (F,) a knee is bent about its axis, and that axis in the world (F, 3)."""
    upper, lower = _bones(limb, places)
    world = quat.rotate(turned[:, limb.upper], np.broadcast_to(axis, upper.shape))
    sine = (quat.cross(upper, lower) * world).sum(axis=1)
    across = (upper * world).sum(axis=1) * (lower * world).sum(axis=1)
    return np.arctan2(sine, (upper * lower).sum(axis=1) - across), world


def _turn(rotations: Array, clip: Clip, limb: Limb, turned: Array, places: Array, axis: Array, more: Array) -> None:
    """Bend a knee by so much more (F,), and swing the leg back; the foot keeps its turn in the world."""
    upper, lower = _bones(limb, places)
    world = quat.rotate(turned[:, limb.upper], np.broadcast_to(axis, upper.shape))
    bend = quat.exp(world * more[:, None])
    swing = ik.shortest(upper + quat.rotate(bend, lower), upper + lower)
    above = {joint: turned[:, joint] for joint in (limb.upper, limb.lower, limb.end)}
    rotations[:, limb.upper] = ik.local_rotation(clip, limb.upper, turned, quat.mul(swing, above[limb.upper]), None)
    rotations[:, limb.lower] = ik.local_rotation(clip, limb.lower, turned, quat.mul(bend, above[limb.lower]), None)
    rotations[:, limb.end] = ik.local_rotation(clip, limb.end, turned, above[limb.end], quat.mul(swing, bend))
