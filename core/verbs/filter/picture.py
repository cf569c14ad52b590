"""The picture of a filtered clip: the joints that changed most, their spikes, the bands, and how far joints moved."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...motion import quat
from ...motion.quat import Array
from ...plots import figures
from ...weave.results import FilterResult
from . import work

JOINTS = 3
_BEFORE, _AFTER, _SPIKE = "#aaaaaa", "#1f4e79", "#a83a36"


def draw(result: FilterResult) -> Figure:
    """Return a figure of joint rotations before and after, of the bands, and of the displacement of joints."""
    figure = figures.new_figure(result.clip.name, 9.0, 2.0 * JOINTS + 4.0)
    above, below = figure.subfigures(2, 1, height_ratios=(JOINTS, 2), squeeze=False)[:, 0]
    axes = above.subplots(JOINTS, 1, sharex=True, squeeze=False)[:, 0]
    for axis, joint in zip(axes, _most_changed(result), strict=False):
        _draw_joint(axis, result, joint)
    axes[-1].set_xlabel("time (s)")
    bands, moves = below.subplots(1, 2)
    _draw_bands(bands, result)
    _draw_moves(moves, result)
    return figure


def _most_changed(result: FilterResult) -> list[int]:
    """Return the joints with the worst spikes first, then by mean rotation."""
    jumps = result.filtered.jumps.max(axis=0)
    changed = _angles(result.before.rotations, result.clip.rotations).mean(axis=0)
    return [int(joint) for joint in np.lexsort((-changed, -jumps))[:JOINTS]]


def _draw_joint(axis: Axes, result: FilterResult, joint: int) -> None:
    about = quat.mean_of_frames(result.before.rotations[:, [joint]])
    for clip, colour, title in ((result.before, _BEFORE, "before"), (result.clip, _AFTER, "after")):
        turned = np.degrees(_angles(about, clip.rotations[:, [joint]])[:, 0])
        time = np.arange(len(clip)) / clip.rate
        axis.plot(time, turned, color=colour, lw=1.2, label=title)
        if clip is result.before:
            spikes = result.filtered.turned[:, joint]
            axis.plot(time[spikes], turned[spikes], ".", color=_SPIKE, ms=4.0, label=f"spikes ({spikes.sum()})")
    axis.set_ylabel("from its mean (°)")
    axis.set_title(result.clip.skeleton.names[joint], fontsize=9, parse_math=False)
    axis.legend(fontsize=7, frameon=False)


def _draw_bands(axis: Axes, result: FilterResult) -> None:
    bands = np.arange(result.bands.shape[1]) + 1
    for values, colour, title, aside in zip(
        result.bands, (_BEFORE, _AFTER), ("before", "after"), (-0.2, 0.2), strict=True
    ):
        axis.bar(bands + aside, values, 0.4, color=colour, label=title)
    axis.set(xticks=bands, xlabel="band, from fine to coarse", ylabel="joints turn by (°, RMS)")
    axis.legend(fontsize=7, frameon=False)


def _draw_moves(axis: Axes, result: FilterResult) -> None:
    away = 100.0 * work.measure_moves(result.before, result.clip)
    time = np.arange(len(away)) / result.clip.rate
    axis.plot(time, away.max(axis=1), color=_BEFORE, lw=1.0, label="the joint that moved most")
    axis.plot(time, np.median(away, axis=1), color=_AFTER, lw=1.2, label="half of the joints")
    axis.set(xlabel="time (s)", ylabel="moved (cm)")
    axis.legend(fontsize=7, frameon=False)


def _angles(one: Array, other: Array) -> Array:
    return np.asarray(np.linalg.norm(quat.log(quat.mul(quat.inv(one), other)), axis=-1))
