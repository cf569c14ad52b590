"""Lay out and draw rows of named, coloured spans along a timeline, with handles to drag.

The layout needs no window; it is cached until rows, frames or room change. Pixels are the region's.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

import bpy

from ...ground.blender_types import as_pair, interface_scale, present
from ...model.spans import Area, Color, Handle, Row, Strip
from . import flat
from .flat import Box, Paint

GAP = 0.25  # of a line of text, between rows and beside names
THIN = 1.5  # pixels at an interface scale of 1: marks, and the smallest width of a span
GRIP = 7.0  # pixels within which a handle is grabbed
KNOB = 4.5  # half the size of a round handle
LEAST = 3.0  # pixels of a row in a small region without a 3D view beside it
ENOUGH = 0.95  # of the size of letters: a lower row lacks text
FAINT, SOLID = 0.45, 0.9  # opacities
BRIGHT = 0.45  # luminance from which dark letters are more legible
DARK, LIGHT = (0.0, 0.0, 0.0, 1.0), (1.0, 1.0, 1.0, 1.0)

Corner = tuple[float, float]


class Axis(NamedTuple):
    """The mapping from frames to pixels: frame · `each` + `origin`."""

    each: float
    origin: float

    def pixel(self, frame: float) -> float:
        return frame * self.each + self.origin

    def frame(self, pixel: float) -> float:
        return (pixel - self.origin) / self.each


class Look(NamedTuple):
    """Further inputs of drawing: the height of a line of text in pixels, and the theme's colours."""

    line: float
    ground: Paint
    ink: Paint


class Name(NamedTuple):
    """A text with its lower left corner, and its available room."""

    text: str
    x: float
    y: float
    room: float
    color: Paint


@dataclass(eq=False)
class Laid:
    """The layout of rows: coloured triangles, names, and the occupied box and rows."""

    box: Box
    rows: tuple[Box, ...]
    corners: list[Corner] = field(default_factory=list)
    paints: list[Paint] = field(default_factory=list)
    names: list[Name] = field(default_factory=list)

    def fill(self, corners: Sequence[Corner], paint: Paint) -> None:
        """Add a convex outline."""
        for one, other in pairwise(corners[1:]):
            self.corners += [corners[0], one, other]
            self.paints += [paint] * 3

    def box_of(self, left: float, bottom: float, right: float, top: float, paint: Paint) -> None:
        self.fill([(left, bottom), (right, bottom), (right, top), (left, top)], paint)


def axis_of(region: bpy.types.Region) -> Axis:
    """Return the frame mapping of a timeline's region."""
    view = region.view2d
    (first, _), (last, _) = as_pair(view.region_to_view(0, 0)), as_pair(view.region_to_view(region.width, 0))
    each = region.width / (last - first) if last > first else 1.0
    return Axis(each, -first * each)


def look_now() -> Look:
    """Return the look for the interface's scale and the timeline's theme."""
    theme = present(bpy.context.preferences).themes[0].dopesheet_editor.space
    ground, ink = theme.back, theme.text
    size = 1.35 * flat.text_size()
    return Look(size, (ground[0], ground[1], ground[2], 0.92), (ink[0], ink[1], ink[2], 1.0))


def height(rows: Sequence[Row], line: float) -> float:
    """Return the height of rows in pixels."""
    return sum((row.high + GAP) * line for row in rows) + GAP * line


def least_line(rows: Sequence[Row]) -> float:
    """Return the height of a line of text, in pixels, in which names still fit all rows."""
    return ENOUGH * flat.text_size() / min((row.high for row in rows), default=1.0)


def ends(rows: Sequence[Row]) -> tuple[float, float]:
    """Return the first and the last frame of rows; 0 and 1 if they are empty."""
    frames = [frame for row in rows for span in row.spans for frame in (span.start, span.end)]
    frames += [place[0] for row in rows for area in row.areas for place in area.places]
    return min(frames, default=0.0), max(frames, default=1.0)


def fitting(rows: Sequence[Row], line: float, room: float) -> tuple[tuple[Row, ...], float]:
    """Return the rows that fit some room, and the line height that makes them fit: rows become lower first.

    Rows with less than `LEAST` pixels each are dropped from the bottom.
    """
    count = len(rows)
    while count and room < height(rows[:count], LEAST * interface_scale() / min(row.high for row in rows[:count])):
        count -= 1
    return tuple(rows[:count]), min(line, room / height(rows[:count], 1.0)) if count else line


def lay(strip: Strip, axis: Axis, room: Box, look: Look) -> Laid | None:
    """Lay out rows at the bottom of the available room; None if none fits."""
    left, bottom, right, top = room
    rows, line = fitting(strip.rows, look.line, top - bottom)
    if not rows:
        return None
    upper = bottom + height(rows, line)
    boxes, y = [], upper
    for row in rows:
        y -= (row.high + GAP) * line
        boxes.append((left, y, right, y + row.high * line))
    laid = Laid((left, bottom, right, upper), tuple(boxes))
    laid.box_of(*laid.box, look.ground)
    for row, box in zip(rows, boxes, strict=True):
        _lay_row(laid, row, box, axis, look)
    for handle in strip.handles:
        if handle.row < len(rows):
            _lay_handle(laid, handle, axis, look)
    return laid


def _lay_row(laid: Laid, row: Row, box: Box, axis: Axis, look: Look) -> None:
    left, bottom, right, top = box
    scale = interface_scale()
    for area in row.areas:
        _lay_area(laid, area, box, axis, look)
    for span in row.spans:
        start, end = axis.pixel(span.start), axis.pixel(span.end)
        end = max(end, start + THIN * scale)
        if end < left or start > right:
            continue
        start, end = max(start, left), min(end, right)
        inset = 0.5 * scale if end - start > 4.0 * scale else 0.0  # separates neighbours
        laid.box_of(start + inset, bottom, end - inset, top, (*span.color, FAINT if span.faint else SOLID))
        _lay_name(laid, span.name, (start, bottom, end, top), span.color, look)
    for mark in row.marks:
        at = axis.pixel(mark)
        if left <= at <= right:
            laid.box_of(at - 0.5 * THIN * scale, bottom, at + 0.5 * THIN * scale, top, look.ink)
    if row.label and top - bottom >= ENOUGH * flat.text_size():
        gap = GAP * look.line
        wide = flat.width_of(row.label)
        first = axis.pixel(min((span.start for span in row.spans), default=0.0))
        start = max(first - wide - 2.0 * gap, left)  # before the row's start, or over it
        laid.box_of(start, bottom, start + wide + 2.0 * gap, top, look.ground)
        laid.names.append(Name(row.label, start + gap, _base(bottom, top), wide + gap, look.ink))


def _lay_area(laid: Laid, area: Area, box: Box, axis: Axis, look: Look) -> None:
    """Fill an area, and write its name at its longest part of sufficient height."""
    left, bottom, right, top = box
    tall = top - bottom
    places = [(axis.pixel(frame), bottom + low * tall, bottom + high * tall) for frame, low, high in area.places]
    paint = (*area.color, SOLID)
    best: tuple[float, int, int] = (0.0, 0, 0)
    since = None
    for k, ((x, low, high), (after, after_low, after_high)) in enumerate(pairwise(places)):
        seen = after >= left and x <= right
        if seen and max(high - low, after_high - after_low) > 0.0:
            laid.fill([(x, low), (after, after_low), (after, after_high), (x, high)], paint)
        roomy = seen and min(high - low, after_high - after_low) >= flat.text_size()
        since = (k if since is None else since) if roomy else None
        if since is not None:
            wide = min(after, right) - max(places[since][0], left)
            best = max(best, (wide, since, k + 1))
    wide, first, last = best
    if wide > 0.0:
        middle = (first + last) // 2
        within = (_within(places, *ends, left, right) for ends in ((first, last), (first, middle), (middle, last)))
        level = [one for one in within if one[3] - one[1] >= flat.text_size()]
        if level:  # the whole area, or its higher end: first a place for the whole name, then the one with most room
            wanted = flat.width_of(area.name) + 2.0 * GAP * look.line
            box = max(level, key=lambda one: (min(one[2] - one[0], wanted), one[3] - one[1]))
            _lay_name(laid, area.name, box, area.color, look)


def _within(places: Sequence[tuple[float, float, float]], first: int, last: int, left: float, right: float) -> Box:
    """Return the largest box inside an area between two of its places."""
    inside = places[first : last + 1]
    start, end = max(places[first][0], left), min(places[last][0], right)
    return start, max(one[1] for one in inside), end, min(one[2] for one in inside)


def _lay_name(laid: Laid, name: str, box: Box, color: Color, look: Look) -> None:
    """Add a name within a box, readable on its colour."""
    left, bottom, right, top = box
    gap = GAP * look.line
    if name and right - left > 2.0 * gap + flat.text_size() and top - bottom >= ENOUGH * flat.text_size():
        luminance = 0.2126 * color[0] + 0.7152 * color[1] + 0.0722 * color[2]
        paint = DARK if luminance > BRIGHT else LIGHT
        laid.names.append(Name(name, left + gap, _base(bottom, top), right - left - 2.0 * gap, paint))


def _base(bottom: float, top: float) -> float:
    """Return the baseline of a text in the middle of a box: letters have about 0.7 of its size."""
    return 0.5 * (bottom + top) - 0.35 * flat.text_size()


def place_of(laid: Laid, handle: Handle, axis: Axis) -> Corner:
    """Return the pixel of a handle."""
    _, bottom, _, top = laid.rows[handle.row]
    return axis.pixel(handle.frame), bottom + handle.level * (top - bottom)


def _lay_handle(laid: Laid, handle: Handle, axis: Axis, look: Look) -> None:
    x, y = place_of(laid, handle, axis)
    left, bottom, right, top = laid.rows[handle.row]
    if not left <= x <= right:
        return
    scale = interface_scale()
    if handle.tall:
        laid.box_of(x - THIN * scale, bottom, x + THIN * scale, top, look.ink)
        return
    for size, paint in ((KNOB + 1.0, look.ground), (KNOB, look.ink)):
        reach = size * scale
        laid.fill([(x - reach, y), (x, y - reach), (x + reach, y), (x, y + reach)], paint)


def handle_at(laid: Laid, strip: Strip, axis: Axis, mouse: Corner) -> Handle | None:
    """Return the handle at the mouse, or None; the nearest of several."""
    found, least = None, GRIP * interface_scale()
    for handle in strip.handles:
        if handle.row >= len(laid.rows):
            continue
        x, y = place_of(laid, handle, axis)
        _, bottom, _, top = laid.rows[handle.row]
        inside = bottom <= mouse[1] <= top
        away = abs(mouse[0] - x)
        if not handle.tall:
            away = max(away, abs(mouse[1] - y))
        elif not inside:
            continue
        if away < least:
            found, least = handle, away
    return found


def level_at(laid: Laid, row: int, y: float) -> float:
    """Return the height of a pixel in a row, from 0 to 1."""
    _, bottom, _, top = laid.rows[row]
    return min(max((y - bottom) / (top - bottom), 0.0), 1.0)


class Painter:
    """Draws a strip, and caches the last one's layout, because a window is redrawn more often than it changes."""

    def __init__(self) -> None:
        self._made: tuple[tuple[Any, ...], Laid | None, Any, list[tuple[str, Name]]] | None = None

    def lay_out(self, strip: Strip, axis: Axis, room: Box, look: Look) -> Laid | None:
        """Return the layout of the strip in a room."""
        key = (strip, axis, room, look)
        if self._made is None or self._made[0] != key:
            laid = lay(strip, axis, room, look)
            self._made = key, laid, None, []
        return self._made[1]

    def draw(self, strip: Strip, axis: Axis, room: Box, look: Look) -> Laid | None:
        """Draw a strip and return its layout; only while a region is drawn in pixels."""
        import blf
        import gpu
        from gpu_extras.batch import batch_for_shader

        laid = self.lay_out(strip, axis, room, look)
        if laid is None or self._made is None:
            return None
        shader = gpu.shader.from_builtin("FLAT_COLOR")
        blf.size(0, flat.text_size())
        key, _, batch, names = self._made
        if batch is None:
            content: dict[str, Any] = {"pos": laid.corners, "color": laid.paints}
            batch = batch_for_shader(shader, "TRIS", content)
            names = [(flat.shorten_text(flat.translate_text(one.text), one.room), one) for one in laid.names]
            self._made = key, laid, batch, names
        gpu.state.blend_set("ALPHA")
        batch.draw(shader)
        for text, one in names:
            blf.color(0, *one.color)
            blf.position(0, one.x, one.y, 0.0)
            blf.draw(0, text)
        gpu.state.blend_set("NONE")
        return laid

    def forget(self) -> None:
        self._made = None
