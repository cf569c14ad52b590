"""Path in a window: a stretch of several actions, the ghost while the curve is edited, stretches dragged, Live."""

from collections.abc import Iterator
from typing import Any

import bpy
from gui_shared import begin_open, begin_with_demo, idle, loom, settings

WALKS = ("Walk", "Turn Left", "Turn Right")


def steps(gui: Any) -> Iterator[Any]:
    yield from begin(gui)
    yield from preview(gui)
    yield from edit(gui)
    yield from drag(gui)
    yield from live(gui)


def begin(gui: Any) -> Iterator[Any]:
    yield from begin_with_demo(gui)
    begin_open(bpy.types.ACTION_LOOM_PT_weave)
    yield from gui.sidebar("Action Loom")
    for line in rig().sources:
        line.use = line.action.name in WALKS
        line.label = "arms" if line.action.name in ("Wave", "Carry") else ""
    settings().mode = "follow"
    yield from gui.redraw()
    with gui.override():
        bpy.ops.action_loom.new_curve("EXEC_DEFAULT", True)
        bpy.ops.action_loom.add_stretch("EXEC_DEFAULT", True)
        bpy.ops.action_loom.add_stretch("EXEC_DEFAULT", True)
    first, second = settings().stretches
    first.action, first.start, first.end = bpy.data.actions["Wave"], 15.0, 40.0
    second.label, second.start, second.end, second.more = "arms", 55.0, 90.0, True
    second.splice_threshold, second.action_threshold = 0.4, 0.5
    with gui.override():
        bpy.ops.view3d.view_all()
    yield from gui.redraw()
    yield from gui.shot("01_stretches", box=gui.region("UI"))


def preview(gui: Any) -> Iterator[Any]:
    bpy.context.view_layer.objects.active = armature()
    yield from gui.redraw()
    with gui.override():
        bpy.ops.action_loom.follow("INVOKE_DEFAULT", True, preview=True)
    yield from gui.wait_until(lambda: idle() and ghost() is not None, 120, "previewed")
    with gui.override():
        bpy.ops.view3d.view_axis(type="TOP")
        bpy.ops.view3d.view_all()
    yield 0.5
    yield from gui.shot("02_ghost")


def edit(gui: Any) -> Iterator[Any]:
    """The end of the curve is led aside: the ghost follows, its beginning as it was."""
    spline = settings().curve.data.splines[0]
    points = spline.bezier_points if len(spline.bezier_points) else spline.points
    points[-1].co.x += 1.5
    settings().curve.data.update_tag()
    yield from gui.redraw()
    yield 2.5
    yield from gui.wait_until(idle, 120, "followed")
    yield from gui.shot("03_edited")


def drag(gui: Any) -> Iterator[Any]:
    yield from gui.shot("04_handles")
    handles, region = loom("addon.interface.panels.handles"), gui.region("WINDOW")
    places = loom("addon.services.preview.tool_handles").path_shown(bpy.context)
    (x, y), (to_x, to_y) = (handles.pixel_of(region, places[handles.number_of(percent)]) for percent in (40.0, 50.0))
    yield from gui.drag(region.x + x, region.y + y, region.x + to_x, region.y + to_y)
    assert abs(settings().stretches[0].end - 50.0) < 3.0, settings().stretches[0].end
    yield 2.5
    yield from gui.wait_until(lambda: idle() and abs(ghost().recipe.stretches[0][1] - 0.5) < 0.03, 30, "followed")
    yield from gui.shot("05_dragged")


def live(gui: Any) -> Iterator[Any]:
    yield from gui.press("ops.action_loom.follow(")
    yield from gui.wait_until(lambda: idle() and "along a path" in action().name, 120, "woven")
    settings().live = True
    yield from gui.redraw()
    spline = settings().curve.data.splines[0]
    points = spline.bezier_points if len(spline.bezier_points) else spline.points
    points[-1].co.x -= 2.5
    settings().curve.data.update_tag()
    before = action().frame_range[1]
    yield from gui.redraw()
    yield from gui.wait_until(lambda: action().frame_range[1] != before, 30, "walked again")
    yield from gui.shot("06_live")


def armature() -> Any:
    return next(one for one in bpy.data.objects if one.type == "ARMATURE")


def ghost() -> Any:
    return loom("addon.services.preview.previews").of(armature().session_uid)


def rig() -> Any:
    return settings().rigs[0]


def action() -> Any:
    return armature().animation_data.action
