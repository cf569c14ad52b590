"""The controls that are keyed for a motion, each with the bone that it follows."""

from dataclasses import dataclass, field

import bpy
import numpy as np
from numpy.typing import NDArray

from ....core.motion.quat import Array
from ...ground.blender_types import present
from .body import locks
from .found import Part, RigControls

TRUNK = "Trunk"


@dataclass
class Control:
    """A control that follows a bone.

    swivels : the limb whose pole it is
    seeds : whether it only tells Blender's solver where to begin
    own, correction (F, 4, 4) : its transforms in its own axes, and what its target was corrected by
    best (F,), kept (F, 4, 4) : the smallest error so far, and the correction with it
    given_up (F,) : frames in which a correction made it worse, so that it is left at the best one
    axes (3, 3) : the axes of its location, where these are not its own
    """

    part: str
    name: str
    bone: str
    turns: bool
    moves: bool
    swivels: Part | None = None
    seeds: bool = False
    own: Array = field(default_factory=lambda: np.zeros(0))
    correction: Array = field(default_factory=lambda: np.zeros(0))
    best: Array = field(default_factory=lambda: np.zeros(0))
    kept: Array = field(default_factory=lambda: np.zeros(0))
    given_up: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, bool))
    axes: Array = field(default_factory=lambda: np.eye(3))

    @property
    def basis(self) -> Array:
        """What is keyed (F, 4, 4)."""
        out = self.own.copy()
        out[:, :3, 3] = self.own[:, :3, 3] @ self.axes.T
        return out


def controls(armature: bpy.types.Object, found: RigControls, parts: list[Part], inverse: set[str]) -> list[Control]:
    """Return the controls to be keyed: the root, then the trunk's, then those of limbs.

    inverse : the parts that are keyed on inverse kinematics
    """
    bones = present(armature.pose).bones
    every = [Control(TRUNK, found.root, found.root, True, True)] if found.root else []
    for part in parts:
        every += _of_trunk(found, part) if part.name == TRUNK else _of_limb(part, is_on_ik(part, inverse))
    out: dict[str, Control] = {}
    for one in every:
        one.turns = one.turns and not all(locks(bones[one.name], "rotation"))
        if not bones[one.name].bone.use_local_location:
            one.axes = np.array(bones[one.name].bone.matrix_local, dtype=np.float64)[:3, :3]
        out.setdefault(one.name, one)
    return list(out.values())


def is_on_ik(part: Part, inverse: set[str]) -> bool:
    """Return whether a part is keyed on inverse kinematics: because it is asked for, or because it has nothing else."""
    return bool(part.ik) and (part.name in inverse or not part.has_fk)


def _of_trunk(found: RigControls, part: Part) -> list[Control]:
    roles, fk = dict(part.bones), dict(part.fk)
    hips = roles.get("hips") or next(iter(roles.values()))
    carries = bool(found.torso) and found.torso not in fk.values()
    out = [Control(part.name, found.torso, hips, True, True)] if carries else []
    for role, control in fk.items():
        out.append(Control(part.name, control, roles[role], True, roles[role] == hips and not carries))
    return out


def _of_limb(part: Part, inverse: bool) -> list[Control]:
    roles, fk = dict(part.bones), dict(part.fk)
    if not inverse:
        return [Control(part.name, control, roles[role], True, False) for role, control in fk.items()]
    out = []
    if not part.pole:  # Blender's solver begins at the bones' own pose
        own = [role for role in list(roles)[:2] if role in fk]
        out = [Control(part.name, fk[role], roles[role], True, False, seeds=True) for role in own]
    out.append(Control(part.name, part.ik, roles[part.end], part.turns_end, True))
    out += [Control(part.name, control, roles[role], True, False) for role, control in part.tips]
    if part.pole:
        out.append(Control(part.name, part.pole, roles[part.end], False, True, swivels=part))
    return out
