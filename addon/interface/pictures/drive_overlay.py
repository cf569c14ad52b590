"""Draw the predicted path of a driven body over the 3D view: the next second as dots, wish and body as arrows."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import bpy

from ...ground.blender_types import interface_scale, present
from . import flat, timeline_strip

WISH, BODY, GOAL, TEXT = (1.0, 0.65, 0.2, 0.9), (0.35, 0.7, 1.0, 0.9), (1.0, 1.0, 1.0, 0.9), (1.0, 1.0, 1.0, 1.0)
DOT, WIDTH, HEAD = 4.0, 3.0, 0.3  # pixels at an interface scale of 1; share of an arrow's length

Place = tuple[float, float, float]


class Shown(NamedTuple):
    """The drawn elements, in units of the scene: dots, arrows between places, a goal, a line of text, bones."""

    dots: Sequence[Place]
    wish: tuple[Place, Place]
    body: tuple[Place, Place]
    goal: Place | None
    text: str
    bones: Sequence[tuple[Place, Place]] = ()


_shown: Shown | None = None
_handlers: list[Any] = []


def show(shown: Shown) -> None:
    """Set the drawn elements."""
    global _shown
    _shown = shown
    if not _handlers and not bpy.app.background:
        _handlers.append(bpy.types.SpaceView3D.draw_handler_add(_draw, (), "WINDOW", "POST_PIXEL"))


def is_shown() -> bool:
    """Return whether a drive is running."""
    return _shown is not None


def hide() -> None:
    """Stop drawing."""
    global _shown
    _shown = None
    for handler in _handlers:
        bpy.types.SpaceView3D.draw_handler_remove(handler, "WINDOW")
    _handlers.clear()


def _draw() -> None:
    from bpy_extras import view3d_utils
    from mathutils import Vector

    if _shown is None:
        return
    context = bpy.context
    region, space = present(context.region), context.space_data

    def on_screen(place: Place) -> tuple[float, float] | None:
        found = view3d_utils.location_3d_to_region_2d(region, space.region_3d, Vector(place))  # type: ignore[union-attr]
        return None if found is None else (found.x, found.y)

    seen = [(on_screen(one), on_screen(other)) for one, other in _shown.bones]
    ends = [end for one, other in seen if one is not None and other is not None for end in (one, other)]
    if ends:
        flat.lines(ends, BODY, WIDTH, region)
    for place in _shown.dots:
        at = on_screen(place)
        if at is not None:
            flat.dot(*at, DOT * interface_scale(), WISH)
    for (start, end), paint in ((_shown.wish, WISH), (_shown.body, BODY)):
        one, other = on_screen(start), on_screen(end)
        if one is not None and other is not None and one != other:
            flat.lines(_arrow(one, other), paint, WIDTH, region)
    goal = None if _shown.goal is None else on_screen(_shown.goal)
    if goal is not None:
        flat.dot(*goal, 1.5 * DOT * interface_scale(), GOAL)
    left, bottom, _, _ = flat.free_box(present(context.area), region)
    bottom = max(bottom, timeline_strip.top_in_view(context))
    flat.write(_shown.text, left + flat.text_size(), bottom + flat.text_size(), color=TEXT)


def _arrow(start: tuple[float, float], end: tuple[float, float]) -> list[tuple[float, float]]:
    """Return the lines of an arrow as pairs of points."""
    along = complex(end[0] - start[0], end[1] - start[1]) * HEAD
    tip = complex(*end)
    wings = [tip - along * turn for turn in (complex(0.9, 0.4), complex(0.9, -0.4))]
    return [start, end, end, (wings[0].real, wings[0].imag), end, (wings[1].real, wings[1].imag)]
