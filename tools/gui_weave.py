"""Runs inside Blender's window, driven by `tools/gui.py`: what an artist does with the tab, and pictures of it.

Adds the demo, fills the list, analyses, weaves, drags a weight with Live on, undoes, rebuilds, cancels long work, and
measures how long the tab takes to draw.
"""

import sys
from collections.abc import Iterator
from importlib import import_module, util
from time import perf_counter
from types import ModuleType
from typing import Any

import bpy

DRAWN = 2.0  # ms that the whole tab may take


def steps(gui: Any) -> Iterator[Any]:
    armature = yield from demo(gui)
    yield from fill_the_list(gui)
    yield from analyse(gui)
    yield from weave(gui, armature)
    yield from drag_a_weight(gui, armature)
    yield from undo_and_rebuild(gui, armature)
    yield from cancel(gui, armature)
    yield from time_the_tab(gui)


def loom(name: str) -> ModuleType:
    """An installed module by its name inside the extension."""
    package = next(m for m in sys.modules if m.startswith("bl_ext.") and m.endswith(".action_loom"))
    return import_module(f"{package}.{name}")


def demo(gui: Any) -> Iterator[Any]:
    for item in list(bpy.data.objects):
        bpy.data.objects.remove(item)
    with gui.override():
        bpy.ops.action_loom.add_demo("EXEC_DEFAULT", True)
    assert len(bpy.data.actions) == 7
    yield from gui.sidebar("Action Loom")
    yield from gui.shot("01_demo")
    return bpy.context.view_layer.objects.active


def fill_the_list(gui: Any) -> Iterator[Any]:
    yield from gui.press("ops.action_loom.add_sources(")
    sources = bpy.context.scene.action_loom.rigs[0].sources
    assert len(sources) == 7
    for source in sources:
        source.use = source.action.name in ("Walk", "Sneak")
    yield from gui.shot("02_sources", box=gui.region("UI"))


def analyse(gui: Any) -> Iterator[Any]:
    open_panel("Synchronise")
    yield from gui.redraw()
    yield from gui.press("ops.action_loom.analyse(")
    yield from gui.wait_until(idle, 60, "analysed")
    yield from gui.shot("03_analysed")
    yield from gui.shot("04_synchronise", box=gui.region("UI"))
    area = next(a for a in gui.window.screen.areas if a.type == "PROPERTIES")
    area.type = "IMAGE_EDITOR"
    with gui.override():
        bpy.ops.action_loom.show_registration()
    yield from gui.shot("05_registration", box=area)
    area.type = "PROPERTIES"


def weave(gui: Any, armature: Any) -> Iterator[Any]:
    yield from gui.press("ops.action_loom.blend(")
    yield from gui.wait_until(lambda: idle() and armature.animation_data.action.name == WOVEN, 60, "woven")
    bpy.context.scene.frame_set(12)
    with gui.override():
        bpy.ops.view3d.view_axis(type="LEFT")
        bpy.ops.view3d.view_selected()
    yield from gui.shot("06_woven")
    yield from gui.shot("07_panel", box=gui.region("UI"))


WOVEN = "Sneak + Walk 50:50"


def drag_a_weight(gui: Any, armature: Any) -> Iterator[Any]:
    settings = bpy.context.scene.action_loom
    settings.live = True
    before = keys(armature)
    line = next(k for k, source in enumerate(settings.rigs[0].sources) if source.action.name == "Walk")
    x, y = yield from gui.find_button(f"sources[{line}].weight")
    yield from gui.drag(x, y, x - 30, y)
    weight = settings.rigs[0].sources[line].weight
    assert weight < 0.9, weight
    assert keys(armature) != before, "live: the result did not change"
    yield from gui.shot("08_live")
    yield from over_the_view(gui)
    yield from gui.key("ctrl+z")
    assert keys(armature) == before, "undo: the result is not what it was"
    settings.live = False


def undo_and_rebuild(gui: Any, armature: Any) -> Iterator[Any]:
    yield from over_the_view(gui)
    yield from gui.key("ctrl+z")
    assert WOVEN not in bpy.data.actions
    assert {"Walk", "Sneak"} <= set(bpy.data.actions.keys())
    yield from gui.shot("09_undone")
    yield from gui.press("ops.action_loom.blend(")
    yield from gui.wait_until(lambda: idle() and WOVEN in bpy.data.actions, 60, "woven again")
    armature = bpy.context.view_layer.objects.active
    woven = keys(armature)
    bpy.data.actions["Walk"].name = "Stroll"
    yield from gui.press("ops.action_loom.rebuild(")
    yield from gui.wait_until(idle, 60, "rebuilt")
    assert keys(armature) == woven, "rebuilt from the same sources: the keys differ"
    yield from gui.shot("10_rebuilt", box=gui.region("UI"))


def cancel(gui: Any, armature: Any) -> Iterator[Any]:
    armature = bpy.context.view_layer.objects.active
    long_actions(armature)
    with gui.override():
        bpy.ops.action_loom.add_sources("EXEC_DEFAULT")
    settings = bpy.context.scene.action_loom
    for source in settings.rigs[0].sources:
        source.use = source.action.name.startswith("Long")
    settings.matching.ends = "open"
    before = set(bpy.data.actions.keys())
    yield from gui.press("ops.action_loom.blend(")
    yield from gui.wait_until(lambda: not idle(), 20, "long work begun")
    yield from gui.shot("11_working")
    assert not idle(), "the work was over before it could be cancelled"
    yield from over_the_view(gui)
    yield from gui.key("Escape")
    yield from gui.wait_until(idle, 60, "cancelled")
    assert set(bpy.data.actions.keys()) == before
    yield from gui.shot("12_cancelled")


def time_the_tab(gui: Any) -> Iterator[Any]:
    """Draw the tab with all its panels, and add up what their draw functions take."""
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
    rounds = 10
    for _ in range(rounds):
        yield from gui.redraw(turns=1)
    for cls, draw in originals.items():
        cls.draw = draw
    each = sum(spent) / rounds
    gui.log(f"the tab's {len(panels)} panels draw in {each:.2f} ms a time")
    assert each < DRAWN, f"the tab takes {each:.2f} ms to draw"


def long_actions(armature: Any) -> None:
    """Two long walks that never close, as long as the engine needs some seconds for."""
    cycles = 60 if util.find_spec("numba") else 22
    figure, retarget = loom("core.motion.figure"), loom("core.motion.retarget")
    rigs, clips = loom("addon.bridge.rig"), loom("addon.bridge.clip")
    body = rigs.read(armature)
    for name, clip in (("Long Walk", figure.walk(60.0, cycles)), ("Long Sneak", figure.sneak(60.0, cycles // 2))):
        moved = retarget.onto(clip, body.skeleton)
        clips.write(armature, moved, body, first_frame=1.0).name = name


def idle() -> bool:
    return loom("addon.jobs").running() is None


def keys(armature: Any) -> list[float]:
    """Some numbers of the armature's action that tell whether its keys are the same."""
    action = armature.animation_data.action
    curves = loom("addon.bridge.curves")
    found = curves.of(action, curves.choose_slot(action, armature))
    return [round(curve.evaluate(frame), 5) for curve in found[::7] for frame in (1, 9, 20)]


def open_panel(label: str) -> None:
    """Open a closed panel: its class says how it begins, and nothing else can be told from a script."""
    ours = (c for c in bpy.types.Panel.__subclasses__() if c.__name__.startswith("ACTION_LOOM"))
    cls = next(c for c in ours if c.bl_label == label)
    bpy.utils.unregister_class(cls)
    cls.bl_options = set(getattr(cls, "bl_options", set())) - {"DEFAULT_CLOSED"}
    bpy.utils.register_class(cls)


def over_the_view(gui: Any) -> Iterator[Any]:
    view = gui.region("WINDOW")
    yield from gui.move(view.x + view.width // 3, view.y + view.height // 3)
