"""Solve for keys of controls that put deforming bones where a motion has them (methods: Body roles and retargeting).

Every pass evaluates a copy of the rig on the frames that are still off, and corrects each control by what it misses.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import bpy
import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

from ....core.errors import RigError
from ....core.motion import quat
from ....core.motion.quat import Array
from ...ground.blender_types import present
from . import poles
from .body import locks
from .found import Part, RigControls
from .probe import Probe, on_copy

Limbs = Literal["fk", "ik", "both"]
_TRUNK = "Trunk"
_PASSES = 16  # at most
_IDLE = 3  # passes without gain, after which a frame is left as it is
_GOOD = 1e-4  # of the rig's height: 0.2 mm of a person


@dataclass(frozen=True, eq=False)
class Solved:
    """Keys of controls for F frames, and what they miss.

    basis : by control, its own transforms (F, 4, 4)
    located : controls whose location is to be keyed; all are turned
    settings : values of properties by path
    millimetres, degrees : by deforming bone (F,), how far its head and its direction are from the wanted ones
    notes : a sentence for each part that was left out
    """

    basis: dict[str, Array]
    located: frozenset[str]
    settings: dict[str, float]
    millimetres: dict[str, Array]
    degrees: dict[str, Array]
    notes: tuple[str, ...]


@dataclass
class _Control:
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


def solve(
    armature: bpy.types.Object, found: RigControls, bones: Sequence[str], wanted: Array, limbs: Limbs = "ik"
) -> Solved:
    """Return the keys of a rig's controls that put its bones at `wanted` (F, B, 4, 4), in the armature's space.

    bones (B,) : names; those that play no role in `found` are not looked at
    limbs : whether arms and legs are keyed on FK controls, on IK controls where there are any, or on both, shown on IK
    The rig itself is not changed. Raises RigError if no part of it can be keyed.
    """
    place = {name: k for k, name in enumerate(bones)}
    parts = [part for part in found.parts if not part.note and _is_known(part, place)]
    if not parts:
        raise RigError(found.notes[0] if found.notes else f"{found.armature}: the motion moves no bone of its body")
    motion = {bone: wanted[:, place[bone]] for part in parts for _, bone in part.bones if bone in place}
    done: Solved | None = None
    for kind in ("fk", "ik") if limbs == "both" else (limbs,):
        one = _solved(armature, found, parts, motion, kind == "ik")
        basis = {**done.basis, **one.basis} if done is not None else one.basis
        located = one.located | (done.located if done is not None else frozenset())
        done = Solved(basis, located, one.settings, one.millimetres, one.degrees, found.notes)
    return present(done)


def _solved(
    armature: bpy.types.Object, found: RigControls, parts: list[Part], motion: dict[str, Array], inverse: bool
) -> Solved:
    controls = [one for one in _controls(armature, found, parts, inverse) if one.bone in motion]
    settings = _settings(parts, inverse)
    keyed = {name for part in found.parts for name in _names(part)} | {found.root, found.torso} - {""}
    with on_copy(armature, keyed) as probe:
        probe.switch(settings)
        rest = probe.pose({})
        solver = _Solver(probe, controls, motion, rest)
        seen = solver.run()
    scale = 1000.0 * float(np.mean(np.abs(armature.matrix_world.to_scale()[:])))
    millimetres, degrees = {}, {}
    for bone, goal in motion.items():
        now = seen[:, probe.index[bone]]
        millimetres[bone] = scale * np.linalg.norm(now[:, :3, 3] - goal[:, :3, 3], axis=1)
        degrees[bone] = np.degrees(np.linalg.norm(_along(now) - _along(goal), axis=1))
    basis = {one.name: one.basis for one in controls}
    return Solved(basis, frozenset(c.name for c in controls if c.moves), settings, millimetres, degrees, found.notes)


def _is_known(part: Part, place: Mapping[str, int]) -> bool:
    """Return whether a motion has the bones of a part: of limbs the first three."""
    have = [bone in place for _, bone in part.bones]
    return any(have) if part.name == _TRUNK else all(have[:3])


def _names(part: Part) -> set[str]:
    return {name for name in (part.ik, part.pole, *dict(part.fk).values(), *dict(part.tips).values()) if name}


def _settings(parts: list[Part], inverse: bool) -> dict[str, float]:
    """Return what is to be set: arms and legs on IK where they have it and it is asked for, else on FK."""
    settings: dict[str, float] = {}
    for part in parts:
        on_ik = _on_ik(part, inverse)
        settings |= {switch.path: switch.ik if on_ik else switch.fk for switch in part.switches}
        if on_ik or not part.ik:
            settings |= {setting.path: setting.value for setting in part.settings}
    return settings


def _on_ik(part: Part, inverse: bool) -> bool:
    return bool(part.ik) and (inverse or not part.has_fk)


def _controls(armature: bpy.types.Object, found: RigControls, parts: list[Part], inverse: bool) -> list[_Control]:
    """Return the controls to be keyed, the trunk's first."""
    bones = present(armature.pose).bones
    every: list[_Control] = []
    for part in parts:
        every += _of_trunk(found, part) if part.name == _TRUNK else _of_limb(part, _on_ik(part, inverse))
    out: dict[str, _Control] = {}
    for one in every:
        one.turns = one.turns and not all(locks(bones[one.name], "rotation"))
        if not bones[one.name].bone.use_local_location:
            one.axes = np.array(bones[one.name].bone.matrix_local, dtype=np.float64)[:3, :3]
        out.setdefault(one.name, one)
    return list(out.values())


def _of_trunk(found: RigControls, part: Part) -> list[_Control]:
    roles, fk = dict(part.bones), dict(part.fk)
    hips = roles.get("hips") or next(iter(roles.values()))
    carries = bool(found.torso) and found.torso not in fk.values()
    out = [_Control(part.name, found.torso, hips, True, True)] if carries else []
    for role, control in fk.items():
        out.append(_Control(part.name, control, roles[role], True, roles[role] == hips and not carries))
    return out


def _of_limb(part: Part, inverse: bool) -> list[_Control]:
    roles, fk = dict(part.bones), dict(part.fk)
    if not inverse:
        return [_Control(part.name, control, roles[role], True, False) for role, control in fk.items()]
    out = []
    if not part.pole:  # Blender's solver begins at the bones' own pose
        own = [role for role in list(roles)[:2] if role in fk]
        out = [_Control(part.name, fk[role], roles[role], True, False, seeds=True) for role in own]
    out.append(_Control(part.name, part.ik, roles[part.end], part.turns_end, True))
    out += [_Control(part.name, control, roles[role], True, False) for role, control in part.tips]
    if part.pole:
        out.append(_Control(part.name, part.pole, roles[part.end], False, True, swivels=part))
    return out


class _Solver:
    """The passes of a solution."""

    def __init__(self, probe: Probe, controls: list[_Control], motion: Mapping[str, Array], rest: Array) -> None:
        self.probe, self.controls, self.motion, self.rest = probe, controls, motion, rest
        self.frames = len(next(iter(motion.values())))
        self.height = float(np.ptp(rest[:, :3, 3], axis=0).max())
        self.targets = {one.name: self._target(one) for one in controls}
        for one in controls:
            one.own = np.broadcast_to(np.eye(4), (self.frames, 4, 4)).copy()
            one.correction, one.kept = one.own.copy(), one.own.copy()
            one.best, one.given_up = np.full(self.frames, np.inf), np.zeros(self.frames, bool)
            above = self._carrier(one.name)
            frame = rest[probe.index[one.name]]
            if above:
                frame = self.targets[above] @ np.linalg.inv(rest[probe.index[above]]) @ frame
            self._place(one, np.broadcast_to(frame, (self.frames, 4, 4)), np.arange(self.frames))

    def run(self) -> Array:
        """Return the bones (F, B, 4, 4) as the rig shows them with the best keys found."""
        seen = np.empty((self.frames, *self.rest.shape))
        rows = np.arange(self.frames)
        least = np.full(self.frames, np.inf)
        idle = np.zeros(self.frames, dtype=np.int64)  # passes without gain
        for _ in range(_PASSES):
            self._evaluate(seen, rows)
            # A control is judged once all that it may hang on has come to rest.
            calm = {name: np.ones(len(rows), bool) for name in {one.part for one in self.controls}}
            trunk = np.ones(len(rows), bool)
            for one in self.controls:
                changed = self._correct(one, seen, rows, trunk & calm[one.part])
                calm[one.part] &= ~changed
                trunk = calm.get(_TRUNK, trunk)
            off = np.minimum(np.stack([one.best for one in self.controls]), self.height).sum(axis=0)
            idle = np.where(off < 0.98 * least, 0, idle + 1)
            least = np.minimum(least, off)
            rows = rows[~np.all(list(calm.values()), axis=0) & (idle[rows] < _IDLE)]
            if not len(rows):
                return seen
        self._evaluate(seen, rows)
        return seen

    def _target(self, one: _Control) -> Array:
        """Return where a control is to go (F, 4, 4), if its bone goes with it as it stands at rest."""
        if one.swivels is not None:
            return poles.targets(one.swivels, self.motion, self.rest, self.probe.index)
        at = self.probe.index
        return self.motion[one.bone] @ np.linalg.inv(self.rest[at[one.bone]]) @ self.rest[at[one.name]]

    def _carrier(self, name: str) -> str:
        """Return the nearest control above another one, by parents alone."""
        names = {one.name for one in self.controls}
        return next((bone.name for bone in self.probe.bones[name].parent_recursive if bone.name in names), "")

    def _hanging(self, name: str, seen: Array) -> Array:
        """Return where a bone would stand at rest (F, 4, 4), by its parent: inverse kinematics turns what is seen."""
        bone = self.probe.bones[name].bone
        own = np.array(bone.matrix_local, dtype=np.float64)
        if bone.parent is None:
            return np.broadcast_to(own, (self.frames, 4, 4))
        above = bone.parent.name
        seeds = {one.name for one in self.controls if one.seeds}
        carrier = self.targets[above] if above in seeds else seen[:, self.probe.index[above]]
        return np.asarray(carrier @ np.linalg.inv(np.array(bone.parent.matrix_local, dtype=np.float64)) @ own)

    def _place(self, one: _Control, frame: Array, rows: NDArray[np.int64]) -> None:
        """Set a control's own transforms on some frames, given where it would stand at rest."""
        own = np.linalg.inv(frame) @ one.correction[rows] @ self.targets[one.name][rows]
        turn = own[:, :3, :3] / np.linalg.norm(own[:, :3, :3], axis=1, keepdims=True)
        one.own[rows, :3, :3] = turn if one.turns else np.eye(3)
        one.own[rows, :3, 3] = own[:, :3, 3] if one.moves else 0.0

    def _evaluate(self, seen: Array, rows: NDArray[np.int64]) -> None:
        bones = [(self.probe.bones[one.name], one.basis) for one in self.controls]
        for frame in rows.tolist():
            for bone, basis in bones:
                bone.matrix_basis = Matrix(basis[frame].tolist())
            seen[frame] = self.probe.pose({})

    def _off(self, one: _Control, seen: Array) -> Array:
        """Return the error (F,) that a control can mend: of its bone's head, and of its direction."""
        bone = one.bone if one.swivels is None else one.swivels.bones[1][1]
        now, goal = seen[:, self.probe.index[bone]], self.motion[bone]
        far = np.linalg.norm(now[:, :3, 3] - goal[:, :3, 3], axis=1) * float(one.moves or one.swivels is not None)
        if one.turns and one.swivels is None:
            far = np.maximum(far, 0.1 * self.height * np.linalg.norm(_along(now) - _along(goal), axis=1))
        return np.asarray(far)

    def _correct(
        self, one: _Control, seen: Array, rows: NDArray[np.int64], calm: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        """Place a control anew where what it hangs on has moved it, correct it where it is but its bone is off.

        Returns on which of some frames it has changed.
        """
        index = self.probe.index
        if one.seeds:
            self._place(one, self._hanging(one.name, seen)[rows], rows)
            return np.zeros(len(rows), bool)
        at, target = seen[rows, index[one.name]], one.correction[rows] @ self.targets[one.name][rows]
        there = np.ones(len(rows), bool)
        if one.turns:
            there &= np.linalg.norm(_unscaled(at) - _unscaled(target), axis=(1, 2)) < 1e-3
        if one.moves:
            there &= np.linalg.norm(at[:, :3, 3] - target[:, :3, 3], axis=1) < 0.3 * _GOOD * self.height
        moved, there = ~there, there & calm
        off = self._off(one, seen)[rows]
        better = there & (off < one.best[rows])
        one.best[rows[better]], one.kept[rows[better]] = off[better], one.correction[rows[better]]
        worse = rows[there & ~better & (off > _GOOD * self.height)]
        one.correction[worse], one.given_up[worse] = one.kept[worse], True
        more = there & better & (off > 0.5 * _GOOD * self.height) & ~one.given_up[rows]
        if one.swivels is not None:
            step = poles.swivel(one.swivels, self.motion, seen, index)
        else:
            step = _swing(seen[:, index[one.bone]], self.motion[one.bone], one)
        one.correction[rows[more]] = step[rows[more]] @ one.correction[rows[more]]
        changed = moved | more
        changed[np.isin(rows, worse)] = True
        self._place(one, at @ np.linalg.inv(one.own[rows]), rows)
        return np.asarray(changed)


def _unscaled(bones: Array) -> Array:
    """Return the axes (F, 3, 3) of bones (F, 4, 4)."""
    return np.asarray(bones[:, :3, :3] / np.linalg.norm(bones[:, :3, :3], axis=1, keepdims=True))


def _along(bones: Array) -> Array:
    """Return the directions (F, 3) of bones (F, 4, 4)."""
    return np.asarray(bones[:, :3, 1] / np.linalg.norm(bones[:, :3, 1], axis=1, keepdims=True))


def _swing(now: Array, goal: Array, one: _Control) -> Array:
    """Return the movement (F, 4, 4) that takes bones to where they should be, without a twist about themselves."""
    out = np.broadcast_to(np.eye(4), now.shape).copy()
    if one.turns:
        axis = np.cross(_along(now), _along(goal))
        sine = np.linalg.norm(axis, axis=1, keepdims=True)
        cosine = np.sum(_along(now) * _along(goal), axis=1, keepdims=True)
        angle = np.arctan2(sine, cosine)
        out[:, :3, :3] = quat.to_matrix(quat.exp(axis / np.maximum(sine, 1e-12) * angle))
    here = np.einsum("fij,fj->fi", out[:, :3, :3], now[:, :3, 3])
    out[:, :3, 3] = goal[:, :3, 3] - here
    return out
