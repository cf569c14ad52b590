"""Change the timing of an action by moving its keys; no key is lost."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import bpy
import numpy as np

from ..ground.blender_types import Slot
from . import curves

Move = Callable[[Any], Any]  # of frames, one or many


def scale(action: bpy.types.Action, factor: float) -> None:
    """Scale an action's keys in time about its first frame, with handles, ranges, modifiers and pose markers.

    Keys may end up at fractional frames.
    """
    first = float(action.frame_range[0])
    slots = [*action.slots] if hasattr(action, "slots") else [None]
    _retime(action, slots, lambda frames: first + factor * (frames - first))


def move(action: bpy.types.Action, slot: Slot, frames: Sequence[int], to: Sequence[int]) -> None:
    """Move the keys at some frames of a slot to other frames, in order; keys between, ranges and markers move along.

    Keys after the last given frame keep their distance to it. Keys between may end up at fractional frames.
    """
    shifts = np.subtract(to, frames)
    _retime(action, [slot], lambda at: at + np.interp(at, frames, shifts))


def _retime(action: bpy.types.Action, slots: Iterable[Slot], moved: Move) -> None:
    if action.use_frame_range:
        action.frame_start, action.frame_end = float(moved(action.frame_start)), float(moved(action.frame_end))
    for curve in (one for slot in slots for one in curves.curves_of(action, slot)):
        _retime_curve(curve, moved)
    for marker in action.pose_markers:
        marker.frame = round(float(moved(marker.frame)))


def _retime_curve(curve: bpy.types.FCurve, moved: Move) -> None:
    points = curve.keyframe_points
    for name in ("co", "handle_left", "handle_right"):
        values = np.empty(2 * len(points), dtype=np.float32)
        points.foreach_get(name, values)
        values[::2] = moved(values[::2])
        points.foreach_set(name, values)
    curve.update()
    for modifier in curve.modifiers:
        if modifier.use_restricted_range:
            start, end = (float(moved(frame)) for frame in (modifier.frame_start, modifier.frame_end))
            modifier.frame_start, modifier.frame_end = start, end
