"""Store frame rates on actions as a custom property, since Blender's actions have no rate."""

import bpy

from .blender_types import has_property

KEY = "action_loom_rate"
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
