"""Write clips to the controls of a rig: on FK or IK, limb by limb (methods: Body roles and retargeting)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.errors import some
from ...core.motion import quat, rotation_modes
from ...core.motion.clip import Clip
from ...core.motion.quat import Array
from ...core.motion.skeleton import Skeleton
from ..ground import steps
from ..ground.blender_types import SlottedAction, present
from . import clip as clips
from . import control_body, control_rig, curves, poses
from .clip_on_controls import settings_of
from .controls import Controls, FoundControls
from .curves import Target
from .rig import Rig
from .rig_controls import Limbs, Part, solve_in_steps

FK: Limbs = "fk"
IK: Limbs = "ik"
BOTH: Limbs = "both"
AS_SOURCE = "source"
_WORDS = {FK: "FK", IK: "IK", BOTH: "FK and IK"}
_ASKED: dict[str, Limbs] = {FK: FK, IK: IK, BOTH: BOTH}
_NOTHING = 1e-5  # of the body's height: rounding errors in the locations of controls
_NO_TURN = 2e-4  # radians, likewise
_SHORT = 1e-3  # of the body's height: a limb that ends up shorter by more is reported
_OFF = 1.0, 0.5  # millimetres and degrees that are reported


@dataclass(frozen=True, eq=False)
class ControlKeys:
    """The transforms of C controls in F frames, before they are keys.

    own (F, C, 4, 4) : in each control's own axes; moves (C,) : whether its location has an effect
    settings : values of properties, by path on the armature
    limbs : how arms and legs are keyed, by the names of their parts
    notes : messages for the user, a sentence each
    """

    names: tuple[str, ...]
    own: Array
    moves: NDArray[np.bool_]
    settings: Mapping[str, float]
    limbs: Mapping[str, Limbs] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def summary(self) -> str:
        """How limbs are keyed, for the summary of a result; "" where the rig has one kind of controls only."""
        kinds = set(self.limbs.values())
        if len(kinds) < 2:
            return "".join(f", limbs on {_WORDS[kind]}" for kind in kinds)
        other = ", ".join(name for name, kind in self.limbs.items() if kind != FK)
        return f", {other} on {_WORDS[IK]}, the rest on {_WORDS[FK]}"


@dataclass(frozen=True)
class Wanted:
    """How limbs are to be keyed.

    limbs : AS_SOURCE, FK, IK or BOTH
    keyed : what the sources keyed; values : of properties at the sources' first frame, by path
    """

    limbs: str = AS_SOURCE
    keyed: frozenset[Target] = frozenset()
    values: Mapping[str, float] = field(default_factory=dict)


def kinds(armature: bpy.types.Object, body: Rig, wanted: Wanted) -> dict[str, Limbs]:
    """Return how each arm and leg is keyed, FK, IK or BOTH, by the name of its part; {} if all of Rigify's are on FK.

    As in the source is on IK where the source keys only that, or where the rig's switches show it; what a source does
    not key is on FK, as captured motion is.
    """
    names = {target.bone for target in wanted.keyed}
    if isinstance(body.controls, Controls):
        if wanted.limbs == FK or (wanted.limbs == AS_SOURCE and not any("_ik" in name for name in names)):
            return {}
        parts = control_body.controls_of(armature).parts
    else:
        parts = present(body.controls).found.parts if isinstance(body.controls, FoundControls) else ()
    found = {part.name: _kind(armature, part, wanted, names) for part in parts if part.ik and not part.note}
    fk = all(kind == FK for kind in found.values())
    return {} if fk and isinstance(body.controls, Controls) else found


def _kind(armature: bpy.types.Object, part: Part, wanted: Wanted, keyed: set[str]) -> Limbs:
    if not part.has_fk:
        return IK
    if wanted.limbs in _ASKED:
        return _ASKED[wanted.limbs]
    on_ik, on_fk = bool(keyed & {part.ik, part.pole}), bool(keyed & set(dict(part.fk).values()))
    if on_ik and on_fk:
        return IK if all(_value(armature, wanted, s.path) == s.ik for s in part.switches) else FK
    return IK if on_ik else FK


def _value(armature: bpy.types.Object, wanted: Wanted, path: str) -> float:
    value: Any = wanted.values.get(path)
    return float(value if value is not None else _resolved(armature, path))


def _resolved(armature: bpy.types.Object, path: str) -> Any:
    return armature.path_resolve(path)


def solved_in_steps(armature: bpy.types.Object, clip: Clip, body: Rig, wanted: Wanted) -> steps.Steps[ControlKeys]:
    """Return the keys of a body's controls that put its bones where a clip has them.

    Raises RigError if no part of the body can be keyed.
    """
    limbs = kinds(armature, body, wanted)
    matrices, _ = poses.of_bones(replace(clip, scales=None), body)
    exact = _exact(armature, body, matrices) if isinstance(body.controls, Controls) else None
    if exact is not None and not limbs:
        return exact
    found = control_body.controls_of(armature)
    idle = [name for name in present(body.controls).idle if name not in found.controls]
    how: dict[str, Any] = {"default": FK, "properties": wanted.values, "idle": idle}
    done = yield from solve_in_steps(armature, found, body.bones, matrices, limbs, **how)
    names = tuple(done.basis)
    own = np.stack([done.basis[name] for name in names], axis=1)
    moves = np.array([name in done.located for name in names])
    notes, settings = _far(done.millimetres, done.degrees), dict(done.settings)
    if exact is not None:  # fingers, for example
        more = [k for k, name in enumerate(exact.names) if name not in found.controls]
        names += tuple(exact.names[k] for k in more)
        own, moves = np.concatenate([own, exact.own[:, more]], axis=1), np.append(moves, exact.moves[more])
        settings = {**exact.settings, **settings}
    return ControlKeys(names, own, moves, settings, limbs, tuple(notes))


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
    return ControlKeys(controls.names, own, controls.movable, settings_of(controls), limbs, tuple(notes))


def _far(millimetres: Mapping[str, Array], degrees: Mapping[str, Array]) -> list[str]:
    """Return a sentence on the bones that the controls do not put where the clip has them."""
    off = {bone: (float(far.max()), float(degrees[bone].max())) for bone, far in millimetres.items()}
    bones = [bone for bone, (far, turned) in off.items() if far > _OFF[0] or turned > _OFF[1]]
    if not bones:
        return []
    far, turned = (max(off[bone][k] for bone in bones) for k in (0, 1))
    return [f"The controls can't put {some(bones)} quite in place: up to {far:.2g} mm and {turned:.2g}° off"]


def fill(
    into: SlottedAction,
    armature: bpy.types.Object,
    clip: Clip,
    body: Rig,
    keys: ControlKeys,
    *,
    first_frame: float,
    targets: Iterable[Target] = (),
    **how: Any,
) -> list[str]:
    """Write keys of controls to an action and its slot as `clip.fill` does; return notes for the user.

    What moves has a key on every frame. What does not has one at the first frame, and so have the properties that
    switch limbs and all controls that must stay at rest: the action then looks the same on any rig of this kind,
    whatever was set there before. Scales are left out.
    """
    goes = _moving(keys, body)
    keyed, written = _flat(clip, body, keys, goes)
    of_object = frozenset(target for target in targets if not target.bone)
    repeats = clips.does_repeat(clip)
    clips.fill(into, keyed, written, first_frame=first_frame, targets=of_object, repeats=repeats, **how)
    _hold(into, armature, body, keys, goes, first_frame)
    notes = list(keys.notes)
    return [*notes, f"Scales of {clip.name} are left out"] if clip.scales is not None else notes


def _moving(keys: ControlKeys, body: Rig) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which controls (C,) turn, and which change their location; in `keys` and not by rounding alone."""
    turns = quat.from_matrix(keys.own[..., :3, :3])
    turning = 2.0 * np.linalg.norm(quat.same_side(turns, turns[:1]) - turns[:1], axis=-1).max(axis=0) > _NO_TURN
    places = keys.own[..., :3, 3] * body.units[-1]
    moving = np.ptp(places, axis=0).max(axis=-1) > _NOTHING * body.skeleton.height
    return turning, moving & keys.moves


def _flat(
    clip: Clip, body: Rig, keys: ControlKeys, goes: tuple[NDArray[np.bool_], NDArray[np.bool_]]
) -> tuple[Clip, Rig]:
    """Return what moves of controls as a clip of unparented joints, and the rig of that clip."""
    skip = int(body.moving_object)
    names = (*body.skeleton.names[:skip], *keys.names)
    count, unit = len(names), float(body.units[-1])
    nowhere, unturned = np.zeros((count, 3)), np.tile(quat.IDENTITY, (count, 1))
    flat = Skeleton(names, np.full(count, -1, dtype=np.int64), nowhere, unturned, nowhere, {})
    turns = np.where(goes[0][:, None], quat.from_matrix(keys.own[..., :3, :3]), quat.IDENTITY)
    places = np.where(goes[1][:, None], unit * keys.own[..., :3, 3], 0.0)
    keyed = replace(
        clip,
        skeleton=flat,
        rotations=quat.continuous(quat.normalize(np.concatenate([clip.rotations[:, :skip], turns], axis=1))),
        translations=np.concatenate([clip.translations[:, :skip], places], axis=1),
        scales=None,
    )
    written = replace(
        body,
        skeleton=flat,
        units=np.concatenate([body.units[:skip], np.full(len(keys.names), unit)]),
        modes=(*body.modes[:skip], *modes(body, keys.names)),
        movable=np.concatenate([np.ones(skip, bool), goes[1]]),
        controls=None,
    )
    return keyed, written


def modes(body: Rig, names: Iterable[str]) -> tuple[str, ...]:
    """Return the rotation modes of some controls of a body, as they were when it was read."""
    controls = present(body.controls)
    known = dict(zip(controls.names, controls.modes, strict=True))
    return tuple(known[name] for name in names)


def _hold(
    into: SlottedAction,
    armature: bpy.types.Object,
    body: Rig,
    keys: ControlKeys,
    goes: tuple[NDArray[np.bool_], NDArray[np.bool_]],
    first_frame: float,
) -> None:
    """Key once what does not change: controls that are still, all others at rest, and the properties."""
    writer = curves.Writer(curves.holder_of(*into), np.array([first_frame], dtype=np.float32), "CONSTANT")
    pose = present(armature.pose).bones
    for k, name in enumerate(keys.names):
        if not goes[0][k]:
            _key_turn(writer, pose[name], quat.from_matrix(keys.own[:1, k, :3, :3]))
        if not goes[1][k] and keys.moves[k]:
            writer.write(Target(name, "location"), keys.own[:1, k, :3, 3])
    controls = present(body.controls)
    for name in {*controls.idle, *controls.names} - set(keys.names):
        _key_turn(writer, pose[name], quat.IDENTITY[None])
        writer.write(Target(name, "location"), np.zeros((1, 3)))
        writer.write(Target(name, "scale"), np.ones((1, 3)))
    for path, value in keys.settings.items():
        writer.write_channel(f"{path}[0]", np.array([value]), constant=True)


def _key_turn(writer: curves.Writer, bone: bpy.types.PoseBone, turn: Array) -> None:
    mode = bone.rotation_mode
    writer.write(Target(bone.name, rotation_modes.property_of(mode)), rotation_modes.from_quaternion(turn, mode, None))
