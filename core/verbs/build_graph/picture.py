"""Pictures of motion graphs: the transitions between clips."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from ...graph.motion_graph import MotionGraph

_COMPONENTS = ("#1f4e79", "#f0a030", "#3c9a6d", "#a83a36", "#8a6bbf", "#c06aa0")
_OUTSIDE = "#c8c8c8"
_LANES = 64  # clips that are drawn at most
_ARCS = 1500  # transitions that are drawn at most, the nearest


def draw(built: MotionGraph) -> Figure:
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
    axis.set(
        ylim=(lanes - 0.3, -0.7),
        xlim=(0.0, max(clip.seconds for clip in built.clips[:lanes])),
        xlabel="seconds of the clip; grey is outside every component that is shown",
    )
    return figure


def _draw_arcs(axis: Axes, built: MotionGraph, lanes: int) -> None:
    edges = np.flatnonzero(built.crosses)
    lane = built.clip % built.inputs.given
    edges = edges[(lane[built.start[edges]] < lanes) & (lane[built.end[edges]] < lanes)]
    edges = edges[np.argsort(built.distance[edges], kind="stable")][:_ARCS]
    start, end = built.start[edges], built.end[edges]
    ends = [np.column_stack([built.frame[node] / built.rate, lane[node]]) for node in (start, end)]
    middle = 0.5 * (ends[0] + ends[1])
    # Bend each arc by a share of its length, so that arcs in both directions do not overlap.
    away = ends[1] - ends[0]
    middle += 0.15 * np.column_stack([away[:, 1] * 0.2, -np.abs(away[:, 0]) - 0.5])
    at = np.linspace(0.0, 1.0, 12)[None, :, None]
    arcs = (1.0 - at) ** 2 * ends[0][:, None] + 2.0 * at * (1.0 - at) * middle[:, None] + at**2 * ends[1][:, None]
    inside = built.component[start] == built.component[end]
    colours = [_colour(int(c)) if same else _OUTSIDE for c, same in zip(built.component[start], inside, strict=True)]
    axis.add_collection(LineCollection(list(arcs), colors=colours, linewidths=0.5, alpha=0.25, zorder=3))


def _colour(component: int) -> str:
    return _COMPONENTS[component] if component < len(_COMPONENTS) else _OUTSIDE
