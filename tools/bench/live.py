"""Dragging a weight with a preview on: 3 sources × 600 and × 300 frames × 60 bones; prints JSON.

Arguments: the extension's zip, the number of runs; `profile` prints where all of Python's time goes, too.
"""

import cProfile
import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import in_blender
import press
import timing
from line import Figures
from telling import tell


def main(zip_path: str, runs: int) -> None:
    with in_blender.extension(zip_path) as loom:
        import bpy

        figures = {}
        for frames in (600, 300):
            bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
            press.FRAMES = frames
            armature = press.figure_with_more_bones()
            for name in press.NAMES:
                press.long_action(loom, armature, name)
            line = listed(armature)
            bpy.ops.action_loom.blend(sources=[{"name": one, "weight": 1.0} for one in names()], preview=True)
            weights, previews = iter(np.linspace(0.1, 0.9, 1000)), loom("addon.services.preview.previews")

            def drag() -> None:
                before = previews.of(armature.session_uid)
                line.weight = float(next(weights))
                if previews.of(armature.session_uid) in (None, before):
                    raise SystemExit("the preview did not follow")

            figures[f"live-{frames}"] = Figures(timing.milliseconds(drag, runs))
            if "profile" in sys.argv:
                watch = cProfile.Profile()
                watch.runcall(drag)
                watch.print_stats("cumtime")
        tell(figures, blender=bpy.app.version_string)


def names() -> list[str]:
    return [f"{name} long" for name in press.NAMES]


def listed(armature: Any) -> Any:
    """List the long actions as the armature's sources; return the first line."""
    import bpy

    for action in list(bpy.data.actions):
        if action.name not in names():
            bpy.data.actions.remove(action)
    bpy.context.scene.action_loom.rigs.clear()
    bpy.ops.action_loom.add_sources()
    lines = bpy.context.scene.action_loom.rigs[0].sources
    for each in lines:
        each.use = True
    return lines[0]


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
