"""Read a curve that an artist has drawn as a path."""

import bpy
import numpy as np

from ...core.errors import LoomError
from ...core.motion.quat import Array
from ..ground.blender_types import present, scene_of
from . import carriers
from .stage import each_frame, on_itself


def path(drawn: bpy.types.Object | None, metres: float, frame: float | None = None) -> tuple[Array, bool]:
    """Return the points (K, 3) of a curve object, in world metres, and whether it is closed.

    Any type of spline, as Blender shows it with modifiers; `metres` is the length of one world unit. A curve that moves
    or changes its shape is as it is in a scene `frame`, None for now. Raises LoomError for anything but a single line,
    and for a curve that Blender does not evaluate.
    """
    points, closed, world = line(drawn, frame)
    return np.asarray(metres * (points @ world[:3, :3].T + world[:3, 3])), closed


def line(drawn: bpy.types.Object | None, frame: float | None) -> tuple[Array, bool, Array]:
    """Return a curve's points (K, 3) in object space, whether it is closed, and its world matrix (4, 4).

    All are of a scene frame, None for now. Raises LoomError as `path` does.
    """
    if drawn is None or drawn.type != "CURVE":
        raise LoomError("Choose a curve to walk along")
    layer = present(bpy.context.view_layer)
    layer.update()
    if drawn not in set(layer.objects):
        # After deletion in the viewport the object still exists, because the panel refers to it.
        raise LoomError(f"{drawn.name} was deleted, or is not in this view layer: choose another")
    splines = len(_data(drawn).splines)
    if splines != 1:
        raise LoomError(f"{drawn.name} has {splines} splines, but a path is one: separate or join them")
    points, closed, world = _line(drawn, frame)
    if len(points) < 2:
        raise LoomError(f"{drawn.name} has no length: draw a longer path")
    return points, closed, world


def note_shape(drawn: bpy.types.Object, metres: float, begins: float, frames: Array) -> str:
    """Return a warning if a curve deforms while a walk follows the shape of one frame, or "" if it does not.

    begins : scene frame of the walk's shape; frames (F,) : in which the walk plays; a few of them are compared
    """
    if not _can_change(drawn):
        return ""
    points, _, world = line(drawn, begins)
    for frame in np.linspace(frames[0], frames[-1], carriers.SAMPLE):
        now, *_ = line(drawn, float(frame))
        if now.shape != points.shape or metres * np.abs((now - points) @ world[:3, :3].T).max() > carriers.MOVES:
            return f"{drawn.name} changes its shape: the walk keeps to its shape at frame {begins:g}"
    return ""


def curve_state(curve: bpy.types.Object) -> tuple[float, ...]:
    """Return numbers that change when a curve object or its points move; modifiers do not count."""
    numbers: list[float] = [value for row in curve.matrix_world[:] for value in row[:]]
    for spline in _data(curve).splines:
        for collection, name, size in (
            (spline.bezier_points, "co", 3),
            (spline.bezier_points, "handle_left", 3),
            (spline.bezier_points, "handle_right", 3),
            (spline.points, "co", 4),
        ):
            found = [0.0] * (size * len(collection))
            collection.foreach_get(name, found)
            numbers += found
    return tuple(numbers)


def _data(drawn: bpy.types.Object) -> bpy.types.Curve:
    data = drawn.data
    assert isinstance(data, bpy.types.Curve)
    return data


def _can_change(drawn: bpy.types.Object) -> bool:
    """Return whether a curve may have another shape in another frame."""
    data = _data(drawn)
    return data.animation_data is not None or data.shape_keys is not None or bool(drawn.modifiers)


def _line(drawn: bpy.types.Object, frame: float | None) -> tuple[Array, bool, Array]:
    """Return the curve as `line` does, without bevel and extrusion."""
    data = _data(drawn)
    thick = data.bevel_depth or data.extrude or data.bevel_object
    shown = _thin(drawn) if thick else drawn
    try:
        present(bpy.context.view_layer).update()
        if frame is not None and (carriers.can_move(drawn) or _can_change(drawn)):
            scene = scene_of(bpy.context)
            with on_itself(scene, shown) as (stage, _):
                for now in each_frame(stage, [frame]):
                    return _evaluated_line(drawn, shown, now)
        return _evaluated_line(drawn, shown, bpy.context.evaluated_depsgraph_get())
    finally:
        if shown is not drawn:
            thin = _data(shown)
            bpy.data.objects.remove(shown)
            bpy.data.curves.remove(thin)


def _evaluated_line(
    drawn: bpy.types.Object, shown: bpy.types.Object, now: bpy.types.Depsgraph
) -> tuple[Array, bool, Array]:
    evaluated = shown.evaluated_get(now)
    mesh = evaluated.to_mesh() if evaluated.is_evaluated else None
    if mesh is None:
        raise LoomError(f"{drawn.name} is disabled in viewports: enable it, so that Blender works it out")
    vertices, edges = np.empty(3 * len(mesh.vertices)), np.empty(2 * len(mesh.edges), dtype=np.int32)
    mesh.vertices.foreach_get("co", vertices)
    mesh.edges.foreach_get("vertices", edges)
    faces = len(mesh.polygons)
    evaluated.to_mesh_clear()
    points, lines = len(vertices) // 3, len(edges) // 2
    if lines not in (points - 1, points) or faces:
        raise LoomError(f"{drawn.name} is no single line as its modifiers leave it: a path needs one")
    return vertices.reshape(-1, 3), lines == points, np.array(evaluated.matrix_world)


def _thin(drawn: bpy.types.Object) -> bpy.types.Object:
    """Return a copy of a curve without bevel and extrusion."""
    data = present(_data(drawn).copy())
    data.bevel_depth = data.extrude = 0.0
    data.bevel_object = None
    copy = present(drawn.copy())
    copy.data = data
    present(scene_of(bpy.context).collection).objects.link(copy)
    return copy
