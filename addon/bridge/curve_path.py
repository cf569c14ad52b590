"""Read a curve that an artist has drawn as a path."""

import bpy
import numpy as np

from ...core.errors import LoomError
from ...core.motion.quat import Array
from ..ground.blender_types import present, scene_of
from . import carriers


def path(drawn: bpy.types.Object | None, metres: float, frame: float | None = None) -> tuple[Array, bool]:
    """Return the points (K, 3) of a curve object, in world metres, and whether it is closed.

    Any type of spline, as Blender shows it with modifiers; `metres` is the length of one world unit. A curve that moves
    is where it is in a scene `frame`, None for now. Raises LoomError for anything but a single line, and for a curve
    that Blender does not evaluate.
    """
    if drawn is None or drawn.type != "CURVE":
        raise LoomError("Choose a curve object to walk along")
    layer = present(bpy.context.view_layer)
    layer.update()
    if drawn not in set(layer.objects):
        # After deletion in the viewport the object still exists, because the panel refers to it.
        raise LoomError(f"{drawn.name} was deleted, or is not in this view layer: choose another")
    splines = len(_data(drawn).splines)
    if splines != 1:
        raise LoomError(f"{drawn.name} has {splines} splines, but a path is one: separate or join them")
    points, closed = _line(drawn)
    if len(points) < 2:
        raise LoomError(f"{drawn.name} has no length: draw a longer path")
    scene = scene_of(bpy.context)
    world = carriers.place_in(scene, drawn, scene.frame_current if frame is None else frame)
    places = points @ world[:3, :3].T + world[:3, 3]
    return np.asarray(metres * places), closed


def drawn(curve: bpy.types.Object) -> tuple[float, ...]:
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


def _line(drawn: bpy.types.Object) -> tuple[Array, bool]:
    """Return the curve's points (K, 3) in object space, without bevel and extrusion, and whether it is closed."""
    data = _data(drawn)
    thick = data.bevel_depth or data.extrude or data.bevel_object
    shown = _thin(drawn) if thick else drawn
    try:
        present(bpy.context.view_layer).update()
        evaluated = shown.evaluated_get(bpy.context.evaluated_depsgraph_get())
        mesh = evaluated.to_mesh() if evaluated.is_evaluated else None
        if mesh is None:
            raise LoomError(f"{drawn.name} is disabled in viewports: enable it, so that Blender works it out")
        vertices, edges = np.empty(3 * len(mesh.vertices)), np.empty(2 * len(mesh.edges), dtype=np.int32)
        mesh.vertices.foreach_get("co", vertices)
        mesh.edges.foreach_get("vertices", edges)
        faces = len(mesh.polygons)
        evaluated.to_mesh_clear()
    finally:
        if shown is not drawn:
            thin = _data(shown)
            bpy.data.objects.remove(shown)
            bpy.data.curves.remove(thin)
    points, lines = len(vertices) // 3, len(edges) // 2
    if lines not in (points - 1, points) or faces:
        raise LoomError(f"{drawn.name} is no single line as its modifiers leave it: a path needs one")
    return vertices.reshape(-1, 3), lines == points


def _thin(drawn: bpy.types.Object) -> bpy.types.Object:
    """Return a copy of a curve without bevel and extrusion."""
    data = present(_data(drawn).copy())
    data.bevel_depth = data.extrude = 0.0
    data.bevel_object = None
    copy = present(drawn.copy())
    copy.data = data
    present(scene_of(bpy.context).collection).objects.link(copy)
    return copy
