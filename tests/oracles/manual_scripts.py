"""The scripts of docs/manual/scripts: what is typed on their page, files for them, and running one."""

import contextlib
import runpy
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from action_loom.core import verbs
from action_loom.core.edit import reaching
from action_loom.core.figure import actions
from action_loom.core.figure import skin as figure_skin
from action_loom.core.motion import root_motion
from action_loom.core.motion.clip import Clip
from action_loom.core.verbs import Retarget

from . import material

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "manual" / "scripts"
# walk.bvh, run.bvh and so on are the figure's own actions, body.obj and weights.txt its skin.
TYPED = {
    "viewer": "walk.bvh",
    "player": "walk.bvh -o player.png",
    "aligned": "walk.bvh sneak.bvh",
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
    for clip in (actions.walk(), actions.run(), actions.sneak()):
        material.write(clip, folder / f"{clip.name.lower()}.bvh")
    for name, clip in pair().items():
        material.write(clip, folder / f"{name}.bvh")
    body, names = figure_skin.skin(), actions.walk().skeleton.names
    x, y, z = 100.0 * body.vertices.T
    lines = [f"v {a:.6f} {b:.6f} {c:.6f}" for a, b, c in zip(x, z, -y, strict=True)]
    lines += ["f " + " ".join(str(corner + 1) for corner in quad) for quad in body.quads]
    (folder / "body.obj").write_text("\n".join(lines) + "\n")
    pairs = zip(*np.nonzero(body.weights), strict=True)
    rows = [f"{vertex + 1} {names[joint]} {body.weights[vertex, joint]:.8f}" for vertex, joint in pairs]
    (folder / "weights.txt").write_text("\n".join(rows) + "\n")


def pair() -> dict[str, Clip]:
    """A wave, the same turned by half about its hand, so that both meet there, and that on a larger body."""
    wave = actions.wave()
    hand = reaching.ends(wave, reaching.limb_of(wave, "right_arm"), np.zeros(3))[50]
    partner = root_motion.placed(wave, np.pi, 2.0 * hand[:2])
    body = wave.skeleton
    grown = replace(body, offsets=1.15 * body.offsets, tips=1.15 * body.tips)
    larger = verbs.apply(Retarget(), [replace(partner, skeleton=grown), partner]).clip
    return {"wave": wave, "partner": partner, "larger": larger}


def run(name: str, folder: Path, typed: str | None = None) -> dict[str, Any]:
    """Run a script in a folder as its page says, or with other words; return what it has by names."""
    given = sys.argv
    sys.argv = [f"{name}.py", *(TYPED[name] if typed is None else typed).split()]
    try:
        with contextlib.chdir(folder):
            return runpy.run_path(str(FOLDER / f"{name}.py"), run_name="__main__")
    finally:
        sys.argv = given
