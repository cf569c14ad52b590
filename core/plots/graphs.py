"""Pictures of motion graphs: which clips go over into each other, and walks seen from above with poses along them."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from ..graph.motion_graph import MotionGraph
from ..graph.walk_result import FollowResult, WalkResult
from ..motion import kinematics

_COMPONENTS = ("#1f4e79", "#f0a030", "#3c9a6d", "#a83a36", "#8a6bbf", "#c06aa0")
_OUTSIDE, _PATH, _WAY, _MARK = "#c8c8c8", "#f0c890", "#1f4e79", "#a83a36"
_ACTION, _BODY = "#3c7a3c", "#333333"
_LANES = 64  # clips that are drawn
_ARCS = 1500  # transitions that are drawn, the nearest
_POSES = 24  # figures along a walk
_UP = (0.3, 0.7)  # where a metre of height goes in a plan


def draw_graph(built: MotionGraph) -> Figure:
    """Return a figure of the clips as lanes, coloured by component, and of the nearest transitions as arcs."""
    lanes = min(built.inputs.given, _LANES)
    figure = Figure(figsize=(10.0, 1.6 + 0.2 * lanes), layout="constrained")
    axis = figure.add_subplot()
    report = built.report["graph"]
    axis.set_title(
        f"{built.name}: {report['transitions']} transitions, "
        f"{report['component_share']:.0%} of the frames in one component"
        + ("\nmirror images are drawn as their clips" if built.inputs.mirrored else ""),
        fontsize=10,
        parse_math=False,
    )
    for clip in range(lanes):
        axis.broken_barh([(0.0, len(built.clips[clip]) / built.rate)], (clip - 0.3, 0.6), facecolor=_OUTSIDE, lw=0)
        own = built.clip == clip
        for component in np.unique(built.component[own]):
            frames = built.frame[own & (built.component == component)] / built.rate
            if len(frames) > 1:
                bar = (float(frames.min()), float(np.ptp(frames)))
                axis.broken_barh([bar], (clip - 0.3, 0.6), facecolor=_colour(int(component)), lw=0)
    _draw_arcs(axis, built, lanes)
    axis.set_yticks(range(lanes), [clip.name for clip in built.clips[:lanes]], fontsize=7, parse_math=False)
    axis.set_ylim(lanes - 0.3, -0.7)
    axis.set_xlim(0.0, max(clip.seconds for clip in built.clips[:lanes]))
    axis.set_xlabel("seconds of the clip; grey is outside every component that is shown")
    return figure


def _draw_arcs(axis: Axes, built: MotionGraph, lanes: int) -> None:
    edges = np.flatnonzero(built.crosses)
    lane = built.clip % built.inputs.given
    edges = edges[(lane[built.start[edges]] < lanes) & (lane[built.end[edges]] < lanes)]
    edges = edges[np.argsort(built.distance[edges], kind="stable")][:_ARCS]
    start, end = built.start[edges], built.end[edges]
    ends = [np.column_stack([built.frame[node] / built.rate, lane[node]]) for node in (start, end)]
    middle = 0.5 * (ends[0] + ends[1])
    # Aside by a part of how far they go: arcs there and back are not drawn over each other.
    away = ends[1] - ends[0]
    middle += 0.15 * np.column_stack([away[:, 1] * 0.2, -np.abs(away[:, 0]) - 0.5])
    at = np.linspace(0.0, 1.0, 12)[None, :, None]
    arcs = (1.0 - at) ** 2 * ends[0][:, None] + 2.0 * at * (1.0 - at) * middle[:, None] + at**2 * ends[1][:, None]
    inside = built.component[start] == built.component[end]
    colours = [_colour(int(c)) if same else _OUTSIDE for c, same in zip(built.component[start], inside, strict=True)]
    axis.add_collection(LineCollection(list(arcs), colors=colours, linewidths=0.5, alpha=0.25, zorder=3))


def _colour(component: int) -> str:
    return _COMPONENTS[component] if component < len(_COMPONENTS) else _OUTSIDE


def draw_walk(woven: WalkResult) -> Figure:
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
    axis.plot(track.real, track.imag, color=_WAY, lw=1.6, label="walked")
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
    axis.set_xlabel("x (m)")
    axis.set_ylabel("y (m); figures stand up")
    axis.set_title(title, fontsize=10, parse_math=False)
    axis.legend(loc="best", frameon=False, fontsize=8)
    return figure


def _draw_poses(axis: Axes, woven: WalkResult, stretches: list[list[int]]) -> None:
    """Draw the body at even times as if it stood up from the plan, in another colour where it does something else."""
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
