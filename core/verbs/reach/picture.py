"""The picture of a reaching limb: distance of its end from the target, its path, the body before and after."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...plots import figures, stick_figures
from ...weave.results import ReachResult

_BEFORE, _AFTER, _TARGET, _SPAN = "#aaaaaa", "#1f4e79", "#a83a36", "#f0a030"
_POSES = 7


def draw(result: ReachResult) -> Figure:
    """Return a figure of a limb's end before and after: poses, its path from above and from the side, and its error."""
    figure = figures.new_figure(result.clip.name, 11.0, 8.0)
    poses, paths, below = figure.subfigures(3, 1, height_ratios=(3, 3, 2), squeeze=False)[:, 0]
    _draw_poses(poses.subplots(), result)
    for axis, (across, up) in zip(paths.subplots(1, 2), ((0, 1), (0, 2)), strict=True):
        _draw_path(axis, result, across, up)
    _draw_distance(below.subplots(), result)
    return figure


def _changed_frames(result: ReachResult) -> np.ndarray:
    """Return the frames that changed, with one more on each side."""
    frames = np.flatnonzero(result.share > 0.0)
    return np.arange(max(int(frames[0]) - 1, 0), min(int(frames[-1]) + 2, len(result.clip)))


def _draw_poses(axis: Axes, result: ReachResult) -> None:
    frames = _changed_frames(result)
    even = np.linspace(frames[0], frames[-1], _POSES - 1).round().astype(np.int64)
    shown = np.unique(np.append(even, result.span[0]))
    at = np.arange(len(shown)) * 0.9 * result.clip.skeleton.height
    for clip, colour, width in ((result.before, _BEFORE, 1.0), (result.clip, _AFTER, 1.6)):
        stick_figures.draw(axis, clip.take_frames(shown), at, colour, width=width, aside=stick_figures.ASLANT)
    axis.set_xticks(at, [f"frame {frame}" for frame in shown], fontsize=7)
    axis.set_ylabel("m")


def _draw_path(axis: Axes, result: ReachResult, across: int, up: int) -> None:
    frames = _changed_frames(result)
    for path, colour, name in zip(result.ends[:, frames], (_BEFORE, _AFTER), ("before", "after"), strict=True):
        axis.plot(path[:, across], path[:, up], color=colour, lw=1.4, label=name)
    goal = result.target[result.span[0] : result.span[1] + 1]
    axis.plot(goal[:, across], goal[:, up], color=_TARGET, lw=1.0)
    axis.plot(goal[[0, -1], across], goal[[0, -1], up], "o", color=_TARGET, ms=5, label="target")
    axis.set(aspect="equal", adjustable="datalim", xlabel="x (m)", ylabel=f"{'xyz'[up]} (m)")
    axis.set_title("way, from above" if up == 1 else "way, from the side", fontsize=9)
    axis.legend(fontsize=7, frameon=False)


def _draw_distance(axis: Axes, result: ReachResult) -> None:
    time = np.arange(len(result.clip)) / result.clip.rate
    for path, colour, name in zip(result.ends, (_BEFORE, _AFTER), ("before", "after"), strict=True):
        axis.plot(time, 100.0 * np.linalg.norm(path - result.target, axis=1), color=colour, lw=1.4, label=name)
    first, last = (frame / result.clip.rate for frame in result.span)
    axis.axvspan(first, max(last, first + 0.2 / result.clip.rate), color=_SPAN, alpha=0.3, label="asked for")
    changed = np.flatnonzero(result.share > 0.0) / result.clip.rate
    axis.axvspan(changed[0], changed[-1], color=_SPAN, alpha=0.1, label="changed")
    axis.set_ylim(bottom=0.0)
    axis.set(xlabel="time (s)", ylabel="to the target (cm)")
    axis.legend(fontsize=7, frameon=False)
