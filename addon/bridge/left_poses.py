"""Recognise poses that deleted results have left on bones which the next action does not key.

The values of results are remembered while Blender runs. Before a file is saved, the armature stores the values left
at that time; after a file is opened, the values of its results are remembered again.
"""

from collections.abc import Collection, Iterator, Mapping

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.motion import rotation_modes
from ...core.motion.quat import Array
from ..ground import kept_values, memory
from ..ground.blender_types import present
from . import curves, own_actions, result_mark
from .curves import Target

_LEFT = "action_loom_left"  # by path: the values that a deleted result has left
SAME = 1e-3  # units of a property within which two values are equal
MOST_FRAMES = 2000  # sampled frames of an action
MOST_RESULTS = 8  # results of an armature whose rows are remembered
Values = tuple[float, ...]
Rows = Mapping[Target, NDArray[np.float32]]
_results = memory.cache(64)  # by session id of the armature: rows (F, n) of each result and property, also if deleted


def remember(armature: bpy.types.Object, result: bpy.types.Action, unless: Collection[Target] = ()) -> None:
    """Remember the values of a result's properties in each frame; unless : properties that every own action keys."""
    rows = _results.made(armature.session_uid, dict[int, Rows])
    rows[result.session_uid] = _rows_of(result, unless)
    for oldest in list(rows)[:-MOST_RESULTS]:
        del rows[oldest]


def find(armature: bpy.types.Object, now: Mapping[Target, Values]) -> set[Target]:
    """Return the properties whose values are left by a deleted result; now : the current values."""
    there = {action.session_uid for action in bpy.data.actions}
    deleted = [rows for uid, rows in (_results.get(armature.session_uid) or {}).items() if uid not in there]
    every = [*deleted, {target: np.array([row]) for target, row in _read_stored(armature).items()}]
    return {target for rows in every for target in now.keys() & rows.keys() if _is_among(now[target], rows[target])}


def pose_of(armature: bpy.types.Object) -> dict[Target, Values]:
    """Return the location, rotation and scale of each bone in the current pose."""
    found = {}
    for bone in present(armature.pose).bones:
        for what in ("location", rotation_modes.property_of(bone.rotation_mode), "scale"):
            found[Target(bone.name, what)] = tuple(getattr(bone, what)[:])
    return found


def played_frames(action: bpy.types.Action, first: float, last: float) -> Array:
    """Return the frames of an action, its first one first, and those of the scene, where its curves may go on."""
    scene = present(bpy.context.scene)
    step = min(1.0, scene.render.frame_map_old / scene.render.frame_map_new)
    low, high = min(first, scene.frame_start), max(last, scene.frame_end)
    count = round((high - low) / step) + 1 if own_actions.has_extrapolation(action) else 0
    own = np.linspace(first, last, min(MOST_FRAMES, max(1, round((last - first) / step)) + 1))
    return np.concatenate([own, np.linspace(low, high, min(MOST_FRAMES, count))])


def store_all() -> None:
    """Store on each armature the values that deleted results have left, before the file is saved."""
    for armature in _own_armatures():
        if _results.get(armature.session_uid) or _read_stored(armature):
            now = pose_of(armature)
            left = {curves.path_of(target): list(now[target]) for target in sorted(find(armature, now))}
            kept_values.keep(armature, _LEFT, left)


def remember_all() -> None:
    """Remember the values of the results in the opened file, with played results last so that they are dropped last."""
    results = [action for action in bpy.data.actions if result_mark.is_result(action)]
    for armature in _own_armatures() if results else ():
        data = armature.animation_data
        own = [action for action in results if own_actions.is_own(armature, action)]
        played = [action for action in own if data is not None and data.action == action]
        for action in [*own[: MOST_RESULTS - 1], *played]:
            remember(armature, action)


def _own_armatures() -> Iterator[bpy.types.Object]:
    return (one for one in bpy.data.objects if one.type == "ARMATURE" and one.library is None)


def _is_among(now: Values, rows: NDArray[np.float32]) -> bool:
    return rows.shape[1] == len(now) and bool((np.abs(rows - now).max(axis=1) < SAME).any())


def _rows_of(result: bpy.types.Action, unless: Collection[Target]) -> Rows:
    first, last = result.frame_range[:]
    frames, rows = played_frames(result, first, last), dict[Target, NDArray[np.float32]]()
    for slot in curves.slots_of(result):
        for target, by_index in curves.transforms(curves.curves_of(result, slot)).items():
            if target not in unless and target.bone and len(by_index) == curves.CHANNELS[target.property]:
                each = [curves.sample(by_index[k], frames) for k in sorted(by_index)]
                rows[target] = np.column_stack(each).astype(np.float32)
    return rows


def _read_stored(armature: bpy.types.Object) -> dict[Target, Values]:
    return curves.values_at(kept_values.read_value(armature, _LEFT))
