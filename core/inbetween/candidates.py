"""Find stretches of clips that start and end like two keyed poses, sorted by similarity (methods: Fill).

All starts and several lengths are compared at once. A long gap may also be filled by two or three stretches in
sequence that blend into each other.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..motion.quat import Array
from .rows import RATE, Longs, Rows, Singles

STRETCHES = (0.75, 0.85, 0.93, 1.0, 1.08, 1.18, 1.33)  # lengths of stretches to try, relative to the gap
TRAVEL = 0.08  # weight of the squared error of the path
TURN = 0.12  # cost of a turn error, body heights per radian
PACE = 0.06  # cost of time scaling, body heights per unit of its logarithm
MOVES = 0.06  # s; cost in body heights of a speed difference of 1 body height a second, if the speed at a key is known
KEPT = 8  # candidates per gap
APART = 4  # rows; least distance between the starts of two candidates
SHORTLIST = 64  # starts and ends to consider for two stretches
SPLITS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)  # positions in the gap where two stretches meet
PACES = (0.85, 1.0, 1.18)  # time scalings to try for each of two or three stretches
MIDDLES = (0.2, 0.3, 0.4)  # shares of the gap for the first and last of three stretches
MIDDLE = 16  # starts to consider for three stretches
ENTERED = 4  # middle stretches to try for each start
EVERY = 2  # stride of the rows compared to find a middle stretch
TWO = 1.5  # s; for longer gaps two stretches are tried, too
THREE = 2.5  # s; for longer gaps three stretches are tried, too
JOIN = 1.5  # weight of the squared distance at a seam
SEAM = 0.004  # squared body heights; fixed cost of a seam


class Search(NamedTuple):
    """Scope of a search: lengths to try, times the gap's; cost of time scaling; whether to try several stretches."""

    lengths: tuple[float, ...]
    pace: float
    more: bool


FILLING = Search(STRETCHES, PACE, more=True)


@dataclass(frozen=True, eq=False)
class Gap:
    """The query: keyed rows at both ends, and their relative placement; lengths in body heights.

    first, last : rows of the keys (0-dimensional slices of their places); frames : number of rows between, 30 a second
    travel (2,) : between the keys, in the frame of the first one; turn : radians, within half a turn
    speed, speed_after (K, 3) : at the first and at the last key if neighbouring frames define them, else None
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
    """Rows `start` to `end` of the library, played over `share` of the gap."""

    start: int
    end: int
    share: float = 1.0


@dataclass(frozen=True)
class Candidate:
    """A way to fill a gap: pieces in sequence, and the squared distance of its ends from the keys (`cost`)."""

    pieces: tuple[Piece, ...]
    cost: float

    @property
    def start(self) -> int:
        return self.pieces[0].start

    @property
    def end(self) -> int:
        return self.pieces[-1].end


def gap_of(keys: Rows, k: int, frames: float, known: tuple[bool, bool] = (False, False)) -> Gap:
    """Return the gap from keyed row k to the next; frames : its length; known : whether the keys' speeds are."""
    turn = float((keys.facing[k + 1] - keys.facing[k] + np.pi) % (2.0 * np.pi) - np.pi)
    speeds = [keys.speeds[k + at] if known[at] else None for at in range(2)]
    travel = as_faced(keys.path[k + 1] - keys.path[k], keys.facing[k])
    return Gap(keys.places[k], keys.places[k + 1], frames, travel, turn, *speeds)


def find_candidates(rows: Rows, gap: Gap, search: Search = FILLING) -> list[Candidate]:
    """Return the candidates for a gap, sorted by similarity; empty if no clip is long enough.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.inbetween import candidates, rows
        >>> from action_loom.core.demo_character import actions
        >>> walk = actions.walk()
        >>> keys = rows.of_poses(walk.take_frames(np.array([8, 38])))
        >>> best = candidates.find_candidates(rows.of_clips([walk]), candidates.gap_of(keys, 0, 30.0))[0]
        >>> (best.start, best.end, round(best.cost, 6)) in [(8, 38, 0.0), (40, 70, 0.0)]
        True
    """
    begins, ends = _measure_point_distances(rows.places, gap.first), _measure_point_distances(rows.places, gap.last)
    if gap.speed is not None:
        begins = begins + MOVES**2 * _measure_point_distances(rows.speeds, gap.speed)
    if gap.speed_after is not None:
        ends = ends + MOVES**2 * _measure_point_distances(rows.speeds, gap.speed_after)
    singles = _singles(rows, gap, begins, ends, search)
    several = _several(rows, gap, begins, ends) if search.more and gap.frames > TWO * RATE else []
    return _best([*singles, *several])


def _singles(rows: Rows, gap: Gap, begins: Singles, ends: Singles, search: Search) -> list[Candidate]:
    """Return single stretches with small costs, of all lengths."""
    kept = []
    for length in sorted({max(1, round(stretch * gap.frames)) for stretch in search.lengths}):
        starts = np.flatnonzero(rows.left >= length)
        if not len(starts):
            continue
        cost = begins[starts] + ends[starts + length]
        # The path error is added to the cost, so only starts cheaper than some complete ones can be among the best.
        known = starts[_least(cost, SHORTLIST)]
        dearest = (begins[known] + ends[known + length] + _misses(rows, gap, known, known + length)).max()
        starts, cost = starts[cost <= dearest], cost[cost <= dearest]
        cost = cost + _misses(rows, gap, starts, starts + length) + (search.pace * np.log(length / gap.frames)) ** 2
        few = _least(cost, SHORTLIST)
        kept += [Candidate((Piece(int(starts[k]), int(starts[k] + length)),), float(cost[k])) for k in few]
    return kept


def _misses(rows: Rows, gap: Gap, starts: Longs, ends: Longs) -> Array:
    """Return the squared errors (S,) of paths and turns of stretches relative to the gap."""
    aside, ahead = (as_faced(rows.path[ends] - rows.path[starts], rows.facing[starts]) - gap.travel).T
    turn = rows.facing[ends] - rows.facing[starts] - gap.turn
    turn -= 2.0 * np.pi * np.round(turn / (2.0 * np.pi))
    return np.asarray(TRAVEL * (aside**2 + ahead**2) + (TURN * turn) ** 2)


@dataclass(frozen=True, eq=False)
class _Head:
    """Partial candidates: start and end (H,) of each piece, its share, path and turn so far, and the cost."""

    pieces: tuple[tuple[Longs, Longs, float], ...]
    way: NDArray[np.complex128]
    turn: Array
    cost: Array


def _several(rows: Rows, gap: Gap, begins: Singles, ends: Singles) -> list[Candidate]:
    """Return sequences of two or three stretches, starting like the first key and ending like the last."""
    starts, stops = _spread(begins), _spread(ends)
    passed = rows.passed
    kept = []
    for split in SPLITS:
        for pace in PACES:
            head = _head(rows, gap, starts, split, pace, begins)
            kept += _complete_candidates(rows, gap, head, stops, passed, ends)
    for split in MIDDLES if gap.frames > THREE * RATE else ():
        head, share = _head(rows, gap, starts[:MIDDLE], split, 1.0, begins), 1.0 - 2.0 * split
        longest = round(share * gap.frames * max(PACES))
        if not len(head.cost) or rows.left.max() < longest:
            continue
        nearest = _nearest(rows, head.pieces[-1][1], longest)
        for pace in PACES:
            kept += _complete_candidates(
                rows, gap, _extend_candidates(rows, gap, head, nearest, share, pace), stops, passed, ends
            )
    return kept


def _head(rows: Rows, gap: Gap, starts: Longs, share: float, pace: float, begins: Singles) -> _Head:
    """Return first pieces that start at given rows and cover a share of the gap, if their clips are long enough."""
    length = max(1, round(share * gap.frames * pace))
    first = starts[rows.left[starts] >= length]
    leave = first + length
    way, turn = _compute_path_vectors(rows, first, leave)
    return _Head(((first, leave, share),), way, turn, begins[first].astype(np.float64) + _off_pace(gap, length, share))


def _extend_candidates(
    rows: Rows, gap: Gap, head: _Head, nearest: tuple[Longs, Longs, Array], share: float, pace: float
) -> _Head:
    """Return partial candidates extended by one piece, from each of the rows nearest to their ends (`_nearest`)."""
    length = max(1, round(share * gap.frames * pace))
    of, enter, seam = nearest
    way, turn = _compute_path_vectors(rows, enter, enter + length)
    return _Head(
        (*((first[of], leave[of], each) for first, leave, each in head.pieces), (enter, enter + length, share)),
        head.way[of] + np.exp(1j * head.turn[of]) * way,
        head.turn[of] + turn,
        head.cost[of] + JOIN * seam + SEAM + _off_pace(gap, length, share),
    )


def _nearest(rows: Rows, leave: Longs, length: int) -> tuple[Longs, Longs, Array]:
    """Return rows similar to given ones, with `length` rows after them: index of the given row, row, distance."""
    at = np.flatnonzero(rows.left >= length)[::EVERY]
    of, enter, far = list[Longs](), list[Longs](), list[Array]()
    for k, row in enumerate(leave.tolist()):
        near = _measure_point_distances(rows.places[at], rows.places[row])
        near[np.abs(at - row) < APART] = np.inf
        few = at[_least(near, ENTERED * 2 * APART // EVERY)]
        seam = _seams(rows, leave[[k]], few)[0]
        few, seam = few[order := np.argsort(seam, kind="stable")], seam[order]
        taken = [n for n, one in enumerate(few) if not (np.abs(few[:n] - one) < APART).any()][:ENTERED]
        of.append(np.full(len(taken), k))
        enter.append(few[taken])
        far.append(seam[taken])
    return np.concatenate(of), np.concatenate(enter), np.concatenate(far)


def _complete_candidates(
    rows: Rows, gap: Gap, head: _Head, stops: Longs, passed: Longs, ends: Singles
) -> list[Candidate]:
    """Return the best partial candidates, completed by a piece that ends at one of some rows."""
    share = round(1.0 - sum(each for _, _, each in head.pieces), 6)
    found = []
    for pace in PACES:
        length = max(1, round(share * gap.frames * pace))
        last = stops[passed[stops] >= length]
        if not len(last) or not len(head.cost):
            continue
        enter = last - length
        way, turn = _compute_path_vectors(rows, enter, last)
        # The last path starts where the previous one ends, with a common facing at the seam.
        lacks = head.way[:, None] + np.exp(1j * head.turn)[:, None] * way - complex(*gap.travel)
        turned = head.turn[:, None] + turn - gap.turn
        turned -= 2.0 * np.pi * np.round(turned / (2.0 * np.pi))
        cost = head.cost[:, None] + ends[last] + JOIN * _seams(rows, head.pieces[-1][1], enter) + SEAM
        cost = cost + TRAVEL * np.abs(lacks) ** 2 + (TURN * turned) ** 2 + _off_pace(gap, length, share)
        for a, b in zip(*np.unravel_index(_least(cost.ravel(), KEPT), cost.shape), strict=True):
            before = (Piece(int(first[a]), int(leave[a]), each) for first, leave, each in head.pieces)
            found.append(Candidate((*before, Piece(int(enter[b]), int(last[b]), share)), float(cost[a, b])))
    return found


def _compute_path_vectors(rows: Rows, start: Longs, end: Longs) -> tuple[NDArray[np.complex128], Array]:
    """Return the path vectors of stretches in the frame of their start, lateral + 1j · forward, and their turns."""
    way = as_faced(rows.path[end] - rows.path[start], rows.facing[start])
    return way[:, 0] + 1j * way[:, 1], rows.facing[end] - rows.facing[start]


def _off_pace(gap: Gap, length: int, share: float) -> float:
    return float((PACE * np.log(length / (share * gap.frames))) ** 2 * share)


def _seams(rows: Rows, leave: Longs, enter: Longs) -> Array:
    """Return the squared distances between rows that are left and rows that are entered: positions and speeds."""
    seam = _between(rows.places[leave], rows.places[enter])
    return seam + MOVES**2 * _between(rows.speeds[leave], rows.speeds[enter])


def _spread(cost: Singles) -> Longs:
    """Return the best rows, excluding neighbours of better ones."""
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
    """Return the indices of the smallest of some costs (N,), sorted by index."""
    if len(cost) <= count:
        return np.arange(len(cost))
    return np.sort(np.argpartition(cost, count)[:count])


def _best(some: list[Candidate]) -> list[Candidate]:
    """Return the best candidates, excluding nearly identical stretches."""
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


def _measure_point_distances(places: Singles, of: Singles) -> Singles:
    """Return the mean squared distance (N,) of points between rows and one row."""
    flat, one = places.reshape(len(places), -1), of.reshape(-1)
    square = np.einsum("nk,nk->n", flat, flat) - 2.0 * (flat @ one) + one @ one
    return np.asarray(np.maximum(square, 0.0) / of.shape[0])


def _between(some: Singles, others: Singles) -> Array:
    """Return the mean squared distances (A, B) of points between two sets of rows."""
    one, two = (each.reshape(len(each), -1).astype(np.float64) for each in (some, others))
    square = (one**2).sum(axis=1)[:, None] + (two**2).sum(axis=1)[None] - 2.0 * one @ two.T
    return np.asarray(np.maximum(square, 0.0) / some.shape[1])


def of_pieces(rows: Rows, gap: Gap, pieces: tuple[Piece, ...]) -> Candidate:
    """Return pieces as a candidate for a gap, with its cost, even if a search would not find them.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.inbetween import candidates, rows
        >>> from action_loom.core.demo_character import actions
        >>> walk = actions.walk()
        >>> gap = candidates.gap_of(rows.of_poses(walk.take_frames(np.array([8, 38]))), 0, 30.0)
        >>> float(round(candidates.of_pieces(rows.of_clips([walk]), gap, (candidates.Piece(8, 38),)).cost, 6))
        0.0
    """
    one = Candidate(pieces, 0.0)
    way, turn = measure_errors(rows, gap, one)
    cost = sum(
        float(_measure_point_distances(rows.places[[at]], key)[0])
        for at, key in ((one.start, gap.first), (one.end, gap.last))
    )
    cost += TRAVEL * float((way**2).sum()) + (TURN * turn) ** 2
    cost += sum((PACE * np.log((p.end - p.start) / (p.share * gap.frames))) ** 2 * p.share for p in pieces)
    for before, after in pairwise(pieces):
        cost += SEAM + JOIN * float(_measure_point_distances(rows.places[[before.end]], rows.places[after.start])[0])
    return Candidate(pieces, cost)


def measure_errors(rows: Rows, gap: Gap, one: Candidate) -> tuple[Array, float]:
    """Return the error of a candidate's path (2,), body heights, and of its turn, radians within half a turn."""
    way, turned = np.zeros(2), 0.0
    for piece in one.pieces:
        gone = rows.path[piece.end] - rows.path[piece.start]
        way = way + as_faced(gone, rows.facing[piece.start] - turned)
        turned += float(rows.facing[piece.end] - rows.facing[piece.start])
    lacks = turned - gap.turn
    return way - gap.travel, lacks - 2.0 * np.pi * round(lacks / (2.0 * np.pi))


def as_faced(vectors: Array, facing: Array | float) -> Array:
    """Return world vectors (..., 2) in the frame of a body with a facing (...), radians.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.inbetween import candidates
        >>> (candidates.as_faced(np.array([-2.0, 0.0]), np.pi / 2.0).round(6) + 0.0).tolist()  # ahead
        [0.0, 2.0]
    """
    c, s = np.cos(facing), np.sin(facing)
    x, y = vectors[..., 0], vectors[..., 1]
    return np.stack([c * x + s * y, c * y - s * x], axis=-1)
