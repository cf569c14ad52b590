"""Let an action take another time: its keys are moved, none is lost."""

import bpy
import numpy as np

from . import curves


def scale(action: bpy.types.Action, factor: float) -> None:
    """Scale an action's keys in time about its first frame, with handles, ranges, modifiers and pose markers.

    Keys may come to lie between frames.
    """
    first = float(action.frame_range[0])

    def moved(frame: float) -> float:
        return first + factor * (frame - first)

    if action.use_frame_range:
        action.frame_start, action.frame_end = moved(action.frame_start), moved(action.frame_end)
    slots = [*action.slots] if hasattr(action, "slots") else [None]
    for curve in (one for slot in slots for one in curves.curves_of(action, slot)):
        _scale_curve(curve, first, factor)
    for marker in action.pose_markers:
        marker.frame = round(moved(marker.frame))


def _scale_curve(curve: bpy.types.FCurve, first: float, factor: float) -> None:
    points = curve.keyframe_points
    for name in ("co", "handle_left", "handle_right"):
        values = np.empty(2 * len(points), dtype=np.float32)
        points.foreach_get(name, values)
        values[::2] = first + factor * (values[::2] - first)
        points.foreach_set(name, values)
    curve.update()
    for modifier in curve.modifiers:
        if modifier.use_restricted_range:
            start, end = (first + factor * (frame - first) for frame in (modifier.frame_start, modifier.frame_end))
            modifier.frame_start, modifier.frame_end = start, end
