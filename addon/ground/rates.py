"""Frames per second that actions were made at, kept on them: Blender's actions have no rate of their own."""

import bpy

from .blender_types import has_property

KEY = "action_loom_rate"
_FASTEST = 1e4  # beyond, what lasts a moment would be as long as a film


def rate_of(action: bpy.types.Action) -> float:
    """Return the frames per second that an action was made at; 0 where it was made for whatever the scene has.

    Cheap enough for drawing. What is no rate counts as none: anybody can write custom properties.
    """
    rate = action.get(KEY, 0.0)
    is_rate = isinstance(rate, int | float) and not isinstance(rate, bool) and 0.0 < rate < _FASTEST
    return float(rate) if is_rate else 0.0


def set_rate(action: bpy.types.Action, rate: float) -> None:
    """Keep an action's rate on it; 0 forgets it."""
    if rate:
        action[KEY] = float(rate)
    elif has_property(action, KEY):
        del action[KEY]


def of_scene(scene: bpy.types.Scene) -> float:
    """Return a scene's frames per second."""
    return float(scene.render.fps / scene.render.fps_base)
