"""docs/manual/start.md done in a window as it is written, with mouse and keyboard; a strip of what is seen.

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
from gui_shared import idle, loom

TAKEN: list[dict[str, Any]] = []  # what each step was, what it needed and what it came to
SIDEBAR = "Action Loom"
SCALE = 1.25  # of the interface, so that the pictures can be read when they are smaller


def steps(gui: Any) -> Iterator[Any]:
    bpy.context.preferences.view.ui_scale = SCALE
    with gui.override():
        bpy.ops.wm.read_homefile(use_empty=True)
    yield from gui.redraw()
    with gui.override():
        bpy.ops.view3d.view_axis(type="FRONT")
        bpy.ops.view3d.view_orbit(angle=0.6, type="ORBITRIGHT")
        bpy.ops.view3d.view_orbit(angle=0.3, type="ORBITDOWN")
    for part in (demo, curve, files):
        yield from part(gui)
    computed, clicks = sum(one["seconds"] for one in TAKEN), sum(one["clicks"] for one in TAKEN)
    gui.log(f"{len(TAKEN)} steps, {clicks} clicks and keys, {computed:.1f} s of computing")
    Path(gui.out, "steps.json").write_text(json.dumps(TAKEN, indent=1))


def demo(gui: Any) -> Iterator[Any]:
    region = gui.region("WINDOW")
    yield from gui.move(region.x + region.width // 2, region.y + region.height // 2)
    yield from gui.key("n")
    yield from gui.sidebar(SIDEBAR)  # the click on the tab's name
    yield from shown(gui, "N, tab Action Loom", 2)
    yield from gui.press("ops.action_loom.add_demo(")
    assert ticked() == {"Walk", "Run"}, ticked()
    assert len(lines()) == 7
    frame_all(gui)
    yield from shown(gui, "Add Demo", 1)
    seconds = yield from woven(gui, "blend", "Run + Walk 50:50")
    yield from played(gui, 10)
    yield from shown(gui, "Weave; play", 2, seconds)
    yield from ghost(gui)
    yield from live(gui)
    yield from pad(gui)


def ghost(gui: Any) -> Iterator[Any]:
    place = yield from beside_weave(gui, 0.65)
    began = perf_counter()
    yield from gui.click(*place)
    yield from gui.wait_until(lambda: idle() and previewed() is not None, 60, "previewed")
    before = previewed()
    yield from drag_slider(gui)
    yield from gui.wait_until(lambda: idle() and previewed() is not before, 60, "the ghost followed")
    yield from shown(gui, "The ghost; drag the slider", 2, perf_counter() - began)
    found = yield from gui.buttons(gui.region("UI"), columns=(0.89,), until="clear_preview")
    yield from gui.click(*found[0][:2])
    assert previewed() is None


def beside_weave(gui: Any, across: float) -> Any:
    """Return where a button in the row of Weave is, by its share of the sidebar's width."""
    _, y = yield from gui.find_button("ops.action_loom.blend(")
    region = gui.region("UI")
    return region.x + across * (region.width - 20 * SCALE), y


def live(gui: Any) -> Iterator[Any]:
    settings().live = False
    place = yield from beside_weave(gui, 0.84)
    yield from gui.click(*place)
    assert settings().live
    before = action().name
    began = perf_counter()
    yield from drag_slider(gui)
    yield from gui.wait_until(lambda: idle() and action().name != before, 60, "followed")
    seconds = perf_counter() - began
    yield from shown(gui, "Live; drag the slider", 3, seconds)
    yield from over_view(gui)
    yield from gui.key("ctrl+z")
    assert action().name == before, action().name
    settings().live = False


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


def curve(gui: Any) -> Iterator[Any]:
    for name in ("Run", "Sneak", "Turn Left", "Turn Right"):
        yield from tick(gui, name)
    assert ticked() == {"Walk", "Turn Left", "Turn Right"}, ticked()
    yield from choose_mode(gui, "follow")
    yield from shown(gui, "Tick Walk and the turns; Path", 5)
    yield from gui.press("ops.action_loom.new_curve(")
    with gui.override():
        bpy.ops.view3d.view_all()
    yield from bend(gui)
    yield from shown(gui, "New Curve; bend it in Edit Mode", 4)
    seconds = yield from woven(gui, "follow", None)
    last = action().frame_range[1]
    bpy.context.scene.frame_set(round(0.6 * last))
    yield from shown(gui, "Weave", 1, seconds)


def bend(gui: Any) -> Iterator[Any]:
    """Edit Mode, the last point, G and the mouse, and back: as anyone bends a curve."""
    path = settings().curve
    assert path is not None
    for one in bpy.context.view_layer.objects:
        one.select_set(one == path)
    bpy.context.view_layer.objects.active = path
    yield from over_view(gui)
    yield from gui.key("Tab")
    assert bpy.context.mode == "EDIT_CURVE"
    with gui.override():
        bpy.ops.curve.select_all(action="DESELECT")
        bpy.ops.curve.de_select_last()
    before = points(path)
    yield from gui.key("g", "x", "1", "Return")
    yield from gui.key("Tab")
    assert points(path) != before, "the curve was not bent"


def files(gui: Any) -> Iterator[Any]:
    """Two motion files dropped into the view of an empty scene."""
    with gui.override():
        bpy.ops.wm.read_homefile(use_empty=True)
    yield from gui.redraw()
    yield from gui.sidebar(SIDEBAR)
    folder = Path(tempfile.mkdtemp())
    convention = loom("core.formats.motion_file").Convention("cm", 0.01, "y", False)
    actions = loom("core.figure.actions")
    for name, clip in (("hero_walk", actions.walk(60.0, 4)), ("hero_sneak", actions.sneak(60.0))):
        (folder / f"{name}.bvh").write_bytes(loom("core.formats.bvh").compose(clip, None, convention))
    with gui.override():
        dropped = [{"name": f"{name}.bvh"} for name in ("hero_walk", "hero_sneak")]
        bpy.ops.wm.drop_import_file("INVOKE_DEFAULT", directory=str(folder), files=dropped)
    yield 0.5
    yield from shown(gui, "Drag files into the view", 1)
    began = perf_counter()
    yield from gui.key("Return")
    yield from gui.wait_until(lambda: len(bpy.data.actions) == 2, 30, "imported")
    seconds = perf_counter() - began
    assert bpy.context.scene.render.fps == 60
    frame_all(gui)
    assert len(ticked()) == 2
    yield from shown(gui, "Import", 1, seconds)
    seconds = yield from woven(gui, "blend", None)
    yield from shown(gui, "Weave", 1, seconds)


# --- what the steps share -------------------------------------------------------------------------------------------


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
    """Click a line's tick: they are tried from the list's top to its end."""
    place = next(k for k, line in enumerate(lines()) if line.action.name == name)
    was = lines()[place].use
    found = yield from gui.buttons(gui.region("UI"), columns=(0.1,), until=f"sources[{place}].use")
    if not found:  # the list shows five lines at a time
        raise LookupError(f"{name} is not in sight")
    yield from gui.click(*found[0][:2])
    assert lines()[place].use != was, name


def choose_mode(gui: Any, mode: str) -> Iterator[Any]:
    from gui_first_hour import choose_mode as chosen

    yield from chosen(gui, mode)


def drag_slider(gui: Any) -> Iterator[Any]:
    """Drag the slider of two weights to the left: Blender holds the pointer where it is while it does that."""
    x, y = yield from gui.find_button("rigs[0].balance")
    yield from gui.move(x, y, 0.3)
    gui._x("mousedown", 1)
    yield 0.3
    for _ in range(8):
        gui._x("mousemove_relative", "--", -3, 0)
        yield 0.1
    gui._x("mouseup", 1)
    yield from gui.redraw()


def over_view(gui: Any) -> Iterator[Any]:
    region = gui.region("WINDOW")
    yield from gui.move(region.x + region.width // 3, region.y + region.height // 2)


def frame_all(gui: Any) -> None:
    with gui.override():
        bpy.ops.view3d.view_all()


def previewed() -> Any:
    return loom("addon.services.preview.previews").of(figure().session_uid)


def points(path: Any) -> list[tuple[float, ...]]:
    spline = path.data.splines[0]
    return [tuple(point.co) for point in (spline.bezier_points if len(spline.bezier_points) else spline.points)]


def settings() -> Any:
    return bpy.context.scene.action_loom


def lines() -> Any:
    return settings().rigs[0].sources


def ticked() -> set[str]:
    return {line.action.name for line in lines() if line.use}


def figure() -> Any:
    return next(one for one in bpy.data.objects if one.type == "ARMATURE")


def action() -> Any:
    return figure().animation_data.action
