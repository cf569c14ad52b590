"""The scripts of docs/manual/scripts: their arguments, their input files, and a function that runs one."""

import contextlib
import io
import runpy
import sys
from pathlib import Path
from typing import Any

from action_loom.core.motion.clip import Clip

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "manual" / "scripts"
# The arguments of each script but files.py, which writes the files named here.
TYPED = {
    "viewer": "walk.bvh",
    "player": "walk.bvh -o player.png",
    "aligned": "walk.bvh sneak.bvh",
    "applications": "walk.bvh run.bvh -o applications.png",
    "forward_kinematics": "walk.bvh --frame 4",
    "postures": "walk.bvh 0 10",
    "key_frames": "walk.bvh 0 10 20 28",
    "two_motions": "walk.bvh sneak.bvh",
    "transition": "walk.bvh run.bvh --leave 28 --enter 12 --span 8",
    "deformation": "walk.bvh upper_arm.R --frame 30 --turn -80",
    "inverse_kinematics": "walk.bvh upper_arm.R hand.R -0.2 -0.4 0.3",
    "two_figures": "wave.bvh partner.bvh larger.bvh",
    "skinning": "walk.bvh body.obj weights.txt --frame 4",
}


def write_files(folder: Path) -> None:
    """Write motion files, a mesh and its weights, all of the figure: centimetres, y up."""
    with contextlib.redirect_stdout(io.StringIO()):
        run("files", folder, "")


def pair() -> dict[str, Clip]:
    """A wave, the same turned by half about its hand, so that both meet there, and that on a larger body."""
    made: dict[str, Clip] = runpy.run_path(str(FOLDER / "files.py"))["pair"]()
    return made


def run(name: str, folder: Path, typed: str | None = None) -> dict[str, Any]:
    """Run a script in a folder with its page's arguments, or others; return its values by their names."""
    given = sys.argv
    sys.argv = [f"{name}.py", *(TYPED[name] if typed is None else typed).split()]
    try:
        with contextlib.chdir(folder):
            return runpy.run_path(str(FOLDER / f"{name}.py"), run_name="__main__")
    finally:
        sys.argv = given
