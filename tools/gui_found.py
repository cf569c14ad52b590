"""Everything found in a window: search, the menu in headers, a right-click on an action, the preferences."""

from collections.abc import Iterator
from typing import Any

import bpy
from gui_shared import begin_open, idle, loom

TICK = (28, 48)  # pixels to the tick box of the first line, from the left and from the top of the sidebar


def steps(gui: Any) -> Iterator[Any]:
    with gui.override():
        bpy.ops.wm.read_homefile(use_empty=True)
    yield from gui.redraw()
    with gui.override():
        bpy.ops.action_loom.add_demo("EXEC_DEFAULT", True)
        bpy.ops.view3d.view_selected()
    begin_open(loom("addon.interface.panels.weave").ACTION_LOOM_PT_weave)
    yield from gui.sidebar("Action Loom")
    yield from search(gui)
    yield from right_click(gui)
    yield from headers(gui)
    yield from preferences(gui)


def view(gui: Any) -> tuple[float, float]:
    region = next(one for one in gui.area("VIEW_3D").regions if one.type == "WINDOW")
    return region.x + 0.35 * region.width, region.y + 0.6 * region.height


def search(gui: Any) -> Iterator[Any]:
    """F3, a few letters, Return: the verb is done with what is ticked."""
    yield from gui.move(*view(gui))
    with gui.override():
        bpy.ops.wm.search_menu("INVOKE_DEFAULT")
    yield 1.0
    yield from gui.type("take trav")
    yield 0.7
    yield from gui.shot("01_search")
    yield from gui.key("Return")
    yield from gui.wait_until(idle)
    yield from gui.redraw()
    action = figure().animation_data.action
    assert loom("addon.bridge.result_mark").is_result(action), action
    gui.log("search made", action.name)


def figure() -> Any:
    return next(one for one in bpy.data.objects if one.type == "ARMATURE")


def right_click(gui: Any) -> Iterator[Any]:
    """On a line of the list; the entry of the menu there is done with its action, whatever is ticked."""
    rig = bpy.context.scene.action_loom.rigs[0]
    for line in rig.sources:
        line.use = False
    yield from gui.redraw()
    region = gui.region("UI")
    yield from gui.click(region.x + TICK[0], region.y + region.height - TICK[1], 3)
    yield 1.0
    yield from gui.key("Up", "Right")  # the last entry is ours
    yield 0.7
    yield from gui.shot("02_right_click")
    yield from gui.key("Return")
    yield 0.5
    yield from gui.redraw()
    assert [line.action.name for line in rig.sources if line.use] == ["Carry"]


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
        yield from gui.shot(f"03_{kind.lower()}")
    area.ui_type = "DOPESHEET"
    area.spaces.active.mode = "ACTION"
    yield from gui.redraw()
    region = next(one for one in area.regions if one.type == "WINDOW")
    yield from gui.move(region.x + 0.5 * region.width, region.y + 0.5 * region.height)
    with bpy.context.temp_override(window=gui.window, area=area, region=region):
        bpy.ops.wm.call_menu(name="ACTION_LOOM_MT_weave")
    yield 1.0
    yield from gui.shot("04_menu")
    yield from gui.key("Escape")
    yield from gui.redraw()
    yield from gui.move(region.x + 0.5 * region.width, region.y + 0.6 * region.height)
    with bpy.context.temp_override(window=gui.window, area=area, region=region):
        bpy.ops.wm.search_menu("INVOKE_DEFAULT")
    yield 1.0
    yield from gui.type("mirror")
    yield 0.7
    yield from gui.shot("05_search_in_action_editor")
    yield from gui.key("Escape")
    yield from gui.key("Escape")
    yield from gui.redraw()
    with bpy.context.temp_override(window=gui.window, area=area, region=region):
        bpy.ops.wm.call_menu(name="DOPESHEET_MT_context_menu")
    yield 1.0
    yield from gui.shot("06_keys")
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
    yield from gui.shot("07_preferences")
    for name in ("clear_cache", "report_problem"):
        operator = getattr(bpy.ops.action_loom, name)
        assert operator("INVOKE_DEFAULT") == {"FINISHED"}
    yield from gui.redraw()
    assert "Action Loom 0.1.0" in bpy.context.window_manager.clipboard
    yield from gui.shot("08_cleared")
