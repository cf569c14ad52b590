"""Match the scene frame rate to the actions, or scale the keys of the actions to the scene frame rate."""

from collections.abc import Iterable

import bpy

from ...bridge import rates, result_mark, retiming


def give_scene(scene: bpy.types.Scene, rate: float) -> None:
    """Give the scene a rate."""
    scene.render.fps = max(round(rate), 1)
    scene.render.fps_base = scene.render.fps / rate


def give_actions(scene: bpy.types.Scene, actions: Iterable[bpy.types.Action]) -> list[bpy.types.Action]:
    """Scale the keys of each action whose rate differs from the scene's; return these actions.

    Raises LoomError, with nothing changed, if one can't be written.
    """
    found = [action for action in actions if rates.differing(scene, action)]
    for action in found:
        result_mark.check_writable(action)
    for action in found:
        retiming.scale(action, rates.of_scene(scene) / rates.rate_of(action))
        rates.set_rate(action, 0.0)
    return found
