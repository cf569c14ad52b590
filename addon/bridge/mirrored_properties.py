"""Add the properties of the other side that an action does not key to a clip, before mirroring."""

from dataclasses import replace
from typing import Any

import bpy
import numpy as np

from ...core.motion import mirrored_channels
from ...core.motion.clip import Channel, Clip
from ..ground import kept_values
from . import curves, own_values
from .clip import ReadAction

_KEY = "action_loom_mirrored"  # by the channel's name: the value before a result has keyed it


def keep(armature: bpy.types.Object, clip: Clip) -> None:
    """Store the values of what channels of a result set and nothing sets at the moment, since the result hides them."""
    values = {name: _value(armature, name) for name in clip.channels if not _is_played(armature, name)}
    found = {name: value for name, value in values.items() if value is not None}
    if found:
        kept_values.keep(armature, _KEY, _read_kept(armature) | found)


def _read_kept(armature: bpy.types.Object) -> dict[str, float]:
    every = kept_values.read_value(armature, _KEY)
    pairs = every.items() if isinstance(every, dict) else ()
    return {name: float(value) for name, value in pairs if isinstance(value, float | int)}


def _is_played(armature: bpy.types.Object, name: str) -> bool:
    """Return whether the action that is assigned sets a channel's property."""
    slot, _, own = name.rpartition(curves.SLOT)
    owner = _owner_of(armature, slot) if slot else armature
    data = None if owner is None else owner.animation_data
    if data is None or data.action is None:
        return False
    played = curves.curves_of(data.action, getattr(data, "action_slot", None))
    return any(f"{curve.data_path}[{curve.array_index}]" == own for curve in played)


def complete_source(armature: bpy.types.Object, source: ReadAction) -> ReadAction:
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
    before = _read_kept(armature).get(name)
    if before is not None and _is_played(armature, name):
        return before
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
