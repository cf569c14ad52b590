"""The meshes of a character as Blender evaluates them, and pictures of them; for scripts that run in Blender."""

from pathlib import Path
from typing import Any

import numpy as np

INK = (0.1, 0.1, 0.1, 1.0)


def belongs(body: Any, rig: Any) -> bool:
    """Return whether a visible mesh is deformed by a rig or is a child of it."""
    bends = any(one.type == "ARMATURE" and one.object == rig for one in body.modifiers)
    return (bends or body.parent == rig) and not body.hide_render and not body.hide_get()


def evaluate_mesh(body: Any) -> tuple[Any, Any]:
    """Return a copy of the evaluated mesh, and its vertices (V, 3) in the world."""
    import bpy

    seen = body.evaluated_get(bpy.context.evaluated_depsgraph_get())
    posed = bpy.data.meshes.new_from_object(seen)
    vertices = np.empty(3 * len(posed.vertices), dtype=np.float32)
    posed.vertices.foreach_get("co", vertices)
    world = np.array(seen.matrix_world)
    return posed, vertices.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3]


def add_label(text: str, size: float, place: tuple[float, float], color: tuple[float, ...]) -> None:
    """Add a line of text that faces the camera."""
    import bpy

    curve = bpy.data.curves.new("Label", "FONT")
    curve.body, curve.size = text, size
    label = bpy.data.objects.new("Label", curve)
    label.location, label.rotation_euler = (place[0], 0.0, place[1]), (0.5 * np.pi, 0.0, 0.0)
    label.color = color
    bpy.context.scene.collection.objects.link(label)


def photograph(width: float, height: float, cell_width: float, cell_height: float, path: Path) -> None:
    """Render all of it with Workbench from the front, on white."""
    import bpy

    scene = bpy.context.scene
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.data.type = "ORTHO"
    camera.data.ortho_scale = max(width, height)
    camera.data.clip_end = 100.0 * width
    middle = (0.5 * (width - cell_width), -2.0 * width, 0.93 * cell_height - 0.5 * height)
    camera.location, camera.rotation_euler = middle, (0.5 * np.pi, 0.0, 0.0)
    scene.collection.objects.link(camera)
    scene.camera = camera
    render = scene.render
    render.engine = "BLENDER_WORKBENCH"
    scene.display.shading.light = "STUDIO"
    scene.display.shading.color_type = "OBJECT"
    scene.display.shading.show_cavity = True
    render.film_transparent = False
    scene.world = bpy.data.worlds.new("White")
    scene.world.color = (1.0, 1.0, 1.0)
    scene.display.shading.background_type = "WORLD"
    scene.view_settings.view_transform = "Standard"
    render.resolution_x, render.resolution_y = 1600, round(1600 * height / width)
    render.image_settings.file_format = "PNG"
    render.filepath = str(path)
    bpy.ops.render.render(write_still=True)
