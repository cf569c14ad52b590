"""The part of `make demo` that runs in Blender: imports two files, weaves them and saves the outcome.

Arguments: the extension's zip, the output folder, two BVH files.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import in_blender

Loom = Callable[[str], ModuleType]


def main(zip_path: str, out: Path, files: list[Path]) -> None:
    with in_blender.extension(zip_path) as loom:
        import bpy

        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        armature, actions = import_onto_one(loom, files)
        sources = [{"name": action.name, "weight": 0.5} for action in actions]
        bpy.ops.action_loom.blend("EXEC_DEFAULT", sources=sources, result_name="Blended")
        result = armature.animation_data.action
        export(loom, armature, result, out / "blended_in_blender.bvh", files[0])
        scene = bpy.context.scene
        scene.frame_start, scene.frame_end = (round(frame) for frame in result.frame_range)
        scene.frame_set(scene.frame_start)
        bpy.ops.wm.save_as_mainfile(filepath=str(out / "blended.blend"), check_existing=False)


def rate_of(scene: Any) -> float:
    return float(scene.render.fps / scene.render.fps_base)


def import_onto_one(loom: Loom, files: list[Path]) -> tuple[Any, list[Any]]:
    """Import the files with Blender's importer; the second one's motion becomes an action of the first armature."""
    import bpy

    rig, clips = loom("addon.bridge.rig"), loom("addon.bridge.clip")
    armatures = []
    for path in files:
        bpy.ops.import_anim.bvh(filepath=str(path), update_scene_fps=True, rotate_mode="NATIVE")
        armatures.append(bpy.context.object)
    armature, other = armatures
    first, second = armature.animation_data.action, other.animation_data.action
    body = rig.read(armature)
    source = clips.read(other, second, rig.read(other), rate_of(bpy.context.scene))
    name = second.name
    bpy.data.objects.remove(other)
    bpy.data.actions.remove(second)
    clip = loom("core.motion.retarget").onto(source.clip, body.skeleton)
    moved = clips.write(armature, clip, body, first_frame=source.first_frame, targets=source.targets)
    moved.name = name
    bpy.context.view_layer.objects.active = armature
    return armature, [first, moved]


def export(loom: Loom, armature: Any, action: Any, path: Path, like: Path) -> None:
    """Write an action as BVH, with the units and channels of the file that the armature was imported from."""
    import bpy

    bvh = loom("core.formats.bvh")
    body = loom("addon.bridge.rig").read(armature)
    source = loom("addon.bridge.clip").read(armature, action, body, rate_of(bpy.context.scene))
    original = bvh.read(like)
    _, convention = bvh.to_clip(original)
    bvh.write(bvh.from_clip(source.clip, original, convention), path)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), [Path(argument) for argument in sys.argv[3:]])
