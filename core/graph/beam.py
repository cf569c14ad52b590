"""Beam search by arc length for the walk through a graph that stays nearest to a path.

Only states at equal arc lengths are compared, and the best of each kind are kept: walks that differ in node, heading or
offset continue differently, and the cheapest at one point is often not the best in the end. Lengths are in units of
the table and the path, here called m: metres for a body height of 1.7 m (methods: Following a drawn path).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from .. import jit
from ..errors import PathError
from ..motion.quat import Array
from ..progress import SILENT, Progress
from .edge_table import EdgeTable
from .ground_path import STEP, GroundPath
from .motion_graph import Indices

BIN = 0.25  # m of arc length; states in one bin are compared
WIDTH = 600  # beam width: states followed per bin
WIDEST = 1.5  # m from the path; states farther away are pruned
HEADING = 0.05  # m²/rad²; cost of a squared difference in heading from the path
# bin sizes of heading (rad), and of lateral and longitudinal offset (m), that define states of one kind
KIND = (np.radians(15.0), 0.1, 0.1)
TURN_REACH = 1.0  # m of error equivalent to a radian of heading, for ranking
BENT = 0.015  # m²/m; cost of each metre of a bent edge
SPEED = 0.1  # m²/(m/s)² per second; cost of a squared difference from the wanted speed
ROUNDS = 12  # largest number of expansions within one bin, because states that turn in place never leave it
FIRST = 120  # of WIDTH states; number of the best ones to expand first, which may prune some of the rest
ONWARDS = 60  # edges of the same clip along which a state is followed in one step


@dataclass(frozen=True, eq=False)
class BestWalk:
    """The best walk: its edges (M,) and their bends (M,), as indices into the table of edges.

    nodes (K,), rows (K, 6) : its states, as in `Start`; at (K,) : number of edges before each state
    searched : number of states examined
    """

    edges: Indices
    bends: Indices
    nodes: Indices
    rows: Array
    at: Indices
    searched: int

    def followed_by(self, state: int, rest: "BestWalk") -> "BestWalk":
        """Return the walk up to one of its states, followed by another walk that starts there."""
        gone = int(self.at[state])
        return BestWalk(
            np.concatenate([self.edges[:gone], rest.edges]),
            np.concatenate([self.bends[:gone], rest.bends]),
            np.concatenate([self.nodes[:state], rest.nodes]),
            np.concatenate([self.rows[:state], rest.rows]),
            np.concatenate([self.at[:state], gone + rest.at]),
            rest.searched,
        )


@dataclass(frozen=True, eq=False)
class _Kept:
    """The states followed, each reached from a parent (−1 for none) along `onwards` edges of its clip, then an edge."""

    rows: Array
    node: Indices
    parent: Indices
    bend: Indices
    onwards: Indices
    edge: Indices
    searched: int
    best: int


@dataclass(frozen=True, eq=False)
class Start:
    """The start of a search: nodes (N,), and rows (N, 6) of x, y, facing, metres along the path, cost and height."""

    node: Indices
    rows: Array


@dataclass(frozen=True, eq=False)
class _States:
    """States: rows (N, 6) and nodes (N,) as in `Start`, origins (N, 4) as in `_Kept`, ranks and kinds (N,)."""

    rows: Array
    node: Indices
    origin: Indices
    rank: Array
    kind: Indices

    def some(self, chosen: Indices) -> "_States":
        return _States(
            self.rows[chosen], self.node[chosen], self.origin[chosen], self.rank[chosen], self.kind[chosen]
        )  # fmt: skip


def _join_states(parts: Sequence[_States]) -> _States:
    return _States(
        np.concatenate([part.rows for part in parts]),
        np.concatenate([part.node for part in parts]),
        np.concatenate([part.origin for part in parts]),
        np.concatenate([part.rank for part in parts]),
        np.concatenate([part.kind for part in parts]),
    )


class Bins:
    """Queued states in bins of arc length: the best of each kind up to the beam width; and the best at the end.

    dear (B + 1,) : cost limit per bin; states costlier than this are pruned, because the beam is full of states with a
        lower rank, which is never less than the cost; the last value is for states beyond `end`
    """

    def __init__(self, steps: EdgeTable, path: GroundPath, first: int, end: float, width: int) -> None:
        self._steps, self._path, self._width = steps, path, width
        self.first, self.end = first, end
        self.finished: _States | None = None
        self.dear = np.full(int(end / BIN) + 2 - first, np.inf)
        self._waiting: dict[int, _States] = {}

    def pop(self, place: int) -> _States | None:
        """Return the states of a bin, best first, and remove them; None if there are none."""
        self.dear[place - self.first] = np.inf
        return self._waiting.pop(place, None)

    def add(self, rows: Array, node: Indices, origin: Indices, place: int) -> None:
        """Queue states reached from the bin `place`."""
        off = _off(rows, self._path)
        states = _States(rows, node, origin, _rank(rows, off), _kind(self._steps.place[node], off))
        over = rows[:, 3] >= self.end
        if over.any():
            self._finish(states.some(np.flatnonzero(over)))
        into = np.where(over, -1, np.maximum((rows[:, 3] / BIN).astype(np.int64), place))
        order = np.argsort(into, kind="stable")
        for some in np.split(order, np.flatnonzero(np.diff(into[order])) + 1):
            later = int(into[some[0]]) if len(some) else -1
            if later < 0:
                continue
            there = states.some(some)
            if later in self._waiting:
                there = _join_states([self._waiting[later], there])
            there = there.some(_best(there.rank, there.kind, self._width))
            self._waiting[later] = there
            if len(there.rank) == self._width:
                self.dear[later - self.first] = there.rank[-1]

    def _finish(self, states: _States) -> None:
        best = states.some(np.array([int(np.argmin(states.rank))]))
        if self.finished is None or best.rank[0] < self.finished.rank[0]:
            self.finished, self.dear[-1] = best, best.rank[0]


def anywhere(steps: EdgeTable, path: GroundPath) -> Start:
    """Return every node, placed at the start of a path and facing along it, as initial states."""
    count = len(steps.nodes)
    begin = [path.places[0].real, path.places[0].imag, path.facing[0], 0.0, 0.0, path.heights[0]]
    return Start(np.arange(count), np.tile(np.array(begin), (count, 1)))


def search(
    steps: EdgeTable,
    path: GroundPath,
    *,
    fidelity: float,
    speed: float = 0.0,
    horizon: float = 0.0,
    start: Start | None = None,
    width: int = WIDTH,
    widest: float = WIDEST,
    bent: float = BENT,
    progress: Progress = SILENT,
) -> BestWalk:
    """Return the walk whose root path stays nearest to a path, from its start to its end.

    fidelity : m² a metre of a transition's distance
    speed : wanted m/s, 0 for any
    horizon : metres to search ahead before half of them are fixed, 0 for the whole path
    start : initial states, all at the same arc length; None for every node at the start of the path
    width : states followed per bin
    widest : m that a walk may be from the path
    bent : m² a metre of a bent edge

    Raises PathError, which gives the place, if no walk continues.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.graph import beam, build, edge_table, ground_path
        >>> from action_loom.core.recipes.graph import GraphOptions
        >>> graph = build.build([actions.walk()], GraphOptions(mirror=False))
        >>> table = edge_table.tabulate(graph, graph.largest(), np.zeros(1))
        >>> walk = beam.search(table, ground_path.through([(0, 0), (0, 5)], closed=False), fidelity=0.3)
        >>> bool(walk.rows[-1, 3] >= 5.0), bool(abs(walk.rows[-1, 0]) < 0.1)  # as far as the path, and on it
        (True, True)
    """
    price = fidelity * steps.distance + bent * steps.length * (steps.bends != 0.0)[:, None]
    if speed > 0.0:
        paces = steps.length / np.maximum(steps.seconds, 1e-9)
        price = price + SPEED * (paces - speed) ** 2 * steps.seconds
    start = anywhere(steps, path) if start is None else start
    walk, gone = None, float(start.rows[0, 3])
    while True:
        end = path.length if horizon <= 0.0 else min(gone + horizon, path.length)
        kept = _search_beam(steps, path, start, price, gone, end, width, widest, progress)
        whole = end >= path.length
        more = _trace_walk(steps, kept, np.inf if whole else gone + 0.5 * horizon)
        searched = kept.searched + (0 if walk is None else walk.searched)
        walk = replace(more if walk is None else walk.followed_by(len(walk.at) - 1, more), searched=searched)
        if whole:
            return walk
        start, gone = Start(more.nodes[-1:], more.rows[-1:]), float(more.rows[-1, 3])


def _search_beam(
    steps: EdgeTable,
    path: GroundPath,
    start: Start,
    price: Array,
    gone: float,
    end: float,
    width: int,
    widest: float,
    progress: Progress,
) -> _Kept:
    """Follow states from bin to bin until some are beyond `end`."""
    first, last = int(gone / BIN), int(np.ceil(end / BIN)) + 1
    bins = Bins(steps, path, first, end, width)
    bins.add(start.rows, start.node, np.full((len(start.node), 4), -1), first)
    kept: list[_States] = []
    count, searched, furthest = 0, len(start.node), gone
    for place in range(first, last):
        progress.at(min(place * BIN / path.length, 1.0), "Searching the clips")
        for _ in range(ROUNDS):
            if (waiting := bins.pop(place)) is None:
                break
            kept.append(waiting)
            # The best states come first, so that their successors prune others.
            for some in np.split(np.arange(len(waiting.node)), [FIRST * width // WIDTH]):
                origins, reached = expand_states(
                    steps, path, waiting.rows[some], waiting.node[some], price, (place + 1) * BIN, widest, bins, place
                )
                searched += len(origins)
                furthest = max(furthest, float(reached[:, 3].max(initial=gone)))
                origin = np.column_stack([origins[:, 0] + count, origins[:, 1:4]])
                bins.add(reached, origins[:, 4], origin, place)
                count += len(some)
    if bins.finished is None:
        raise _path_error(path, furthest)
    kept.append(bins.finished)
    every = _join_states(kept)
    parent, bend, onwards, edge = every.origin.T
    return _Kept(every.rows, every.node, parent, bend, onwards, edge, searched, count)


def _path_error(path: GroundPath, furthest: float) -> PathError:
    """Return the error of a search that failed on its way; it has the place."""
    place = path.at(np.array([furthest]))[0] * path.unit
    return PathError(
        f"the walk gets no further than {furthest * path.unit:.1f} of {path.length * path.unit:.1f} m",
        (float(place.real), float(place.imag)),
    )


def expand_states(
    steps: EdgeTable,
    path: GroundPath,
    rows: Array,
    node: Indices,
    price: Array,
    bin_end: float,
    widest: float = WIDEST,
    bins: Bins | None = None,
    place: int = 0,
) -> tuple[Indices, Array]:
    """Return the successors of states, through transitions of their nodes and of later nodes of their clips.

    Each state follows its clip until it has left the bin, and takes every transition on the way. Successors above the
    cost
    limit of their bin are dropped; place : the bin of the states. The first array (K, 5) has the parent state, the
        bend, the number of edges of the clip, the edge after them (−1: its clip only), and the node reached; the second
        (K, 6) x, y, facing, metres along the path, cost and height.
    """
    if bins is None:
        bins = Bins(steps, path, 0, 0.0, WIDTH)
    limits = np.array([widest, HEADING, path.length, STEP, BIN, bins.end, place, bins.first, TURN_REACH])
    table = np.column_stack([path.places.real, path.places.imag, path.facing, path.heights])
    room = 64 * len(rows) * len(steps.bends)
    while True:
        origin, reached = np.empty((room, 5), dtype=np.int64), np.empty((room, 6))
        count = jit.kernels(__package__).expand(
            np.ascontiguousarray(rows),
            node,
            bin_end,
            ONWARDS,
            limits,
            bins.dear,
            steps.onward,
            steps.first_crossing,
            steps.crossings,
            steps.end,
            price,
            steps.first_sample,
            steps.samples,
            table,
            origin,
            reached,
        )
        if count <= room:
            return origin[:count], reached[:count]
        room = count


@dataclass(frozen=True, eq=False)
class _Off:
    """Offsets of states from the path: position (lateral + i·longitudinal), facing and height."""

    away: NDArray[np.complex128]
    turn: Array
    higher: Array


def _off(rows: Array, path: GroundPath) -> _Off:
    """Return the offsets of states (N, 6) from the path at their arc lengths."""
    facing = path.facing_at(rows[:, 3])
    away = (rows[:, 0] + 1j * rows[:, 1] - path.at(rows[:, 3])) * np.exp(-1j * facing)
    turn = rows[:, 2] - facing
    return _Off(away, turn - 2.0 * np.pi * np.round(turn / (2.0 * np.pi)), rows[:, 5] - path.height_at(rows[:, 3]))


def _rank(rows: Array, off: _Off) -> Array:
    """Return the rank (N,) of states, lower is better: their cost plus their current offset from the path."""
    return rows[:, 4] + off.away.real**2 + off.away.imag**2 + (TURN_REACH * off.turn) ** 2 + off.higher**2


def _kind(place: Indices, off: _Off) -> Indices:
    """Return a number (N,) for the kind of each state.

    Height is not part of it: on a climbing path, states at other heights are also at other places.
    """
    away, turn = off.away, off.turn
    parts = [np.round(v / w).astype(np.int64) + 64 for v, w in zip((turn, away.real, away.imag), KIND, strict=True)]
    return ((place * 128 + np.clip(parts[0], 0, 127)) * 128 + np.clip(parts[1], 0, 127)) * 128 + np.clip(
        parts[2], 0, 127
    )


def _best(rank: Array, kind: Indices, width: int) -> Indices:
    """Return the best state of each kind, at most `width`, best first."""
    some = np.arange(len(rank))
    if len(rank) > 10 * width:
        # Sorting only the best ones suffices, unless most of them are of a few kinds.
        some = np.flatnonzero(rank <= np.partition(rank, 10 * width)[10 * width])
    order = some[np.argsort(rank[some], kind="stable")]
    first = _firsts(kind[order])
    if len(first) < width and len(some) < len(rank):
        order = np.argsort(rank, kind="stable")
        first = _firsts(kind[order])
    return order[first[:width]]


def _firsts(kind: Indices) -> Indices:
    """Return the first index of each kind (N,), sorted: like `np.unique`, but it sorts numbers, not their indices."""
    bits = len(kind).bit_length()
    keys = np.sort((kind << bits) | np.arange(len(kind)))
    new = np.diff(keys >> bits, prepend=-1) != 0
    return np.sort(keys[new] & ((1 << bits) - 1))


def _trace_walk(steps: EdgeTable, kept: _Kept, commit: float) -> BestWalk:
    """Return the walk to the best state, or the part of it up to `commit` metres."""
    chain = [kept.best]
    while kept.parent[chain[-1]] >= 0:
        chain.append(int(kept.parent[chain[-1]]))
    chain.reverse()
    chain = chain[: max(int((kept.rows[chain, 3] <= commit).sum()), 2)]
    edges: list[int] = []
    bends: list[int] = []
    at = [0]
    for before, state in pairwise(chain):
        node = kept.node[before]
        for _ in range(kept.onwards[state]):
            edges.append(int(steps.onward[node]))
            node = steps.end[edges[-1]]
        if kept.edge[state] >= 0:
            edges.append(int(kept.edge[state]))
        bends += [int(kept.bend[state])] * (len(edges) - len(bends))
        at.append(len(edges))
    edge, bend, after = (np.array(each, dtype=np.int64) for each in (edges, bends, at))
    return BestWalk(edge, bend, kept.node[chain], kept.rows[chain], after, kept.searched)
