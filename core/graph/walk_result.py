"""The result of a walk through a motion graph, and its report (methods: Following a drawn path)."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..motion import root_motion
from ..motion.clip import Clip
from ..quality import quality
from ..weave.results import Result
from .assemble import AssembledWalk, Origin, WalkPiece
from .inputs import GraphInputs
from .motion_graph import MotionGraph


@dataclass(frozen=True, eq=False)
class WalkResult(Result):
    """A walk through prepared clips: the sources of its frames (F,), and its root path, places (F,) as x + iy."""

    inputs: GraphInputs
    origin: Origin
    places: NDArray[np.complex128]


@dataclass(frozen=True, eq=False)
class VariedResult(WalkResult):
    """A variation; bring_back : returns a changed clip with its keyed poses, kept stretches and closed loop."""

    bring_back: Callable[[Clip], Clip]

    def restore(self, changed: Clip) -> Clip:
        return self.bring_back(changed)


@dataclass(frozen=True, eq=False)
class GraphResult(WalkResult):
    """A walk through a motion graph."""

    graph: MotionGraph


def report(
    verb: str, graph: MotionGraph, walked: AssembledWalk, walk: Sequence[WalkPiece], began: float
) -> dict[str, Any]:
    """Return the report common to all walks; began : perf_counter at the start.

    Example:
        >>> import time
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.graph import assemble, build, walk_result
        >>> from action_loom.core.recipes.graph import GraphOptions
        >>> graph = build.build([actions.walk()], GraphOptions(mirror=False))
        >>> pieces = [assemble.WalkPiece(0, 10, 40)]
        >>> report = walk_result.report("walk", graph, assemble.assemble(graph, pieces), pieces, time.perf_counter())
        >>> report["frames"], report["pieces"]
        (31, [{'at': 0, 'clip': 'walk', 'frames': [10, 40]}])
    """
    clip, given = walked.clip, graph.inputs.given
    used = np.unique(walked.origin.clip[walked.origin.clip >= 0] % given)
    return {
        "verb": verb,
        "inputs": graph.report["inputs"],
        "names": graph.report["names"],
        "output": clip.name,
        "frames": len(clip),
        "rate": clip.rate,
        "heading": root_motion.heading_source(clip.skeleton),
        "graph": {key: graph.report["graph"][key] for key in ("frames", "transitions", "component_share")},
        "pieces": _pieces(graph, walked.origin, walk),
        "dropped": graph.report["dropped"],
        "quality": {
            "before": [quality.measure(graph.clips[k]) for k in used],
            "after": quality.measure(clip),
        },
        "warnings": list(graph.report["warnings"]),
        "seconds_taken": round(time.perf_counter() - began, 4),
    }


def _pieces(graph: MotionGraph, origin: Origin, walk: Sequence[WalkPiece]) -> list[dict[str, Any]]:
    """Return the pieces of a walk in order, in frames of the given clips."""
    reports = []
    for number, piece in enumerate(walk):
        at = np.flatnonzero(origin.piece == number)
        if len(at) == 0:
            continue
        first, last = (graph.given_frame(piece.clip, int(origin.frame[k])) for k in (at[0], at[-1]))
        entry: dict[str, Any] = {"at": int(at[0]), "clip": graph.clips[piece.clip].name, "frames": [first, last]}
        if piece.edge >= 0:
            end = graph.end[piece.edge]
            other = int(graph.clip[end])
            entry["into"] = graph.clips[other].name
            entry["into_frame"] = graph.given_frame(other, int(graph.frame[end]))
            entry["distance"] = round(float(graph.distance[piece.edge]), 5)
        if piece.bend:
            entry["bend_degrees_m"] = round(float(np.degrees(piece.bend)), 3)
        reports.append(entry)
    return reports
