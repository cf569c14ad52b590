"""A curve that an artist has drawn, as a path on the ground."""

from typing import Any

import bpy
import numpy as np

from ...core.errors import LoomError
from ...core.motion.quat import Array


def path(drawn: Any, metres: float) -> tuple[Array, bool]:
    """Return the points (K, 2) of a curve object on the ground, in world metres, and whether it is closed.

    Of any type of spline, as Blender shows it, modifiers included; `metres` in a unit of the world. Raises LoomError
    for what is no single line, and for a curve that Blender does not show.
    """
    if drawn is None or drawn.type != "CURVE":
        raise LoomError("Choose a curve object to walk along")
    bpy.context.view_layer.update()
    if drawn not in set(bpy.context.view_layer.objects):
        # Deleted in the viewport it still exists, because the panel names it.
        raise LoomError(f"{drawn.name} was deleted, or is not in this view layer: choose another curve")
    splines = len(drawn.data.splines)
    if splines != 1:
        raise LoomError(f"{drawn.name} has {splines} splines, but a path is one: separate or join them")
    points, closed = _line(drawn)
    if len(points) < 2:
        raise LoomError(f"{drawn.name} has no length: draw a longer path")
    world = np.array(drawn.matrix_world)
    places = points @ world[:3, :3].T + world[:3, 3]
    return np.asarray(metres * places[:, :2]), closed


def _line(drawn: Any) -> tuple[Array, bool]:
    """Points (K, 3) in the object's space of the curve without anything that makes it thick, and whether it closes."""
    thick = drawn.data.bevel_depth or drawn.data.extrude or drawn.data.bevel_object
    shown = _thin(drawn) if thick else drawn
    try:
        bpy.context.view_layer.update()
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
            data = shown.data
            bpy.data.objects.remove(shown)
            bpy.data.curves.remove(data)
    points, lines = len(vertices) // 3, len(edges) // 2
    if lines not in (points - 1, points) or faces:
        raise LoomError(f"{drawn.name} is no single line as its modifiers leave it: a path needs one")
    return vertices.reshape(-1, 3), lines == points


def _thin(drawn: Any) -> Any:
    """A copy of a curve that is a line only."""
    data = drawn.data.copy()
    data.bevel_depth = data.extrude = 0.0
    data.bevel_object = None
    copy = drawn.copy()
    copy.data = data
    bpy.context.scene.collection.objects.link(copy)
    return copy
