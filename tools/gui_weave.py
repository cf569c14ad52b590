"""Runs inside Blender's window, driven by `tools/gui.py`: what an artist does with the tab, and pictures of it.

Adds the demo, fills the list, analyses, weaves, drags a weight with Live on, undoes, rebuilds, cancels long work, and
measures how long the tab takes to draw. Cycles and transitions are found, chosen from their lists, and woven.
"""

from collections.abc import Iterator
from importlib import util
from time import perf_counter
from typing import Any

import bpy
from gui_shared import begin_with_demo, idle, loom

DRAWN = 2.0  # ms that the whole tab may take


def steps(gui: Any) -> Iterator[Any]:
    weaving = (
        demo,
        fill_the_list,
        analyse,
        weave,
        drag_a_weight,
        undo_and_rebuild,
        loop,
        connect,
        splice,
        follow,
    )
    for step in (*weaving, cancel, time_the_tab):
        yield from step(gui)


def demo(gui: Any) -> Iterator[Any]:
    yield from begin_with_demo(gui)
    assert len(bpy.data.actions) == 7
    begin_open("Synchronise")
    yield from gui.sidebar("Action Loom")
    yield from gui.shot("01_demo")


def fill_the_list(gui: Any) -> Iterator[Any]:
    assert len(bpy.context.scene.action_loom.rigs[0].sources) == 7, "the demo's actions are not listed"
    tick("Walk", "Sneak")
    yield from gui.shot("02_sources", box=gui.region("UI"))


def analyse(gui: Any) -> Iterator[Any]:
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


def weave(gui: Any) -> Iterator[Any]:
    yield from gui.press("ops.action_loom.blend(")
    yield from gui.wait_until(lambda: idle() and WOVEN in bpy.data.actions, 60, "woven")
    bpy.context.scene.frame_set(12)
    with gui.override():
        bpy.ops.view3d.view_axis(type="LEFT")
        bpy.ops.view3d.view_selected()
    yield from gui.shot("06_woven")
    yield from gui.shot("07_panel", box=gui.region("UI"))


WOVEN = "Sneak + Walk 50:50"


def drag_a_weight(gui: Any) -> Iterator[Any]:
    settings = bpy.context.scene.action_loom
    settings.live = True
    before = keys()
    x, y = yield from gui.find_button("rigs[0].balance")
    yield from drag_left(gui, x, y)
    share = settings.rigs[0].balance
    assert share < 0.45, share
    assert keys() != before, "live: the result did not change"
    assert WOVEN not in bpy.data.actions, "live: the name does not follow the weights"
    yield from gui.shot("08_live")
    yield from over_the_view(gui)
    yield from gui.key("ctrl+z")
    assert keys() == before, "undo: the result is not what it was"
    bpy.context.scene.action_loom.live = False  # after an undo everything is another object


def drag_left(gui: Any, x: int, y: int) -> Iterator[Any]:
    """Drag a number to the left, step by step: Blender holds the pointer where it is while it does that."""
    yield from gui.move(x, y, 0.3)
    gui._x("mousedown", 1)
    yield 0.3
    for _ in range(12):
        gui._x("mousemove_relative", "--", -2, 0)
        yield 0.1
    gui._x("mouseup", 1)
    yield from gui.redraw()


def undo_and_rebuild(gui: Any) -> Iterator[Any]:
    yield from over_the_view(gui)
    yield from gui.key("ctrl+z")
    assert WOVEN not in bpy.data.actions
    assert {"Walk", "Sneak"} <= set(bpy.data.actions.keys())
    yield from gui.shot("09_undone")
    tick("Walk", "Sneak")  # no step of undo of its own, as a script sets them
    yield from gui.press("ops.action_loom.blend(")
    yield from gui.wait_until(lambda: idle() and WOVEN in bpy.data.actions, 60, "woven again")
    woven = keys()
    bpy.data.actions["Walk"].name = "Stroll"
    yield from gui.press("ops.action_loom.rebuild(")
    yield from gui.wait_until(idle, 60, "rebuilt")
    assert keys() == woven, "rebuilt from the same sources: the keys differ"
    yield from gui.shot("10_rebuilt", box=gui.region("UI"))


def loop(gui: Any) -> Iterator[Any]:
    settings = bpy.context.scene.action_loom
    armature = bpy.context.view_layer.objects.active
    body = loom("addon.bridge.rig").read(armature)
    walk = loom("core.motion.retarget").onto(loom("core.figure.actions").walk(60.0, 5).cut(17, 280), body.skeleton)
    loom("addon.bridge.clip").write(armature, walk, body, first_frame=1.0).name = "Capture"
    with gui.override():
        bpy.ops.action_loom.add_sources("EXEC_DEFAULT")
    tick("Capture")
    settings.mode = "loop"
    yield from gui.press("ops.action_loom.find_cycles(")
    yield from gui.wait_until(idle, 60, "cycles found")
    yield from gui.shot("11_cycles")
    yield from gui.press("ops.action_loom.choose_candidate(")
    assert settings.loop.length > 0, "the candidate was not taken"
    yield from gui.shot("12_cycle_chosen", box=gui.region("UI"))
    area = next(a for a in gui.window.screen.areas if a.type == "PROPERTIES")
    area.type = "IMAGE_EDITOR"
    yield from gui.press("ops.action_loom.show_scores(")
    yield from gui.shot("13_scores", box=area)
    area.type = "PROPERTIES"
    yield from gui.press("ops.action_loom.loop(")
    yield from gui.wait_until(lambda: idle() and "Capture loop" in bpy.data.actions, 60, "looped")
    first, last = bpy.data.actions["Capture loop"].frame_range
    assert last - first == settings.loop.length
    yield from gui.shot("14_looped")


def connect(gui: Any) -> Iterator[Any]:
    settings = bpy.context.scene.action_loom
    tick("Stroll", "Sneak")
    settings.mode = "connect"
    yield from gui.press("ops.action_loom.find_transitions(")
    yield from gui.wait_until(idle, 60, "transitions found")
    yield from gui.press("ops.action_loom.choose_candidate(")
    assert settings.connect.from_frame >= 0, "the candidate was not taken"
    yield from gui.shot("15_transitions", box=gui.region("UI"))
    yield from gui.press("ops.action_loom.connect(")
    yield from gui.wait_until(lambda: idle() and any(" > " in a.name for a in bpy.data.actions), 60, "connected")
    yield from gui.shot("16_connected")
    settings.mode = "blend"


def splice(gui: Any) -> Iterator[Any]:
    settings = bpy.context.scene.action_loom
    tick("Stroll", "Wave")
    settings.rigs[0].reference = next(k for k, s in enumerate(settings.rigs[0].sources) if s.action.name == "Stroll")
    settings.mode = "splice"
    yield from gui.press("ops.action_loom.splice(")
    yield from gui.wait_until(lambda: idle() and "Wave on Stroll" in bpy.data.actions, 60, "spliced")
    bpy.context.scene.frame_set(14)
    yield from gui.shot("17_spliced")


def follow(gui: Any) -> Iterator[Any]:
    settings = bpy.context.scene.action_loom
    tick("Capture", "Turn Left", "Turn Right")
    settings.mode = "follow"
    settings.curve, settings.graph.threshold = winding(), 0.08
    with gui.override():
        bpy.ops.action_loom.build_graph("INVOKE_DEFAULT")
    yield from gui.wait_until(idle, 60, "graph built")
    yield from gui.shot("18_graph", box=gui.region("UI"))
    yield from gui.press("ops.action_loom.add_stretch(")
    settings.stretches[0].action = bpy.data.actions["Wave"]
    settings.result.result_name = "Around"
    yield from gui.press("ops.action_loom.follow(")
    yield from gui.wait_until(lambda: idle() and "Around" in bpy.data.actions, 60, "walked along the curve")
    last = bpy.data.actions["Around"].frame_range[1]
    bpy.context.scene.frame_end = int(last)
    bpy.context.scene.frame_set(round(0.55 * last))
    with gui.override():
        bpy.ops.view3d.view_axis(type="TOP")
        bpy.ops.view3d.view_all()
        bpy.ops.view3d.view_orbit(angle=0.7, type="ORBITUP")
    yield from gui.shot("19_walked")
    yield from gui.shot("20_path", box=gui.region("UI"))
    area = next(a for a in gui.window.screen.areas if a.type == "PROPERTIES")
    area.type = "IMAGE_EDITOR"
    with gui.override():
        bpy.ops.action_loom.show_graph()
    yield from gui.shot("21_lanes", box=area)
    area.type = "PROPERTIES"
    settings.mode, settings.result.result_name = "blend", ""


def winding() -> Any:
    """A curve that winds to both sides."""
    data = bpy.data.curves.new("Path", "CURVE")
    data.dimensions = "3D"
    spline = data.splines.new("BEZIER")
    corners = ((0.0, 0.0), (2.5, -3.0), (0.0, -7.0), (2.5, -11.0))
    spline.bezier_points.add(len(corners) - 1)
    for point, (x, y) in zip(spline.bezier_points, corners, strict=True):
        point.co = (x, y, 0.0)
        point.handle_left_type = point.handle_right_type = "AUTO"
    made = bpy.data.objects.new("Path", data)
    bpy.context.scene.collection.objects.link(made)
    return made


def cancel(gui: Any) -> Iterator[Any]:
    long_actions(bpy.context.view_layer.objects.active)
    with gui.override():
        bpy.ops.action_loom.add_sources("EXEC_DEFAULT")
    tick("Long Walk", "Long Sneak")
    bpy.context.scene.action_loom.matching.ends = "open"
    before = set(bpy.data.actions.keys())
    yield from gui.press("ops.action_loom.blend(")
    yield from gui.wait_until(lambda: not idle(), 20, "long work begun")
    yield from gui.shot("22_working")
    assert not idle(), "the work was over before it could be cancelled"
    yield from over_the_view(gui)
    yield from gui.key("Escape")
    yield from gui.wait_until(idle, 60, "cancelled")
    assert set(bpy.data.actions.keys()) == before
    yield from gui.shot("23_cancelled")


def time_the_tab(gui: Any) -> Iterator[Any]:
    """Draw the tab with all its panels, and add up what their draw functions take, on the machine's quietest time."""
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


def long_actions(armature: Any) -> None:
    """Two long walks that never close, as long as the engine needs some seconds for."""
    cycles = 60 if util.find_spec("numba") else 22
    actions, retarget = loom("core.figure.actions"), loom("core.motion.retarget")
    rigs, clips = loom("addon.bridge.rig"), loom("addon.bridge.clip")
    body = rigs.read(armature)
    for name, clip in (("Long Walk", actions.walk(60.0, cycles)), ("Long Sneak", actions.sneak(60.0, cycles // 2))):
        moved = retarget.onto(clip, body.skeleton)
        clips.write(armature, moved, body, first_frame=1.0).name = name


def tick(*names: str) -> None:
    for source in bpy.context.scene.action_loom.rigs[0].sources:
        source.use = source.action is not None and source.action.name in names


def keys() -> list[float]:
    """Some numbers of the armature's action that tell whether its keys are the same."""
    armature = bpy.context.view_layer.objects.active  # after an undo it is another object
    action = armature.animation_data.action
    curves = loom("addon.bridge.curves")
    found = curves.curves_of(action, curves.choose_slot(action, armature))
    return [round(curve.evaluate(frame), 5) for curve in found[::7] for frame in (1, 9, 20)]


def begin_open(label: str) -> None:
    """Let a panel begin open; once it has been drawn nothing but a click opens it."""
    ours = (c for c in bpy.types.Panel.__subclasses__() if c.__name__.startswith("ACTION_LOOM"))
    family = [c for c in ours if c.bl_label == label]
    family += [c for c in bpy.types.Panel.__subclasses__() if getattr(c, "bl_parent_id", "") == family[0].__name__]
    for cls in reversed(family):
        bpy.utils.unregister_class(cls)
    family[0].bl_options = set(getattr(family[0], "bl_options", set())) - {"DEFAULT_CLOSED"}
    for cls in family:
        bpy.utils.register_class(cls)


def over_the_view(gui: Any) -> Iterator[Any]:
    view = gui.region("WINDOW")
    yield from gui.move(view.x + view.width // 3, view.y + view.height // 3)
