"""Draw the stretches of a curve over the 3D view, with handles at their ends while these are dragged."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import bpy

from ...ground.blender_types import interface_scale, present, scene_of
from ...model import properties

if TYPE_CHECKING:
    from ....core.motion.quat import Array

SAMPLES = 400  # places along a curve
GRIP = 24.0  # pixels at an interface scale of 1 from which a handle is grabbed
LEAST = 1.0  # % of the curve, least length of a stretch
WIDTH, DOT = 6.0, 14.0  # pixels
COLOR, HANDLE = (0.3, 0.65, 1.0, 0.9), (1.0, 1.0, 1.0, 1.0)


class DrawnPath(NamedTuple):
    """A curve on the ground as evenly spaced places (K, 3) in scene units."""

    places: "Array"

    def at(self, percent: float) -> "Array":
        """Return the place (3,) at a percentage of the length."""
        place: Array = self.places[min(round(0.01 * percent * (len(self.places) - 1)), len(self.places) - 1)]
        return place


_shown: DrawnPath | None = None
_handlers: list[Any] = []


def drawn_path(curve: bpy.types.Object) -> DrawnPath:
    """Return a curve as drawn; raises LoomError for a curve that is no path."""
    import numpy as np

    from ...bridge import curve_path

    points, closed = curve_path.path(curve, 1.0)
    points = points[:, :2]
    if closed:
        points = np.concatenate([points, points[:1]])
    gone = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    even = np.linspace(0.0, gone[-1], SAMPLES)
    return DrawnPath(np.stack([*(np.interp(even, gone, side) for side in points.T), 0.0 * even], axis=1))


def show(path: DrawnPath) -> None:
    """Start to draw the panel's stretches along a curve."""
    global _shown
    _shown = path
    if not _handlers and not bpy.app.background:
        add = bpy.types.SpaceView3D.draw_handler_add
        _handlers.append(add(_draw, (), "WINDOW", "POST_PIXEL"))


def hide() -> None:
    """Stop drawing the stretches."""
    global _shown
    _shown = None
    for handler in _handlers:
        bpy.types.SpaceView3D.draw_handler_remove(handler, "WINDOW")
    _handlers.clear()


def nearest(
    path: DrawnPath, stretches: Sequence[Any], region: bpy.types.Region, mouse: tuple[float, float]
) -> tuple[int, str] | None:
    """Return the stretch index and the end, "start" or "end", nearest to the mouse, or None."""
    found, least = None, GRIP * interface_scale()
    for index, one in enumerate(stretches):
        for end in ("start", "end"):
            seen = _in_region(region, path.at(getattr(one, end)))
            if seen is None:
                continue
            away = ((seen[0] - mouse[0]) ** 2 + (seen[1] - mouse[1]) ** 2) ** 0.5
            if away < least:
                found, least = (index, end), away
    return found


def share_at(path: DrawnPath, region: bpy.types.Region, mouse: tuple[float, float]) -> float:
    """Return the share of the curve seen nearest to the mouse."""
    import numpy as np

    seen = [_in_region(region, place) for place in path.places]
    away = [np.inf if one is None else (one[0] - mouse[0]) ** 2 + (one[1] - mouse[1]) ** 2 for one in seen]
    return float(np.argmin(away)) / (len(path.places) - 1)


def _in_region(region: bpy.types.Region, place: "Array") -> tuple[float, float] | None:
    """Return a place's pixels in a 3D view's region; None behind the viewer."""
    from bpy_extras.view3d_utils import location_3d_to_region_2d
    from mathutils import Vector

    space = present(region.data)
    seen = location_3d_to_region_2d(region, space, Vector(place.tolist()))
    return None if seen is None else (float(seen[0]), float(seen[1]))


def _draw() -> None:
    import gpu
    from gpu_extras.batch import batch_for_shader

    context = bpy.context
    path, region = _shown, present(context.region)
    if path is None:
        return
    shader = gpu.shader.from_builtin("POLYLINE_UNIFORM_COLOR")
    shader.uniform_float("viewportSize", (region.width, region.height))
    gpu.state.blend_set("ALPHA")
    handles = []
    for one in properties.settings_of(scene_of(context)).stretches:
        first, last = (round(0.01 * share * (len(path.places) - 1)) for share in (one.start, one.end))
        seen = [_in_region(region, place) for place in path.places[first : last + 1]]
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
    """Do nothing: drawing starts with `show`."""


def unregister() -> None:
    hide()
