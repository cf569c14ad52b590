"""The registration curve of one clip against another (methods: Time registration)."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ..errors import OptionError, RegistrationError
from ..motion import resample
from ..motion.clip import Clip
from ..motion.quat import Array
from ..progress import SILENT, Progress
from ..recipes.matching import Matching
from ..recipes.metrics import row_of
from . import curve_fit, dtw, metrics, refine, retimed_comparison
from .distance import Metric, thinning
from .registration_curve import RegistrationCurve

LIMIT = 3
RAISED_LIMIT = 6
RAISE_AT = 0.10  # share of the path at the limit: a sneak's double support is 4.5 times as long as a walk's
OPEN_GAIN = 1.3  # open ends are taken where they match that many times better
BY_CHANCE = 0.1  # likeness of clips that have nothing to do with each other: below it on captured clips
ALIKE = 0.25  # likeness of stretches that do, where the rest of their clips does not
FREER_PENALTY = 1.5
LEAST_SHARED = 0.5  # of the shorter clip, where both are one performance
FINE_SECONDS = 0.033  # half-width of the band of the second pass


def pair(reference: Clip, clip: Clip, matching: Matching, progress: Progress = SILENT) -> RegistrationCurve:
    """Return the registration curve of a clip against a reference of the same skeleton and rate, ends as asked.

    Where the metric is left to be chosen, points are compared first: if both turn out to be one performance, that is
    it. Else they are compared by how they move, and then again on one clock. Raises RegistrationError where they can't
    be matched under the limits of `matching`.
    """
    if matching.metric != "auto":
        return _pair(reference, clip, matching, progress)
    same = _same_performance(reference, clip, matching, progress.part(0.0, 0.3))
    if same is not None:
        return same
    found = _by_motion(reference, clip, matching, progress.part(0.3, 0.8))
    if matching.band:
        return found  # it is what was asked for, and a correction may leave it
    progress.at(0.8, f"Synchronising the steps of {clip.name}")
    frames = retimed_comparison.corrected(
        reference.cut(found.first, found.last + 1),
        lambda at: resample.sample(clip, at),
        found.frames,
        replace(matching, joints=found.joints),
        found.limit,
    )
    return replace(found, frames=frames)


def _same_performance(reference: Clip, clip: Clip, matching: Matching, progress: Progress) -> RegistrationCurve | None:
    """The curve of two copies of one performance, compared by points; None where they are not."""
    try:
        found = _pair(reference, clip, replace(matching, metric="points"), progress)
    except RegistrationError:
        return None
    if len(found.frames) < LEAST_SHARED * min(len(reference), len(clip)):
        return None
    on_clock = resample.sample(clip, found.frames)
    same = retimed_comparison.is_same_performance(reference.cut(found.first, found.last + 1), on_clock, matching.joints)
    return found if same else None


def _by_motion(reference: Clip, clip: Clip, matching: Matching, progress: Progress) -> RegistrationCurve:
    """The curve of clips compared by how they move.

    Where all is left to be chosen and whole bodies, most of both clips, match no better than by chance, shorter
    stretches are tried, and then the lower bodies alone: a sneak has a walk's steps, but not its arms and its
    bearing.
    """
    found = _pair(reference, clip, matching, progress.part(0.0, 0.4))
    left_to_us = (matching.ends, matching.slope, matching.joints) == ("auto", 0, "all")
    if not left_to_us or found.likeness > BY_CHANCE:
        return found
    for joints, start in (("all", 0.4), ("lower", 0.7)):
        freer = replace(matching, ends="open", open_end_penalty=FREER_PENALTY, slope=RAISED_LIMIT, joints=joints)
        try:
            other = _pair(reference, clip, freer, progress.part(start, start + 0.3))
        except (RegistrationError, OptionError):
            continue  # no legs, or no stretch: there is the first one still
        if other.likeness >= ALIKE:
            return other
    return found


def _pair(reference: Clip, clip: Clip, matching: Matching, progress: Progress) -> RegistrationCurve:
    progress.at(0.0, f"Synchronising {clip.name}")
    longer = max(len(reference), len(clip))
    pair = _Pair.compare(reference, clip, matching)
    return within_limit(lambda limit: _with_limit(pair, matching, limit, progress), matching, longer)


@dataclass(frozen=True, eq=False)
class _Pair:
    """Two clips ready to be compared: all of their frames, and as many as a matrix that is held whole has room for.

    every : so many frames go to one of the thinned ones; matrix : the windowed distances of those; rate : theirs
    """

    full: tuple[Metric, Metric]
    thinned: tuple[Metric, Metric]
    every: int
    rate: float
    matrix: Array
    shape: tuple[int, int]

    @classmethod
    def compare(cls, reference: Clip, clip: Clip, matching: Matching) -> "_Pair":
        full = metrics.prepare(reference, matching), metrics.prepare(clip, matching)
        every = thinning(len(reference), len(clip))
        thinned, rate = full, reference.rate / every
        if every > 1:
            thinned = (
                metrics.prepare(reference.thinned(every), matching),
                metrics.prepare(clip.thinned(every), matching),
            )
        # What all limits begin with; for long clips as much work as the path.
        matrix = thinned[0].matrix(thinned[1], round(matching.window * rate))
        return cls(full, thinned, every, rate, matrix, (len(reference), len(clip)))


def within_limit(attempt: Callable[[int], RegistrationCurve], matching: Matching, longer: int) -> RegistrationCurve:
    """Return what an attempt gives under the slope limit that `matching` asks for, raised where it must find one.

    A limit of the longer clip's frames is none. A larger one than needed follows noise in still stretches.
    """
    if matching.slope:
        return attempt(matching.slope if matching.slope > 0 else longer)
    try:
        found = attempt(LIMIT)
        if found.at_limit <= RAISE_AT:
            return found
    except RegistrationError:
        pass
    return attempt(RAISED_LIMIT)


def _with_limit(pair: _Pair, matching: Matching, limit: int, progress: Progress) -> RegistrationCurve:
    """Return the curve under one limit."""
    reference, clip = pair.thinned
    matrix, window = pair.matrix, round(matching.window * pair.rate)
    ends, path = _choose_ends(matrix, matching, limit, reference.floor)
    for done in range(1, reference.passes):
        progress.at(done / reference.passes, "Synchronising")
        (top, left), (bottom, right) = path.cells[0], path.cells[-1]
        reference, clip = reference.over(top, bottom), clip.over(left, right)
        del matrix  # before there is another one of its size
        matrix = reference.matrix(clip, window)
        ends, path = _choose_ends(matrix, matching, limit, reference.floor)
    cells = _finest(pair, (reference, clip), path, matching, limit)
    rate = pair.rate * pair.every
    rows, frames = curve_fit.midpoints(cells)
    frames = curve_fit.smoothed(frames, matching, rate)
    frames = curve_fit.limit_slopes(frames, 1.0 / limit, float(limit))
    return RegistrationCurve(
        int(rows[0]),
        frames,
        row_of(matching.metric).name,
        ends,
        path.mean_cost,
        limit,
        path.at_limit,
        cells,
        matrix.astype(np.float32),
        float(matrix.mean()),
        matching.joints,
        pair.every,
    )


def _finest(
    pair: _Pair, compared: tuple[Metric, Metric], path: dtw.WarpPath, matching: Matching, limit: int
) -> dtw.Cells:
    """The cells of the path by single frames at the full rate; some at a time where they are too many to be held."""
    reach = round(FINE_SECONDS * pair.rate * pair.every)
    if pair.every == 1 and matching.band:
        matrix = in_band(compared[0].matrix(compared[1], 0), matching.band)
        return refine.path(matrix, path, limit, reach).cells
    if pair.every == 1:
        return refine.cells(*compared, path.cells, limit, reach)
    around = refine.spread(path.cells, pair.every, *pair.shape)
    (top, left), (bottom, right) = around[0], around[-1]
    reference, clip = pair.full[0].over(top, bottom), pair.full[1].over(left, right)
    return refine.cells(reference, clip, around, limit, reach + pair.every)


def _choose_ends(matrix: Array, matching: Matching, limit: int, floor: float) -> tuple[str, dtw.WarpPath]:
    matrix = in_band(matrix, matching.band)
    if matching.ends == "pinned":
        return "pinned", dtw.pinned(matrix, limit)
    free = dtw.open_ended(matrix, limit, matching.open_end_penalty, floor)
    if matching.ends == "open" or limit < dtw.needed_limit(*matrix.shape):
        return "open", free
    try:
        whole = dtw.pinned(matrix, limit)
    except RegistrationError:  # not within the band
        return "open", free
    better = whole.mean_cost > max(OPEN_GAIN * free.mean_cost, floor)
    return ("open", free) if better else ("pinned", whole)


def in_band(matrix: Array, band: float) -> Array:
    """Return the matrix (M, N), infinite more than band·N columns from the line of even time; 0 is no band."""
    if band == 0.0:
        return matrix
    rows, columns = matrix.shape
    even = np.arange(rows)[:, None] * ((columns - 1) / max(rows - 1, 1))
    return np.where(np.abs(np.arange(columns) - even) <= band * columns, matrix, np.inf)
