"""Runs in Blender's window, driven by `tools/gui.py`: a capture onto Rigify's human on IK, and its controls."""

from collections.abc import Iterator
from typing import Any

import bpy
from gui_shared import empty_scene, figure, generate_rigify, idle, open_only

WALK = "cmu_mb_02_01"
LONG = "cmu_daz_13_26"  # 3,029 frames
FRAMES = (30, 60, 90, 120)


def steps(gui: Any) -> Iterator[Any]:
    yield from begin(gui)
    yield from dialog(gui)
    yield from stopped(gui)
    yield from imported(gui)
    yield from table(gui)


def begin(gui: Any) -> Iterator[Any]:
    """A Rigify human in a scene of the capture's rate."""
    yield from empty_scene(gui)
    yield from generate_rigify(gui)
    with gui.override():
        figure().name = "Hero"
        bpy.context.scene.render.fps = 120
        bpy.ops.view3d.view_selected()
    yield from gui.redraw()


def dialog(gui: Any) -> Iterator[Any]:
    """The options of the import dialog."""
    path = f"{gui.data}/cmu"
    with gui.override():
        bpy.ops.action_loom.import_motion("INVOKE_DEFAULT", directory=f"{path}/", filepath=f"{path}/{WALK}.bvh")
    yield 3.0
    yield from gui.shot("01_dialog")
    yield from gui.key("Escape")
    yield 1.0


def stopped(gui: Any) -> Iterator[Any]:
    """A long capture, dropped into the view: Esc stops it, and nothing is left."""
    before = len(bpy.data.actions)
    with gui.override():
        files = [{"name": f"{LONG}.bvh"}]
        bpy.ops.wm.drop_import_file("INVOKE_DEFAULT", directory=f"{gui.data}/cmu/", files=files)
    yield 0.5
    gui._x("key", "Return")
    yield 0.2
    assert not idle(), "it is not imported in the background"
    gui._x("key", "Escape")
    yield from gui.wait_until(idle, 120.0)
    assert len(bpy.data.actions) == before


def imported(gui: Any) -> Iterator[Any]:
    """The walk on IK, and the rig at a few of its frames."""
    with gui.override():
        files = [{"name": f"{WALK}.bvh"}]
        where = f"{gui.data}/cmu/"
        bpy.ops.action_loom.import_motion("EXEC_DEFAULT", directory=where, files=files, onto="ACTIVE", limbs="IK")
    yield from gui.wait_until(idle, 120.0)
    bpy.ops.object.mode_set(mode="POSE")
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        with gui.override():
            bpy.ops.view3d.view_axis(type="LEFT")
            bpy.ops.view3d.view_selected()
        yield from gui.redraw()
        yield from gui.shot(f"02_frame_{frame:03d}", box=gui.region("WINDOW"))


def table(gui: Any) -> Iterator[Any]:
    """The controls that were found, in the tab."""
    bpy.context.scene.action_loom.experts = True
    open_only("sources", "weave", "controls")
    yield from gui.sidebar("Action Loom")
    yield from gui.press("action_loom.find_controls")
    yield 4.0
    yield from gui.shot("03_controls", box=gui.region("UI"))
