"""Arms, palms and parts of a body in all frames of a clip.

Method: Contacts of hands.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..motion import fingers, quat
from ..motion.clip import Clip
from ..motion.ik import Limb
from ..motion.quat import Array
from ..motion.skeleton import Skeleton

UNDER = 0.03  # body heights below the low end of a trunk: hanging hands are next to the thighs, not on the trunk
PALM = 0.13  # of the arm: from the wrist to the palm

# Distances of a palm from the axis of a part, body heights. A nearer palm than the first is surely on the part, and a
# palm beyond the second is not.
NEAR = {
    "hand": (0.045, 0.085),
    "forearm": (0.05, 0.085),
    "upper_arm": (0.055, 0.09),
    "thigh": (0.065, 0.095),
    "trunk": (0.11, 0.145),
    "head": (0.1, 0.135),
}
_BONES = {"forearm": "hand", "upper_arm": "forearm", "thigh": "shin", "shin": "foot"}
ARM, LEG = ("upper_arm", "forearm", "hand"), ("thigh", "shin", "foot")
ARMS = ("hand", "forearm", "upper_arm")  # only the hand of the other side can be on these parts


@dataclass(frozen=True, eq=False)
class Part:
    """A part of the body in F frames: an axis from low to high (F, 3), and its sizes at both ends, metres."""

    low: Array
    high: Array
    sizes: tuple[float, float]

    def size(self, along: Array) -> Array:
        """Return the size (F,) at positions along the part, 0 to 1."""
        return self.sizes[0] + along * (self.sizes[1] - self.sizes[0])

    def at(self, along: Array) -> Array:
        return np.asarray(self.low + along[:, None] * (self.high - self.low))

    def under(self, places: Array) -> Array:
        """Return the distance (F,), metres, of positions (F, 3) beyond the part's low end."""
        line = self.high - self.low
        along = ((self.low - places) * line).sum(axis=1) / np.maximum(_length(line), 1e-9)
        return np.asarray(np.maximum(along, 0.0))

    def nearest(self, places: Array) -> Array:
        """Return the parameter (F,) of the point on the axis nearest to positions (F, 3), 0 to 1."""
        line = self.high - self.low
        square = np.maximum((line * line).sum(axis=1), 1e-12)
        return np.asarray(np.clip(((places - self.low) * line).sum(axis=1) / square, 0.0, 1.0))


def list_roles(end: str) -> tuple[str, str, str]:
    """Return the roles of the three joints of a limb by its end: "L" is a hand, others are such as "foot.L", "knee.L".

    Example:
        >>> from action_loom.core.contacts import parts
        >>> parts.list_roles("L"), parts.list_roles("knee.R")
        (('upper_arm.L', 'forearm.L', 'hand.L'), ('thigh.R', 'shin.R', 'foot.R'))
    """
    of, _, side = end.rpartition(".")
    upper, lower, last = LEG if of else ARM
    return f"{upper}.{side}", f"{lower}.{side}", f"{last}.{side}"


def find_limb(skeleton: Skeleton, end: str) -> Limb | None:
    """Return the joints of an arm or a leg by its end, as `list_roles`; None if they are not known.

    Example:
        >>> from action_loom.core.contacts import parts
        >>> from action_loom.core.demo_character import body
        >>> person = body.skeleton()
        >>> person.names[parts.find_limb(person, "L").end]
        'hand.L'
    """
    upper, lower, last = (skeleton.roles.get(role, -1) for role in list_roles(end))
    known = min(upper, lower, last) >= 0 and bool(skeleton.with_below([upper])[lower])
    side = end[-1]
    lengths = [_bone(skeleton, role, side) for role in (LEG if "." in end else ARM)[:2]] if known else [0.0]
    return Limb(side if "." in end else f"front {side}", upper, lower, last) if min(lengths) > 0.0 else None


def palm_offset(clip: Clip, side: str, turned: Array) -> Array:
    """Return the vector (F, 3) from a wrist to its palm; zero if the hand's direction is unknown.

    Example:
        >>> from action_loom.core.contacts import parts
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import kinematics
        >>> walk = actions.walk(cycles=1)
        >>> parts.palm_offset(walk, "L", kinematics.world(walk)[0]).shape
        (33, 3)
    """
    skeleton, hand = clip.skeleton, clip.skeleton.roles[f"hand.{side}"]
    rotations, _ = skeleton.rest
    pointing = fingers.pointing(skeleton, side, _at_rest(skeleton))
    if pointing is None:
        return np.zeros((len(clip), 3))
    along = quat.rotate(quat.inv(rotations[hand]), PALM * measure_limb(skeleton, "forearm", side) * pointing)
    return np.asarray(quat.rotate(turned[:, hand], along))


def _at_rest(skeleton: Skeleton) -> Array:
    rotations, places = skeleton.rest
    tipped = skeleton.tipped
    return np.concatenate([places, places[tipped] + quat.rotate(rotations[tipped], skeleton.tips[tipped])])


def _bone(skeleton: Skeleton, role: str, side: str) -> float:
    """Return the length (m) of a bone at rest."""
    places, roles = skeleton.rest[1], skeleton.roles
    ends = [places[roles[f"{one}.{side}"]] for one in (role, _BONES[role])]
    return float(np.linalg.norm(ends[1] - ends[0]))


def measure_limb(skeleton: Skeleton, role: str, side: str) -> float:
    """Return the length (m) of an arm or a leg at rest: more consistent between rigs than the joint between.

    Example:
        >>> from action_loom.core.contacts import parts
        >>> from action_loom.core.demo_character import body
        >>> person = body.skeleton()
        >>> 0.4 < parts.measure_limb(person, "forearm", "L") < 0.7
        True
    """
    limb = ("thigh", "shin") if role == "thigh" else ("upper_arm", "forearm")
    return sum(_bone(skeleton, one, side) for one in limb if f"{_BONES[one]}.{side}" in skeleton.roles)


def find_parts(skeleton: Skeleton, points: Array, palms: Mapping[str, Array]) -> dict[str, Part]:
    """Return the parts of a body by name, with the side as a suffix.

    Example:
        >>> from action_loom.core.contacts import parts
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import kinematics
        >>> walk = actions.walk(cycles=1)
        >>> sorted(parts.find_parts(walk.skeleton, kinematics.points(walk), {}))
        ['head', 'trunk']
    """
    roles, found = skeleton.roles, {}
    for side in palms:
        size = measure_limb(skeleton, "forearm", side)
        found[f"hand.{side}"] = Part(palms[side], palms[side], (size, size))
        for role in ("forearm", "upper_arm", "thigh"):
            if not {f"{role}.{side}", f"{_BONES[role]}.{side}"} <= roles.keys():
                continue
            size = measure_limb(skeleton, role, side)
            ends = points[:, roles[f"{role}.{side}"]], points[:, roles[f"{_BONES[role]}.{side}"]]
            found[f"{role}.{side}"] = Part(*ends, (size, size))
    if {"thigh.L", "thigh.R", "upper_arm.L", "upper_arm.R"} <= roles.keys():
        sizes, middles = [], []
        for role in ("thigh", "upper_arm"):
            left, right = (points[:, roles[f"{role}.{side}"]] for side in "LR")
            # Measured in the clip, because collar bones can be raised at rest.
            sizes.append(float(np.median(_length(left - right))))
            middles.append(0.5 * (left + right))
        found["trunk"] = Part(middles[0], middles[1], (sizes[0], sizes[1]))
        if "head" in roles:
            found["head"] = Part(points[:, roles["head"]], points[:, roles["head"]], (sizes[1], sizes[1]))
    return {name: part for name, part in found.items() if min(part.sizes) > 0.0}


def is_other_part(name: str, side: str) -> bool:
    """Return whether a part does not belong to the arm of a side.

    Example:
        >>> from action_loom.core.contacts import parts
        >>> parts.is_other_part("forearm.L", "L"), parts.is_other_part("thigh.L", "L")
        (False, True)
    """
    role, _, own = name.partition(".")
    return role not in ARMS or own != side


def measure_bend(skeleton: Skeleton, points: Array, side: str) -> Array:
    """Return the bend (F,) of an elbow, radians.

    Example:
        >>> from action_loom.core.contacts import parts
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import kinematics
        >>> walk = actions.walk(cycles=1)
        >>> parts.measure_bend(walk.skeleton, kinematics.points(walk), "L").shape
        (33,)
    """
    roles = skeleton.roles
    upper, lower, end = (points[:, roles[f"{role}.{side}"]] for role in ("upper_arm", "forearm", "hand"))
    one, other = lower - upper, end - lower
    return np.asarray(np.arctan2(_length(quat.cross(one, other)), (one * other).sum(axis=1)))


def _length(vectors: Array) -> Array:
    return np.asarray(np.linalg.norm(vectors, axis=-1))
