"""Compare the key reduction with Blender's Decimate; prints a line of JSON for each case.

Runs inside Blender. Arguments: the extension's zip, the bound in millimetres, and BVH files.
"""

import json
import math
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import in_blender
from telling import MARK

MOST = 400  # frames: the time of Decimate grows with their square
RUNS = 3  # the fastest one counts
TRIES = 9  # search steps for the margin at which the measured error of Decimate reaches the bound
NEAR = 0.95


def main(zip_path: str, bound: float, files: list[str]) -> None:
    with in_blender.extension(zip_path) as loom:
        import bpy

        bpy.ops.wm.read_homefile(use_factory_startup=True)
        loom("core.jit").kernels(loom("core.edit.segments").__name__)
        for file in files:
            for mode, every in (("QUATERNION", 1), ("QUATERNION", 4), ("NATIVE", 1)):
                case = Case(loom, file, mode, every)
                reported = {"file": Path(file).stem, "mode": mode, "rate": case.clip.rate, "frames": len(case.clip)}
                print(MARK + json.dumps(reported | case.measured(1e-3 * bound)), flush=True)


class Case:
    """A captured clip, imported by Blender and keyed on every frame."""

    def __init__(self, loom: Callable[[str], Any], file: str, mode: str, every: int) -> None:
        import bpy

        self.loom, self.clips = loom, loom("addon.bridge.clip")
        bpy.ops.import_anim.bvh(filepath=file, rotate_mode=mode, update_scene_fps=True)
        self.rig = bpy.context.object
        self.body = loom("addon.bridge.rig").read(self.rig)
        render = bpy.context.scene.render
        action = self.rig.animation_data.action
        source = self.clips.read(self.rig, action, self.body, render.fps / render.fps_base)
        clip = source.clip.cut(1, min(len(source.clip), MOST + 1)).decimate(every)
        self.how = {"first_frame": 1.0, "targets": source.targets}
        self.baked = self.clips.write(self.rig, clip, self.body, **self.how, interpolation="BEZIER")
        # Read back, because keys are in single precision.
        self.clip = replace(self.read(self.baked), rate=clip.rate)
        self.points = loom("core.motion.kinematics").points(self.clip)

    def read(self, action: Any) -> Any:
        slot = getattr(action, "slots", [None])[0]
        return self.clips.read(self.rig, action, self.body, 24.0, slot, tuple(action.curve_frame_range)).clip

    def off(self, action: Any) -> float:
        """Return the largest position error (m) of any joint or bone tip, from curves that Blender evaluates."""
        points = self.loom("core.motion.kinematics").points(self.read(action))
        return float(np.linalg.norm(points - self.points, axis=2).max())

    def measured(self, bound: float) -> dict[str, Any]:
        found: dict[str, Any] = {"every": keys_of(self.baked)}
        for name, feet in (("ours", bound), ("ours, feet", 0.0)):
            found[name] = self.ours(bound, feet)
        found["decimate"] = self.decimated(bound)
        return found

    def ours(self, bound: float, feet: float) -> dict[str, float]:
        curves, few = self.loom("addon.bridge.curves"), self.loom("addon.bridge.few_curves").Few(bound, feet)
        taken = []
        for _ in range(RUNS):
            began = time.thread_time()
            with curves.whole("few", self.rig) as into:
                fitted = self.clips.fill(into, self.clip, self.body, **self.how, few=few)
            taken.append(time.thread_time() - began)
        return {
            "keys": keys_of(into[0]),
            "error": self.off(into[0]),
            "seconds": min(taken),
            "core": self.disagreement(into[0], fitted.keyed),
        }

    def disagreement(self, action: Any, keyed: Any) -> float:
        """Return the largest difference between Blender's and core's curve values halfway between frames."""
        curves = self.loom("addon.bridge.curves")
        at, worst = np.arange(0.5, len(self.clip) - 1.0, 1.0), 0.0
        bones = dict(zip(self.clips.targets_of(self.body), range(len(self.body.bones)), strict=True))
        for target, by_index in curves.transforms(every_curve(action)).items():
            if "rotation" in target.property:
                values = keyed.rotations[bones[target.bone]].at(at)
                for index, curve in by_index.items():
                    worst = max(worst, np.abs([curve.evaluate(1.0 + f) for f in at] - values[:, index]).max())
        return float(worst)

    def decimated(self, bound: float) -> dict[str, float]:
        """Run Blender's Decimate with the largest margin found whose measured error is within the bound."""
        low, high, margin, best = 0.0, math.inf, 3e-4, None
        for _ in range(TRIES):
            action, seconds = self.decimate(margin)
            error = self.off(action)
            if error <= bound:
                low, best = margin, {"keys": keys_of(action), "error": error, "seconds": seconds, "margin": margin}
                if error >= NEAR * bound:
                    break
            else:
                high = margin
            guess = margin * bound * 0.98 / max(error, 1e-6)
            margin = guess if low < guess < high else (2.0 * low if high == math.inf else 0.5 * (low + high))
        assert best is not None
        again = [self.decimate(best["margin"])[1] for _ in range(RUNS - 1)]
        return best | {"seconds": min(best["seconds"], *again)}

    def decimate(self, margin: float) -> tuple[Any, float]:
        import bpy

        action = self.baked.copy()
        self.loom("addon.bridge.curves").assign(self.rig, action, getattr(action, "slots", [None])[0])
        window = bpy.context.window_manager.windows[0]
        area = window.screen.areas[0]
        area.type = "GRAPH_EDITOR"
        area.spaces[0].dopesheet.show_only_selected = False
        for curve in every_curve(action):
            curve.select = True
            points = curve.keyframe_points
            for name in ("select_control_point", "select_left_handle", "select_right_handle"):
                points.foreach_set(name, np.ones(len(points), dtype=bool))
        region = next(one for one in area.regions if one.type == "WINDOW")
        with bpy.context.temp_override(window=window, area=area, region=region):
            began = time.thread_time()
            bpy.ops.graph.decimate(mode="ERROR", remove_error_margin=margin)
            return action, time.thread_time() - began


def every_curve(action: Any) -> list[Any]:
    return [c for layer in action.layers for strip in layer.strips for bag in strip.channelbags for c in bag.fcurves]


def keys_of(action: Any) -> int:
    return sum(len(curve.keyframe_points) for curve in every_curve(action))


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), sys.argv[3:])
