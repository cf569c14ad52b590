"""Plays key frames: takes single postures from a motion file and interpolates the motion between them.

python key_frames.py walk.bvh 0 10 20 30                    each at its own time
python key_frames.py walk.bvh 0 10 20 30 --between ease     slowly out of each posture and into the next
python key_frames.py walk.bvh 0 10 30 --seconds 0 0.5 2     at other times
"""

import argparse
from pathlib import Path

import numpy as np
from action_loom.core.edit import key_poses
from action_loom.core.formats import motion_file
from action_loom.core.motion.clip import Clip
from action_loom.core.plots import stick_figures
from action_loom.core.plots.png import as_png
from matplotlib.figure import Figure


def played(clip: Clip, frames: list[int], seconds: list[float], between: str) -> tuple[Clip, np.ndarray]:
    """The motion through some frames of a clip, each at its time, and the frame at which each is reached."""
    at = np.rint((np.array(seconds) - seconds[0]) * clip.rate).astype(int)
    return key_poses.interpolate_poses(clip.take_frames(np.array(frames)), at, at, between), at


def strip(motion: Clip, keys: np.ndarray) -> Figure:
    """The key frames, black, and two frames between each two of them."""
    shown = np.unique(np.rint(np.interp(np.arange(3 * len(keys) - 2) / 3.0, np.arange(len(keys)), keys)).astype(int))
    figure = Figure(figsize=(9.0, 2.4), layout="constrained")
    axis = figure.add_subplot(yticks=[], xlabel="s")
    places = 0.45 * motion.skeleton.height * np.arange(len(shown))
    for colour, some in (("tab:blue", ~np.isin(shown, keys)), ("black", np.isin(shown, keys))):
        stick_figures.draw(axis, motion.take_frames(shown[some]), places[some], colour, width=1.0)
    axis.set_xticks(places[np.isin(shown, keys)], [f"{key / motion.rate:.2f}" for key in keys])
    return figure


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("file")
parser.add_argument("frames", type=int, nargs="+", help="key frames, counted from 0")
parser.add_argument("--seconds", type=float, nargs="+", help="when each is reached (default: as in the file)")
parser.add_argument("--between", choices=("ease", "squad", "monotone"), default="squad")
parser.add_argument("-o", "--output", type=Path, default=Path("key_frames.bvh"))
asked = parser.parse_args()
clip = motion_file.read(asked.file).clip
seconds = asked.seconds or [frame / clip.rate for frame in asked.frames]
motion, keys = played(clip, asked.frames, seconds, asked.between)
asked.output.write_bytes(motion_file.compose(motion, asked.output))
asked.output.with_suffix(".png").write_bytes(as_png(strip(motion, keys)))
print(f"{asked.output}: {len(motion)} frames through {len(keys)} key frames at {', '.join(map(str, keys))}")
