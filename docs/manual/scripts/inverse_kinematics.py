"""Inverse kinematics by cyclic coordinate descent: joint by joint, a limb is turned towards a place.

python inverse_kinematics.py walk.bvh RightArm RightHand 0.2 -0.5 1.3

The joints from RightArm to the one above RightHand turn until RightHand is at x, y, z (metres from the root, z up).
"""

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np
from action_loom.core.formats import motion_file
from action_loom.core.motion import ik, kinematics, quat, roles
from action_loom.core.motion.clip import Clip
from action_loom.core.plots import stick_figures
from action_loom.core.plots.png import as_png
from matplotlib.figure import Figure


def one_round(posture: Clip, chain: list[int], end: int, goal: np.ndarray) -> Clip:
    """The posture after each joint of the chain, from the end inwards, has pointed the end at its goal."""
    rotations = posture.rotations.copy()
    for joint in chain:
        turned, places = kinematics.world(replace(posture, rotations=rotations))
        swing = ik.shortest(places[:, end] - places[:, joint], goal - places[:, joint])
        inside = quat.mul(quat.inv(turned[:, joint]), quat.mul(swing, turned[:, joint]))
        rotations[:, joint] = quat.mul(rotations[:, joint], inside)
    return replace(posture, rotations=rotations)


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("file")
parser.add_argument("first", help="joint")
parser.add_argument("end", help="joint")
parser.add_argument("goal", type=float, nargs=3)
parser.add_argument("--frame", type=int, default=0)
parser.add_argument("--rounds", type=int, default=20)
parser.add_argument("-o", "--output", type=Path, default=Path("inverse_kinematics.png"))
asked = parser.parse_args()
clip = motion_file.read(asked.file).clip
first, end = clip.skeleton.index(asked.first), clip.skeleton.index(asked.end)
above = roles.ancestors(end, clip.skeleton.parents)
if first not in above:
    parser.error(f"{asked.end} does not hang on {asked.first}")
chain = above[: above.index(first) + 1]
steps = [clip.cut(asked.frame, asked.frame + 1)]
goal = kinematics.world(steps[0])[1][0, 0] + asked.goal
for count in range(asked.rounds + 1):
    away = float(np.linalg.norm(kinematics.world(steps[-1])[1][0, end] - goal))
    print(f"after {count:2} rounds {1000.0 * away:8.2f} mm away")
    if away < 1e-4:
        break
    steps.append(one_round(steps[-1], chain, end, goal))
figure = Figure(figsize=(2.4, 3.0), layout="constrained")
axis = figure.add_subplot(xticks=[], yticks=[])
for posture, colour in zip(steps, [*["0.75"] * (len(steps) - 1), "tab:blue"], strict=True):
    stick_figures.draw(axis, posture, np.zeros(1), colour)
asked.output.write_bytes(as_png(figure))
