"""The picture of a filled clip: keyed and filled poses, and the similarity score of each gap."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...inbetween import trust
from ...plots import figures, stick_figures
from .result import FillResult

_KEY, _OWN, _PLAIN = "#1f4e79", "#4f9d69", "#c8c8c8"
_GAPS, _BETWEEN = 4, 3  # gaps drawn, and poses in each
_APART = 0.75  # spacing of poses, body heights


def draw(result: FillResult) -> Figure:
    """Return a figure of the first gaps with keyed poses in blue, filled poses between them, and similarity scores."""
    figure = figures.new_figure(result.clip.name, 11.0, 6.0)
    above, below = figure.subplots(2, 1, height_ratios=(3, 2))
    _draw_poses(above, result)
    _draw_gaps(below, result)
    return figure


def _draw_poses(axis: Axes, result: FillResult) -> None:
    gaps = result.done.gaps[:_GAPS]
    shown = [(result.keys[0], _KEY)]
    for gap in gaps:
        colour = _PLAIN if gap.gain < trust.LITTLE else _OWN
        between = np.linspace(gap.first, gap.last, _BETWEEN + 2).round().astype(int)
        shown += [(int(frame), colour) for frame in between[1:-1]] + [(gap.last, _KEY)]
    apart = _APART * result.clip.skeleton.height
    at = np.arange(len(shown)) * apart
    for colour in (_PLAIN, _OWN, _KEY):
        own = [k for k, (_, other) in enumerate(shown) if other == colour]
        if own:
            frames = np.array([shown[k][0] for k in own])
            stick_figures.draw(axis, result.clip.take_frames(frames), at[own], colour, aside=stick_figures.ASLANT)
    axis.set_xticks(at, [str(frame) for frame, _ in shown], fontsize=7)
    axis.set_ylabel("m")


def _draw_gaps(axis: Axes, result: FillResult) -> None:
    gaps = result.done.gaps
    axis.bar(range(len(gaps)), [gap.own_gain for gap in gaps], color=_OWN, label="as alike as")
    axis.plot(range(len(gaps)), [gap.gain for gap in gaps], ".", color=_KEY, label="share of it")
    axis.set_xticks(range(len(gaps)), [f"{gap.first}–{gap.last}" for gap in gaps], fontsize=7)
    axis.set(ylim=(0.0, 1.05), xlabel="frames between keys")
    axis.legend(fontsize=7, frameon=False)
