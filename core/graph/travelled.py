"""What walks through a motion graph hand back, and what is told of them."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..check import quality
from ..motion import trajectory
from ..motion.quat import Array
from ..weave.woven import Woven
from .assemble import Origin, Piece, Walked
from .graph import Graph
from .path import Path


@dataclass(frozen=True, eq=False)
class Travelled(Woven):
    """A walk through a graph: what its frames (F,) are made of, and its smoothed way, places (F,) as x + iy."""

    graph: Graph
    origin: Origin
    places: NDArray[np.complex128]


@dataclass(frozen=True, eq=False)
class Followed(Travelled):
    """A walk along a path; gone (F,) : metres of the path up to each frame."""

    path: Path
    gone: Array


def report(verb: str, graph: Graph, walked: Walked, walk: Sequence[Piece], began: float) -> dict[str, Any]:
    """Return what every report on a walk says; `began` is the perf_counter at the start."""
    clip, given = walked.clip, graph.material.given
    used = np.unique(walked.origin.clip[walked.origin.clip >= 0] % given)
    return {
        "verb": verb,
        "inputs": graph.report["inputs"],
        "names": graph.report["names"],
        "output": clip.name,
        "frames": len(clip),
        "rate": clip.rate,
        "heading": trajectory.heading_source(clip.skeleton),
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


def _pieces(graph: Graph, origin: Origin, walk: Sequence[Piece]) -> list[dict[str, Any]]:
    """What a walk is made of, one after the other, in frames of the clips as they were given."""
    told = []
    for number, piece in enumerate(walk):
        at = np.flatnonzero(origin.piece == number)
        if len(at) == 0:
            continue
        first, last = (graph.given_frame(piece.clip, int(origin.frame[k])) for k in (at[0], at[-1]))
        one: dict[str, Any] = {"at": int(at[0]), "clip": graph.clips[piece.clip].name, "frames": [first, last]}
        if piece.edge >= 0:
            end = graph.end[piece.edge]
            other = int(graph.clip[end])
            one["into"] = graph.clips[other].name
            one["into_frame"] = graph.given_frame(other, int(graph.frame[end]))
            one["distance"] = round(float(graph.distance[piece.edge]), 5)
        if piece.bend:
            one["bend_degrees_m"] = round(float(np.degrees(piece.bend)), 3)
        told.append(one)
    return told
