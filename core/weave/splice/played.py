"""The action that is played along a stretch of a locomotion, from one of its frames on.

Method: Splicing upper body onto locomotion.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import ClipError
from ...motion import resample
from ...motion.clip import Clip
from ...motion.quat import Array
from . import torso


@dataclass(frozen=True)
class Run:
    """An action as it plays from where it is entered: the number of a clip, and a frame of it."""

    clip: int
    frame: int


@dataclass(frozen=True, eq=False)
class Motion:
    """An action at F frames of a locomotion, and the facing of its hips (F,) without their swing, radians."""

    clip: Clip
    facing: Array

    def at(self, frames: Array) -> "Motion":
        """Return the motion at other frames (K,) of its own."""
        return Motion(resample.sample(self.clip, frames), np.interp(frames, np.arange(len(self.facing)), self.facing))


@dataclass(frozen=True, eq=False)
class Interval:
    """The distances (m) of an interval of a locomotion to the frames that could be played along it.

    count : of its frames; distances (K, N) : of every `step`-th of them to every `step`-th frame of the clips, one clip
        after the other
    closely(clip, first, end) : distances (count, end − first) of all its frames to those of a part of a clip
    """

    count: int
    step: int
    distances: Array
    closely: Callable[[int, int, int], Array]


class Played(ABC):
    """An action, of one clip or more, that can be entered at any frame and plays on from there."""

    name: str
    clips: Sequence[Clip]

    @abstractmethod
    def best(self, interval: Interval) -> tuple[Run | None, float]:
        """Return the run that is nearest over an interval on the mean, and its distance; None where all end before."""

    @abstractmethod
    def going(self, run: Run, after: int, interval: Interval) -> float:
        """Return the distance of a run over an interval, from its frame `after` on; infinite where it ends before."""

    @abstractmethod
    def without_point(self, count: int, nearest: Run | None) -> list[tuple[Run, int]]:
        """Return runs, and how many frames each is played, for `count` frames where no run is near enough."""

    @abstractmethod
    def keep(self, run: Run, first: int, count: int) -> None:
        """Note that `count` frames of a run, from its frame `first` on, are played."""

    @abstractmethod
    def motion(self, run: Run, count: int) -> Motion:
        """Return the first frames of a run; where it ends before, its last one is held."""

    @abstractmethod
    def places(self, run: Run, count: int) -> NDArray[np.int64]:
        """Return the clip and the frame of it (2, count) that are played; in transitions those that are left."""


class PlayedClip(Played):
    """One action, played as it is from any of its frames; from `start` where none is near enough."""

    def __init__(self, action: Clip, start: int = 0) -> None:
        if not 0 <= start < len(action) - 1:
            raise ClipError(f"{action.name} has no frame {start} to be played from")
        self.name, self.clips, self._start = action.name, (action,), start
        self._facing = torso.facing(action)

    def best(self, interval: Interval) -> tuple[Run | None, float]:
        last = len(self.clips[0]) - interval.count
        if last < 0:
            return None, np.inf
        rows, columns = interval.distances.shape
        rough = _diagonals(interval.distances) if columns >= rows else np.zeros(1)
        about = interval.step * int(np.argmin(rough))
        first = min(max(about - interval.step, 0), last)
        until = min(about + interval.step, last) + interval.count
        near = _diagonals(interval.closely(0, first, max(until, first + interval.count)))
        return Run(0, first + int(np.argmin(near))), float(near.min())

    def going(self, run: Run, after: int, interval: Interval) -> float:
        first = run.frame + after
        if first + interval.count > len(self.clips[0]):
            return np.inf
        return float(_diagonals(interval.closely(0, first, first + interval.count))[0])

    def without_point(self, count: int, nearest: Run | None) -> list[tuple[Run, int]]:  # noqa: ARG002  (see PlayedGraph)
        room = len(self.clips[0]) - self._start
        return [(Run(0, self._start), min(room, count - gone)) for gone in range(0, count, room)]

    def keep(self, run: Run, first: int, count: int) -> None:
        """Do nothing: the action is played as it is, however often."""

    def motion(self, run: Run, count: int) -> Motion:
        frames = np.minimum(run.frame + np.arange(count, dtype=float), len(self.clips[0]) - 1.0)
        return Motion(self.clips[0], self._facing).at(frames)

    def places(self, run: Run, count: int) -> NDArray[np.int64]:
        frames = np.minimum(run.frame + np.arange(count), len(self.clips[0]) - 1)
        return np.stack([np.zeros_like(frames), frames])


def _diagonals(distances: Array) -> Array:
    """Return the mean (N − K + 1,) of each diagonal of distances (K, N) that has all K rows."""
    count, columns = distances.shape
    starts = columns - count + 1
    total = np.zeros(starts)
    for row in range(count):
        total += distances[row, row : row + starts]
    return total / count
