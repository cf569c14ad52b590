"""What the scripts share that `tools/gui.py` runs inside Blender's window."""

import sys
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType
from typing import Any

import bpy


def loom(name: str) -> ModuleType:
    """An installed module by its name inside the extension."""
    package = next(m for m in sys.modules if m.startswith("bl_ext.") and m.endswith(".action_loom"))
    return import_module(f"{package}.{name}")


def begin_with_demo(gui: Any, fps: int = 24) -> Iterator[Any]:
    """Open an empty file, and add the demo's figure with its actions."""
    with gui.override():
        bpy.ops.wm.read_homefile(use_empty=True)
    yield from gui.redraw()
    with gui.override():
        bpy.context.scene.render.fps = fps
        bpy.ops.action_loom.add_demo("EXEC_DEFAULT", True)


def settings() -> Any:
    """What the panels set."""
    return bpy.context.scene.action_loom  # type: ignore[attr-defined]


def action() -> Any:
    """The action that the active armature has."""
    return bpy.context.view_layer.objects.active.animation_data.action


def idle() -> bool:
    """Say whether no work goes on beside the interface."""
    return loom("addon.ground.jobs").running() is None


def begin_open(panel: Any) -> None:
    """Let a panel begin open; once it has been drawn nothing but a click opens it."""
    bpy.utils.unregister_class(panel)
    panel.bl_options = set()
    bpy.utils.register_class(panel)


def choose_mode(gui: Any, mode: str) -> Iterator[Any]:
    """Click an intent, and in it a mode: each row is one property, so buttons are found by their places."""
    intents = loom("addon.model.intents")
    intent = next(recipe.intent for recipe in intents.MODES if recipe.verb == mode)
    yield from _choose(
        gui, "action_loom.intent", [one.label for one in intents.INTENTS].index(intent), len(intents.INTENTS)
    )
    modes = [recipe.verb for recipe in intents.modes_of(intent)]
    if len(modes) > 1:
        yield from _choose(gui, "action_loom.mode", modes.index(mode), len(modes))
    assert settings().mode == mode, settings().mode


def _choose(gui: Any, what: str, place: int, count: int) -> Iterator[Any]:
    _, y = yield from gui.find_button(what)
    region, scale = gui.region("UI"), bpy.context.preferences.system.ui_scale
    wide = region.width - 36.0 * scale
    yield from gui.click(region.x + 8.0 * scale + (place + 0.5) * wide / count, y)
