"""What an artist sees of a character: rows of its skin in what each verb made of its clips; runs in a Blender's Python.

Arguments: the extension's zip, a glTF or FBX file, the scene's frames a second, and the picture's path.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import characters_in_blender
import in_blender
import numpy as np
import pose_strip

COLUMNS = 9
INK = (0.1, 0.1, 0.1, 1.0)
TOWARDS = np.radians(20.0)  # the camera
WIDTH, HEIGHT = 1.05, 1.5  # of a cell, in widths and heights of the mesh


def main(zip_path: str, path: Path, fps: int, out: Path) -> None:
    with in_blender.extension(zip_path) as loom:
        import bpy

        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        bpy.context.scene.render.fps = fps
        characters_in_blender.load(path)
        rig = next(one for one in bpy.data.objects if one.type == "ARMATURE")
        bpy.context.view_layer.objects.active = rig
        character = characters_in_blender.Character(loom, rig, path.stem)
        made = {name: weave() for name, weave in verbs(character).items()}
        bodies = [one for one in bpy.data.objects if one.type == "MESH" and belongs(one, rig)]
        turn = to_the_right(loom, character)
        wide, tall = size(bodies, turn)
        for row, (name, action) in enumerate(made.items()):
            place = (-0.48 * WIDTH * wide, (1.25 - row * HEIGHT) * tall)
            pose_strip.add_label(f"{name}: {action.name if action else 'refused'}", 0.09 * tall, place, INK)
            if action:
                add_row(loom, character, action, bodies, turn, -row * HEIGHT * tall, WIDTH * wide)
        for one in (*bodies, rig):
            one.hide_render = True
        out.parent.mkdir(parents=True, exist_ok=True)
        pose_strip.photograph(COLUMNS * WIDTH * wide, len(made) * HEIGHT * tall, WIDTH * wide, HEIGHT * tall, out)


def verbs(character: Any) -> dict[str, Callable[[], Any]]:
    """Return what is tried, and how its action is made; None where it is refused."""
    c, each = character, [{"name": name, "weight": 1.0} for name in (character.walk, character.run)]
    pairs = {
        "blend": ("blend", each, {}),
        "loop": ("loop", each[:1], {"whole": "yes", "repeat": 2}),
        "connect": ("connect", [{"name": name, "weight": 1.0} for name in (c.idle, c.walk)], {"add_root_motion": "no"}),
        "splice": ("splice", [{"name": name, "weight": 1.0} for name in (c.walk, c.arms)], {}),
        "travel": ("travel", each[:1], {}),
    }
    return {name: lambda asked=asked: woven(*asked) for name, asked in pairs.items()}


def woven(verb: str, sources: list[dict[str, Any]], options: dict[str, Any]) -> Any:
    import bpy

    name = f"{verb} of {' and '.join(str(one['name']) for one in sources)}"
    try:
        getattr(bpy.ops.action_loom, verb)(sources=sources, result_name=name, assign=False, **options)
    except RuntimeError as error:
        print(error)
        return None
    return bpy.data.actions[name]


def belongs(body: Any, rig: Any) -> bool:
    """Say whether a mesh is of a rig: deformed by it, or hung on one of its bones."""
    bends = any(one.type == "ARMATURE" and one.object == rig for one in body.modifiers)
    return (bends or body.parent == rig) and not body.hide_render and not body.hide_get()


def to_the_right(loom: Any, character: Any) -> Any:
    """Return the matrix (3, 3) that turns a character so that it faces to the right, and a little to the camera."""
    angle = -0.5 * np.pi - TOWARDS - loom("core.motion.root_motion").rest_heading(character.body)
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def size(bodies: list[Any], turn: Any) -> tuple[float, float]:
    """Return how wide and how high the meshes are as they are seen."""
    wide, _, tall = np.ptp(np.concatenate([vertices_of(body)[1] for body in bodies]) @ turn.T, axis=0)
    return max(float(wide), 0.7 * float(tall)), float(tall)


def vertices_of(body: Any) -> tuple[Any, Any]:
    """Return the mesh as it is seen now, and its vertices (V, 3) in the world."""
    import bpy

    seen = body.evaluated_get(bpy.context.evaluated_depsgraph_get())
    posed = bpy.data.meshes.new_from_object(seen)
    vertices = np.empty(3 * len(posed.vertices), dtype=np.float32)
    posed.vertices.foreach_get("co", vertices)
    world = np.array(seen.matrix_world)
    return posed, vertices.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3]


def add_row(loom: Any, character: Any, action: Any, bodies: list[Any], turn: Any, level: float, width: float) -> None:
    """Add copies of the skin at frames of an action, evenly spaced, each over its own place in the row."""
    import bpy

    scene, rig = bpy.context.scene, character.rig
    curves = loom("addon.bridge.curves")
    curves.assign(rig, action, curves.choose_slot(action, rig))
    hips = rig.pose.bones[character.body.names[character.body.roles["hips"]]]
    for column, frame in enumerate(np.linspace(*action.frame_range, COLUMNS)):
        scene.frame_set(int(frame), subframe=float(frame % 1.0))
        origin = np.array([*(rig.matrix_world @ hips.head)[:2], 0.0])
        for body in bodies:
            posed, vertices = vertices_of(body)
            vertices = (vertices - origin) @ turn.T + (column * width, 0.0, level)
            posed.vertices.foreach_set("co", vertices.astype(np.float32).ravel())
            pose = bpy.data.objects.new("Pose", posed)
            pose.color = (0.45, 0.55, 0.70, 1.0)
            scene.collection.objects.link(pose)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]).resolve(), int(sys.argv[3]), Path(sys.argv[4]).resolve())
