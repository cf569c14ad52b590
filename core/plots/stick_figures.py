"""Bodies as stick figures, side by side."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from numpy.typing import NDArray

from ..motion import kinematics, root_motion
from ..motion.clip import Clip

ASLANT = np.radians(35.0)  # `aside` of a view from the right and a little from the front: limbs do not cover each other


def draw(
    axis: Axes, poses: Clip, at: NDArray[np.floating[Any]], colour: str, *, width: float = 1.5, aside: float = 0.0
) -> None:
    """Draw each pose of a clip at a place (F,) along the axis, seen from its right.

    aside : radians by which the view is turned from its right towards its front

    Example:
        >>> import numpy as np
        >>> from action_loom.core.figure import actions
        >>> from action_loom.core.plots import stick_figures
        >>> from matplotlib.figure import Figure
        >>> axis = Figure().subplots()
        >>> stick_figures.draw(axis, actions.walk(cycles=1).taken(np.array([0, 16])), np.array([0.0, 1.0]), "black")
        >>> len(axis.collections)
        1
    """
    places, skeleton = kinematics.points(poses), poses.skeleton
    ground, facing = root_motion.ground_frames(poses)
    joints = len(skeleton)
    bones = [(int(above), joint) for joint, above in enumerate(skeleton.bearers) if above >= 0]
    bones += [(int(joint), joints + k) for k, joint in enumerate(skeleton.tipped) if skeleton.body[joint]]
    lines = []
    for pose, middle, heading, place in zip(places, ground, facing, at, strict=True):
        from_middle = (pose[:, 0] - middle[0]) + 1j * (pose[:, 1] - middle[1])
        flat = np.stack([(from_middle * np.exp(1j * (aside - heading))).imag + place, pose[:, 2]], axis=1)
        lines += [flat[list(bone)] for bone in bones]
    axis.add_collection(LineCollection(lines, colors=colour, linewidths=width, capstyle="round"))
    axis.axhline(0.0, color="black", lw=0.6)
    axis.set_aspect("equal")
    axis.autoscale_view()
