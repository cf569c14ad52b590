"""For edit_filter.py, in a Blender's Python: the actions of a character as arrays, and curves that Blender smooths.

Arguments: `clips`, a glTF file, the scene's frames a second and a file to write; or `smooth`, a file of curves and one.
"""

import sys
import time
from pathlib import Path
from typing import Any

import bpy
import numpy as np

ROOT = Path(__file__).resolve().parent.parent.parent


def clips(character: Path, rate: int, out: Path) -> None:
    sys.path.insert(0, str(ROOT / "build" / "types"))
    from action_loom.addon.bridge import clip, rig
    from action_loom.core.errors import LoomError

    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.context.scene.render.fps = rate
    bpy.ops.import_scene.gltf(filepath=str(character))
    armature = next(one for one in bpy.data.objects if one.type == "ARMATURE")
    body = rig.read(armature)
    skeleton = body.skeleton
    found: dict[str, Any] = {name: getattr(skeleton, name) for name in ("parents", "offsets", "orients", "tips")}
    found |= {"names": np.array(skeleton.names), "roles": np.array([f"{r}={j}" for r, j in skeleton.roles.items()])}
    for action in bpy.data.actions:
        try:
            read = clip.read(armature, action, body, float(rate)).clip
        except LoomError as error:
            print(f"{action.name}: {error}")
            continue
        moves = np.any(read.rotations != read.rotations[:1])
        if len(read) > 4 and moves and read.skeleton.names == skeleton.names:
            found |= {f"{action.name}/rotations": read.rotations, f"{action.name}/translations": read.translations}
            found[f"{action.name}/cyclic"] = np.array(read.cyclic)
    np.savez(out, **found)


def smooth(given: Path, out: Path) -> None:
    """Smooth the curves (F, K) of each array: Butterworth at its cutoff, as wide a Gaussian, *Smooth*; and how long."""
    arrays, found = np.load(given), {}
    for name in (name for name in arrays.files if name.endswith("/values")):
        case = name.removesuffix("/values")
        values, rate, cutoff = arrays[name], float(arrays[f"{case}/rate"]), float(arrays[f"{case}/cutoff"])
        sigma = 0.589 / (np.pi * cutoff) * rate  # lets as much of the cutoff through: a half
        calls = {
            "butterworth": (bpy.ops.graph.butterworth_smooth, {"cutoff_frequency": cutoff, "filter_order": 4}),
            "gaussian": (bpy.ops.graph.gaussian_smooth, {"sigma": sigma, "filter_width": int(np.ceil(3.0 * sigma))}),
            "smooth": (bpy.ops.graph.smooth, {}),
        }
        for how, (operator, options) in calls.items():
            found[f"{case}/{how}"], found[f"{case}/{how} seconds"] = _smoothed(values, rate, operator, options)
    np.savez(out, **found)


def _smoothed(values: np.ndarray, rate: float, operator: Any, options: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    bpy.ops.wm.read_factory_settings()
    bpy.context.scene.render.fps = round(rate)
    held = bpy.data.objects["Cube"]
    bpy.context.view_layer.objects.active = held
    held.select_set(True)
    action = bpy.data.actions.new("curves")
    held.animation_data_create().action = action
    curves = []
    for column in range(values.shape[1]):
        held[f"v{column}"] = 0.0
        curve = action.fcurve_ensure_for_datablock(held, f'["v{column}"]')
        curve.keyframe_points.add(len(values))
        rows = np.column_stack([np.arange(len(values)), values[:, column]]).astype(np.float32)
        curve.keyframe_points.foreach_set("co", rows.ravel())
        curve.keyframe_points.foreach_set("select_control_point", np.ones(len(values), dtype=bool))
        curve.select = True
        curve.update()
        curves.append(curve)
    window = bpy.context.window_manager.windows[0]
    area = window.screen.areas[0]
    area.type = "GRAPH_EDITOR"
    region = next(one for one in area.regions if one.type == "WINDOW")
    began = time.process_time()
    with bpy.context.temp_override(window=window, area=area, region=region):
        if operator(**options) != {"FINISHED"}:
            sys.exit("Blender did not smooth")
    took = time.process_time() - began
    made = np.empty(values.shape)
    for column, curve in enumerate(curves):
        rows = np.empty(2 * len(values), dtype=np.float32)
        curve.keyframe_points.foreach_get("co", rows)
        made[:, column] = rows[1::2]
    if np.array_equal(made, values.astype(np.float32)):
        sys.exit("Blender smoothed nothing")
    return made, np.array(took)


if __name__ == "__main__":
    what, *arguments = sys.argv[1:]
    if what == "clips":
        clips(Path(arguments[0]), int(arguments[1]), Path(arguments[2]))
    else:
        smooth(Path(arguments[0]), Path(arguments[1]))
