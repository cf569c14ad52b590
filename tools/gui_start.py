"""docs/manual/start.md done in a window, step by step as it is written, with mouse and keyboard; a strip of it.

Names its steps, counts clicks, and takes the seconds that Action Loom computes. build/gui/*/start/ gets a picture of
each step; `tools/start_strip.py` puts those together for the manual.
"""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

import bpy
from gui_shared import choose_mode, empty_scene, figure, ghost, idle, lines, loom, over_view, settings

TAKEN: list[dict[str, Any]] = []  # one row per step: words, clicks, seconds, corner of the sidebar
SIDEBAR = "Action Loom"
SCALE = 1.25  # of the interface, so that the pictures can be read when they are smaller


def steps(gui: Any) -> Iterator[Any]:
    """Do the steps of the page; `tools/gui.py` reads the page and passes its steps as arguments."""
    bpy.context.preferences.view.ui_scale = SCALE
    yield from empty_scene(gui)
    with gui.override():
        bpy.ops.view3d.view_axis(type="FRONT")
        bpy.ops.view3d.view_orbit(angle=0.6, type="ORBITRIGHT")
        bpy.ops.view3d.view_orbit(angle=0.3, type="ORBITDOWN")
    unknown = [text for text in gui.args if text not in STEPS]
    assert not unknown, f"no step here does what the page says: {unknown}"
    for text in gui.args:
        yield from STEPS[text](gui)
    computed, clicks = sum(one["seconds"] for one in TAKEN), sum(one["clicks"] for one in TAKEN)
    gui.log(f"{len(TAKEN)} steps, {clicks} clicks and keys, {computed:.1f} s of computing")
    Path(gui.out, "steps.json").write_text(json.dumps(TAKEN, indent=1))


# --- from the demo ---------------------------------------------------------------------------------------------------


def tab(gui: Any) -> Iterator[Any]:
    region = gui.region("WINDOW")
    yield from gui.move(region.x + region.width // 2, region.y + region.height // 2)
    yield from gui.key("n")
    yield from gui.sidebar(SIDEBAR)  # the click on the tab's name
    yield from shown(gui, "N, tab Action Loom", 2)


def demo(gui: Any) -> Iterator[Any]:
    yield from gui.press("ops.action_loom.add_demo(")
    assert ticked() == {"Walk", "Run"}, ticked()
    assert len(lines()) == 7
    frame_all(gui)
    yield from shown(gui, "Add Demo", 1)


def weave_and_play(gui: Any) -> Iterator[Any]:
    seconds = yield from woven(gui, "blend", "Run + Walk 50:50")
    yield from played(gui, 10)
    yield from shown(gui, "Weave; play", 2, seconds)


def bar(gui: Any) -> Iterator[Any]:
    """Drag the bar of an action: the ghost previews the result, and no action changes."""
    before, began = action().name, perf_counter()
    yield from drag_bar(gui)
    yield from gui.wait_until(lambda: idle() and ghost() is not None, 60, "the ghost followed")
    assert action().name == before
    yield from shown(gui, "Drag the bar of Run", 1, perf_counter() - began)


def pad(gui: Any) -> Iterator[Any]:
    yield from tick(gui, "Sneak")
    yield from gui.press("action_loom.pad")
    assert settings().pad
    yield from gui.redraw()
    region, tools = gui.region("WINDOW"), gui.region("TOOLS")
    scale = bpy.context.preferences.system.ui_scale
    x, y = region.x + max(tools.width, 0) + 130 * scale, region.y + 130 * scale
    before = [line.weight for line in lines()]
    yield from gui.drag(x, y, x + 25, y - 20)
    assert [line.weight for line in lines()] != before, "the dot of the pad was not taken"
    yield from shown(gui, "Tick Sneak, Pad; drag the dot", 3)
    yield from gui.press("action_loom.pad")


def double_click(gui: Any) -> Iterator[Any]:
    x, y = yield from line_at(gui, "Carry")
    loom("addon.services.preview.previews").keep(
        figure().session_uid, None
    )  # software draws it too slowly for two clicks
    yield from gui.redraw()
    yield from gui.move(x + 80, y, 0.3)
    gui._x("click", "--repeat", "2", "--delay", "60", "1")
    yield from gui.wait_until(lambda: action().name == "Carry", 10, "played")
    yield from over_view(gui)
    yield from gui.key("space")
    yield from shown(gui, "Double-click Carry", 1)


# --- a walk along a curve --------------------------------------------------------------------------------------------


def path_mode(gui: Any) -> Iterator[Any]:
    for name in ("Run", "Sneak", "Turn Left", "Turn Right"):
        yield from tick(gui, name)
    assert ticked() == {"Walk", "Turn Left", "Turn Right"}, ticked()
    yield from choose_mode(gui, "follow")
    yield from shown(gui, "Tick Walk and the turns; Path", 5)


def draw(gui: Any) -> Iterator[Any]:
    yield from gui.press("ops.action_loom.draw_path(")
    view = gui.region("WINDOW")
    places = [(view.x + view.width * (0.45 - 0.012 * k), view.y + view.height * (0.45 - 0.006 * k)) for k in range(25)]
    yield from gui.move(*places[0], 0.3)
    gui._x("mousedown", 1)
    yield 0.2
    for place in places[1:]:
        yield from gui.move(*place, 0.08)
    gui._x("mouseup", 1)
    yield 1.0
    yield from shown(gui, "Draw on the floor", 2)


def weave(gui: Any) -> Iterator[Any]:
    """Weave with the tab's settings, and show a frame at 60 % of the result."""
    seconds = yield from woven(gui, settings().mode, None)
    bpy.context.scene.frame_set(round(0.6 * action().frame_range[1]))
    yield from shown(gui, "Weave", 1, seconds)


# --- from motion files -----------------------------------------------------------------------------------------------


def drop(gui: Any) -> Iterator[Any]:
    """Two motion files dropped into the view of an empty scene."""
    yield from empty_scene(gui)
    yield from gui.sidebar(SIDEBAR)
    folder = Path(tempfile.mkdtemp())
    convention = loom("core.formats.motion_file").Convention("cm", 0.01, "y", False)
    actions = loom("core.demo_character.actions")
    for name, clip in (("hero_walk", actions.walk(60.0, 4)), ("hero_sneak", actions.sneak(60.0))):
        (folder / f"{name}.bvh").write_bytes(loom("core.formats.bvh").compose(clip, None, convention))
    with gui.override():
        dropped = [{"name": f"{name}.bvh"} for name in ("hero_walk", "hero_sneak")]
        bpy.ops.wm.drop_import_file("INVOKE_DEFAULT", directory=str(folder), files=dropped)
    yield 0.5
    yield from shown(gui, "Drag files into the view", 1)


def read(gui: Any) -> Iterator[Any]:
    began = perf_counter()
    yield from gui.key("Return")
    yield from gui.wait_until(lambda: len(bpy.data.actions) == 2, 30, "imported")
    seconds = perf_counter() - began
    assert bpy.context.scene.render.fps == 24
    frame_all(gui)
    assert len(ticked()) == 2
    yield from shown(gui, "Import", 1, seconds)


# The page's steps, each up to its first full stop, and the function that does each.
STEPS = {
    "Press *N* in the 3D view and open the tab *Action Loom*": tab,
    "*Add Demo*: a figure with seven actions": demo,
    "*Weave*": weave,
    "*Weave*: the figure has a new action, *Run + Walk 50:50*; Space plays it": weave_and_play,
    "Drag the bar of *Run* in the list": bar,
    "Tick *Sneak*, press *Pad*, and drag the dot between the three actions": pad,
    "Double-click any action in the list to play it": double_click,
    "Tick *Walk*, *Turn Left* and *Turn Right* only, and choose *Path*": path_mode,
    "*Draw*, then drag on the floor": draw,
    "To retarget the motion to your character, select it first": drop,
    "*Import*: the capture plays at its original speed, and the scene keeps its frame rate": read,
}


# --- helpers of the steps ---------------------------------------------------------------------------------------------


def shown(gui: Any, words: str, clicks: int, seconds: float = 0.0) -> Iterator[Any]:
    """Take a picture of a step."""
    sidebar = gui.region("UI")
    right, top = sidebar.x + sidebar.width, gui.window.height - sidebar.y - sidebar.height
    TAKEN.append({"words": words, "clicks": clicks, "seconds": round(seconds, 2), "corner": (right, top)})
    gui.log(f"{len(TAKEN)}. {words}: {clicks} clicks, {seconds:.1f} s")
    yield from gui.shot(f"step_{len(TAKEN):02}")


def woven(gui: Any, mode: str, name: str | None) -> Iterator[Any]:
    """Press Weave and wait for its result; returns the seconds from the click on."""
    before = set(bpy.data.actions.keys())
    x, y = yield from gui.find_button(f"ops.action_loom.{mode}(")
    began = perf_counter()
    yield from gui.click(x, y)
    yield from gui.wait_until(lambda: idle() and set(bpy.data.actions.keys()) - before, 120, mode)
    made = set(bpy.data.actions.keys()) - before
    assert name is None or name in made, made
    assert action().name in made
    return perf_counter() - began


def played(gui: Any, frame: int) -> Iterator[Any]:
    """Space plays and stops."""
    yield from over_view(gui)
    yield from gui.key("space")
    assert bpy.context.screen.is_animation_playing
    yield 0.5
    yield from gui.key("space")
    bpy.context.scene.frame_set(frame)


def tick(gui: Any, name: str) -> Iterator[Any]:
    """Click a line's tick."""
    place = place_of(name)
    was = lines()[place].use
    yield from gui.click(*(yield from line_at(gui, name)))
    assert lines()[place].use != was, name


def line_at(gui: Any, name: str) -> Iterator[Any]:
    """Where a line's tick is: lines are tried from the list's top to its end."""
    found = yield from gui.buttons(gui.region("UI"), columns=(0.1,), until=f"sources[{place_of(name)}].use")
    if not found:
        raise LookupError(f"{name} is not in sight")
    return found[0][:2]


def place_of(name: str) -> int:
    return next(k for k, line in enumerate(lines()) if line.action.name == name)


def drag_bar(gui: Any) -> Iterator[Any]:
    """Drag the bar of the second action to the left: Blender holds the pointer where it is while it does that."""
    found = yield from gui.buttons(gui.region("UI"), columns=(0.7, 0.66, 0.62, 0.78), until="sources[1].share")
    yield from gui.move(*found[0][:2], 0.3)
    gui._x("mousedown", 1)
    yield 0.3
    for _ in range(8):
        gui._x("mousemove_relative", "--", -3, 0)
        yield 0.1
    gui._x("mouseup", 1)
    yield from gui.redraw()


def frame_all(gui: Any) -> None:
    with gui.override():
        bpy.ops.view3d.view_all()


def ticked() -> set[str]:
    return {line.action.name for line in lines() if line.use}


def action() -> Any:
    return figure().animation_data.action
