"""Where an action is entered along a stretch of a locomotion: at every interval, wherever both are alike.

For locomotions that have no end of their own, such as walks over a motion graph: nothing is registered as a whole, but
at every interval what goes best with what comes is looked up in the action, or in the graph of several.

Method: Splicing upper body onto locomotion.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...errors import ClipError
from ...motion import retarget
from ...motion.clip import Clip
from ...motion.quat import Array
from ...sync.positions import PointMetric
from . import levels
from .levels import LEVELS
from .played import Interval, Played, Run

INTERVAL = 1.0  # s
WINDOW = 1.0 / 6.0  # s each side that is compared
COMPARED = 30.0  # frames a second that are compared at first
BETTER = 0.8  # times what going on would cost: a new point must not cost more, or the action becomes shreds


@dataclass(frozen=True)
class SplicePiece:
    """A run of the action: from a frame of the locomotion to another (not included), and how it was entered.

    level, distance : what made it a splice point, and how far apart both are over the interval (m); where nothing was
    near enough, there is no level
    """

    first: int
    end: int
    run: Run
    level: str | None
    distance: float


@dataclass(frozen=True)
class SplicePlan:
    """What is played along a stretch of a locomotion, from piece to piece without a gap.

    least : the least distance (m) of any interval, as far as the trunk is compared; with a threshold over it there is a
    splice point
    """

    pieces: tuple[SplicePiece, ...]
    least: float

    @property
    def first(self) -> int:
        return self.pieces[0].first

    @property
    def end(self) -> int:
        return self.pieces[-1].end


def plan(
    locomotion: Clip,
    played: Played,
    *,
    first: int = 0,
    end: int | None = None,
    interval: float = INTERVAL,
    threshold: float = LEVELS[-1].threshold,
) -> SplicePlan:
    """Return what of an action goes with frames `first` … `end` − 1 of a locomotion of its skeleton and rate.

    interval : s after which a splice point is looked up again
    threshold : m; up to it frames count as alike. The smaller, the more of the trunk is asked to be (see `levels`)
    The action goes on from point to point unless another costs a fifth less over the whole next interval. Raises
    ClipError for stretches that are not in the clips, and OptionError or SkeletonError for bodies not known.
    """
    end = len(locomotion) if end is None else end
    refuse_others(locomotion, played)
    if not 0 <= first < end <= len(locomotion):
        raise ClipError(f"{locomotion.name} has no frames {first} to {end - 1}")
    length = max(1, round(interval * locomotion.rate))
    compared = _Compared(locomotion, played, threshold)
    pieces: list[SplicePiece] = []
    least = np.inf
    for at in range(first, end, length):
        until = min(at + length, end)
        found = compared.best(at, until)
        least = min(least, found.distance)
        pieces = _gone_on(pieces, played, found, at, until)
    return SplicePlan(tuple(pieces), float(least))


def refuse_others(locomotion: Clip, played: Played) -> None:
    """Raise ClipError for an action that is not of the locomotion's skeleton and rate."""
    for action in played.clips:
        if locomotion.rate != action.rate or not retarget.same(locomotion.skeleton, action.skeleton):
            raise ClipError(f"{action.name} must first be brought onto the skeleton and the rate of {locomotion.name}")


@dataclass(frozen=True, eq=False)
class _Found:
    """The level that has a splice point (None: none has), the nearest run, how near, and the interval at that level."""

    level: str | None
    run: Run | None
    distance: float
    interval: Interval


def _gone_on(pieces: list[SplicePiece], played: Played, found: _Found, at: int, until: int) -> list[SplicePiece]:
    """The pieces with what is played from one frame of the locomotion to another."""
    last = pieces[-1] if pieces else None
    if last is not None:
        gone = at - last.first
        going = played.going(last.run, gone, found.interval)
        if np.isfinite(going) and (found.level is None or found.distance > BETTER * going):
            played.keep(last.run, gone, until - at)
            return [*pieces[:-1], replace(last, end=until)]
    runs = [(found.run, until - at)] if found.level is not None and found.run is not None else None
    for run, count in runs or played.without_point(until - at, found.run):
        played.keep(run, 0, count)
        pieces = [*pieces, SplicePiece(at, at + count, run, found.level, found.distance)]
        at += count
    return pieces


class _Compared:
    """How far apart locomotion and action are over any interval."""

    def __init__(self, locomotion: Clip, played: Played, threshold: float) -> None:
        self._played, self._step = played, max(1, round(locomotion.rate / COMPARED))
        self._asked, self._window = levels.asked(threshold), round(WINDOW * locomotion.rate)
        self._ours = [levels.cloud(locomotion, level) for level, _ in self._asked]
        self._theirs = [[levels.cloud(clip, level) for clip in played.clips] for level, _ in self._asked]
        self._rough = [[_every(cloud, self._step) for cloud in clouds] for clouds in self._theirs]

    def best(self, at: int, until: int) -> _Found:
        """Return what is nearest over the frames at … until − 1, at the first level that it makes a splice point."""
        found = None
        for k, (level, limit) in enumerate(self._asked):
            interval = self._interval(k, at, until)
            run, distance = self._played.best(interval)
            found = _Found(level.name if distance <= limit else None, run, distance, interval)
            if found.level is not None:
                break
        assert found is not None
        return found

    def _interval(self, k: int, at: int, until: int) -> Interval:
        """The frames at … until − 1 as they are compared at one of the levels."""
        window = round(self._window / self._step)
        rough = self._part(k, np.arange(at - window * self._step, until + window * self._step, self._step))
        rows = -(-(until - at) // self._step)
        distances = [rough.matrix(body, window)[window : window + rows] for body in self._rough[k]]

        def closely(clip: int, first: int, end: int) -> Array:
            ours, (places, weights) = np.arange(at - self._window, until + self._window), self._theirs[k][clip]
            low, high = max(first - self._window, 0), min(end + self._window, len(places))
            some = PointMetric.of_cloud(places[low:high], weights)
            found = self._part(k, ours).matrix(some, self._window)
            return np.asarray(found[self._window : self._window + until - at, first - low : end - low])

        return Interval(until - at, self._step, np.concatenate(distances, axis=1), closely)

    def _part(self, k: int, frames: NDArray[np.int64]) -> PointMetric:
        """Some frames of the locomotion; before its first and after its last it stands still."""
        places, weights = self._ours[k]
        return PointMetric.of_cloud(places[np.clip(frames, 0, len(places) - 1)], weights)


def _every(cloud: tuple[Array, Array], step: int) -> PointMetric:
    return PointMetric.of_cloud(cloud[0][::step], cloud[1])
