"""Time the key reduction and Blender's Decimate at the same measured error, for one clip; prints JSON.

Runs inside Blender. Arguments: the extension's zip, the number of runs (ignored), the BVH file. `keys_in_blender.py`
compares many clips.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import in_blender
from keys_in_blender import Case
from line import Figures
from telling import tell

BOUND = 2e-3  # m


def main(zip_path: str, _: int, path: str) -> None:
    with in_blender.extension(zip_path) as loom:
        import bpy

        bpy.ops.wm.read_homefile(use_factory_startup=True)
        loom("core.jit").kernels(loom("core.edit.segments").__name__)
        case = Case(loom, path, "QUATERNION", 1)
        ours, theirs = case.ours(BOUND, BOUND), case.decimated(BOUND)
        tell(
            {"keys": Figures(1000.0 * ours["seconds"], {"Decimate": 1000.0 * theirs["seconds"]})},
            blender=bpy.app.version_string,
        )


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
