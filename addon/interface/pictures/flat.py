"""Draw lines, boxes and text in region pixels, within the available room.

Boxes are left, bottom, right and top. Drawing functions load Blender's GPU modules when called.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import bpy

from ...ground.blender_types import interface_scale
from ...ground.translations.runtime import translate_text

if TYPE_CHECKING:
    from ...bitmaps.bitmap import LegendRow

Box = tuple[float, float, float, float]
Paint = tuple[float, float, float, float]

TEXT = 12.0  # pixels at an interface scale of 1, as Blender's own labels
LINE = 1.5  # line spacing, in text sizes
SWATCH = 1.8  # swatch width, in text sizes
INK: Paint = (0.9, 0.9, 0.9, 1.0)
GROUND: Paint = (0.08, 0.08, 0.08, 0.92)
OVER = 0.45  # share of the free box, across and up, that may cover a picture if the room beside it is too small


def text_size() -> float:
    """Return the text size in pixels."""
    return TEXT * interface_scale()


def free_box(area: bpy.types.Area, region: bpy.types.Region) -> Box:
    """Return the part of a region that headers, toolbars and sidebars leave free."""
    left, bottom, right, top = 0.0, 0.0, float(region.width), float(region.height)
    for other in area.regions:
        if other.type == region.type or min(other.width, other.height) <= 1:
            continue
        x, y = other.x - region.x, other.y - region.y
        if x + other.width <= 0 or y + other.height <= 0 or x >= region.width or y >= region.height:
            continue  # beside the region, not over it
        if other.alignment == "LEFT":
            left = max(left, x + other.width)
        elif other.alignment == "RIGHT":
            right = min(right, x)
        elif other.alignment == "TOP":
            top = min(top, y)
        elif other.alignment == "BOTTOM":
            bottom = max(bottom, y + other.height)
    return left, bottom, right, top


def place_box(free: Box, picture: Box, size: tuple[float, float], gap: float) -> tuple[Box, bool]:
    """Return a box right of a picture and False, or one over it and True if less than half its width fits.

    free : the visible box
    size : wanted width and height, limited to the available room
    """
    left, bottom, right, top = free
    wide, high = size[0], min(size[1], top - bottom - 2.0 * gap)
    edge = max(picture[2], left) + gap
    room = min(wide, right - gap - edge)
    if room >= 0.5 * wide:
        upper = min(max(picture[3], bottom + high + gap), top - gap)
        return (edge, upper - high, edge + room, upper), False
    wide, high = min(wide, OVER * (right - left)), min(high, OVER * (top - bottom))
    return (left + gap, top - gap - high, left + gap + wide, top - gap), True


def shorten_text(text: str, wide: float) -> str:
    """Return the longest beginning of a text that fits a width."""
    import blf

    if blf.dimensions(0, text)[0] <= wide:
        return text
    kept = len(text)
    while kept and blf.dimensions(0, text[:kept] + "…")[0] > wide:
        kept -= 1
    return text[:kept] + "…" if kept else ""


def width_of(text: str) -> float:
    """Return the width of a text in pixels."""
    import blf

    blf.size(0, text_size())
    return float(blf.dimensions(0, translate_text(text))[0])


def write(text: str, x: float, y: float, *, color: Paint = INK, room: float | None = None) -> None:
    """Write a line of text from its lower left corner, shortened to `room` pixels."""
    import blf

    blf.size(0, text_size())
    blf.color(0, *color)
    blf.position(0, x, y, 0.0)
    text = translate_text(text)
    blf.draw(0, text if room is None else shorten_text(text, room))


def write_upwards(text: str, x: float, y: float) -> None:
    """Write a line of text from bottom to top, from its lower right corner."""
    import blf

    blf.enable(0, blf.ROTATION)
    blf.rotation(0, 1.5707963)
    write(text, x, y)
    blf.disable(0, blf.ROTATION)


def fill(box: Box, *paints: Paint) -> None:
    """Fill a box with a colour, or with a gradient of several from left to right."""
    import gpu
    from gpu_extras.batch import batch_for_shader

    left, bottom, right, top = box
    stops = paints if len(paints) > 1 else 2 * paints
    across = [left + (right - left) * k / (len(stops) - 1) for k in range(len(stops))]
    corners = [(x, y) for x in across for y in (bottom, top)]
    ends = [paint for paint in stops for _ in range(2)]
    gpu.state.blend_set("ALPHA")
    content: dict[str, Any] = {"pos": corners, "color": ends}
    shader = gpu.shader.from_builtin("SMOOTH_COLOR")
    batch_for_shader(shader, "TRI_STRIP", content).draw(shader)
    gpu.state.blend_set("NONE")


def dot(x: float, y: float, radius: float, paint: Paint) -> None:
    """Fill a circle."""
    import gpu
    from gpu_extras.batch import batch_for_shader

    turn = [2.0 * math.pi * k / 24 for k in range(25)]
    rim = [(x + radius * math.cos(angle), y + radius * math.sin(angle)) for angle in turn]
    corners = [corner for k in range(24) for corner in ((x, y), rim[k], rim[k + 1])]
    gpu.state.blend_set("ALPHA")
    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    shader.uniform_float("color", paint)
    content: dict[str, Any] = {"pos": corners}
    batch_for_shader(shader, "TRIS", content).draw(shader)
    gpu.state.blend_set("NONE")


def lines(ends: Sequence[Any], paint: Paint, wide: float, region: bpy.types.Region) -> None:
    """Draw lines between pairs of points; `wide` in pixels at an interface scale of 1."""
    import gpu
    from gpu_extras.batch import batch_for_shader

    shader = gpu.shader.from_builtin("POLYLINE_UNIFORM_COLOR")
    gpu.state.blend_set("ALPHA")
    shader.uniform_float("viewportSize", (region.width, region.height))
    shader.uniform_float("lineWidth", wide * interface_scale())
    shader.uniform_float("color", paint)
    content: dict[str, Any] = {"pos": [(float(x), float(y), 0.0) for x, y in ends]}
    batch_for_shader(shader, "LINES", content).draw(shader)
    gpu.state.blend_set("NONE")


def legend_size(rows: "Sequence[LegendRow]") -> tuple[float, float]:
    """Return the width and height of a legend's rows."""
    size = text_size()
    wide = max((width_of(text) for _, text in rows), default=0.0)
    return wide + (SWATCH + 0.6) * size, LINE * size * len(rows)


def legend(rows: "Sequence[LegendRow]", box: Box) -> None:
    """Draw the rows of a legend from the top of a box downwards, until it is full."""
    size = text_size()
    left, bottom, right, y = box
    for colors, text in rows:
        y -= LINE * size
        if y < bottom - 1.0:
            return
        if colors:
            swatch = (left, y, left + SWATCH * size, y + 0.8 * size)
            fill(swatch, *((*color, 1.0) for color in colors))
        start = left + (SWATCH + 0.6) * size
        write(text, start, y, room=right - start)
