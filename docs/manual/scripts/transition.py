"""Connects two motions: the second is turned and moved to where the first is left, then one goes over into the other.

python transition.py walk.bvh run.bvh --leave 40 --enter 5 --span 10

The first motion is left at frame 40, the second entered at its frame 5; over ten frames postures are interpolated.
"""

import argparse
from pathlib import Path

import numpy as np
from action_loom.core.edit import key_poses
from action_loom.core.formats import motion_file
from action_loom.core.motion import kinematics, resample, root_motion
from action_loom.core.motion.clip import Clip, join_clips
from action_loom.core.plots import stick_figures
from action_loom.core.plots.png import as_png
from matplotlib.figure import Figure


def connected(first: Clip, second: Clip, leave: int, enter: int, span: int) -> Clip:
    """The first motion up to a frame, `span` frames between, and the second from a frame on."""
    second = resample.to_rate(second, first.rate)
    ground, facing = root_motion.ground_frames(first)[0], root_motion.heading(first)
    aligned = root_motion.beginning_at(second, ground[leave], facing[leave], enter)
    between = []
    for k in range(span):
        u = (k + 1) / (span + 1)
        one, other = first.cut(leave + k, leave + k + 1), aligned.cut(enter + k, enter + k + 1)
        between.append(key_poses.between(one, other, u * u * (3.0 - 2.0 * u)))
    return join_clips([first.cut(0, leave), *between, aligned.cut(enter + span, len(aligned))])


def strip(motion: Clip, leave: int, span: int) -> Figure:
    """Draw the frames around the transition: the first motion black, the second blue, frames between orange."""
    figure = Figure(figsize=(9.0, 2.2), layout="constrained")
    axis = figure.add_subplot(xticks=[], yticks=[])
    frames = np.arange(max(leave - 12, 0), min(leave + span + 13, len(motion)), 3)
    parts = np.digitize(frames, [leave, leave + span])
    for part, colour in enumerate(("black", "tab:orange", "tab:blue")):
        some = frames[parts == part]
        stick_figures.draw(axis, motion.take_frames(some), 0.15 * motion.skeleton.height * some, colour, width=1.0)
    return figure


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("first")
parser.add_argument("second")
for name, frame in (("leave", 40), ("enter", 5), ("span", 10)):
    parser.add_argument(f"--{name}", type=int, default=frame)
parser.add_argument("-o", "--output", type=Path, default=Path("transition.bvh"))
asked = parser.parse_args()
one, other = (motion_file.read(path).clip for path in (asked.first, asked.second))
motion = connected(one, other, asked.leave, asked.enter, asked.span)
asked.output.write_bytes(motion_file.compose(motion, asked.output))
asked.output.with_suffix(".png").write_bytes(as_png(strip(motion, asked.leave, asked.span)))
steps = np.linalg.norm(np.diff(kinematics.world(motion)[1], axis=0), axis=2).max(axis=1)
most = 100.0 * steps[asked.leave - 1 : asked.leave + asked.span].max()
print(f"{asked.output}: {len(motion)} frames")
print(f"From frame to frame a joint moves {most:.1f} cm at most where they meet, {100.0 * steps.max():.1f} cm in all")
