"""Which frame of a clip is played when, so that events come at other frames and are held there.

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

SLOWEST, FASTEST = 0.5, 2.0  # how fast it may play, but for holds and the eases beside them
EASE = 0.1  # seconds from a speed to a hold, back to one, and from slow to fast at an event that is anticipated
BUILD_UP = 0.5  # seconds before and after an event that are given to its anticipation
AUTO = 4.0  # times what its move, its hold and one ease take: the reach of an event for which none is given
NEAR = 1e-9
_LAPS = (-2, -1, 0, 1, 2)  # of a cycle: slopes at the knots around its own frames depend on no others


@dataclass(frozen=True)
class Event:
    """What happens at a frame of a clip is to come at another; all in frames.

    reach : before it and after its hold, where time gives way; None for as much as it needs
    hold : for how long it stays from there on, rounded to whole frames
    anticipation : 0 to 1, how much time slows down before it and hurries after, so that it comes later still
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
        """Frames of which AUTO times as many make room for its move, a hold of some frames and one ease."""
        return abs(self.move) + hold + (EASE * rate if self.held else 0.0)

    def later(self, frames: float) -> "Event":
        return replace(self, first=self.first + frames, to=self.to + frames)


@dataclass(frozen=True)
class Coming:
    """An event and when it comes, from `begin` to `end`; within the frames of its `window` time gives way."""

    event: Event
    begin: float
    window: tuple[float, float]

    @property
    def end(self) -> float:
        return self.begin + self.event.held


@dataclass(frozen=True, eq=False)
class Stretch:
    """Where time goes otherwise: knots at times (K,) of the result, their frames and slopes (K, 1) of the clip.

    eased (K − 1,) : which pieces between knots are holds and the eases beside them
    """

    times: Array
    frames: Array
    slopes: Array
    eased: NDArray[np.bool_]

    def at(self, times: Array) -> Array:
        """Return the frames (F,) that are played at times (F,) within it, of a hold the same to the bit."""
        found = hermite.evaluate(self.times, self.frames, self.slopes, times)[:, 0]
        for k in np.flatnonzero(np.diff(self.frames[:, 0]) == 0.0):
            found[(times >= self.times[k]) & (times <= self.times[k + 1])] = self.frames[k, 0]
        return found

    def speeds(self, begin: float, end: float) -> list[float]:
        """Return the least and the greatest speeds of the pieces within two times, without holds and their eases."""
        own = (self.times[:-1] < end) & (self.times[1:] > begin) & ~self.eased
        return [float(v) for every in hermite.steepest(self.times, self.frames, self.slopes) for v in every[own]]


@dataclass(frozen=True, eq=False)
class TimeCurve:
    """Which frame of a clip is played when; outside its stretches, that are apart, every frame is itself.

    events : when they come, in their order; last : the clip's last frame
    """

    stretches: tuple[Stretch, ...]
    events: tuple[Coming, ...]
    last: float

    def at(self, times: Array) -> Array:
        """Return the frames (F,) that are played at times (F,)."""
        found = np.array(times, dtype=np.float64)
        for one in self.stretches:
            inside = (times >= one.times[0]) & (times <= one.times[-1])
            found[inside] = one.at(times[inside])
        return found

    @property
    def speeds(self) -> tuple[float, float]:
        """How fast it plays at least and at most within the clip, but for holds and the eases beside them."""
        found = [1.0, *(speed for one in self.stretches for speed in one.speeds(0.0, self.last))]
        return min(found), max(found)

    def speeds_near(self, one: Coming) -> tuple[float, float]:
        """How fast it plays at least and at most in an event's window, up to the next events; holds and eases apart."""
        begin = max([one.window[0], *(other.end for other in self.events if other.begin < one.begin)])
        end = min([one.window[1], *(other.begin for other in self.events if other.begin > one.begin)])
        found = [speed for stretch in self.stretches for speed in stretch.speeds(begin, end)] or [1.0]
        return min(found), max(found)


def through(clip: Clip, ordered: Sequence[Event]) -> TimeCurve:
    """The curve through events in their order, whatever its speeds."""
    last = float(len(clip) - 1)
    round_it = clip.cyclic and last > 0.0
    every = [one.later(lap * last) for lap in _LAPS for one in ordered] if round_it else list(ordered)
    windows = sorted(((_window(one, clip.rate), one) for one in every), key=lambda pair: pair[0][0])
    groups: list[tuple[float, float, list[Event]]] = []
    for (begin, end), one in windows:
        if groups and begin < groups[-1][1]:
            known = groups.pop()
            groups.append((known[0], max(known[1], end), [*known[2], one]))
        else:
            groups.append((begin, end, [one]))
    ends = (-np.inf, np.inf) if round_it else (0.0, last)
    coming = [_comings(*group, ends, clip.rate) for group in groups]
    stretches = tuple(
        _stretch(begin, end, come, ends, clip.rate)
        for (begin, end, events), come in zip(groups, coming, strict=True)
        if any(one.active for one in events)
    )
    return TimeCurve(stretches, tuple(one for come in coming for one in come if one.event in ordered), last)


def _window(one: Event, rate: float) -> tuple[float, float]:
    """From where to where time gives way to an event; around what stays nothing does, where nothing else is moved."""
    if not one.active:
        return one.to, one.to
    build_up = BUILD_UP * rate if one.anticipation else 0.0
    before, after = (
        max(build_up + AUTO * one.taken(rate, hold) if one.reach is None else one.reach, 1.0) for hold in (0, one.held)
    )
    return min(one.first, one.to) - before, max(one.first, one.to + one.held) + after


def _comings(begin: float, end: float, events: Sequence[Event], ends: tuple[float, float], rate: float) -> list[Coming]:
    """When events come whose windows are one.

    With R frames on both sides, speeds that fall evenly from 1 to 1 / (1 + s), and from 1 + s to 1, take as long as
    before if the event is R s / (2 + s) later; what its move and its hold need is not part of R.
    """
    ordered = sorted(events, key=lambda one: one.to)
    before = [max(begin, ends[0]), *(one.to + one.held for one in ordered)]
    after = [*(one.to for one in ordered[1:]), min(end, ends[1])]
    found = []
    for one, sooner, later in zip(ordered, before, after, strict=False):
        free = min(
            one.to - sooner - AUTO * one.taken(rate), later - one.to - one.held - AUTO * one.taken(rate, one.held)
        )
        delay = np.floor(max(free, 0.0) * one.anticipation / (2.0 + one.anticipation) + NEAR)
        found.append(Coming(one, one.to + float(delay), _window(one, rate)))
    return found


@dataclass(frozen=True)
class _Knot:
    """A time of the result, a frame and a slope of the clip, None where it is free; `eased` up to the next knot."""

    time: float
    frame: float
    slope: float | None = None
    eased: bool = False


def _stretch(begin: float, end: float, events: Sequence[Coming], ends: tuple[float, float], rate: float) -> Stretch:
    """Events that are nearer than their reaches, from where time goes at its own speed to where it does again.

    At an end of the clip there is no frame before or after, so that no speed is given there.
    """
    first, last = max(begin, ends[0]), min(end, ends[1])
    edges = [Coming(Event(time, time), time, (time, time)) for time in (first, last)]
    every = [edges[0], *events, edges[1]]
    knots = [
        knot
        for before, one, after in zip(every, events, every[2:], strict=False)
        for knot in _knots(before, one, after, rate)
    ]
    if knots[0].time > first:
        knots.insert(0, _Knot(first, first))
    if knots[-1].time < last:
        knots.append(_Knot(last, last))
    times = np.array([knot.time for knot in knots])
    frames = np.array([knot.frame for knot in knots])[:, None]
    slopes = np.array([np.nan if knot.slope is None else knot.slope for knot in knots])[:, None]
    given = (1.0 if begin >= ends[0] else None), (1.0 if end <= ends[1] else None)
    for i, j in pairwise(sorted({0, len(knots) - 1, *np.flatnonzero(~np.isnan(slopes)).tolist()})):
        sides = [edge if knots[k].slope is None else knots[k].slope for k, edge in ((i, given[0]), (j, given[1]))]
        free = hermite.monotone_slopes(times[i : j + 1], frames[i : j + 1], (sides[0], sides[1]))
        slopes[i : j + 1] = np.where(np.isnan(slopes[i : j + 1]), free, slopes[i : j + 1])
    return Stretch(times, frames, slopes, np.array([knot.eased for knot in knots[:-1]]))


def _knots(before: Coming, one: Coming, after: Coming, rate: float) -> list[_Knot]:
    """The knots of an event between two others: of one that is held, or anticipated, with the slopes beside it.

    On each side time goes evenly, but for eases; anticipation leaves less of that right before it and more right after,
    as far as that may be.
    """
    frame, s = one.event.first, one.event.anticipation
    rooms = one.begin - before.end, after.begin - one.end
    if not one.event.held and (not s or min(rooms) <= 0.0):
        return [_Knot(one.begin, frame)]
    even = [
        _even(*pair, rate) if room > 0.0 else 1.0
        for pair, room in zip(((before, one), (one, after)), rooms, strict=True)
    ]
    slow = max(even[0] * 2.0 / (2.0 + s), min(even[0], SLOWEST))
    fast = min(even[1] * 2.0 * (1.0 + s) / (2.0 + s), max(even[1], FASTEST))
    if not one.event.held:
        half = 0.5 * min(_ease(room, rate) for room in rooms)
        return [
            _Knot(one.begin - half, frame - 0.25 * half * (3.0 * slow + fast), slow),
            _Knot(one.begin, frame, 0.5 * (slow + fast)),
            _Knot(one.begin + half, frame + 0.25 * half * (slow + 3.0 * fast), fast),
        ]
    sooner, later = (_ease(room, rate) for room in rooms)
    found = [_Knot(one.begin, frame, 0.0, eased=True), _Knot(one.end, frame, 0.0, eased=True)]
    if sooner:
        found.insert(0, _Knot(one.begin - sooner, frame - 0.5 * slow * sooner, slow, eased=True))
    return [*found, _Knot(one.end + later, frame + 0.5 * fast * later, fast)] if later else found


def _ease(room: float, rate: float) -> float:
    """How many frames it takes to come to a hold, in as many that are there for it."""
    return max(min(EASE * rate, room / AUTO), 0.0)


def _even(one: Coming, other: Coming, rate: float) -> float:
    """How fast time goes from one event to another, eases to and from holds apart."""
    room = other.begin - one.end
    lost = 0.5 * _ease(room, rate) * (bool(one.event.held) + bool(other.event.held))
    return (other.event.first - one.event.first) / (room - lost)
