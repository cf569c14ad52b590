"""Place a pad in the 3D view, and draw its dots and fields."""

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

import bpy

from ...ground.blender_types import interface_scale, present

RADIUS = 70.0  # pixels at interface scale 1
MARGIN = 60.0  # from the left and the lower edge of the view
NAMES = 80.0  # room for the names beside it
GRIP = 1.2  # radii within which a mouse event is the pad's
DOT, CORNER = 7.0, 5.0
FIELD, EDGE, INK = (0.1, 0.1, 0.1, 0.6), (0.6, 0.6, 0.6, 1.0), (1.0, 1.0, 1.0, 1.0)

Place = tuple[float, float]
Paint = tuple[float, ...]


def centre(context: bpy.types.Context) -> Place:
    """Return the centre of a pad in a context's region, in pixels: lower left, beside the toolbar."""
    middle = (RADIUS + MARGIN) * interface_scale()
    tools = next((one for one in present(context.area).regions if one.type == "TOOLS"), None)
    return middle + (tools.width if tools is not None and tools.width > 1 else 0), middle


def right_edge(context: bpy.types.Context) -> float:
    """Return the place, in pixels from the left, where a pad and its names end."""
    return centre(context)[0] + (RADIUS + NAMES) * interface_scale()


def is_near(context: bpy.types.Context, place: Sequence[float]) -> bool:
    """Return whether a place in the region is on its pad."""
    x, y = centre(context)
    return math.hypot(place[0] - x, place[1] - y) < GRIP * RADIUS * interface_scale()


def on_pad(context: bpy.types.Context, event: bpy.types.Event) -> Place:
    """Return the mouse's place on the pad, whose radius is 1."""
    (x, y), radius = centre(context), RADIUS * interface_scale()
    return (event.mouse_region_x - x) / radius, (event.mouse_region_y - y) / radius


def disc(at: Place, radius: float) -> list[Place]:
    """Return the outline of a disc, for `painter`."""
    turns = [2.0 * math.pi * k / 24 for k in range(24)]
    return [(at[0] + radius * math.cos(turn), at[1] + radius * math.sin(turn)) for turn in turns]


def painter() -> tuple[Callable[[Sequence[Place], Paint], None], Callable[[Sequence[Place], Paint], None]]:
    """Return a function that fills a convex outline and one that draws it; only for use while drawing."""
    import gpu
    from gpu_extras.batch import batch_for_shader

    shader = gpu.shader.from_builtin("UNIFORM_COLOR")

    def fill(around: Sequence[Place], color: Paint) -> None:
        shader.uniform_float("color", color)
        fan = [place for one, other in pairwise(around[1:]) for place in (around[0], one, other)]
        batch_for_shader(shader, "TRIS", {"pos": fan}).draw(shader)

    def line(around: Sequence[Place], color: Paint) -> None:
        shader.uniform_float("color", color)
        batch_for_shader(shader, "LINE_STRIP", {"pos": [*around, around[0]]}).draw(shader)

    return fill, line
