"""Estimate how much to trust a stretch over interpolation, before filling (methods: Fill).

A stretch is better than interpolation if its ends are much nearer to the keys than it departs from interpolation, and
if other stretches with similar ends agree with it. Interpolation slides the feet of travelling bodies. A pose error
common to the other gaps of a clip is the posture of hand-made poses, rather than a sign of another motion.
"""

from collections.abc import Sequence

import numpy as np

from ..motion.quat import Array
from .candidates import PACE, Candidate, Gap, as_faced, measure_errors
from .rows import Rows, Singles

LACKS = 2.0  # weight of the errors at the ends and of the distance of other candidates, relative to interpolation
FEW = 0.5  # gaps; the mean difference in posture of n other gaps is weighted by n / (n + FEW)
NEAR = 0.02  # squared body heights (14 % of a body); ends at a larger distance are not similar
GLIDES = 0.1  # weight of the squared travel in the error of interpolation, because its feet slide
STEEP = 4.0  # steepness of the gain at the point where the stretch and interpolation are equally good
PATH, TURN, SEAM = 0.05, 0.02, 1.5  # weights of squared path and turn errors, and of the seam of two stretches
# Squared body heights. A candidate is weighted 1/e if its cost exceeds twice the cost of the chosen one by this.
LIKELY = 0.0005
ELSEWHERE = 15  # rows; starts at a smaller distance belong to the same stretch
SAMPLES = 16
NOTHING_LIKE = 1.0 / (1.0 + 5.0**STEEP)  # stretches with a smaller gain are rarely better than interpolation
LITTLE = 0.5  # stretches with a smaller gain count as a little similar
ROUGHLY = 0.85  # stretches with a smaller gain count as roughly similar


def gain(ratio: float) -> float:
    """Return the weight of a stretch relative to interpolation, 0 to 1.

    Example:
        >>> from action_loom.core.inbetween import trust
        >>> [round(trust.gain(ratio), 2) for ratio in (0.0, 0.5, 1.0, 2.0)]
        [1.0, 0.94, 0.5, 0.06]
    """
    return float(1.0 / (1.0 + ratio**STEEP))


def postures(
    rows: Rows, gaps: Sequence[Gap | None], found: Sequence[Sequence[Candidate]], chosen: Sequence[int]
) -> list[Array | None]:
    """Return for each gap the posture (K, 3) of the other gaps: the error common to their ends, as filled.

    A gap's own ends are excluded, because both may have the same error without a similar stretch. None for gaps without
    candidate.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.inbetween import candidates, rows, trust
        >>> from action_loom.core.demo_character import actions
        >>> walk = actions.walk()
        >>> library, keys = rows.of_clips([walk]), rows.of_poses(walk.take_frames(np.array([8, 38, 68])))
        >>> gaps = [candidates.gap_of(keys, k, 30.0) for k in (0, 1)]
        >>> found = [candidates.find_candidates(library, gap) for gap in gaps]
        >>> [float(abs(each).max().round(4)) for each in trust.postures(library, gaps, found, [0, 0])]
        [0.0, 0.0]
    """
    lacks = [
        (gap.first + gap.last - rows.places[some[k].start] - rows.places[some[k].end]).astype(np.float64) / 2.0
        if gap is not None and k >= 0
        else None
        for gap, some, k in zip(gaps, found, chosen, strict=True)
    ]
    known = [one for one in lacks if one is not None]
    return [None if one is None else (sum(known) - one) / (len(known) - 1 + FEW) for one in lacks]


def ratio(rows: Rows, gap: Gap, found: Sequence[Candidate], chosen: int, posture: Array | None = None) -> float:
    """Return the expected error of a candidate over the error of interpolation, both squared; 1: equally good.

    posture : from `postures`; None if unknown

    Example:
        >>> import numpy as np
        >>> from action_loom.core.inbetween import candidates, rows, trust
        >>> from action_loom.core.demo_character import actions
        >>> walk = actions.walk()
        >>> library = rows.of_clips([walk])
        >>> gap = candidates.gap_of(rows.of_poses(walk.take_frames(np.array([8, 38]))), 0, 30.0)
        >>> bool(trust.ratio(library, gap, candidates.find_candidates(library, gap), 0) < 0.1)
        True
    """
    one = found[chosen]
    ends = _ends(rows, gap, one, posture)
    departs = max(_departure(rows, one) + GLIDES * float((gap.travel**2).sum()), 1e-9)
    return LACKS * (ends + _others(rows, found, chosen)) / departs + ends / NEAR


def _ends(rows: Rows, gap: Gap, one: Candidate, posture: Array | None) -> float:
    """Return the squared distance of the ends from the keys, after subtracting a posture if that reduces it."""
    first, last = gap.first - rows.places[one.start], gap.last - rows.places[one.end]
    lacks = _square(first) + _square(last)
    if posture is not None:
        lacks = min(lacks, _square(first - posture) + _square(last - posture))
    way, turn = measure_errors(rows, gap, one)
    lacks += PATH * float((way**2).sum()) + TURN * turn**2
    lacks += sum((PACE * np.log((p.end - p.start) / (p.share * gap.frames))) ** 2 * p.share for p in one.pieces)
    for before, after in zip(one.pieces[:-1], one.pieces[1:], strict=True):
        apart = rows.places[before.end] - rows.places[after.start]
        lacks += SEAM * _square(apart)
    return lacks


def _square(apart: Array | Singles) -> float:
    """Return the mean squared length of vectors (K, 3)."""
    return float((apart**2).sum(axis=-1).mean())


def _departure(rows: Rows, one: Candidate) -> float:
    """Return the squared distance of a candidate from the interpolation of its own ends: poses and path."""
    away = 0.0
    for piece in one.pieces:
        own = slice(piece.start, piece.end + 1)
        away += piece.share * sum(_off_line(part[own].astype(np.float64)) for part in (rows.places, rows.path[:, None]))
    return away


def _off_line(places: Array) -> float:
    """Return the mean squared distance of points (F, K, n) from the lines between their first and last positions."""
    share = np.linspace(0.0, 1.0, len(places))[:, None, None]
    return float(((places - places[0] - share * (places[-1] - places[0])) ** 2).sum(axis=-1).mean())


def _others(rows: Rows, found: Sequence[Candidate], chosen: int) -> float:
    """Return the squared distance of other candidates from the chosen one, weighted by their likelihood."""
    one = found[chosen]
    own, weights, away = _track(rows, one), 0.0, 0.0
    for other in found:
        apart = abs(other.start - one.start) >= ELSEWHERE
        if other is one or not apart:
            continue
        places, path = _track(rows, other)
        weight = min(float(np.exp((one.cost - other.cost) / (LIKELY + one.cost))), 1.0)
        away += weight * float(
            ((places - own[0]) ** 2).sum(axis=-1).mean() + ((path - own[1]) ** 2).sum(axis=-1).mean()
        )
        weights += weight
    return away / (1.0 + weights)


def _track(rows: Rows, one: Candidate) -> tuple[Array, Array]:
    """Return samples of a candidate's positions (S, K, 3), and of its path (S, 2) with both ends at the origin."""
    places, path = list[Array](), list[Array]()
    at, turned = np.zeros(2), 0.0
    for piece in one.pieces:
        rows_at = np.linspace(piece.start, piece.end, max(2, round(SAMPLES * piece.share))).round().astype(np.int64)
        gone = as_faced(rows.path[rows_at] - rows.path[piece.start], rows.facing[piece.start] - turned) + at
        places.append(rows.places[rows_at].astype(np.float64))
        path.append(gone)
        at, turned = gone[-1], turned + float(rows.facing[piece.end] - rows.facing[piece.start])
    every, way = np.concatenate(places), np.concatenate(path)
    way = way - np.linspace(0.0, 1.0, len(way))[:, None] * way[-1]
    kept = np.linspace(0, len(every) - 1, SAMPLES).round().astype(np.int64)
    return every[kept], way[kept]
