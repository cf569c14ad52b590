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
