"""Tests the expert panels in a window: pairs, cycles, transitions, graph, examples; Esc; how fast the tab draws.

Their pictures are in the panel and in the Image Editor. Driven by `tools/gui.py`.
"""

from collections.abc import Iterator
from importlib import util
from time import perf_counter
from typing import Any

import bpy
from gui_shared import begin_with_demo, done, figure, idle, loom, open_only, over_view, settings, tick

DRAWN = 2.0  # ms that the whole tab may take


def steps(gui: Any) -> Iterator[Any]:
    yield from begin_with_demo(gui)
    open_only("sources", "weave", "graph", "examples", "synchronise")
    settings().experts, settings().live = True, False
    yield from gui.sidebar("Action Loom")
    for step in (pairs, cycles, transitions, graph, examples, cancel, time_the_tab):
        yield from step(gui)


def pairs(gui: Any) -> Iterator[Any]:
    tick("Walk", "Sneak", "Run")
    yield from done(gui, "analyse")
    yield from pictures(gui, "pairs", "show_registration")
    settings().bodies_aligned = True
    yield from pictures(gui, "pairs_laid_over", "show_registration")


def cycles(gui: Any) -> Iterator[Any]:
    body = loom("addon.bridge.rig").read(figure())
    walk = loom("core.motion.retarget").onto(
        loom("core.demo_character.actions").walk(60.0, 5).cut(17, 280), body.skeleton
    )
    loom("addon.bridge.clip").write(figure(), walk, body, first_frame=1.0).name = "Capture"
    bpy.ops.action_loom.add_sources()
    tick("Capture")
    settings().mode = "loop"
    yield from done(gui, "find_cycles")
    yield from gui.press("ops.action_loom.choose_candidate(")
    assert settings().loop.length > 0, "the candidate was not taken"
    yield from pictures(gui, "cycles", "show_scores")


def transitions(gui: Any) -> Iterator[Any]:
    tick("Walk", "Sneak")
    settings().mode = "connect"
    yield from done(gui, "find_transitions")
    yield from gui.press("ops.action_loom.choose_candidate(")
    assert settings().connect.from_frame >= 0, "the candidate was not taken"
    yield from gui.shot("transitions", box=gui.region("UI"))


def graph(gui: Any) -> Iterator[Any]:
    tick("Capture", "Turn Left", "Turn Right")
    settings().mode, settings().graph.threshold = "follow", 0.08
    yield from done(gui, "build_graph")
    yield from pictures(gui, "graph", "show_graph")


def examples(gui: Any) -> Iterator[Any]:
    tick("Walk", "Run", "Sneak", "Carry")
    settings().mode, settings().style.mirror = "restyle", True
    yield from done(gui, "learn_style")
    yield from gui.shot("examples", box=gui.region("UI"))


def pictures(gui: Any, name: str, operator: str) -> Iterator[Any]:
    """Take pictures of the panel and of the image that its button opens in the Image Editor."""
    yield from gui.redraw()
    yield from gui.shot(name, box=gui.region("UI"))
    area = next(one for one in gui.window.screen.areas if one.type == "PROPERTIES")
    area.type = "IMAGE_EDITOR"
    yield from done(gui, operator)
    yield from gui.shot(f"{name}_opened", box=area)
    area.type = "PROPERTIES"


def cancel(gui: Any) -> Iterator[Any]:
    """Test that Esc stops a long computation: two long walks without a cycle, which take the engine some seconds."""
    count = 60 if util.find_spec("numba") else 22
    actions, body = loom("core.demo_character.actions"), loom("addon.bridge.rig").read(figure())
    for name, clip in (("Long Walk", actions.walk(60.0, count)), ("Long Sneak", actions.sneak(60.0, count // 2))):
        moved = loom("core.motion.retarget").onto(clip, body.skeleton)
        loom("addon.bridge.clip").write(figure(), moved, body, first_frame=1.0).name = name
    bpy.ops.action_loom.add_sources()
    tick("Long Walk", "Long Sneak")
    settings().mode, settings().matching.ends = "blend", "open"
    before = set(bpy.data.actions.keys())
    yield from gui.press("ops.action_loom.blend(")
    yield from gui.wait_until(lambda: not idle(), 20, "long work begun")
    yield from gui.shot("working")
    assert not idle(), "the work was over before it could be cancelled"
    yield from over_view(gui)
    yield from gui.key("Escape")
    yield from gui.wait_until(idle, 60, "cancelled")
    assert set(bpy.data.actions.keys()) == before
    yield from gui.shot("cancelled")


def time_the_tab(gui: Any) -> Iterator[Any]:
    """Draw the tab with all its panels ten times, and check the shortest total time of their draw functions."""
    spent: list[float] = []
    panels = [cls for cls in bpy.types.Panel.__subclasses__() if cls.__name__.startswith("ACTION_LOOM")]
    originals = {cls: cls.draw for cls in panels}

    def timed(cls: Any) -> Any:
        def draw(self: Any, context: Any) -> None:
            began = perf_counter()
            originals[cls](self, context)
            spent.append(1000.0 * (perf_counter() - began))

        return draw

    for cls in panels:
        cls.draw = timed(cls)
    rounds = []
    for _ in range(10):
        spent.clear()
        yield from gui.redraw(turns=1)
        rounds.append(sum(spent))
    for cls, draw in originals.items():
        cls.draw = draw
    each = min(rounds)
    gui.log(f"the tab's {len(panels)} panels draw in {each:.2f} ms a time")
    assert each < DRAWN, f"the tab takes {each:.2f} ms to draw"
