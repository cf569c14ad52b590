"""Solve a clip for a rig's controls, on FK or IK, limb by limb (methods: Body roles and retargeting)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.edit.feet import bending
from ...core.errors import some
from ...core.motion.clip import Clip
from ...core.motion.quat import Array
from ...core.quality import contacts, world_pose
from ..ground import steps
from ..ground.blender_types import present
from . import control_body, control_rig, own_values, poses
from .clip_on_controls import settings_of
from .controls import Controls, FoundControls
from .curves import KeyTimes, Target
from .few_curves import Few
from .rig import Rig
from .rig_controls import Limbs, Part, RigControls, Solved, solve_in_steps

FK: Limbs = "fk"
IK: Limbs = "ik"
BOTH: Limbs = "both"
AS_SOURCE = "source"
_WORDS = {FK: "FK", IK: "IK", BOTH: "FK and IK"}
_ASKED: dict[str, Limbs] = {FK: FK, IK: IK, BOTH: BOTH}
_SHORT = 1e-3  # of the body's height: a limb that ends up shorter by more is reported
_OFF = 1.0, 0.5  # millimetres and degrees: larger errors are reported
_SAME = 0.5, 0.2  # millimetres and degrees within which the sources' own controls are enough
# A control is still below these speeds (m/s, rad/s), for this time (s), and within this distance (m, rad).
_SLOW, _HOLDS, _STILL = (0.01, 0.05), 0.2, (5e-4, 3e-3)
_LEGS = {"L": "Left leg", "R": "Right leg"}
_PLANTED = 2e-3  # metres on the ground that a planted ball strays at most
_ROUNDING = 1e-4  # rounding of Blender's evaluated matrices
_SAMPLE = 24  # frames used to test this


@dataclass(frozen=True, eq=False)
class ControlKeys:
    """The transforms of C controls in F frames, before they are keys.

    modes (C,) : rotation modes
    own (F, C, 4, 4) : in each control's own axes; moves (C,) : whether its location has an effect
    settings : values of properties, by path on the armature
    on_fk : the switches, by path, that select FK on limbs keyed on both
    bones : the bone moved by each control; partners : the control on the other side; both by control name
    limbs : how arms and legs are keyed, by the names of their parts
    meanwhile : values of properties that the sources set, by path
    held : frames (first, end) in which foot controls keep still, by control name
    notes : messages for the user, a sentence each
    """

    names: tuple[str, ...]
    modes: tuple[str, ...]
    own: Array
    moves: NDArray[np.bool_]
    settings: Mapping[str, float]
    bones: Mapping[str, str]
    partners: Mapping[str, str] = field(default_factory=dict)
    limbs: Mapping[str, Limbs] = field(default_factory=dict)
    on_fk: Mapping[str, float] = field(default_factory=dict)
    meanwhile: Mapping[str, float] = field(default_factory=dict)
    held: Mapping[str, Sequence[tuple[int, int]]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def summary(self) -> str:
        """How limbs are keyed, for the summary of a result; "" if the rig has only one kind of controls."""
        kinds = set(self.limbs.values())
        if len(kinds) < 2:
            return "".join(f", limbs on {_WORDS[kind]}" for kind in kinds)
        other = ", ".join(name for name, kind in self.limbs.items() if kind != FK)
        return f", {other} on {_WORDS[IK]}, the rest on {_WORDS[FK]}"


@dataclass(frozen=True)
class Wanted:
    """How limbs are to be keyed.

    limbs : AS_SOURCE, FK, IK or BOTH
    keyed : targets keyed by the sources; values : of properties at the sources' first frame, by path
    few : tolerances for key reduction, None for keys on every frame
    alike : targets to key even at rest when keys are reduced, because other results of the same set move them
    times : clip frames at which the sources have keys, by target; start : first values of these
    """

    limbs: str = AS_SOURCE
    keyed: frozenset[Target] = frozenset()
    values: Mapping[str, float] = field(default_factory=dict)
    few: Few | None = None
    times: Mapping[Target, KeyTimes] = field(default_factory=dict)
    start: Mapping[Target, Array] = field(default_factory=dict)
    alike: frozenset[Target] = frozenset()


def kinds(armature: bpy.types.Object, body: Rig, wanted: Wanted) -> dict[str, Limbs]:
    """Return how each arm and leg is keyed, FK, IK or BOTH, by the name of its part; {} if all of Rigify's are on FK.

    AS_SOURCE means IK where the sources key only IK, or where the rig's switches select it. Captured motion of other
    bodies is on FK.
    """
    names = {target.bone for target in wanted.keyed}
    if isinstance(body.controls, Controls):
        switches = {path: value for path, value in settings_of(body.controls).items() if path.endswith('["IK_FK"]')}
        on_fk = not names or all(_value(armature, wanted, path) == value for path, value in switches.items())
        if wanted.limbs == FK or (wanted.limbs == AS_SOURCE and on_fk and not any("_ik" in name for name in names)):
            return {}
        parts = control_body.controls_of(armature).parts
    else:
        parts = _found_parts(body)
    found = {part.name: _kind(armature, part, wanted, names) for part in parts if part.ik and not part.note}
    fk = all(kind == FK for kind in found.values())
    return {} if fk and isinstance(body.controls, Controls) else found


def kinds_of_captured(body: Rig, limbs: str) -> dict[str, Limbs]:
    """Choose FK or IK per limb like `kinds`, for motion captured on another body.

    limbs : as of `Wanted`
    """
    parts = [part for part in _found_parts(body) if part.ik and not part.note]
    return {part.name: _ASKED.get(limbs, FK) if part.has_fk else IK for part in parts}


def leaves_ik(body: Rig, keys: ControlKeys) -> bool:
    """Return whether some arm or leg has IK controls without keys, which therefore do not move."""
    if isinstance(body.controls, Controls):
        return FK in keys.limbs.values()
    return any(part.ik and part.has_fk and keys.limbs.get(part.name, FK) == FK for part in _found_parts(body))


def _found_parts(body: Rig) -> tuple[Part, ...]:
    return body.controls.found.parts if isinstance(body.controls, FoundControls) else ()


def bend_legs(clip: Clip, body: Rig, limbs: Mapping[str, Limbs]) -> tuple[Clip, str]:
    """Bend legs that are longer than the body's controls allow; return the clip and a sentence on it, "" for no change.

    limbs : how they are keyed, by part as returned by `kinds`; FK is the default
    """
    controls, reach = body.controls, dict[str, float]()
    known = controls.reach if isinstance(controls, FoundControls) else {}
    for (part, kind), share in known.items():
        if limbs.get(part, FK) in (kind, BOTH):
            reach[part[0]] = min(share, reach.get(part[0], 1.0))
    made, done = bending.bent(clip, reach)
    frames, lower = done.frames, 1000.0 * done.lower
    if not frames:
        return made, ""
    return made, f"bends knees in {frames} frames that can't be so straight (hips up to {lower:.2g} mm lower)"


def _kind(armature: bpy.types.Object, part: Part, wanted: Wanted, keyed: set[str]) -> Limbs:
    if not part.has_fk:
        return IK
    if wanted.limbs in _ASKED:
        return _ASKED[wanted.limbs]
    kind = part.kind_of(keyed)
    if not kind and keyed:
        return IK if all(_value(armature, wanted, s.path) == s.ik for s in part.switches) else FK
    return IK if kind == IK else FK


def _value(armature: bpy.types.Object, wanted: Wanted, path: str) -> float:
    value = wanted.values.get(path)
    return own_values.value(armature, path) if value is None else value


def solved_in_steps(armature: bpy.types.Object, clip: Clip, body: Rig, wanted: Wanted) -> steps.Steps[ControlKeys]:
    """Return the keys of a body's controls that put its bones where a clip has them.

    If the controls keyed by the sources suffice, no others get keys. Raises RigError if no part of the body can be
    keyed.
    """
    limbs = kinds(armature, body, wanted)
    matrices, _ = poses.of_bones(replace(clip, scales=None), body)
    exact = _exact(armature, body, matrices) if isinstance(body.controls, Controls) else None
    if exact is not None and not limbs:
        return exact
    found = control_body.controls_of(armature)
    if exact is not None:  # the exact solution includes all chains on the body
        found = replace(found, chains=())
    solve = partial(
        solve_in_steps,
        armature,
        found,
        body.bones,
        limbs=limbs,
        default=FK,
        properties=wanted.values,
        idle=[name for name in present(body.controls).idle if name not in found.controls],
    )
    only, as_set = yield from _enough(found, matrices, wanted, solve)
    stances = _stances(clip, body)
    done = yield from solve(matrices, only=only, as_set=as_set, stances=stances)
    names = tuple(done.basis)
    own = np.stack([done.basis[name] for name in names], axis=1)
    _hold_still(clip, body, found, names, own)
    held = _keep_standing(found, names, own, stances)
    moves = np.array([name in done.located for name in names])
    of_set = [part for part in found.every if part.name in as_set]
    kept = {one.path for part in of_set for one in part.settings} | {
        one.path for part in of_set for one in part.switches
    }
    settings = {path: value for path, value in wanted.values.items() if path in kept} | done.settings
    notes = _far(done.millimetres, done.degrees)
    if exact is not None:  # fingers, for example
        more = [k for k, name in enumerate(exact.names) if name not in found.controls]
        more = [k for k in more if only is None or _is_keyed(exact.names[k], wanted)]
        names += tuple(exact.names[k] for k in more)
        own, moves = np.concatenate([own, exact.own[:, more]], axis=1), np.append(moves, exact.moves[more])
    moved = ({} if exact is None else dict(exact.bones)) | _list_moved_bones(found)
    modes = tuple(present(armature.pose).bones[name].rotation_mode for name in names)
    both = [part for part in found.parts if limbs.get(part.name) == BOTH]
    on_fk = {switch.path: switch.fk for part in both for switch in part.switches}
    rest = _partners(found), limbs, on_fk, wanted.values, held, tuple(notes)
    return ControlKeys(names, modes, own, moves, settings, moved, *rest)


def _hold_still(clip: Clip, body: Rig, found: RigControls, names: Sequence[str], own: Array) -> None:
    """Make the transforms (F, C, 4, 4) of IK controls of hands and feet constant while they hold still."""
    least = max(2, round(_HOLDS * clip.rate))
    step = max(1, least // 2)  # solvers leave up to 0.1 mm on every frame: of 120 a second that would be fast
    for k in [names.index(part.ik) for part in found.parts if part.ik in names and part.roll not in names]:
        parts = float(body.units[-1]) * own[:, k, :3, 3], own[:, k, :3, :3].reshape(-1, 9)
        slow = np.ones(max(len(own) - step, 0), bool)
        for values, speed in zip(parts, _SLOW, strict=True):
            slow &= np.linalg.norm(values[step:] - values[:-step], axis=1) * clip.rate < speed * step
        for first, last in contacts.runs(slow):
            end, middle = last + step - 1, (first + last + step - 1) // 2
            off = [
                np.linalg.norm(values - values[middle], axis=1) > most
                for values, most in zip(parts, _STILL, strict=True)
            ]
            away = np.flatnonzero(np.any(off, axis=0))
            begin = max(first, int(away[away < middle].max(initial=-1)) + 1)
            finish = min(end, int(away[away > middle].min(initial=len(own))) - 1)
            if finish - begin >= max(least, (end - first) // 2):  # a shorter stretch would only interrupt a drift
                own[begin : finish + 1, k] = own[middle, k]


def _stances(clip: Clip, body: Rig) -> dict[str, list[tuple[int, int]]]:
    """Return the frames (first, end) in which the ball of each leg's foot stands, by the name of the part."""
    least = max(2, round(_HOLDS * clip.rate))
    found: dict[str, list[tuple[int, int]]] = {}
    for side, foot in contacts.standing_feet(world_pose.pose(clip)).items() if not body.moving_object else ():
        stays = np.zeros(len(clip), bool)
        for first, end in contacts.runs(foot.ball_stands):
            path = foot.ball[first:end, :2]
            stays[first:end] = np.linalg.norm(path - np.median(path, axis=0), axis=1) < _PLANTED
        runs = [(first, end) for first, end in contacts.runs(stays) if end - first > least]
        found |= {_LEGS[side]: runs} if side in _LEGS and runs else {}
    return found


def _keep_standing(
    found: RigControls, names: Sequence[str], own: Array, stances: Mapping[str, Sequence[tuple[int, int]]]
) -> dict[str, list[tuple[int, int]]]:
    """Hold the IK controls (F, C, 4, 4) of feet with a roll control constant during stances; return those frames.

    If the parent of a control moves, its own transform changes, and that stance is left out.
    """
    held: dict[str, list[tuple[int, int]]] = {}
    for part in (part for part in found.parts if part.roll in names and part.ik in names):
        k = names.index(part.ik)
        for first, end in stances.get(part.name, ()):
            piece = own[first:end, k]
            if np.abs(piece - piece[0]).max() < _ROUNDING:
                own[first:end, k] = piece[0]
                held.setdefault(part.ik, []).append((first, end))
    return held


def _is_keyed(control: str, wanted: Wanted) -> bool:
    """Return whether the sources key a control of Rigify's, or the one on the other side."""
    return bool({target.bone for target in wanted.keyed} & {control, bpy.utils.flip_name(control)})


def _list_moved_bones(found: RigControls) -> dict[str, str]:
    """Return the bone that each control moves."""
    moved: dict[str, str] = {}
    for part in found.every:
        roles = dict(part.bones)
        moved |= {control: roles[role] for role, control in (*part.fk, *part.tips)}
        moved |= {name: roles[part.end] for name in (part.ik, part.roll) if name}
    return moved


def _enough(
    found: RigControls, matrices: Array, wanted: Wanted, solve: Callable[..., steps.Steps[Solved]]
) -> steps.Steps[tuple[frozenset[str] | None, frozenset[str]]]:
    """Find a small sufficient set of controls, None for all, and the parts that need no property settings.

    The set has the sources' own controls, and all controls of each part for which the former do not suffice.
    """
    keyed = {target.bone for target in wanted.keyed} & found.controls
    if not keyed or wanted.limbs != AS_SOURCE:
        return None, frozenset()
    other = _partners(found)
    only = frozenset(keyed | {other[name] for name in keyed if name in other})
    as_set = frozenset(part.name for part in found.every)
    sample = matrices[np.unique(np.linspace(0, len(matrices) - 1, _SAMPLE).round().astype(np.int64))]
    for _ in range(len(found.every) + 1):
        done: Solved = yield from solve(sample, only=only, as_set=as_set)
        off = {bone for bone, far in done.millimetres.items() if far.max() > _SAME[0]}
        off |= {bone for bone, turned in done.degrees.items() if turned.max() > _SAME[1]}
        if found.root in off and found.root not in only:
            only |= {found.root}
            continue
        parts = _missing(found, off, as_set)
        if not parts:
            return only, as_set
        as_set -= {part.name for part in parts}
        only = only.union(*(part.controls for part in parts))
        only |= {found.root, found.torso} - {""} if parts[0] is found.parts[0] else set()
    return None, frozenset()


def _missing(found: RigControls, off: set[str], as_set: frozenset[str]) -> list[Part]:
    """Return the parts with misplaced bones whose parent is placed correctly: the trunk, then limbs, then chains."""
    for parts in (found.parts[:1], found.parts[1:], found.chains):
        wrong = [part for part in parts if part.name in as_set and not off.isdisjoint(bone for _, bone in part.bones)]
        carriers = {bone for part in wrong for _, bone in part.bones}
        if first := [part for part in wrong if part.hangs_on not in carriers]:
            return first
    return []


def _partners(found: RigControls) -> dict[str, str]:
    """Return the control on the other side of the body for each control that has one."""
    by_role: dict[tuple[str, str], str] = {}
    for part in found.every:
        side = {"Left": ".L", "Right": ".R"}.get(part.name.split()[0], "")
        plain = {"ik": part.ik, "pole": part.pole, "roll": part.roll}
        by_role |= {(part.name.removeprefix("Left").removeprefix("Right"), what + side): n for what, n in plain.items()}
        by_role |= {("fk", role): name for role, name in part.fk} | {("tip", role): name for role, name in part.tips}
    pairs = {}
    for (kind, role), name in by_role.items():
        other = by_role.get((kind, bpy.utils.flip_name(role)))
        if name and other and other != name:
            pairs[name] = other
    return pairs


def _exact(armature: bpy.types.Object, body: Rig, matrices: Array) -> ControlKeys:
    """Return the keys of a Rigify human's FK controls."""
    controls = body.controls
    assert isinstance(controls, Controls)
    own, short = controls.basis(matrices, control_rig.rest_of(armature, body.bones))
    notes = []
    if short.max() * body.units[-1] > _SHORT * body.skeleton.height:
        far = short.max() * body.units[-1]
        stretched = some([name for name, one in zip(controls.names, short, strict=True) if one > 0.5 * short.max()])
        notes.append(f"{stretched} can't be stretched and end up to {100.0 * far:.2g} cm short")
    limbs = dict.fromkeys((bone for bone, name in controls.settings if name == "IK_FK"), FK)
    moved = {name: body.bones[joint] for name, joint in zip(controls.names, controls.joints, strict=True)}
    return ControlKeys(
        controls.names,
        controls.modes,
        own,
        controls.movable,
        settings_of(controls),
        moved,
        limbs=limbs,
        notes=tuple(notes),
    )


def _far(millimetres: Mapping[str, Array], degrees: Mapping[str, Array]) -> list[str]:
    """Return a sentence on the bones that the controls can't place as in the clip."""
    off = {bone: (float(far.max()), float(degrees[bone].max())) for bone, far in millimetres.items()}
    bones = [bone for bone, (far, turned) in off.items() if far > _OFF[0] or turned > _OFF[1]]
    if not bones:
        return []
    far, turned = (max(off[bone][k] for bone in bones) for k in (0, 1))
    return [f"The controls can't put {some(bones)} quite in place: up to {far:.2g} mm and {turned:.2g}° off"]
