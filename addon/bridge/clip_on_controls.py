"""Read clips of bodies with controls (see `control_rig`) as the rig shows them; write clips to its FK controls."""

from dataclasses import replace
from typing import Any

import bpy
import numpy as np

from ...core.errors import some
from ...core.motion import kinematics, quat, rotation_modes
from ...core.motion.clip import Clip
from ...core.motion.quat import Array
from ...core.motion.skeleton import Skeleton
from ..ground import steps
from ..ground.blender_types import Slot, SlottedAction, present
from . import clip as clips
from . import control_rig, curves, evaluated_action, poses, rig
from .clip import ReadAction
from .controls import Controls
from .curves import Target
from .rig import Rig

_NOTHING = 1e-6  # of the body's height: rounding errors in the locations of controls
_SEEN = 1e-3  # of the body's height: a stretched limb that ends up shorter by more is reported


def read_in_steps(
    scene: bpy.types.Scene,
    armature: bpy.types.Object,
    action: bpy.types.Action,
    body: Rig,
    rate: float,
    slot: Slot = None,
    span: tuple[float, float] | None = None,
) -> steps.Steps[ReadAction]:
    """Read an action as a rig's body shows it, whichever controls it keys; keys of other bones become channels.

    Keys of inverse kinematics are dropped, since a result shows the same with FK controls. Scales are left out. Raises
    RigError for an action that moves nothing of the armature.
    """
    controls = present(body.controls)
    slot = curves.choose_slot(action, armature) if slot is None else slot
    every = rig.read(armature, moving_object=body.moving_object)
    ours = {*controls.names, *controls.at_rest}
    keyed = {target for target in curves.transforms(curves.curves_of(action, slot)) if target.bone}
    others = frozenset(target for target in keyed if target.bone not in ours and "_ik" not in target.bone)
    as_keyed = clips.read(armature, action, every, rate, slot, span, others)
    looked_at = (action, slot), body, controls.seen, as_keyed.frames, controls.seen_from
    linear, places = yield from evaluated_action.seen_in_steps(scene, armature, *looked_at)
    # Stretched limbs keep their rest length; their children stay where they are seen.
    straight = linear / np.linalg.norm(linear, axis=-2, keepdims=True)
    rotations, translations, _ = kinematics.local(body.skeleton, quat.to_matrix(quat.from_matrix(straight)), places)
    set_by_us = {f"{path}[0]" for path in _paths(controls)}
    channels = {name: one for name, one in as_keyed.clip.channels.items() if name not in set_by_us}
    clip = Clip(
        action.name,
        body.skeleton,
        rate,
        quat.continuous(rotations),
        translations,
        channels=channels,
        cyclic=as_keyed.clip.cyclic,
    )
    return ReadAction(clip, as_keyed.frames, frozenset(), as_keyed.notes, as_keyed.start)


read = steps.at_once(read_in_steps)


def fill(
    into: SlottedAction, armature: bpy.types.Object, clip: Clip, body: Rig, *, first_frame: float, **how: Any
) -> str:
    """Write a clip to FK controls, in an action and its slot as `clip.fill` does; return a note for the user.

    The controls get keys that put each bone of the body where the clip has it. One key each at the first frame holds
    all other controls at rest and switches FK on, so that the action looks the same on any rig of this kind, whatever
    was set there before. Scales are left out.
    """
    controls = present(body.controls)
    matrices, _ = poses.of_bones(replace(clip, scales=None), body)
    own, short = controls.basis(matrices, control_rig.rest_of(armature, body.bones))
    keyed, written = _as_keys(clip, body, controls, own)
    moves = {
        Target(name, rotation_modes.property_of(mode))
        for name, mode in zip(controls.names, controls.modes, strict=True)
    }
    moves |= {Target(controls.names[k], "location") for k in (controls.torso, controls.names.index("root"))}
    targets = frozenset(moves) | {target for target in how.pop("targets", ()) if not target.bone}
    repeats = clips.does_repeat(clip)
    clips.fill(into, keyed, written, first_frame=first_frame, targets=targets, repeats=repeats, **how)
    _hold(into, armature, controls, first_frame)
    limbs = ", ".join(sorted(bone.replace("_parent", "") for bone, name in controls.settings if name == "IK_FK"))
    note = f"Written to the FK controls of {armature.name}; switched to FK: {limbs}"
    if clip.scales is not None:
        note += f"; scales of {clip.name} are left out"
    if short.max() * body.units[-1] > _SEEN * body.skeleton.height:
        far = short.max() * body.units[-1]
        stretched = some([name for name, one in zip(controls.names, short, strict=True) if one > 0.5 * short.max()])
        note += f"; {stretched} can't be stretched and end up to {100.0 * far:.2g} cm short"
    return note


def _as_keys(clip: Clip, body: Rig, controls: Controls, own: Array) -> tuple[Clip, Rig]:
    """Return the controls' transforms (F, C, 4, 4) as a clip of unparented controls, and the rig of that clip."""
    skip = int(body.moving_object)
    names = (*body.skeleton.names[:skip], *controls.names)
    count = len(names)
    flat = Skeleton(
        names,
        np.full(count, -1, dtype=np.int64),
        np.zeros((count, 3)),
        np.tile(quat.IDENTITY, (count, 1)),
        np.zeros((count, 3)),
        {"hips": skip + controls.torso},
    )
    unit = float(body.units[-1])
    places = unit * own[..., :3, 3]
    places[np.abs(places) < _NOTHING * body.skeleton.height] = 0.0
    rotations = np.concatenate([clip.rotations[:, :skip], quat.from_matrix(own[..., :3, :3])], axis=1)
    keyed = Clip(
        clip.name,
        flat,
        clip.rate,
        quat.continuous(quat.normalize(rotations)),
        np.concatenate([clip.translations[:, :skip], places], axis=1),
        channels=clip.channels,
        cyclic=clip.cyclic,
    )
    written = replace(
        body,
        skeleton=flat,
        units=np.concatenate([body.units[:skip], np.full(len(controls.names), unit)]),
        modes=(*body.modes[:skip], *controls.modes),
        movable=np.concatenate([np.ones(skip, bool), controls.movable]),
        controls=None,
    )
    return keyed, written


def _hold(into: SlottedAction, armature: bpy.types.Object, controls: Controls, first_frame: float) -> None:
    """Key once what must not change: the controls at rest, and the settings."""
    writer = curves.Writer(curves.holder_of(*into), np.array([first_frame], dtype=np.float32), "CONSTANT")
    pose = present(armature.pose).bones
    for name in controls.at_rest:
        mode = pose[name].rotation_mode
        writer.write(
            Target(name, rotation_modes.property_of(mode)),
            rotation_modes.from_quaternion(quat.IDENTITY[None], mode, None),
        )
        writer.write(Target(name, "location"), np.zeros((1, 3)))
        writer.write(Target(name, "scale"), np.ones((1, 3)))
    for path, value in _paths(controls).items():
        writer.write_channel(f"{path}[0]", np.array([value]), constant=True)


def _paths(controls: Controls) -> dict[str, float]:
    escaped = bpy.utils.escape_identifier
    return {
        f'pose.bones["{escaped(bone)}"]["{escaped(name)}"]': value for (bone, name), value in controls.settings.items()
    }
