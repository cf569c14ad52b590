"""The demo figure as a game character: gaits in place, in a file of another exporter; runs in a Blender's Python.

Arguments: the extension's zip, the file to write (.glb or .fbx), how its bones are named, and what scale its armature
object has. Bones are as much larger as that is smaller.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import in_blender

RATE = 30  # frames a second it is made at
GAITS = ("Walk", "Run", "Sneak")
MIXAMO = {
    "hips": "Hips", "spine": "Spine", "chest": "Spine1", "neck": "Neck", "head": "Head", "clavicle": "Shoulder",
    "upper_arm": "Arm", "forearm": "ForeArm", "hand": "Hand", "thigh": "UpLeg", "shin": "Leg", "foot": "Foot",
    "toe": "ToeBase",
}  # fmt: skip


def as_it_is(name: str, number: int) -> str:  # noqa: ARG001  (each way of naming is asked for a name and a number)
    return name


def mixamo(name: str, number: int) -> str:  # noqa: ARG001
    part, _, side = name.partition(".")
    return f"mixamorig:{ ({'L': 'Left', 'R': 'Right'}.get(side, '')) }{MIXAMO[part]}"


def numbered(name: str, number: int) -> str:
    part, _, side = name.partition(".")
    return f"{part.upper()}{'-' * bool(side)}{side}_{number:02d}"


NAMED: dict[str, Callable[[str, int], str]] = {"own": as_it_is, "mixamo": mixamo, "numbered": numbered}


def main(zip_path: str, path: Path, naming: str, scale: float) -> None:
    with in_blender.extension(zip_path) as loom:
        import bpy

        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        bpy.context.scene.render.fps = RATE
        rig = loom("addon.services.sources.demo").add(bpy.context)
        for name in GAITS:
            put_in_place(name)
        rename(rig, {bone.name: NAMED[naming](bone.name, number) for number, bone in enumerate(rig.data.bones)})
        if scale != 1.0:
            resize(rig, scale)
        export(path)


def put_in_place(name: str) -> None:
    """Let a gait of the demo walk on the spot, under its own name."""
    import bpy

    bpy.ops.action_loom.in_place(sources=[{"name": name, "weight": 1.0}], result_name="Still", assign=False)
    bpy.data.actions.remove(bpy.data.actions[name])
    bpy.data.actions["Still"].name = name


def rename(rig: Any, names: dict[str, str]) -> None:
    """Give bones other names; Blender itself lets only the action that is played follow."""
    for curve in every_curve():
        start, name, end = curve.data_path.split('"', 2)
        if name in names:
            curve.data_path = f'{start}"{names[name]}"{end}'
    for before, after in names.items():
        rig.data.bones[before].name = after


def every_curve() -> list[Any]:
    import bpy

    found: list[Any] = []
    for action in bpy.data.actions:
        found += action.fcurves if hasattr(action, "fcurves") else action.layers[0].strips[0].channelbags[0].fcurves
    return found


def resize(rig: Any, scale: float) -> None:
    """Give the armature object a scale, and what is in it the inverse: it looks as before."""
    from mathutils import Matrix

    larger = Matrix.Scale(1.0 / scale, 4)
    rig.data.transform(larger)
    for body in rig.children:
        body.data.transform(larger)
    for curve in every_curve():
        if curve.data_path.endswith("location"):
            for key in curve.keyframe_points:
                key.co.y /= scale
                key.handle_left.y /= scale
                key.handle_right.y /= scale
    rig.scale = (scale, scale, scale)


def export(path: Path) -> None:
    import bpy

    if path.suffix == ".fbx":
        bpy.ops.export_scene.fbx(filepath=str(path), bake_anim_use_nla_strips=False, add_leaf_bones=True)
    else:
        bpy.ops.export_scene.gltf(filepath=str(path), export_format="GLB", export_animation_mode="ACTIONS")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]).resolve(), sys.argv[3], float(sys.argv[4]))
