"""The picture of a clip on another body: both bodies at some frames, hands on contacts, and where limbs point."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...contacts.figure import figure_of
from ...contacts.keep import mark_hands
from ...motion.clip import Clip
from ...plots import figures, stick_figures
from ...weave.results import RetargetResult
from .work import limbs_off

_SOURCE, _RESULT = "#1f4e79", "#a83a36"
_HANDS = ("none", "#2ca02c", "#d62728")  # free, on a contact, off it
_SHOWN = 6


def draw(woven: RetargetResult) -> Figure:
    """Return a figure of clip and result from the side at six frames, and of the angular error of limbs."""
    figure = figures.new_figure(woven.clip.name, 9.0, 7.0)
    above, middle, below = figure.subplots(3, 1, height_ratios=[2.0, 2.0, 1.0])
    frames = np.unique(np.linspace(0, len(woven.clip) - 1, _SHOWN).round().astype(int))
    _draw_bodies(above, woven.source, frames, _SOURCE)
    _draw_bodies(middle, woven.clip, frames, _RESULT)
    ends, marks = figure_of(woven.clip).ends, mark_hands(woven.report, len(woven.clip))
    for end in [end for end in marks if end in ends]:
        colours = [_HANDS[mark] for mark in marks[end][frames]]
        stick_figures.draw_dots(
            middle,
            woven.clip.take_frames(frames),
            np.arange(len(frames)) * woven.clip.skeleton.height,
            ends[end][frames],
            colours,
        )
    above.set_title(f"{woven.source.name}, {len(woven.source.skeleton)} joints", fontsize=9, parse_math=False)
    middle.set_title(f"{len(woven.clip.skeleton)} joints, legs × {woven.carried.scale:.2f}", fontsize=9)
    for role, angle in limbs_off(woven.source, woven.clip).items():
        below.plot(angle, lw=1.0, label=role)
    below.set(
        ylabel="limbs off (°)",
        xlabel="frame",
        ylim=(0.0, 1.1 * max((float(line.get_ydata().max()) for line in below.lines), default=0.0) + 0.1),
    )
    if below.lines:
        below.legend(fontsize=7, ncols=4, frameon=False)
    return figure


def _draw_bodies(axis: Axes, clip: Clip, frames: np.ndarray, colour: str) -> None:
    """Draw stick figures one body height apart, without their path over the ground."""
    at = np.arange(len(frames)) * clip.skeleton.height
    stick_figures.draw(axis, clip.take_frames(frames), at, colour)
    axis.set_xticks(at, [str(frame) for frame in frames], fontsize=7)
    axis.set_ylabel("m")
