"""The picture of a restyled clip: poses before and after, and its sliders."""

import numpy as np
from matplotlib.figure import Figure

from ...plots import figures, stick_figures
from ..fit_style.picture import _COLOURS
from .work import RestyleResult


def draw(result: RestyleResult) -> Figure:
    """Return a figure of poses before and after, and of the clip's measures within the range of the examples."""
    figure = figures.new_figure(result.clip.name, 11.0, 6.5)
    bodies, measures = figure.subfigures(2, 1, squeeze=False, height_ratios=(3, 2))[:, 0]
    for axis, clip, name, colour in zip(
        bodies.subplots(2, 1, sharex=True, sharey=True),
        (result.before, result.clip),
        ("before", "after"),
        ("#888888", _COLOURS[0]),
        strict=True,
    ):
        at = np.linspace(0.0, len(clip) - 1.0, 12).astype(np.int64)
        stick_figures.draw(axis, clip.take_frames(at), np.linspace(0.0, 11.0, 12), colour)
        axis.set(ylabel=name, xticks=[])
    known = result.in_style.style.sliders
    after = result.in_style.standard if result.changed is None else result.in_style.style.standard(result.changed.row)
    axis = measures.subplots(1, 1)
    rows = np.arange(len(known.names))
    axis.barh(rows, known.highest - known.lowest, left=known.lowest, height=0.5, color="#dddddd", label="examples")
    axis.plot(result.in_style.standard, rows, "o", color="#888888", label="before")
    axis.plot(after, rows, "D", color=_COLOURS[0], label="after")
    axis.set_yticks(rows, known.names)
    axis.invert_yaxis()
    axis.axvline(0.0, color="black", lw=0.6)
    axis.set_xlabel("usual differences from the examples' mean")
    axis.legend(fontsize=8, frameon=False, loc="upper right")
    return figure
