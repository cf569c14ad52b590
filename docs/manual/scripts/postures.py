"""Interpolates two postures of a motion file: root place, root orientation and all joint rotations.

python postures.py walk.bvh 0 15                     shares 0, 0.25, 0.5, 0.75 and 1 of the second one
python postures.py walk.bvh 0 15 --shares -0.5 1.5   beyond them
"""

import argparse
from pathlib import Path

import numpy as np
from action_loom.core.edit import key_poses
from action_loom.core.formats import motion_file
from action_loom.core.motion.clip import Clip, join_clips
from action_loom.core.plots import stick_figures
from action_loom.core.plots.png import as_png
from matplotlib.figure import Figure


def interpolated(clip: Clip, first: int, second: int, shares: list[float]) -> Clip:
    """One frame for each share: places go straight, each joint by that share of the shortest turn."""
    one, other = clip.cut(first, first + 1), clip.cut(second, second + 1)
    return join_clips([key_poses.between(one, other, share) for share in shares])


def strip(postures: Clip, shares: list[float]) -> Figure:
    """The postures side by side, their shares under them; the postures of the file are black."""
    figure = Figure(figsize=(1.0 + 1.2 * len(shares), 2.6), layout="constrained")
    axis = figure.add_subplot(yticks=[])
    places = 0.7 * postures.skeleton.height * np.arange(len(shares))
    for k, share in enumerate(shares):
        colour = "black" if share in (0.0, 1.0) else "tab:blue"
        stick_figures.draw(axis, postures.cut(k, k + 1), places[k : k + 1], colour)
    axis.set_xticks(places, [f"{share:g}" for share in shares])
    return figure


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("file")
parser.add_argument("first", type=int, help="frame, counted from 0")
parser.add_argument("second", type=int)
parser.add_argument("--shares", type=float, nargs="+", default=[0.0, 0.25, 0.5, 0.75, 1.0])
parser.add_argument("-o", "--output", type=Path, default=Path("postures.png"))
asked = parser.parse_args()
clip = motion_file.read(asked.file).clip
postures = interpolated(clip, asked.first, asked.second, asked.shares)
asked.output.write_bytes(as_png(strip(postures, asked.shares)))
print(f"{asked.output}: frames {asked.first} and {asked.second} of {clip.name}, shares {asked.shares}")
