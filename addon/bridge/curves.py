"""Read and write F-curves of actions in bulk, on Blender with slots (4.4 and later) and without."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, NamedTuple

import bpy
import numpy as np

from ...core.errors import RigError
from ...core.motion.quat import Array
from ..ground.blender_types import Slot, SlottedAction, holder_before_slots, present
from . import own_values

CHANNELS = {"location": 3, "rotation_quaternion": 4, "rotation_euler": 3, "rotation_axis_angle": 4, "scale": 3}
SLOT = "\t"  # separates the identifier of another slot from the data path, in the names of channels
OBJECT_GROUP = "Object Transforms"  # Blender's name for the group of an object's own curves
_CONSTANT = 0  # the enum values that foreach_set takes
INTERPOLATIONS = {"CONSTANT": _CONSTANT, "LINEAR": 1, "BEZIER": 2}
_ANY_BONE = re.compile(r'pose\.bones\["(.*?)"\]')
_BONE_PATH = re.compile(r'pose\.bones\["(.*)"\]\.(\w+)')


class Target(NamedTuple):
    """The property that a group of curves animates: ("Hips", "location"); an empty bone name is the object itself."""

    bone: str
    property: str


def suitable_slots(action: bpy.types.Action) -> "list[bpy.types.ActionSlot]":
    """Return the slots of an action that can animate an object; none on Blender without slots."""
    return [s for s in getattr(action, "slots", ()) if s.target_id_type in {"OBJECT", "UNSPECIFIED"}]


def choose_slot(action: bpy.types.Action, armature: bpy.types.Object) -> Slot:
    """Return the slot that holds the armature's motion: the assigned slot, or the only one with bone curves.

    Slot names are not used, because importers and older files choose them arbitrarily. Raises RigError unless exactly
    one slot qualifies.
    """
    if not hasattr(action, "slots"):
        return None
    data = armature.animation_data
    if data is not None and data.action == action and data.action_slot is not None:
        return data.action_slot
    found = [s for s in suitable_slots(action) if any(_BONE_PATH.match(c.data_path) for c in curves_of(action, s))]
    if len(found) != 1:
        has = "no slot" if not found else f"{len(found)} slots ({', '.join(s.name_display for s in found)})"
        raise RigError(f"Action {action.name!r} has {has} with bone curves: assign the wanted one to {armature.name}")
    return found[0]


def slot_called(action: bpy.types.Action, identifier: str, armature: bpy.types.Object) -> Slot:
    """Return the slot of an action by its identifier, or the result of `choose_slot` if the identifier is empty."""
    if not identifier or not hasattr(action, "slots"):
        return choose_slot(action, armature)
    slot = next((s for s in action.slots if s.identifier == identifier), None)
    if slot is None:
        raise RigError(f"Action {action.name!r} has no slot {identifier!r}")
    return slot


def holders(action: bpy.types.Action, slot: Slot) -> "list[bpy.types.ActionChannelbag]":
    """Return the channelbags of an action's slot; without slots (None) the action itself."""
    if not hasattr(action, "slots"):
        return [holder_before_slots(action)]
    strips = [s for layer in action.layers for s in layer.strips if isinstance(s, bpy.types.ActionKeyframeStrip)]
    return [bag for bag in (strip.channelbag(slot) for strip in strips) if bag is not None]


def curves_of(action: bpy.types.Action, slot: Slot) -> list[bpy.types.FCurve]:
    """Return the F-curves of an action's slot (None in Blender versions without slots)."""
    return [curve for holder in holders(action, slot) for curve in holder.fcurves]


def have_one_key(some: Iterable[bpy.types.FCurve]) -> bool:
    """Return whether each of some curves has a single key."""
    return all(len(curve.keyframe_points) == 1 for curve in some)


def properties_of(action: bpy.types.Action) -> Iterator[bpy.types.FCurve]:
    """Yield the curves of an action's slots that move no bone and no object."""
    every: list[Slot] = [*action.slots] if hasattr(action, "slots") else [None]
    for slot in every:
        yield from (curve for curve in curves_of(action, slot) if target_of(curve) is None)


def slots_of(action: bpy.types.Action) -> list[Slot]:
    """Return the slots of an action that can animate an object; [None] for an action without slots."""
    return [*suitable_slots(action)] if hasattr(action, "slots") else [None]


def siblings_of(action: bpy.types.Action, slot: Slot) -> "list[bpy.types.ActionSlot]":
    """Return the other slots of an action that belong to the same character: shape keys, materials, objects on it.

    A slot with curves of bones is another armature's.
    """
    found = []
    for other in getattr(action, "slots", ()):
        every = curves_of(action, other) if slot is not None and other.handle != slot.handle else []
        if every and not any(_ANY_BONE.match(curve.data_path) for curve in every):
            found.append(other)
    return found


def frame_range(action: bpy.types.Action, slot: Slot) -> tuple[float, float]:
    """Return the first and last frame of an action, or of its slot if the action has several."""
    first, last = action.frame_range[:]
    if action.use_frame_range or len(getattr(action, "slots", ())) < 2:
        return first, last
    ranges = [curve.range() for curve in curves_of(action, slot) if len(curve.keyframe_points)]
    if not ranges:
        return first, last
    return min(one[0] for one in ranges), max(one[1] for one in ranges)


def is_empty(action: bpy.types.Action) -> bool:
    """Return whether an action lacks curves that could move an object."""
    return not any(curves_of(action, slot) for slot in slots_of(action))


def key_count(action: bpy.types.Action, slot: Slot) -> int:
    """Return the number of keys in an action's slot."""
    return sum(len(curve.keyframe_points) for curve in curves_of(action, slot))


class KeyTimes(NamedTuple):
    """The key times of a control.

    frames : whole frames, increasing
    reach : how far the handles before and after each key reach, in frames; () if the keys are not joined by Bézier
        curves or lines, or are between frames
    """

    frames: tuple[int, ...]
    reach: tuple[tuple[float, float], ...] = ()


def key_times(every: Iterable[bpy.types.FCurve], first: float) -> KeyTimes:
    """Return the combined key times of some curves, relative to a scene frame."""
    found: dict[int, tuple[float, float]] = {}
    whole = True
    for curve in every:
        points, count = curve.keyframe_points, len(curve.keyframe_points)
        co, left, right = (np.empty(2 * count, dtype=np.float32) for _ in range(3))
        kinds = np.empty(count, dtype=np.int32)
        for name, numbers in (("co", co), ("handle_left", left), ("handle_right", right), ("interpolation", kinds)):
            points.foreach_get(name, numbers)
        at = co[::2].astype(np.float64) - first
        before, after = at - (left[::2] - first), (right[::2] - first) - at
        gaps = np.diff(at)
        lines = np.flatnonzero(kinds[:-1] != INTERPOLATIONS["BEZIER"])
        after[lines], before[lines + 1] = gaps[lines] / 3.0, gaps[lines] / 3.0
        wide = np.maximum((after[:-1] + before[1:]) / np.maximum(gaps, 1e-9), 1.0)  # Blender shortens overlaps
        after[:-1] /= wide
        before[1:] /= wide
        whole &= bool((np.abs(at - np.round(at)) < 1e-3).all() and (kinds[:-1] != _CONSTANT).all() and kinds.max() <= 2)
        for frame, *reach in zip(np.round(at).astype(int).tolist(), before.tolist(), after.tolist(), strict=True):
            found.setdefault(frame, (reach[0], reach[1]))
    frames = tuple(sorted(found))
    return KeyTimes(frames, tuple(found[frame] for frame in frames) if whole else ())


def remove(action: bpy.types.Action, slot: Slot, paths: Iterable[str]) -> None:
    """Remove the F-curves of an action's slot that have one of some data paths."""
    gone = set(paths)
    for holder in holders(action, slot):
        for curve in [curve for curve in holder.fcurves if curve.data_path in gone]:
            holder.fcurves.remove(curve)


def bones_keyed(action: bpy.types.Action) -> set[str]:
    """Return the names of the bones moved by any slot of an action."""
    targets = (target_of(curve) for slot in slots_of(action) for curve in curves_of(action, slot))
    return {target.bone for target in targets if target is not None and target.bone}


def moves_shape_keys(action: bpy.types.Action) -> bool:
    """Return whether an action has curves of shape keys."""
    if not hasattr(action, "slots"):
        return any(curve.data_path.startswith("key_blocks[") for curve in holder_before_slots(action).fcurves)
    return any(slot.target_id_type == "KEY" for slot in action.slots)


def target_of(curve: bpy.types.FCurve) -> Target | None:
    """Return the bone or object, and the location, rotation or scale, that a curve moves; None for other curves."""
    return target_at(curve.data_path)


@lru_cache(maxsize=4096)  # the actions of a character have the same paths
def target_at(path: str) -> Target | None:
    """Return the bone or object, and the property, for a data path, like `target_of`."""
    if path in CHANNELS:
        return Target("", path)
    match = _BONE_PATH.fullmatch(path)
    if match is None or match.group(2) not in CHANNELS:
        return None
    return Target(bpy.utils.unescape_identifier(match.group(1)), match.group(2))


def values_at(stored: Any) -> dict[Target, tuple[float, ...]]:
    """Return stored values by their target, given by data path; damaged entries are left out."""
    found = {}
    for path, row in stored.items() if isinstance(stored, dict) else ():
        target = target_at(path)
        if target is not None and hasattr(row, "__len__") and len(row) == CHANNELS[target.property]:
            found[target] = tuple(map(float, row))
    return found


def group_of(curve: bpy.types.FCurve) -> str:
    """Return the name for a curve's group: its bone's name or `OBJECT_GROUP`; "" for all other curves."""
    return bone_in(curve.data_path) or (OBJECT_GROUP if curve.data_path in CHANNELS else "")


def bone_in(path: str) -> str:
    """Return the name of the bone in a data path, "" for other paths."""
    match = _ANY_BONE.match(path)
    return "" if match is None else bpy.utils.unescape_identifier(match.group(1))


def path_of(target: Target) -> str:
    """Return the data path of a target."""
    if not target.bone:
        return target.property
    return f'pose.bones["{bpy.utils.escape_identifier(target.bone)}"].{target.property}'


def transforms(curves: Iterable[bpy.types.FCurve]) -> dict[Target, dict[int, bpy.types.FCurve]]:
    """Return the curves that move bones or the object, by target and array index, without muted ones."""
    found: dict[Target, dict[int, bpy.types.FCurve]] = {}
    for curve in curves:
        target = target_of(curve)
        if target is not None and not curve.mute:
            found.setdefault(target, {})[curve.array_index] = curve
    return found


def kind_of(owner: bpy.types.ID, curve: bpy.types.FCurve) -> str | None:
    """Return whether a curve's property is "continuous" or "discrete"; None if the owner does not have it.

    Switches, choices and curves with constant interpolation only are discrete.
    """
    try:
        value = owner.path_resolve(curve.data_path)
    except ValueError:
        return None
    if isinstance(value, bool | int | str):
        return "discrete"
    count = len(curve.keyframe_points)
    modes = np.empty(count, dtype=np.int32)
    curve.keyframe_points.foreach_get("interpolation", modes)
    return "discrete" if count and (modes == _CONSTANT).all() else "continuous"


def sample_all(curves: Sequence[bpy.types.FCurve], frames: Array) -> Array:
    """Return the values (C, F) of curves at frames like `sample`, with a fast path for baked curves.

    A baked curve has exactly one key per frame and no modifiers.
    """
    count = len(frames)
    keys = np.zeros((len(curves), 2 * count), dtype=np.float32)
    for row, curve in zip(keys, curves, strict=True):
        points = curve.keyframe_points
        if len(points) == count and not len(curve.modifiers):
            points.foreach_get("co", row)
        else:
            row[0] = np.nan
    values = keys[:, 1::2].astype(np.float64)
    for k in np.flatnonzero((keys[:, 0::2] != frames).any(axis=1)).tolist():
        values[k] = sample(curves[k], frames)
    return values


def sample(curve: bpy.types.FCurve, frames: Array) -> Array:
    """Return a curve's values (F,) at frames: its keys if each frame has one, evaluated values otherwise."""
    count = len(curve.keyframe_points)
    if count >= len(frames) and not curve.modifiers:
        keys = np.empty(2 * count, dtype=np.float32)
        curve.keyframe_points.foreach_get("co", keys)
        times, values = keys[0::2].astype(np.float64), keys[1::2].astype(np.float64)
        at = np.minimum(np.searchsorted(times, frames), count - 1)
        if np.array_equal(times[at], frames):
            return values[at]
    return np.array([curve.evaluate(frame) for frame in frames])


def period(curve: bpy.types.FCurve) -> float:
    """Return the number of frames after which a curve repeats, for ever and in both directions; 0 if it does not.

    Same rules as Blender's cycle-aware keying, so a mirrored repetition does not count.
    """
    first = curve.modifiers[0] if len(curve.modifiers) else None  # Blender allows Cycles nowhere else
    if not isinstance(first, bpy.types.FModifierCycles) or first.mute or not first.is_valid:
        return 0.0
    if first.use_restricted_range or first.use_influence or first.cycles_before or first.cycles_after:
        return 0.0
    if {first.mode_before, first.mode_after} - {"REPEAT", "REPEAT_OFFSET"}:
        return 0.0
    start, end = curve.range()[:]
    return float(end - start)


@contextmanager
def whole(name: str, armature: bpy.types.Object, into: SlottedAction | None = None) -> Iterator[SlottedAction]:
    """Yield an action and its slot to write to: `into`, or a new action with a fake user.

    After an error the new action is removed, or all users of `into` get a copy of its previous state.
    """
    if into is None:
        action, slot = new_action(name, armature)
        try:
            yield action, slot
        except BaseException:
            bpy.data.actions.remove(action)
            raise
        return
    action = into[0]
    before = present(action.copy())
    try:
        yield into
    except BaseException:
        kept, fake = action.name, action.use_fake_user
        action.user_remap(before)
        bpy.data.actions.remove(action)
        before.name, before.use_fake_user = kept, fake
        raise
    bpy.data.actions.remove(before)


def new_action(name: str, armature: bpy.types.Object) -> SlottedAction:
    """Create an action with a fake user and without curves; return it and its slot (or None)."""
    action = bpy.data.actions.new(name)
    action.use_fake_user = True
    if not hasattr(action, "slots"):
        return action, None
    action.layers.new("Layer").strips.new(type="KEYFRAME")
    return action, action.slots.new("OBJECT", armature.name)


def _bag(strip: "bpy.types.ActionStrip", slot: "bpy.types.ActionSlot") -> "bpy.types.ActionChannelbag":
    """Return the channelbag of a slot, created if missing."""
    assert isinstance(strip, bpy.types.ActionKeyframeStrip)
    return present(strip.channelbag(slot, ensure=True))


def holder_of(action: bpy.types.Action, slot: Slot) -> "bpy.types.ActionChannelbag":
    """Return the channelbag of an action's slot, created if missing; without slots (None) the action itself."""
    return holder_before_slots(action) if slot is None else _bag(action.layers[0].strips[0], slot)


def empty_slot(action: bpy.types.Action, slot: Slot) -> "bpy.types.ActionChannelbag":
    """Remove all curves and groups of an action's slot (None without slots); return its channelbag."""
    holder = holder_of(action, slot)
    for curve in list(holder.fcurves):
        holder.fcurves.remove(curve)
    for group in list(holder.groups):
        holder.groups.remove(group)
    return holder


def assign(armature: bpy.types.Object, action: bpy.types.Action, slot: Slot) -> None:
    """Assign an action to an armature; the replaced action gets a fake user, so that it is saved with the file.

    Switches set by the replaced action but not by the new one return to their previous values.
    """
    data = present(armature.animation_data or armature.animation_data_create())
    if data.action is not None and data.action != action:
        data.action.use_fake_user = True
    playing = data.action, getattr(data, "action_slot", None)
    own_values.keep(armature, *(_list_played_curves(*one) for one in ((action, slot), playing)))
    data.action = action
    if slot is not None:
        data.action_slot = slot
    for owner in worn_by(armature) if siblings_of(action, slot) else ():
        other, worn = slot_of(owner, action), owner.animation_data
        if other is not None and (worn is None or worn.action in (None, playing[0], action)):
            worn = worn or owner.animation_data_create()
            worn.action, worn.action_slot = action, other


def worn_by(armature: bpy.types.Object) -> list[Any]:
    """Return the meshes bound to an armature and their shape keys, which may play other slots of its actions."""
    worn = [one for one in bpy.data.objects if one.type == "MESH" and _is_worn(one, armature)]
    return [*worn, *filter(None, (getattr(one.data, "shape_keys", None) for one in worn))]


def slot_of(owner: Any, action: bpy.types.Action) -> Slot:
    """Return the slot of an action for an attached mesh or shape key: by its last slot's name, or by its own name."""
    data = owner.animation_data
    names = [getattr(data, "last_slot_identifier", ""), f"{owner.id_type[:2]}{owner.name}"]
    fitting = [one for one in getattr(action, "slots", ()) if one.target_id_type == owner.id_type]
    return next((one for name in names for one in fitting if one.identifier == name), None)


def _is_worn(mesh: bpy.types.Object, armature: bpy.types.Object) -> bool:
    return mesh.parent == armature or any(getattr(one, "object", None) == armature for one in mesh.modifiers)


def _list_played_curves(action: bpy.types.Action | None, slot: Slot) -> list[bpy.types.FCurve]:
    return [] if action is None or (slot is None and hasattr(action, "slots")) else curves_of(action, slot)
