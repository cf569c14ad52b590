"""The picture of planted feet: their speed before and after, and how far feet and pelvis moved."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...plots import figures
from ...quality import contacts
from ...weave.results import PlantResult

_FEET = ("#1f4e79", "#f0a030", "#3c9a6d", "#a83a36")
_BEFORE, _PELVIS = "#aaaaaa", "#333333"
_FASTEST = 100.0  # cm/s; upper limit of the axis, which cuts off swinging feet


def draw(woven: PlantResult) -> Figure:
    """Return a figure of the speed of each ball, shaded where planted, and of the displacement of feet and pelvis."""
    balls = contacts.feet(woven.before)
    figure = figures.new_figure(woven.clip.name, 9.0, 2.0 * (len(balls) + 1))
    *each, below = figure.subplots(len(balls) + 1, 1, sharex=True, squeeze=False)[:, 0]
    for k, (axis, foot) in enumerate(zip(each, balls, strict=True)):
        _draw_speeds(axis, woven, foot, _FEET[k % len(_FEET)])
    _draw_moves(below, woven)
    return figure


def _draw_speeds(axis: Axes, woven: PlantResult, foot: str, colour: str) -> None:
    rate = woven.clip.rate
    for clip, shade, title in ((woven.before, _BEFORE, "before"), (woven.clip, colour, "after")):
        path = contacts.feet(clip)[foot][:, :2]
        speed = np.linalg.norm(np.gradient(path, axis=0), axis=1) * rate if len(path) > 1 else np.zeros(len(path))
        axis.plot(np.arange(len(path)) / rate, 100.0 * speed, color=shade, lw=1.2, label=title)
    for span in woven.planted.spans:
        if span.foot == foot:
            axis.axvspan(span.first / rate, span.end / rate, color=colour, alpha=0.12, lw=0.0)
    axis.set(ylim=(0.0, _FASTEST), ylabel=f"{contacts.NAMES[foot]} (cm/s)")
    axis.legend(fontsize=7, frameon=False)


def _draw_moves(axis: Axes, woven: PlantResult) -> None:
    time = np.arange(len(woven.clip)) / woven.clip.rate
    for k, (foot, shift) in enumerate(woven.planted.shifts.items()):
        axis.plot(time, 100.0 * np.abs(shift), color=_FEET[k % len(_FEET)], lw=1.2, label=contacts.NAMES[foot])
    axis.plot(time, 100.0 * np.linalg.norm(woven.planted.pelvis, axis=1), color=_PELVIS, lw=1.2, label="pelvis")
    axis.set(xlabel="time (s)", ylabel="moved (cm)")
    axis.legend(fontsize=7, frameon=False)
