"""The registration curve of one clip against another (methods 3; Kovar & Gleicher 2003; seeds 000 and 003)."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ..errors import OptionError, RegistrationError
from ..motion.clip import Clip
from ..motion.quat import Array
from ..progress import SILENT, Progress
from . import curve, metrics, timewarp
from .distance import Metric
from .matching import Matching
from .registered import Curve

LIMIT = 3
RAISED_LIMIT = 6
RAISE_AT = 0.10  # share of the path at the limit: a sneak's double support is 4.5 times as long as a walk's
OPEN_GAIN = 1.3  # open ends are taken where they match that many times better
BY_CHANCE = 0.1  # likeness of clips that have nothing to do with each other: below it on captured clips
ALIKE = 0.25  # likeness of stretches that do, where the rest of their clips does not
FREER_KEEP = 1.5
FINE_SECONDS = 0.033  # half-width of the band of the second pass


def pair(reference: Clip, clip: Clip, matching: Matching, progress: Progress = SILENT) -> Curve:
    """Return the registration curve of a clip against a reference of the same skeleton and rate, ends as asked.

    Where all is left to be chosen and whole bodies, most of both clips, match no better than by chance, shorter
    stretches are tried, and then the lower bodies alone: a sneak has a walk's steps, but not its arms and its
    bearing. Raises RegistrationError where they can't be matched under the limits of `matching`.
    """
    found = _pair(reference, clip, matching, progress.part(0.0, 0.4))
    left_to_us = (matching.metric, matching.ends, matching.slope, matching.joints) == ("auto", "auto", 0, "all")
    if not left_to_us or found.likeness > BY_CHANCE:
        return found
    for joints, start in (("all", 0.4), ("lower", 0.7)):
        freer = replace(matching, ends="open", keep=FREER_KEEP, slope=RAISED_LIMIT, joints=joints)
        try:
            other = _pair(reference, clip, freer, progress.part(start, start + 0.3))
        except (RegistrationError, OptionError):
            continue  # no legs, or no stretch: there is the first one still
        if other.likeness >= ALIKE:
            return other
    return found


def _pair(reference: Clip, clip: Clip, matching: Matching, progress: Progress) -> Curve:
    progress.at(0.0, f"Synchronising {clip.name}")
    bodies = metrics.of(reference, matching), metrics.of(clip, matching)
    longer = max(len(reference), len(clip))
    # What all limits begin with; for long clips as much work as the path.
    matrix = bodies[0].matrix(bodies[1], round(matching.window * reference.rate))
    return within_limit(
        lambda limit: _with_limit(*bodies, matrix, reference.rate, matching, limit, progress), matching, longer
    )


def within_limit(attempt: Callable[[int], Curve], matching: Matching, longer: int) -> Curve:
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


def _with_limit(
    reference: Metric,
    clip: Metric,
    matrix: Array,
    rate: float,
    matching: Matching,
    limit: int,
    progress: Progress,
) -> Curve:
    """Return the curve under one limit; the matrix is that of the whole clips."""
    window = round(matching.window * rate)
    ends, path = _choose_ends(matrix, matching, limit, reference.floor)
    for done in range(1, reference.passes):
        progress.at(done / reference.passes, "Synchronising")
        (top, left), (bottom, right) = path.cells[0], path.cells[-1]
        reference, clip = reference.over(top, bottom), clip.over(left, right)
        matrix = reference.matrix(clip, window)
        ends, path = _choose_ends(matrix, matching, limit, reference.floor)
    found = fine(in_band(reference.matrix(clip, 0), matching.band), path, limit, round(FINE_SECONDS * rate))
    rows, frames = curve.midpoints(found.cells)
    frames = curve.smoothed(frames, matching, rate)
    frames = curve.limit_slopes(frames, 1.0 / limit, float(limit))
    return Curve(
        int(rows[0]),
        frames,
        reference.name,
        ends,
        path.mean_cost,
        limit,
        path.at_limit,
        found.cells,
        matrix,
        float(matrix.mean()),
        matching.joints,
    )


def _choose_ends(matrix: Array, matching: Matching, limit: int, floor: float) -> tuple[str, timewarp.Path]:
    matrix = in_band(matrix, matching.band)
    if matching.ends == "pinned":
        return "pinned", timewarp.pinned(matrix, limit)
    free = timewarp.open_ended(matrix, limit, matching.keep, floor)
    if matching.ends == "open" or limit < timewarp.needed_limit(*matrix.shape):
        return "open", free
    try:
        whole = timewarp.pinned(matrix, limit)
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


def fine(matrix: Array, path: timewarp.Path, limit: int, reach: int) -> timewarp.Path:
    """Return the best path without window in a band round a first one, between the same ends.

    A window takes for granted that both clips run equally fast inside it, and is lopsided at the clips' ends;
    single frames know better once it is clear where to look.
    """
    (top, left), (bottom, right) = path.cells[0], path.cells[-1]
    # The path passes all rows between, so what lies within reach of its cells is one stretch of each row.
    rows = np.arange(top, bottom + 1)
    lowest = path.cells[np.searchsorted(path.cells[:, 0], np.maximum(rows - reach, top)), 1] - reach
    highest = path.cells[np.searchsorted(path.cells[:, 0], np.minimum(rows + reach, bottom), "right") - 1, 1] + reach
    columns = np.arange(left, right + 1)
    near = (columns >= lowest[:, None]) & (columns <= highest[:, None])
    banded = np.where(near, matrix[top : bottom + 1, left : right + 1], np.inf)
    found = timewarp.pinned(banded, max(limit, timewarp.needed_limit(*banded.shape)))
    return timewarp.Path(found.cells + path.cells[0], found.cost, found.at_limit)
