"""Legs led so that their ankles are at given places: two bones, all frames at once (methods: N-way blending)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from . import kinematics, quat
from .clip import Clip
from .quat import Array
from .skeleton import Skeleton

STRAIGHTEST = 0.995  # of a leg's length; one that is straighter stays as straight as it is
UNDETERMINED = (
    0.002,
    0.015,
)  # short of straight, as a share: under the first a knee's angle tells nothing, over it all
LEAST_BEND = 1e-9


@dataclass(frozen=True)
class Limb:
    """The joints of a limb of two bones: thigh, shin and ankle, or those of a front leg, maybe with some between.

    foot : what its foot is called (see `feet.balls_and_ankles`)
    end : of a leg that ends with its shin, as a box figure's, the point that is the shin's tip (after all joints)
    """

    foot: str
    upper: int
    lower: int
    end: int


def legs(skeleton: Skeleton) -> list[Limb]:
    """Return the legs that hang together from thigh to ankle, none where joints inherit less; see `known_legs`."""
    if skeleton.inheritance is not None:
        return []
    return [limb for limb in known_legs(skeleton) if hangs_together(skeleton, limb)]


def hangs_together(skeleton: Skeleton, limb: Limb) -> bool:
    """Say whether a limb's ankle is a joint that hangs on its shin: in some rigs it hangs on a root, or is none."""
    return limb.end < len(skeleton) and bool(skeleton.with_below([limb.lower])[limb.end])


def known_legs(skeleton: Skeleton) -> list[Limb]:
    """Return the legs whose shins hang on their thighs, wherever their ankles do; of four-footed bodies all four."""
    chains = {"": ("thigh", "shin", "foot")}
    if skeleton.four_footed:
        chains["front "] = ("upper_arm", "forearm", "hand")
    found = []
    for which, parts in chains.items():
        for side in "LR":
            upper, lower, end = (skeleton.roles.get(f"{part}.{side}", -1) for part in parts)
            if end < 0 and lower in skeleton.tipped and f"toe.{side}" not in skeleton.roles:
                end = len(skeleton) + int(np.searchsorted(skeleton.tipped, lower))
            if min(upper, lower, end) >= 0 and skeleton.with_below([upper])[lower]:
                found.append(Limb(f"{which}{side}", upper, lower, end))
    return found


def led(clip: Clip, places: Mapping[Limb, Array]) -> tuple[Clip, dict[str, Array]]:
    """Return the clip with limbs led so that their ends are at places (F, 3) in the world, as far as they reach.

    Beside it, by the foot's name, how far (F,) each end was from its place.

    The knee bends about its own axis until the end is as far from the hip as its place is, then the limb is swung
    there; the end keeps its rotation in the world. A nearly straight knee is bent by less, for its angle is hardly
    determined, and none is led straighter than 0.995 of the limb. Clips with scales stay as they are.
    """
    if clip.scales is not None or clip.skeleton.inheritance is not None or not places:
        return clip, {}
    rotations, away = clip.rotations.copy(), {}
    ends = [limb.end for limb in places]
    turned, positions = kinematics.world_of(clip, ends)
    for limb, place in places.items():
        hip, knee, end = (positions[:, joint] for joint in (limb.upper, limb.lower, limb.end))
        away[limb.foot] = np.linalg.norm(place - end, axis=1)
        bend = _bend(knee - hip, end - knee, place - hip)
        swing = shortest(knee - hip + quat.rotate(bend, end - knee), place - hip)
        above = {joint: turned[:, joint] for joint in (limb.upper, limb.lower, limb.end)}
        rotations[:, limb.upper] = local_rotation(clip, limb.upper, turned, quat.mul(swing, above[limb.upper]), None)
        rotations[:, limb.lower] = local_rotation(clip, limb.lower, turned, quat.mul(bend, above[limb.lower]), None)
        rotations[:, limb.end] = local_rotation(clip, limb.end, turned, above[limb.end], quat.mul(swing, bend))
    return replace(clip, rotations=rotations), away


def local_rotation(clip: Clip, joint: int, turned: Array, wanted: Array, carried: Array | None) -> Array:
    """Return the rotations (F, 4) of a joint from rest that turn it in the world as wanted (F, 4).

    turned (F, J, 4) : how joints are turned now; the joint's parent is still, or is carried (F, 4) on from there.
    """
    skeleton = clip.skeleton
    parent = int(skeleton.parents[joint])
    frame = quat.mul(turned[:, parent], skeleton.orients[joint]) if parent >= 0 else skeleton.orients[joint][None]
    if carried is not None:
        frame = quat.mul(carried, frame)
    return quat.same_side(quat.mul(quat.inv(frame), wanted), clip.rotations[:, joint])


def _bend(upper: Array, lower: Array, reach: Array) -> Array:
    """Rotations (F, 4) of the lower bone about the knee's axis, after which the limb reaches as far as `reach` does."""
    one, other = (np.linalg.norm(bone, axis=1) for bone in (upper, lower))
    length = one + other
    now = np.linalg.norm(upper + lower, axis=1)
    farthest = np.maximum(now, STRAIGHTEST * length)
    wanted = np.clip(np.linalg.norm(reach, axis=1), np.abs(one - other) * (1.0 + LEAST_BEND), farthest)
    change = _knee(one, other, now) - _knee(one, other, wanted)
    axis = np.cross(upper, lower)
    size = np.linalg.norm(axis, axis=1)
    straight = np.maximum(now, wanted) / np.maximum(length, LEAST_BEND)
    share = np.clip((1.0 - straight - UNDETERMINED[0]) / (UNDETERMINED[1] - UNDETERMINED[0]), 0.0, 1.0)
    share = np.where(size > LEAST_BEND * one * other, share * share * (3.0 - 2.0 * share), 0.0)
    return quat.exp((share * change / np.maximum(size, 1e-300))[:, None] * axis)


def _knee(one: Array, other: Array, apart: Array) -> Array:
    """The inner angle (F,) of a knee between bones of these lengths whose ends are so far apart."""
    cosine = (one**2 + other**2 - apart**2) / np.maximum(2.0 * one * other, 1e-300)
    return np.arccos(np.clip(cosine, -1.0, 1.0))


def shortest(start: Array, goal: Array) -> Array:
    """Return the shortest rotations (F, 4) from directions (F, 3) to others; none for opposite or zero ones."""
    axis, along = np.cross(start, goal), (start * goal).sum(axis=1)
    size = np.linalg.norm(axis, axis=1)
    angle = np.arctan2(size, along)
    return quat.exp(np.where(size > 0.0, angle / np.where(size > 0.0, size, 1.0), 0.0)[:, None] * axis)
