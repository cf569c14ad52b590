"""The picture of a motion by its measures: examples, requested and obtained measures, weights of the examples."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...plots import figures, stick_figures
from ...style.measures import UNITS
from .work import AskResult

_COLOURS = ("#1f4e79", "#f0a030", "#a83a36")
_POSES = 12


def draw(result: AskResult) -> Figure:
    """Return a figure of the examples by the requested measures, sized by weight, and of the clip's poses."""
    figure = figures.new_figure(result.clip.name, 9.0, 8.0)
    measures, bodies = figure.subplots(2, 1, height_ratios=(3, 1))
    _draw_examples(measures, result)
    at = np.linspace(0.0, len(result.clip) - 1.0, _POSES).astype(np.int64)
    stick_figures.draw(bodies, result.clip.take_frames(at), np.linspace(0.0, _POSES - 1.0, _POSES), _COLOURS[0])
    bodies.set_xticks([])
    return figure


def _draw_examples(axis: Axes, result: AskResult) -> None:
    names = list(result.asked)
    across, up = names[0], names[1] if len(names) > 1 else next(n for n in result.examples.measured if n not in names)
    x, y = (result.examples.measured[name] for name in (across, up))
    shares = result.weights.max(axis=0)
    axis.scatter(x, y, s=12, color="#bbbbbb", label="strides")
    used = shares > 0.0
    axis.scatter(x[used], y[used], s=20.0 + 400.0 * shares[used], color=_COLOURS[1], alpha=0.7, label="share")
    if len(names) > 1:
        axis.plot(result.asked[across], result.asked[up], "x", color=_COLOURS[2], ms=10, mew=2, label="asked")
        axis.plot(result.got[across], result.got[up], "o", mfc="none", mec=_COLOURS[0], ms=12, mew=2, label="got")
    else:
        axis.axvline(result.asked[across], color=_COLOURS[2], label="asked")
        axis.axvline(result.got[across], color=_COLOURS[0], ls=":", label="got")
    axis.set(xlabel=f"{across} ({UNITS[across]})", ylabel=f"{up} ({UNITS[up]})")
    axis.legend(fontsize=8, frameon=False)
