"""Where the stretches of a curve are, drawn over the 3D view with handles at their ends, while these are dragged."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import bpy

from ...ground.blender_types import interface_scale, present, scene_of
from ...model import properties

if TYPE_CHECKING:
    from ....core.motion.quat import Array

SAMPLES = 400  # of a curve
GRIP = 24.0  # pixels at an interface scale of 1; a handle is held from this near
LEAST = 1.0  # % of the curve, from one end of a stretch to the other
WIDTH, DOT = 6.0, 14.0  # pixels
COLOR, HANDLE = (0.3, 0.65, 1.0, 0.9), (1.0, 1.0, 1.0, 1.0)


@dataclass(frozen=True, eq=False)
class Way:
    """A curve on the ground: places (K, 3) in units of the scene, even in length."""

    places: "Array"

    def at(self, percent: float) -> "Array":
        """The place (3,) at so many % of it."""
        place: Array = self.places[min(round(0.01 * percent * (len(self.places) - 1)), len(self.places) - 1)]
        return place


_shown: Way | None = None
_handlers: list[Any] = []


def way_of(curve: bpy.types.Object) -> Way:
    """Return a curve as it is drawn; raises LoomError for what is no path."""
    import numpy as np

    from ...bridge import curve_path

    points, closed = curve_path.path(curve, 1.0)
    points = points[:, :2]
    if closed:
        points = np.concatenate([points, points[:1]])
    gone = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    even = np.linspace(0.0, gone[-1], SAMPLES)
    return Way(np.stack([np.interp(even, gone, points[:, 0]), np.interp(even, gone, points[:, 1]), 0.0 * even], axis=1))


def show(way: Way) -> None:
    """Draw the stretches of the panel along a curve from now on."""
    global _shown
    _shown = way
    if not _handlers and not bpy.app.background:
        add = bpy.types.SpaceView3D.draw_handler_add
        _handlers.append(add(_draw, (), "WINDOW", "POST_PIXEL"))


def hide() -> None:
    """Draw them no more."""
    global _shown
    _shown = None
    for handler in _handlers:
        bpy.types.SpaceView3D.draw_handler_remove(handler, "WINDOW")
    _handlers.clear()


def nearest(
    way: Way, stretches: Sequence[Any], region: bpy.types.Region, mouse: tuple[float, float]
) -> tuple[int, str] | None:
    """Return which stretch's which end, "start" or "end", is near the mouse, or None."""
    found, least = None, GRIP * interface_scale()
    for index, one in enumerate(stretches):
        for end in ("start", "end"):
            seen = _in_region(region, way.at(getattr(one, end)))
            if seen is None:
                continue
            away = ((seen[0] - mouse[0]) ** 2 + (seen[1] - mouse[1]) ** 2) ** 0.5
            if away < least:
                found, least = (index, end), away
    return found


def share_at(way: Way, region: bpy.types.Region, mouse: tuple[float, float]) -> float:
    """Return the share of the curve that is seen nearest to the mouse."""
    import numpy as np

    seen = [_in_region(region, place) for place in way.places]
    away = [np.inf if one is None else (one[0] - mouse[0]) ** 2 + (one[1] - mouse[1]) ** 2 for one in seen]
    return float(np.argmin(away)) / (len(way.places) - 1)


def _in_region(region: bpy.types.Region, place: "Array") -> tuple[float, float] | None:
    """Where a place is seen in a region of a 3D view, in pixels; None behind the viewer."""
    from bpy_extras.view3d_utils import location_3d_to_region_2d
    from mathutils import Vector

    space = present(region.data)
    seen = location_3d_to_region_2d(region, space, Vector(place.tolist()))
    return None if seen is None else (float(seen[0]), float(seen[1]))


def _draw() -> None:
    import gpu
    from gpu_extras.batch import batch_for_shader

    context = bpy.context
    way, region = _shown, present(context.region)
    if way is None:
        return
    shader = gpu.shader.from_builtin("POLYLINE_UNIFORM_COLOR")
    shader.uniform_float("viewportSize", (region.width, region.height))
    gpu.state.blend_set("ALPHA")
    handles = []
    for one in properties.settings_of(scene_of(context)).stretches:
        first, last = (round(0.01 * share * (len(way.places) - 1)) for share in (one.start, one.end))
        seen = [_in_region(region, place) for place in way.places[first : last + 1]]
        line = [(*place, 0.0) for place in seen if place is not None]
        if len(line) > 1:
            shader.uniform_float("lineWidth", WIDTH * interface_scale())
            shader.uniform_float("color", COLOR)
            batch_for_shader(shader, "LINE_STRIP", {"pos": line}).draw(shader)
            handles += [line[0], line[-1]]
    shader.uniform_float("lineWidth", DOT * interface_scale())
    shader.uniform_float("color", HANDLE)
    half = 0.5 * DOT * interface_scale()
    for x, y, _ in handles:
        batch_for_shader(shader, "LINES", {"pos": [(x - half, y, 0.0), (x + half, y, 0.0)]}).draw(shader)
    gpu.state.blend_set("NONE")


def register() -> None:
    """Nothing is drawn before it is asked for."""


def unregister() -> None:
    hide()
