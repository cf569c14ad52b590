"""Runs inside Blender's window, driven by `tools/gui.py`: clicks and seconds to a first result, and every panel.

Six journeys: from a motion file and from the demo to a first blend, loop and walk along a curve. Seconds are those of
the driver, who looks for each button with the mouse. Then every mode of the tab is shown at interface scales 1 and 2.
docs/first_hour.md has what it prints.
"""

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

import bpy
from gui_shared import idle, loom

MOST = {"blend": 5, "loop": 6, "path": 6}  # clicks from a new file
COLUMNS = 3  # of the buttons of the modes
BEFORE = not hasattr(bpy.types, "ACTION_LOOM_OT_manual")  # an earlier version, of which only pictures are taken
SHARED = "a_long_name_that_all_of_them_share_"


def steps(gui: Any) -> Iterator[Any]:
    if not BEFORE:
        for begin in (from_files, from_demo):
            for goal in MOST:
                yield from journey(gui, begin, goal)
    for scale in (1.0, 2.0):
        yield from pictures(gui, scale)


def empty(gui: Any) -> Iterator[Any]:
    with gui.override():
        bpy.ops.wm.read_homefile(use_empty=True)
    yield from gui.redraw()
    if not BEFORE:  # it had no tab before there was an armature
        yield from gui.sidebar("Action Loom")


def journey(gui: Any, begin: Callable[[Any, str], Iterator[Any]], goal: str) -> Iterator[Any]:
    """Go from an empty scene to a first result; every click counts, and so does the drop of files."""
    yield from empty(gui)
    began = perf_counter()
    clicks = yield from begin(gui, goal)
    before = len(bpy.data.actions)
    if goal == "path":
        yield from choose_mode(gui, "follow")
        yield from gui.press("ops.action_loom.new_curve(")
        clicks += 2
    elif goal == "loop":
        yield from choose_mode(gui, "loop")
        clicks += 1
    yield from gui.press(f"ops.action_loom.{'follow' if goal == 'path' else goal}(")
    yield from gui.wait_until(lambda: idle() and len(bpy.data.actions) > before, 120, goal)
    clicks, seconds = clicks + 1, perf_counter() - began
    origin = begin.__name__.replace("_", " ")
    gui.log(f"{origin} to a first {goal}: {clicks} clicks, {seconds:.1f} s")
    assert clicks <= MOST[goal], f"{origin} to a first {goal} takes {clicks} clicks"
    with gui.override():
        bpy.ops.view3d.view_all()
    yield from gui.shot(f"{begin.__name__}_{goal}")


def from_files(gui: Any, goal: str) -> Iterator[Any]:
    folder = Path(tempfile.mkdtemp())
    convention = loom("core.formats.motion_file").Convention("cm", 0.01, "y", False)
    actions = loom("core.figure.actions")
    clips = {"hero_walk": actions.walk(60.0, 4)}
    if goal == "blend":
        clips["hero_sneak"] = actions.sneak(60.0)
    if goal == "path":
        clips |= {"hero_left": actions.turn_left(60.0), "hero_right": actions.turn_right(60.0)}
    for name, clip in clips.items():
        (folder / f"{name}.bvh").write_bytes(loom("core.formats.bvh").compose(clip, None, convention))
    with gui.override():
        files = [{"name": f"{name}.bvh"} for name in clips]
        bpy.ops.wm.drop_import_file("INVOKE_DEFAULT", directory=str(folder), files=files)
    yield from gui.redraw()
    yield from gui.key("Return")
    yield from gui.wait_until(lambda: len(bpy.data.actions) == len(clips), 30, "imported")
    return 2  # the drop, and Import


def from_demo(gui: Any, goal: str) -> Iterator[Any]:
    yield from gui.press("ops.action_loom.add_demo(")
    if goal != "loop":
        return 1
    ticks = yield from gui.buttons(gui.region("UI"), columns=(0.1,), until="sources[1].use")  # of one that is ticked
    yield from gui.click(*ticks[0][:2])
    return 2


def choose_mode(gui: Any, mode: str) -> Iterator[Any]:
    """Click the button of a mode: all of them are one property, so they are tried by their places."""
    settings = bpy.context.scene.action_loom
    _, top = yield from gui.find_button("action_loom.mode")
    region, scale = gui.region("UI"), bpy.context.preferences.system.ui_scale
    wide = region.width - 40.0 * scale  # without the tabs' names
    row, column = divmod(modes().index(mode), COLUMNS)
    for down in (0.0, 8.0, 16.0):
        yield from gui.click(region.x + (column + 0.5) * wide / COLUMNS, top - (22.0 * row + down) * scale)
        if settings.mode == mode:
            return
    raise AssertionError(f"no button for {mode}")


def modes() -> list[str]:
    """The modes of the tab, as their buttons stand."""
    return [recipe.verb for recipe in loom("addon.model.intents").MODES]


# --- pictures -------------------------------------------------------------------------------------------------------


def pictures(gui: Any, scale: float) -> Iterator[Any]:
    bpy.context.preferences.view.ui_scale = scale
    yield from empty(gui)
    if not BEFORE:
        yield from panel(gui, scale, "empty")
    with gui.override():
        bpy.ops.action_loom.add_demo("EXEC_DEFAULT", True)
        bpy.ops.action_loom.add_sources("EXEC_DEFAULT")
    for action in bpy.data.actions:
        action.name = SHARED + action.name
    yield from gui.sidebar("Action Loom")
    for mode in modes():
        bpy.context.scene.action_loom.mode = mode
        tick(1 if mode in ("loop", "travel", "in_place") else 2)
        yield from panel(gui, scale, mode)
    tick(3)
    bpy.context.scene.action_loom.mode = "blend"
    yield from panel(gui, scale, "three")
    tick(2)
    with gui.override():
        bpy.ops.action_loom.blend("INVOKE_DEFAULT", True)
    yield from gui.wait_until(idle, 60, "woven")
    yield from panel(gui, scale, "woven")
    bpy.context.preferences.view.ui_scale = 1.0


def panel(gui: Any, scale: float, name: str) -> Iterator[Any]:
    yield from gui.redraw()
    yield from gui.shot(f"panel_{scale:.0f}_{name}", box=gui.region("UI"))


def tick(count: int) -> None:
    lines = bpy.context.scene.action_loom.rigs[0].sources
    chosen = [line for line in lines if line.action.name.removeprefix(SHARED) in ("Walk", "Run", "Sneak")]
    for line in lines:
        line.use = line in chosen[-count:]
