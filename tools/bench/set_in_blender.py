"""Makes a set of a take on a character and exports it for Godot; tells where its bones are seen; in a Blender's Python.

Arguments: the extension's zip, the take, the character's file or "" for the take's own bones, the folder to write.
The set goes to `set` in it, and `seen.json` holds frames of each action and the heads of the bones in them.
"""

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import characters_in_blender
import in_blender

RATE = 30  # frames a second of what is exported
TOLD = 7  # frames of each action


def main(zip_path: str, take: str, character: str, folder: Path) -> None:
    with in_blender.extension(zip_path):
        import bpy

        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        if character:
            characters_in_blender.load(Path(character))
            rig = next(one for one in bpy.data.objects if one.type == "ARMATURE")
            bpy.context.view_layer.objects.active = rig
            for action in list(bpy.data.actions):
                bpy.data.actions.remove(action)
        how: dict[str, Any] = {"onto": "ACTIVE"} if character else {}
        bpy.ops.action_loom.import_motion(files=[{"name": take}], match_rate=True, fit_range=True, **how)
        rig = bpy.context.object
        bpy.context.scene.action_loom.mode = "cut_out"
        with bpy.context.temp_override(action_loom_armature=rig):
            bpy.ops.action_loom.cut_take("INVOKE_DEFAULT")
            bpy.ops.action_loom.cut_out("INVOKE_DEFAULT", roots={"ROOT", "IN_PLACE"})
        bpy.ops.action_loom.export_set(directory=str(folder / "set"), engine="GODOT", rate=str(RATE))
        seen = {one.name: told(rig, one) for one in bpy.data.actions if "action_loom" in one}
        (folder / "seen.json").write_text(json.dumps(seen))


def told(rig: Any, action: Any) -> list[dict[str, Any]]:
    """Seconds of exported frames of an action, and the heads of all bones in the world, Z up."""
    import bpy

    scene = bpy.context.scene
    rig.animation_data.action = action
    if hasattr(rig.animation_data, "action_slot"):
        rig.animation_data.action_slot = action.slots[0]
    first, last = action.frame_range
    steps = round((last - first) * RATE * scene.render.fps_base / scene.render.fps)
    found = []
    for step in sorted({round(steps * k / (TOLD - 1)) for k in range(TOLD)}):
        frame = first + (last - first) * step / steps
        scene.frame_set(int(frame), subframe=frame % 1.0)
        heads = {bone.name: list(rig.matrix_world @ bone.head) for bone in rig.pose.bones if bone.bone.use_deform}
        found.append({"seconds": step / RATE, "heads": heads})
    return found


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], Path(sys.argv[4]))
