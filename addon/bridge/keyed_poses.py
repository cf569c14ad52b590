"""Frames with a whole keyed pose, and the key types that distinguish an artist's keys from filled ones."""

from collections import Counter
from collections.abc import Collection, Iterator

import bpy
import numpy as np
from numpy.typing import NDArray

from ..ground.blender_types import Slot
from . import curves

WHOLE = 0.6  # of the bones that an action moves: a frame with keys on this share is a pose
STILL = 1e-5  # by which values of a curve that moves differ
MOST_KEYS = 50_000  # of an action whose keys are compared whenever the panel is drawn
_MADE = ("BREAKDOWN", "GENERATED")  # key types that artists do not set


def frames_of(action: bpy.types.Action, slot: Slot, *, chosen: bool = True) -> list[int]:
    """Return the scene frames at which an action has a pose; if `chosen`, between the first and last selected keys.

    Bones that never move do not count, and neither do keys of type Breakdown and Generated, unless all keys have these
    types (an artist may have deleted keys of a capture). Fewer than two frames with selected keys are ignored.
    """
    every: Counter[int] = Counter()
    picked: Counter[int] = Counter()
    bones: dict[str, tuple[set[int], set[int]]] = {}
    moving = set()
    for bone, frames, selected, moves in list(_keys(action, slot)) or _keys(action, slot, made=()):
        known = bones.setdefault(bone, (set(), set()))
        known[0].update(frames.tolist())
        known[1].update(frames[selected].tolist())
        moving |= {bone} if moves else set()
    bones = {bone: known for bone, known in bones.items() if bone in moving} or bones
    for frames_, selected_ in bones.values():
        every.update(frames_)
        picked.update(selected_)
    whole, marked = (sorted(f for f, count in some.items() if count >= WHOLE * len(bones)) for some in (every, picked))
    if len(marked) < 2 or not chosen:
        return whole
    return [frame for frame in whole if marked[0] <= frame <= marked[-1]]


def mark(action: bpy.types.Action, slot: Slot, kept: Collection[int], between: Collection[tuple[int, int]]) -> None:
    """Give the keys of an action at kept scene frames the type Keyframe, and those between frames Breakdown."""
    keyframe, breakdown = (_types()[name] for name in ("KEYFRAME", "BREAKDOWN"))
    for curve in curves.curves_of(action, slot):
        points = curve.keyframe_points
        at, kinds, _ = _read(points)
        kinds[np.isin(at, list(kept))] = keyframe
        for first, last in between:
            kinds[(at > first) & (at < last)] = breakdown
        points.foreach_set("type", kinds)


def state(action: bpy.types.Action, slot: Slot) -> tuple[int, ...]:
    """Return values that change with the keys of an action; for a long action only the number of its keys."""
    count = curves.key_count(action, slot)
    if count > MOST_KEYS:
        return (action.session_uid, count)
    parts = []
    for curve in curves.curves_of(action, slot):
        co = np.empty(2 * len(curve.keyframe_points), dtype=np.float32)
        curve.keyframe_points.foreach_get("co", co)
        parts.append(co.tobytes())
    return action.session_uid, count, hash(b"".join(parts))


def _keys(
    action: bpy.types.Action, slot: Slot, made: tuple[str, ...] = _MADE
) -> Iterator[tuple[str, NDArray[np.int64], NDArray[np.bool_], bool]]:
    """Yield for each bone curve its bone, key frames (without types in `made`), selection, and whether it moves."""
    kinds_made = [_types()[name] for name in made if name in _types()]
    for curve in curves.curves_of(action, slot):
        target = curves.target_of(curve)
        if target is None or not target.bone or curve.mute:
            continue
        points = curve.keyframe_points
        at, kinds, values = _read(points)
        selected = np.zeros(len(points), dtype=bool)
        points.foreach_get("select_control_point", selected)
        own = ~np.isin(kinds, kinds_made)
        if own.any():
            yield target.bone, at[own], selected[own], bool(np.ptp(values) > STILL)


def _read(points: bpy.types.FCurveKeyframePoints) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]:
    co, kinds = np.empty(2 * len(points), dtype=np.float32), np.empty(len(points), dtype=np.int32)
    points.foreach_get("co", co)
    points.foreach_get("type", kinds)
    return np.round(co[::2]).astype(np.int64), kinds, co[1::2]


def _types() -> dict[str, int]:
    """Return the numbers of the types of keys, by name; Generated is not in every Blender."""
    items = bpy.types.Keyframe.bl_rna.properties["type"].enum_items  # type: ignore[attr-defined]
    return {item.identifier: item.value for item in items}
