"""Interpolates two motions: they are brought in step with each other, then mixed frame by frame.

python two_motions.py walk.bvh sneak.bvh                a quarter, a half and three quarters of the second one
python two_motions.py walk.bvh sneak.bvh --shares 0.3   and that as a motion file, two_motions_30.bvh
"""

import argparse
from pathlib import Path

import numpy as np
from action_loom.core import verbs
from action_loom.core.formats import motion_file
from action_loom.core.motion.clip import Clip
from action_loom.core.plots import stick_figures
from action_loom.core.plots.png import as_png
from action_loom.core.verbs import Blend
from matplotlib.figure import Figure


def mixed(one: Clip, other: Clip, share: float) -> Clip:
    """The first motion with a share of the second, 0 to 1."""
    return verbs.apply(Blend(weights=(1.0 - share, share)), [one, other]).clip


def strips(motions: list[Clip], titles: list[str]) -> Figure:
    """Ten postures of each motion, one motion a row."""
    figure = Figure(figsize=(6.0, 1.1 * len(motions)), layout="constrained")
    for row, (motion, title) in enumerate(zip(motions, titles, strict=True)):
        axis = figure.add_subplot(len(motions), 1, row + 1, xticks=[], yticks=[])
        axis.set_ylabel(title)
        frames = np.linspace(0, len(motion) - 1, 10).astype(int)
        colour = "black" if row in (0, len(motions) - 1) else "tab:blue"
        stick_figures.draw(
            axis, motion.take_frames(frames), 0.6 * motion.skeleton.height * np.arange(10), colour, width=1.0
        )
    return figure


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("first")
parser.add_argument("second")
parser.add_argument("--shares", type=float, nargs="+", default=[0.25, 0.5, 0.75])
parser.add_argument("-o", "--output", type=Path, default=Path("two_motions.png"))
asked = parser.parse_args()
one, other = (motion_file.read(path).clip for path in (asked.first, asked.second))
made = [mixed(one, other, share) for share in asked.shares]
for motion, share in zip(made, asked.shares, strict=True):
    path = asked.output.with_name(f"{asked.output.stem}_{round(100 * share)}.bvh")
    path.write_bytes(motion_file.compose(motion, path))
    print(f"{path}: {len(motion)} frames, {1 - share:.0%} {one.name}, {share:.0%} {other.name}")
titles = [one.name, *(f"{share:.0%}" for share in asked.shares), other.name]
asked.output.write_bytes(as_png(strips([one, *made, other], titles)))
