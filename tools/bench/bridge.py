"""Times of reading and writing 60 bones × 1000 frames in the Blender that runs this; prints JSON.

Arguments: the extension's zip, the number of runs.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import in_blender
from timing import milliseconds

BONES, FRAMES = 60, 1000


def main(zip_path: str, runs: int) -> None:
    with in_blender.extension(zip_path) as loom:
        import bpy

        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        armature = chain()
        rig, clips, fingerprint = (loom(f"addon.bridge.{name}") for name in ("rig", "clip", "fingerprint"))
        body = rig.read(armature)
        clip = wandering(loom, body.skeleton)
        action = clips.write(armature, clip, body, first_frame=1.0)
        slot = loom("addon.bridge.curves").choose_slot(action, armature)

        def write() -> None:
            bpy.data.actions.remove(clips.write(armature, clip, body, first_frame=1.0))

        times = {
            "read the skeleton": round(milliseconds(lambda: rig.read(armature), runs), 1),
            "read to a clip": round(milliseconds(lambda: clips.read(armature, action, body, 24.0, slot), runs), 1),
            "write from a clip": round(milliseconds(write, runs), 1),
            "hash the curves": round(milliseconds(lambda: fingerprint.fingerprint(action, slot), runs), 1),
        }
        print("TIMES", json.dumps({"blender": bpy.app.version_string, "milliseconds": times}))


def chain() -> object:
    """An armature of BONES bones in quaternion mode; the first one travels."""
    import bpy

    data = bpy.data.armatures.new("Chain")
    armature = bpy.data.objects.new("Chain", data)
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    above = None
    for k in range(BONES):
        bone = data.edit_bones.new(f"bone{k}")
        bone.head, bone.tail = (0.0, 0.0, 0.03 * k), (0.0, 0.01, 0.03 * (k + 1))
        bone.parent = above
        above = bone
    bpy.ops.object.mode_set(mode="OBJECT")
    return armature


def wandering(loom: Callable[[str], object], skeleton: object) -> object:
    """A clip in which every bone turns and the first one moves."""
    rng = np.random.default_rng(0)
    vectors = 0.3 * np.cumsum(rng.normal(size=(FRAMES, BONES, 3)), axis=0) / np.sqrt(FRAMES)
    translations = np.zeros((FRAMES, BONES, 3))
    translations[:, 0] = 0.01 * np.arange(FRAMES)[:, None]
    rotations = loom("core.motion.quat").exp(vectors)
    return loom("core.motion.clip").Clip("wandering", skeleton, 24.0, rotations, translations)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
