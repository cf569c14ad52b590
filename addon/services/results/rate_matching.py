"""Let actions play as fast as they were made: give the scene their rate, or give them the scene's."""

from collections.abc import Iterable

import bpy

from ...bridge import rates, result_mark, retiming


def give_scene(scene: bpy.types.Scene, rate: float) -> None:
    """Give the scene a rate."""
    scene.render.fps = max(round(rate), 1)
    scene.render.fps_base = scene.render.fps / rate


def give_actions(scene: bpy.types.Scene, actions: Iterable[bpy.types.Action]) -> list[bpy.types.Action]:
    """Move the keys of those actions that the scene plays at another rate, and return these.

    Raises LoomError, with nothing changed, where one can't be written.
    """
    found = [action for action in actions if rates.differing(scene, action)]
    for action in found:
        result_mark.check_writable(action)
    for action in found:
        retiming.scale(action, rates.of_scene(scene) / rates.rate_of(action))
        rates.set_rate(action, 0.0)
    return found
