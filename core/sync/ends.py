"""Decide whether clips correspond from end to end or in a stretch, and find the path (methods: Time registration).

Each path through the whole matrix takes as long as the rest of a registration, so paths that can't change the decision
are skipped: clips correspond from end to end if no stretch is cheap enough, and only in a stretch if even a lower bound
for the path from end to end is too high.
"""

from dataclasses import dataclass

import numpy as np

from ..errors import RegistrationError
from ..motion.quat import Array
from ..recipes.matching import Matching
from . import dtw

OPEN_GAIN = 1.3  # open ends are chosen if pinned ends have more than this multiple of their mean cost


@dataclass(frozen=True, eq=False)
class Ends:
    """The ends, "pinned" or "open", the path, and the approximate least mean cost if stretches were tried."""

    kind: str
    path: dtw.WarpPath
    least: dtw.LeastMean | None = None


def choose(
    matrix: Array,
    matching: Matching,
    limit: int,
    floor: float,
    before: Ends | None = None,
    precise: float = dtw.PRECISE,
) -> Ends:
    """Return the ends requested by `matching` or suited to the clips, and the path between them.

    floor : poses at this distance count as equal
    before : the ends in a similar matrix, which determine the order of trials
    precise : see `dtw.least_mean`
    """
    matrix = in_band(matrix, matching.band)
    if matching.ends == "pinned":
        return Ends("pinned", dtw.find_pinned_path(matrix, limit))
    least = before.least if before and before.least else dtw.roughly_least(matrix, limit, floor)
    may_be_whole = matching.ends != "open" and limit >= dtw.needed_limit(*matrix.shape)
    whole = None
    if may_be_whole and (before.kind == "pinned" if before else _seem_whole(matrix, limit, least.cost, floor)):
        whole = _whole(matrix, limit)
        if whole is not None and _none_is_cheaper(matrix, limit, whole, floor):
            return Ends("pinned", whole, least)
        may_be_whole = whole is not None
    least = dtw.least_mean(matrix, limit, floor, least, precise)
    stretches = dtw.Stretches(matrix, limit, matching.open_end_penalty * least.cost)
    free = stretches.path()
    most = max(OPEN_GAIN * free.mean_cost, floor)
    if may_be_whole and whole is None and stretches.least_whole <= most * 0.5 * sum(matrix.shape):
        whole = _whole(matrix, limit)
    if may_be_whole and whole is not None and whole.mean_cost <= most:
        return Ends("pinned", whole, least)
    return Ends("open", free, least)


def _whole(matrix: Array, limit: int) -> dtw.WarpPath | None:
    """Return the path from end to end, None if the band excludes it."""
    try:
        return dtw.find_pinned_path(matrix, limit)
    except RegistrationError:
        return None


def _none_is_cheaper(matrix: Array, limit: int, whole: dtw.WarpPath, floor: float) -> bool:
    """Return whether no stretch has a mean cost low enough to replace the whole."""
    return whole.mean_cost <= floor or dtw.Stretches(matrix, limit, whole.mean_cost / OPEN_GAIN).none_cheaper


def _seem_whole(matrix: Array, limit: int, least: float, floor: float) -> bool:
    """Return whether clips seem to correspond from end to end, judged by a subsampled matrix."""
    thin = dtw.subsample_matrix(matrix)
    if thin is None:
        return True
    whole = _whole(thin, limit)
    return whole is not None and whole.mean_cost <= max(OPEN_GAIN * least, floor)


def in_band(matrix: Array, band: float) -> Array:
    """Return the matrix (M, N), infinite more than band·N columns from the diagonal; 0 for no band."""
    if band == 0.0:
        return matrix
    rows, columns = matrix.shape
    even = np.arange(rows)[:, None] * ((columns - 1) / max(rows - 1, 1))
    return np.where(np.abs(np.arange(columns) - even) <= band * columns, matrix, np.inf)
