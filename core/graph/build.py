"""Build a motion graph: prepare and compare clips, connect them where they are alike (methods: Motion graph)."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..errors import GraphError
from ..motion.clip import Clip
from ..motion.quat import Array
from ..progress import SILENT, Progress
from ..recipes.base import Recipe, graph_name
from ..recipes.graph import GraphOptions
from ..sync import alignment
from . import components, inputs, reporting, transitions, windows
from .inputs import GraphInputs
from .motion_graph import Indices, MotionGraph, distinct, frames_in
from .transitions import Matches
from .windows import Bodies

SOME = 128  # transitions aligned at a time, so that their windows stay in cache


def build(
    clips: Sequence[Clip], options: GraphOptions, progress: Progress = SILENT, built: MotionGraph | None = None
) -> MotionGraph:
    """Return the motion graph of clips, or `built` if given.

    Raises GraphError if no walk returns to any frame, and the errors of `inputs.gather`.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.graph import build
        >>> from action_loom.core.recipes.graph import GraphOptions
        >>> graph = build.build([actions.walk(), actions.turn_left()], GraphOptions(mirror=False))
        >>> between = graph.crosses & (graph.clip[graph.start] != graph.clip[graph.end])
        >>> bool(between.any())  # transitions from one clip to the other
        True
    """
    if built is not None:
        return built
    began = time.perf_counter()
    ready = inputs.gather(
        clips,
        images=options.mirror,
        labels=options.labels.split(),
        travel=options,
        climbing=options.climbing,
        progress=progress.part(0.0, 0.3),
    )
    body = windows.bodies(ready, options.transition)
    found = transitions.find(
        body,
        ready.given,
        threshold=options.threshold,
        cycles=[frames.cycle for frames in ready.frame_maps[: ready.given]],
        rises=[float(ground[-1] - ground[0]) for ground in ready.grounds],
        progress=progress.part(0.3, 0.8),
    )
    labels = np.unique(ready.labels, return_inverse=True)[1]
    found = found.some(labels[found.clip] == labels[found.other_clip])
    edges = _direct_matches(body, found, ready, progress.part(0.8, 0.95))
    if found.repeated:
        again = {other: f"the same recording as {ready.clips[first].name}" for first, other in found.repeated}
        edges, ready = edges.renumber_clips(ready.remaining(again)), ready.without(again)
    progress.at(0.95, "Connecting")
    graph = _connect_ends(ready, body.half, edges, graph_name([clip.name for clip in clips]))
    if not (graph.crosses & (graph.component[graph.start] == graph.component[graph.end])).any():
        raise GraphError(
            f"{graph.name}: there is no way back to any frame; raise the threshold ({options.threshold:g}), or add "
            "clips that are more alike"
        )
    return replace(graph, report=graph.report | reporting.report_build(graph, options, [c.name for c in clips], began))


def of_walk(clips: Sequence[Clip], recipe: Recipe, progress: Progress, graph: MotionGraph | None) -> MotionGraph:
    """Return the graph for a walk: `graph` if given, or a new one of the recipe's prepared clips.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.graph import build
        >>> from action_loom.core.progress import SILENT
        >>> from action_loom.core.recipes.graph import GraphOptions
        >>> from action_loom.core.verbs.walk import Shortest
        >>> graph = build.build([actions.walk()], GraphOptions(mirror=False))
        >>> build.of_walk(graph.clips, Shortest(), SILENT, graph) is graph
        True
    """
    if graph is not None:
        return graph
    assert isinstance(recipe, GraphOptions)
    return build(recipe.prepared_of(clips), recipe, progress)


@dataclass(frozen=True, eq=False)
class _Edges:
    """Transitions (E,) from frames of clips to frames of others, one per direction."""

    clip: Indices
    frame: Indices
    other_clip: Indices
    other_frame: Indices
    distance: Array
    turn: Array
    shift: NDArray[np.complex128]

    def renumber_clips(self, kept: Sequence[int]) -> "_Edges":
        """Return the edges with clips renumbered after removing all but `kept`."""
        number = np.full(max(kept) + 1, -1)
        number[list(kept)] = np.arange(len(kept))
        return replace(self, clip=number[self.clip], other_clip=number[self.other_clip])


def _direct_matches(body: Bodies, found: Matches, ready: GraphInputs, progress: Progress) -> _Edges:
    """Return the matches in both directions, also of mirror images, with the alignment of the second clip."""
    pairs = np.column_stack([found.clip, found.frame, found.other_clip, found.other_frame])
    pairs = np.concatenate([pairs, pairs[:, [2, 3, 0, 1]]])
    if ready.mirrored:
        images = pairs.copy()
        images[:, [0, 2]] = (images[:, [0, 2]] + ready.given) % (2 * ready.given)
        pairs = np.concatenate([pairs, images])
    pairs = pairs[distinct(*pairs.T)[0]]
    turn, distance = np.empty(len(pairs)), np.empty(len(pairs))
    shift = np.empty(len(pairs), dtype=np.complex128)
    for first in range(0, len(pairs), SOME):
        progress.at(first / len(pairs), "Searching the clips")
        some = slice(first, first + SOME)
        clip, frame, other_clip, other_frame = pairs[some].T
        rows, others = windows.rows_of(body, clip, frame), windows.rows_of(body, other_clip, other_frame)
        aligned = alignment.align(
            body.places[rows],
            body.places[others],
            body.roots**2,
            [body.feet.at(rows), body.feet.at(others)],
        )
        lifted = ((body.heights[rows] - body.heights[others]) ** 2).sum(axis=-1).mean(axis=-1)
        turn[some], shift[some], distance[some] = aligned.turn, aligned.shift, np.sqrt(aligned.residual + lifted)
    return _Edges(pairs[:, 0], pairs[:, 1], pairs[:, 2], pairs[:, 3], distance, turn, shift)


def _connect_ends(ready: GraphInputs, half: int, edges: _Edges, name: str) -> MotionGraph:
    """Return the graph of transitions: their ends are nodes, connected by stretches of clips."""
    ends = np.concatenate(
        [
            np.column_stack([edges.clip, edges.frame - half]),
            np.column_stack([edges.other_clip, edges.other_frame + half]),
        ]
    )
    first, place = distinct(*ends.T)
    nodes = ends[first]
    along = np.flatnonzero(np.diff(nodes[:, 0]) == 0)
    count = len(along)
    start = np.concatenate([along, place[: len(edges.clip)]])
    end = np.concatenate([along + 1, place[len(edges.clip) :]])
    component = components.strong(len(nodes), start, end)
    graph = MotionGraph(
        name=name,
        inputs=ready,
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


def _by_size(graph: MotionGraph) -> Indices:
    """Return the component (N,) of each node, numbered by the number of clip frames in it, the largest first.

    Ties prefer components with transitions, because a transition may lead back to its own start.
    """
    frames = frames_in(graph)
    inside = graph.crosses & (graph.component[graph.start] == graph.component[graph.end])
    joined = np.bincount(graph.component[graph.start[inside]], minlength=len(frames))
    nodes = np.bincount(graph.component, minlength=len(frames))
    rank = np.empty(len(frames), dtype=np.int64)
    rank[np.lexsort((np.arange(len(frames)), -nodes, joined == 0, -frames))] = np.arange(len(frames))
    return rank[graph.component] if len(frames) else graph.component
