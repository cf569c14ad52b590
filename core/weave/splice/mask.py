"""Select the joints of the upper body to splice, and the joints that define the orientation of its trunk.

Method: Splicing upper body onto locomotion.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import OptionError, SkeletonError
from ...motion import roles
from ...motion.skeleton import Skeleton
from ...sync import joint_weights


@dataclass(frozen=True, eq=False)
class UpperBody:
    """The joints of the upper body, its top joints, and the joints that define the orientation of its trunk.

    joints (U,); begins : joints among them whose parent is in the lower body
    pelvis : the pelvis joint, the joint of `begins` that carries the trunk; None if the trunk is not included
    trunk (P,) : the joints of the trunk above it, and the shoulders; arms are omitted, as a guard would turn the chest
    """

    joints: NDArray[np.int64]
    begins: tuple[int, ...]
    pelvis: int | None
    trunk: NDArray[np.int64]


def upper_body(skeleton: Skeleton, names: str = "") -> UpperBody:
    """Return the upper body of a skeleton: the lowest joint of the spine and all below it, or the joints in `names`.

    names : comma-separated joints, each with its subtree; a minus before a name excludes it
    Raises OptionError for names that do not fit, and SkeletonError for a body with unknown parts.

    Example:
        >>> from action_loom.core.demo_character import body
        >>> from action_loom.core.weave.splice import mask
        >>> figure = body.skeleton()
        >>> upper = mask.upper_body(figure)
        >>> figure.names[upper.pelvis], len(upper.joints), len(mask.upper_body(figure, "spine, -upper_arm.L").joints)
        ('spine', 12, 9)
    """
    chosen = _select_named(skeleton, names) if names.strip() else _above_the_pelvis(skeleton)
    _refuse_legs(skeleton, chosen)
    parents = skeleton.parents
    begins = tuple(int(j) for j in np.flatnonzero(chosen) if parents[j] < 0 or not chosen[parents[j]])
    pelvis, trunk = next(
        ((joint, points) for joint in begins if (points := _trunk(skeleton, chosen, joint))), (None, [])
    )
    return UpperBody(np.flatnonzero(chosen), begins, pelvis, np.array(trunk, dtype=np.int64))


def _above_the_pelvis(skeleton: Skeleton) -> NDArray[np.bool_]:
    known = skeleton.roles
    if skeleton.four_footed:
        free = next((skeleton.names[known[role]] for role in ("neck", "head") if role in known), "")
        raise SkeletonError(
            "This body stands on its front legs, too, so it has no upper body: name the joints to splice"
            + (f", such as {free}" if free else "")
        )
    missing = [role for role in ("spine", "upper_arm.L", "upper_arm.R") if role not in known]
    if missing:
        raise SkeletonError(
            f"The upper body is not known, since no joint plays the part of {', '.join(missing)}: "
            "correct the parts, or name the joints where it begins"
        )
    chosen = skeleton.with_below([known["spine"]])
    for role in ("upper_arm.L", "upper_arm.R"):
        if not chosen[known[role]]:
            arm, spine = skeleton.names[known[role]], skeleton.names[known["spine"]]
            raise SkeletonError(f"{arm} does not hang below {spine}: name all joints where the upper body begins")
    return chosen


def _select_named(skeleton: Skeleton, names: str) -> NDArray[np.bool_]:
    chosen = np.zeros(len(skeleton), dtype=bool)
    for entry in (part.strip() for part in names.split(",")):
        without = entry.startswith("-") and entry not in skeleton.names
        name = entry[1:].strip() if without else entry
        if name not in skeleton.names:
            raise joint_weights.unknown_joint("upper", name, skeleton)
        chosen[skeleton.with_below([skeleton.index(name)])] = not without
    if not chosen.any():
        raise joint_weights.no_joint("upper", names)
    return chosen


def _refuse_legs(skeleton: Skeleton, chosen: NDArray[np.bool_]) -> None:
    """Raise OptionError if the selection includes joints of the lower body, or joints above them."""
    roots = np.flatnonzero(chosen & (skeleton.parents < 0))
    if len(roots):
        name = skeleton.names[roots[0]]
        raise OptionError(f"{name} is a root, so it can't be where an upper body begins: name a joint above the hips")
    front_legs = ("upper_arm", "forearm", "hand") if skeleton.four_footed else ()
    for role, joint in skeleton.roles.items():
        part = role.partition(".")[0]
        if chosen[joint] and part in front_legs:
            raise OptionError(f"{skeleton.names[joint]} is a front leg: leave it out, with a minus before its name")
        if chosen[joint] and part in ("hips", "thigh", "shin", "foot"):
            raise OptionError(f"{skeleton.names[joint]} is of the lower body: begin the upper body above it")


def _trunk(skeleton: Skeleton, chosen: NDArray[np.bool_], joint: int) -> list[int]:
    """Return the trunk points below a joint; none if they do not define its rotation."""
    known = skeleton.roles
    below = chosen & skeleton.with_below([joint])
    below[joint] = False
    top = known.get("neck", known.get("chest", joint))
    spine = [top, *roles.ancestors(top, skeleton.parents)]
    sides = [known[role] for side in "LR" for role in (f"clavicle.{side}", f"upper_arm.{side}") if role in known]
    shoulders = {side for side in "LR" if (arm := known.get(f"upper_arm.{side}")) is not None and below[arm]}
    if len(shoulders) < 2:
        return []
    return sorted({int(point) for point in (*spine, *sides) if below[point]})
