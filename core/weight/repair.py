"""Repair flights that fall too fast or too slowly, by their height or their duration (methods: Weight)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..edit import time_warp
from ..edit.time_curve import Event, TimeCurve
from ..motion import kinematics
from ..motion.clip import Clip
from ..motion.quat import Array
from ..quality import contacts
from . import follow, lift
from .clearance import widen
from .flights import GRAVITY, OFF, PUSHED, Analysis, Flight, FlightReport, Found, analyse, find_flights, flag_air

HEIGHT, DURATION = "height", "duration"
HIGHEST = 0.20  # body heights; a repair that would move the body farther is not made, and another duration is suggested
MARGIN = 0.15  # s around the shifted frames in which legs change, too, so that they move smoothly
EVEN = (-0.5, -0.4, 0.4, 0.5)  # times from the middle of a flight, in its durations, at which its new timing is set
AROUND = 0.5  # s before and after a cycle; the repair of a flight there may reach into the cycle
SPEEDS = (0.5, 2.0)  # limits of the ratio by which a repair may change the duration of a flight


@dataclass(frozen=True)
class Repair:
    """The result of repairing a flight.

    fall : vertical acceleration after the repair, m/s², None if it is no flight any more
    raised : largest vertical shift of the centre of mass, metres; seconds : duration of the flight after the repair
    left : the reason why the flight was left alone, "" if it was repaired
    is_off : whether it still falls wrongly after a full repair
    """

    flight: Flight
    fall: float | None
    raised: float = 0.0
    seconds: float = 0.0
    left: str = ""
    is_off: bool = False


@dataclass(frozen=True)
class WeightReport:
    """The flights of a clip before and after, and the repair of each that was off or pushed.

    curve : the time curve of repairs by duration
    """

    before: FlightReport
    after: FlightReport
    repairs: tuple[Repair, ...]
    curve: TimeCurve | None = None

    @property
    def as_json(self) -> list[dict[str, Any]]:
        """The repairs as plain JSON values; frames are counted from 0."""
        return [
            {
                "first": round(one.flight.start * self.before.rate, 1),
                "last": round(one.flight.end * self.before.rate, 1),
                "fall": [round(one.flight.fall, 2), None if one.fall is None else round(one.fall, 2)],
                "raised_cm": round(100.0 * one.raised, 1),
                "seconds": round(one.seconds, 3),
                "left": one.left,
            }
            for one in self.repairs
        ]

    def describe(self) -> list[str]:
        """Return a sentence for each flight that is not repaired, with frames counted from 0."""
        if self.before.doubt:
            return [self.before.doubt]
        sentences = []
        for one in self.repairs:
            what = self.before.describe(one.flight)
            if one.left:
                sentences.append(f"{what} and is left alone: {one.left}")
            elif one.is_off and one.fall is not None:
                what = self.before.describe(replace(one.flight, fall=one.fall))
                sentences.append(f"{what} after its repair, too: look there")
        return sentences


def repair_flights(clip: Clip, strength: float = 1.0, by: str = HEIGHT) -> tuple[Clip, WeightReport]:
    """Return a clip whose flights fall at 9.81 m/s², and a report; the clip itself if no flight is off.

    strength : 0 for no repair, 1 for a full one; the fall changes linearly
    by : HEIGHT changes the height of the flight to fit its duration, with the same take-off and landing; DURATION
        changes its duration to fit its height, and warps the time around it

    Flights pushed by something outside the clip, and clips all of whose flights fall alike and too fast, are left
    alone (methods: Weight). Raises SkeletonError for a body without known legs, ClipError for one of an unknown
    unit.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.weight import repair
        >>> walk = actions.walk()
        >>> same, report = repair.repair_flights(walk)
        >>> same is walk, report.repairs
        (True, ())
    """
    with kinematics.keeping():
        found = analyse(clip)
        before = found.report
        if not before.off or before.scale != 1.0 or strength <= 0.0:
            return clip, WeightReport(before, before, _list_refused(before))
        curve = None
        if by == DURATION:
            curve, repairs = _time_curve(clip, before, strength)
            made = clip if curve is None else time_warp.warp_clip(clip, curve)
            after = before if curve is None else find_flights(made)
        else:
            made, after, repairs = _by_height(found, before, strength)
    each = [one if one.left else _measure_repair(one, after, strength) for one in repairs]
    return made, WeightReport(before, after, (*_list_refused(before), *each), curve)


def _list_refused(report: FlightReport) -> tuple[Repair, ...]:
    why = "something outside the clip holds or pushes the body"
    return tuple(Repair(one, one.fall, left=why) for one in report.flights if one.verdict == PUSHED)


def _too_far(other: str) -> str:
    return f"its repair would go too far: change its {other}"


def _measure_repair(one: Repair, after: FlightReport, strength: float) -> Repair:
    """Return a repair with the fall and the duration of the flight that overlaps it most after the repair."""

    def overlap(other: Flight) -> float:
        return min(one.flight.end, other.end) - max(one.flight.start, other.start)

    same = max(after.flights, key=overlap, default=None)
    if same is None or overlap(same) <= 0.0:
        return replace(one, fall=None)
    return replace(one, fall=same.fall, seconds=same.seconds, is_off=strength == 1.0 and same.verdict == OFF)


def _by_height(found: Analysis, before: FlightReport, strength: float) -> tuple[Clip, FlightReport, list[Repair]]:
    clip, whole, centre = found.clip, found.whole.clip, found.found.tracks.centre
    at = np.arange(len(whole)) / clip.rate
    stops = sorted({0.0, at[-1], *(second for one in found.found.flights for second in (one.start, one.end))})
    own, repairs = [], []
    first, last = (frame / clip.rate for frame in (found.whole.own.start, found.whole.own.stop))
    near = [one for one in found.found.flights if one.end > first - AROUND and one.start < last + AROUND]
    for flight in (one for one in near if one.verdict == OFF):
        around = at[(at > flight.start - lift.PREPARES) & (at < flight.end + lift.PREPARES)]
        path = lift.shift_centre(centre, [flight], stops, around)[:, 2]
        raised = float(path[np.abs(path).argmax()])
        too_far = abs(raised) > HIGHEST * clip.skeleton.height
        if not too_far:
            own.append(flight)
        if (listed := found.own(flight)) is not None:
            left = _too_far(DURATION) if too_far else ""
            repairs.append(Repair(listed, flight.fall, strength * raised, flight.seconds, left))
    if not own:
        return clip, before, repairs
    shift = strength * lift.shift_centre(centre, own, stops, at)
    shift[(at < first - AROUND) | (at > last + AROUND)] = 0.0  # shifts of other cycles
    made = shift_centre(whole, shift, found.found)
    return found.cut(made), found.of_result(made).report, repairs


def shift_centre(clip: Clip, shift: Array, found: Found) -> Clip:
    """Return a clip with its centre of mass shifted (F, 3); frames farther than `MARGIN` from a shift are not changed.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.weight import flights, repair
        >>> walk = actions.walk()
        >>> same = repair.shift_centre(walk, np.zeros((len(walk), 3)), flights.find_in(walk))
        >>> bool((same.rotations == walk.rotations).all())
        True
    """
    swings = follow.fade_swings(flag_air(found, clip), clip.rate)
    rotations, translations = clip.rotations.copy(), clip.translations.copy()
    for first, end in _stretches(np.any(shift != 0.0, axis=1), round(MARGIN * clip.rate)):
        part = slice(first, end)
        own = follow.Swings(
            *(
                {foot: all_[part] for foot, all_ in each.items()}
                for each in (swings.share, swings.hold, swings.clearance)
            )
        )
        moved = follow.shift_body(clip.cut(first, end), shift[part], own)
        rotations[part], translations[part] = moved.rotations, moved.translations
    return replace(clip, rotations=rotations, translations=translations)


def _stretches(flags: np.ndarray, margin: int) -> Sequence[tuple[int, int]]:
    """Return the runs of flags widened by a margin, as first frames and ends, joined where they touch."""
    return contacts.runs(widen(flags.astype(np.float64), margin) > 0.0)


def _time_curve(clip: Clip, before: FlightReport, strength: float) -> tuple[TimeCurve | None, list[Repair]]:
    """Return a time curve that changes the duration of flights, None if no flight allows it, and their repairs."""
    events, repairs = list[Event](), list[Repair]()
    for flight in before.off:
        ratio = float(np.sqrt(max(-flight.fall, 0.0) / GRAVITY))
        if not SPEEDS[0] <= ratio <= SPEEDS[1]:
            repairs.append(Repair(flight, flight.fall, 0.0, flight.seconds, _too_far(HEIGHT)))
            continue
        middle, longer = 0.5 * (flight.start + flight.end) * clip.rate, 1.0 + strength * (ratio - 1.0)
        for part in EVEN:
            away = part * flight.seconds * clip.rate
            events.append(Event(middle + away, middle + longer * away))
        repairs.append(Repair(flight, flight.fall, 0.0, ratio * flight.seconds))
    return (time_warp.curve(clip, events) if events else None), repairs
