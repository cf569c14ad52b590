"""Store frame rates on actions as a custom property, since Blender's actions have no rate."""

import bpy

from .blender_types import has_property

KEY = "action_loom_rate"
NEAR = 1e-3  # share of a rate
_FASTEST = 1e4  # frames per second; higher values would make a short action as long as a film


def rate_of(action: bpy.types.Action) -> float:
    """Return the frames per second that an action was made at; 0 for the scene's rate.

    Cheap enough for drawing. Invalid values count as 0, because anybody can write custom properties.
    """
    rate = action.get(KEY, 0.0)
    is_rate = isinstance(rate, int | float) and not isinstance(rate, bool) and 0.0 < rate < _FASTEST
    return float(rate) if is_rate else 0.0


def set_rate(action: bpy.types.Action, rate: float) -> None:
    """Store the rate of an action; 0 removes it."""
    if rate:
        action[KEY] = float(rate)
    elif has_property(action, KEY):
        del action[KEY]


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
