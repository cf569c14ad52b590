"""The meshes of a character as Blender evaluates them; for scripts that run in a Blender's Python."""

from typing import Any

import numpy as np

INK = (0.1, 0.1, 0.1, 1.0)


def belongs(body: Any, rig: Any) -> bool:
    """Return whether a visible mesh is deformed by a rig or is a child of it."""
    bends = any(one.type == "ARMATURE" and one.object == rig for one in body.modifiers)
    return (bends or body.parent == rig) and not body.hide_render and not body.hide_get()


def measure_size(bodies: list[Any], turn: Any) -> tuple[float, float]:
    """Return the width and the height of the meshes as a camera sees them that `turn` (3, 3) turns them to."""
    wide, _, tall = np.ptp(np.concatenate([evaluate_mesh(body)[1] for body in bodies]) @ turn.T, axis=0)
    return max(float(wide), 0.7 * float(tall)), float(tall)


def evaluate_mesh(body: Any) -> tuple[Any, Any]:
    """Return a copy of the evaluated mesh, and its vertices (V, 3) in the world."""
    import bpy

    seen = body.evaluated_get(bpy.context.evaluated_depsgraph_get())
    posed = bpy.data.meshes.new_from_object(seen)
    vertices = np.empty(3 * len(posed.vertices), dtype=np.float32)
    posed.vertices.foreach_get("co", vertices)
    world = np.array(seen.matrix_world)
    return posed, vertices.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3]
