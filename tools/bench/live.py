"""Time dragging a weight with *Live* on: 3 sources × 600 and × 300 frames × 60 bones; prints JSON.

Runs inside Blender. Arguments: the extension's zip, the number of runs; `profile` also prints a profile.
"""

import cProfile
import sys
from collections.abc import Callable
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
        figures: dict[str, Figures] = {}
        for frames in (600, 300):
            figures |= dragged(loom, frames, runs)
        import bpy

        tell(figures, blender=bpy.app.version_string)


def dragged(loom: Callable[[str], Any], frames: int, runs: int) -> dict[str, Figures]:
    """Return the times from a weight change to the complete preview, and to the draft shown first."""
    import bpy

    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    press.FRAMES = frames
    armature = press.figure_with_more_bones()
    for name in press.NAMES:
        press.long_action(loom, armature, name)
    line = listed()
    bpy.ops.action_loom.blend(sources=[{"name": one, "weight": 1.0} for one in names()], preview=True)
    bpy.context.scene.frame_set(frames // 2)
    ghosts, previews = (loom(f"addon.services.preview.{name}") for name in ("ghosts", "previews"))
    weights, settings = iter(np.linspace(0.1, 0.9, 1000)), bpy.context.scene.action_loom

    def whole() -> None:
        before = previews.of(armature.session_uid)
        line.weight = float(next(weights))
        if previews.of(armature.session_uid) in (None, before):
            raise SystemExit("the preview did not follow")

    def first() -> None:
        settings.mode = "loop"  # so that the weight change itself does not update the preview
        line.weight = float(next(weights))
        settings.mode = "blend"
        if not ghosts.draft(bpy.context, bpy.context.scene, armature):
            raise SystemExit("nothing was shown")

    works = {f"live-{frames}": whole} | ({f"live-first-{frames}": first} if hasattr(ghosts, "draft") else {})
    for key, work in works.items():
        if "profile" in sys.argv:
            watch = cProfile.Profile()
            watch.runcall(work)
            print("===", key)
            watch.print_stats("cumtime")
    return {key: Figures(timing.milliseconds(work, runs)) for key, work in works.items()}


def names() -> list[str]:
    return [f"{name} long" for name in press.NAMES]


def listed() -> Any:
    """Remove all other actions, list the long ones as the armature's sources, and return the first source."""
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
