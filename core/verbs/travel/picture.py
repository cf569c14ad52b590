"""The picture of root motion added or removed: contacts before and after, and each foot's measured speed."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...motion import root_motion
from ...motion.clip import Clip
from ...plots import figures
from ...quality import foot_travel
from ...weave.results import TravelResult

_FEET = ("#1f4e79", "#f0a030", "#3c9a6d", "#a83a36")
_BODY, _GIVEN = "#888888", "#333333"


def draw(woven: TravelResult) -> Figure:
    """Return a figure of the feet from above before and after, and of the speed measured from each during contacts."""
    figure = figures.new_figure(woven.clip.name, 9.0, 7.0)
    above, below = figure.subfigures(2, 1, squeeze=False)[:, 0]
    for axis, clip, title in zip(above.subplots(1, 2), (woven.before, woven.clip), ("before", "after"), strict=True):
        _draw_ground(axis, woven, clip)
        axis.set_title(title, fontsize=9)
    _draw_speeds(below.subplots(), woven)
    return figure


def _draw_ground(axis: Axes, woven: TravelResult, clip: Clip) -> None:
    """Draw the paths of body and feet from above, thick during foot contacts."""
    ground = root_motion.ground_frames(clip)[0]
    axis.plot(*ground.T, color=_BODY, lw=1.0, label="body")
    stands = None if woven.found is None else woven.found.stands
    for k, (name, (ball, _)) in enumerate(foot_travel.known_feet(clip).items()):
        colour = _FEET[k % len(_FEET)]
        axis.plot(ball[:, 0], ball[:, 1], color=colour, lw=0.6)
        if stands is not None:
            treads = np.where(stands[k][:, None], ball[:, :2], np.nan)
            axis.plot(*treads.T, color=colour, lw=3.0, label=f"foot {name}, thick where it stands")
    axis.set(aspect="equal", adjustable="datalim", xlabel="x (m)", ylabel="y (m)")
    axis.legend(fontsize=7, frameon=False)


def _draw_speeds(axis: Axes, woven: TravelResult) -> None:
    time = np.arange(len(woven.clip)) / woven.clip.rate
    label = "given" if woven.gives else "taken off"
    axis.plot(time, np.abs(woven.trajectory.velocity), color=_GIVEN, lw=1.5, label=label)
    if woven.found is not None:
        for k, name in enumerate(woven.found.feet):
            reported = np.where(woven.found.stands[k], np.abs(woven.found.back[k]), np.nan)
            axis.plot(time, reported, ".", ms=4, color=_FEET[k % len(_FEET)], label=f"foot {name} says")
    axis.set(ylim=(0.0, 1.15 * max(axis.get_ylim()[1], 0.1)), xlabel="time (s)", ylabel="speed (m/s)")
    axis.legend(fontsize=7, frameon=False)
