"""A motion graph: frames of clips as nodes, clips and blended transitions as edges (methods 8; Kovar 2002).

A match of frame i of clip A with frame j of clip B is an edge from (A, i − h) to (B, j + h), 2h frames long, and one
from (B, j − h) to (A, i + h). Nodes of one clip are chained by edges that are the clip itself, so that a transition
never begins inside another.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import GraphError, OptionError
from ..motion.clip import Clip
from ..motion.quat import Array
from ..progress import SILENT, Progress
from ..recipes import Graphing
from . import components, material, reporting, transitions, windows
from . import ways as ways_of
from .material import Material
from .transitions import Matches
from .ways import Ways
from .windows import Bodies

Indices = NDArray[np.int64]
SOME = 2048  # transitions that are aligned at a time


@dataclass(frozen=True, eq=False)
class Graph:
    """N nodes and E edges over the frames of clips.

    clip, frame (N,) : where a node is, in order of clips and frames
    start, end (E,) : nodes; distance (E,) in metres a point, NaN where an edge is a stretch of its clip
    turn, shift (E,) : what brings the clip of the end onto the ground of the start's, as in
        `sync.transitions.Transition`; shift as x + iy
    half : h; component (N,) : strongly connected components, the largest first
    """

    name: str
    material: Material
    half: int
    clip: Indices
    frame: Indices
    start: Indices
    end: Indices
    distance: Array
    turn: Array
    shift: NDArray[np.complex128]
    component: Indices
    report: dict[str, Any]

    @property
    def clips(self) -> tuple[Clip, ...]:
        return self.material.clips

    @property
    def rate(self) -> float:
        return self.clips[0].rate

    @cached_property
    def ways(self) -> Ways:
        """Where bodies go in the clips."""
        return ways_of.of(self.clips)

    @property
    def crosses(self) -> NDArray[np.bool_]:
        """Which edges (E,) are transitions."""
        return ~np.isnan(self.distance)

    @property
    def lengths(self) -> Indices:
        """Frames (E,) that each edge takes."""
        along = self.frame[self.end] - self.frame[self.start]
        return np.where(self.crosses, 2 * self.half, along)

    def largest(self, label: str = "") -> int:
        """Return the largest component, or that of clips of a label; raises OptionError where there is none such."""
        if not label:
            return 0
        labels = np.array(self.material.labels)[self.clip]
        inside = self.crosses & (self.component[self.start] == self.component[self.end])
        walkable = np.unique(self.component[self.start[inside & (labels[self.start] == label)]])
        if len(walkable) == 0:
            known = ", ".join(sorted(set(self.material.labels))) or "none"
            raise OptionError(f"no walk is among clips of the label {label!r}; the labels of this graph are: {known}")
        return int(walkable[0])

    def given_frame(self, clip: int, frame: int) -> int:
        """Return a frame of a clip as a frame of the clip as it was given."""
        return self.material.firsts[clip] + round(frame * self.material.scales[clip])


def build(clips: Sequence[Clip], wanted: Graphing, progress: Progress = SILENT) -> Graph:
    """Return the motion graph of clips.

    Raises GraphError where no frame can be come back to, and what `material.gather` raises.
    """
    began = time.perf_counter()
    ready = material.gather(
        clips, images=wanted.mirror, labels=wanted.labels.split(), progress=progress.part(0.0, 0.3)
    )
    body = windows.bodies(ready, wanted.transition)
    found = transitions.find(
        body, ready.given, threshold=wanted.threshold, relative=wanted.relative, progress=progress.part(0.3, 0.8)
    )
    progress.at(0.8, "Connecting")
    labels = np.unique(ready.labels, return_inverse=True)[1]
    found = found.some(labels[found.clip] == labels[found.other_clip])
    edges = _directed(body, found, ready)
    if found.repeated:
        again = {other: f"the same recording as {ready.clips[one].name}" for one, other in found.repeated}
        edges, ready = edges.renumbered(ready.remaining(again)), ready.without(again)
    graph = _connected(ready, body.half, edges, Graphing.result_name(wanted, [clip.name for clip in clips]))
    if not (graph.crosses & (graph.component[graph.start] == graph.component[graph.end])).any():
        raise GraphError(
            f"{graph.name}: there is no way back to any frame; raise the threshold ({wanted.threshold:g}), or add "
            "clips that are more alike"
        )
    return replace(graph, report=graph.report | reporting.built(graph, wanted, [c.name for c in clips], began))


@dataclass(frozen=True, eq=False)
class _Edges:
    """Transitions (E,) from frames of clips to frames of others, in every direction that they can be taken."""

    clip: Indices
    frame: Indices
    other_clip: Indices
    other_frame: Indices
    distance: Array
    turn: Array
    shift: NDArray[np.complex128]

    def renumbered(self, kept: Sequence[int]) -> "_Edges":
        """Return the edges with clips counted among those that are kept."""
        number = np.full(max(kept) + 1, -1)
        number[list(kept)] = np.arange(len(kept))
        return replace(self, clip=number[self.clip], other_clip=number[self.other_clip])


def _directed(body: Bodies, found: Matches, ready: Material) -> _Edges:
    """The matches both ways, and those of the clips' images, with how the second clip is brought to the first."""
    pairs = np.column_stack([found.clip, found.frame, found.other_clip, found.other_frame])
    pairs = np.concatenate([pairs, pairs[:, [2, 3, 0, 1]]])
    if ready.mirrored:
        images = pairs.copy()
        images[:, [0, 2]] = (images[:, [0, 2]] + ready.given) % (2 * ready.given)
        pairs = np.concatenate([pairs, images])
    pairs = np.unique(pairs, axis=0)
    turn, distance = np.empty(len(pairs)), np.empty(len(pairs))
    shift = np.empty(len(pairs), dtype=np.complex128)
    for first in range(0, len(pairs), SOME):
        some = slice(first, first + SOME)
        clip, frame, other_clip, other_frame = pairs[some].T
        mean, ground, height = windows.clouds(body, clip, frame)
        other_mean, other_ground, other_height = windows.clouds(body, other_clip, other_frame)
        alike = np.einsum("mk,mk->m", other_ground.conj(), ground)
        square = ((abs(ground) ** 2 + abs(other_ground) ** 2) + (height - other_height) ** 2).sum(axis=1)
        distance[some] = np.sqrt(np.maximum(square - 2.0 * abs(alike), 0.0))
        turn[some] = np.angle(alike)
        shift[some] = mean - np.exp(1j * turn[some]) * other_mean
    return _Edges(pairs[:, 0], pairs[:, 1], pairs[:, 2], pairs[:, 3], distance, turn, shift)


def _connected(ready: Material, half: int, edges: _Edges, name: str) -> Graph:
    """The graph of transitions: their ends as nodes, and clips as edges between those."""
    ends = np.concatenate(
        [
            np.column_stack([edges.clip, edges.frame - half]),
            np.column_stack([edges.other_clip, edges.other_frame + half]),
        ]
    )
    nodes, place = np.unique(ends, axis=0, return_inverse=True)
    place = place.reshape(-1)
    along = np.flatnonzero(np.diff(nodes[:, 0]) == 0)
    count = len(along)
    start = np.concatenate([along, place[: len(edges.clip)]])
    end = np.concatenate([along + 1, place[len(edges.clip) :]])
    component = components.strong(len(nodes), start, end)
    graph = Graph(
        name=name,
        material=ready,
        half=half,
        clip=nodes[:, 0],
        frame=nodes[:, 1],
        start=start,
        end=end,
        distance=np.concatenate([np.full(count, np.nan), edges.distance]),
        turn=np.concatenate([np.zeros(count), edges.turn]),
        shift=np.concatenate([np.zeros(count), edges.shift]),
        component=component,
        report={},
    )
    return replace(graph, component=_by_size(graph))


def _by_size(graph: Graph) -> Indices:
    """The components numbered by how many frames of the clips are in them, the largest first.

    Of those that are as large, first the ones that can be walked: a transition may lead back to where it begins.
    """
    frames = frames_in(graph)
    inside = graph.crosses & (graph.component[graph.start] == graph.component[graph.end])
    joined = np.bincount(graph.component[graph.start[inside]], minlength=len(frames))
    nodes = np.bincount(graph.component, minlength=len(frames))
    rank = np.empty(len(frames), dtype=np.int64)
    rank[np.lexsort((np.arange(len(frames)), -nodes, joined == 0, -frames))] = np.arange(len(frames))
    return rank[graph.component] if len(frames) else graph.component


def frames_in(graph: Graph) -> Indices:
    """Return how many frames of the clips each component has."""
    count = int(graph.component.max(initial=-1)) + 1
    inside = ~graph.crosses & (graph.component[graph.start] == graph.component[graph.end])
    return np.bincount(
        graph.component[graph.start[inside]], graph.lengths[inside].astype(float), minlength=count
    ).astype(np.int64)
