"""Time from pressing Weave to the new action: 3 sources × 600 frames × 60 bones; prints JSON.

Runs inside Blender. Arguments: the extension's zip, the number of runs, a folder for Blender's settings and compiled
modules; `profile` also prints a profile.
"""

import cProfile
import pstats
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import in_blender
import timing
from line import WHOLE, Figures
from telling import tell

BONES, FRAMES = 60, 600
NAMES = ("Walk", "Sneak", "Run")

# Steps of a press: each a function that calls none of the other functions, with the end of its file's path.
STEPS = {
    "reading the actions": ("addon/services/weaving/reading.py", "read_in_steps"),
    "what looks wrong about them": ("addon/services/sources/source_warnings.py", "note"),
    "recognising them by their content": ("addon/services/weaving/prepared.py", "key_of"),
    "making them ready": ("core/weave/preprocess.py", "merge"),
    "synchronising": ("core/sync/registration.py", "register"),
    "blending": ("core/verbs/blend/work.py", "weave"),
    "measuring, for the report": ("core/weave/reporting.py", "report_registered"),
    "writing the action": ("addon/bridge/clip.py", "fill"),
    "the recipe and the sources' content, kept on it": ("addon/model/storage.py", "store"),
    "small pictures for the panel": ("addon/services/matching/analysis.py", "keep_woven"),
}

# Functions that read the context of the sources, by module; none calls another.
CONTEXT = (
    ("addon.services.weaving.reading", "_contexts"),
    ("addon.bridge.carriers", "stand_at"),
    ("addon.bridge.unkeyed_pose", "with_posed"),
    ("addon.bridge.unkeyed_pose", "still_bones"),
    ("addon.bridge.left_properties", "note"),
)


def main(zip_path: str, runs: int, home: str) -> None:
    with in_blender.extension(zip_path, home) as loom:
        import bpy

        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        armature = figure_with_more_bones()
        for name in NAMES:
            long_action(loom, armature, name)
        weights = iter(np.linspace(0.1, 5.0, 1000))

        def press() -> None:
            sources = [{"name": f"{name} long", "weight": float(next(weights))} for name in NAMES]
            bpy.ops.action_loom.blend(sources=sources, ends="pinned", result_name="New")
            bpy.data.actions.remove(bpy.data.actions["New"])

        def anew() -> None:
            loom("addon.ground.memory").forget()
            press()

        began = time.thread_time()
        press()
        first = 1000.0 * (time.thread_time() - began)
        figures = {
            "press-first": Figures(first),
            "press": Figures(timing.milliseconds(anew, runs)),
            "press-again": Figures(timing.milliseconds(press, runs)),
        }
        shared = time_context(loom, anew, runs)
        carry(armature)
        carried = time_context(loom, anew, runs)
        figures |= {
            key: Figures(one[0], {WHOLE: one[1]})
            for key, one in (("press-context", shared), ("press-context-carried", carried))
        }
        shares = {key: steps_of(work) for key, work in (("press", anew), ("press-again", press))}
        gone = [step for step in STEPS if not shares["press"][step]]
        if gone:
            raise SystemExit(f"no function of STEPS does this any more: {', '.join(gone)}")
        tell(figures, blender=bpy.app.version_string, steps=shares)


def time_context(loom: Callable[[str], Any], press: Callable[[], None], runs: int) -> tuple[float, float]:
    """Return the median milliseconds of reading the context in a press, and of the whole press."""
    spent = 0.0

    def time_calls(work: Callable[..., Any]) -> Callable[..., Any]:
        def run(*given: Any, **options: Any) -> Any:
            nonlocal spent
            began = time.thread_time()
            try:
                return work(*given, **options)
            finally:
                spent += time.thread_time() - began

        return run

    originals = [(loom(module), name, getattr(loom(module), name)) for module, name in CONTEXT]
    rows = []
    try:
        for module, name, work in originals:
            setattr(module, name, time_calls(work))
        for _ in range(runs + 1):  # the first one warms up
            spent, began = 0.0, time.thread_time()
            press()
            rows.append((1000.0 * spent, 1000.0 * (time.thread_time() - began)))
    finally:
        for module, name, work in originals:
            setattr(module, name, work)
    own, whole = np.median(rows[1:], axis=0).tolist()
    return own, whole


def carry(armature: Any) -> None:
    """Let a keyed parent move the armature, pose a bone that no action keys, and mark the actions."""
    import bpy

    cart = bpy.data.objects.new("Cart", None)
    bpy.context.scene.collection.objects.link(cart)
    armature.parent = cart
    for frame, x in ((1, 0.0), (FRAMES, 9.0)):
        cart.location.x = x
        cart.keyframe_insert("location", frame=frame)
    armature.pose.bones[-1].scale = (1.1, 1.1, 1.1)
    for name in NAMES:
        for frame in range(1, FRAMES, 20):
            bpy.data.actions[f"{name} long"].pose_markers.new(f"step {frame}").frame = frame


def steps_of(press: Callable[[], None]) -> dict[str, float]:
    """Return the share of a press that each of STEPS takes, and the share of the rest."""
    watch = cProfile.Profile()
    watch.runcall(press)
    stats = pstats.Stats(watch)
    if "profile" in sys.argv:
        stats.sort_stats("cumtime").print_stats(40)
    timed = {(file.replace("\\", "/"), name): figures[3] for (file, _, name), figures in stats.stats.items()}
    whole = stats.total_tt
    shares = {
        step: sum(seconds for (file, name), seconds in timed.items() if file.endswith(end) and name == function) / whole
        for step, (end, function) in STEPS.items()
    }
    return shares | {"the rest": 1.0 - sum(shares.values())}


def figure_with_more_bones(count: int = BONES) -> Any:
    """Add the demo figure, then extend the ends of its limbs until it has `count` bones."""
    import bpy

    bpy.ops.action_loom.add_demo()
    armature = bpy.context.object
    bpy.ops.object.mode_set(mode="EDIT")
    bones = armature.data.edit_bones
    ends = [bone for bone in bones if not bone.children]
    for k in range(count - len(bones)):
        bone, above = bones.new(f"more{k}"), ends[k % len(ends)]
        bone.head, bone.tail, bone.parent = above.tail, above.tail + above.vector * 0.2, above
    bpy.ops.object.mode_set(mode="OBJECT")
    for bone in armature.pose.bones:
        bone.rotation_mode = "QUATERNION"
    return armature


def long_action(loom: Callable[[str], Any], armature: Any, name: str) -> None:
    """Slow a demo action down to FRAMES frames and key all bones on every frame."""
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
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
