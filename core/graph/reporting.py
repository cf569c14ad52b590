"""The report on a motion graph: plain JSON values that scripts can rely on (methods: Motion graph)."""

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..motion import frame_map
from ..recipes.graph import GraphOptions
from .motion_graph import MotionGraph, frames_in

DOUBTFUL = 0.07  # m; above this threshold feet slide twice as much as in captured walks
SHOWN = 12  # components listed


def report_build(graph: MotionGraph, options: GraphOptions, names: Sequence[str], began: float) -> dict[str, Any]:
    """Return the report on a graph of clips with these names; began : perf_counter at the start."""
    frames, total = frames_in(graph), sum(map(len, graph.clips))
    crosses, component = graph.crosses, graph.component
    inside = crosses & (component[graph.start] == component[graph.end])
    nodes, joined = (np.bincount(which, minlength=len(frames)) for which in (component, component[graph.start[inside]]))
    listed = [
        {
            "share": round(float(frames[k]) / total, 4),
            "frames": int(frames[k]),
            "nodes": int(nodes[k]),
            "transitions": int(joined[k]),
            "clips": [graph.clips[c].name for c in _clips(graph, k)],
        }
        for k in range(len(frames))
        if joined[k]
    ]
    kept = {c % graph.inputs.given for c in _clips(graph, 0)}
    return {
        "verb": "graph",
        "inputs": list(names),
        "names": list(names),
        "output": graph.name,
        "rate": graph.rate,
        "graph": {
            "frames": total,
            "nodes": len(graph.clip),
            "edges": len(graph.start),
            "transitions": int(crosses.sum()),
            "component_share": listed[0]["share"],
            "components": listed[:SHOWN],
            "mirrored": graph.inputs.mirrored,
            "distance_median": round(float(np.median(graph.distance[crosses])), 5),
            "outside": [
                {"clip": clip.name, "why": _why(graph, k)}
                for k, clip in enumerate(graph.clips[: graph.inputs.given])
                if k not in kept
            ],
        },
        "dropped": frame_map.as_report(graph.inputs.left_out),
        "warnings": [*graph.inputs.sentences, *_warnings(options)],
        "seconds_taken": round(time.perf_counter() - began, 4),
    }


def _clips(graph: MotionGraph, component: int) -> list[int]:
    """Return the clips that have nodes in a component."""
    return [int(k) for k in np.unique(graph.clip[graph.component == component])]


def _why(graph: MotionGraph, clip: int) -> str:
    """Return the reason why a clip is not part of the largest component."""
    own = np.unique(graph.component[graph.clip == clip])
    if len(own) == 0:
        return "no frame of it is near enough to one of another clip"
    crossing = graph.crosses & (graph.component[graph.start] == graph.component[graph.end])
    others = np.intersect1d(own, graph.component[graph.start[crossing]])
    if len(others):
        return f"it is in component {int(others[0]) + 1}"
    return "it can be entered or left, but not come back to"


def _warnings(options: GraphOptions) -> list[str]:
    """Return warnings about the options."""
    if options.threshold > DOUBTFUL:
        return [f"with a threshold over {DOUBTFUL:g} m feet slide in transitions: look at them"]
    return []
