"""Runs in Blender's window, driven by `tools/gui.py`: the tools for one action, by their buttons and by the pie."""

from collections.abc import Iterator
from typing import Any

import bpy
from gui_shared import begin_open, idle


def steps(gui: Any) -> Iterator[Any]:
    yield from begin(gui)
    yield from mirror(gui)


def begin(gui: Any) -> Iterator[Any]:
    with gui.override():
        bpy.ops.wm.read_homefile(use_empty=True)
    yield from gui.redraw()
    with gui.override():
        bpy.ops.action_loom.add_demo("EXEC_DEFAULT", True)
        bpy.ops.view3d.view_selected()
    begin_open(bpy.types.ACTION_LOOM_PT_repair)
    yield from gui.sidebar("Action Loom")
    yield from gui.shot("01_tab")


def mirror(gui: Any) -> Iterator[Any]:
    """In place: the action keeps its name, and what it was is kept."""
    name = action().name
    bpy.context.scene.action_loom.edit, bpy.context.scene.action_loom.edit_replace = "mirror", True
    yield from gui.press("ops.action_loom.mirror(")
    yield from gui.wait_until(lambda: idle() and f"{name} before Mirror" in bpy.data.actions, 60, "mirrored")
    assert action().name == name
    yield from gui.shot("02_mirrored", box=gui.region("UI"))


def action() -> Any:
    return bpy.context.view_layer.objects.active.animation_data.action
