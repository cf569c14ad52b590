"""Stretches of clips that begin and end like two keyed poses, the most alike first (methods: Fill).

All starts and several lengths are compared at once. A long gap may also be filled by two stretches, one after the
other, where they go over into each other.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..motion.quat import Array
from .rows import Longs, Rows, Singles

STRETCHES = (0.75, 0.85, 0.93, 1.0, 1.08, 1.18, 1.33)  # lengths that are tried, times the gap's
TRAVEL = 0.08  # weight of the squared distance by which the path misses
TURN = 0.12  # body heights a radian of missing turn
PACE = 0.06  # body heights a unit of the logarithm of the stretching
MOVES = 0.06  # s; body heights a body height a second by which speeds differ where a key's is known
KEPT, APART = 8, 4  # candidates of a gap, and rows between their starts
SHORTLIST = 64  # starts, and ends, of two stretches
SPLITS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)  # of the gap: where two stretches meet
PACES = (0.85, 1.0, 1.18)
TWO = 1.5  # s; two stretches are tried in longer gaps
JOIN, SEAM = 1.5, 0.004  # weight of the squared distance at a seam; squared body heights that a seam costs anyway


class Search(NamedTuple):
    """What is looked for: lengths that are tried, times the gap's, what their pace costs, whether two may follow."""

    lengths: tuple[float, ...]
    pace: float
    two: bool


FILLING = Search(STRETCHES, PACE, two=True)


@dataclass(frozen=True, eq=False)
class Gap:
    """What is asked: keyed rows at both ends, and how they lie to each other; lengths in body heights.

    first, last : rows of the keys (0-dimensional slices of their places); frames : rows between, 30 a second
    travel (2,) : from one key to the other as the first one faces; turn : radians, within half a turn
    speed, speed_after (K, 3) : at the first and at the last key, where neighbours tell them, else None
    """

    first: Singles
    last: Singles
    frames: float
    travel: Array
    turn: float
    speed: Singles | None = None
    speed_after: Singles | None = None


@dataclass(frozen=True)
class Piece:
    """Rows `start` to `end` of the library, played in `share` of the gap."""

    start: int
    end: int
    share: float = 1.0


@dataclass(frozen=True)
class Candidate:
    """One way to fill a gap: pieces one after the other, and how far its ends are from the keys, squared (`cost`)."""

    pieces: tuple[Piece, ...]
    cost: float

    @property
    def start(self) -> int:
        return self.pieces[0].start

    @property
    def end(self) -> int:
        return self.pieces[-1].end


def gap_of(keys: Rows, k: int, frames: float, known: tuple[bool, bool] = (False, False)) -> Gap:
    """Return the gap from keyed row k to the next; frames : its length in rows; known : whether speeds at both are."""
    turn = float((keys.facing[k + 1] - keys.facing[k] + np.pi) % (2.0 * np.pi) - np.pi)
    speeds = [keys.speeds[k + at] if known[at] else None for at in range(2)]
    travel = as_faced(keys.path[k + 1] - keys.path[k], keys.facing[k])
    return Gap(keys.places[k], keys.places[k + 1], frames, travel, turn, *speeds)


def found(rows: Rows, gap: Gap, search: Search = FILLING) -> list[Candidate]:
    """Return the candidates for a gap, the most alike first; none where no clip is long enough.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.between import candidates, rows
        >>> from action_loom.core.figure import actions
        >>> walk = actions.walk()
        >>> keys = rows.of_poses(walk.taken(np.array([8, 38])))
        >>> best = candidates.found(rows.of_clips([walk]), candidates.gap_of(keys, 0, 30.0))[0]
        >>> (best.start, best.end, round(best.cost, 6)) in [(8, 38, 0.0), (40, 70, 0.0)]
        True
    """
    begins, ends = _apart(rows.places, gap.first), _apart(rows.places, gap.last)
    if gap.speed is not None:
        begins = begins + MOVES**2 * _apart(rows.speeds, gap.speed)
    if gap.speed_after is not None:
        ends = ends + MOVES**2 * _apart(rows.speeds, gap.speed_after)
    singles = _singles(rows, gap, begins, ends, search)
    doubles = _doubles(rows, gap, begins, ends) if search.two and gap.frames > TWO * 30.0 else []
    return _best([*singles, *doubles])


def _singles(rows: Rows, gap: Gap, begins: Singles, ends: Singles, search: Search) -> list[Candidate]:
    """Return single stretches with small costs, of all lengths."""
    kept = []
    for length in sorted({max(1, round(stretch * gap.frames)) for stretch in search.lengths}):
        starts = np.flatnonzero(rows.left >= length)
        if not len(starts):
            continue
        cost = begins[starts] + ends[starts + length]
        # What misses comes on top: only starts without it as cheap as some that are known can be among the best.
        known = starts[_least(cost, SHORTLIST)]
        dearest = (begins[known] + ends[known + length] + _misses(rows, gap, known, known + length)).max()
        starts, cost = starts[cost <= dearest], cost[cost <= dearest]
        cost = cost + _misses(rows, gap, starts, starts + length) + (search.pace * np.log(length / gap.frames)) ** 2
        few = _least(cost, SHORTLIST)
        kept += [Candidate((Piece(int(starts[k]), int(starts[k] + length)),), float(cost[k])) for k in few]
    return kept


def _misses(rows: Rows, gap: Gap, starts: Longs, ends: Longs) -> Array:
    """Return by how much (S,) paths and turns of stretches miss what is asked, squared."""
    aside, ahead = (as_faced(rows.path[ends] - rows.path[starts], rows.facing[starts]) - gap.travel).T
    turn = rows.facing[ends] - rows.facing[starts] - gap.turn
    turn -= 2.0 * np.pi * np.round(turn / (2.0 * np.pi))
    return np.asarray(TRAVEL * (aside**2 + ahead**2) + (TURN * turn) ** 2)


def _doubles(rows: Rows, gap: Gap, begins: Singles, ends: Singles) -> list[Candidate]:
    """Return two stretches one after the other: from the rows most like the first key, and into those like the last."""
    starts, stops = _spread(begins), _spread(ends)
    passed = np.arange(len(rows)) - _first_of_clip(rows)
    kept = []
    for split in SPLITS:
        for pace in PACES:
            one = max(1, round(split * gap.frames * pace))
            for other_pace in PACES:
                two = max(1, round((1.0 - split) * gap.frames * other_pace))
                first = starts[rows.left[starts] >= one]
                last = stops[passed[stops] >= two]
                if len(first) and len(last):
                    kept += _met(rows, gap, (first, one, split), (last, two), (begins, ends))
    return kept


def _met(
    rows: Rows, gap: Gap, one: tuple[Longs, int, float], two: tuple[Longs, int], costs: tuple[Singles, Singles]
) -> list[Candidate]:
    """Return the best pairs of a stretch from one of some rows and one into one of others."""
    (first, before, split), (last, after) = one, two
    leave, enter = first + before, last - after
    seam = _between(rows.places[leave], rows.places[enter])
    seam += MOVES**2 * _between(rows.speeds[leave], rows.speeds[enter])
    # The second path goes on from the first as both face at the seam.
    gone = as_faced(rows.path[leave] - rows.path[first], rows.facing[first])
    more = as_faced(rows.path[last] - rows.path[enter], rows.facing[enter])
    turned = rows.facing[leave] - rows.facing[first]
    c, s = np.cos(turned)[:, None], np.sin(turned)[:, None]
    aside = gone[:, :1] + c * more[:, 0] - s * more[:, 1] - gap.travel[0]
    ahead = gone[:, 1:] + s * more[:, 0] + c * more[:, 1] - gap.travel[1]
    turn = turned[:, None] + (rows.facing[last] - rows.facing[enter])[None] - gap.turn
    turn -= 2.0 * np.pi * np.round(turn / (2.0 * np.pi))
    paces = np.log(before / (split * gap.frames)) ** 2 * split
    paces += np.log(after / ((1.0 - split) * gap.frames)) ** 2 * (1.0 - split)
    cost = costs[0][first][:, None] + costs[1][last][None] + JOIN * seam + SEAM
    cost = cost + TRAVEL * (aside**2 + ahead**2) + (TURN * turn) ** 2 + PACE**2 * paces
    best = _least(cost.ravel(), KEPT)
    places = zip(*np.unravel_index(best, cost.shape), strict=True)
    return [
        Candidate(
            (
                Piece(int(first[a]), int(leave[a]), split),
                Piece(int(enter[b]), int(last[b]), round(1.0 - split, 6)),
            ),
            float(cost[a, b]),
        )
        for a, b in places
    ]


def _spread(cost: Singles) -> Longs:
    """Return the best rows that are no neighbours of better ones."""
    order = _least(cost, 8 * SHORTLIST)
    order = order[np.argsort(cost[order], kind="stable")]
    taken: list[int] = []
    blocked = np.zeros(len(cost) + 2 * APART, dtype=bool)
    for row in order.tolist():
        if not blocked[row + APART]:
            taken.append(row)
            blocked[row + APART // 2 : row + APART + APART // 2 + 1] = True
        if len(taken) == SHORTLIST:
            break
    return np.array(taken, dtype=np.int64)


def _least(cost: Array | Singles, count: int) -> Longs:
    """Return where the smallest of some costs (N,) are, in order of place."""
    if len(cost) <= count:
        return np.arange(len(cost))
    return np.sort(np.argpartition(cost, count)[:count])


def _first_of_clip(rows: Rows) -> Longs:
    """Return the first row (N,) of the clip that each row belongs to."""
    begins = np.concatenate([[0], np.flatnonzero(rows.left[:-1] == 0) + 1])
    return np.asarray(begins[np.searchsorted(begins, np.arange(len(rows)), side="right") - 1])


def _best(some: list[Candidate]) -> list[Candidate]:
    """Return the best candidates, no two of them nearly the same stretch."""
    kept: list[Candidate] = []
    for one in sorted(some, key=lambda each: each.cost):
        alike = any(
            len(one.pieces) == len(other.pieces)
            and all(abs(a.start - b.start) < APART for a, b in zip(one.pieces, other.pieces, strict=True))
            for other in kept
        )
        if not alike:
            kept.append(one)
        if len(kept) == KEPT:
            break
    return kept


def _apart(places: Singles, of: Singles) -> Singles:
    """Return the mean squared distance (N,) of points from those of one row."""
    flat, one = places.reshape(len(places), -1), of.reshape(-1)
    square = np.einsum("nk,nk->n", flat, flat) - 2.0 * (flat @ one) + one @ one
    return np.asarray(np.maximum(square, 0.0) / of.shape[0])


def _between(some: Singles, others: Singles) -> Array:
    """Return the mean squared distances (A, B) of points from those of other rows."""
    one, two = (each.reshape(len(each), -1).astype(np.float64) for each in (some, others))
    square = (one**2).sum(axis=1)[:, None] + (two**2).sum(axis=1)[None] - 2.0 * one @ two.T
    return np.asarray(np.maximum(square, 0.0) / some.shape[1])


def of_pieces(rows: Rows, gap: Gap, pieces: tuple[Piece, ...]) -> Candidate:
    """Return pieces as a candidate for a gap, with its cost; whether they would be found does not matter.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.between import candidates, rows
        >>> from action_loom.core.figure import actions
        >>> walk = actions.walk()
        >>> gap = candidates.gap_of(rows.of_poses(walk.taken(np.array([8, 38]))), 0, 30.0)
        >>> float(round(candidates.of_pieces(rows.of_clips([walk]), gap, (candidates.Piece(8, 38),)).cost, 6))
        0.0
    """
    one = Candidate(pieces, 0.0)
    way, turn = missed(rows, gap, one)
    cost = sum(float(_apart(rows.places[[at]], key)[0]) for at, key in ((one.start, gap.first), (one.end, gap.last)))
    cost += TRAVEL * float((way**2).sum()) + (TURN * turn) ** 2
    cost += sum((PACE * np.log((p.end - p.start) / (p.share * gap.frames))) ** 2 * p.share for p in pieces)
    for before, after in pairwise(pieces):
        cost += SEAM + JOIN * float(_apart(rows.places[[before.end]], rows.places[after.start])[0])
    return Candidate(pieces, cost)


def missed(rows: Rows, gap: Gap, one: Candidate) -> tuple[Array, float]:
    """Return by what a candidate's way (2,), body heights, and turn, radians within half a turn, miss what is asked."""
    way, turned = np.zeros(2), 0.0
    for piece in one.pieces:
        gone = rows.path[piece.end] - rows.path[piece.start]
        way = way + as_faced(gone, rows.facing[piece.start] - turned)
        turned += float(rows.facing[piece.end] - rows.facing[piece.start])
    lacks = turned - gap.turn
    return way - gap.travel, lacks - 2.0 * np.pi * round(lacks / (2.0 * np.pi))


def as_faced(vectors: Array, facing: Array | float) -> Array:
    """Return vectors (..., 2) of the world as seen by a body that faces a direction (...), radians.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.between import candidates
        >>> (candidates.as_faced(np.array([-2.0, 0.0]), np.pi / 2.0).round(6) + 0.0).tolist()  # ahead
        [0.0, 2.0]
    """
    c, s = np.cos(facing), np.sin(facing)
    x, y = vectors[..., 0], vectors[..., 1]
    return np.stack([c * x + s * y, c * y - s * x], axis=-1)
