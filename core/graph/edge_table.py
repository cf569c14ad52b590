"""A table of a graph's edges for searching: smoothed root path and facing (methods: Following a drawn path)."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..motion.quat import Array
from . import posture_change
from .motion_graph import Indices, MotionGraph, distinct

SAMPLE_RATE = 10.0  # samples of an edge per second
PLACE_RATE = 30.0  # Hz; nodes of a clip within one period have the same place number
POSTURE = 0.05  # distance units per radian of change in the upper body's posture
TALL = 1.7  # m, body height for which the distances and turns of a search are set; they scale with the body
SOME = 4096  # edges sampled at a time, with all of their frames


def fade(count: int) -> Array:
    """Return the weight (count + 1,) of the second clip in a transition, from 0 to 1 (Kovar 2002).

    Example:
        >>> from action_loom.core.graph import edge_table
        >>> edge_table.fade(4).round(2).tolist()
        [0.0, 0.16, 0.5, 0.84, 1.0]
    """
    at = np.arange(count + 1) / count
    return at * at * (3.0 - 2.0 * at)


def crossing(graph: MotionGraph, edges: Indices) -> tuple[NDArray[np.complex128], Array, Array]:
    """Return position, facing and ground height (M, 2h + 1) along transitions, in the place of their first clips."""
    share, steps = fade(2 * graph.half), np.arange(2 * graph.half + 1)
    ground, facing, firsts = graph.tracks.ground, graph.tracks.facing, graph.tracks.firsts
    start, end = graph.start[edges], graph.end[edges]
    rows = (firsts[graph.clip[start]] + graph.frame[start])[:, None] + steps
    other = (firsts[graph.clip[end]] + graph.frame[end] - 2 * graph.half)[:, None] + steps
    turn, shift = graph.turn[edges, None], graph.shift[edges, None]
    places = (1.0 - share) * ground[rows] + share * (np.exp(1j * turn) * ground[other] + shift)
    apart = facing[other] + turn - facing[rows]
    whole = 2.0 * np.pi * np.round(apart[:, graph.half] / (2.0 * np.pi))
    return (
        places,
        facing[rows] + share * (apart - whole[:, None]),
        _blend_heights(graph.tracks.climbed, rows, other, share),
    )


def _blend_heights(climbed: Array, rows: Indices, others: Indices, share: Array) -> Array:
    """Return the ground height (M, F) of frames blended with others by a weight (F,), accumulated step by step."""
    first, second = np.diff(climbed[rows], axis=1), np.diff(climbed[others], axis=1)
    between = 0.5 * (share[1:] + share[:-1])
    steps = (1.0 - between) * first + between * second
    return climbed[rows[:, :1]] + np.concatenate([np.zeros((len(rows), 1)), np.cumsum(steps, axis=1)], axis=1)


def bend_path(places: NDArray[np.complex128], curvature: float) -> tuple[NDArray[np.complex128], Array]:
    """Return a ground path (..., F) with more `curvature` (radians a metre), and the additional turn (..., F)."""
    steps = np.diff(places, axis=-1)
    gone = lengths(places)
    middle = 0.5 * (gone[..., 1:] + gone[..., :-1])
    curve = np.cumsum(steps * np.exp(1j * curvature * middle), axis=-1)
    return np.concatenate([places[..., :1], places[..., :1] + curve], axis=-1), curvature * gone


def lengths(places: NDArray[np.complex128]) -> Array:
    """Return the arc length (..., F) at each position of a ground path (..., F).

    Example:
        >>> import numpy as np
        >>> from action_loom.core.graph import edge_table
        >>> edge_table.lengths(np.array([0.0, 1.0, 1.0 + 2.0j])).tolist()
        [0.0, 1.0, 3.0]
    """
    gone = np.cumsum(np.abs(np.diff(places, axis=-1)), axis=-1)
    return np.concatenate([np.zeros((*places.shape[:-1], 1)), gone], axis=-1)


@dataclass(frozen=True, eq=False)
class EdgeTable:
    """The edges of one component for a search: E edges between N nodes, with S samples in all.

    unit : metres, the unit of all lengths; 1 for a body height of 1.7 m, in proportion for others
    nodes (N,), edges (E,) : their indices in the graph
    place (N,) : equal for nodes within one thirtieth of a second of a clip
    onward (N,) : the edge that continues a node's clip, −1 for none
    first_crossing (N + 1,) : start of a node's transitions in `crossings` (T,), edges of this table
    end (E,) : the node at which an edge ends
    distance (E,) : of transitions, including a cost for changes of posture; 0 for stretches of clips
    seconds (E,), length (E,) : of the edges
    first_sample (E + 1,) : start of an edge's samples
    right, ahead (B, S) : the root path in the frame of its start, whose facing is `ahead`, for each of B bends
    turned, gone (B, S) : its facing relative to the start, and its arc length
    climbed (S,) : height of the ground relative to the start
    bends (B,) : radians a unit
    """

    unit: float
    nodes: Indices
    edges: Indices
    place: Indices
    onward: Indices
    first_crossing: Indices
    crossings: Indices
    end: Indices
    distance: Array
    seconds: Array
    length: Array
    first_sample: Indices
    right: Array
    ahead: Array
    turned: Array
    gone: Array
    climbed: Array
    bends: Array

    @cached_property
    def samples(self) -> Array:
        """The samples (B, S, 5) combined: right, ahead, turned, gone, climbed."""
        climbed = np.broadcast_to(self.climbed, self.gone.shape)
        return np.stack([self.right, self.ahead, self.turned, self.gone, climbed], axis=-1)


def unit(graph: MotionGraph) -> float:
    """Return the metres per unit of length in a search: 1 for a body height of 1.7 m, in proportion for others.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.graph import build, edge_table
        >>> from action_loom.core.recipes.graph import GraphOptions
        >>> graph = build.build([actions.walk()], GraphOptions(mirror=False))
        >>> round(edge_table.unit(graph) * 1.7, 2) == round(graph.clips[0].skeleton.height, 2)
        True
    """
    height = graph.clips[0].skeleton.height
    return height / TALL if height > 0.0 else 1.0


def tabulate(graph: MotionGraph, component: int, bends: Array) -> EdgeTable:
    """Return the edges of a component as a table, sampled ten times a second.

    bends (B,) : allowed additional turns of each edge, radians a unit (see `unit`)

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.graph import build, edge_table
        >>> from action_loom.core.recipes.graph import GraphOptions
        >>> graph = build.build([actions.walk()], GraphOptions(mirror=False))
        >>> table = edge_table.tabulate(graph, graph.largest(), np.radians([-10.0, 0.0, 10.0]))
        >>> len(table.end) == len(table.edges), table.turned.shape[0]  # three bends
        (True, 3)
    """
    metres = unit(graph)
    nodes = np.flatnonzero(graph.component == component)
    number = np.full(len(graph.clip), -1)
    number[nodes] = np.arange(len(nodes))
    edges = np.flatnonzero((number[graph.start] >= 0) & (number[graph.end] >= 0))
    start, end, crosses = number[graph.start[edges]], number[graph.end[edges]], graph.crosses[edges]
    onward = np.full(len(nodes), -1)
    onward[start[~crosses]] = np.flatnonzero(~crosses)
    crossings = np.flatnonzero(crosses)
    crossings = crossings[np.argsort(start[crossings], kind="stable")]
    sampled, near = (max(1, round(graph.rate / rate)) for rate in (SAMPLE_RATE, PLACE_RATE))
    parts = [_sample_edges(graph, edges[k : k + SOME], bends / metres, sampled) for k in range(0, len(edges), SOME)]
    counts, length, right, ahead, turned, gone, climbed = (
        np.concatenate(each, axis=-1) for each in zip(*parts, strict=True)
    )
    return EdgeTable(
        unit=metres,
        nodes=nodes,
        edges=edges,
        place=distinct(graph.clip[nodes], graph.frame[nodes] // near)[1],
        onward=onward,
        first_crossing=np.searchsorted(start[crossings], np.arange(len(nodes) + 1)),
        crossings=crossings,
        end=end,
        distance=_costs(graph, edges, crosses) / metres,
        seconds=graph.lengths[edges] / graph.rate,
        length=length / metres,
        first_sample=np.concatenate([[0], np.cumsum(counts)]),
        right=right / metres,
        ahead=ahead / metres,
        turned=turned,
        gone=np.repeat(gone[None] / metres, len(bends), axis=0),
        climbed=climbed / metres,
        bends=bends,
    )


def _costs(graph: MotionGraph, edges: Indices, crosses: NDArray[np.bool_]) -> Array:
    """Return the distance (E,), metres, of transitions plus the cost of a change of posture; 0 for the other edges."""
    costs = np.zeros(len(edges))
    over = edges[crosses]
    costs[crosses] = graph.distance[over] + POSTURE * unit(graph) * posture_change.of_edges(graph, over)
    return costs


def _sample_edges(
    graph: MotionGraph, edges: Indices, bends: Array, stride: int
) -> tuple[Indices, Array, Array, Array, Array, Array, Array]:
    """Return edges at every `stride`-th frame: sample counts, lengths; right, ahead, turned, gone, climbed."""
    places, facing, climbed, first = _edge_frames(graph, edges)
    counts = np.diff(first)
    owner, at = np.repeat(np.arange(len(edges)), counts), np.arange(first[-1]) - np.repeat(first[:-1], counts)
    taken = np.flatnonzero((at > 0) & ((at % stride == 0) | (at == counts[owner] - 1)))
    back = np.exp(-1j * facing[first[:-1]])[owner]
    gone = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(places)) * (owner[1:] == owner[:-1]))])
    gone -= gone[first[:-1]][owner]
    local = np.stack([(_bent_paths(places, gone, owner, first, bend) * back)[taken] for bend in bends])
    turned = (facing - facing[first[:-1]][owner])[taken] + bends[:, None] * gone[taken]
    samples = np.bincount(owner[taken], minlength=len(edges))
    higher = (climbed - climbed[first[:-1]][owner])[taken]
    return samples, gone[first[1:] - 1], local.real, local.imag, turned, gone[taken], higher


def _edge_frames(graph: MotionGraph, edges: Indices) -> tuple[NDArray[np.complex128], Array, Array, Indices]:
    """Return position, facing and ground height at all frames of the edges, and the start of each edge (E + 1,)."""
    counts = graph.lengths[edges] + 1
    first = np.cumsum([0, *counts])
    owner, at = np.repeat(np.arange(len(edges)), counts), np.arange(first[-1]) - np.repeat(first[:-1], counts)
    ground, facing, firsts = graph.tracks.ground, graph.tracks.facing, graph.tracks.firsts
    begin = graph.start[edges]
    # For transitions this reads past their start in the clip; the values are overwritten below.
    rows = np.minimum((firsts[graph.clip[begin]] + graph.frame[begin])[owner] + at, len(ground) - 1)
    places, faced, climbed = ground[rows], facing[rows], graph.tracks.climbed[rows]
    crosses = graph.crosses[edges]
    over = crosses[owner]
    across = crossing(graph, edges[crosses])
    places[over], faced[over], climbed[over] = (each.reshape(-1) for each in across)
    return places, faced, climbed, first


def _bent_paths(
    places: NDArray[np.complex128], gone: Array, owner: Indices, first: Indices, bend: float
) -> NDArray[np.complex128]:
    """Return concatenated ground paths relative to their starts, each bent as by `bend_path`."""
    steps = np.diff(places) * np.exp(0.5j * bend * (gone[1:] + gone[:-1])) * (owner[1:] == owner[:-1])
    curve = np.concatenate([[0.0], np.cumsum(steps)])
    return np.asarray(curve - curve[first[:-1]][owner])
