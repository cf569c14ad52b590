"""Clean the curves of an action in place: remove jumps, close cycles, drop constant curves, tidy names.

Muted and locked curves stay unchanged, and so do curves whose modifiers do more than repeat their keys.
"""

from collections.abc import Set
from dataclasses import dataclass, field

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.edit import continuous
from ...core.edit.continuous import Mended
from ...core.motion.quat import Array
from ..ground.blender_types import Slot, present
from . import curves
from .curves import Target

SAME = 1e-6  # the values of a constant curve differ by no more
POSED = 1e-5  # a bone further from rest has been posed by somebody
SLIGHT, SLIGHTLY = 1e-4, 0.05  # in the curve's unit, and of its range: smaller gaps between a cycle's ends get closed
_REST: dict[str, tuple[float, ...]] = {
    "location": (0.0,) * 3,
    "rotation_euler": (0.0,) * 3,
    "rotation_quaternion": (1.0, 0.0, 0.0, 0.0),
    "rotation_axis_angle": (0.0, 0.0, 1.0, 0.0),
    "scale": (1.0,) * 3,
}
_TOGETHER = ("rotation_quaternion", "rotation_axis_angle")  # their components make sense only together
_PLAIN = (0, 1, 2)  # values that `foreach_get` returns for the interpolations constant, linear and Bézier
_FIELDS = {"co": 2, "handle_left": 2, "handle_right": 2}


@dataclass(frozen=True)
class Steps:
    """Which steps of the cleaning to run."""

    eulers: bool = True
    signs: bool = True
    cycles: bool = True
    constant: bool = True
    names: bool = True


@dataclass
class Cleaned:
    """Count and describe the changes.

    curves, keys : counts before and after
    jumps, signs : keys changed; closed, dropped, shortened : curves changed
    tidied, notes : sentences about renamed items, and about curves left unchanged
    """

    curves: list[int] = field(default_factory=list)
    keys: list[int] = field(default_factory=list)
    jumps: int = 0
    signs: int = 0
    closed: int = 0
    dropped: int = 0
    shortened: int = 0
    tidied: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def anything(self) -> bool:
        return bool(self.jumps or self.signs or self.closed or self.dropped or self.shortened or self.tidied)


def clean(armature: bpy.types.Object, action: bpy.types.Action, slot: Slot, steps: Steps) -> Cleaned:
    """Clean the curves of an armature's action and slot in place; return what changed."""
    done = Cleaned()
    done.curves.append(len(curves.curves_of(action, slot)))
    done.keys.append(curves.key_count(action, slot))
    plain = [curve for curve in curves.curves_of(action, slot) if _is_plain(curve)]
    targets = curves.transforms(plain)
    if steps.eulers:
        done.jumps = sum(_filter_eulers(armature, target, by_index) for target, by_index in targets.items())
    if steps.signs:
        quaternions = [by_index for target, by_index in targets.items() if target.property == "rotation_quaternion"]
        done.signs = sum(_one_hemisphere(by_index) for by_index in quaternions)
    if steps.cycles:
        _close(action, slot, done)
    if steps.constant:
        _drop_constant(armature, action, slot, done)
    if steps.names:
        done.tidied += _tidy(armature, action, slot)
    done.curves.append(len(curves.curves_of(action, slot)))
    done.keys.append(curves.key_count(action, slot))
    action.update_tag()
    return done


# --- keys -----------------------------------------------------------------------------------------------------------


def _keys(curve: bpy.types.FCurve) -> dict[str, Array]:
    """Return times and values (K, 2) of keys and of their handles."""
    keys = {}
    for name, size in _FIELDS.items():
        values = np.empty(size * len(curve.keyframe_points), dtype=np.float32)
        curve.keyframe_points.foreach_get(name, values)
        keys[name] = values.reshape(-1, size).astype(np.float64)
    return keys


def _write(curve: bpy.types.FCurve, keys: dict[str, Array], near: NDArray[np.bool_]) -> None:
    """Write changed keys; beside removed jumps (`near`, K) Blender computes its automatic handles again."""
    for name, held in keys.items():
        curve.keyframe_points.foreach_set(name, held.astype(np.float32).ravel())
    if not near.any():
        return
    curve.update()
    computed = _keys(curve)
    beside = near | np.append(near[1:], False)
    for name in ("handle_left", "handle_right"):
        merged = np.where(beside[:, None], computed[name], keys[name])
        curve.keyframe_points.foreach_set(name, merged.astype(np.float32).ravel())


def _numbers(curve: bpy.types.FCurve, name: str) -> Array:
    numbers = np.empty(len(curve.keyframe_points), dtype=np.int32)
    curve.keyframe_points.foreach_get(name, numbers)
    return numbers.astype(np.float64)


def _is_plain(curve: bpy.types.FCurve) -> bool:
    """Return whether keys alone, repeated or not, determine a curve's values, so that the keys can be rewritten."""
    if curve.mute or curve.lock or not len(curve.keyframe_points):
        return False
    return all(modifier.mute or _only_repeats(modifier) for modifier in curve.modifiers)


def _only_repeats(modifier: bpy.types.FModifier) -> bool:
    if not isinstance(modifier, bpy.types.FModifierCycles):
        return False
    return "REPEAT_OFFSET" not in {modifier.mode_before, modifier.mode_after}


# --- jumps ----------------------------------------------------------------------------------------------------------


def _filter_eulers(armature: bpy.types.Object, target: Target, found: dict[int, bpy.types.FCurve]) -> int:
    """Remove the jumps in the Euler angles of a bone or of the object; return how many."""
    owner = present(armature.pose).bones.get(target.bone) if target.bone else armature
    if target.property != "rotation_euler" or owner is None or len(owner.rotation_mode) != 3:
        return 0
    keys = {index: _keys(curve) for index, curve in found.items()}
    times = [held["co"][:, 0] for held in keys.values()]
    at_once = all(np.array_equal(times[0], others) for others in times)
    if at_once and set(found) == {0, 1, 2}:
        angles = np.column_stack([keys[index]["co"][:, 1] for index in range(3)])
        mended = continuous.eulers(times[0], angles, "XYZ".index(owner.rotation_mode[1]))
        _mend([found[index] for index in range(3)], [keys[index] for index in range(3)], mended)
        return int(mended.jumps.sum())
    count = 0
    for index, curve in found.items():
        mended = continuous.angle(keys[index]["co"][:, 0], keys[index]["co"][:, 1:])
        _mend([curve], [keys[index]], mended)
        count += int(mended.jumps.sum())
    return count


def _one_hemisphere(found: dict[int, bpy.types.FCurve]) -> int:
    """Give the quaternions of neighbouring keys the same sign, all four curves together; return how many changed."""
    if set(found) != {0, 1, 2, 3}:
        return 0
    keys = [_keys(found[index]) for index in range(4)]
    if not all(np.array_equal(keys[0]["co"][:, 0], other["co"][:, 0]) for other in keys[1:]):
        return 0
    mended = continuous.signs(np.column_stack([component["co"][:, 1] for component in keys]))
    _mend([found[index] for index in range(4)], keys, mended)
    return int(mended.jumps.sum())


def _mend(found: list[bpy.types.FCurve], keys: list[dict[str, Array]], mended: Mended) -> None:
    """Apply the factors and turns of `mended` to the keys and handles of curves."""
    if not mended.jumps.any():
        return
    for column, (curve, held) in enumerate(zip(found, keys, strict=True)):
        factors, turns = mended.factors[:, column], mended.turns[:, column]
        if (factors == 1.0).all() and (turns == 0.0).all():
            continue
        for values in held.values():
            values[:, 1] = factors * values[:, 1] + turns
        _write(curve, held, mended.jumps)


# --- cycles ---------------------------------------------------------------------------------------------------------


def _close(action: bpy.types.Action, slot: Slot, done: Cleaned) -> None:
    """Set the last key of each cyclic curve to the value of its first, if the two nearly agree."""
    cyclic = [curve for curve in curves.curves_of(action, slot) if _is_cycle(action, curve)]
    for target, found in curves.transforms(cyclic).items():
        values = {index: _keys(curve)["co"][:, 1] for index, curve in found.items()}
        goals = {index: float(held[0]) for index, held in values.items()}
        if target.property == "rotation_quaternion" and set(values) == {0, 1, 2, 3}:
            # q and -q are the same rotation: either all four components change sign, or none.
            if sum(held[0] * held[-1] for held in values.values()) < 0.0:
                goals = {index: -goal for index, goal in goals.items()}
        elif target.property == "rotation_euler":
            turn = 2.0 * np.pi
            goals = {index: goal + turn * round((values[index][-1] - goal) / turn) for index, goal in goals.items()}
        away = {index: abs(float(held[-1]) - goals[index]) for index, held in values.items()}
        near = {k: away[k] <= _slight(target, found[k], values[k]) for k in found}
        if target.property in _TOGETHER and not all(near.values()):
            near = dict.fromkeys(near, False)
        for index, curve in found.items():
            if away[index] > 0.0 and near[index]:
                _end_at(curve, goals[index])
                done.closed += 1
        _note_open(target, found, near, away, done)


def _slight(target: Target, curve: bpy.types.FCurve, values: Array) -> float:
    """Return the largest gap between a cycle's ends to close; curves that may travel slowly have a smaller limit."""
    may_travel = not _is_plain(curve) or (target.property == "location" and not curve.modifiers)
    return SLIGHT if may_travel else max(SLIGHT, SLIGHTLY * float(np.ptp(values)))


def _note_open(
    target: Target,
    found: dict[int, bpy.types.FCurve],
    near: dict[int, bool],
    away: dict[int, float],
    done: Cleaned,
) -> None:
    """Note the curves that repeat without travelling but whose ends differ too much to be closed."""
    jumping = [k for k, curve in found.items() if not near[k] and curves.period(curve) and _is_plain(curve)]
    if jumping:
        most = max(away[k] for k in jumping)
        done.notes.append(f"{curves.path_of(target)} repeats, but its ends are {most:.3g} apart: left as they are")


def _is_cycle(action: bpy.types.Action, curve: bpy.types.FCurve) -> bool:
    """Return whether a curve repeats, through its modifier or because it spans a cyclic action."""
    if curve.mute or curve.lock or len(curve.keyframe_points) < 3:
        return False
    if curves.period(curve):
        return True
    if not action.use_cyclic or curve.modifiers:
        return False
    start, end = action.frame_range[:]
    first, last = curve.range()[:]
    return bool(abs(first - start) < 1e-3 and abs(last - end) < 1e-3)


def _end_at(curve: bpy.types.FCurve, value: float) -> None:
    """Move the last key, with its handles, to a value."""
    keys = _keys(curve)
    moved = value - keys["co"][-1, 1]
    for held in keys.values():
        held[-1, 1] += moved
    keys["co"][-1, 1] = value
    _write(curve, keys, np.zeros(len(keys["co"]), dtype=bool))


# --- constant curves ------------------------------------------------------------------------------------------------


def _drop_constant(armature: bpy.types.Object, action: bpy.types.Action, slot: Slot, done: Cleaned) -> None:
    """Remove constant curves of bones at rest, and reduce other constant curves to one key.

    A bone at rest keeps a key if another pose would show without it: an NLA strip below, or the bone's unkeyed pose.
    The frame range of the action does not change.
    """
    frames, manual = tuple(action.frame_range[:]), action.use_frame_range
    every = curves.curves_of(action, slot)
    whole = {target: set(found) for target, found in curves.transforms(every).items()}
    still = [curve for curve in every if _is_plain(curve) and _is_constant(curve)]
    below, gone = _has_strips(armature), set[tuple[str, int]]()
    shortened = [curve for curve in still if curves.target_of(curve) is None]
    for target, found in curves.transforms(still).items():
        at_once = target.property in _TOGETHER
        if at_once and set(found) != whole[target]:
            continue
        idle = {index for index, curve in found.items() if not below and _idles(armature, target, index, curve)}
        if at_once and len(idle) < len(_REST[target.property]):
            idle = set()
        gone |= {(found[index].data_path, index) for index in idle}
        shortened += [curve for index, curve in found.items() if index not in idle]
    if len(gone) == len(every):  # an action without curves would not hold the pose
        shortened, gone = still, set()
    done.shortened, done.dropped = sum(map(_with_one_key, shortened)), len(gone)
    _remove(action, slot, gone)
    if not manual and not np.allclose(action.frame_range[:], frames):
        action.use_frame_range = True
        action.frame_start, action.frame_end = frames


def _idles(armature: bpy.types.Object, target: Target, index: int, curve: bpy.types.FCurve) -> bool:
    """Return whether a curve keeps its bone at the rest value and the bone is already posed there."""
    bone = present(armature.pose).bones.get(target.bone)
    if bone is None:
        return False
    rest, keyed = _REST[target.property][index], curve.keyframe_points[0].co[1]
    return bool(abs(keyed - rest) <= SAME and abs(getattr(bone, target.property)[index] - rest) <= POSED)


def _is_constant(curve: bpy.types.FCurve) -> bool:
    """Return whether a curve has the same value at all times, also between and beyond its keys."""
    if not set(_numbers(curve, "interpolation")) <= set(_PLAIN):
        return False
    keys = _keys(curve)
    flat = [keys["co"][:, 1]]
    if 2.0 in _numbers(curve, "interpolation") or curve.extrapolation == "LINEAR":
        flat += [keys["handle_left"][:, 1], keys["handle_right"][:, 1]]
    return bool(np.ptp(np.concatenate(flat)) <= SAME)


def _has_strips(armature: bpy.types.Object) -> bool:
    """Return whether NLA strips play below the action."""
    data = armature.animation_data
    if data is None or not data.use_nla:
        return False
    return any(not track.mute and any(not strip.mute for strip in track.strips) for track in data.nla_tracks)


def _with_one_key(curve: bpy.types.FCurve) -> int:
    """Keep only a curve's first key, and its last if it has modifiers; return 1 if keys were removed, or 0."""
    wanted = [0, len(curve.keyframe_points) - 1] if len(curve.modifiers) else [0]
    if len(curve.keyframe_points) <= len(wanted):
        return 0
    keys = _keys(curve)
    kinds = {
        name: _numbers(curve, name)[wanted]
        for name in ("interpolation", "handle_left_type", "handle_right_type", "type")
    }
    points = curve.keyframe_points
    points.clear()
    points.add(len(wanted))
    for name, numbers in kinds.items():
        points.foreach_set(name, numbers.astype(np.int32))
    for name, held in keys.items():
        points.foreach_set(name, held[wanted].astype(np.float32).ravel())
    return 1


def _remove(action: bpy.types.Action, slot: Slot, gone: Set[tuple[str, int]]) -> None:
    """Remove curves by data path and index."""
    for holder in curves.holders(action, slot):
        for curve in [curve for curve in holder.fcurves if (curve.data_path, curve.array_index) in gone]:
            holder.fcurves.remove(curve)


# --- names ----------------------------------------------------------------------------------------------------------


def _tidy(armature: bpy.types.Object, action: bpy.types.Action, slot: Slot) -> list[str]:
    """Name groups after bones and the slot after the armature, and remove empty ones; return notes on it."""
    notes = []
    groups = sum(_group_curves(holder) for holder in curves.holders(action, slot))
    if groups:
        notes.append(f"{groups} curves put into the group of their bone")
    empty = 0
    for holder in curves.holders(action, slot):
        for group in [group for group in holder.groups if not len(group.channels)]:
            holder.groups.remove(group)
            empty += 1
    if empty:
        notes.append(f"{empty} empty groups removed")
    return notes + _tidy_slots(armature, action, slot)


def _group_curves(holder: "bpy.types.ActionChannelbag") -> int:
    """Put the curves of each bone into the bone's group; return how many were elsewhere."""
    count = 0
    for curve in list(holder.fcurves):
        name = curves.group_of(curve)
        if not name or (curve.group is not None and curve.group.name == name):
            continue
        curve.group = holder.groups.get(name) or holder.groups.new(name)
        count += 1
    return count


def _tidy_slots(armature: bpy.types.Object, action: bpy.types.Action, slot: Slot) -> list[str]:
    if slot is None:
        return []
    notes = []
    others = [user for user in slot.users() if user != armature]
    if slot.name_display != armature.name and not others:
        notes.append(f"slot {slot.name_display!r} called {armature.name!r}")
        slot.name_display = armature.name
    for other in [other for other in action.slots if other.handle != slot.handle]:
        if not other.users() and not curves.curves_of(action, other):
            notes.append(f"empty slot {other.name_display!r} removed")
            action.slots.remove(other)
    return notes
