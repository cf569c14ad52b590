"""The panel Library in a window: a folder put in, a stretch found, clicked, shown on the figure, and imported."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy
from gui_shared import begin_with_demo, figure, ghost, idle, loom, open_only, spot

FILES = Path(tempfile.mkdtemp())
COUNT = 400  # copies of a file, so that reading takes a while


def steps(gui: Any) -> Iterator[Any]:
    yield from begin(gui)
    yield from make(gui)
    yield from stop(gui)
    yield from find(gui)
    yield from click(gui)
    yield from bring(gui)
    yield from miss(gui)


def begin(gui: Any) -> Iterator[Any]:
    yield from begin_with_demo(gui, fps=30)
    with gui.override():
        bpy.ops.view3d.view_selected()
    (FILES / "figure").mkdir()
    names = [{"name": name} for name in ("Walk", "Sneak", "Run", "Wave", "Turn Left", "Carry")]
    bpy.ops.action_loom.export_motion(filepath=str(FILES / "figure" / "all.bvh"), actions=names)
    figure().animation_data.action = bpy.data.actions["Sneak"]
    scene = bpy.context.scene
    scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end = True, 20, 50
    open_only("library")
    yield from gui.sidebar("Action Loom")
    yield from gui.shot("01_empty", box=gui.region("UI"))


def make(gui: Any) -> Iterator[Any]:
    bpy.ops.action_loom.new_library(filepath=str(FILES / "motion"))
    yield from gui.redraw()
    yield from gui.shot("02_new", box=gui.region("UI"))
    with gui.override():
        bpy.ops.action_loom.add_to_library("INVOKE_DEFAULT", directory=str(FILES / "figure"))
    yield from gui.wait_until(idle, 120, "read")
    yield from gui.redraw()
    yield from gui.shot("03_read", box=gui.region("UI"))


def stop(gui: Any) -> Iterator[Any]:
    """Test that Esc during the reading of a folder keeps the clips already read."""
    (FILES / "many").mkdir()
    longest = max((FILES / "figure").glob("*.bvh"), key=lambda path: path.stat().st_size)
    for k in range(COUNT):
        shutil.copy(longest, FILES / "many" / f"copy {k}.bvh")
        with (FILES / "many" / f"copy {k}.bvh").open("a") as file:
            file.write("\n" * (k + 1))  # of other content, so that it is read
    loom("core.library.index").BYTES_AT_A_TIME = 500_000
    with gui.override():
        bpy.ops.action_loom.add_to_library("INVOKE_DEFAULT", directory=str(FILES / "many"))
    yield 0.5
    yield from gui.shot("04_reading", box=gui.region("UI"))
    yield from gui.key("Escape")
    yield from gui.wait_until(idle, 60, "stopped")
    shutil.rmtree(FILES / "many")
    yield from gui.shot("05_stopped", box=gui.region("UI"))
    with gui.override():
        bpy.ops.action_loom.add_to_library("EXEC_DEFAULT", directory=str(FILES))
    assert "6 clips" in loom("addon.services.library.libraries").find_known(str(FILES / "motion.loomlib")).summary


def find(gui: Any) -> Iterator[Any]:
    yield from gui.press("ops.action_loom.find_like(")
    yield from gui.wait_until(lambda: idle() and len(finder().found) > 0, 120, "found")
    assert finder().found[0].name == "Sneak"
    yield from gui.redraw()
    yield from gui.shot("06_found", box=gui.region("UI"))
    bpy.context.scene.use_preview_range = False


def click(gui: Any) -> Iterator[Any]:
    """The ghost shows the row that is active, on the figure's body, and with its mesh."""
    x, y = yield from spot(gui, "found[0].use", 0.1)
    yield from gui.click(x + 110, y)
    yield from gui.wait_until(lambda: idle() and ghost() is not None, 60, "clicked")
    assert finder().active == 0
    finder().active = next(k for k, row in enumerate(finder().found) if row.name == "Run")
    yield from gui.wait_until(lambda: idle() and ghost().summary.startswith("Run"), 60, "shown")
    bpy.context.scene.frame_set(24)
    with gui.override():
        bpy.ops.view3d.view_all()
    yield from gui.redraw()
    yield from gui.shot("07_ghost")
    bpy.context.scene.action_loom.ghost_mesh = True
    yield from gui.redraw()
    yield from gui.shot("08_mesh")


def bring(gui: Any) -> Iterator[Any]:
    before = set(bpy.data.actions.keys())
    finder().found[1].use = finder().found[2].use = True
    yield from gui.press("ops.action_loom.import_found(")
    yield from gui.wait_until(lambda: idle() and len(set(bpy.data.actions.keys()) - before) == 2, 60, "imported")
    yield from gui.redraw()
    yield from gui.shot("09_imported", box=gui.region("UI"))
    yield from gui.key("ctrl+z")
    yield from gui.redraw()
    assert set(bpy.data.actions.keys()) == before


def miss(gui: Any) -> Iterator[Any]:
    """Test that the panel reports missing files."""
    shutil.rmtree(FILES / "figure")
    finder().found[1].use = True
    with gui.override(), loom("addon.model.target_armature").as_from_panel(bpy.context, figure()):
        bpy.ops.action_loom.import_found("INVOKE_DEFAULT", True)
    yield from gui.wait_until(idle, 60, "refused")
    yield from gui.redraw()
    yield from gui.shot("10_gone", box=gui.region("UI"))


def finder() -> Any:
    return bpy.context.window_manager.action_loom_library
