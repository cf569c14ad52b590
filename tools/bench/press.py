"""From pressing Weave to the new action: 3 sources × 600 frames × 60 bones, in the Blender that runs this; prints JSON.

Arguments: the extension's zip, the number of runs.
"""

import cProfile
import json
import pstats
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import in_blender
from timing import milliseconds

BONES, FRAMES = 60, 600
NAMES = ("Walk", "Sneak", "Run")


def main(zip_path: str, runs: int) -> None:
    with in_blender.extension(zip_path) as loom:
        import bpy

        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        bpy.context.scene.render.fps = 60
        armature = figure_with_more_bones()
        for name in NAMES:
            long_action(loom, armature, name)
        weights = iter(np.linspace(0.1, 5.0, 1000))

        def press(**changes: object) -> None:
            sources = [{"name": f"{name} long", "weight": float(next(weights))} for name in NAMES]
            bpy.ops.action_loom.blend(sources=sources, ends="pinned", result_name="New", **changes)
            bpy.data.actions.remove(bpy.data.actions["New"])

        def anew() -> None:
            loom("addon.remembered").forget()
            press()

        started = perf_counter()
        press()
        first = 1000.0 * (perf_counter() - started)
        times = {
            "first press": round(first, 1),
            "press, everything anew": round(milliseconds(anew, runs), 1),
            "press, registration known (redo)": round(milliseconds(press, runs), 1),
        }
        print("TIMES", json.dumps({"blender": bpy.app.version_string, "milliseconds": times}))
        if "--profile" in sys.argv:
            profile(anew)


def profile(press: Callable[[], None]) -> None:
    watch = cProfile.Profile()
    watch.runcall(press)
    pstats.Stats(watch).sort_stats("cumtime").print_stats(30)


def figure_with_more_bones() -> object:
    """The demo figure with bones on its hands until there are BONES."""
    import bpy

    bpy.ops.action_loom.add_demo()
    armature = bpy.context.object
    bpy.ops.object.mode_set(mode="EDIT")
    bones = armature.data.edit_bones
    ends = [bone for bone in bones if not bone.children]
    for k in range(BONES - len(bones)):
        bone, above = bones.new(f"more{k}"), ends[k % len(ends)]
        bone.head, bone.tail, bone.parent = above.tail, above.tail + above.vector * 0.2, above
    bpy.ops.object.mode_set(mode="OBJECT")
    for bone in armature.pose.bones:
        bone.rotation_mode = "QUATERNION"
    return armature


def long_action(loom: Callable[[str], object], armature: object, name: str) -> None:
    """An action of FRAMES frames with a key on each, of a demo action played slowly, for all bones."""
    import bpy

    rigs, clips = loom("addon.bridge.rig"), loom("addon.bridge.clip")
    body = rigs.read(armature)
    short = clips.read(armature, bpy.data.actions[name], body, 60.0).clip
    frames = np.linspace(0.0, len(short) - 1.0, FRAMES)
    long = loom("core.motion.resample").sample(short, frames)
    wiggle = 0.1 * np.sin(np.linspace(0.0, 20.0, FRAMES))[:, None] * np.arange(1, BONES + 1) / BONES
    more = [k for k, bone in enumerate(body.skeleton.names) if bone.startswith("more")]
    rotations = long.rotations.copy()
    rotations[:, more] = loom("core.motion.quat").about_axis("X", wiggle[:, more])
    clip = loom("core.motion.clip").Clip(f"{name} long", body.skeleton, 60.0, rotations, long.translations)
    every = frozenset(loom("addon.bridge.curves").Target(n, "rotation_quaternion") for n in body.skeleton.names)
    clips.write(armature, clip, body, first_frame=1.0, targets=every)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
