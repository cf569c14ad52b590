"""Flights of a clip: the acceleration with which they fall, and which of them fall wrongly.

Method: Weight.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..edit import cyclic_padding
from ..motion import cycles, kinematics, root_motion
from ..motion.clip import Clip
from ..motion.quat import Array
from ..quality import contacts, foot_travel
from ..quality.contacts import Flags
from .centre import BodyTracks, check_body, track_body
from .clearance import FootAir, measure_clearance

GRAVITY = 9.81  # m/s²
RATE = 120.0  # samples a second at which flights are measured
SHORTEST, LONGEST = 0.045, 1.3  # s; limits of the duration of a flight
# A contact in a flight is ignored if it is shorter than this, and no foot comes nearer to the ground than this.
GAP, GAP_CLEARANCE = 0.025, 0.008  # s; body heights
# Each of these limits, in body heights, is exceeded in a flight:
FLAT = 0.012  # by the largest clearance of the lowest foot
HAND = 0.10  # by the least height of the hands above the floor
HIPS = 0.22  # by the least height of the hips above the floor
HIPS_SPEED = 0.12  # by the mean speed of the hips, body heights a second
# Pairs of s and m/s²: a flight of at least this duration is off if its fall differs from 9.81 m/s² by more than this.
TOLERANCES = ((0.20, 2.0), (0.12, 3.5), (0.08, 4.5))
# A foot bears the body if its clearance stays below this, and its median speed is below this.
TIPTOE, TIPTOE_SPEED = 0.055, 0.45  # body heights; body heights a second
FRAMES = 4.0  # frames of the clip; the fall of a shorter flight is not judged
# A body is pushed if the acceleration over this window exceeds PUSH_UP somewhere and is below PUSH_DOWN elsewhere.
PUSH_WINDOW = 0.035  # s on each side
PUSH_UP, PUSH_DOWN = 4.0, -7.0  # m/s²
# If the path of a flight of at least BENT_SECONDS deviates from a parabola by more than BENT, only the part in its
# middle is judged, of this share of its duration.
BENT, BENT_SECONDS = 0.020, 0.2  # body heights, root mean square; s
MIDDLE = 0.6
RISING = 2.0  # m/s²; a body with a larger upward acceleration is pushed
# A body hangs by its hands if they are this far above its centre of mass, for longer than this, and its vertical
# acceleration is above this.
OVERHEAD, HANGING, HANGS = 0.24, 0.3, -3.0  # body heights; s; m/s²
ALIKE = 0.2  # relative spread within which all flights fall alike
ALIKE_LEAST = 3  # least number of flights for that
FAST = 13.0  # m/s²; flights that all fall faster than this show a wrong rate or unit
CUT = 0.2  # s; if a flight is cut off by an end of the clip, its fall is only judged from this duration on
PADDING = 0.8  # s of cyclic padding before and after a cycle

FINE, OFF, PUSHED, SHORT = "fine", "off", "pushed", "short"


@dataclass(frozen=True)
class Flight:
    """A flight from one second to another.

    fall : vertical acceleration of the centre of mass in m/s², −9.81 in a real flight; if its path is no parabola, that
        of its middle
    verdict : FINE; OFF; PUSHED by something outside the clip, never repaired; or SHORT, not judged
    whole : whether take-off and landing are in the clip
    """

    start: float
    end: float
    fall: float
    verdict: str
    whole: bool = True

    @property
    def seconds(self) -> float:
        return self.end - self.start


@dataclass(frozen=True)
class FlightReport:
    """The flights of a clip.

    scale : ratio of their fall to 9.81 m/s² if all flights fall alike and too fast, else 1
    """

    name: str
    rate: float
    flights: tuple[Flight, ...]
    scale: float = 1.0

    @property
    def off(self) -> tuple[Flight, ...]:
        return tuple(one for one in self.flights if one.verdict == OFF)

    @property
    def doubt(self) -> str:
        """A sentence if all flights fall alike and too fast; "" otherwise."""
        if self.scale == 1.0:
            return ""
        return (
            f"{self.name}: all its flights fall {self.scale:.2g} times as fast as real ones: its rate or its unit may"
            " be wrong"
        )

    def describe(self, flight: Flight, begins: float | None = None) -> str:
        """Return a sentence on the fall of a flight, with frames counted from 0, or from the frame of `begins`."""
        first, last = (round(second * self.rate + (begins or 0.0)) for second in (flight.start, flight.end))
        where = f"frames {first} to {last} of the result" if begins is None else f"frames {first} to {last}"
        return f"{self.name}: the flight in {where} falls at {flight.fall:.1f} m/s²"

    def as_json(self, first: int = 0) -> list[dict[str, Any]]:
        """Return the flights as plain JSON values; first : number of the clip's first frame."""
        return [
            {
                "first": round(one.start * self.rate + first, 1),
                "last": round(one.end * self.rate + first, 1),
                "fall": round(one.fall, 2),
                "verdict": one.verdict,
            }
            for one in self.flights
        ]


def find_flights(clip: Clip) -> FlightReport:
    """Return the flights of a clip: all feet off the ground while the body moves (methods: Weight).

    Cycles are judged across their ends, and clips in place as if their body travelled. Raises SkeletonError for a body
    without known feet, ClipError for one of an unknown unit.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.weight import flights
        >>> flights.find_flights(actions.walk()).flights
        ()
    """
    with kinematics.keeping():
        return analyse(clip).report


@dataclass(frozen=True, eq=False)
class Analysis:
    """A clip's flights, and the data in which they were found.

    whole : the clip with cyclic padding if it closes, travelling if it is in place
    path : the travel (F, 2) in metres that was added to a clip in place, else None
    found : the flights of `whole`, with the measurements that show them; report : the flights of the clip itself
    """

    clip: Clip
    whole: cyclic_padding.PaddedClip
    path: Array | None
    found: "Found"

    @property
    def report(self) -> FlightReport:
        flights = tuple(own for one in self.found.flights if (own := self.own(one)) is not None)
        return FlightReport(self.clip.name, self.clip.rate, flights, _scale_of(flights))

    def own(self, flight: Flight) -> Flight | None:
        """Return a flight of the padded clip in seconds of the clip itself, None if it belongs to another cycle."""
        if not self.whole.period:
            return flight
        rate = self.clip.rate
        start, near = flight.start - self.whole.own.start / rate, 0.5 / RATE
        if not -near <= start < self.whole.period / rate - near:
            return None
        return replace(flight, start=start, end=start + flight.seconds)

    def cut(self, made: Clip) -> Clip:
        """Return the frames of the clip itself from a changed padded clip; a clip in place stays in place."""
        frames = self.whole.own
        result = replace(self.clip, rotations=made.rotations[frames], translations=made.translations[frames])
        return result if self.path is None else root_motion.place_clip(result, 0.0, -self.path)

    def of_result(self, made: Clip) -> "Analysis":
        """Return the analysis of a changed padded clip."""
        return replace(self, whole=replace(self.whole, clip=made), found=find_in(made))


def analyse(clip: Clip) -> Analysis:
    """Return the flights of a clip with the measurements that show them; raises as `find_flights` does.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.weight import flights
        >>> found = flights.analyse(actions.walk(cycles=1))
        >>> found.whole.period, found.whole.own, found.path
        (32, slice(32, 65, None), None)
    """
    check_body(clip)
    closed = len(clip) > 2 and cycles.closes(clip)
    in_place = foot_travel.on_the_spot(clip)
    path = None if in_place is None else in_place.path
    moved = clip if path is None else root_motion.place_clip(clip, 0.0, path)
    whole = cyclic_padding.around(moved, PADDING * clip.rate, repeats=closed)
    return Analysis(clip, whole, path, find_in(whole.clip))


@dataclass(frozen=True, eq=False)
class Found:
    """Flights, with the paths of the body and the clearance of its feet at `RATE`."""

    flights: tuple[Flight, ...]
    tracks: BodyTracks
    air: dict[str, FootAir]


def find_in(clip: Clip) -> Found:
    """Return the flights of a travelling clip, without cyclic padding, and the measurements that show them.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.weight import flights
        >>> found = flights.find_in(actions.walk())
        >>> len(found.flights), sorted(found.air)
        (0, ['L', 'R'])
    """
    tracks = track_body(clip, RATE)
    at = np.minimum(np.round(np.arange(len(tracks)) * clip.rate / RATE).astype(np.int64), len(clip) - 1)
    stands = {foot: flags[at] for foot, flags in contacts.detect(clip).items()}
    air = measure_clearance(tracks, stands)
    off = np.all([one.off for one in air.values()], axis=0)
    least = np.min([one.clearance for one in air.values()], axis=0)
    for first, end in contacts.runs(~off):
        inner = first > 0 and end < len(off)
        if inner and end - first < GAP * RATE and least[first:end].min() > GAP_CLEARANCE * tracks.height:
            off[first:end] = True
    spans = [span for span in contacts.runs(off) if _flies(tracks, air, least, slice(*span))]
    found = [_judge_flight(tracks, first, end, clip.rate) for first, end in spans]
    return Found(tuple(_compare_falls(found)), tracks, air)


def _flies(tracks: BodyTracks, air: dict[str, FootAir], least: Array, part: slice) -> bool:
    """Return whether a body flies in part of its samples, rather than hanging, lying, rolling or doing a handstand."""
    seconds = (part.stop - part.start - 1) / RATE
    if not SHORTEST <= seconds <= LONGEST or least[part].max() < FLAT * tracks.height:
        return False
    if any(
        one.clearance[part].max() < TIPTOE * tracks.height and np.median(one.speed[part]) < TIPTOE_SPEED
        for one in air.values()
    ):
        return False
    floor = np.min([one.floor[part] for one in air.values()], axis=0)
    hands = tracks.hands[part, :, 2] - floor[:, None]
    low = bool(hands.size and hands.min() < HAND * tracks.height)
    low |= bool((tracks.hips[part, 2] - floor).min() < HIPS * tracks.height)
    speed = np.linalg.norm(np.diff(tracks.hips[part], axis=0), axis=1).mean() * RATE
    return not low and bool(speed >= HIPS_SPEED * tracks.height)


def _judge_flight(tracks: BodyTracks, first: int, end: int, rate: float) -> Flight:
    heights = tracks.centre[first:end, 2]
    fall, seconds = fit_fall(heights, RATE), (end - 1 - first) / RATE
    whole = first > 0 and end < len(tracks)
    bent = seconds >= BENT_SECONDS and _measure_bend(heights) > BENT * tracks.height
    if bent:
        cut = round(0.5 * (1.0 - MIDDLE) * len(heights))
        fall = fit_fall(heights[cut : len(heights) - cut], RATE)
    limit = _tolerance(seconds)
    if not limit or seconds * rate < FRAMES - 1e-9 or (not whole and seconds < CUT):
        verdict = SHORT
    elif bent or abs(fall + GRAVITY) <= limit:
        verdict = FINE if abs(fall + GRAVITY) <= limit else OFF
    else:
        held = _hangs(tracks, slice(first, end), fall)
        verdict = PUSHED if fall > RISING or held or _is_pushed(heights) else OFF
    return Flight(first / RATE, (end - 1) / RATE, fall, verdict, whole)


def _hangs(tracks: BodyTracks, part: slice, fall: float) -> bool:
    """Return whether a body hangs by its hands in part of its samples, as on a bar."""
    over = tracks.hands[part, :, 2] - tracks.centre[part, None, 2]
    overhead = bool(over.size and over.min() > OVERHEAD * tracks.height)
    return overhead and fall > HANGS and part.stop - part.start > HANGING * tracks.rate


def _tolerance(seconds: float) -> float:
    """Return how far (m/s²) the fall of a flight of that duration may differ from 9.81, 0 if it is not judged."""
    return next((limit for shortest, limit in TOLERANCES if seconds >= shortest - 1e-9), 0.0)


def _compare_falls(flights: Sequence[Flight]) -> list[Flight]:
    """Return flights; if most are fine, others that fall like them are fine, too.

    A slightly wrong size of the body changes the fall of all its flights.
    """
    judged = [one for one in flights if one.verdict in (FINE, OFF)]
    middle = float(np.median([one.fall for one in judged])) if len(judged) >= ALIKE_LEAST else 0.0
    most = 2 * sum(one.verdict == FINE for one in judged) > len(judged)
    return [
        replace(one, verdict=FINE)
        if most and one.verdict == OFF and abs(one.fall - middle) <= _tolerance(one.seconds)
        else one
        for one in flights
    ]


def fit_fall(heights: Array, rate: float) -> float:
    """Return the acceleration (m/s²) of heights (N,), metres, by a quadratic through them.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.weight import flights
        >>> seconds = np.arange(30) / 120.0
        >>> round(flights.fit_fall(2.0 * seconds - 0.5 * 9.81 * seconds**2, 120.0), 6)
        -9.81
    """
    at = np.arange(len(heights)) - 0.5 * (len(heights) - 1)
    curve = at**2 - (at**2).mean()
    return float(2.0 * (curve @ heights) / (curve @ curve) * rate**2)


def _measure_bend(heights: Array) -> float:
    """Return the distance (rms, metres) of heights (N,) from the quadratic through them."""
    at = np.linspace(-1.0, 1.0, len(heights))
    return float(np.std(heights - np.polynomial.Polynomial.fit(at, heights, 2)(at)))


def _is_pushed(heights: Array) -> bool:
    """Return whether heights (N,) of a flight accelerate upwards somewhere and fall elsewhere."""
    half = round(PUSH_WINDOW * RATE)
    each = [fit_fall(heights[k - half : k + half + 1], RATE) for k in range(2 * half, len(heights) - 2 * half)]
    return bool(each) and max(each) > PUSH_UP and min(each) < PUSH_DOWN


def _scale_of(flights: Sequence[Flight]) -> float:
    """Return how many times too fast flights fall if all fall alike and too fast; else 1."""
    judged = np.array([one.fall for one in flights if one.verdict in (FINE, OFF) and one.seconds >= TOLERANCES[1][0]])
    if len(judged) < ALIKE_LEAST or not all(one.verdict != FINE for one in flights):
        return 1.0
    middle = float(np.median(judged))
    alike = float(np.abs(judged - middle).max()) <= ALIKE * abs(middle)
    return -middle / GRAVITY if alike and middle < -FAST else 1.0


def flag_air(found: Found, clip: Clip) -> dict[str, tuple[Flags, Array]]:
    """Return for each foot whether it is off the ground in each frame (F,) of a clip, and its clearance (F,), metres.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.weight import flights
        >>> walk = actions.walk(cycles=1)
        >>> off, height = flights.flag_air(flights.find_in(walk), walk)["L"]
        >>> off.shape, height.shape
        ((33,), (33,))
    """
    at = np.arange(len(clip)) * RATE / clip.rate
    near = np.minimum(np.round(at).astype(np.int64), len(found.tracks) - 1)
    own = np.arange(len(found.tracks))
    return {foot: (air.off[near], np.interp(at, own, air.clearance)) for foot, air in found.air.items()}
