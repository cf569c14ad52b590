"""Brings two motions onto each other and shows them: the same moment of both, at the same place, facing alike.

python aligned.py walk.bvh sneak.bvh                   eight moments, from the first that both have to the last
python aligned.py walk.bvh sneak.bvh -o aligned.gif    all of them
"""

import argparse
import io
from pathlib import Path

import numpy as np
from action_loom.core.formats import motion_file
from action_loom.core.motion import kinematics, resample, root_motion
from action_loom.core.plots import stick_figures
from action_loom.core.plots.png import as_png
from action_loom.core.recipes.matching import Matching
from action_loom.core.sync import alignment
from action_loom.core.weave import preprocess
from matplotlib.figure import Figure
from PIL import Image


def on_the_ground(clip):
    """Points as complex numbers, in windows of one frame."""
    points = kinematics.points(clip)[:, None]
    return points[..., 0] + 1j * points[..., 1]


def drawn(some, places, width):
    """A picture of some moments of both motions at places along the ground."""
    axis = (figure := Figure(figsize=(width, 2.4), layout="constrained")).add_subplot(xticks=[], yticks=[])
    shown = [clip.take_frames(some) for clip in (one, moved)]
    for clip, colour in zip(shown, ("tab:blue", "tab:orange"), strict=True):
        stick_figures.solid(axis, clip, places, colour, beside=shown[0])
    axis.set(xlim=(-0.6 * tall, places[-1] + 0.6 * tall), ylim=(-0.15 * tall, 1.05 * tall))
    return as_png(figure)


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("files", nargs=2)
parser.add_argument("-o", "--output", type=Path, default=Path("aligned.png"))
asked = parser.parse_args()
ready = preprocess.register([motion_file.read(file).clip for file in asked.files], Matching())
moments = ready.registration.frames(ready.registration.grid)
one, other = (resample.sample(clip, each) for clip, each in zip(ready.prepared.clips, moments, strict=True))
weights = np.full(len(kinematics.points(one)[0]), 1.0 / len(kinematics.points(one)[0]))
best = alignment.align(on_the_ground(one), on_the_ground(other), weights)
moved = root_motion.place_clip(other, best.turn, np.stack([best.shift.real, best.shift.imag], axis=1))
turns, tall = np.degrees(np.abs(np.diff(np.unwrap(best.turn)))), one.skeleton.height
print(f"{len(one)} frames correspond; from one to the next the turn changes by {turns.max():.1f} degrees at most")
if asked.output.suffix == ".gif":
    every = np.arange(0, len(one), max(1, round(one.rate / 20)))
    pictures = [Image.open(io.BytesIO(drawn(np.array([k]), np.zeros(1), 2.6))).convert("P") for k in every]
    pictures[0].save(asked.output, save_all=True, append_images=pictures[1:], duration=50, loop=0)
else:
    asked.output.write_bytes(drawn(np.linspace(0, len(one) - 1, 8).astype(int), 0.6 * tall * np.arange(8), 9.0))
