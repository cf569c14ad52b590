"""Tests how tools are reached in a window: the list's menu, the pie, keys alone, right-clicks, headers, preferences."""

from collections.abc import Iterator
from typing import Any

import bpy
from gui_shared import action, begin_with_demo, idle, lines, loom, open_only, over_view, settings, spot, tick

UP_TO_MIRROR = 12 * ("Up",)  # from below the menu's last entry


def steps(gui: Any) -> Iterator[Any]:
    yield from begin_with_demo(gui)
    with gui.override():
        bpy.ops.view3d.view_selected()
    open_only("sources", "weave", "repair")
    yield from gui.sidebar("Action Loom")
    for step in (tool, pie, keys_alone, right_click, headers, preferences):
        yield from step(gui)


def first_line(gui: Any) -> Iterator[Any]:
    """Where the tick of the list's first line is."""
    return (yield from spot(gui, "sources[0].use", 0.1))


def tool(gui: Any) -> Iterator[Any]:
    """Open a tool from the menu right of the list, for the clicked line, run it, and close it."""
    x, y = yield from first_line(gui)
    yield from gui.click(x + 80, y)
    region = gui.region("UI")
    yield from gui.click(region.x + region.width - 49, y - 14)  # below the button that adds
    yield 1.0
    yield from gui.shot("01_menu")
    yield from gui.key(*UP_TO_MIRROR, "Return")
    yield from gui.redraw()
    yield from gui.shot("02_tool")
    assert settings().tool_open, "the menu did not open a tool"
    assert settings().edit == "mirror", settings().edit
    name = settings().edit
    before = action()
    yield from gui.press(f"ops.action_loom.{name}(")
    yield from gui.wait_until(lambda: idle() and action() != before, 60, name)
    yield from gui.shot("03_done", box=gui.region("UI"))
    x, y = yield from spot(gui, "ops.action_loom.open_tool(", 0.89, 0.86)
    yield from gui.click(x, y)
    assert not settings().tool_open


def pie(gui: Any) -> Iterator[Any]:
    yield from over_view(gui)
    yield from gui.key("shift+alt+u")
    yield 1.0
    gui.shot_now("04_pie")
    yield from gui.key("Escape")


def keys_alone(gui: Any) -> Iterator[Any]:
    """Use keys only, with the mouse resting over the view: search, Return, and the redo options."""
    yield from over_view(gui)
    tick("Walk", "Run")
    yield from searched(gui, "loom blend", "05_search")
    yield from gui.wait_until(idle, 60, "blended")
    assert loom("addon.bridge.result_mark").is_result(action()), action()
    gui.log("search made", action().name)
    yield from over_view(gui)
    yield from gui.key("F9")
    yield 0.5
    yield from gui.shot("06_redo")
    yield from gui.key("Escape")


def searched(gui: Any, text: str, picture: str) -> Iterator[Any]:
    """Search in the menus, as F3 does, and take the first that is found."""
    yield from gui.key("F3")
    yield 1.0
    yield from gui.type(text)
    yield 0.7
    yield from gui.shot(picture)
    yield from gui.key("Return")
    yield from gui.redraw()


def right_click(gui: Any) -> Iterator[Any]:
    """On a line of the list; the entry of the menu there is done with its action, whatever is ticked."""
    tick()
    x, y = yield from first_line(gui)
    name = lines()[0].action.name
    yield from gui.click(x, y, 3)
    yield 1.0
    yield from gui.key("Up", "Right")  # the last entry is ours
    yield 0.7
    yield from gui.shot("09_right_click")
    yield from gui.key("Return")
    yield 0.5
    yield from gui.redraw()
    assert [line.action.name for line in lines() if line.use] == [name]


def headers(gui: Any) -> Iterator[Any]:
    """The menu in the headers of the editors of animation, opened."""
    with gui.override():
        bpy.ops.screen.area_split(direction="HORIZONTAL", factor=0.4)
    yield from gui.redraw()
    area = min((one for one in gui.window.screen.areas if one.type == "VIEW_3D"), key=lambda one: one.y)
    for kind in ("DOPESHEET", "FCURVES", "NLA_EDITOR"):
        area.ui_type = kind
        yield from gui.redraw()
        yield 0.5
        yield from gui.shot(f"10_{kind.lower()}")
    area.ui_type = "DOPESHEET"
    area.spaces.active.mode = "ACTION"
    yield from gui.redraw()
    region = next(one for one in area.regions if one.type == "WINDOW")
    yield from gui.move(region.x + 0.5 * region.width, region.y + 0.5 * region.height)
    with bpy.context.temp_override(window=gui.window, area=area, region=region):
        bpy.ops.wm.call_menu(name="ACTION_LOOM_MT_weave")
    yield 1.0
    yield from gui.shot("11_menu")
    yield from gui.key("Escape")
    yield from gui.redraw()
    yield from gui.move(region.x + 0.5 * region.width, region.y + 0.6 * region.height)
    with bpy.context.temp_override(window=gui.window, area=area, region=region):
        bpy.ops.wm.search_menu("INVOKE_DEFAULT")
    yield 1.0
    yield from gui.type("mirror")
    yield 0.7
    yield from gui.shot("12_search_in_action_editor")
    yield from gui.key("Escape")
    yield from gui.key("Escape")
    yield from gui.redraw()
    with bpy.context.temp_override(window=gui.window, area=area, region=region):
        bpy.ops.wm.call_menu(name="DOPESHEET_MT_context_menu")
    yield 1.0
    yield from gui.shot("13_keys")
    yield from gui.key("Escape")
    yield from gui.redraw()


def preferences(gui: Any) -> Iterator[Any]:
    """The page of the extension, with its panels open."""
    area = max((one for one in gui.window.screen.areas), key=lambda one: one.width * one.height)
    area.ui_type = "PREFERENCES"
    bpy.context.preferences.active_section = "ADDONS"
    bpy.context.window_manager.addon_search = "Action Loom"
    package = loom("addon").extension
    with gui.override(area="PREFERENCES"):
        bpy.ops.preferences.addon_expand(module=package)
    yield from gui.redraw()
    yield 1.0
    yield from gui.shot("14_preferences")
    for name in ("clear_cache", "report_problem"):
        operator = getattr(bpy.ops.action_loom, name)
        assert operator("INVOKE_DEFAULT") == {"FINISHED"}
    yield from gui.redraw()
    assert "Action Loom 0." in bpy.context.window_manager.clipboard
    yield from gui.shot("15_cleared")
