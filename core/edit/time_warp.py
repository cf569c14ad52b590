"""Events of a clip that come sooner or later, with the time around them stretched and pressed (methods 19)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..errors import OptionError
from ..motion import cycles, quat, resample
from ..motion.clip import Channel, Clip
from ..motion.quat import Array
from . import hermite

SLOWEST, FASTEST = 0.5, 2.0  # how fast a stretch may play
AUTO = 4.0  # times its move: the reach of an event for which none is given
NEAR = 1e-9
_LAPS = (-2, -1, 0, 1, 2)  # of a cycle: slopes at the knots around its own frames depend on no others


@dataclass(frozen=True)
class Event:
    """What happens at a frame of a clip is to come at another; reach : frames before and after both that give way."""

    first: float
    to: float
    reach: float

    @property
    def move(self) -> float:
        return self.to - self.first

    def later(self, frames: float) -> "Event":
        return Event(self.first + frames, self.to + frames, self.reach)


@dataclass(frozen=True, eq=False)
class Stretch:
    """Where time goes otherwise: knots at times (K,) of the result, their frames and slopes (K, 1) of the clip."""

    times: Array
    frames: Array
    slopes: Array


@dataclass(frozen=True, eq=False)
class TimeCurve:
    """Which frame of a clip is played when; outside its stretches, that are apart, every frame is itself.

    last : the clip's last frame
    """

    stretches: tuple[Stretch, ...]
    last: float

    def at(self, times: Array) -> Array:
        """Return the frames (F,) that are played at times (F,)."""
        found = np.array(times, dtype=np.float64)
        for one in self.stretches:
            inside = (times >= one.times[0]) & (times <= one.times[-1])
            found[inside] = hermite.evaluate(one.times, one.frames, one.slopes, times[inside])[:, 0]
        return found

    @property
    def speeds(self) -> tuple[float, float]:
        """How fast it plays at least and at most within the clip."""
        least, most = [1.0], [1.0]
        for one in self.stretches:
            own = (one.times[:-1] < self.last) & (one.times[1:] > 0.0)
            for found, values in zip((least, most), hermite.steepest(one.times, one.frames, one.slopes), strict=True):
                found += values[own].tolist()
        return min(least), max(most)


def curve(clip: Clip, events: Sequence[Event]) -> TimeCurve:
    """Return the curve through some events of a clip, whose length stays; of a cycle it reaches over its ends.

    Raises OptionError for frames that are none of the clip or come in another order, and for moves that need less than
    half or more than twice the speed, with how far they could go.
    """
    ordered = _checked(clip, events)
    made = _through(clip, ordered)
    if not _plays(made):
        least, most = made.speeds
        raise OptionError(
            f"{clip.name} would play at {least:.2f} to {most:.2f} times its speed, beyond {SLOWEST:g} to {FASTEST:g}:"
            f" {_could(clip, ordered)}; a longer reach allows more"
        )
    return made


def warped(clip: Clip, made: TimeCurve) -> Clip:
    """Return a clip played by a curve; frames that are played when they were are the same to the bit."""
    own = np.arange(len(clip), dtype=np.float64)
    frames = made.at(own)
    moved = np.flatnonzero(frames != own)
    if not len(moved):
        return clip
    sample = cycles.sample if clip.cyclic and len(clip) > 1 else resample.sample
    played = sample(clip, frames[moved])
    rotations, translations = clip.rotations.copy(), clip.translations.copy()
    # On the side of the frames that are nearest, whatever signs these have.
    nearest = np.clip(np.round(frames[moved]), 0, len(clip) - 1).astype(np.int64)
    rotations[moved] = quat.same_side(played.rotations, clip.rotations[nearest])
    translations[moved] = played.translations
    scales = None
    if clip.scales is not None and played.scales is not None:
        scales = _with(clip.scales, moved, played.scales)
    channels = {
        name: Channel(_with(one.values, moved, played.channels[name].values), one.discrete)
        for name, one in clip.channels.items()
    }
    return replace(clip, rotations=rotations, translations=translations, scales=scales, channels=channels)


def _with(values: Array, places: NDArray[np.int64], new: Array) -> Array:
    out = values.copy()
    out[places] = new
    return out


def _checked(clip: Clip, events: Sequence[Event]) -> list[Event]:
    """Events in their order; those of a cycle go the shorter way round it."""
    last = float(len(clip) - 1)
    for one in events:
        if not (0.0 <= one.first <= last and 0.0 <= one.to <= last):
            raise OptionError(f"{clip.name}: {one.first:g} to {one.to:g} is not within its frames 0 to {last:g}")
        if one.move and not clip.cyclic and {one.first, one.to} & {0.0, last}:
            raise OptionError(
                f"{clip.name}: its first and last frame stay where they are, so {one.first:g} can't come at {one.to:g}:"
                " trim it, or hold a pose there"
            )
    ordered = list(events)
    if clip.cyclic and last > 0.0:
        ordered = [replace(one, to=one.to - last * round(one.move / last)) for one in events]
    ordered.sort(key=lambda one: one.first)
    again = [ordered[0].later(last)] if clip.cyclic else []
    for one, other in pairwise([*ordered, *again]):
        if other.first <= one.first or other.to <= one.to:
            raise OptionError(
                f"{clip.name}: the events at {one.first:g} and {other.first % last if again else other.first:g} would"
                " change places or come at once: move them less"
            )
    return ordered


def _through(clip: Clip, ordered: Sequence[Event]) -> TimeCurve:
    """The curve through events in their order, whatever its speeds."""
    last = float(len(clip) - 1)
    round_it = clip.cyclic and last > 0.0
    every = [one.later(lap * last) for lap in _LAPS for one in ordered] if round_it else list(ordered)
    groups: list[tuple[float, float, list[Event]]] = []
    for one in sorted(every, key=lambda one: min(one.first, one.to) - one.reach):
        begin, end = min(one.first, one.to) - one.reach, max(one.first, one.to) + one.reach
        if groups and begin < groups[-1][1]:
            known = groups.pop()
            groups.append((known[0], max(known[1], end), [*known[2], one]))
        else:
            groups.append((begin, end, [one]))
    ends = (-np.inf, np.inf) if round_it else (0.0, last)
    return TimeCurve(tuple(_stretch(*group, ends) for group in groups if any(one.move for one in group[2])), last)


def _stretch(begin: float, end: float, events: Sequence[Event], ends: tuple[float, float]) -> Stretch:
    """Events that are nearer than their reaches, from where time goes at its own speed to where it does again.

    At an end of the clip there is no frame before or after, so that no speed is given there.
    """
    first, last = max(begin, ends[0]), min(end, ends[1])
    knots = {first: first} | {one.to: one.first for one in events} | {last: last}
    times = np.array(sorted(knots))
    frames = np.array([knots[time] for time in sorted(knots)])[:, None]
    given = (1.0 if begin >= ends[0] else None), (1.0 if end <= ends[1] else None)
    return Stretch(times, frames, hermite.monotone_slopes(times, frames, given))


def _plays(made: TimeCurve) -> bool:
    least, most = made.speeds
    return least >= SLOWEST - NEAR and most <= FASTEST + NEAR


def _could(clip: Clip, ordered: Sequence[Event]) -> str:
    """Say how far events could be moved with these reaches."""
    low, high = 0.0, 1.0
    for _ in range(40):
        share = 0.5 * (low + high)
        less = [replace(one, to=one.first + share * one.move) for one in ordered]
        low, high = (share, high) if _plays(_through(clip, less)) else (low, share)
    moved = [one for one in ordered if one.move]
    if len(moved) > 1:
        return f"move events by at most {np.floor(100.0 * low):.0f} % of that"
    (one,) = moved
    # Rounded towards where it was, so that what is said can be done.
    goal = one.first + np.trunc(10.0 * low * one.move) / 10.0
    return f"{one.first:g} can come at {goal:.1f} at most"
