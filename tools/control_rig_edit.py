"""Draws docs/manual/images/control_rig_edit.png: a captured walk on IK, and the same after a foothold was moved.

    .venv/bin/python tools/control_rig_edit.py build/action_loom-0.2.0.zip

In Blender's Python, started by itself, it imports the capture onto Rigify's human and moves the two keys between which
the control of the left foot stands.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "docs" / "manual" / "images" / "control_rig_edit.png"
BLENDER = ROOT / ".venv-blender" / "5.2" / "bin" / "python"
CAPTURE, FOOT, POLE, RAISED, COLUMNS = "cmu_mb_08_01", "foot_ik.L", "thigh_ik_target.L", 0.18, 8
LINES = (
    ("spine", "spine.001", "spine.002", "spine.003", "spine.004", "spine.006"),
    *(("spine.003", f"upper_arm.{side}", f"forearm.{side}", f"hand.{side}") for side in "LR"),
    *(("spine", f"thigh.{side}", f"shin.{side}", f"foot.{side}", f"toe.{side}") for side in "LR"),
)
COLORS = ("#d9670b", "#1f4e79")


def main(zip_path: str) -> None:
    from matplotlib.figure import Figure
    from PIL import Image

    with tempfile.TemporaryDirectory() as folder:
        poses = Path(folder) / "poses.json"
        subprocess.run([BLENDER, __file__, zip_path, poses], check=True, stdout=subprocess.DEVNULL)
        rows = json.loads(poses.read_text(encoding="utf-8"))
    figure = Figure(figsize=(7.2, 3.6), dpi=110)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    for row, (title, color) in enumerate(zip(("Imported\non IK", "Two keys\nmoved up"), COLORS, strict=True)):
        down = -2.25 * row
        axes.plot([-1.9, 7.4], [down, down], color="black", linewidth=0.8)
        axes.text(-1.9, down + 1.0, title, color=color, weight="bold", fontsize=9)
        for column, pose in enumerate(rows[row]):
            for k, line in enumerate(pose["lines"]):
                color_of = color if k in (0, 1, 3) else "#999999"  # the right side in grey
                axes.plot([column + x for x, _ in line], [down + z for _, z in line], color=color_of, linewidth=2.0)
            for mark, (x, z) in zip("sD", pose["controls"], strict=True):
                axes.plot(column + x, down + z, mark, color="#b00000", fillstyle="none", markersize=6)
    axes.set_xlim(-2.0, 7.9)
    axes.set_ylim(-2.6, 2.2)
    axes.set_aspect("equal")
    axes.axis("off")
    figure.savefig(OUT)
    Image.open(OUT).convert("P", palette=Image.Palette.ADAPTIVE, colors=32).save(OUT, optimize=True)


# --- in Blender ------------------------------------------------------------------------------------------------------


def in_blender_main(zip_path: str, out: Path) -> None:
    import in_blender

    with in_blender.extension(zip_path) as loom, tempfile.TemporaryDirectory() as folder:
        import bpy
        import control_rigs_in_blender as rigs

        rigs.RIGS["Rigify, human"](Path(folder))
        bpy.context.scene.render.fps = rigs.RATE
        rig = bpy.context.view_layer.objects.active
        rigs._import(CAPTURE, "IK")
        action = rig.animation_data.action
        curves = loom("addon.bridge.curves").curves_of(action, rig.animation_data.action_slot)
        own = {(curve.data_path, curve.array_index): curve for curve in curves}
        place = [own[f'pose.bones["{FOOT}"].location', axis] for axis in range(3)]
        frames, first = _stance(place[0])
        before = [_pose(rig, frame) for frame in frames]
        up = rig.pose.bones[FOOT].bone.matrix_local.to_3x3().inverted() @ rig.matrix_world.to_3x3().inverted().col[2]
        for axis, curve in enumerate(place):
            for key in curve.keyframe_points:
                if key.co[0] in first:
                    key.co[1] += RAISED * up[axis]
            curve.update()
        out.write_text(json.dumps([before, [_pose(rig, frame) for frame in frames]]), encoding="utf-8")


def _stance(curve: Any) -> tuple[list[int], tuple[float, float]]:
    """Return frames around the longest stance of a control, and the frames of the two keys at its ends."""
    keys = [key.co[0] for key in curve.keyframe_points]
    k = max(range(len(keys) - 1), key=lambda k: keys[k + 1] - keys[k])
    middle, half = (keys[k] + keys[k + 1]) / 2.0, 0.85 * (keys[k + 1] - keys[k])
    frames = [round(middle + half * (2.0 * n / (COLUMNS - 1) - 1.0)) for n in range(COLUMNS)]
    return frames, (keys[k], keys[k + 1])


def _pose(rig: Any, frame: int) -> dict[str, Any]:
    """Return lines through bones, and the places of foot control and pole, seen from the side, the hips at 0."""
    import bpy

    bpy.context.scene.frame_set(frame)
    bones, world = rig.pose.bones, rig.matrix_world
    away = world @ bones["DEF-spine"].head
    across = (bones["DEF-thigh.R"].head - bones["DEF-thigh.L"].head).normalized()

    def seen(place: Any) -> tuple[float, float]:
        there = world @ place - away
        return float(there.x * -across.y + there.y * across.x), float((world @ place).z)

    lines = [[seen(bones[f"DEF-{name}"].head) for name in line] for line in LINES]
    return {"lines": lines, "controls": [seen(bones[name].head) for name in (FOOT, POLE)]}


if __name__ == "__main__":
    if len(sys.argv) > 2:
        in_blender_main(sys.argv[1], Path(sys.argv[2]))
    else:
        main(sys.argv[1])
