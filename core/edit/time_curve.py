"""Time-warp curves, which map result times to clip frames, so that events move to other frames or are held.

Method: Warping in space and time.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..motion.clip import Clip
from ..motion.quat import Array
from . import hermite

SLOWEST, FASTEST = 0.5, 2.0  # limits of the playback speed, except in holds and adjacent eases
EASE = 0.1  # s between a speed and a hold, and from slow to fast at an anticipated event
BUILD_UP = 0.5  # s added to the automatic reach before and after an event for its anticipation
AUTO = 4.0  # times the sum of move, hold and one ease: the automatic reach, with speeds well within the limits
NEAR = 1e-9  # frames, or times the speed; rounding
_CYCLES = (-2, -1, 0, 1, 2)  # of a cyclic clip; they determine the slopes at the knots around its own frames


@dataclass(frozen=True)
class Event:
    """An event of a clip at frame `first` and its target frame `to`; all in frames.

    reach : warped time before it and after its hold; None: automatic
    hold : its hold, rounded to whole frames
    anticipation : 0 to 1, strength of slowing down before it and speeding up after, which delays it further
    """

    first: float
    to: float
    reach: float | None = None
    hold: float = 0.0
    anticipation: float = 0.0

    @property
    def move(self) -> float:
        return self.to - self.first

    @property
    def held(self) -> int:
        return round(self.hold)

    @property
    def active(self) -> bool:
        return bool(self.move or self.held or self.anticipation)

    def taken(self, rate: float, hold: float = 0.0) -> float:
        """Return the sum of its move, a hold and one ease, in frames; `AUTO` times this is enough room for them."""
        return abs(self.move) + hold + (EASE * rate if self.held else 0.0)

    def later(self, frames: float) -> "Event":
        return replace(self, first=self.first + frames, to=self.to + frames)


@dataclass(frozen=True)
class Coming:
    """An event and its frames `begin` to `end` in the result; time is warped within its `window`."""

    event: Event
    begin: float
    window: tuple[float, float]

    @property
    def end(self) -> float:
        return self.begin + self.event.held


@dataclass(frozen=True, eq=False)
class Stretch:
    """A stretch of warped time: knots at times (K,) of the result, with frames and slopes (K, 1) of the clip.

    eased (K − 1,) : which intervals between knots are holds and adjacent eases
    """

    times: Array
    frames: Array
    slopes: Array
    eased: NDArray[np.bool_]

    def at(self, times: Array) -> Array:
        """Return the frames (F,) played at times (F,) within it; the frames of a hold are bit-identical."""
        frames = hermite.evaluate(self.times, self.frames, self.slopes, times)[:, 0]
        for k in np.flatnonzero(np.diff(self.frames[:, 0]) == 0.0):
            frames[(times >= self.times[k]) & (times <= self.times[k + 1])] = self.frames[k, 0]
        return frames

    def speeds(self, begin: float, end: float) -> list[float]:
        """Return the extreme speeds of the intervals between two times, without holds and their eases."""
        own = (self.times[:-1] < end) & (self.times[1:] > begin) & ~self.eased
        return [float(v) for every in hermite.steepest(self.times, self.frames, self.slopes) for v in every[own]]


@dataclass(frozen=True, eq=False)
class TimeCurve:
    """The map from result times to clip frames; it is the identity outside its stretches, which do not overlap.

    events : with their frames in the result, in order; last : the clip's last frame
    """

    stretches: tuple[Stretch, ...]
    events: tuple[Coming, ...]
    last: float

    def at(self, times: Array) -> Array:
        """Return the frames (F,) played at times (F,)."""
        frames = np.array(times, dtype=np.float64)
        for stretch in self.stretches:
            inside = (times >= stretch.times[0]) & (times <= stretch.times[-1])
            frames[inside] = stretch.at(times[inside])
        return frames

    @property
    def speeds(self) -> tuple[float, float]:
        """Least and greatest speed within the clip, except in holds and adjacent eases."""
        speeds = [1.0, *(speed for stretch in self.stretches for speed in stretch.speeds(0.0, self.last))]
        return min(speeds), max(speeds)

    def speeds_near(self, coming: Coming) -> tuple[float, float]:
        """Return least and greatest speed in an event's window, up to the adjacent events, as `speeds` does."""
        begin = max([coming.window[0], *(other.end for other in self.events if other.begin < coming.begin)])
        end = min([coming.window[1], *(other.begin for other in self.events if other.begin > coming.begin)])
        speeds = [speed for stretch in self.stretches for speed in stretch.speeds(begin, end)] or [1.0]
        return min(speeds), max(speeds)


def through(clip: Clip, ordered: Sequence[Event]) -> TimeCurve:
    """Return the curve through sorted events, without limits on its speeds."""
    last = float(len(clip) - 1)
    repeats = clip.cyclic and last > 0.0
    every = [event.later(cycle * last) for cycle in _CYCLES for event in ordered] if repeats else list(ordered)
    windows = sorted(((_window(event, clip.rate), event) for event in every), key=lambda pair: pair[0][0])
    groups: list[tuple[float, float, list[Event]]] = []  # events whose windows overlap share one
    for (begin, end), event in windows:
        if groups and begin < groups[-1][1]:
            overlapped = groups.pop()
            groups.append((overlapped[0], max(overlapped[1], end), [*overlapped[2], event]))
        else:
            groups.append((begin, end, [event]))
    ends = (-np.inf, np.inf) if repeats else (0.0, last)
    comings = [_comings(*group, ends, clip.rate) for group in groups]
    stretches = tuple(
        _stretch(begin, end, of_group, ends, clip.rate)
        for (begin, end, events), of_group in zip(groups, comings, strict=True)
        if any(event.active for event in events)
    )
    return TimeCurve(stretches, tuple(coming for group in comings for coming in group if coming.event in ordered), last)


def _window(event: Event, rate: float) -> tuple[float, float]:
    """Return the first and last frame of an event's warped time; an event that stays needs no warping by itself."""
    if not event.active:
        return event.to, event.to
    build_up = BUILD_UP * rate if event.anticipation else 0.0
    before, after = (
        max(build_up + AUTO * event.taken(rate, hold) if event.reach is None else event.reach, 1.0)
        for hold in (0, event.held)
    )
    return min(event.first, event.to) - before, max(event.first, event.to + event.held) + after


def _comings(begin: float, end: float, events: Sequence[Event], ends: tuple[float, float], rate: float) -> list[Coming]:
    """Return the result frames of events that share a window.

    Given R frames on both sides, speeds that fall linearly from 1 to 1 / (1 + s) before the event, and from 1 + s to 1
    after it, keep the total time if the event is delayed by R s / (2 + s). R excludes the frames needed by move and
    hold.
    """
    ordered = sorted(events, key=lambda event: event.to)
    before = [max(begin, ends[0]), *(event.to + event.held for event in ordered)]
    after = [*(event.to for event in ordered[1:]), min(end, ends[1])]
    comings = []
    for event, sooner, later in zip(ordered, before, after, strict=False):
        room = event.to - sooner, later - event.to - event.held
        free = min(room[0] - AUTO * event.taken(rate), room[1] - AUTO * event.taken(rate, event.held))
        delay = np.floor(max(free, 0.0) * event.anticipation / (2.0 + event.anticipation) + NEAR)
        comings.append(Coming(event, event.to + float(delay), _window(event, rate)))
    return comings


@dataclass(frozen=True)
class _Knot:
    """The frame of the clip at a time of the result, and the slope (None: free); `eased` up to the next knot."""

    time: float
    frame: float
    slope: float | None = None
    eased: bool = False


def _stretch(begin: float, end: float, events: Sequence[Coming], ends: tuple[float, float], rate: float) -> Stretch:
    """Return the stretch of events that share a window; at its edges time has the clip's own speed.

    At an end of the clip the speed is free.
    """
    first, last = max(begin, ends[0]), min(end, ends[1])
    edges = [Coming(Event(time, time), time, (time, time)) for time in (first, last)]
    every = [edges[0], *events, edges[1]]
    knots = [
        knot
        for before, coming, after in zip(every, events, every[2:], strict=False)
        for knot in _knots(before, coming, after, rate)
    ]
    if knots[0].time > first:
        knots.insert(0, _Knot(first, first))
    if knots[-1].time < last:
        knots.append(_Knot(last, last))
    times = np.array([knot.time for knot in knots])
    frames = np.array([knot.frame for knot in knots])[:, None]
    slopes = np.array([np.nan if knot.slope is None else knot.slope for knot in knots])[:, None]
    outer = (1.0 if begin >= ends[0] else None), (1.0 if end <= ends[1] else None)
    for i, j in pairwise(sorted({0, len(knots) - 1, *np.flatnonzero(~np.isnan(slopes)).tolist()})):
        sides = [edge if knots[k].slope is None else knots[k].slope for k, edge in ((i, outer[0]), (j, outer[1]))]
        free = hermite.monotone_slopes(times[i : j + 1], frames[i : j + 1], (sides[0], sides[1]))
        slopes[i : j + 1] = np.where(np.isnan(slopes[i : j + 1]), free, slopes[i : j + 1])
    return Stretch(times, frames, slopes, np.array([knot.eased for knot in knots[:-1]]))


def _knots(before: Coming, coming: Coming, after: Coming, rate: float) -> list[_Knot]:
    """Return the knots of an event between two others, with slopes if it is held or anticipated.

    On each side the speed is constant, except in eases; anticipation makes it slower just before the event and faster
    just after, within the limits.
    """
    frame, s = coming.event.first, coming.event.anticipation
    rooms = coming.begin - before.end, after.begin - coming.end
    if not coming.event.held and (not s or min(rooms) <= 0.0):
        return [_Knot(coming.begin, frame)]
    even = [
        _even(*pair, rate) if room > 0.0 else 1.0
        for pair, room in zip(((before, coming), (coming, after)), rooms, strict=True)
    ]
    slow = max(even[0] * 2.0 / (2.0 + s), min(even[0], SLOWEST))
    fast = min(even[1] * 2.0 * (1.0 + s) / (2.0 + s), max(even[1], FASTEST))
    if not coming.event.held:
        half = 0.5 * min(_ease(room, rate) for room in rooms)
        return [
            _Knot(coming.begin - half, frame - 0.25 * half * (3.0 * slow + fast), slow),
            _Knot(coming.begin, frame, 0.5 * (slow + fast)),
            _Knot(coming.begin + half, frame + 0.25 * half * (slow + 3.0 * fast), fast),
        ]
    sooner, later = (_ease(room, rate) for room in rooms)
    knots = [_Knot(coming.begin, frame, 0.0, eased=True), _Knot(coming.end, frame, 0.0, eased=True)]
    if sooner:
        knots.insert(0, _Knot(coming.begin - sooner, frame - 0.5 * slow * sooner, slow, eased=True))
    return [*knots, _Knot(coming.end + later, frame + 0.5 * fast * later, fast)] if later else knots


def _ease(room: float, rate: float) -> float:
    """Return the frames of an ease to or from a hold, at most a quarter of the room."""
    return max(min(EASE * rate, room / AUTO), 0.0)


def _even(one: Coming, other: Coming, rate: float) -> float:
    """Return the constant speed from one event to another, excluding the eases of their holds."""
    room = other.begin - one.end
    # The mean speed of an ease is half the constant speed.
    lost = 0.5 * _ease(room, rate) * (bool(one.event.held) + bool(other.event.held))
    return (other.event.first - one.event.first) / (room - lost)
