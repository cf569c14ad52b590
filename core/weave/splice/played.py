"""Play an action along a stretch of a locomotion, from any of its frames.

Method: Splicing upper body onto locomotion.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import no_frame
from ...motion import resample
from ...motion.clip import Clip
from ...motion.quat import Array
from . import torso


@dataclass(frozen=True)
class Run:
    """The start of playing an action: the number of a clip, and a frame of it."""

    clip: int
    frame: int


@dataclass(frozen=True, eq=False)
class Motion:
    """An action at F frames of a locomotion, and the heading of its hips (F,) without their swing, radians."""

    clip: Clip
    facing: Array

    def at(self, frames: Array) -> "Motion":
        """Return the motion at other frames (K,) of its own."""
        return Motion(resample.sample(self.clip, frames), np.interp(frames, np.arange(len(self.facing)), self.facing))


@dataclass(frozen=True, eq=False)
class Interval:
    """The distances (m) of an interval of a locomotion to the frames of the action.

    count : of its frames; distances (K, N) : between every `step`-th frame of the interval and of the clips in sequence
    closely(clip, first, end) : distances (count, end − first) of all its frames to the frames of a part of a clip
    """

    count: int
    step: int
    distances: Array
    closely: Callable[[int, int, int], Array]


class Played(ABC):
    """An action, of one or more clips, that can be entered at any frame and continues from there."""

    name: str
    clips: Sequence[Clip]

    @abstractmethod
    def best(self, interval: Interval) -> tuple[Run | None, float]:
        """Return the run with the least mean distance over an interval, and that distance; None if all end earlier."""

    @abstractmethod
    def going(self, run: Run, after: int, interval: Interval) -> float:
        """Return the distance of a run over an interval, from its frame `after`; infinite if it ends earlier."""

    @abstractmethod
    def without_point(self, count: int, nearest: Run | None) -> list[tuple[Run, int]]:
        """Return runs and their lengths to fill `count` frames without a run near enough."""

    @abstractmethod
    def keep(self, run: Run, first: int, count: int) -> None:
        """Record that `count` frames of a run, from its frame `first`, are played."""

    @abstractmethod
    def motion(self, run: Run, count: int) -> Motion:
        """Return the first frames of a run; its last frame is held if it ends earlier."""

    @abstractmethod
    def places(self, run: Run, count: int) -> NDArray[np.int64]:
        """Return the clip and frame (2, count) played; within a transition, of the clip that is left."""


class PlayedClip(Played):
    """One action, played unchanged from any of its frames, or from `start` if none is near enough."""

    def __init__(self, action: Clip, start: int = 0) -> None:
        if not 0 <= start < len(action) - 1:
            raise no_frame(action.name, start, 0, len(action) - 2)
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
        """Do nothing, because repetitions of the action are not avoided."""

    def motion(self, run: Run, count: int) -> Motion:
        frames = np.minimum(run.frame + np.arange(count, dtype=float), len(self.clips[0]) - 1.0)
        return Motion(self.clips[0], self._facing).at(frames)

    def places(self, run: Run, count: int) -> NDArray[np.int64]:
        frames = np.minimum(run.frame + np.arange(count), len(self.clips[0]) - 1)
        return np.stack([np.zeros_like(frames), frames])


def _diagonals(distances: Array) -> Array:
    """Return the mean (N − K + 1,) of each complete diagonal of distances (K, N)."""
    count, columns = distances.shape
    starts = columns - count + 1
    total = np.zeros(starts)
    for row in range(count):
        total += distances[row, row : row + starts]
    return total / count
