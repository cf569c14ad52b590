"""The picture of a cut stretch: paths of hips and feet from above, and their speeds."""

import numpy as np
from matplotlib.figure import Figure

from ...motion import kinematics
from ...plots import figures
from ...weave.results import Result

_ENDS = {"hips": "#333333", "foot.L": "#3c9a6d", "foot.R": "#a83a36"}


def draw(result: Result) -> Figure:
    """Return a figure of hips and feet: paths from above, and speeds."""
    figure = figures.new_figure(result.clip.name, 8.0, 6.0)
    above, speeds = figure.subplots(2, 1)
    clip, places = result.clip, kinematics.world(result.clip)[1]
    for role, color in _ENDS.items():
        if role in clip.skeleton.roles:
            path = places[:, clip.skeleton.roles[role]]
            above.plot(*path[:, :2].T, color=color, lw=1.5, label=role)
            speed = np.linalg.norm(np.gradient(path, axis=0), axis=1) * clip.rate
            speeds.plot(np.arange(len(clip)) / clip.rate, speed, color=color, lw=1.0)
    above.set(aspect="equal", adjustable="datalim", xlabel="x (m)", ylabel="y (m)")
    above.legend(fontsize=8, frameon=False)
    speeds.set(xlabel="time (s)", ylabel="speed (m/s)")
    return figure
