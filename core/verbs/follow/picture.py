"""The picture of a walk through a motion graph: seen from above, with poses along it."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from ...graph.walk_result import WalkResult
from ...motion import kinematics
from .result import FollowResult

_PATH, _WALKED, _MARK = "#f0c890", "#1f4e79", "#a83a36"
_ACTION, _BODY = "#3c7a3c", "#333333"
_POSES = 24  # stick figures along a walk
_UP = (0.3, 0.7)  # the direction of height in the plan, per metre


def draw(woven: WalkResult) -> Figure:
    """Return a figure of a walk from above: the path, the root path of the walk, poses along it, and transitions."""
    track = woven.places
    across, up = (float(np.ptp(side)) + 3.0 for side in (track.real, track.imag))
    figure = Figure(figsize=(10.0, float(np.clip(9.0 * up / across, 3.5, 10.0)) + 0.8), layout="constrained")
    axis = figure.add_subplot()
    title = woven.clip.name
    if isinstance(woven, FollowResult):
        report = woven.report["follow"]
        title += f"\n{100.0 * report['rms']:.1f} cm off the path (RMS), {100.0 * report['max']:.1f} cm at most"
        drawn = woven.path.at(np.linspace(0.0, woven.path.length, 1000))
        axis.plot(drawn.real, drawn.imag, color=_PATH, lw=7, solid_capstyle="round", label="path")
    axis.plot(track.real, track.imag, color=_WALKED, lw=1.6, label="walked")
    crossing = woven.origin.edge >= 0
    starts = np.flatnonzero(crossing[1:] & ~crossing[:-1]) + 1
    axis.plot(track[starts].real, track[starts].imag, "o", color=_MARK, ms=4, label="transitions", zorder=4)
    carries = woven.report["follow"]["carries"] if isinstance(woven, FollowResult) else []
    for stretch in carries:
        first, last = stretch["frames"]
        label = f"{stretch['action']}, {stretch['from']:.0%} to {stretch['to']:.0%}"
        part = track[first : last + 1]
        axis.plot(part.real, part.imag, color=_ACTION, lw=3.0, label=label, zorder=2.5)
    _draw_poses(axis, woven, [stretch["frames"] for stretch in carries])
    axis.set_aspect("equal", adjustable="datalim")
    axis.margins(0.06)
    axis.set(xlabel="x (m)", ylabel="y (m); figures stand up")
    axis.set_title(title, fontsize=10, parse_math=False)
    axis.legend(loc="best", frameon=False, fontsize=8)
    return figure


def _draw_poses(axis: Axes, woven: WalkResult, stretches: list[list[int]]) -> None:
    """Draw the body at equal intervals, upright on the plan, in another colour during actions."""
    clip = woven.clip
    frames = np.unique(np.linspace(0, len(clip) - 1, min(_POSES, len(clip))).round().astype(np.int64))
    places = np.concatenate([kinematics.points(clip.cut(int(f), int(f) + 1)) for f in frames])
    skeleton = clip.skeleton
    joints = len(skeleton)
    bones = [(int(above), joint) for joint, above in enumerate(skeleton.bearers) if above >= 0]
    bones += [(int(j), joints + k) for k, j in enumerate(skeleton.tipped) if skeleton.body[j]]
    plan = places[..., :2] + places[..., 2:] * np.array(_UP)
    lines = [pose[[a, b]] for pose in plan for a, b in bones]
    acting = [any(first <= frame <= last for first, last in stretches) for frame in frames]
    colours = [_ACTION if acts else _BODY for acts in acting for _ in bones]
    axis.add_collection(LineCollection(lines, colors=colours, linewidths=0.9, alpha=0.85, zorder=3))
