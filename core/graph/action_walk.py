"""Play walks through a motion graph of actions along a stretch of a locomotion.

A walk enters the graph at any frame of the largest component, follows that clip, and takes the nearest transition
before a dead end, so it never ends. Frames cost slightly more each time they were played, so that ten punches can fill
a minute without a visible repetition (methods: Splicing upper body onto locomotion; [Nomura]).
"""

from dataclasses import dataclass, field

import numpy as np

from ..motion.quat import Array
from ..weave.splice import torso
from ..weave.splice.played import Interval, Motion, Played, Run
from . import assemble, edge_table
from .assemble import WalkPiece
from .motion_graph import Indices, MotionGraph

LEAVING = 1.0  # s before a dead end searched for the nearest transition
AGAIN = 0.1  # relative increase of a frame's distance for each time it was played


@dataclass(frozen=True, eq=False)
class _Lane:
    """A stretch of a clip within the component, and its outgoing transitions (T,), sorted by their frames (T,)."""

    clip: int
    first: int
    last: int
    edges: Indices
    frames: Indices


@dataclass(frozen=True, eq=False)
class _Walk(Run):
    """A run that is extended while it is played: its lane, and its pieces up to the end of a transition."""

    lane: int
    pieces: list[WalkPiece] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class _Ahead:
    """The next frames (R, K) of R runs, numbered over all clips; in transitions mixed with other frames (R, K)."""

    columns: Indices
    others: Indices
    shares: Array


class PlayedGraph(Played):
    """A graph of actions, entered at any frame of its largest component."""

    def __init__(self, graph: MotionGraph) -> None:
        self.name, self.clips, self._graph = graph.name, graph.clips, graph
        self._firsts = np.cumsum([0, *map(len, graph.clips)])
        self._lanes, self._lane_of = _lanes(graph)
        self._played = np.zeros(self._firsts[-1])
        self._taken = np.zeros(len(graph.start))
        self._starts: list[_Walk] = []
        self._known: _Ahead | None = None

    def best(self, interval: Interval) -> tuple[Run | None, float]:
        ahead = self._everywhere(interval.count, interval.step)
        again = 1.0 + AGAIN * self._played[ahead.columns].mean(axis=1)
        nearest = self._starts[int(np.argmin(self._means(ahead, interval) * again))]
        # without pieces, since played frames change its choices
        walk = _Walk(nearest.clip, nearest.frame, nearest.lane)
        return walk, self.going(walk, 0, interval)

    def going(self, run: Run, after: int, interval: Interval) -> float:
        assert isinstance(run, _Walk)
        return float(self._means(self._next_frames(run, after, interval.count), interval)[0])

    def without_point(self, count: int, nearest: Run | None) -> list[tuple[Run, int]]:
        assert nearest is not None
        return [(nearest, count)]

    def keep(self, run: Run, first: int, count: int) -> None:
        assert isinstance(run, _Walk)
        ahead = self._next_frames(run, first, count)
        np.add.at(self._played, np.concatenate([ahead.columns[0], ahead.others[0][ahead.shares[0] > 0.0]]), 1.0)
        gone = 0
        for piece in run.pieces:
            if piece.edge >= 0 and first <= gone < first + count:
                self._taken[piece.edge] += 1.0
            gone += piece.last - piece.first

    def motion(self, run: Run, count: int) -> Motion:
        assert isinstance(run, _Walk)
        self._grow(run, count)
        clip = assemble.assemble(self._graph, run.pieces).clip.cut(0, count)
        return Motion(clip, torso.facing(clip))

    def places(self, run: Run, count: int) -> Indices:
        assert isinstance(run, _Walk)
        (columns,) = self._next_frames(run, 0, count).columns
        clip = np.searchsorted(self._firsts, columns, side="right") - 1
        return np.stack([clip, columns - self._firsts[clip]])

    def _everywhere(self, count: int, step: int) -> _Ahead:
        """Return the next frames of every start for an unplayed graph; cached for the longest interval."""
        if self._known is None or self._known.columns.shape[1] < count:
            self._starts = [
                _Walk(lane.clip, frame, k)
                for k, lane in enumerate(self._lanes)
                for frame in range(lane.first, max(lane.last, lane.first + 1), step)
            ]
            self._known = _concatenate([self._next_frames(walk, 0, count) for walk in self._starts])
        known = self._known
        return _Ahead(known.columns[:, :count], known.others[:, :count], known.shares[:, :count])

    def _means(self, ahead: _Ahead, interval: Interval) -> Array:
        """Return the mean distance (R,) of the next frames over an interval."""
        rows, some = np.arange(len(interval.distances)), slice(None, None, interval.step)
        firsts = np.cumsum([0, *(-(-len(clip) // interval.step) for clip in self.clips)])
        near, other = (
            interval.distances[rows, self._columns(frames[:, some], interval.step, firsts)]
            for frames in (ahead.columns, ahead.others)
        )
        means: Array = (near + ahead.shares[:, some] * (other - near)).mean(axis=1)
        return means

    def _columns(self, frames: Indices, step: int, firsts: Indices) -> Indices:
        """Return the indices of the nearest among every `step`-th frame of each clip.

        frames : numbered over all clips; firsts (N + 1,) : starts of the thinned clips
        """
        clip = np.searchsorted(self._firsts, frames, side="right") - 1
        own = np.round((frames - self._firsts[clip]) / step).astype(np.int64)
        return np.asarray(np.minimum(firsts[clip] + own, firsts[clip + 1] - 1))

    def _next_frames(self, walk: _Walk, after: int, count: int) -> _Ahead:
        """Return the next frames (1, K) of one walk from its frame `after`."""
        self._grow(walk, after + count)
        columns, others, shares = [], [], []
        fade, steps = edge_table.fade(2 * self._graph.half)[:-1], np.arange(2 * self._graph.half)
        for piece in walk.pieces:
            own = self._firsts[piece.clip] + np.arange(piece.first, piece.last)
            columns.append(own)
            if piece.edge < 0:
                others.append(own)
                shares.append(np.zeros(len(own)))
            else:
                end = self._graph.end[piece.edge]
                begin = self._firsts[self._graph.clip[end]] + self._graph.frame[end] - 2 * self._graph.half
                others.append(begin + steps)
                shares.append(fade)
        some = slice(after, after + count)
        return _Ahead(*(np.concatenate(each)[None, some] for each in (columns, others, shares)))

    def _grow(self, walk: _Walk, count: int) -> None:
        """Extend a walk to at least `count` frames, through near and rarely used transitions."""
        gone = sum(piece.last - piece.first for piece in walk.pieces)
        lane, frame = walk.lane, walk.frame
        if walk.pieces:
            end = self._graph.end[walk.pieces[-1].edge]
            lane, frame = int(self._lane_of[end]), int(self._graph.frame[end])
        while gone < count:
            edge = self._leaving(self._lanes[lane], frame)
            clip, leaves = self._lanes[lane].clip, int(self._graph.frame[self._graph.start[edge]])
            if leaves > frame:
                walk.pieces.append(WalkPiece(clip, frame, leaves))
            walk.pieces.append(WalkPiece(clip, leaves, leaves + 2 * self._graph.half, edge))
            gone += leaves - frame + 2 * self._graph.half
            end = self._graph.end[edge]
            lane, frame = int(self._lane_of[end]), int(self._graph.frame[end])

    def _leaving(self, lane: _Lane, frame: int) -> int:
        """Return the transition by which a walk at a frame of a lane leaves it before its end."""
        late = lane.frames >= max(frame, lane.last - LEAVING * self._graph.rate)
        edges = lane.edges[late]
        return int(edges[np.argmin(self._graph.distance[edges] * (1.0 + self._taken[edges]))])


def _lanes(graph: MotionGraph) -> tuple[list[_Lane], Indices]:
    """Return the stretches of clips within the largest component, and the stretch (N,) of each node, −1 for none."""
    inside = (graph.component[graph.start] == 0) & (graph.component[graph.end] == 0)
    crossing = np.flatnonzero(inside & graph.crosses)
    nodes = np.flatnonzero(graph.component == 0)
    joined = np.zeros(len(graph.clip), dtype=bool)  # whether connected to the previous node
    joined[graph.end[inside & ~graph.crosses]] = True
    lane_of = np.full(len(graph.clip), -1)
    lanes: list[_Lane] = []
    for some in np.split(nodes, np.flatnonzero(~joined[nodes])[1:]):
        lane_of[some] = len(lanes)
        edges = crossing[np.isin(graph.start[crossing], some)]
        edges = edges[np.argsort(graph.frame[graph.start[edges]], kind="stable")]
        leaving = graph.frame[graph.start[edges]]
        first, last = graph.frame[some[0]], graph.frame[some[-1]]
        lanes.append(_Lane(int(graph.clip[some[0]]), int(first), int(last), edges, leaving))
    return lanes, lane_of


def _concatenate(parts: list[_Ahead]) -> _Ahead:
    return _Ahead(
        np.concatenate([part.columns for part in parts]),
        np.concatenate([part.others for part in parts]),
        np.concatenate([part.shares for part in parts]),
    )
