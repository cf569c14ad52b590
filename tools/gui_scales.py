"""The tab in a small window as artists set Blender up: scales, a narrow sidebar, on the left, light, other languages.

Takes pictures for a person to inspect, driven by `tools/gui.py`: they show any text without room. Arguments select some
of them.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import bpy
from gui_shared import done, empty_scene, idle, lines, settings, speak, tick, with_languages

SHARED = "a_long_name_that_all_of_them_share_"
MODES = {"splice": 2, "loop": 1, "follow": 2, "restyle": 2, "blend": 3}  # with how many actions are ticked
TOOLS = ("warp", "move_events")  # those with lists
NARROW = 250  # pixels

with_languages()


def steps(gui: Any) -> Iterator[Any]:
    for name, begin in SETUPS.items():
        if gui.args and name not in gui.args:
            continue
        yield from empty_scene(gui)
        yield from gui.sidebar("Action Loom")
        yield from begin(gui)
        yield from gui.redraw()
        yield from pictures(gui, name)
        bpy.context.preferences.view.ui_scale = 1.0
        speak("en_US")
        with gui.override():
            bpy.ops.preferences.reset_default_theme()


def scaled(scale: float) -> Callable[[Any], Iterator[Any]]:
    def begin(gui: Any) -> Iterator[Any]:
        bpy.context.preferences.view.ui_scale = scale
        yield from gui.redraw()

    return begin


def spoken(language: str) -> Callable[[Any], Iterator[Any]]:
    def begin(gui: Any) -> Iterator[Any]:
        speak(language)
        yield from gui.redraw()

    return begin


def narrow(gui: Any) -> Iterator[Any]:
    """The sidebar's edge is dragged."""
    region = gui.region("UI")
    y = region.y + region.height - 60  # near the top: the edge ends below the panels
    yield from gui.drag(region.x, y, region.x + region.width - NARROW, y)
    assert abs(gui.region("UI").width - NARROW) < 10, gui.region("UI").width


def left(gui: Any) -> Iterator[Any]:
    with gui.override(region="UI"):
        bpy.ops.screen.region_flip()
    yield from gui.redraw()
    assert gui.region("UI").x < gui.window.width // 4


def light(gui: Any) -> Iterator[Any]:
    path = next(
        found
        for folder in bpy.utils.preset_paths("interface_theme")
        if (found := Path(folder) / "Blender_Light.xml").is_file()
    )
    with gui.override():
        bpy.ops.script.execute_preset(filepath=str(path), menu_idname="USERPREF_MT_interface_theme_presets")
    yield from gui.redraw()


SETUPS: dict[str, Callable[[Any], Iterator[Any]]] = {
    "100": scaled(1.0),
    "150": scaled(1.5),
    "200": scaled(2.0),
    "left": left,
    "light": light,
    "japanese": spoken("ja_JP"),
    "chinese": spoken("zh_HANS"),
    "narrow": narrow,  # the last: a new file keeps the width
}


def pictures(gui: Any, name: str) -> Iterator[Any]:
    yield from panel(gui, f"{name}_empty")
    with gui.override():
        bpy.ops.action_loom.add_demo("EXEC_DEFAULT", True)
    for action in bpy.data.actions:
        action.name = SHARED + action.name
    for mode, count in MODES.items():
        settings().mode = mode
        ticked(count)
        yield from panel(gui, f"{name}_{mode}")
    yield from done(gui, "blend")
    yield from panel(gui, f"{name}_woven")
    for tool in TOOLS:
        with gui.override():
            bpy.ops.action_loom.open_tool(tool=tool)
        yield from panel(gui, f"{name}_tool_{tool}")


def panel(gui: Any, name: str) -> Iterator[Any]:
    """Take a picture of the window, and at larger scales another one of the tab's end, which the first can't show."""
    yield from gui.wait_until(idle, 60, name)
    yield from gui.redraw()
    yield from gui.shot(name)
    if bpy.context.preferences.view.ui_scale > 1.0:
        region = gui.region("UI")
        yield from gui.move(region.x + 4, region.y + region.height - 60)  # left of the list, which would turn
        yield from wheel(gui, 5)
        yield from gui.shot(f"{name}_end", box=region)
        yield from wheel(gui, 4)


def wheel(gui: Any, button: int) -> Iterator[Any]:
    gui._x("click", "--repeat", "20", "--delay", "20", button)
    yield from gui.redraw()


def ticked(count: int) -> None:
    names = [f"{SHARED}{name}" for name in ("Walk", "Run", "Sneak")][:count]
    assert {one.action.name for one in lines()} >= set(names)
    tick(*names)
