"""Runs inside Blender's window, driven by `tools/gui.py`: fills the list of sources, weaves, takes it back."""

from collections.abc import Iterator
from typing import Any

import bpy


def steps(gui: Any) -> Iterator[Any]:
    armature = import_walk_and_sneak(gui.data)
    yield from gui.sidebar("Action Loom")
    yield from gui.shot("1_tab")
    yield from gui.press("ops.action_loom.add_sources(")
    assert len(bpy.context.scene.action_loom.rigs[0].sources) == 2
    yield from gui.shot("2_sources")
    yield from gui.press("ops.action_loom.blend(")
    name = armature.animation_data.action.name
    assert name == "sneak + walk 50:50", name
    bpy.context.scene.frame_set(20)
    with gui.override():
        bpy.ops.view3d.view_axis(type="LEFT")
        bpy.ops.view3d.view_selected()
    yield from gui.shot("3_woven")
    yield from gui.shot("4_panel", box=gui.region("UI"))
    view = gui.region("WINDOW")
    yield from gui.move(view.x + view.width // 3, view.y + view.height // 3)
    yield from gui.key("ctrl+z")
    assert name not in bpy.data.actions
    assert {"walk", "sneak"} <= set(bpy.data.actions.keys())
    yield from gui.shot("5_undone")


def import_walk_and_sneak(folder: str) -> Any:
    """Both motions as actions of one armature: the files hold the same figure."""
    for item in list(bpy.data.objects):
        bpy.data.objects.remove(item)
    for name in ("sneak", "walk"):
        bpy.ops.import_anim.bvh(filepath=f"{folder}/{name}.bvh", update_scene_fps=True)
        bpy.context.object.animation_data.action.name = name
        bpy.context.object.animation_data.action.use_fake_user = True
    bpy.data.objects.remove(bpy.data.objects["sneak"])
    armature = bpy.data.objects["walk"]
    bpy.context.view_layer.objects.active = armature
    armature.select_set(True)
    bpy.ops.ed.undo_push(message="Import")
    return armature
