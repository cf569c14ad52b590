"""Write keys of controls to actions, on every frame or reduced; a still control is held by one key."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.edit import fewer_keys
from ...core.motion import quat, rotation_modes
from ...core.motion.clip import Clip
from ...core.motion.quat import Array
from ...core.motion.skeleton import Skeleton
from ..ground.blender_types import SlottedAction, present
from . import clip as clips
from . import curve_writing, curves, few_control_keys, property_paths
from .control_keys import ControlKeys, Wanted
from .curves import Target
from .few_control_keys import FewControlKeys
from .few_curves import TRAVELS, FewWriter
from .rig import Rig

_Moving = tuple[NDArray[np.bool_], NDArray[np.bool_]]


def fill(
    into: SlottedAction,
    armature: bpy.types.Object,
    clip: Clip,
    body: Rig,
    keys: ControlKeys,
    few: FewControlKeys | None = None,
    *,
    wanted: Wanted,
    first_frame: float,
    targets: Iterable[Target] = (),
    **how: Any,
) -> list[str]:
    """Write keys of controls to an action and its slot like `clip.fill`; return notes for the user.

    A moving control has a key on every frame, or the reduced keys in `few`. A still control has one key at the first
    frame, and the IK/FK switches have one, too. With keys on every frame this includes all controls that must stay at
    rest, so that the action plays the same on any rig of this kind, whatever its current pose. With reduced keys,
    controls at rest without keys in the sources get none. Scales are left out.
    """
    clip = _without_ours(clip, body, keys)
    goes = few_control_keys.moving(keys, body)
    moves = goes if few is None else (np.zeros_like(goes[0]), np.zeros_like(goes[1]))
    keyed, written = _flat(clip if few is None else replace(clip, channels={}), body, keys, moves)
    of_object = frozenset(target for target in targets if not target.bone)
    repeats = clips.does_repeat(clip)
    clips.fill(into, keyed, written, first_frame=first_frame, targets=of_object, repeats=repeats, **how)
    _thin(into, keys, first_frame)
    if few is not None:
        keep = () if wanted.few is None else wanted.few.keep
        _write_few(into, clip, body, keys, few, first_frame, keep=keep, repeats=repeats)
    _hold(into, armature, body, keys, goes, first_frame, None if few is None else wanted)
    notes = list(keys.notes)
    return [*notes, f"Scales of {clip.name} are left out"] if clip.scales is not None else notes


def _thin(into: SlottedAction, keys: ControlKeys, first_frame: float) -> None:
    """Remove the keys inside the intervals in which controls of feet keep still."""
    runs = keys.held
    for curve in curves.holder_of(*into).fcurves if runs else ():
        target = curves.target_at(curve.data_path)
        if target is None or target.bone not in runs:
            continue
        points = curve.keyframe_points
        frames = np.array([point.co[0] for point in points]) - first_frame
        inside = [(frames > first + 0.5) & (frames < end - 1.5) for first, end in runs[target.bone]]
        for k in np.flatnonzero(np.any(inside, axis=0))[::-1].tolist():
            points.remove(points[k], fast=True)
        curve.update()


def _without_ours(clip: Clip, body: Rig, keys: ControlKeys) -> Clip:
    """Remove the channels that this module keys from a clip: controls, and the properties that switch limbs."""
    controls = present(body.controls)
    ours = {*keys.names, *controls.names, *controls.idle}
    kept = {}
    for name, channel in clip.channels.items():
        path = name.rpartition("[")[0]
        target = curves.target_at(path)
        if path not in keys.settings and (target is None or target.bone not in ours):
            kept[name] = channel
    return replace(clip, channels=kept)


def _flat(clip: Clip, body: Rig, keys: ControlKeys, goes: _Moving) -> tuple[Clip, Rig]:
    """Return the moving controls as a clip of unparented joints, with the rig of that clip."""
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
        modes=(*body.modes[:skip], *keys.modes),
        movable=np.concatenate([np.ones(skip, bool), goes[1]]),
        controls=None,
    )
    return keyed, written


def _write_few(
    into: SlottedAction,
    clip: Clip,
    body: Rig,
    keys: ControlKeys,
    few: FewControlKeys,
    first_frame: float,
    *,
    keep: Iterable[int],
    repeats: bool,
) -> None:
    """Write reduced keys; a component at rest that no source keys gets none."""
    writer = FewWriter(curves.holder_of(*into), first_frame, repeats=repeats)
    modes = dict(zip(keys.names, keys.modes, strict=True))
    rests = few_control_keys.STILL_PLACE * body.skeleton.height / float(body.units[-1])
    for name, turns in few.turns.items():
        target = Target(name, rotation_modes.property_of(modes[name]))
        euler = target.property == "rotation_euler"
        writer.write(target, turns, left_out=_resting(turns.values, few_control_keys.STILL_TURN) if euler else ())
    for name, places in few.moves.items():
        travels = float(body.units[-1]) * np.abs(places.values[-1] - places.values[0]) > TRAVELS
        writer.write(Target(name, "location"), places, travels=travels, left_out=_resting(places.values, rests))
    for path, channel in fewer_keys.channels(clip, tuple(keep)).items():
        writer.write_channel(path, channel)


def _resting(values: Array, rounding: float) -> tuple[int, ...]:
    """Return the components (n,) of values (K, n) at rest; () if all are at rest."""
    rest = np.abs(values).max(axis=0) <= rounding
    return () if rest.all() else tuple(np.flatnonzero(rest).tolist())


def _hold(
    into: SlottedAction,
    armature: bpy.types.Object,
    body: Rig,
    keys: ControlKeys,
    goes: _Moving,
    first_frame: float,
    sparse: Wanted | None,
) -> None:
    """Key constant targets once: still controls, controls at rest, and the properties.

    sparse : None to key all controls at rest; otherwise only those with keys in the sources or with a current pose.
        Properties are then keyed if their current value differs or any action has keys for them
    """
    writer = curve_writing.Writer(curves.holder_of(*into), np.array([first_frame], dtype=np.float32), "CONSTANT")
    pose = present(armature.pose).bones
    rounding = few_control_keys.STILL_PLACE * body.skeleton.height / float(body.units[-1])
    for k, name in enumerate(keys.names):
        bone, mode = pose[name], keys.modes[k]
        turn, place = quat.from_matrix(keys.own[:1, k, :3, :3]), keys.own[:1, k, :3, 3]
        away = np.abs(quat.log(turn)).max() > few_control_keys.STILL_TURN
        if not goes[0][k] and (away or _is_needed(bone, rotation_modes.property_of(mode), sparse)):
            _key_turn(writer, bone, turn)
        away = np.abs(place).max() > rounding
        if not goes[1][k] and keys.moves[k] and (away or _is_needed(bone, "location", sparse)):
            writer.write(Target(name, "location"), place)
    controls = present(body.controls)
    for name in sorted({*controls.idle, *controls.names} - set(keys.names)):
        bone = pose[name]
        if _is_needed(bone, rotation_modes.property_of(bone.rotation_mode), sparse):
            _key_turn(writer, bone, quat.IDENTITY[None])
        for what, rest in (("location", np.zeros((1, 3))), ("scale", np.ones((1, 3)))):
            if _is_needed(bone, what, sparse):
                writer.write(Target(name, what), rest)
    for path, value in keys.settings.items():
        if sparse is not None and property_paths.value(armature, path) == value and not _is_switched(path):
            continue
        writer.write_channel(f"{path}[0]", np.array([value]), constant=True)


def _is_switched(path: str) -> bool:
    """Return whether any action has keys for a property."""
    return any(curve.data_path == path for action in bpy.data.actions for curve in curves.properties_of(action))


def _is_needed(bone: bpy.types.PoseBone, what: str, sparse: Wanted | None) -> bool:
    """Return whether a property at rest gets a key; with sparse keys only some of them do."""
    if sparse is None or Target(bone.name, what) in sparse.keyed | sparse.alike:
        return True
    values = np.array(getattr(bone, what))
    if what == "rotation_quaternion":
        return bool(np.abs(quat.log(values[None])).max() > few_control_keys.STILL_TURN)
    rest = {"scale": 1.0}.get(what, 0.0)
    values = values[:1] if what == "rotation_axis_angle" else values
    return bool(np.abs(values - rest).max() > few_control_keys.STILL_TURN)


def _key_turn(writer: curve_writing.Writer, bone: bpy.types.PoseBone, turn: Array) -> None:
    mode = bone.rotation_mode
    writer.write(Target(bone.name, rotation_modes.property_of(mode)), rotation_modes.from_quaternion(turn, mode, None))
