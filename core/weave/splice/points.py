"""Find splice points: frames where an action enters along a stretch of a locomotion because both are alike.

Walks over a motion graph and similar locomotions have no end of their own, so they are not registered as a whole.
Instead, the frame of the action (or of a graph of several) that best fits the next interval is looked up regularly.

Method: Splicing upper body onto locomotion.
"""

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ...errors import ClipError, no_frame
from ...motion import retarget
from ...motion.clip import Clip
from ...motion.quat import Array
from ...sync.positions import PointMetric
from . import levels
from .levels import LEVELS
from .played import Interval, Played, Run

INTERVAL = 1.0  # s
WINDOW = 1.0 / 6.0  # s compared on each side
COMPARED = 30.0  # frames a second of the first comparison
SHORTEST = 0.1  # s; a last interval that is shorter belongs to the one before it
BETTER = 0.8  # times the cost of playing on; switching must cost less, or the action would be cut to pieces


@dataclass(frozen=True)
class SplicePiece:
    """A run of the action, from a frame of the locomotion to another (exclusive), and how it was entered.

    level : the level at which that frame is a splice point; None if no frame was near enough
    distance : of both over the interval, m
    """

    first: int
    end: int
    run: Run
    level: str | None
    distance: float


@dataclass(frozen=True)
class SplicePlan:
    """The pieces of the action played along a stretch of a locomotion, without a gap.

    least : the least distance (m) of any interval; a larger threshold gives a splice point
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
    """Return pieces of an action that fit frames `first` … `end` − 1 of a locomotion of its skeleton and rate.

    interval : s between searches for a splice point
    threshold : m; frames up to this distance count as alike; a smaller one includes more of the trunk (see `levels`)
    The action plays on from point to point unless another point costs a fifth less over the whole next interval. Raises
    ClipError for stretches outside the clips, and OptionError or SkeletonError for bodies with unknown parts.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.weave.splice import played, points
        >>> walk = actions.walk()
        >>> planned = points.plan(walk, played.PlayedClip(walk), first=10, end=70)  # a walk on itself
        >>> [(piece.first, piece.end, piece.run.frame, piece.level) for piece in planned.pieces]
        [(10, 70, 10, 'shoulders')]
    """
    end = len(locomotion) if end is None else end
    refuse_others(locomotion, played)
    if not 0 <= first < end <= len(locomotion):
        raise no_frame(locomotion.name, first if first >= len(locomotion) else end - 1, 0, len(locomotion) - 1)
    length = max(1, round(interval * locomotion.rate))
    compared = _Compared(locomotion, played, threshold)
    pieces: list[SplicePiece] = []
    least = np.inf
    starts = list(range(first, end, length))
    if len(starts) > 1 and end - starts[-1] < SHORTEST * locomotion.rate:
        del starts[-1]  # no time is left to blend into another run
    for at, until in pairwise([*starts, end]):
        best = compared.best(at, until)
        least = min(least, best.distance)
        pieces = _extend_pieces(pieces, played, best, at, until)
    return SplicePlan(tuple(pieces), float(least))


def refuse_others(locomotion: Clip, played: Played) -> None:
    """Raise ClipError for an action with another skeleton or rate than the locomotion.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.weave.splice import played, points
        >>> points.refuse_others(actions.walk(), played.PlayedClip(actions.wave(rate=60.0)))
        Traceback (most recent call last):
        action_loom.core.errors.ClipError: wave must first be brought onto the skeleton and the rate of walk
    """
    for action in played.clips:
        if locomotion.rate != action.rate or not retarget.same(locomotion.skeleton, action.skeleton):
            raise ClipError(f"{action.name} must first be brought onto the skeleton and the rate of {locomotion.name}")


@dataclass(frozen=True, eq=False)
class _Nearest:
    """The level with a splice point or None, the nearest run, its distance, and the interval at that level."""

    level: str | None
    run: Run | None
    distance: float
    interval: Interval


def _extend_pieces(pieces: list[SplicePiece], played: Played, best: _Nearest, at: int, until: int) -> list[SplicePiece]:
    """Return the pieces with those played from frame `at` of the locomotion to `until` added."""
    last = pieces[-1] if pieces else None
    if last is not None:
        gone = at - last.first
        going = played.going(last.run, gone, best.interval)
        # A run entered without a splice point ends at the next splice point, even if it would continue well.
        stays = best.level is None or (last.level is not None and best.distance > BETTER * going)
        if np.isfinite(going) and stays:
            played.keep(last.run, gone, until - at)
            return [*pieces[:-1], replace(last, end=until)]
    runs = [(best.run, until - at)] if best.level is not None and best.run is not None else None
    for run, count in runs or played.without_point(until - at, best.run):
        played.keep(run, 0, count)
        pieces = [*pieces, SplicePiece(at, at + count, run, best.level, best.distance)]
        at += count
    return pieces


class _Compared:
    """The distances of locomotion and action over any interval."""

    def __init__(self, locomotion: Clip, played: Played, threshold: float) -> None:
        self._played, self._step = played, max(1, round(locomotion.rate / COMPARED))
        self._asked, self._window = levels.list_levels(threshold), round(WINDOW * locomotion.rate)
        self._ours = [levels.cloud(locomotion, level) for level, _ in self._asked]
        self._theirs = [[levels.cloud(clip, level) for clip in played.clips] for level, _ in self._asked]
        self._rough = [[_every(cloud, self._step) for cloud in clouds] for clouds in self._theirs]

    def best(self, at: int, until: int) -> _Nearest:
        """Return the nearest run over the frames at … until − 1, at the first level that makes it a splice point."""
        nearest = None
        for k, (level, limit) in enumerate(self._asked):
            interval = self._interval(k, at, until)
            run, distance = self._played.best(interval)
            nearest = _Nearest(level.name if distance <= limit else None, run, distance, interval)
            if nearest.level is not None:
                break
        assert nearest is not None
        return nearest

    def _interval(self, k: int, at: int, until: int) -> Interval:
        """Return the distances of the frames at … until − 1 at level number k."""
        window = round(self._window / self._step)
        rough = self._part(k, np.arange(at - window * self._step, until + window * self._step, self._step))
        rows = -(-(until - at) // self._step)
        distances = [rough.matrix(body, window)[window : window + rows] for body in self._rough[k]]

        def closely(clip: int, first: int, end: int) -> Array:
            ours, (places, weights) = np.arange(at - self._window, until + self._window), self._theirs[k][clip]
            low, high = max(first - self._window, 0), min(end + self._window, len(places))
            matrix = self._part(k, ours).matrix(PointMetric.of_cloud(places[low:high], weights), self._window)
            return np.asarray(matrix[self._window : self._window + until - at, first - low : end - low])

        return Interval(until - at, self._step, np.concatenate(distances, axis=1), closely)

    def _part(self, k: int, frames: NDArray[np.int64]) -> PointMetric:
        """Return some frames of the locomotion; its first and last frames are held beyond its ends."""
        places, weights = self._ours[k]
        return PointMetric.of_cloud(places[np.clip(frames, 0, len(places) - 1)], weights)


def _every(cloud: tuple[Array, Array], step: int) -> PointMetric:
    return PointMetric.of_cloud(cloud[0][::step], cloud[1])
