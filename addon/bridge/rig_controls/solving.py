"""Solve for the control keys that put deforming bones where a motion has them (methods: Body roles and retargeting).

The keys are evaluated on copies of the rig and corrected by the remaining errors, pass by pass.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import bpy
import numpy as np
from numpy.typing import NDArray

from ....core.errors import RigError
from ....core.motion.quat import Array
from ...ground import steps
from ...ground.blender_types import present
from . import graph as graphs
from . import limits, passes, stance
from .found import STRETCH, Part, RigControls
from .hanging import Hanging, measure_hierarchy
from .keyed import TRUNK, Control, controls, is_on_ik
from .playing import Stand, playing

Limbs = Literal["fk", "ik", "both"]
_SOME = 96  # frames solved in one step
_EVERY = 9, 3, 1  # every ninth frame is solved first, then every third, then all
_LONGER = 2e-3  # of a bone's length: larger changes of length count as stretch


@dataclass(frozen=True, eq=False)
class Solved:
    """Keys of controls for F frames, and the remaining errors.

    basis : the own transforms (F, 4, 4) of each control
    located : controls that get location keys; all controls get rotation keys
    settings : values of properties by path
    millimetres, degrees : errors (F,) of the head and the direction of each deforming bone
    notes : a sentence for each omitted part
    """

    basis: dict[str, Array]
    located: frozenset[str]
    settings: dict[str, float]
    millimetres: dict[str, Array]
    degrees: dict[str, Array]
    notes: tuple[str, ...]


def solve_in_steps(
    armature: bpy.types.Object,
    found: RigControls,
    bones: Sequence[str],
    wanted: Array,
    limbs: Limbs | Mapping[str, Limbs] = "ik",
    *,
    default: Limbs = "ik",
    properties: Mapping[str, float] | None = None,
    idle: Collection[str] = (),
    only: Collection[str] | None = None,
    as_set: Collection[str] = (),
    stances: Mapping[str, Sequence[tuple[int, int]]] | None = None,
) -> steps.Steps[Solved]:
    """Return the keys of a rig's controls that put its bones at `wanted` (F, B, 4, 4), in the armature's space.

    bones (B,) : names; bones outside the parts of `found` are ignored, except its root
    limbs : whether arms and legs are keyed on FK controls, on IK controls if they exist, or on both (displayed on IK);
        for all, or by the name of a part with `default` for the others
    properties : temporary values of properties, by path on the armature, except those in `Solved.settings`
    idle : other controls to keep at rest; only : controls that may be keyed, by default all that were found
    as_set : parts whose settings, such as stretch, are left unchanged, except the IK/FK switches
    stances : frames (first, end) in which the foot of a part stands on its ball; if the part has a roll control, its IK
        control keeps still in them

    The rig itself is not changed; nothing remains in Blender between steps. Raises RigError if no part can be keyed.
    """
    place = {name: k for k, name in enumerate(bones)}
    parts = [part for part in found.every if not part.note and _is_known(part, place)]
    if not parts and found.root not in place:
        raise RigError(found.notes[0] if found.notes else f"{found.armature}: the motion moves no bone of its body")
    own = [bone for part in parts for _, bone in part.bones if bone in place]
    own += [found.root] if found.root in place else []
    motion = {bone: wanted[:, place[bone]] for bone in own}
    kinds = {part.name: limbs if isinstance(limbs, str) else limbs.get(part.name, default) for part in parts}
    rounds = [{name for name, kind in kinds.items() if kind == "ik"}, {n for n, kind in kinds.items() if kind != "fk"}]
    rounds = rounds if "both" in kinds.values() else rounds[:1]
    done: list[Solved] = []
    for number, inverse in enumerate(rounds):
        meanwhile = properties or {}, idle, as_set
        working = _solve_parts(armature, found, parts, motion, inverse, meanwhile, only, stances or {})
        done.append((yield from steps.within(working, number, len(rounds))))
    basis, located = done[0].basis | done[-1].basis, done[0].located | done[-1].located
    return replace(done[-1], basis=basis, located=located)


solve = steps.at_once(solve_in_steps)


def _solve_parts(
    armature: bpy.types.Object,
    found: RigControls,
    parts: list[Part],
    motion: dict[str, Array],
    inverse: set[str],
    meanwhile: tuple[Mapping[str, float], Collection[str], Collection[str]],
    only: Collection[str] | None,
    stances: Mapping[str, Sequence[tuple[int, int]]],
) -> steps.Steps[Solved]:
    """Solve with some parts on inverse kinematics and all others on forward kinematics."""
    rolling = [part.name for part in parts if part.roll and stances.get(part.name)]
    rolling = [
        part.name for part in parts if part.name in rolling and (only is None or {part.ik, part.roll} <= set(only))
    ]
    plan = [one for one in controls(armature, found, parts, inverse, rolling) if one.bone in motion]
    plan = [one for one in plan if only is None or one.name in only]
    properties, idle, as_set = meanwhile
    settings = _settings(parts, inverse, as_set, _list_stretched_limbs(parts, motion))
    count = len(next(iter(motion.values())))
    stand = Stand(found.controls.union(idle), {**properties, **settings}, _looked_at(armature, plan, motion))
    depends = graphs.read(armature)
    with playing(armature, depends, stand, len(plan) + 1) as player:
        hanging = measure_hierarchy(player, plan)
    if hanging.idle:
        plan = [one for one in plan if one.name not in hanging.idle]
        with playing(armature, depends, stand, len(plan) + 1) as player:
            hanging = measure_hierarchy(player, plan)
    goals = passes.goals(plan, _able(armature, parts, motion, inverse), hanging, player.index)
    up = np.linalg.inv(np.array(armature.matrix_world, dtype=np.float64)[:3, :3]) @ (0.0, 0.0, 1.0)
    held = {
        one.name: stance.control_transforms(
            goals.controls[one.name], hanging.rest[player.index[one.name]], stances[one.part], up
        )
        for one in plan
        if one.given
    }
    goals = replace(goals, controls={**goals.controls, **held})
    work = _Work(armature, depends, stand, plan, hanging, goals)
    start = passes.at_rest(plan, hanging, player.index, count)
    done = yield from _from_some(work, start, count)
    return _report(armature, found, plan, done, settings, motion)


def _able(
    armature: bpy.types.Object, parts: list[Part], motion: Mapping[str, Array], inverse: set[str]
) -> dict[str, Array]:
    """Adapt a motion to limbs that can't be fully straight."""
    out = dict(motion)
    for part in (one for one in parts if one.name != TRUNK and not one.hangs_on):
        limit = limits.of(armature, part, inverse=is_on_ik(part, inverse))
        if limit is not None:
            out |= limits.able(armature, part, limit, motion)
    return out


@dataclass(frozen=True, eq=False)
class _Work:
    """The data shared by all pieces of a solution."""

    armature: bpy.types.Object
    depends: graphs.Graph
    stand: Stand
    plan: list[Control]
    hanging: Hanging
    goals: passes.Goals


@dataclass(frozen=True, eq=False)
class _Done:
    """The transforms (F, 4, 4) of controls, the evaluated bones (F, 4, 4), and the initial values for nearby frames."""

    basis: dict[str, Array]
    shown: dict[str, Array]
    end: passes.Start


def _from_some(work: _Work, start: passes.Start, count: int) -> steps.Steps[_Done]:
    """Solve some frames first and interpolate their corrections as initial values for the frames between."""
    if count <= 3 * _EVERY[0]:
        return (yield from _in_pieces(work, np.arange(count), start))
    rows = np.append(np.arange(0, count - 1, _EVERY[0]), count - 1)
    done = yield from _in_pieces(work, rows, start.at(rows))
    for every in _EVERY[1:]:
        more = np.setdiff1d(np.arange(0, count, every), rows)
        added = yield from _in_pieces(work, more, passes.between(done.end, rows, more), len(rows))
        rows = np.concatenate([rows, more])
        done = _all_of([done, added], rows.argsort())
        rows.sort()
    return done


def _in_pieces(work: _Work, rows: NDArray[np.int64], start: passes.Start, before: int = 0) -> steps.Steps[_Done]:
    """Solve some frames, a few in each step; `before` : number of frames solved earlier."""
    pieces, count = [], len(next(iter(work.goals.motion.values())))
    for first in range(0, len(rows), _SOME):
        so_far = before + first
        yield so_far / count, f"Keying controls, frame {so_far:,} of {count:,}"
        here = np.arange(first, min(first + _SOME, len(rows)))
        with playing(work.armature, work.depends, work.stand, len(here)) as player:
            plan = [replace(one) for one in work.plan]
            solver = passes.Solver(player, plan, work.hanging, work.goals.at(rows[here]), start.at(here))
            seen = solver.run()
        shown = {bone: seen[:, player.index[bone]] for bone in work.goals.motion}
        pieces.append(_Done({one.name: one.basis for one in plan}, shown, solver.end()))
    return _all_of(pieces, np.arange(len(rows)))


def _all_of(pieces: list[_Done], order: NDArray[np.int64]) -> _Done:
    """Join solutions and sort their frames."""

    def joined(every: list[dict[str, Array]]) -> dict[str, Array]:
        return {name: np.concatenate([one[name] for one in every])[order] for name in every[0]}

    ends = [one.end for one in pieces]
    end = passes.Start(*(joined([getattr(one, kind) for one in ends]) for kind in ("hangs", "fixes", "shares")))
    return _Done(joined([one.basis for one in pieces]), joined([one.shown for one in pieces]), end)


def _looked_at(armature: bpy.types.Object, plan: list[Control], motion: Mapping[str, Array]) -> tuple[str, ...]:
    """Return the bones to evaluate during solving: of the motion, the controls, and the parents of these."""
    bones = present(armature.pose).bones
    names = [one.name for one in plan]
    above = [parent.name for parent in (bones[name].parent for name in names) if parent is not None]
    return tuple(dict.fromkeys([*motion, *names, *above]))


def _report(
    armature: bpy.types.Object,
    found: RigControls,
    plan: list[Control],
    done: _Done,
    settings: dict[str, float],
    motion: dict[str, Array],
) -> Solved:
    """Return the keys with the remaining errors."""
    scale = 1000.0 * float(np.mean(np.abs(armature.matrix_world.to_scale()[:])))
    limbs = [[bone for _, bone in part.bones[:3]] for part in found.parts if part.name != TRUNK]
    shown, aims = passes.along_limbs(done.shown, limbs), passes.along_limbs(motion, limbs)
    millimetres, degrees = {}, {}
    for bone, goal in motion.items():
        now = done.shown[bone]
        millimetres[bone] = scale * np.linalg.norm(now[:, :3, 3] - goal[:, :3, 3], axis=1)
        degrees[bone] = np.degrees(np.linalg.norm(shown[bone] - aims[bone], axis=1))
    located = frozenset(one.name for one in plan if one.moves)
    return Solved(done.basis, located, settings, millimetres, degrees, found.notes)


def _is_known(part: Part, place: Mapping[str, int]) -> bool:
    """Return whether a motion includes the bones of a part; for limbs the first three suffice."""
    have = [bone in place for _, bone in part.bones]
    return any(have) if part.name == TRUNK else all(have[:3])


def _list_stretched_limbs(parts: list[Part], motion: Mapping[str, Array]) -> set[str]:
    """Return the limbs whose bones change their lengths in a motion, such as stretched by a solver."""
    found = set()
    for part in parts:
        bones = [motion[bone][:, :3, 3] for _, bone in part.bones[:3] if bone in motion]
        lengths = [np.linalg.norm(there - here, axis=1) for here, there in pairwise(bones)]
        if part.ik and any(np.ptp(one) > _LONGER * one.mean() for one in lengths):
            found.add(part.name)
    return found


def _settings(
    parts: list[Part], inverse: set[str], as_set: Collection[str], stretched: Collection[str]
) -> dict[str, float]:
    """Return the property values to set: parts on IK if they have IK and it is requested, all others on FK.

    stretched : parts that a solver must stretch
    """
    settings: dict[str, float] = {}
    for part in parts:
        on_ik = is_on_ik(part, inverse)
        settings |= {switch.path: switch.ik if on_ik else switch.fk for switch in part.switches}
        if (on_ik or not part.ik) and part.name not in as_set:
            settings |= {
                setting.path: setting.value
                for setting in part.settings
                if not (part.name in stretched and setting.path.endswith(STRETCH))
            }
    return settings
