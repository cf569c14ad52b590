"""Add the properties of the other side that an action does not key to a clip, before mirroring."""

from dataclasses import replace
from typing import Any

import bpy
import numpy as np

from ...core.motion import mirrored_channels
from ...core.motion.clip import Channel, Clip
from . import curves, own_values
from .clip import ReadAction


def completed(armature: bpy.types.Object, source: ReadAction) -> ReadAction:
    """Return a source with added channels for existing properties of the other side, at their current values."""
    clip = source.clip
    channels = dict(clip.channels)
    for name, channel in clip.channels.items():
        for other, value in _missing(armature, clip, name).items():
            channels.setdefault(other, Channel(np.full(len(clip), value), channel.discrete))
    return source if len(channels) == len(clip.channels) else replace(source, clip=replace(clip, channels=channels))


def _missing(armature: bpy.types.Object, clip: Clip, name: str) -> dict[str, float]:
    """Return current values, by channel name, for channels that a channel's mirror image needs and the clip lacks."""
    for other in mirrored_channels.counterparts(name, clip.skeleton):
        needed = mirrored_channels.sources(name, other, clip.skeleton)
        values = {one: _value(armature, one) for one in needed if one not in clip.channels}
        found = {one: value for one, value in values.items() if value is not None}
        if len(found) == len(values):
            return found
    return {}


def _value(armature: bpy.types.Object, name: str) -> float | None:
    """Return the value of a channel's property where no action sets it, None if the armature lacks the property."""
    slot, _, own = name.rpartition(curves.SLOT)
    path, _, index = own.removesuffix("]").rpartition("[")
    owner = _owner_of(armature, slot) if slot else armature
    if owner is None:
        return None
    try:
        found: Any = owner.path_resolve(path)
        if hasattr(found, "__len__"):
            return float(found[int(index)])
        return float(found) if slot else own_values.value(armature, path)
    except (IndexError, KeyError, TypeError, ValueError):
        return None


def _owner_of(armature: bpy.types.Object, slot: str) -> Any:
    """Return the attached mesh or shape keys that play the slot with this identifier, or are named like it; or None."""
    called = [one for one in curves.worn_by(armature) if f"{one.id_type[:2]}{one.name}" == slot]
    played = [one for one in curves.worn_by(armature) if _played_slot(one) == slot]
    return next(iter((*played, *called)), None)


def _played_slot(owner: Any) -> str:
    data = owner.animation_data
    slot = data.action_slot if data is not None else None
    return "" if slot is None else str(slot.identifier)
