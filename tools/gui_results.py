"""Tests the uses of a result in a window: mark it as an asset, add it from the Asset Browser, push it down."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy
from gui_shared import begin_with_demo, done, figure, open_only, tick

FILES = Path(tempfile.mkdtemp())
FIELD, CANCEL = 34, 66  # pixels from the middle of the popup down to its lowest field, and to its buttons


def steps(gui: Any) -> Iterator[Any]:
    yield from begin(gui)
    yield from mark(gui)
    yield from browse(gui)
    yield from take(gui)
    yield from ask(gui)
    yield from push(gui)


def begin(gui: Any) -> Iterator[Any]:
    """A blend of two walks in a file of an asset library."""
    yield from begin_with_demo(gui, fps=30)
    with gui.override():
        bpy.ops.view3d.view_selected()
    tick("Walk", "Sneak")
    bpy.ops.action_loom.blend()
    (FILES / "library").mkdir()
    bpy.ops.wm.save_as_mainfile(filepath=str(FILES / "library" / "walks.blend"))
    bpy.context.preferences.filepaths.asset_libraries.new(name="Mine", directory=str(FILES / "library"))
    open_only("sources", "weave")
    yield from gui.sidebar("Action Loom")
    yield from gui.shot("01_buttons", box=gui.region("UI"))


def mark(gui: Any) -> Iterator[Any]:
    result = figure().animation_data.action
    yield from done(gui, "mark_asset")
    assert result.asset_data is not None
    assert "Action Loom:Action Loom" in (FILES / "library" / "blender_assets.cats.txt").read_text()
    for name in ("Run", "Wave"):  # two more, to see them side by side
        figure().animation_data.action = bpy.data.actions[name]
        with gui.override():
            bpy.ops.action_loom.mark_asset("EXEC_DEFAULT", True, catalog="Action Loom/Captured")
    figure().animation_data.action = result
    bpy.ops.wm.save_mainfile()
    yield from gui.shot("02_marked", box=gui.region("UI"))


def browse(gui: Any) -> Iterator[Any]:
    """The Asset Browser shows pictures and catalogs."""
    with gui.override():
        bpy.ops.screen.area_split(direction="HORIZONTAL", factor=0.25)
    yield from gui.redraw()
    views = [one for one in gui.window.screen.areas if one.type == "VIEW_3D"]
    area = min(views, key=lambda one: one.y)
    area.ui_type = "ASSETS"
    yield from gui.redraw()
    yield 1.0
    area.spaces.active.params.asset_library_reference = "Mine"
    yield 2.0
    yield from gui.redraw()
    yield from gui.shot("03_browser")
    result, figure().animation_data.action = figure().animation_data.action, bpy.data.actions["Carry"]
    with gui.override():
        bpy.ops.action_loom.mark_asset("EXEC_DEFAULT", True, catalog="Props")
    figure().animation_data.action = result
    yield 2.0
    yield from gui.redraw()
    yield from gui.shot("03_one_more")


def browser(gui: Any) -> Any:
    return next(one for one in gui.window.screen.areas if one.ui_type == "ASSETS")


def take(gui: Any) -> Iterator[Any]:
    """Add the selected assets of another file as sources, and show the Asset Browser's own menu."""
    bpy.ops.action_loom.remove_source()
    area = browser(gui)
    region = next(one for one in area.regions if one.type == "WINDOW")
    with bpy.context.temp_override(window=gui.window, area=area, region=region):
        bpy.ops.file.select_all(action="SELECT")
        there = [(one.name, one.id_type, one.local_id) for one in bpy.context.selected_assets]
        gui.log("selected_assets", there)
        assert len(there) == 4
        before = len(bpy.context.scene.action_loom.rigs[0].sources)
        gui.log("object", bpy.context.object)
        assert bpy.ops.action_loom.add_asset_sources("INVOKE_DEFAULT", True) == {"FINISHED"}
        gui.log("listed", [line.action.name for line in bpy.context.scene.action_loom.rigs[0].sources][before:])
    yield from gui.redraw()
    yield from gui.move(region.x + 300, region.y + region.height - 60)
    yield from gui.click(region.x + 300, region.y + region.height - 60, 3)
    yield 1.0
    yield from gui.shot("04_menu")
    yield from gui.key("Escape")
    yield from gui.redraw()


def ask(gui: Any) -> Iterator[Any]:
    """Open the button's popup, in whose middle the mouse is, and show its suggestions during typing."""
    region = gui.region("WINDOW")
    x, y = region.x + region.width // 2, region.y + region.height // 2
    yield from gui.move(x, y)
    with gui.override():
        bpy.ops.action_loom.add_asset_sources("INVOKE_DEFAULT", True)
    yield 0.5
    yield from gui.shot("05_popup")
    yield from gui.click(x - 60, y - FIELD)
    yield 0.5
    yield from gui.type("u")
    yield 1.0
    yield from gui.shot("05_offered")
    yield from gui.key("Escape")
    yield 0.5
    yield from gui.click(x - 200, y - CANCEL)
    yield 0.5
    yield from gui.redraw()


def push(gui: Any) -> Iterator[Any]:
    """The result as a strip."""
    browser(gui).ui_type = "NLA_EDITOR"
    yield from gui.redraw()
    yield from done(gui, "push_down")
    assert figure().animation_data.action is None
    assert len(figure().animation_data.nla_tracks) == 1
    area = next(one for one in gui.window.screen.areas if one.ui_type == "NLA_EDITOR")
    region = next(one for one in area.regions if one.type == "WINDOW")
    with bpy.context.temp_override(window=gui.window, area=area, region=region):
        bpy.ops.nla.view_all()
    yield from gui.redraw()
    yield from gui.shot("06_nla")
    yield from gui.key("ctrl+z")
    yield from gui.redraw()
    assert figure().animation_data.action is not None
    assert not len(figure().animation_data.nla_tracks)
    yield from gui.shot("07_taken_back")
