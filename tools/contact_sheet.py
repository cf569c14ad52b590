"""Renders the demo figure: a row of poses of its skin for each of its actions; build/demo/contact_sheet.png.

Arguments: the extension's zip and, if wanted, the picture's path. Runs in a Blender's Python.
"""

import sys
from pathlib import Path
from typing import Any

import in_blender
import numpy as np
import pose_strip

OUT = Path(__file__).resolve().parent.parent / "build" / "demo" / "contact_sheet.png"
COLUMNS = 9  # of three cycles, every pose is another moment
WIDTH, HEIGHT = 1.02, 2.02  # m, of a cell
# How far a figure that faces the camera is turned to its left, degrees: walks go to the right.
VIEWS = {"Wave": 12.0, "Turn Left": -15.0, "Turn Right": 15.0}
ASIDE = 62.0
INK = (0.1, 0.1, 0.1, 1.0)


def main(zip_path: str, out: Path) -> None:
    with in_blender.extension(zip_path) as loom:
        import bpy

        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        bpy.ops.action_loom.add_demo()
        armature = bpy.context.object
        body = next(child for child in armature.children if child.type == "MESH")
        for row, action in enumerate(sorted(bpy.data.actions, key=lambda a: (not a.use_cyclic, a.name))):
            curves = loom("addon.bridge.curves")
            curves.assign(armature, action, curves.choose_slot(action, armature))
            for column, frame in enumerate(frames_of(action)):
                add_pose(armature, body, frame, VIEWS.get(action.name, ASIDE), (column * WIDTH, -row * HEIGHT))
            place = (-0.48 * WIDTH, -row * HEIGHT + 0.88 * HEIGHT)
            pose_strip.add_label(action.name, 0.13, place, INK)
        ink = bpy.data.materials.new("Ink")
        ink.diffuse_color = INK
        for label in bpy.data.curves:
            label.materials.append(ink)
        armature.hide_render = body.hide_render = True
        out.parent.mkdir(parents=True, exist_ok=True)
        rows = len(bpy.data.actions)
        pose_strip.photograph(COLUMNS * WIDTH, rows * HEIGHT, WIDTH, HEIGHT, out)
        # Once more as the figure is dressed: pose strips are coloured by their objects.
        bpy.context.scene.display.shading.color_type = "MATERIAL"
        bpy.ops.render.render(write_still=True)


def frames_of(action: Any) -> Any:
    """Return evenly spaced frames; of one that repeats, without the closing one."""
    return np.linspace(*action.frame_range, COLUMNS, endpoint=not action.use_cyclic)


def add_pose(armature: Any, body: Any, frame: float, view: float, place: tuple[float, float]) -> None:
    """Add a copy of the skin as it is at a frame, its hips over the place (x, z) in the picture."""
    import bpy

    scene = bpy.context.scene
    scene.frame_set(int(frame), subframe=float(frame % 1.0))
    seen = body.evaluated_get(bpy.context.evaluated_depsgraph_get())
    posed = bpy.data.meshes.new_from_object(seen)
    vertices = np.empty(3 * len(posed.vertices), dtype=np.float32)
    posed.vertices.foreach_get("co", vertices)
    vertices = vertices.reshape(-1, 3) - np.array([*armature.pose.bones["hips"].head[:2], 0.0])
    c, s = np.cos(np.radians(view)), np.sin(np.radians(view))
    vertices = vertices @ np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]]) + (place[0], 0.0, place[1])
    posed.vertices.foreach_set("co", vertices.astype(np.float32).ravel())
    pose = bpy.data.objects.new("Pose", posed)
    scene.collection.objects.link(pose)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else OUT)
