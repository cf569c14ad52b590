"""The modes Style and Parametric in a window: examples, sliders with the ghost, variations, what is asked for."""

from collections.abc import Iterator
from typing import Any

import bpy
from gui_shared import action, begin_open, begin_with_demo, idle, settings

WALKS = ("Walk", "Run", "Sneak", "Carry")


def steps(gui: Any) -> Iterator[Any]:
    yield from begin(gui)
    yield from learn(gui)
    yield from slide(gui)
    yield from vary(gui)
    yield from ask(gui)


def begin(gui: Any) -> Iterator[Any]:
    yield from begin_with_demo(gui)
    with gui.override():
        bpy.ops.view3d.view_selected()
    begin_open(bpy.types.ACTION_LOOM_PT_examples)
    yield from gui.sidebar("Action Loom")
    for line in lines():
        line.use = line.action.name in WALKS
    rig().reference = next(k for k, line in enumerate(lines()) if line.action.name == "Walk")
    settings().mode, settings().style.mirror = "restyle", True
    yield from gui.redraw()
    yield from gui.shot("01_style", box=gui.region("UI"))


def learn(gui: Any) -> Iterator[Any]:
    yield from gui.press("ops.action_loom.learn_style(")
    yield from gui.wait_until(idle, 120, "learnt")
    yield from gui.shot("02_learnt", box=gui.region("UI"))


def slide(gui: Any) -> Iterator[Any]:
    """The ghost follows; what is too much is held back; then it is written."""
    with gui.override():
        bpy.ops.action_loom.restyle("INVOKE_DEFAULT", True, preview=True)
    yield from gui.wait_until(idle, 120, "previewed")
    settings().restyle.lean, settings().restyle.bounce = 2.0, 6.0
    yield from gui.redraw()
    yield 1.5
    yield from gui.wait_until(idle, 120, "followed")
    yield from gui.shot("03_ghost")
    yield from gui.press("ops.action_loom.restyle(")
    yield from gui.wait_until(lambda: idle() and action().name == "Walk restyled", 120, "restyled")
    bpy.context.scene.frame_set(12)
    yield from gui.shot("04_restyled")


def vary(gui: Any) -> Iterator[Any]:
    with gui.override():
        bpy.ops.action_loom.variations("INVOKE_DEFAULT", True, count=3)
    yield from gui.wait_until(lambda: idle() and "Walk variation 3" in bpy.data.actions, 120, "varied")
    yield from gui.shot("05_varied")


def ask(gui: Any) -> Iterator[Any]:
    for line in lines():
        line.use = line.action.name in ("Walk", "Run", "Turn Left", "Turn Right")
    settings().mode, settings().ask.speed, settings().ask.turn = "ask", 1.8, 20.0
    yield from gui.redraw()
    yield from gui.press("ops.action_loom.ask(")
    yield from gui.wait_until(lambda: idle() and "at 1.8" in action().name, 120, "asked")
    settings().pad = True
    with gui.override():
        bpy.ops.action_loom.ask("INVOKE_DEFAULT", True, preview=True)
    yield from gui.wait_until(idle, 120, "previewed")
    with gui.override():
        bpy.ops.view3d.view_all()
    yield from gui.shot("06_asked")
    yield from drag(gui)


def drag(gui: Any) -> Iterator[Any]:
    """The dot of the pad, up and to the left; the preview follows."""
    yield from gui.redraw()
    region, tools = gui.region("WINDOW"), gui.region("TOOLS")
    x, y = region.x + max(tools.width, 0) + 130, region.y + 130  # its middle, at interface scale 1
    before = settings().ask.speed, settings().ask.turn
    yield from gui.drag(x, y, x - 20, y + 35)
    assert (settings().ask.speed, settings().ask.turn) != before
    yield 1.0
    yield from gui.shot("07_dragged")


def rig() -> Any:
    return settings().rigs[0]


def lines() -> Any:
    return rig().sources
