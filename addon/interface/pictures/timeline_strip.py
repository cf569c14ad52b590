"""Draw the strip of played sources, weights, seams and contacts: at the timeline, or above a timeline that is too low.

Blender's default timeline has room for its ruler only. While no timeline of the window can show all rows with their
names, the strip fills the free width at the bottom of the largest 3D view.
"""

from functools import partial
from typing import Any

import bpy

from ....core.cache import Cache
from ....core.errors import LoomError
from ...ground import memory, registrar, troubles
from ...ground.blender_types import interface_scale, present, scene_of
from ...ground.redraw import redraw_areas
from ...model import contact_rows, preferences, properties, target_armature
from ...model.spans import Handle, Strip
from ...services.preview import previews, strips
from ...services.preview.strips import Shown
from . import flat, pads, spans
from .flat import Box
from .spans import Axis

WHERE = ("DOPESHEET_EDITOR", "VIEW_3D")
MODES = ("DOPESHEET", "ACTION", "TIMELINE")
RULER, SCROLLER, MARKERS = 24.0, 12.0, 42.0  # pixels at an interface scale of 1 of Blender's own elements
LOW = 80.0  # pixels of a region in which Blender hides the scroller
EDGE = 12.0  # pixels at an interface scale of 1 between the strip and the edges of a view
NOW = (0.28, 0.51, 0.9, 1.0)  # the current frame, as in Blender's timeline
SHARE = 0.4  # of a view's free height that the strip may cover

_handlers: list[tuple[Any, Any]] = []  # types of spaces, and their handlers
_painters: "Cache[int, spans.Painter]" = memory.cache(8)  # by region
_dragged: Strip | None = None  # the modified strip during a drag


def show_dragged(strip: Strip | None) -> None:
    """Show the modified strip of a drag; None ends that."""
    global _dragged
    _dragged = strip
    redraw()


def has_handles(context: bpy.types.Context) -> bool:
    """Return whether a timeline or a 3D view shows any draggable handle."""
    found = _find_strip(context)
    return found is not None and bool(found[0].strip.handles)


def find_handle(context: bpy.types.Context, mouse: tuple[float, float]) -> tuple[Shown, Handle] | None:
    """Return the displayed strip and the handle at the mouse; None without a handle."""
    found = _find_strip(context)
    if found is None:
        return None
    shown, axis, room = found
    laid = spans.lay(shown.strip, axis, room, spans.look_now())
    handle = None if laid is None else spans.handle_at(laid, shown.strip, axis, mouse)
    return None if handle is None else (shown, handle)


def place_at(context: bpy.types.Context, row: int, mouse: tuple[float, float]) -> tuple[float, float]:
    """Return the frame and the height from 0 to 1 in a row of the strip at the mouse."""
    found = _find_strip(context)
    laid = None if found is None else spans.lay(found[0].strip, found[1], found[2], spans.look_now())
    if found is None or laid is None or row >= len(laid.rows):
        return spans.axis_of(present(context.region)).frame(mouse[0]), 0.5
    return found[1].frame(mouse[0]), spans.level_at(laid, row, mouse[1])


def top_in_view(context: bpy.types.Context) -> float:
    """Return the height in pixels up to which the strip covers a 3D view; 0 without a strip there."""
    found = _find_strip(context)
    if found is None:
        return 0.0
    shown, _, (_, bottom, _, top) = found
    rows, line = spans.fitting(shown.strip.rows, spans.look_now().line, top - bottom)
    return bottom + spans.height(rows, line)


def _find_strip(context: bpy.types.Context) -> tuple[Shown, Axis, Box] | None:
    """Return the strip displayed in a timeline or a 3D view, its frame mapping, and the available room."""
    area, region = context.area, context.region
    in_view = isinstance(context.space_data, bpy.types.SpaceView3D)
    if area is None or region is None or not preferences.strip() or not (in_view or _is_timeline(area)):
        return None
    shown, view = strips.of(context), _view_of(context)
    if shown is None or (in_view and area != view):
        return None
    low = view is not None and not any(map(partial(_has_room, context, shown), present(context.screen).areas))
    if low != in_view:
        return None
    if in_view:
        room = _room_in_view(context, area, region)
        return shown, _axis_within(shown, room), room
    return shown, spans.axis_of(region), _room_in_timeline(context, area, region)


def _is_timeline(area: bpy.types.Area) -> bool:
    space = area.spaces.active
    return isinstance(space, bpy.types.SpaceDopeSheetEditor) and space.mode in MODES


def _has_room(context: bpy.types.Context, shown: Shown, area: bpy.types.Area) -> bool:
    """Return whether an area is a timeline that shows all rows of a strip, with their names."""
    region = next((one for one in area.regions if one.type == "WINDOW"), None)
    if region is None or not _is_timeline(area):
        return False
    _, bottom, _, top = _room_in_timeline(context, area, region)
    return top - bottom >= spans.height(shown.strip.rows, spans.least_line(shown.strip.rows))


def _room_in_timeline(context: bpy.types.Context, area: bpy.types.Area, region: bpy.types.Region) -> Box:
    space: Any = area.spaces.active
    scale, action = interface_scale(), contact_rows.action_of(target_armature.of_tab(context))
    of_action = space.mode == "ACTION" and space.show_pose_markers and action is not None
    markers = present(action).pose_markers if of_action else scene_of(context).timeline_markers
    scroller = SCROLLER if region.height > LOW * scale else 1.0
    bottom = (MARKERS if space.show_markers and len(markers) else scroller) * scale
    return 0.0, bottom, float(region.width), region.height - RULER * scale


def _view_of(context: bpy.types.Context) -> bpy.types.Area | None:
    """Return the window's largest 3D view, if it shows overlays and is not divided in four."""
    views = [one for one in present(context.screen).areas if one.type == "VIEW_3D"]
    largest = max(views, key=lambda one: one.width * one.height, default=None)
    space: Any = None if largest is None else largest.spaces.active
    return largest if space is not None and space.overlay.show_overlays and not space.region_quadviews else None


def _room_in_view(context: bpy.types.Context, area: bpy.types.Area, region: bpy.types.Region) -> Box:
    left, bottom, right, top = flat.free_box(area, region)
    edge = EDGE * interface_scale()
    redo = next((one for one in area.regions if one.type == "HUD" and min(one.width, one.height) > 1), None)
    if redo is not None:  # Blender's panel of the last operation floats in the lower left corner
        left = max(left, float(redo.x + redo.width - region.x))
    settings = properties.settings_of(scene_of(context))
    if settings.pad and settings.mode in ("blend", "ask"):
        left = max(left, pads.right_edge(context))
    return left + edge, bottom + edge, right - edge, bottom + edge + SHARE * (top - bottom)


def _axis_within(shown: Shown, room: Box) -> Axis:
    """Return the mapping that shows a whole strip, with the labels before its rows."""
    left, _, right, _ = room
    first, last = spans.ends(shown.strip.rows)
    left += max((flat.width_of(row.label) for row in shown.strip.rows if row.label), default=0.0) + flat.text_size()
    each = max(right - left, 1.0) / max(last - first, 1.0)
    return Axis(each, left - first * each)


def _draw() -> None:
    context = bpy.context
    try:
        found = _find_strip(context)
        if found is not None:
            which = present(context.region).as_pointer()
            painter = _painters.get(which)
            if painter is None:
                painter = spans.Painter()
                _painters.keep(which, painter)
            _, axis, room = found
            laid = painter.draw(_dragged or found[0].strip, axis, room, spans.look_now())
            if laid is not None and isinstance(context.space_data, bpy.types.SpaceView3D):
                at = axis.pixel(scene_of(context).frame_current_final)
                half = 0.5 * spans.THIN * interface_scale()
                if room[0] <= at <= room[2]:
                    flat.fill((at - half, laid.box[1], at + half, laid.box[3]), NOW)
    except Exception as error:  # any error, since Blender would print it at every redraw
        hide()
        armature = target_armature.of_tab(context)
        if armature is not None:
            mode = properties.settings_of(scene_of(context)).mode
            troubles.keep(armature.session_uid, mode, LoomError(f"Pictures can't be drawn here: {error}"), 1.0)


def show() -> None:
    """Start drawing, unless in background mode."""
    if not _handlers and not bpy.app.background:
        spaces: tuple[Any, ...] = (bpy.types.SpaceDopeSheetEditor, bpy.types.SpaceView3D)
        _handlers.extend((space, space.draw_handler_add(_draw, (), "WINDOW", "POST_PIXEL")) for space in spaces)
    redraw()


def hide() -> None:
    """Stop drawing."""
    while _handlers:
        space, handler = _handlers.pop()
        space.draw_handler_remove(handler, "WINDOW")
    _forget()
    redraw_areas(*WHERE)


def redraw() -> None:
    """Draw all timelines and 3D views again."""
    if _handlers:
        redraw_areas(*WHERE)


def _forget() -> None:
    global _dragged
    _dragged = None
    _painters.clear()


def _after_switch(wanted: bool) -> None:
    if wanted:
        show()
    else:
        hide()


def register() -> None:
    registrar.at_end(hide)
    registrar.append(memory.when_forgotten, _forget)
    registrar.append(previews.when_some, redraw)
    registrar.append(previews.when_none, redraw)
    registrar.append(preferences.when_strip_changed, _after_switch)
    if preferences.strip():
        show()
