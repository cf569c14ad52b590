"""Events of a clip that come sooner or later, with the time around them stretched and pressed (methods 19)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from ..errors import OptionError
from ..motion import cycles, resample
from ..motion.clip import Clip
from ..motion.quat import Array
from . import hermite

SLOWEST, FASTEST = 0.5, 2.0  # how fast a stretch may play
AUTO = 4.0  # times its move: the reach of an event for which none is given
NEAR = 1e-9


@dataclass(frozen=True)
class Event:
    """What happens at a frame of a clip is to come at another; reach : frames on both sides that give way."""

    first: float
    to: float
    reach: float

    @property
    def move(self) -> float:
        return self.to - self.first


@dataclass(frozen=True, eq=False)
class TimeCurve:
    """Which frame of a clip is played when: knots at times (K,) of the result, their frames (K, 1) and slopes (K, 1).

    Before the first knot and after the last, every frame is itself.
    """

    times: Array
    frames: Array
    slopes: Array

    def at(self, times: Array) -> Array:
        """Return the frames (F,) that are played at times (F,)."""
        found = hermite.evaluate(self.times, self.frames, self.slopes, times)[:, 0]
        return np.where((times <= self.times[0]) | (times >= self.times[-1]), times, found)

    @property
    def speeds(self) -> tuple[float, float]:
        """How fast it plays at least and at most."""
        least, most = hermite.steepest(self.times, self.frames, self.slopes)
        return float(least.min()), float(most.max())


def curve(clip: Clip, events: Sequence[Event]) -> TimeCurve:
    """Return the curve through some events of a clip; the clip's ends stay where they are, those of a cycle may not.

    Raises OptionError for frames that are none of the clip or come in another order, and for moves that need more than
    half or twice the speed, with how far they could go.
    """
    ordered = sorted(events, key=lambda one: one.to)
    _check(clip, ordered)
    made = _through(clip, ordered)
    least, most = made.speeds
    if least < SLOWEST - NEAR or most > FASTEST + NEAR:
        raise OptionError(
            f"{clip.name} would play at {least:.2f} to {most:.2f} times its speed, beyond {SLOWEST:g} to {FASTEST:g}:"
            f" move events by at most {_possible(clip, ordered):.0%} of that, or give them a longer reach"
        )
    return made


def warped(clip: Clip, made: TimeCurve) -> Clip:
    """Return a clip played by a curve; frames that are whole are those of the clip to the bit."""
    frames = made.at(np.arange(len(clip), dtype=np.float64))
    if clip.cyclic and len(clip) > 1:
        played = replace(cycles.sample(clip, frames), cyclic=True)
    else:
        played = resample.sample(clip, frames)
    whole = np.flatnonzero((frames == np.round(frames)) & (frames >= 0.0) & (frames < len(clip)))
    taken = frames[whole].astype(np.int64)
    rotations, translations = played.rotations.copy(), played.translations.copy()
    rotations[whole], translations[whole] = clip.rotations[taken], clip.translations[taken]
    return replace(played, name=clip.name, rotations=rotations, translations=translations)


def _check(clip: Clip, ordered: Sequence[Event]) -> None:
    last = len(clip) - 1
    for one in ordered:
        if not (0.0 <= one.first <= last and 0.0 <= one.to <= last):
            raise OptionError(f"{clip.name}: {one.first:g} to {one.to:g} is not within its frames 0 to {last}")
        at_end = {one.first, one.to} & {0.0, float(last)}
        if at_end and one.move and not clip.cyclic:
            raise OptionError(
                f"{clip.name}: its first and last frame stay where they are; {one.first:g} or {one.to:g} is one"
            )
    for one, other in pairwise(ordered):
        if other.first <= one.first or other.to <= one.to:
            raise OptionError(
                f"{clip.name}: the events at {one.first:g} and {other.first:g} would change places or come at once:"
                " move them less"
            )


def _through(clip: Clip, ordered: Sequence[Event]) -> TimeCurve:
    """The curve through events in their order, whatever its speeds."""
    last = float(len(clip) - 1)
    if clip.cyclic and last > 0.0:
        ordered = [
            Event(e.first + lap * last, e.to + lap * last, e.reach) for lap in (-2, -1, 0, 1, 2) for e in ordered
        ]
    times: list[float] = []
    frames: list[float] = []
    rests: list[bool] = []

    def add(time: float, frame: float, rest: bool) -> None:
        times.append(time)
        frames.append(frame)
        rests.append(rest)

    begin, end = ordered[0].to - ordered[0].reach, ordered[-1].to + ordered[-1].reach
    if not clip.cyclic:
        begin, end = max(begin, 0.0), min(end, last)
    if begin < min(ordered[0].to, ordered[0].first):
        add(begin, begin, True)
    for k, one in enumerate(ordered):
        add(one.to, one.first, False)
        if k + 1 < len(ordered):
            let_go, taken_up = one.to + one.reach, ordered[k + 1].to - ordered[k + 1].reach
            if let_go <= taken_up:
                add(let_go, let_go, True)
                if let_go < taken_up:
                    add(taken_up, taken_up, True)
    if end > max(ordered[-1].to, ordered[-1].first):
        add(end, end, True)
    knots, values = np.array(times), np.array(frames)[:, None]
    slopes = hermite.monotone_slopes(knots, values, (1.0, 1.0))
    at_rest = np.array(rests)
    lines = np.diff(values, axis=0)[:, 0] / np.diff(knots)
    room = np.minimum(np.append(np.inf, lines), np.append(lines, np.inf))
    # Where nothing is moved time goes at its own speed, as far as the curve can without turning back.
    slopes[at_rest, 0] = np.minimum(1.0, 3.0 * np.maximum(room[at_rest], 0.0))
    return TimeCurve(knots, values, slopes)


def _possible(clip: Clip, ordered: Sequence[Event]) -> float:
    """What share of their moves events could go with these reaches."""
    low, high = 0.0, 1.0
    for _ in range(30):
        share = 0.5 * (low + high)
        least, most = _through(
            clip, [Event(one.first, one.first + share * one.move, one.reach) for one in ordered]
        ).speeds
        low, high = (share, high) if least >= SLOWEST and most <= FASTEST else (low, share)
    return low
