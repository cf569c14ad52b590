"""Restyles and asks the walks and runs of characters, one by one, in the Blender that runs this.

Prints a line of JSON for each character. Arguments: the extension's zip, and glTF files.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import characters_in_blender
import in_blender
import one_cycle_measures
from style_in_blender import RATE, read
from telling import MARK


def main(zip_path: str, files: list[str]) -> None:
    with in_blender.extension(zip_path) as loom:
        import bpy

        for file in files:
            bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
            bpy.context.scene.render.fps = RATE
            characters_in_blender.load(Path(file))
            rig = next(one for one in bpy.data.objects if one.type == "ARMATURE")
            bpy.context.view_layer.objects.active = rig
            listed = loom("addon.services.sources.source_list")
            names = sorted(action.name for action in bpy.data.actions if listed.moves(action, rig).bones)
            gaits = [name for name in names if _is_gait(name)]
            found = {
                clip.name: one_cycle_measures.measured(loom("core.verbs"), clip) for clip in read(loom, rig, gaits)
            }
            print(MARK + json.dumps({"file": Path(file).stem, "gaits": found}), flush=True)


def _is_gait(name: str) -> bool:
    words = name.lower()
    return any(one in words for one in ("walk", "run", "sprint")) and "jump" not in words and "drop" not in words


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
