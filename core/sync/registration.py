"""Synchronising clips: for every frame of a reference, the corresponding frame of each clip (methods 3).

Kovar & Gleicher 2003; seeds 000 and 003.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..errors import OptionError, RegistrationError
from ..motion.clip import Clip
from ..motion.quat import Array
from ..progress import SILENT, Progress
from . import curve, timewarp
from .distance import METRICS, Metric
from .matching import Matching

LIMIT = 3
RAISED_LIMIT = 6
RAISE_AT = 0.10  # share of the path at the limit: a sneak's double support is 4.5 times as long as a walk's
OPEN_GAIN = 1.3  # open ends are taken where they match that many times better
FINE_SECONDS = 0.033  # half-width of the band of the second pass


@dataclass(frozen=True, eq=False)
class Curve:
    """The registration curve of one clip against the reference.

    first, frames (K,) : reference frame first + k corresponds to frame frames[k] of the clip, strictly increasing
    cost : mean pose distance along the path; ends : pinned or open; limit : the slope limit that was used
    at_limit : share of the path that runs at the limit; cells (·, 2) and matrix (M, N) : what a picture shows
    """

    first: int
    frames: Array
    metric: str
    ends: str
    cost: float
    limit: int
    at_limit: float
    cells: NDArray[np.int64]
    matrix: Array | None

    @property
    def last(self) -> int:
        return self.first + len(self.frames) - 1

    def at(self, reference_frames: Array) -> Array:
        """Return the clip's frames at fractional reference frames."""
        return curve.evaluate(self.frames, reference_frames - self.first)


@dataclass(frozen=True, eq=False)
class Registration:
    """The curves of N clips against one of them, over the reference frames first … last that all have."""

    reference: int
    curves: tuple[Curve, ...]

    @cached_property
    def first(self) -> int:
        return max(c.first for c in self.curves)

    @cached_property
    def last(self) -> int:
        return min(c.last for c in self.curves)

    @property
    def grid(self) -> Array:
        """The whole reference frames (K,) from first to last."""
        return np.arange(self.first, self.last + 1, dtype=float)

    def way(self, reference_frames: Array) -> Array:
        """Return how far along the common stretch reference frames (K,) are: 0 at its start, 1 at its end."""
        return (reference_frames - self.first) / (self.last - self.first)

    def frames(self, reference_frames: Array) -> Array:
        """Return the frame (N, K) of every clip at fractional reference frames (K,)."""
        return np.stack([c.at(reference_frames) for c in self.curves])


def register(
    clips: Sequence[Clip], reference: int, matching: Matching, progress: Progress = SILENT
) -> Registration:
    """Register clips of one skeleton and one rate against the reference among them (its index).

    Raises RegistrationError where they can't be matched under the limits of `matching`.
    """
    curves = []
    for k, clip in enumerate(clips):
        progress.at(k / len(clips), f"Synchronising {clip.name}")
        curves.append(identity(clip) if k == reference else register_pair(clips[reference], clip, matching))
    registration = Registration(reference, tuple(curves))
    if registration.last - registration.first < 1:
        raise RegistrationError("The clips have no stretch in common; leave one out, or choose pinned ends")
    return registration


def identity(clip: Clip) -> Curve:
    """Return the curve of a clip against itself."""
    frames = np.arange(len(clip))
    return Curve(0, frames.astype(float), "none", "pinned", 0.0, 1, 0.0, np.stack([frames, frames], axis=1), None)


def choose_reference(clips: Sequence[Clip], matching: Matching, progress: Progress = SILENT) -> int:
    """Return the index of the reference: a number from 1, the longest clip, or the one nearest to all others."""
    wanted = matching.reference
    if wanted == "longest":
        return int(np.argmax([clip.seconds for clip in clips]))
    if wanted == "medoid":
        return _medoid(clips, matching, progress)
    if not re.fullmatch(r"[0-9]+", wanted) or not 1 <= int(wanted) <= len(clips):
        raise OptionError(f"reference is {wanted!r}, but must be medoid, longest or a clip from 1 to {len(clips)}")
    return int(wanted) - 1


def _medoid(clips: Sequence[Clip], matching: Matching, progress: Progress) -> int:
    cost = np.zeros(len(clips))
    pairs = [(i, j) for i in range(len(clips)) for j in range(i)]
    for k, (i, j) in enumerate(pairs):
        progress.at(k / len(pairs), f"Comparing {clips[i].name} and {clips[j].name}")
        cost[[i, j]] += register_pair(clips[i], clips[j], matching).cost
    return int(np.argmin(cost))


def register_pair(reference: Clip, clip: Clip, matching: Matching) -> Curve:
    """Return the registration curve of a clip against a reference of the same skeleton and rate."""
    if len(reference) < 2 or len(clip) < 2:
        short = reference if len(reference) < 2 else clip
        raise RegistrationError(f"{short.name} has a single frame; synchronising takes two or more")
    metric = METRICS["motion" if matching.metric == "auto" else matching.metric]
    bodies = metric(reference), metric(clip)
    if matching.slope:
        return _with_limit(*bodies, reference.rate, matching, matching.slope)
    # Not known beforehand is whether the usual limit will do: a larger one follows noise in still stretches.
    try:
        found = _with_limit(*bodies, reference.rate, matching, LIMIT)
        if found.at_limit <= RAISE_AT:
            return found
    except RegistrationError:
        pass
    return _with_limit(*bodies, reference.rate, matching, RAISED_LIMIT)


def _with_limit(reference: Metric, clip: Metric, rate: float, matching: Matching, limit: int) -> Curve:
    window = round(matching.window * rate)
    matrix = reference.matrix(clip, window)
    ends, path = _choose_ends(matrix, matching, limit, reference.floor)
    for _ in range(1, reference.passes):
        (top, left), (bottom, right) = path.cells[0], path.cells[-1]
        reference, clip = reference.over(top, bottom), clip.over(left, right)
        matrix = reference.matrix(clip, window)
        ends, path = _choose_ends(matrix, matching, limit, reference.floor)
    fine = _fine(reference.matrix(clip, 0), path, limit, round(FINE_SECONDS * rate))
    rows, frames = curve.midpoints(fine.cells)
    if matching.smoothing == "spline":
        frames = curve.spline(frames, curve.KNOT_SECONDS * rate)
    frames = curve.limit_slopes(frames, 1.0 / limit, float(limit))
    return Curve(
        int(rows[0]), frames, reference.name, ends, path.mean_cost, limit, path.at_limit, fine.cells, matrix
    )


def _choose_ends(matrix: Array, matching: Matching, limit: int, floor: float) -> tuple[str, timewarp.Path]:
    rows, columns = matrix.shape
    if matching.ends == "pinned":
        return "pinned", timewarp.pinned(matrix, limit)
    if matching.ends == "open":
        return "open", timewarp.open_ended(matrix, limit, matching.keep, floor)
    free = timewarp.open_ended(matrix, limit, matching.keep, floor)
    if limit < timewarp.needed_limit(rows, columns):
        return "open", free
    whole = timewarp.pinned(matrix, limit)
    better = whole.mean_cost > max(OPEN_GAIN * free.mean_cost, floor)
    return ("open", free) if better else ("pinned", whole)


def _fine(matrix: Array, path: timewarp.Path, limit: int, reach: int) -> timewarp.Path:
    """Return the best path without window in a band round a first one, between the same ends.

    A window takes for granted that both clips run equally fast inside it, and is lopsided at the clips' ends;
    single frames know better once it is clear where to look.
    """
    (top, left), (bottom, right) = path.cells[0], path.cells[-1]
    near = np.zeros(matrix.shape, dtype=bool)
    for i, j in path.cells:
        near[max(i - reach, 0) : i + reach + 1, max(j - reach, 0) : j + reach + 1] = True
    banded = np.where(near, matrix, np.inf)[top : bottom + 1, left : right + 1]
    fine = timewarp.pinned(banded, max(limit, timewarp.needed_limit(*banded.shape)))
    return timewarp.Path(fine.cells + path.cells[0], fine.cost, fine.at_limit)
