"""The actions of a character as arrays, for `drives.py`; runs in a Blender's Python.

Arguments: the extension's zip, a glTF file, where the arrays go (NPZ), a folder that keeps the installed extension.
With several motion files instead of the glTF file: how long the actions that they become take until they are driven,
the first time and again, CPU s. Without any: what each sixtieth of a second takes on a figure of many vertices, CPU ms.
"""

import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import in_blender

VERTICES = 28_000


def main(zip_path: str, path: Path, out: Path, home: str) -> None:
    with in_blender.extension(zip_path, home) as loom:
        import bpy

        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        bpy.context.scene.render.fps = 30
        bpy.ops.import_scene.gltf(filepath=str(path))
        rig = next(one for one in bpy.data.objects if one.type == "ARMATURE")
        bpy.context.view_layer.objects.active = rig
        listed, reading = loom("addon.services.sources.source_list"), loom("core.recipes.reading")
        names = [action.name for action in bpy.data.actions if listed.moves(action, rig).bones]
        asked = reading.Request(sources=tuple(reading.Source(name=name) for name in names))
        read = loom("addon.services.weaving.reading").read(bpy.context, rig, asked)
        skeleton = read.body.skeleton
        arrays = {
            "parents": skeleton.parents,
            "offsets": skeleton.offsets,
            "orients": skeleton.orients,
            "tips": skeleton.tips,
            "names": np.array(skeleton.names),
            "roles": np.array(list(skeleton.roles.items())),
            "clips": np.array([clip.name for clip in read.clips]),
            "inherits": np.array(skeleton.inheritance is None),
        }
        for k, clip in enumerate(read.clips):
            arrays |= {f"r{k}": clip.rotations, f"t{k}": clip.translations, f"c{k}": np.array([clip.rate, clip.cyclic])}
        np.savez(out, **arrays)


def starts(zip_path: str, paths: list[str], out: Path, home: str) -> None:
    with in_blender.extension(zip_path, home) as loom:
        import bpy

        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        bpy.ops.action_loom.import_motion(files=[{"name": path} for path in paths])
        settings, driven = bpy.context.scene.action_loom, loom("addon.services.driving.driven")
        settings.mode = "drive"
        for line in settings.rigs[0].sources:
            line.use = True
        took = []
        for _ in range(2):
            began = time.process_time()
            driven.begun(bpy.context, bpy.context.object)
            took.append(time.process_time() - began)
        np.savez(out, took=np.array(took), actions=np.array(len(bpy.data.actions)))


def frames(zip_path: str, out: Path, home: str) -> None:
    with in_blender.extension(zip_path, home) as loom:
        import bpy

        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        bpy.ops.action_loom.add_demo()
        rig = next(one for one in bpy.data.objects if one.type == "ARMATURE")
        mesh = next(one for one in rig.children if one.type == "MESH")
        array = mesh.modifiers.new("Again", "ARRAY")
        array.count, array.use_relative_offset = -(-VERTICES // len(mesh.data.vertices)), False
        mesh.modifiers.move(len(mesh.modifiers) - 1, 0)
        with bpy.context.temp_override(object=mesh, active_object=mesh):
            bpy.ops.object.modifier_apply(modifier="Again")
        bpy.context.scene.action_loom.mode = "drive"
        for line in bpy.context.scene.action_loom.rigs[0].sources:
            line.use = True
        steering = loom("addon.interface.operators.steer").Steering(bpy.context, rig)
        took = []
        for k in range(600):
            if k % 100 == 0:
                steering.session.release()
                steering.session.key("WAWSDW"[k // 100], down=True, shift=k >= 300, ctrl=False)
            began = time.process_time()
            steering.tick(bpy.context, 1.0 / 60.0)
            bpy.context.view_layer.update()
            took.append(1000.0 * (time.process_time() - began))
        steering.leave(bpy.context)
        np.savez(out, took=np.percentile(took, [50, 99]), vertices=np.array(len(mesh.data.vertices)))


if __name__ == "__main__":
    zip_path, *paths, out, home = sys.argv[1:]
    if not paths:
        frames(zip_path, Path(out), home)
    elif len(paths) == 1:
        main(zip_path, Path(paths[0]), Path(out), home)
    else:
        starts(zip_path, paths, Path(out), home)
