"""Shows a motion file: one posture, several side by side, or all of them as a moving picture.

python viewer.py walk.bvh                         eight postures, from the first frame to the last
python viewer.py walk.bvh --frame 12              one frame, counted from 0; 12.5 lies between two
python viewer.py walk.bvh -o walk.gif --speed 0.5
"""

import argparse
import io
from pathlib import Path

import numpy as np
from action_loom.core.formats import motion_file
from action_loom.core.motion import resample, root_motion
from action_loom.core.motion.clip import Clip
from action_loom.core.plots import stick_figures
from action_loom.core.plots.png import as_png
from matplotlib.figure import Figure
from PIL import Image


def strip(postures: Clip) -> Figure:
    """All postures of a clip side by side."""
    figure = Figure(figsize=(1.0 + len(postures), 2.4), layout="constrained")
    places = 0.6 * postures.skeleton.height * np.arange(len(postures))
    stick_figures.solid(figure.add_subplot(xticks=[], yticks=[]), postures, places, "tab:blue")
    return figure


def film(clip: Clip, speed: float, a_second: int) -> list[Image.Image]:
    """Return pictures of a moving body, `a_second` per second."""
    shown = resample.sample(clip, np.arange(0.0, len(clip), speed * clip.rate / a_second))
    steps = np.diff(root_motion.ground_frames(shown)[0], axis=0)
    pictures, tall = [], shown.skeleton.height
    for k, gone in enumerate(np.append(0.0, np.cumsum(np.linalg.norm(steps, axis=1)))):
        axis = (figure := Figure(figsize=(2.6, 2.6), layout="constrained")).add_subplot(yticks=[])
        stick_figures.solid(axis, shown.cut(k, k + 1), np.array([gone]), "tab:blue")
        axis.set(xlim=(gone - 0.6 * tall, gone + 0.6 * tall), ylim=(-0.15 * tall, 1.05 * tall), xlabel="m")
        pictures.append(Image.open(io.BytesIO(as_png(figure))).convert("P"))
    return pictures


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("file")
parser.add_argument("--frame", type=float)
parser.add_argument("--speed", type=float, default=1.0)
parser.add_argument("-o", "--output", type=Path, default=Path("viewer.png"))
asked = parser.parse_args()
clip = motion_file.read(asked.file).clip
print(f"{clip.name}: {len(clip)} frames, {clip.rate:g} a second, {len(clip.skeleton)} joints")
if asked.output.suffix == ".gif":
    pictures = film(clip, asked.speed, 20)
    pictures[0].save(asked.output, save_all=True, append_images=pictures[1:], duration=50, loop=0)
    print(f"{asked.output}: {len(pictures)} pictures, 20 a second")
else:
    frames = np.linspace(0, len(clip) - 1, 8).round() if asked.frame is None else np.array([asked.frame])
    if not 0.0 <= frames.min() <= frames.max() <= len(clip) - 1:
        parser.error(f"{asked.file} has no frame {asked.frame}")
    asked.output.write_bytes(as_png(strip(resample.sample(clip, frames))))
    print(f"{asked.output}: frame {', '.join(f'{frame:g}' for frame in frames)}")
