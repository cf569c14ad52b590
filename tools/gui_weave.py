"""Runs inside Blender's window, driven by `tools/gui.py`: adds the demo figure, fills the list, weaves, undoes."""

from collections.abc import Iterator
from typing import Any

import bpy


def steps(gui: Any) -> Iterator[Any]:
    for item in list(bpy.data.objects):
        bpy.data.objects.remove(item)
    with gui.override():
        bpy.ops.action_loom.add_demo("EXEC_DEFAULT", True)
    armature = bpy.context.view_layer.objects.active
    assert len(bpy.data.actions) == 7
    yield from gui.sidebar("Action Loom")
    yield from gui.shot("1_demo")
    yield from gui.press("ops.action_loom.add_sources(")
    sources = bpy.context.scene.action_loom.rigs[0].sources
    assert len(sources) == 7
    for source in sources:
        source.use = source.action.name in ("Walk", "Sneak")
    yield from gui.shot("2_sources")
    yield from gui.press("ops.action_loom.blend(")
    name = armature.animation_data.action.name
    assert name == "Sneak + Walk 50:50", name
    bpy.context.scene.frame_set(12)
    with gui.override():
        bpy.ops.view3d.view_axis(type="LEFT")
        bpy.ops.view3d.view_selected()
    yield from gui.shot("3_woven")
    yield from gui.shot("4_panel", box=gui.region("UI"))
    view = gui.region("WINDOW")
    yield from gui.move(view.x + view.width // 3, view.y + view.height // 3)
    yield from gui.key("ctrl+z")
    assert name not in bpy.data.actions
    assert {"Walk", "Sneak"} <= set(bpy.data.actions.keys())
    yield from gui.shot("5_undone")
