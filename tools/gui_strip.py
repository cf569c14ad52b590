"""Drag in the strip, in the 3D view and at the timeline, and handles of tools and paths; driven by `tools/gui.py`."""

from collections.abc import Iterator
from typing import Any

import bpy
from gui_shared import action, begin_with_demo, idle, loom, settings

TWO = [{"name": name, "weight": 1.0} for name in ("Walk", "Sneak")]


def steps(gui: Any) -> Iterator[Any]:
    yield from begin_with_demo(gui)
    with gui.override():
        bpy.ops.view3d.view_selected()
    yield from gui.sidebar("Action Loom")
    yield from low(gui)
    yield from higher(gui)
    for part in (seam, contact, weights, pins, ghost, reach, place, path):
        yield from part(gui)
    yield from looks(gui)


def timeline(gui: Any) -> tuple[Any, Any]:
    area = gui.area("DOPESHEET_EDITOR")
    return area, gui.region("WINDOW", area)


def low(gui: Any) -> Iterator[Any]:
    """Drag a seam in the 3D view, which shows the strip while Blender's default timeline is too low for a name."""
    with gui.override():
        bpy.ops.action_loom.connect("EXEC_DEFAULT", True, sources=TWO)
    yield from gui.redraw()
    assert found_in(gui, timeline(gui)[0]) is None, "the strip is in a timeline without room"
    (shown, axis, room), spans = found_in(gui, gui.area()), loom("addon.interface.pictures.spans")
    laid = spans.lay(shown.strip, axis, room, spans.look_now())
    line = loom("addon.interface.pictures.flat").text_size()
    lowest = min(top - bottom for _, bottom, _, top in laid.rows)
    gui.log(f"the strip in the view: {len(laid.rows)} rows of {lowest:.0f} pixels or more; names {laid.names}")
    assert len(laid.rows) == len(shown.strip.rows)
    assert lowest >= line
    assert {"Walk", "Sneak"} <= {one.text for one in laid.names}
    yield from gui.shot("00_low")
    name, before = action().name, handle(gui, "seam", (0,), gui.area())[3].frame
    x, y, each, _ = handle(gui, "seam", (0,), gui.area())
    yield from gui.drag(x, y, x - 5.0 * each, y)
    yield 0.5
    yield from gui.wait_until(idle, 60, "dragged")
    assert action().name == name
    assert abs(handle(gui, "seam", (0,), gui.area())[3].frame - before + 5.0) <= 1.0
    yield from gui.shot("00_low_dragged")


def found_in(gui: Any, area: Any) -> Any:
    """Return the strip that an area shows, its frames and its room, or None."""
    with bpy.context.temp_override(window=gui.window, area=area, region=gui.region("WINDOW", area)):
        return loom("addon.interface.pictures.timeline_strip")._find_strip(bpy.context)


def higher(gui: Any) -> Iterator[Any]:
    """Drag the timeline's upper edge, so that there is room for names."""
    area, _ = timeline(gui)
    x, y = area.x + area.width // 2, area.y + area.height
    yield from gui.drag(x, y, x, y + 130)
    yield 0.5


def framed(gui: Any) -> Iterator[Any]:
    area, region = timeline(gui)
    with bpy.context.temp_override(window=gui.window, area=area, region=region):
        bpy.ops.action.view_all()
    yield 0.5


def handle(gui: Any, kind: str, which: tuple[int, ...], area: Any = None) -> tuple[float, float, float, Any]:
    """The pixel of a handle in the window, the pixels of a frame, and the handle; by default in the timeline."""
    spans, area = loom("addon.interface.pictures.spans"), area or timeline(gui)[0]
    region = gui.region("WINDOW", area)
    shown, axis, room = found_in(gui, area)
    laid = spans.lay(shown.strip, axis, room, spans.look_now())
    found = next(one for one in shown.strip.handles if (one.kind, one.which) == (kind, which))
    x, y = spans.place_of(laid, found, axis)
    return region.x + x, region.y + y, axis.each, found


def drag(gui: Any, kind: str, which: tuple[int, ...], frames: float, up: float = 0.0) -> Iterator[Any]:
    x, y, each, _ = handle(gui, kind, which)
    yield from gui.drag(x, y, x + frames * each, y + up)
    yield 0.5
    yield from gui.wait_until(idle, 60, "dragged")


def seam(gui: Any) -> Iterator[Any]:
    """A dragged seam is one step of undo, and the same action woven again."""
    with gui.override():
        bpy.ops.action_loom.connect("EXEC_DEFAULT", True, sources=TWO)
        bpy.ops.action_loom.find_contacts("EXEC_DEFAULT", True)
    yield from framed(gui)
    name, before = action().name, handle(gui, "seam", (0,))[3].frame
    yield from gui.shot("01_connected")
    yield from drag(gui, "seam", (0,), -5.0)
    assert action().name == name
    assert abs(handle(gui, "seam", (0,))[3].frame - before + 5.0) <= 1.0
    yield from gui.shot("02_seam_dragged")
    bpy.ops.ed.undo()
    yield 0.5
    assert handle(gui, "seam", (0,))[3].frame == before


def contact(gui: Any) -> Iterator[Any]:
    held = loom("addon.model.contact_rows").of(bpy.context.scene, action())
    last = held.rows[0].last
    yield from drag(gui, "contact", (0, 1), -4.0)
    assert abs(held.rows[0].last - last + 4) <= 1
    assert held.edited


def weights(gui: Any) -> Iterator[Any]:
    """A weight key of a result, in time and share."""
    with gui.override():
        bpy.ops.action_loom.blend(
            "EXEC_DEFAULT", True, sources=TWO, weight_keys="0 1 0; 0.5 0.3 0.7; 1 0 1", ends="open"
        )
        bpy.ops.action_loom.find_contacts("EXEC_DEFAULT", True)
    yield from framed(gui)
    yield from gui.shot("03_weight_keys")
    yield from drag(gui, "weight", (1, 1), -8.0, 15.0)
    yield from gui.shot("04_weight_key_dragged")
    place, share = loom("addon.model.storage").recipe_of(action()).weight_keys[1][:2]
    assert place < 0.45, place
    assert share > 0.4, share


def pins(gui: Any) -> Iterator[Any]:
    """A pose and a stretch that a variation must play, of a result and behind a ghost."""
    options = {"seconds": 8.0, "poses": "2 1 30; 6 1 60", "verbatim": "3.5 1 20 50"}
    with gui.override():
        bpy.ops.action_loom.walk("EXEC_DEFAULT", True, sources=[{"name": "Wave", "weight": 1.0}], **options)
    yield from framed(gui)
    yield from gui.shot("04_pins")
    rate = bpy.context.scene.render.fps / bpy.context.scene.render.fps_base
    yield from drag(gui, "pin", (1, 0), 12.0)
    yield from drag(gui, "pin", (0, 1), -6.0)
    yield from gui.shot("04_pins_dragged")
    recipe = loom("addon.model.storage").recipe_of(action())
    assert abs(recipe.poses[1][0] - 6.0 - 12.0 / rate) < 1.5 / rate, recipe.poses
    assert abs(recipe.verbatim[0][0] - 3.5 + 6.0 / rate) < 1.5 / rate, recipe.verbatim
    settings().mode = "walk"
    for line in settings().rigs[0].sources:
        line.use = line.action.name == "Wave"
    settings().walk.seconds, settings().walk.poses = 8.0, "4 1 40"
    gui.region("UI").tag_redraw()
    yield 2.0
    yield from gui.wait_until(lambda: idle() and _ghost() is not None, 60, "ghost")
    yield from drag(gui, "pin", (0, 0), 15.0)
    at = float(settings().walk.poses.split()[0])
    assert abs(at - 4.0 - 15.0 / rate) < 1.5 / rate, settings().walk.poses
    yield from gui.shot("04_pins_of_a_ghost")
    settings().walk.poses = ""


def ghost(gui: Any) -> Iterator[Any]:
    """The weights behind a ghost: the list's own."""
    settings().mode = "blend"
    for line in settings().rigs[0].sources:
        line.use = line.action.name in ("Walk", "Sneak")
    gui.region("UI").tag_redraw()
    yield 2.0
    yield from gui.wait_until(lambda: idle() and _ghost() is not None, 60, "ghost")
    before = [line.weight for line in settings().rigs[0].sources if line.use]
    yield from drag(gui, "weight", (0, 1), 0.0, 12.0)
    assert [line.weight for line in settings().rigs[0].sources if line.use] != before
    yield from gui.shot("05_ghost_dragged")


def _ghost() -> Any:
    return loom("addon.services.preview.previews").of(bpy.context.view_layer.objects.active.session_uid)


def in_view(gui: Any, place: Any) -> tuple[float, float]:
    region = gui.region("WINDOW")
    x, y = loom("addon.interface.panels.handles").pixel_of(region, place)
    return region.x + x, region.y + y


def reach(gui: Any) -> Iterator[Any]:
    handles = loom("addon.services.preview.tool_handles")
    with gui.override():
        bpy.ops.action_loom.play_action("EXEC_DEFAULT", True, action="Walk")
        if bpy.context.screen.is_animation_playing:
            bpy.ops.screen.animation_cancel()
        bpy.ops.action_loom.open_tool("EXEC_DEFAULT", True, tool="reach")
    bpy.context.scene.frame_set(10)
    bpy.context.scene.cursor.location = (0.2, -0.5, 1.2)
    yield from gui.redraw()
    x, y = in_view(gui, handles.reach_at(bpy.context))
    yield from gui.drag(x, y, x + 50, y + 50)
    yield 1.0
    assert settings().reach.target
    assert _ghost() is not None
    assert _ghost().recipe.verb == "reach"
    yield from gui.shot("06_reach")
    bpy.ops.ed.undo()
    yield 0.5
    assert not settings().reach.target


def place(gui: Any) -> Iterator[Any]:
    handles = loom("addon.services.preview.tool_handles")
    with gui.override():
        bpy.ops.action_loom.open_tool("EXEC_DEFAULT", True, tool="place")
    yield from gui.redraw()
    x, y = in_view(gui, handles.place_at(bpy.context))
    yield from gui.drag(x, y, x - 100, y + 30)
    yield 1.0
    assert settings().place.x or settings().place.y
    yield from gui.shot("07_place")


def path(gui: Any) -> Iterator[Any]:
    """The start of a walk, with its curve; `gui_path.py` drags the ends of stretches."""
    handles = loom("addon.services.preview.tool_handles")
    rig = bpy.context.view_layer.objects.active
    with gui.override():
        bpy.ops.action_loom.open_tool("EXEC_DEFAULT", True, tool="")
        settings().mode = "follow"
        bpy.ops.action_loom.new_curve("EXEC_DEFAULT", True)
        bpy.context.view_layer.objects.active = rig
        bpy.ops.view3d.view_all()
    yield from gui.redraw()
    x, y = in_view(gui, handles.path_shown(bpy.context)[0])
    yield from gui.drag(x, y, x - 60, y)
    yield 1.0
    assert settings().curve.location.length > 0.1
    yield from gui.shot("08_start_dragged")


def looks(gui: Any) -> Iterator[Any]:
    """Take pictures of the strip in the light theme, at 150 %, and in a timeline of the default height."""
    with gui.override():
        bpy.ops.action_loom.connect("EXEC_DEFAULT", True, sources=TWO)
        bpy.ops.action_loom.find_contacts("EXEC_DEFAULT", True)
    yield from framed(gui)
    folder = next(iter(bpy.utils.preset_paths("interface_theme")))
    light = f"{folder}/Blender_Light.xml"
    bpy.ops.script.execute_preset(filepath=light, menu_idname="USERPREF_MT_interface_theme_presets")
    yield from gui.shot("09_light")
    bpy.context.preferences.view.ui_scale = 1.5
    yield 0.5
    yield from framed(gui)
    yield from gui.shot("10_scaled")
    bpy.context.preferences.view.ui_scale = 1.0
    yield 0.5
    area, _ = timeline(gui)
    x, y = area.x + area.width // 2, area.y + area.height
    yield from gui.drag(x, y, x, y - 130)
    assert found_in(gui, gui.area()) is not None
    yield from gui.shot("11_low")
