"""The picture of a clip with a changed place or carrier: ground paths of root and hips before and after."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...motion import kinematics, root_motion
from ...motion.clip import Clip
from ...motion.quat import Array
from ...plots import figures
from ...weave import root_carrier
from ...weave.results import EditResult

_HIPS, _ROOT, _FACING = "#1f4e79", "#f0a030", "#a83a36"
_ARROWS = 8  # facing directions along a path
_LENGTH = 0.25  # arrow length, as a share of the longest side of the view


def draw(result: EditResult) -> Figure:
    """Return a figure of both paths from above, with their starts and the facing of the body along them."""
    figure = figures.new_figure(result.clip.name, 9.0, 5.0)
    axes = figure.subplots(1, 2)
    for axis, clip, name in zip(axes, (result.before, result.clip), ("before", "after"), strict=True):
        _draw_paths(axis, clip)
        axis.set_title(f"{name}, from above", fontsize=9)
        axis.set(aspect="equal", adjustable="datalim", xlabel="x (m)")
    axes[0].set_ylabel("y (m)")
    axes[0].legend(fontsize=7, frameon=False)
    return figure


def _draw_paths(axis: Axes, clip: Clip) -> None:
    hips = root_motion.travelling_joint(clip.skeleton)
    above = root_carrier.above_hips(clip)
    places = kinematics.world_of(clip, [*above, *root_motion.heading_joints(clip.skeleton)])[1][..., :2]
    facing = root_motion.heading(clip)
    for joint, colour, width in ((hips, _HIPS, 1.0), *((joint, _ROOT, 2.0) for joint in above[:1])):
        axis.plot(*places[:, joint].T, color=colour, lw=width, label=clip.skeleton.names[joint])
        axis.plot(*places[0, joint], "o", color=colour, ms=4)
    at = np.unique(np.linspace(0, len(clip) - 1, _ARROWS).astype(int))
    ahead = _length(places[:, [hips, *above[:1]]]) * np.column_stack([-np.sin(facing), np.cos(facing)])
    axis.quiver(*places[at, hips].T, *ahead[at].T, color=_FACING, angles="xy", scale_units="xy", scale=1.0, width=0.004)


def _length(paths: Array) -> float:
    return max(0.1, _LENGTH * float(np.ptp(paths.reshape(-1, 2), axis=0).max()))
