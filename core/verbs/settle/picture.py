"""The picture of a settled clip: how far joints moved over time."""

import numpy as np
from matplotlib.figure import Figure

from ...motion import kinematics
from ...plots import figures
from ...weave.results import EditResult

_MOST, _MEAN = "#aaaaaa", "#1f4e79"


def draw(result: EditResult) -> Figure:
    """Return a figure of how far joints moved over time."""
    figure = figures.new_figure(result.clip.name, 9.0, 3.5)
    axis = figure.subplots()
    away = 100.0 * np.linalg.norm(kinematics.points(result.clip) - kinematics.points(result.before), axis=2)
    seconds = np.arange(len(away)) / result.clip.rate
    axis.plot(seconds, away.max(axis=1), color=_MOST, lw=1.0, label="the joint that moved most")
    axis.plot(seconds, away.mean(axis=1), color=_MEAN, lw=1.2, label="mean of all joints")
    axis.set(xlabel="time (s)", ylabel="moved (cm)")
    axis.legend(fontsize=7, frameon=False)
    return figure
