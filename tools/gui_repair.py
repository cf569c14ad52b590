"""Runs in Blender's window, driven by `tools/gui.py`: the tools for one action, by their buttons and by the pie."""

from collections.abc import Iterator
from typing import Any

import bpy
from gui_shared import action, begin_open, begin_with_demo, idle, settings
from mathutils import Quaternion


def steps(gui: Any) -> Iterator[Any]:
    yield from begin(gui)
    yield from mirror(gui)
    yield from spread(gui)
    yield from events(gui)
    yield from reach(gui)
    yield from fewer(gui)
    yield from tools(gui)
    yield from pie(gui)


def begin(gui: Any) -> Iterator[Any]:
    yield from begin_with_demo(gui)
    with gui.override():
        bpy.ops.view3d.view_selected()
    begin_open(bpy.types.ACTION_LOOM_PT_repair)
    yield from gui.sidebar("Action Loom")
    yield from gui.shot("01_tab")


def mirror(gui: Any) -> Iterator[Any]:
    """In place: the action keeps its name, and what it was is kept."""
    name = action().name
    settings().edit, settings().edit_replace = "mirror", True
    yield from pressed(gui, "mirror", lambda: f"{name} before Mirror" in bpy.data.actions)
    assert action().name == name
    settings().edit_replace = False
    yield from gui.shot("02_mirrored", box=gui.region("UI"))


def spread(gui: Any) -> Iterator[Any]:
    """Two poses, the second for the result of the first."""
    settings().edit = "warp"
    for frame, degrees in ((8, 40.0), (20, -30.0)):
        bpy.context.scene.frame_set(frame)
        bone = armature().pose.bones["head"]
        bone.matrix_basis = bone.matrix_basis @ Quaternion((0.0, 0.0, 1.0), degrees / 57.3).to_matrix().to_4x4()
        yield from gui.redraw()
        keys = fingerprint()
        yield from pressed(gui, "warp", lambda keys=keys: fingerprint() != keys)
    assert action().name.endswith(" posed"), action().name
    yield from gui.shot("03_posed")


def events(gui: Any) -> Iterator[Any]:
    settings().edit = "move_events"
    bpy.context.scene.frame_set(10)
    with gui.override():  # a button without a name
        bpy.ops.action_loom.add_event("INVOKE_DEFAULT", True)
    bpy.context.scene.frame_set(12)
    yield from gui.press("ops.action_loom.event_to_here(")
    assert [(row.first, row.to) for row in settings().events] == [(10, 12)]
    settings().events[0].hold, settings().events[0].anticipation = 0.1, 0.3
    yield from gui.redraw()
    yield from pressed(gui, "move_events", lambda: action().name.endswith(" re-timed"))
    yield from gui.shot("04_events", box=gui.region("UI"))


def reach(gui: Any) -> Iterator[Any]:
    settings().edit = "reach"
    bpy.context.scene.frame_set(15)
    hand = armature().matrix_world @ armature().pose.bones["hand.R"].head
    bpy.context.scene.cursor.location = hand[0], hand[1], hand[2] + 0.2
    yield from pressed(gui, "reach", lambda: action().name.endswith(" reaching"))
    bpy.context.scene.frame_set(15)
    yield from gui.shot("05_reaching")


def fewer(gui: Any) -> Iterator[Any]:
    settings().edit = "fewer_keys"
    yield from pressed(gui, "fewer_keys", lambda: action().name.endswith(" fewer keys"))
    yield from gui.shot("06_fewer", box=gui.region("UI"))
    area = next(a for a in gui.window.screen.areas if a.type == "VIEW_3D")
    area.type = "DOPESHEET_EDITOR"
    area.spaces.active.mode = "ACTION"
    with gui.override(area):
        bpy.ops.action.view_all()
    yield from gui.shot("07_keys", box=area)
    area.type = "VIEW_3D"
    yield from gui.sidebar("Action Loom")


def tools(gui: Any) -> Iterator[Any]:
    """What every tool asks."""
    for number, tool in enumerate(("filter", "place", "root", "plant"), start=8):
        settings().edit = tool
        yield from gui.redraw()
        yield from gui.shot(f"{number:02}_{tool}", box=gui.region("UI"))


def pie(gui: Any) -> Iterator[Any]:
    region = gui.region("WINDOW")
    yield from gui.move(region.x + region.width // 2, region.y + region.height // 2)
    yield from gui.key("shift+alt+u")
    yield 1.0
    gui.shot_now("12_pie")


def pressed(gui: Any, verb: str, done: Any) -> Iterator[Any]:
    """Press a tool's button and wait until it is done."""
    yield from gui.press(f"ops.action_loom.{verb}(")
    yield from gui.wait_until(lambda: idle() and done(), 120, verb)


def armature() -> Any:
    return bpy.context.view_layer.objects.active


def fingerprint() -> Any:
    """What tells whether the armature's action is another one, or has other keys."""
    return action().name, action().get("action_loom", {}).get("recipe", "")
