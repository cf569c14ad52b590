"""The registration curve of one clip against another (methods: Time registration)."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol, TypeVar

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
from .ends import Ends, choose, in_band
from .posed_clip import PosedClip
from .registration_curve import RegistrationCurve

# Slope limits: the default, and the one used if that is too low. An unnecessarily large limit follows noise.
LIMIT, RAISED_LIMIT = 3, 6
# Share of the path at the limit from which the limit is raised. Double support of a sneak takes 4.5 times that of a
# walk.
RAISE_AT = 0.10
BY_CHANCE = 0.1  # likeness; unrelated captured clips stay below it
ALIKE = 0.25  # likeness required to use a shorter stretch, or only the legs, instead
HOPELESS = 0.15  # likeness of a search on few frames below which it is abandoned; all frames give at most 0.13 more
SKETCH_RATE = 20.0  # Hz, rate of these few frames
FREER_PENALTY = 1.5  # open-end penalty of that search, which favours shorter stretches less than the default
LEAST_SHARED = 0.5  # share of the shorter clip that must match if both show the same performance
FINE_SECONDS = 0.033  # half-width of the band of the second pass


def pair(
    reference: Clip | PosedClip, clip: Clip | PosedClip, matching: Matching, progress: Progress = SILENT
) -> RegistrationCurve:
    """Return the registration curve of a clip against a reference of the same skeleton and rate.

    The metric "auto" compares points first, and returns that curve if both clips are the same performance. Otherwise
    the curve is found by comparing motion, and corrected by a retimed comparison. Raises RegistrationError if they
    can't be matched under the limits of `matching`.
    """
    reference, clip = PosedClip.of(reference), PosedClip.of(clip)
    try:
        return _curve(reference, clip, matching, progress)
    except RegistrationError as error:
        raise RegistrationError(f"{clip.clip.name} with {reference.clip.name}: {error}") from None


def _curve(reference: PosedClip, clip: PosedClip, matching: Matching, progress: Progress) -> RegistrationCurve:
    if matching.metric != "auto":
        return _pair(reference, clip, matching, progress)
    same = _same_performance(reference, clip, matching, progress.part(0.0, 0.3))
    if same is not None:
        return same
    curve = _by_motion(reference, clip, matching, progress.part(0.3, 0.8))
    if matching.band:  # a correction might leave the band
        return curve
    progress.at(0.8, f"Synchronising {clip.clip.name}")
    frames = retimed_comparison.correct_frames(
        reference.cut(curve.first, curve.last + 1),
        lambda at: resample.sample(clip.clip, at),
        curve.frames,
        replace(matching, joints=curve.joints),
        curve.limit,
    )
    return replace(curve, frames=frames)


def _same_performance(
    reference: PosedClip, clip: PosedClip, matching: Matching, progress: Progress
) -> RegistrationCurve | None:
    """Return the curve of two copies of one performance, compared by points; None if they are not."""
    if not retimed_comparison.may_be_same_performance(reference, clip, matching.joints, LEAST_SHARED):
        return None
    try:
        curve = _pair(reference, clip, replace(matching, metric="points"), progress)
    except RegistrationError:
        return None
    if len(curve.frames) < LEAST_SHARED * min(len(reference), len(clip)):
        return None
    matched = reference.cut(curve.first, curve.last + 1)
    retimed = PosedClip(resample.sample(clip.clip, curve.frames), keep=False)
    return curve if retimed_comparison.is_same_performance(matched, retimed, matching.joints) else None


def _by_motion(reference: PosedClip, clip: PosedClip, matching: Matching, progress: Progress) -> RegistrationCurve:
    """Return the curve of clips compared by their motion.

    If ends, slope and joints have their defaults and the likeness is at chance level, shorter stretches are tried, then
    only the legs: a sneak shares the steps of a walk, but not its arms and posture.
    """
    pair = _Pair.compare(reference, clip, matching)
    found = within_limit(lambda limit: _match(pair, matching, limit, progress.part(0.0, 0.4)), matching, pair.longer)
    by_default = (matching.ends, matching.slope, matching.joints) == ("auto", 0, "all")
    if not by_default or found.likeness > BY_CHANCE:
        return found.curve
    for joints, start in (("all", 0.4), ("lower", 0.7)):
        freer = replace(matching, ends="open", open_end_penalty=FREER_PENALTY, slope=RAISED_LIMIT, joints=joints)
        try:
            if joints != matching.joints:
                pair = _Pair.compare(reference, clip, freer)
            sketch = pair.sketch_pair()
            if sketch.every > pair.every and _match(sketch, freer, RAISED_LIMIT, SILENT, dtw.ROUGH).likeness < HOPELESS:
                continue
            other = _match(pair, freer, RAISED_LIMIT, progress.part(start, start + 0.3))
            if other.likeness >= ALIKE:
                return other.curve
        except (RegistrationError, OptionError):
            continue  # no legs, or no stretch
    return found.curve


def _pair(reference: PosedClip, clip: PosedClip, matching: Matching, progress: Progress) -> RegistrationCurve:
    progress.at(0.0, f"Synchronising {clip.clip.name}")
    pair = _Pair.compare(reference, clip, matching)
    return within_limit(lambda limit: _match(pair, matching, limit, progress), matching, pair.longer).curve


@dataclass(frozen=True, eq=False)
class _Pair:
    """Two clips prepared for comparison: all of their frames, and a subset for which a complete matrix fits in memory.

    every : frames of the clips per decimated frame
    rate, window : of the decimated clips
    shape : frames of both clips
    """

    full: tuple[Metric, Metric]
    thinned: tuple[Metric, Metric]
    every: int
    rate: float
    window: int
    shape: tuple[int, int]

    @classmethod
    def compare(cls, reference: PosedClip, clip: PosedClip, matching: Matching) -> "_Pair":
        full = metrics.prepare(reference, matching), metrics.prepare(clip, matching)
        every = thinning(len(reference), len(clip))
        thinned, rate = full, reference.clip.rate / every
        if every > 1:
            thinned = (
                metrics.prepare(reference.clip.decimate(every), matching),
                metrics.prepare(clip.clip.decimate(every), matching),
            )
        return cls(full, thinned, every, rate, round(matching.window * rate), (len(reference), len(clip)))

    @cached_property
    def matrix(self) -> Array:
        """Cached for all limits, since for long clips it takes as much time as the path."""
        return self.thinned[0].matrix(self.thinned[1], self.window)

    def sketch_pair(self) -> "_Pair":
        """Return both clips decimated until a path takes negligible time."""
        every = max(1, round(self.rate / SKETCH_RATE))
        some = slice(None, None, every)
        thinned = self.thinned[0].take_frames(some), self.thinned[1].take_frames(some)
        return replace(
            self, thinned=thinned, every=self.every * every, rate=self.rate / every, window=round(self.window / every)
        )

    @property
    def longer(self) -> int:
        return max(self.shape)


@dataclass(frozen=True, eq=False)
class _Match:
    """The path between two clips under one limit, with its inputs.

    compared : the decimated clips, prepared for the corresponding frames
    matrix : their distances
    """

    pair: _Pair
    compared: tuple[Metric, Metric]
    matrix: Array
    matching: Matching
    limit: int
    ends: Ends

    @property
    def at_limit(self) -> float:
        return self.ends.path.at_limit

    @cached_property
    def chance(self) -> float:
        return float(self.matrix.mean())

    @property
    def likeness(self) -> float:
        """The likeness of the curve (see `RegistrationCurve`)."""
        return 1.0 - self.ends.path.mean_cost / self.chance if self.chance > 0.0 else 1.0

    @cached_property
    def curve(self) -> RegistrationCurve:
        path, limit = self.ends.path, self.limit
        cells = _finest(self)
        rows, frames = curve_fit.midpoints(cells)
        frames = curve_fit.smooth_samples(frames, self.matching, self.pair.rate * self.pair.every)
        frames = curve_fit.limit_slopes(frames, 1.0 / limit, float(limit))
        return RegistrationCurve(
            int(rows[0]),
            frames,
            row_of(self.matching.metric).name,
            self.ends.kind,
            path.mean_cost,
            limit,
            path.at_limit,
            cells,
            self.matrix.astype(np.float32),
            self.chance,
            self.matching.joints,
            self.pair.every,
        )


class _UnderLimit(Protocol):
    @property
    def at_limit(self) -> float: ...


Found = TypeVar("Found", bound=_UnderLimit)


def within_limit(attempt: Callable[[int], Found], matching: Matching, longer: int) -> Found:
    """Return the result of an attempt under the slope limit of `matching`; 0 raises the limit only if necessary.

    longer : frames of the longer clip, which as a limit is no restriction. An unnecessarily large limit follows noise
        where the body stands still.
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


def _match(pair: _Pair, matching: Matching, limit: int, progress: Progress, precise: float = dtw.PRECISE) -> _Match:
    """Return the path between two clips under one limit; precise : see `dtw.least_mean`."""
    compared, matrix = pair.thinned, pair.matrix
    passes, floor = compared[0].passes, compared[0].floor
    ends = choose(matrix, matching, limit, floor, None, precise)
    over = ((0, 0), (matrix.shape[0] - 1, matrix.shape[1] - 1))
    for done in range(1, passes):
        first, last = tuple(ends.path.cells[0].tolist()), tuple(ends.path.cells[-1].tolist())
        if (first, last) == over:
            break  # the same frames, the same distances
        over = first, last
        progress.at(done / passes, "Synchronising")
        compared = compared[0].over(first[0], last[0]), compared[1].over(first[1], last[1])
        del matrix  # so that there are never two of its size in memory
        matrix = compared[0].matrix(compared[1], pair.window)
        ends = choose(matrix, matching, limit, floor, ends, precise)
    return _Match(pair, compared, matrix, matching, limit, ends)


def _finest(match: _Match) -> dtw.Cells:
    """Return the cells of the path by single frames at the full rate."""
    pair, (reference, clip), path, limit = match.pair, match.compared, match.ends.path, match.limit
    reach = round(FINE_SECONDS * pair.rate * pair.every)
    if pair.every == 1 and match.matching.band:
        matrix = in_band(reference.matrix(clip, 0), match.matching.band)
        return refine.path(matrix, path, limit, reach).cells
    if pair.every == 1:
        return refine.cells(reference, clip, path.cells, limit, reach)
    around = refine.spread(path.cells, pair.every, *pair.shape)
    (top, left), (bottom, right) = around[0], around[-1]
    reference, clip = pair.full[0].over(top, bottom), pair.full[1].over(left, right)
    return refine.cells(reference, clip, around, limit, reach + pair.every)
