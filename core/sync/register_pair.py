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

# Slope limits: the first one tried, and the one where it is too low. A larger one than needed follows noise.
LIMIT, RAISED_LIMIT = 3, 6
RAISE_AT = 0.10  # share of the path at the limit: a sneak's double support is 4.5 times as long as a walk's
OPEN_GAIN = 1.3  # open ends are taken if pinned ends have more than this many times their mean cost
BY_CHANCE = 0.1  # likeness; captured clips that have nothing to do with each other stay below it
ALIKE = 0.25  # likeness from which a shorter stretch, or the legs alone, are taken instead
FREER_PENALTY = 1.5  # open-end penalty of that search: shorter stretches pay less than by default
LEAST_SHARED = 0.5  # of the shorter clip that has to be matched for one performance
FINE_SECONDS = 0.033  # half-width of the band of the second pass


def pair(reference: Clip, clip: Clip, matching: Matching, progress: Progress = SILENT) -> RegistrationCurve:
    """Return the registration curve of a clip against a reference of the same skeleton and rate.

    With the metric "auto", points are compared first: if both clips are one performance, that curve is the answer. Else
    it comes from how they move, corrected by a retimed comparison. Raises RegistrationError where they can't be matched
    under the limits of `matching`.
    """
    if matching.metric != "auto":
        return _pair(reference, clip, matching, progress)
    same = _same_performance(reference, clip, matching, progress.part(0.0, 0.3))
    if same is not None:
        return same
    curve = _by_motion(reference, clip, matching, progress.part(0.3, 0.8))
    if matching.band:  # a correction may leave it
        return curve
    progress.at(0.8, f"Synchronising the steps of {clip.name}")
    frames = retimed_comparison.corrected(
        reference.cut(curve.first, curve.last + 1),
        lambda at: resample.sample(clip, at),
        curve.frames,
        replace(matching, joints=curve.joints),
        curve.limit,
    )
    return replace(curve, frames=frames)


def _same_performance(reference: Clip, clip: Clip, matching: Matching, progress: Progress) -> RegistrationCurve | None:
    """Return the curve of two copies of one performance, compared by points; None if they are not."""
    try:
        curve = _pair(reference, clip, replace(matching, metric="points"), progress)
    except RegistrationError:
        return None
    if len(curve.frames) < LEAST_SHARED * min(len(reference), len(clip)):
        return None
    retimed = resample.sample(clip, curve.frames)
    same = retimed_comparison.is_same_performance(reference.cut(curve.first, curve.last + 1), retimed, matching.joints)
    return curve if same else None


def _by_motion(reference: Clip, clip: Clip, matching: Matching, progress: Progress) -> RegistrationCurve:
    """Return the curve of clips compared by how they move.

    If ends, slope and joints are at their defaults and the likeness is no better than by chance, shorter stretches are
    tried, then the legs alone: a sneak has the steps of a walk, but not its arms and its bearing.
    """
    curve = _pair(reference, clip, matching, progress.part(0.0, 0.4))
    by_default = (matching.ends, matching.slope, matching.joints) == ("auto", 0, "all")
    if not by_default or curve.likeness > BY_CHANCE:
        return curve
    for joints, start in (("all", 0.4), ("lower", 0.7)):
        freer = replace(matching, ends="open", open_end_penalty=FREER_PENALTY, slope=RAISED_LIMIT, joints=joints)
        try:
            other = _pair(reference, clip, freer, progress.part(start, start + 0.3))
        except (RegistrationError, OptionError):
            continue  # no legs, or no stretch
        if other.likeness >= ALIKE:
            return other
    return curve


def _pair(reference: Clip, clip: Clip, matching: Matching, progress: Progress) -> RegistrationCurve:
    progress.at(0.0, f"Synchronising {clip.name}")
    longer = max(len(reference), len(clip))
    pair = _Pair.compare(reference, clip, matching)
    return within_limit(lambda limit: _with_limit(pair, matching, limit, progress), matching, longer)


@dataclass(frozen=True, eq=False)
class _Pair:
    """Two clips ready to be compared: all of their frames, and as many as a matrix held whole has room for.

    every : frames of the clips to one thinned frame
    rate, matrix : of the thinned clips, the matrix with windows
    shape : frames of both clips
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
        # Computed once for all limits: for long clips it is as much work as the path.
        matrix = thinned[0].matrix(thinned[1], round(matching.window * rate))
        return cls(full, thinned, every, rate, matrix, (len(reference), len(clip)))


def within_limit(attempt: Callable[[int], RegistrationCurve], matching: Matching, longer: int) -> RegistrationCurve:
    """Return the curve of an attempt under the slope limit that `matching` asks for; 0 raises it only where needed.

    longer : frames of the longer clip; as a limit it limits nothing. A larger limit than needed follows noise where the
    body stands still.
    """
    if matching.slope:
        return attempt(matching.slope if matching.slope > 0 else longer)
    try:
        curve = attempt(LIMIT)
        if curve.at_limit <= RAISE_AT:
            return curve
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
        del matrix  # so that there are never two of its size in memory
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
    """Return the cells of the path by single frames at the full rate."""
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
    """Return the ends, "pinned" or "open", as `matching` asks or as suits the clips, and the path between them."""
    matrix = in_band(matrix, matching.band)
    if matching.ends == "pinned":
        return "pinned", dtw.pinned(matrix, limit)
    free = dtw.open_ended(matrix, limit, matching.open_end_penalty, floor)
    if matching.ends == "open" or limit < dtw.needed_limit(*matrix.shape):
        return "open", free
    try:
        whole = dtw.pinned(matrix, limit)
    except RegistrationError:  # the band leaves none
        return "open", free
    better = whole.mean_cost > max(OPEN_GAIN * free.mean_cost, floor)
    return ("open", free) if better else ("pinned", whole)


def in_band(matrix: Array, band: float) -> Array:
    """Return the matrix (M, N), infinite more than band·N columns from the line of even time; 0 for no band."""
    if band == 0.0:
        return matrix
    rows, columns = matrix.shape
    even = np.arange(rows)[:, None] * ((columns - 1) / max(rows - 1, 1))
    return np.where(np.abs(np.arange(columns) - even) <= band * columns, matrix, np.inf)
