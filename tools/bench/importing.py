"""Time reading a BVH file, and compare with Blender's importer; prints JSON.

Runs inside Blender. Arguments: the extension's zip, the number of runs, the file.
"""

import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import in_blender
import line
from line import Case, Rival
from telling import tell

LONGEST = 8.0  # s
ROUNDING = 1e-5  # degrees and lengths
ARMATURE_ROUNDING = 1e-4  # values converted to radians in single precision


def main(zip_path: str, runs: int, path: str) -> None:
    with in_blender.extension(zip_path) as loom:
        import bpy

        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        theirs = import_module("io_anim_bvh.import_bvh")
        bvh = loom("core.formats.bvh")
        reading_alone = Rival(lambda: theirs.read_bvh(bpy.context, path)[0], values_apart, ROUNDING)
        whole = Rival(emptying(lambda: bpy.ops.import_anim.bvh(filepath=path)), keys_apart(loom), ARMATURE_ROUNDING)
        parse = Case(
            lambda: bvh.read(path), {"Blender, reading": lambda: reading_alone, "Blender, import": lambda: whole}
        )
        ours = emptying(lambda: bpy.ops.action_loom.import_motion(files=[{"name": path}]))
        importing = Case(ours, {"Blender, import": lambda: Rival(whole.work)})
        tell(
            {
                "bvh-blender": line.measure(parse, runs, LONGEST, time.thread_time),
                "import": line.measure(importing, runs, LONGEST, time.thread_time),
            },
            blender=bpy.app.version_string,
        )


def emptying(work: Callable[[], object]) -> Callable[[], Any]:
    """Return a function that removes all objects, runs `work`, and returns the new active object."""

    def emptied() -> Any:
        import bpy

        bpy.data.batch_remove([*bpy.data.objects, *bpy.data.armatures, *bpy.data.actions])
        work()
        return bpy.context.object

    return emptied


def columns(ours: Any) -> list[list[int]]:
    """Return for each joint its columns in the file, in Blender's order of channels; −1 marks a missing channel."""
    order = [f"{axis}{kind}" for kind in ("position", "rotation") for axis in "XYZ"]
    out, first = [], 0
    for names in ours.channels:
        out.append([first + names.index(name) if name in names else -1 for name in order])
        first += len(names)
    return out


def values_apart(ours: Any, theirs: dict[str, Any]) -> float:
    """Return the largest difference of values; Blender's angles are in radians, and its first row is an extra frame."""
    worst = 0.0
    for name, at in zip(ours.names, columns(ours), strict=True):
        kept = np.array(theirs[name].anim_data[1:])
        kept[:, 3:] = np.degrees(kept[:, 3:])
        there = [k for k, column in enumerate(at) if column >= 0]
        worst = max(worst, float(np.abs(ours.values[:, [at[k] for k in there]] - kept[:, there]).max()))
    return worst


def keys_apart(loom: Callable[[str], Any]) -> Callable[[Any, Any], float]:
    """Return a function that compares the file with the importer's action: the largest difference in degrees."""

    def apart(ours: Any, armature: Any) -> float:
        curves = loom("addon.bridge.curves")
        action = armature.animation_data.action
        turns = curves.transforms(curves.curves_of(action, curves.choose_slot(action, armature)))
        frames = np.arange(1.0, len(ours.values) + 1.0)
        return max(
            rotation_apart(
                loom, ours, at, armature.pose.bones[name], turns[curves.Target(name, "rotation_euler")], frames
            )
            for name, at in zip(ours.names, columns(ours), strict=True)
        )

    return apart


def rotation_apart(
    loom: Callable[[str], Any], ours: Any, at: list[int], bone: Any, keyed: dict[int, Any], frames: np.ndarray
) -> float:
    """Return the largest difference (degrees) of one bone's rotation angle; Blender's rotations are in bone axes."""
    quat, curves = loom("core.motion.quat"), loom("addon.bridge.curves")
    names = [name for name in ours.channels[ours.names.index(bone.name)] if name.endswith("rotation")]
    angles = np.stack([ours.values[:, at[3 + "XYZ".index(name[0])]] for name in names], axis=-1)
    in_file = quat.from_euler(np.radians(angles), "".join(name[0] for name in names))
    euler = np.stack([curves.sample(keyed[k], frames) for k in range(3)], axis=-1)
    in_blender_ = loom("core.motion.rotation_modes").to_quaternion(euler, bone.rotation_mode)
    # The angle of a rotation does not depend on the axes.
    one, other = (2.0 * np.degrees(np.arccos(np.clip(np.abs(q[:, 0]), 0.0, 1.0))) for q in (in_file, in_blender_))
    return float(np.abs(one - other).max())


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
