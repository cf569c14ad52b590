"""Draw the timeline strip: played sources, weights, seams and contacts."""

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
from . import spans
from .flat import Box
from .spans import Axis

MODES = ("DOPESHEET", "ACTION", "TIMELINE")
RULER, SCROLLER, MARKERS = 24.0, 12.0, 42.0  # pixels at an interface scale of 1 of Blender's own elements
LOW = 80.0  # pixels of a region in which Blender hides the scroller

_handler: Any = None
_painters: "Cache[int, spans.Painter]" = memory.cache(8)  # by region
_dragged: Strip | None = None  # the modified strip during a drag


def show_dragged(strip: Strip | None) -> None:
    """Show the modified strip of a drag; None ends that."""
    global _dragged
    _dragged = strip
    redraw()


def has_handles(context: bpy.types.Context) -> bool:
    """Return whether a timeline shows any draggable handle."""
    found = _find_strip(context)
    return found is not None and bool(found[0].strip.handles)


def find_handle(context: bpy.types.Context, mouse: tuple[float, float]) -> tuple[Shown, Handle] | None:
    """Return the displayed strip and the handle at the mouse in a timeline; None without a handle."""
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


def _find_strip(context: bpy.types.Context) -> tuple[Shown, Axis, Box] | None:
    """Return the strip displayed in a timeline, its frame mapping, and the available room."""
    space, region = context.space_data, present(context.region)
    if not isinstance(space, bpy.types.SpaceDopeSheetEditor) or space.mode not in MODES or not preferences.strip():
        return None
    shown = strips.of(context)
    if shown is None:
        return None
    scale, action = interface_scale(), contact_rows.action_of(target_armature.of_tab(context))
    of_action = space.mode == "ACTION" and space.show_pose_markers and action is not None
    markers = present(action).pose_markers if of_action else scene_of(context).timeline_markers
    scroller = SCROLLER if region.height > LOW * scale else 1.0
    bottom = (MARKERS if space.show_markers and len(markers) else scroller) * scale
    return shown, spans.axis_of(region), (0.0, bottom, float(region.width), region.height - RULER * scale)


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
            painter.draw(_dragged or found[0].strip, *found[1:], spans.look_now())
    except Exception as error:  # any error, since Blender would print it at every redraw
        hide()
        armature = target_armature.of_tab(context)
        if armature is not None:
            mode = properties.settings_of(scene_of(context)).mode
            troubles.keep(armature.session_uid, mode, LoomError(f"Pictures can't be drawn here: {error}"), 1.0)


def show() -> None:
    """Start drawing, unless in background mode."""
    global _handler
    if _handler is None and not bpy.app.background:
        _handler = bpy.types.SpaceDopeSheetEditor.draw_handler_add(_draw, (), "WINDOW", "POST_PIXEL")
    redraw()


def hide() -> None:
    """Stop drawing."""
    global _handler
    if _handler is not None:
        bpy.types.SpaceDopeSheetEditor.draw_handler_remove(_handler, "WINDOW")
        _handler = None
    _forget()
    redraw()


def redraw() -> None:
    """Draw all timelines again."""
    if _handler is not None:
        redraw_areas("DOPESHEET_EDITOR")


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
