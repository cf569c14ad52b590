"""The tab in every mode at interface scales 1 and 2: pictures, driven by `tools/gui.py`."""

from collections.abc import Iterator
from typing import Any

import bpy
from gui_shared import idle, loom

SHARED = "a_long_name_that_all_of_them_share_"
ONE = ("loop",)  # modes of one action


def steps(gui: Any) -> Iterator[Any]:
    for scale in (1.0, 2.0):
        yield from pictures(gui, scale)


def empty(gui: Any) -> Iterator[Any]:
    with gui.override():
        bpy.ops.wm.read_homefile(use_empty=True)
    yield from gui.redraw()
    yield from gui.sidebar("Action Loom")


def pictures(gui: Any, scale: float) -> Iterator[Any]:
    bpy.context.preferences.view.ui_scale = scale
    yield from empty(gui)
    yield from panel(gui, scale, "empty")
    with gui.override():
        bpy.ops.action_loom.add_demo("EXEC_DEFAULT", True)
        bpy.ops.action_loom.add_sources("EXEC_DEFAULT")
    for action in bpy.data.actions:
        action.name = SHARED + action.name
    yield from gui.sidebar("Action Loom")
    for recipe in loom("addon.model.intents").MODES:
        mode = bpy.context.scene.action_loom.mode = recipe.verb
        tick(1 if mode in ONE else 2)
        yield from panel(gui, scale, mode)
    tick(3)
    bpy.context.scene.action_loom.mode = "blend"
    yield from panel(gui, scale, "three")
    tick(2)
    with gui.override():
        bpy.ops.action_loom.blend("INVOKE_DEFAULT", True)
    yield from gui.wait_until(idle, 60, "woven")
    yield from panel(gui, scale, "woven")
    bpy.context.preferences.view.ui_scale = 1.0


def panel(gui: Any, scale: float, name: str) -> Iterator[Any]:
    yield from gui.redraw()
    yield from gui.shot(f"panel_{scale:.0f}_{name}", box=gui.region("UI"))


def tick(count: int) -> None:
    lines = bpy.context.scene.action_loom.rigs[0].sources
    chosen = [line for line in lines if line.action.name.removeprefix(SHARED) in ("Walk", "Run", "Sneak")]
    for line in lines:
        line.use = line in chosen[-count:]
