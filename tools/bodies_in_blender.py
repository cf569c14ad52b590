"""A captured walk on characters that others made: figures and a strip of skins for each; runs in a Blender's Python.

Arguments: the extension's zip, the folder of the captures, that of the characters, and where figures (bodies.json) and
strips go. Each takes the walk as an action of its own, blends its idle with it, and walks it along an S.
"""

import json
import sys
from pathlib import Path
from typing import Any

import character_strips_in_blender as strips
import characters_in_blender
import in_blender
import numpy as np
import pose_strip

CHARACTERS = ("mannequiny", "RobotExpressive", "godot_player", "boxman")
WALK = "cmu_mb_02_01"
RATE = 30
LIMBS = (("thigh", "shin"), ("shin", "foot"), ("upper_arm", "forearm"), ("forearm", "hand"))


def main(zip_path: str, captures: Path, characters: Path, out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    with in_blender.extension(zip_path) as loom:
        found = {name: one(loom, captures, characters / f"{name}.glb", out) for name in CHARACTERS}
    (out / "bodies.json").write_text(json.dumps(found, indent=1), encoding="utf-8")


def one(loom: Any, captures: Path, path: Path, out: Path) -> dict[str, Any]:
    """Return the figures of a character, and draw its strip."""
    import bpy

    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.context.scene.render.fps = RATE
    characters_in_blender.load(path)
    rig = next(one for one in bpy.data.objects if one.type == "ARMATURE")
    bpy.context.view_layer.objects.active = rig
    character = characters_in_blender.Character(loom, rig, path.stem)
    file = str(captures / f"{WALK}.bvh")
    made = {}
    for name, planted in (("as it comes", False), ("planted", True)):
        bpy.ops.action_loom.import_motion(files=[{"name": file}], rate="SCENE", plant_feet=planted, select=False)
        made[name] = max(bpy.data.actions, key=lambda action: action.session_uid)
        made[name].name = f"walk, {name}"
    walk = made["planted"].name
    pair = [{"name": name, "weight": 1.0} for name in (character.idle, walk)]
    made["idle and walk"] = strips.woven("blend", pair, {})
    # Frames are alike by what they would be apart on a body of 1.7 m.
    path_options = {"path": along_an_s(character), "threshold": 0.05 * max(character.body.height / 1.7, 1.0)}
    made["along an S"] = strips.woven("follow", [{"name": walk, "weight": 1.0}], path_options)
    figures = {name: figures_of(loom, character, action) for name, action in made.items() if action}
    figures["limbs"] = limbs_off(loom, captures, character, made["as it comes"])
    draw(loom, character, made, out / f"{path.stem}.png")
    return figures


def along_an_s(character: Any) -> str:
    """Return a path over six body heights that turns to both sides, as the option `path` has it."""
    height = character.body.height
    across = 0.6 * height * np.sin(np.linspace(0.0, 2.0 * np.pi, 40))
    rows = zip(across, np.linspace(0.0, 6.0 * height, 40), strict=True)
    return "; ".join(f"{x:.4f} {y:.4f}" for x, y in rows)


def figures_of(loom: Any, character: Any, action: Any) -> dict[str, Any]:
    """Return what feet of an action do."""
    import bpy

    clip = character.read(action.name).clips[0]
    report = loom("core.check.quality").measure(clip)
    kept = loom("addon.model.contact_rows").of(bpy.context.scene, action)
    return {
        "frames": len(clip),
        "slide_cm_s": report["slide_cm_s"],
        "contact_share": report["contact_share"],
        "said": kept.said if kept is not None else "",
    }


def limbs_off(loom: Any, captures: Path, character: Any, action: Any) -> float:
    """Return by how many degrees any limb points elsewhere than in the file, at most."""
    clip = loom("core.formats.motion_file").read(captures / f"{WALK}.bvh").clip
    clip = loom("core.motion.resample").to_rate(loom("core.motion.trim").ends(clip).clip, float(RATE))
    made = character.read(action.name).clips[0]
    off = loom("core.verbs.retarget.work").limbs_off(clip, made)
    return round(max(float(angle.max()) for angle in off.values()), 4)


def draw(loom: Any, character: Any, made: dict[str, Any], path: Path) -> None:
    import bpy

    bodies = [one for one in bpy.data.objects if one.type == "MESH" and strips.belongs(one, character.rig)]
    turn = strips.to_the_right(loom, character)
    wide, tall = strips.size(bodies, turn)
    shown = {name: action for name, action in made.items() if name != "as it comes"}
    for row, (name, action) in enumerate(shown.items()):
        place = (-0.48 * strips.WIDTH * wide, (1.25 - row * strips.HEIGHT) * tall)
        pose_strip.add_label(f"{name}: {action.name if action else 'refused'}", 0.09 * tall, place, strips.INK)
        if action:
            level, width = -row * strips.HEIGHT * tall, strips.WIDTH * wide
            strips.add_row(loom, character, action, bodies, turn, level, width)
    for one in (*bodies, character.rig):
        one.hide_render = True
    width, height = strips.WIDTH * wide, strips.HEIGHT * tall
    pose_strip.photograph(strips.COLUMNS * width, len(shown) * height, width, height, path)


if __name__ == "__main__":
    main(sys.argv[1], *(Path(argument).resolve() for argument in sys.argv[2:5]))
