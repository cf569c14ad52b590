"""Forward kinematics of one posture: where each joint is, and how it is turned, from the root outwards.

python forward_kinematics.py walk.bvh --frame 12
"""

import argparse
from pathlib import Path

import numpy as np
from action_loom.core.formats import motion_file
from action_loom.core.motion import kinematics, quat
from action_loom.core.motion.clip import Clip
from action_loom.core.plots.png import as_png
from matplotlib.figure import Figure


def matrix(rotation: np.ndarray, place: np.ndarray) -> np.ndarray:
    """A turn (a quaternion) and a move as one matrix (4, 4)."""
    made = np.eye(4)
    made[:3, :3], made[:3, 3] = quat.to_matrix(rotation), place
    return made


def go_on(posture: Clip, joint: int, above: np.ndarray, found: np.ndarray) -> None:
    """Compute the matrix of a joint, M = M_above · rest · motion, and then of all its descendants."""
    skeleton = posture.skeleton
    rest = matrix(skeleton.orients[joint], skeleton.offsets[joint])
    found[joint] = above @ rest @ matrix(posture.rotations[0, joint], posture.translations[0, joint])
    for child in np.flatnonzero(skeleton.parents == joint):
        go_on(posture, int(child), found[joint], found)


def picture(found: np.ndarray, parents: np.ndarray) -> Figure:
    """Joints as dots, and the axes of their frames: x red, y green, z blue, seen from the front and from the left."""
    figure, length = Figure(figsize=(5.2, 3.4), layout="constrained"), 0.06 * np.ptp(found[:, 2, 3])
    for place, across in enumerate((0, 1)):
        axis = figure.add_subplot(1, 2, place + 1, aspect="equal", xlabel=f"{'xy'[across]} (m)")
        for frame, above in zip(found, found[np.maximum(parents, 0)], strict=True):
            axis.plot([frame[across, 3], above[across, 3]], [frame[2, 3], above[2, 3]], color="0.8", zorder=1)
            for way, colour in enumerate(("tab:red", "tab:green", "tab:blue")):
                end = frame[:, 3] + length * frame[:, way]
                axis.plot([frame[across, 3], end[across]], [frame[2, 3], end[2]], color=colour, lw=1.0)
        axis.scatter(found[:, across, 3], found[:, 2, 3], s=9.0, color="navy", zorder=3)
    return figure


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("file")
parser.add_argument("--frame", type=int, default=0, help="counted from 0")
parser.add_argument("-o", "--output", type=Path, default=Path("forward_kinematics.png"))
asked = parser.parse_args()
clip = motion_file.read(asked.file).clip
posture = clip.cut(asked.frame, asked.frame + 1)
found = np.empty((len(clip.skeleton), 4, 4))
for root in np.flatnonzero(clip.skeleton.parents < 0):
    go_on(posture, int(root), np.eye(4), found)
for name, (x, y, z) in zip(clip.skeleton.names, found[:, :3, 3], strict=True):
    print(f"{name:24} {x:8.3f} {y:8.3f} {z:8.3f} m")
print(f"Off the core's own by {np.abs(found[:, :3, 3] - kinematics.world(posture)[1][0]).max():.1e} m at most")
asked.output.write_bytes(as_png(picture(found, clip.skeleton.parents)))
