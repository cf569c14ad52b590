"""Store frame rates on actions in a custom property, because Blender's actions lack a rate."""

import bpy

from ..ground.blender_types import has_property

KEY = "action_loom_rate"
_SPACING = "action_loom_rate_spacing"
NEAR = 1e-3  # share of a rate
_ALIKE = 0.01  # share by which two factors of scaling may differ
_FASTEST = 1e4  # frames per second; higher values would make a film of a short action


def rate_of(action: bpy.types.Action) -> float:
    """Return the frames per second that an action was made for; 0 for the scene's rate.

    If the keys were scaled in time after the rate was stored, the rate is scaled by the same factor, so that the
    duration stays the same. Cheap enough for drawing. Invalid values count as 0, because anybody can write custom
    properties.
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
    """Return the number of keys, the first gap and the length in frames, of the first curve with three or more keys."""
    from . import curves  # numpy is loaded at first use, not when Blender starts

    for curve in (curve for slot in curves.slots_of(action) for curve in curves.curves_of(action, slot)):
        points = curve.keyframe_points
        if len(points) > 2:
            first, second, last = (points[k].co.x for k in (0, 1, -1))
            return [float(len(points)), second - first, last - first]
    return [0.0, 0.0, 0.0]


def _scaling(action: bpy.types.Action) -> float:
    """Return the factor by which the keys of an action were scaled in time after its rate was stored."""
    stored = action.get(_SPACING)
    before = list(stored) if hasattr(stored, "__len__") else []
    if len(before) != 3 or not all(isinstance(value, float) for value in before) or min(before) <= 0.0:
        return 1.0
    now = _spacing(action)
    gap, length = now[1] / before[1], now[2] / before[2]
    # Moving, adding or removing a single key changes only one of these.
    is_scaled = now[0] == before[0] and abs(gap - length) < _ALIKE * length and abs(length - 1.0) > _ALIKE
    return length if is_scaled else 1.0


def of_scene(scene: bpy.types.Scene) -> float:
    """Return a scene's frames per second."""
    return float(scene.render.fps / scene.render.fps_base)


def differ(one: float, other: float) -> bool:
    """Return whether two rates differ enough for a visible change of speed."""
    return abs(one - other) > NEAR * other


def differing(scene: bpy.types.Scene, action: bpy.types.Action) -> float:
    """Return the stored rate of an action if the scene plays it at another rate, or 0."""
    own = rate_of(action)
    return own if own and differ(own, of_scene(scene)) else 0.0
