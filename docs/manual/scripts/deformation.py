"""Deforms a motion: a joint is turned in one frame, and the frames around follow it gently.

python deformation.py walk.bvh RightArm --frame 30 --turn -60 --axis Y --reach 0.4

The joint turns by 60 degrees about the world's axis in frame 30, by nothing 0.4 seconds before and after.
"""

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np
from action_loom.core.edit import pose_warp
from action_loom.core.formats import motion_file
from action_loom.core.motion import kinematics, quat
from action_loom.core.motion.clip import Clip
from action_loom.core.plots import stick_figures
from action_loom.core.plots.png import as_png
from matplotlib.figure import Figure


def turned(posture: Clip, joint: int, axis: str, degrees: float) -> Clip:
    """Return a posture with a joint rotated about an axis of the world."""
    world = kinematics.world(posture)[0][0, joint]
    swing = quat.about_axis(axis, np.radians(degrees))
    rotations = posture.rotations.copy()
    rotations[0, joint] = quat.mul(rotations[0, joint], quat.mul(quat.inv(world), quat.mul(swing, world)))
    return replace(posture, rotations=rotations)


def strip(clip: Clip, made: Clip, frame: int) -> Figure:
    """Frames around the chosen one: the motion grey, the changed motion blue."""
    figure = Figure(figsize=(9.0, 2.2), layout="constrained")
    axis = figure.add_subplot(yticks=[], xlabel="frame")
    shown = np.clip(frame + 4 * np.arange(-4, 5), 0, len(clip) - 1)
    places = 0.7 * clip.skeleton.height * np.arange(len(shown))
    stick_figures.draw(axis, clip.take_frames(shown), places, "0.75")
    stick_figures.draw(axis, made.take_frames(shown), places, "tab:blue", width=1.0)
    axis.set_xticks(places, [str(one) for one in shown])
    return figure


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("file")
parser.add_argument("joint")
parser.add_argument("--frame", type=int, default=0)
parser.add_argument("--turn", type=float, default=45.0, help="degrees")
parser.add_argument("--axis", choices=("X", "Y", "Z"), default="X")
parser.add_argument("--reach", type=float, default=0.4, help="seconds")
parser.add_argument("-o", "--output", type=Path, default=Path("deformation.bvh"))
asked = parser.parse_args()
clip = motion_file.read(asked.file).clip
joint = clip.skeleton.index(asked.joint)
wanted = turned(clip.cut(asked.frame, asked.frame + 1), joint, asked.axis, asked.turn)
correction = pose_warp.correction(clip, asked.frame, wanted, np.array([joint]))
made = pose_warp.spread(clip, [correction], pose_warp.Reach(asked.reach * clip.rate, asked.reach * clip.rate))
asked.output.write_bytes(motion_file.compose(made, asked.output))
asked.output.with_suffix(".png").write_bytes(as_png(strip(clip, made, asked.frame)))
changed = np.flatnonzero((made.rotations != clip.rotations).any(axis=(1, 2)))
print(f"{asked.output}: frames {changed.min()} to {changed.max()} of {len(clip)} are changed")
