"""Renders poses of an armature's actions as rows of stick figures, seen from the side; runs in Blender."""

from pathlib import Path
from typing import Any

import numpy as np

COLUMNS = 9
COLORS = ((0.90, 0.35, 0.05, 1.0), (0.20, 0.55, 0.20, 1.0), (0.08, 0.30, 0.75, 1.0))
WIDTH, HEIGHT = 0.75, 1.25  # of a cell, in body heights
MARGIN = 0.4  # cells, for arms that reach ahead


def render(loom: Any, armature: Any, rows: list[tuple[Any, Any]], path: Path) -> None:
    """Render rows of (action, scene frames); every figure faces right. Changes the scene: save before."""
    import bpy

    scene = bpy.context.scene
    armature.hide_render = True
    body = loom("addon.bridge.rig").read(armature)
    tall = body.skeleton.height / body.world_metres
    for row, ((action, frames), color) in enumerate(zip(rows, COLORS, strict=True)):
        curves = loom("addon.bridge.curves")
        curves.assign(armature, action, curves.choose_slot(action, armature))
        floor = None
        for column, frame in enumerate(frames):
            scene.frame_set(int(frame), subframe=float(frame % 1.0))
            bones = facing_right(armature, body.skeleton)
            floor = bones[..., 2].min() if floor is None else floor
            place = np.array([column * WIDTH * tall, 0.0, -row * HEIGHT * tall - floor])
            add_mesh(bones + place, 0.02 * tall, color)
        add_label(action.name, 0.07 * tall, (-0.36 * tall, -row * HEIGHT * tall + 1.02 * tall), color)
    photograph((COLUMNS + MARGIN) * WIDTH * tall, len(rows) * HEIGHT * tall, WIDTH * tall, HEIGHT * tall, path)


def facing_right(armature: Any, skeleton: Any) -> Any:
    """Return head and tail of every bone (J, 2, 3), turned to face +x, the hips over the origin."""
    pose = [armature.pose.bones[name] for name in skeleton.names]
    world = np.array(armature.matrix_world)
    points = np.array([[bone.head, bone.tail] for bone in pose]) @ world[:3, :3].T + world[:3, 3]
    roles = skeleton.roles
    across = points[roles["thigh.R"], 0, :2] - points[roles["thigh.L"], 0, :2]
    c, s = across / np.linalg.norm(across)
    # The line from left to right thigh goes to −y, away from a camera that looks along +y.
    turn = np.array([[-s, c, 0.0], [-c, -s, 0.0], [0.0, 0.0, 1.0]])
    origin = np.append(points[roles["hips"], 0, :2], 0.0)
    return (points - origin) @ turn.T


def add_mesh(bones: Any, radius: float, color: tuple[float, ...]) -> None:
    """Add one object with a slim octahedron for every bone."""
    import bpy

    vertices, faces = [], []
    for head, tail in bones:
        along = tail - head
        if np.linalg.norm(along) < 1e-6:
            continue
        side = np.cross(along, (0.0, 1.0, 0.0) if abs(along[1]) < 0.9 * np.linalg.norm(along) else (1.0, 0.0, 0.0))
        side *= radius / np.linalg.norm(side)
        other = np.cross(along, side)
        other *= radius / np.linalg.norm(other)
        waist = head + 0.2 * along
        k = len(vertices)
        vertices += [head, tail, waist + side, waist + other, waist - side, waist - other]
        ring = [k + 2, k + 3, k + 4, k + 5]
        faces += [(end, ring[i], ring[(i + 1) % 4]) for end in (k, k + 1) for i in range(4)]
    mesh = bpy.data.meshes.new("Pose")
    mesh.from_pydata([tuple(v) for v in vertices], [], faces)
    figure = bpy.data.objects.new("Pose", mesh)
    figure.color = color
    bpy.context.scene.collection.objects.link(figure)


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
