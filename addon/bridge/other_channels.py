"""Read the curves of an action that do not transform the body: properties, switches, faces in other slots."""

from collections.abc import Mapping, Sequence

import bpy

from ...core.motion import quat, rotation_modes
from ...core.motion.clip import Channel
from ...core.motion.quat import Array
from ...core.weave import root_trajectory
from ..ground.blender_types import Slot
from . import curves
from .curves import Target


def read(
    armature: bpy.types.Object, modes: Mapping[str, str], every: Sequence[bpy.types.FCurve], frames: Array
) -> tuple[dict[str, Channel], list[str]]:
    """Return the curves other than transforms as channels, and a note on each curve without effect.

    modes : the rotation mode of each bone to read, "" for the object; frames (F,) : scene frames
    """
    channels: dict[str, Channel] = {}
    notes = []
    allowed = {bone: ("location", "scale", rotation_modes.property_of(mode)) for bone, mode in modes.items()}
    for curve in every:
        target = curves.target_of(curve)
        if target is not None and target.bone in modes:
            if target.property not in allowed[target.bone] and not curve.mute:
                which = target.bone or armature.name
                notes.append(f"{which!r} is keyed as {target.property}, but its rotation mode is {modes[target.bone]}")
            continue
        if curve.mute:
            continue
        name = f"{curve.data_path}[{curve.array_index}]"
        # A library override drops properties that its library lacks when the file is loaded.
        kind = curves.kind_of(armature, curve) or ("continuous" if name in root_trajectory.CHANNELS else None)
        if kind is None:
            notes.append(f"{curve.data_path} of {armature.name} does not exist: its curve is left out")
        else:
            channels[name] = Channel(curves.sample(curve, frames), discrete=kind == "discrete")
    return channels, sorted(set(notes))


def read_siblings(action: bpy.types.Action, slot: Slot, frames: Array) -> dict[str, Channel]:
    """Return the curves of the other slots of a character as channels, by slot and path."""
    channels = {}
    for other in curves.siblings_of(action, slot):
        for curve in curves.curves_of(action, other):
            if not curve.mute and len(curve.keyframe_points):
                kinds = {key.interpolation for key in curve.keyframe_points}
                name = f"{other.identifier}{curves.SLOT}{curve.data_path}[{curve.array_index}]"
                channels[name] = Channel(curves.sample(curve, frames), discrete=kinds == {"CONSTANT"})
    return channels


def of_transform(target: Target, values: Array) -> dict[str, Channel]:
    """Return transforms (F, n) of a bone as channels, as keyed except for the sign of quaternions."""
    if target.property == "rotation_quaternion":
        # Use the sign of the quaternion near the identity, to make several sources comparable.
        values = quat.continuous(values if values[0, 0] >= 0.0 else -values)
    path = curves.path_of(target)
    return {f"{path}[{index}]": Channel(column) for index, column in enumerate(values.T)}
