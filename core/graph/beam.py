"""Looking for the walk through a graph that keeps nearest to a path: a beam by arc length.

States that have come equally far are compared with each other only, and few of each kind are kept: walks that differ
in node, heading, side or lead have different futures, and the cheapest past is often not the best of them.
Lengths are in units of the table and the path, "m" for short: metres of a body that is 1.7 m tall.

Method: Following a drawn path.
"""

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

BIN = 0.25  # m
WIDTH = 600  # states that are followed in a bin
WIDEST = 1.5  # m from the path; what is further away is given up
HEADING = 0.05  # m² for each rad² of facing elsewhere than the path
KIND = (np.radians(15.0), 0.1, 0.1)  # of states: heading (rad), and m aside and ahead of where they should be
TURN_REACH = 1.0  # m of error that a radian of heading is worth when states are ranked
BENT = 0.015  # m², the price of a metre of a bent edge
SPEED = 0.1  # m²/(m/s)² a second, of walking at another speed than wanted
ROUNDS = 12  # within a bin; who turns on the spot never leaves it
ONWARDS = 60  # edges of its clip that a state goes on at a time


@dataclass(frozen=True, eq=False)
class BestWalk:
    """The best walk: its edges (M,) and their bends (M,) by number, of the table of steps.

    nodes (K,), rows (K, 6) : states on the way, as in `Start`; at (K,) : after how many edges
    searched : how many states were tried
    """

    edges: Indices
    bends: Indices
    nodes: Indices
    rows: Array
    at: Indices
    searched: int

    def followed_by(self, state: int, rest: "BestWalk") -> "BestWalk":
        """Return the walk up to one of its states, and from there another one that begins at that."""
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
    """States that were followed: each came from an earlier one (−1: none) by an edge after so many of its clip's."""

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
    """Where a search begins: nodes (N,) and rows (N, 6) of x, y, facing, metres along the path, cost, height."""

    node: Indices
    rows: Array


def anywhere(steps: EdgeTable, path: GroundPath) -> Start:
    """Return every node, placed at the start of a path and facing along it."""
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
    """Return the walk whose root path keeps nearest to a path, from its start to its end.

    fidelity : m² that a metre of a transition's distance costs; speed : m/s that is wanted, 0 for any
    horizon : metres that are looked ahead before half of that is decided; 0 looks at the whole path
    start : states to begin with, which have all come equally far; every node at the start of the path if None
    width : states that are followed; widest : m from the path that are allowed; bent : m² for a metre of a bent edge
    Raises GraphError where no walk stays within that, and says where.
    """
    price = fidelity * steps.distance + bent * steps.length * (steps.bends != 0.0)[:, None]
    if speed > 0.0:
        paces = steps.length / np.maximum(steps.seconds, 1e-9)
        price = price + SPEED * (paces - speed) ** 2 * steps.seconds
    start = anywhere(steps, path) if start is None else start
    walked, gone = None, float(start.rows[0, 3])
    while True:
        end = path.length if horizon <= 0.0 else min(gone + horizon, path.length)
        kept = _followed(steps, path, start, price, gone, end, width, widest, progress)
        whole = end >= path.length
        more = _traced(steps, kept, np.inf if whole else gone + 0.5 * horizon)
        searched = kept.searched + (0 if walked is None else walked.searched)
        walked = replace(more if walked is None else walked.followed_by(len(walked.at) - 1, more), searched=searched)
        if whole:
            return walked
        start, gone = Start(more.nodes[-1:], more.rows[-1:]), float(more.rows[-1, 3])


def _followed(
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
    origins = np.full((len(start.node), 4), -1)
    bins: dict[int, list[tuple[Array, Indices, Indices]]] = {first: [(start.rows, start.node, origins)]}
    kept: list[tuple[Array, Indices, Indices]] = []
    count, searched, furthest = 0, len(start.node), gone
    finished: list[tuple[Array, Indices, Indices]] = []
    for place in range(first, last):
        progress.at(min(place * BIN / path.length, 1.0), "Following the path")
        for _ in range(ROUNDS):
            waiting = bins.pop(place, None)
            if waiting is None:
                break
            rows, node, origin = (np.concatenate([one[k] for one in waiting]) for k in range(3))
            off = _off(rows, path)
            chosen = _best(_rank(rows, off), _kind(steps.place[node], off), width)
            rows, node, origin = rows[chosen], node[chosen], origin[chosen]
            kept.append((rows, node, origin))
            origins, reached = expanded(steps, path, rows, node, price, (place + 1) * BIN, widest)
            searched += len(origins)
            origin_rows = np.column_stack([origins[:, 0] + count, origins[:, 1:4]])
            count += len(rows)
            over = reached[:, 3] >= end
            if over.any():
                finished.append((reached[over], origins[over, 4], origin_rows[over]))
            furthest = max(furthest, float(reached[:, 3].max(initial=gone)))
            into = np.maximum((reached[:, 3] / BIN).astype(np.int64), place)
            for later in np.unique(into[~over]):
                some = ~over & (into == later)
                bins.setdefault(int(later), []).append((reached[some], origins[some, 4], origin_rows[some]))
    if not finished:
        raise _lost(path, furthest, widest)
    rows, node, origin = (np.concatenate([one[k] for one in finished]) for k in range(3))
    best = int(np.argmin(_rank(rows, _off(rows, path))))
    kept.append((rows[best : best + 1], node[best : best + 1], origin[best : best + 1]))
    rows, node, origin = (np.concatenate([one[k] for one in kept]) for k in range(3))
    return _Kept(rows, node, origin[:, 0], origin[:, 1], origin[:, 2], origin[:, 3], searched, count)


def _lost(path: GroundPath, furthest: float, widest: float) -> PathError:
    place = path.at(np.array([furthest]))[0] * path.unit
    return PathError(
        f"Not followed within {widest * path.unit:.2g} m: no walk goes on beyond {furthest * path.unit:.1f} of "
        f"{path.length * path.unit:.1f} m, at ({place.real:.2f}, {place.imag:.2f})",
        (float(place.real), float(place.imag)),
    )


def expanded(
    steps: EdgeTable, path: GroundPath, rows: Array, node: Indices, price: Array, bin_end: float, widest: float = WIDEST
) -> tuple[Indices, Array]:
    """Return where states lead: through the transitions of their nodes, and of those further on in their clips.

    Each goes on in its clip until it has left the bin, and takes every transition on the way. The first array
    (K, 5) says from which state, with which bend, after how many edges of the clip, by which edge (−1: its clip
    only), to which node; the second (K, 6) x, y, facing, metres along the path, cost, height.
    """
    limits = np.array([widest, HEADING, path.length, STEP])
    table = np.column_stack([path.places.real, path.places.imag, path.facing, path.heights])
    room = 64 * len(rows) * len(steps.bends)
    while True:
        origin, found = np.empty((room, 5), dtype=np.int64), np.empty((room, 6))
        count = jit.kernels(__package__).expand(
            np.ascontiguousarray(rows),
            node,
            bin_end,
            ONWARDS,
            limits,
            steps.onward,
            steps.first_crossing,
            steps.crossings,
            steps.end,
            price,
            steps.first_sample,
            steps.right,
            steps.ahead,
            steps.turned,
            steps.gone,
            steps.climbed,
            table,
            origin,
            found,
        )
        if count <= room:
            return origin[:count], found[:count]
        room = count


@dataclass(frozen=True, eq=False)
class _Off:
    """How far (aside + i·ahead) states are from where they should be; how much they face elsewhere, and are higher."""

    away: NDArray[np.complex128]
    turn: Array
    higher: Array


def _off(rows: Array, path: GroundPath) -> _Off:
    facing = path.facing_at(rows[:, 3])
    away = (rows[:, 0] + 1j * rows[:, 1] - path.at(rows[:, 3])) * np.exp(-1j * facing)
    turn = rows[:, 2] - facing
    return _Off(away, turn - 2.0 * np.pi * np.round(turn / (2.0 * np.pi)), rows[:, 5] - path.height_at(rows[:, 3]))


def _rank(rows: Array, off: _Off) -> Array:
    return rows[:, 4] + off.away.real**2 + off.away.imag**2 + (TURN_REACH * off.turn) ** 2 + off.higher**2


def _kind(place: Indices, off: _Off) -> Indices:
    """One number for each kind of state; those at other heights come to other places of a path that climbs."""
    away, turn = off.away, off.turn
    parts = [np.round(v / w).astype(np.int64) + 64 for v, w in zip((turn, away.real, away.imag), KIND, strict=True)]
    return ((place * 128 + np.clip(parts[0], 0, 127)) * 128 + np.clip(parts[1], 0, 127)) * 128 + np.clip(
        parts[2], 0, 127
    )


def _best(rank: Array, kind: Indices, width: int) -> Indices:
    """The best state of each kind, at most so many, best first."""
    some = np.arange(len(rank))
    if len(rank) > 10 * width:
        # The best of the best: enough of them, unless most are of a few kinds.
        some = np.flatnonzero(rank <= np.partition(rank, 10 * width)[10 * width])
    order = some[np.argsort(rank[some], kind="stable")]
    first = np.sort(np.unique(kind[order], return_index=True)[1])
    if len(first) < width and len(some) < len(rank):
        order = np.argsort(rank, kind="stable")
        first = np.sort(np.unique(kind[order], return_index=True)[1])
    return order[first[:width]]


def _traced(steps: EdgeTable, kept: _Kept, commit: float) -> BestWalk:
    """The way to the best state, or as far as `commit` metres."""
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
    whole = (np.array(each, dtype=np.int64) for each in (edges, bends, at))
    edge, bend, after = whole
    return BestWalk(edge, bend, kept.node[chain], kept.rows[chain], after, kept.searched)
