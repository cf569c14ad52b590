"""Let meshes bound to an armature, such as its face, play an action's own slots instead of other actions' slots."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import bpy

from ..ground.blender_types import Slot
from . import curves

_VALUE = re.compile(r'key_blocks\["((?:[^"\\]|\\.)*)"\]\.value')


class _Played(NamedTuple):
    """A mesh's or shape keys' state; animated : whether it has animation data; values : of its shape keys, by name."""

    owner: Any
    animated: bool
    action: bpy.types.Action | None
    slot: Slot
    use_nla: bool
    values: dict[str, float]


@contextmanager
def keep_meshes(armature: bpy.types.Object) -> Iterator[None]:
    """Restore the actions and shape key values of an armature's meshes after the context."""
    before = [_record(owner) for owner in curves.worn_by(armature)]
    try:
        yield
    finally:
        for one in before:
            _play_again(one)


def play_alone(armature: bpy.types.Object, action: bpy.types.Action) -> None:
    """Let an armature's meshes play an action's slots; without a slot, reset values left by other body actions.

    A mesh that plays an action without bone curves, such as a separately captured face, keeps it if the given action
    lacks a slot for the mesh.
    """
    for owner in curves.worn_by(armature):
        slot, data = curves.slot_of(owner, action), owner.animation_data
        if data is not None:
            _leave(owner, action, always=slot is not None)
        if slot is not None:
            data = data or owner.animation_data_create()
            data.action = action
            data.action_slot = slot


def slots(armature: bpy.types.Object, action: bpy.types.Action) -> list[tuple[Any, Slot]]:
    """Return the meshes and shape keys of an armature for which an action has a slot, with the slot."""
    every = [(owner, curves.slot_of(owner, action)) for owner in curves.worn_by(armature)]
    return [(owner, slot) for owner, slot in every if slot is not None]


def rest(armature: bpy.types.Object, actions: Sequence[bpy.types.Action]) -> None:
    """Reset the shape keys of an armature's meshes that some actions on NLA tracks animate."""
    for action in actions:
        for owner, slot in slots(armature, action):
            _rest(owner, action, slot)
            # After unmuting a track when none played, Blender evaluates it only if an action has been assigned.
            owner.animation_data.action = action
            owner.animation_data.action = None


@contextmanager
def on_tracks(armature: bpy.types.Object, actions: Sequence[bpy.types.Action]) -> Iterator[None]:
    """Let an armature's meshes play only tracks added for these actions; remove the tracks afterwards."""
    muted = []
    for owner in curves.worn_by(armature):
        wanted = any(curves.slot_of(owner, action) is not None for action in actions)
        if owner.animation_data is not None:
            _leave(owner, None, always=wanted)
        if wanted:
            data = owner.animation_data or owner.animation_data_create()
            muted.append((data, [(track, track.mute) for track in data.nla_tracks]))
            for track in data.nla_tracks:
                track.mute = True
            data.use_nla = True
    try:
        yield
    finally:
        for data, before in muted:
            for track in list(data.nla_tracks)[len(before) :]:
                data.nla_tracks.remove(track)
            for track, mute in before:
                track.mute = mute


def _leave(owner: Any, action: bpy.types.Action | None, *, always: bool) -> None:
    """Unassign an action from a mesh or shape keys and reset its values; always : even without bone curves."""
    data = owner.animation_data
    if data.action not in (None, action) and (always or _moves_bones(data.action)):
        _rest(owner, data.action, getattr(data, "action_slot", None))
        data.action = None
    strips = [strip for track in data.nla_tracks for strip in track.strips if strip.action is not None]
    if data.use_nla and any(always or _moves_bones(strip.action) for strip in strips):
        for strip in strips:
            _rest(owner, strip.action, getattr(strip, "action_slot", None))
        data.use_nla = False


def _moves_bones(action: bpy.types.Action) -> bool:
    return bool(curves.bones_keyed(action))


def _rest(owner: Any, action: bpy.types.Action, slot: Slot) -> None:
    """Set the shape keys animated by a slot to 0."""
    if slot is None and hasattr(action, "slots"):
        return
    for curve in curves.curves_of(action, slot):
        if match := _VALUE.fullmatch(curve.data_path):
            key = owner.key_blocks.get(bpy.utils.unescape_identifier(match.group(1)))
            if key is not None:
                key.value = 0.0


def _record(owner: Any) -> _Played:
    data, values = owner.animation_data, {one.name: one.value for one in getattr(owner, "key_blocks", ())}
    if data is None:
        return _Played(owner, False, None, None, False, values)
    return _Played(owner, True, data.action, getattr(data, "action_slot", None), data.use_nla, values)


def _play_again(one: _Played) -> None:
    data = one.owner.animation_data
    if data is not None and not one.animated:
        one.owner.animation_data_clear()
    elif data is not None:
        data.use_nla = one.use_nla
        if data.action != one.action:
            data.action = one.action
        if one.slot is not None:
            data.action_slot = one.slot
    for name, value in one.values.items():
        one.owner.key_blocks[name].value = value
