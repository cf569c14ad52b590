"""Read a mesh as the ground of a driven body: its triangles as Blender shows them, with modifiers."""

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.drive import ground
from ...core.drive.ground import Ground
from ...core.errors import LoomError
from ...core.motion.quat import Array
from ..ground.blender_types import present, scene_of
from .stage import each_frame, on_stage

MOST = 200_000  # triangles


def read(drawn: bpy.types.Object, armature: bpy.types.Object, frame: float, *, metres: float, floor: float) -> Ground:
    """Return the ground of a mesh object as it is in a scene frame, in metres over a floor, whatever frame is current.

    metres : of a unit of the scene; floor : height in units of the scene. Raises LoomError for a missing object, and
    for a large mesh.
    """
    layer = present(bpy.context.view_layer)
    layer.update()
    if drawn not in set(layer.objects):  # after deletion in the viewport the panel still refers to it
        raise LoomError(f"{drawn.name} was deleted, or is not in this view layer: choose another")
    with on_stage(scene_of(bpy.context), armature, None, None, None, (drawn,)) as (stage, copies):
        for now in each_frame(stage, (frame,)):
            evaluated = copies[drawn].evaluated_get(now)
            vertices, corners = _triangles(evaluated)
            world = np.array(evaluated.matrix_world)
    if len(corners) > 3 * MOST:
        raise LoomError(
            f"{drawn.name} has {len(corners) // 3:,} triangles, but a ground {MOST:,} at most: choose a simpler mesh"
        )
    places = vertices.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3] - [0.0, 0.0, floor]
    rows = np.round(metres * places[corners].reshape(-1, 9), ground.DECIMALS)
    return ground.of_rows(rows.tolist())


def _triangles(evaluated: bpy.types.Object) -> tuple[Array, NDArray[np.int32]]:
    """Return the coordinates of an evaluated mesh's vertices, and the vertices of its triangles, each in one row."""
    mesh = present(evaluated.to_mesh())
    mesh.calc_loop_triangles()
    vertices, corners = np.empty(3 * len(mesh.vertices)), np.empty(3 * len(mesh.loop_triangles), dtype=np.int32)
    mesh.vertices.foreach_get("co", vertices)
    mesh.loop_triangles.foreach_get("vertices", corners)
    evaluated.to_mesh_clear()
    return vertices, corners
