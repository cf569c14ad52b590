"""Store frame rates on actions as a custom property, since Blender's actions have no rate."""

import bpy

from ..ground.blender_types import has_property

KEY = "action_loom_rate"
_SPACING = "action_loom_rate_spacing"
NEAR = 1e-3  # share of a rate
_ALIKE = 0.01  # share by which two factors of scaling may differ
_FASTEST = 1e4  # frames per second; higher values would make a short action as long as a film


def rate_of(action: bpy.types.Action) -> float:
    """Return the frames per second that an action was made at; 0 for the scene's rate.

    If the keys were scaled in time since, the rate is scaled likewise, so that the action lasts as long. Cheap enough
    for drawing. Invalid values count as 0, because anybody can write custom properties.
    """
    rate = action.get(KEY, 0.0)
    is_rate = isinstance(rate, int | float) and not isinstance(rate, bool) and 0.0 < rate < _FASTEST
    return float(rate) * _scaling(action) if is_rate else 0.0


def set_rate(action: bpy.types.Action, rate: float) -> None:
    """Store the rate of an action; 0 removes it."""
    if rate:
        action[KEY] = float(rate)
        action[_SPACING] = _spacing(action)
        return
    for key in (KEY, _SPACING):
        if has_property(action, key):
            del action[key]


def _spacing(action: bpy.types.Action) -> list[float]:
    """Return the number of keys, the first gap and the length, frames, of the first curve with three keys or more."""
    from . import curves  # numpy is loaded at first use, not when Blender starts

    for curve in (curve for slot in curves.slots_of(action) for curve in curves.curves_of(action, slot)):
        points = curve.keyframe_points
        if len(points) > 2:
            first, second, last = (points[k].co.x for k in (0, 1, -1))
            return [float(len(points)), second - first, last - first]
    return [0.0, 0.0, 0.0]


def _scaling(action: bpy.types.Action) -> float:
    """Return by how much the keys of an action were scaled in time since its rate was stored."""
    stored = action.get(_SPACING)
    before = list(stored) if hasattr(stored, "__len__") else []
    if len(before) != 3 or not all(isinstance(value, float) for value in before) or min(before) <= 0.0:
        return 1.0
    now = _spacing(action)
    gap, length = now[1] / before[1], now[2] / before[2]
    # A key that was moved, added or removed changes one of these alone.
    is_scaled = now[0] == before[0] and abs(gap - length) < _ALIKE * length and abs(length - 1.0) > _ALIKE
    return length if is_scaled else 1.0


def of_scene(scene: bpy.types.Scene) -> float:
    """Return a scene's frames per second."""
    return float(scene.render.fps / scene.render.fps_base)


def differ(one: float, other: float) -> bool:
    """Say whether two rates are so far apart that an action plays at another speed."""
    return abs(one - other) > NEAR * other


def differing(scene: bpy.types.Scene, action: bpy.types.Action) -> float:
    """Return the rate that an action was made at where the scene plays it at another, else 0."""
    own = rate_of(action)
    return own if own and differ(own, of_scene(scene)) else 0.0
