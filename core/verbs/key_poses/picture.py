"""The picture of a clip through key poses: the poses, the frames half-way between, and joint speeds."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...motion import quat
from ...plots import figures, stick_figures
from ...weave.results import KeyPosesResult

_POSE, _BETWEEN, _FASTEST, _MEAN = "#1f4e79", "#c8c8c8", "#f0a030", "#333333"
_MOST = 12  # stick figures per row
_APART = 0.75  # spacing, body heights


def draw(result: KeyPosesResult) -> Figure:
    """Return a figure of the key poses, of the frames half-way between, and of joint speeds."""
    figure = figures.new_figure(result.clip.name, 11.0, 6.0)
    above, below = figure.subplots(2, 1, height_ratios=(3, 2))
    _draw_poses(above, result)
    _draw_speeds(below, result)
    return figure


def _draw_poses(axis: Axes, result: KeyPosesResult) -> None:
    clip, rate = result.clip, result.clip.rate
    ends = np.append(result.arrive, len(clip) - 1) if clip.cyclic else np.array(result.arrive)
    shown = np.unique(np.linspace(0, len(ends) - 1, min(_MOST, len(ends))).round().astype(np.int64))
    frames, leave = ends[shown], np.append(result.leave, ends[-1])[shown]
    apart = 2.0 * _APART * clip.skeleton.height
    at = np.arange(len(frames)) * apart
    # Skip nonadjacent pairs: another key pose lies between them.
    following = np.flatnonzero(np.diff(shown) == 1)
    halves = (leave[following] + frames[following + 1]) // 2
    stick_figures.draw(
        axis, clip.take_frames(halves), at[following] + 0.5 * apart, _BETWEEN, aside=stick_figures.ASLANT
    )
    stick_figures.draw(axis, clip.take_frames(frames), at, _POSE, width=1.8, aside=stick_figures.ASLANT)
    labels = [f"{k % len(result.arrive) + 1}\n{frame / rate:.2f} s" for k, frame in zip(shown, frames, strict=True)]
    axis.set_xticks(at, labels, fontsize=7)
    axis.set_ylabel("m")
    left_out = f", {len(shown)} of {len(ends)} shown" if len(shown) < len(ends) else ""
    axis.set_title(f"poses, and half way between them{left_out}", fontsize=9)


def _draw_speeds(axis: Axes, result: KeyPosesResult) -> None:
    clip = result.clip
    steps = quat.log(quat.mul(quat.inv(clip.rotations[:-1]), clip.rotations[1:]))
    speed = np.degrees(np.linalg.norm(steps, axis=2)) * clip.rate
    time = (np.arange(len(speed)) + 0.5) / clip.rate
    axis.plot(time, speed.max(axis=1), color=_FASTEST, lw=1.2, label="the joint that turns fastest")
    axis.plot(time, speed.mean(axis=1), color=_MEAN, lw=1.2, label="mean of all joints")
    for arrive, leave in zip(result.arrive, result.leave, strict=True):
        axis.axvspan(arrive / clip.rate, leave / clip.rate, color=_POSE, alpha=0.15)
        axis.axvline(arrive / clip.rate, color=_POSE, lw=0.8)
    axis.set_ylim(bottom=0.0)
    axis.set(xlabel="time (s); poses are lines, held ones wide", ylabel="turning (°/s)")
    axis.legend(fontsize=7, frameon=False)
