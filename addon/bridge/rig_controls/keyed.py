"""The controls to key for a motion, each with its target bone."""

from collections.abc import Collection
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
    seeds : whether it only gives the start pose of Blender's IK solver
    given : whether it is placed directly at its goal, without corrections from its bone's error
    bears : whether it places its child controls, which then turn their bones themselves
    own, hangs, fix (F, 4, 4) : its transforms in its own axes; its rest transform relative to its carrier; the
        correction of its goal, in the goal's axes
    best (F,), kept (F, 4, 4) : the smallest error so far, and the correction with it
    idle (F,) : number of corrections without improvement
    share (F,), missed (F, 3) : the factor of a rotation correction, and the last rotation error, as a rotation vector
    gap (F,), stuck (F,) : its smallest distance from its goal, and the number of passes without improvement
    near (F, 4, 4) : its transform relative to its carrier at the smallest distance; once it is stuck, the current one
    axes (3, 3) : the axes of its location, if they differ from its own
    """

    part: str
    name: str
    bone: str
    turns: bool
    moves: bool
    swivels: Part | None = None
    seeds: bool = False
    given: bool = False
    bears: bool = False
    own: Array = field(default_factory=lambda: np.zeros(0))
    hangs: Array = field(default_factory=lambda: np.zeros(0))
    fix: Array = field(default_factory=lambda: np.zeros(0))
    best: Array = field(default_factory=lambda: np.zeros(0))
    kept: Array = field(default_factory=lambda: np.zeros(0))
    idle: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    share: Array = field(default_factory=lambda: np.zeros(0))
    missed: Array = field(default_factory=lambda: np.zeros((0, 3)))
    gap: Array = field(default_factory=lambda: np.zeros(0))
    near: Array = field(default_factory=lambda: np.zeros(0))
    stuck: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    axes: Array = field(default_factory=lambda: np.eye(3))

    @property
    def basis(self) -> Array:
        """The keyed transforms (F, 4, 4)."""
        out = self.own.copy()
        out[:, :3, 3] = self.own[:, :3, 3] @ self.axes.T
        return out


def controls(
    armature: bpy.types.Object, found: RigControls, parts: list[Part], inverse: set[str], rolling: Collection[str] = ()
) -> list[Control]:
    """Return the controls to key: the root, then the trunk's, then the limbs'.

    inverse : the parts keyed on inverse kinematics; rolling : the legs whose feet roll below their IK controls
    """
    bones = present(armature.pose).bones
    every = [Control(TRUNK, found.root, found.root, True, True)] if found.root else []
    for part in parts:
        every += (
            _of_trunk(found, part)
            if part.name == TRUNK
            else _of_limb(part, is_on_ik(part, inverse), rolls=part.name in rolling)
        )
    out: dict[str, Control] = {}
    for one in every:
        one.turns = one.turns and not all(locks(bones[one.name], "rotation"))
        if not bones[one.name].bone.use_local_location:
            one.axes = np.array(bones[one.name].bone.matrix_local, dtype=np.float64)[:3, :3]
        out.setdefault(one.name, one)
    return list(out.values())


def is_on_ik(part: Part, inverse: set[str]) -> bool:
    """Return whether a part is keyed on inverse kinematics: on request, or because it lacks FK controls."""
    return bool(part.ik) and (part.name in inverse or not part.has_fk)


def _of_trunk(found: RigControls, part: Part) -> list[Control]:
    roles, fk = dict(part.bones), dict(part.fk)
    hips = roles.get("hips") or next(iter(roles.values()))
    carries = bool(found.torso) and found.torso not in fk.values()
    out = [Control(part.name, found.torso, hips, True, True, bears="hips" in fk)] if carries else []
    for role, control in fk.items():
        goes = (roles[role] == hips and not carries) or control in part.moving
        out.append(Control(part.name, control, roles[role], True, goes))
    return out


def _of_limb(part: Part, inverse: bool, *, rolls: bool) -> list[Control]:
    roles, fk = dict(part.bones), dict(part.fk)
    if not inverse:
        return [Control(part.name, control, roles[role], True, control in part.moving) for role, control in fk.items()]
    end = Control(part.name, part.ik, roles[part.end], part.turns_end or rolls, True, given=rolls)
    tips = [Control(part.name, part.roll, roles[part.end], True, True)] if rolls else []
    tips += [Control(part.name, control, roles[role], True, False) for role, control in part.tips]
    if part.pole:
        return [end, *tips, Control(part.name, part.pole, roles[part.end], False, True, swivels=part)]
    # Blender's IK solver starts from the bones' own pose and bends the limb in its plane.
    own = [role for role in list(roles)[:3] if fk.get(role, part.ik) != part.ik]
    seeds = [Control(part.name, fk[role], roles[role], True, False, seeds=True) for role in own]
    if own[:2] == list(roles)[:2]:
        seeds[0].swivels = part
    return [*seeds, end, *tips]
