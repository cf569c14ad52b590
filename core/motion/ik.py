"""Two-bone inverse kinematics of limbs, for all frames at once (methods: N-way blending)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from . import feet, kinematics, quat
from .clip import Clip
from .quat import Array
from .skeleton import Skeleton

STRAIGHTEST = 0.995  # of leg length; a straighter leg is never straightened further
# Difference from a straight leg, as a share of its length. Below the first value the knee angle is ill-conditioned and
# is kept; above the second it is changed fully; between them the change is faded.
UNDETERMINED = (0.002, 0.015)
LEAST_BEND = 1e-9  # of bone length; below it the knee has no bending axis


@dataclass(frozen=True)
class Limb:
    """The joints of a limb: thigh, shin and ankle, or a front leg's; joints that do not bend may lie between.

    foot : the name of its foot (see `feet.balls_and_ankles`)
    end : the ankle; for a leg that ends with its shin, as in a box figure, the point index of the shin's tip, numbered
        after all joints as in `kinematics.points`
    between : joints after the lower one that bend, too, in a limb of three bones and more
    """

    foot: str
    upper: int
    lower: int
    end: int
    between: tuple[int, ...] = ()


def legs(skeleton: Skeleton) -> list[Limb]:
    """Return the legs whose thigh, shin and ankle form a chain (see `known_legs`).

    Returns none for a body whose joints do not all inherit rotation, scale and location.

    Example:
        >>> from action_loom.core.demo_character import body
        >>> from action_loom.core.motion import ik
        >>> figure = body.skeleton()
        >>> [(leg.foot, figure.names[leg.upper], figure.names[leg.end]) for leg in ik.legs(figure)]
        [('L', 'thigh.L', 'foot.L'), ('R', 'thigh.R', 'foot.R')]
    """
    if skeleton.inheritance is not None:
        return []
    return [limb for limb in known_legs(skeleton) if hangs_together(skeleton, limb)]


def hangs_together(skeleton: Skeleton, limb: Limb) -> bool:
    """Return whether the ankle of a limb is a joint below its shin.

    In some rigs the ankle is a child of a root, or the leg has none.

    Example:
        >>> from action_loom.core.demo_character import body
        >>> from action_loom.core.motion import ik
        >>> figure = body.skeleton()
        >>> [ik.hangs_together(figure, limb) for limb in ik.known_legs(figure)]
        [True, True]
    """
    return limb.end < len(skeleton) and bool(skeleton.with_below([limb.lower])[limb.end])


def known_legs(skeleton: Skeleton) -> list[Limb]:
    """Return the legs with the shin below the thigh, whatever the ankle's parent; all four of a four-footed body.

    Example:
        >>> from action_loom.core.demo_character import body
        >>> from action_loom.core.motion import ik
        >>> [limb.foot for limb in ik.known_legs(body.skeleton())]
        ['L', 'R']
    """
    if skeleton.legs:
        ankles = {foot: ankle for foot, (_, ankle) in feet.balls_and_ankles(skeleton).items()}
        lines = [leg[:-2] if len(leg) > 2 else leg for leg in skeleton.legs.values()]
        whole = [all(skeleton.with_below([a])[b] for a, b in pairwise(line)) for line in lines]
        return [
            Limb(foot, line[0], line[1], ankles[foot], line[2:])
            for foot, line, holds in zip(skeleton.legs, lines, whole, strict=True) if holds
        ]  # fmt: skip
    chains = {"": ("thigh", "shin", "foot")}
    if skeleton.four_footed:
        chains["front "] = ("upper_arm", "forearm", "hand")
    limbs = []
    for which, parts in chains.items():
        for side in "LR":
            upper, lower, end = (skeleton.roles.get(f"{part}.{side}", -1) for part in parts)
            if end < 0 and lower in skeleton.tipped and f"toe.{side}" not in skeleton.roles:
                end = len(skeleton) + int(np.searchsorted(skeleton.tipped, lower))
            if min(upper, lower, end) >= 0 and skeleton.with_below([upper])[lower]:
                limbs.append(Limb(f"{which}{side}", upper, lower, end))
    return limbs


def to_targets(clip: Clip, targets: Mapping[Limb, Array]) -> tuple[Clip, dict[str, Array]]:
    """Return the clip with the ends of limbs at targets (F, 3) in the world, within reach.

    Also returns, by foot name, the distance (F,) of each end from its target before.

    The knee bends about its own axis until the end is at the target's distance from the hip, then the limb swings to
    the target; the end keeps its world rotation. A nearly straight knee bends by less, because its angle is
    ill-conditioned, and limbs are straightened to at most 0.995 of their length. Clips with scales, and bodies whose
    joints do not all inherit everything from their parents, are returned unchanged.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import ik, kinematics
        >>> walk = actions.walk(cycles=1)
        >>> leg = ik.legs(walk.skeleton)[0]
        >>> target = kinematics.points(walk)[:, leg.end] + [0.0, 0.0, 0.05]  # 5 cm higher
        >>> lifted, moved = ik.to_targets(walk, {leg: target})
        >>> bool(abs(moved["L"] - 0.05).max() < 1e-9)
        True
        >>> missed = np.linalg.norm(kinematics.points(lifted)[:, leg.end] - target, axis=1)
        >>> bool(missed.max() < 0.01)  # nearly straight knees fall a few millimetres short
        True
    """
    if clip.scales is not None or clip.skeleton.inheritance is not None or not targets:
        return clip, {}
    rotations, away = clip.rotations.copy(), {}
    joints = [joint for limb in targets for joint in (limb.lower, limb.end)]  # in some rigs ankles have other parents
    turned, positions = kinematics.world_of(clip, joints)
    for limb, target in targets.items():
        hip, knee, end = (positions[:, joint] for joint in (limb.upper, limb.lower, limb.end))
        away[limb.foot] = np.linalg.norm(target - end, axis=1)
        bend = _bend(knee - hip, end - knee, target - hip)
        swing = shortest(knee - hip + quat.rotate(bend, end - knee), target - hip)
        above = {joint: turned[:, joint] for joint in (limb.upper, limb.lower, limb.end)}
        rotations[:, limb.upper] = local_rotation(clip, limb.upper, turned, quat.mul(swing, above[limb.upper]), None)
        rotations[:, limb.lower] = local_rotation(clip, limb.lower, turned, quat.mul(bend, above[limb.lower]), None)
        rotations[:, limb.end] = local_rotation(clip, limb.end, turned, above[limb.end], quat.mul(swing, bend))
    return replace(clip, rotations=rotations), away


def local_rotation(clip: Clip, joint: int, turned: Array, wanted: Array, carried: Array | None) -> Array:
    """Return the rotations (F, 4) about rest that give a joint the wanted world rotations (F, 4).

    turned (F, J, 4) : the world rotations of the clip
    carried (F, 4) : additional world rotation of its parent; None if it has none

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import ik, kinematics
        >>> walk = actions.walk(cycles=1)
        >>> turned, _ = kinematics.world(walk)
        >>> shin = walk.skeleton.index("shin.L")
        >>> same = ik.local_rotation(walk, shin, turned, turned[:, shin], None)
        >>> bool(abs(same - walk.rotations[:, shin]).max() < 1e-12)
        True
    """
    skeleton = clip.skeleton
    parent = int(skeleton.parents[joint])
    frame = quat.mul(turned[:, parent], skeleton.orients[joint]) if parent >= 0 else skeleton.orients[joint][None]
    if carried is not None:
        frame = quat.mul(carried, frame)
    return quat.same_side(quat.mul(quat.inv(frame), wanted), clip.rotations[:, joint])


def _bend(upper: Array, lower: Array, reach: Array) -> Array:
    """Return the rotations (F, 4) of the lower bone about the knee axis that give the limb the length of `reach`."""
    thigh, shin = (np.linalg.norm(bone, axis=1) for bone in (upper, lower))
    length = thigh + shin
    now = np.linalg.norm(upper + lower, axis=1)
    farthest = np.maximum(now, STRAIGHTEST * length)
    wanted = np.clip(np.linalg.norm(reach, axis=1), np.abs(thigh - shin) * (1.0 + LEAST_BEND), farthest)
    change = _knee(thigh, shin, now) - _knee(thigh, shin, wanted)
    axis = np.cross(upper, lower)
    size = np.linalg.norm(axis, axis=1)
    straight = np.maximum(now, wanted) / np.maximum(length, LEAST_BEND)
    share = np.clip((1.0 - straight - UNDETERMINED[0]) / (UNDETERMINED[1] - UNDETERMINED[0]), 0.0, 1.0)
    share = np.where(size > LEAST_BEND * thigh * shin, share * share * (3.0 - 2.0 * share), 0.0)
    return quat.exp((share * change / np.maximum(size, 1e-300))[:, None] * axis)


def _knee(thigh: Array, shin: Array, apart: Array) -> Array:
    """Return the inner angle (F,) of a knee between bones of two lengths with their far ends at distance `apart`."""
    cosine = (thigh**2 + shin**2 - apart**2) / np.maximum(2.0 * thigh * shin, 1e-300)
    return np.arccos(np.clip(cosine, -1.0, 1.0))


def shortest(start: Array, goal: Array) -> Array:
    """Return the shortest rotations (F, 4) from directions (F, 3) to others; the identity for opposite or zero vectors.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.motion import ik, quat
        >>> down, ahead = np.array([[0.0, 0.0, -1.0]]), np.array([[0.0, 2.0, 0.0]])
        >>> turn = ik.shortest(down, ahead)
        >>> np.degrees(np.linalg.norm(quat.log(turn), axis=1)).round(3).tolist()
        [90.0]
    """
    axis, along = np.cross(start, goal), (start * goal).sum(axis=1)
    size = np.linalg.norm(axis, axis=1)
    angle = np.arctan2(size, along)
    return quat.exp(np.where(size > 0.0, angle / np.where(size > 0.0, size, 1.0), 0.0)[:, None] * axis)
