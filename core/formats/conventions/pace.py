"""Check whether a body can move at the frame rate of its file (methods: Conventions of files).

The duration of human steps follows from the length of the legs: a foot is in the air for a fraction of a second, and
slow walks have short steps. Both are measured in frames and converted to seconds by the rate.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...motion import kinematics
from ...motion.clip import Clip
from ...motion.quat import Array

USUAL_RATES = (120.0, 60.0, 30.0, 24.0, 25.0, 50.0, 100.0, 240.0, 48.0, 72.0, 90.0)  # the most frequent first
NEARLY = 1.35  # a usual rate fits if its ratio to the wanted rate is within this factor
GRAVITY = 9.81  # m/s²
MOST_FRAMES = 600  # largest number of frames sampled, from the middle of the clip
SAMPLED_RATE = 60.0  # frames per second; faster clips are decimated
# Swings of feet.
SWING_SPEED = 0.3  # share of a foot's fast speed above which it swings
FAST = 0.95  # quantile that defines a foot's fast speed
LEAST_SWING = 0.35  # leg lengths; shorter swings do not count as steps
FEWEST_SAMPLES = 120  # frames; shorter clips are not sampled
FEWEST_SWINGS = 2
SWING = 0.47  # s; the median of captures, for a leg of STANDARD_LEG
LONGEST_SWING, SHORTEST_SWING = 1.2, 0.19  # s; medians of correct captures are from 0.22 to 1.10
STANDARD_LEG = 0.85  # m
LONGEST_STROKE = 2.3  # s; for strokes of hands in clips without steps and flights, whose medians are from 0.16 to 2.2
# Flights: lengths in leg lengths.
CLEARANCE = 0.12  # in a flight, all joints are higher than this above the lowest joint of the clip
LEAST_ARCH = 0.06  # least height of the parabola of the centre of mass
LARGEST_RESIDUAL = 0.15  # largest deviation of the centre of mass from this parabola, as a share of its height
FEWEST_FRAMES = 6  # least number of frames of a flight
FALLS_WRONGLY = 2.2  # factor by which a rate may be wrong before a fall counts as impossible
# Parts of the body and their shares of its mass (de Leva 1996, limbs joined to their upper ends).
MASSES = {
    "hips": 0.25,
    "chest": 0.26,
    "head": 0.07,
    "thigh": 0.14,
    "shin": 0.05,
    "foot": 0.02,
    "hand": 0.05,
    "toe": 0.0,
}
AGREE = 1.25  # largest ratio between flights of one clip


@dataclass(frozen=True)
class Pace:
    """The factor by which a body moves too slowly (< 1: too fast) at its file's rate, and a rate that would fit."""

    slowness: float
    fitting_rate: float


def find_wrong_pace(clip: Clip, roles: Mapping[str, int], up: Array, metres: float) -> Pace | None:
    """Return the pace of a body with impossible steps or falls, None if they are possible or absent.

    clip : in the file's unit and axes; up (3,) : the up direction; metres : of the file's unit
    """
    legs = [f"{part}.{side}" for side in "LR" for part in ("thigh", "shin", "foot")]
    if not set(legs) <= set(roles) or len(clip) < 8:
        return None
    every = max(1, min(int(clip.rate // SAMPLED_RATE), len(clip) // FEWEST_SAMPLES))
    first = max(0, (len(clip) - every * MOST_FRAMES) // 2)
    part = clip.take_frames(np.arange(first, min(len(clip), first + every * MOST_FRAMES), every))
    rate = clip.rate / every
    slowness = _slowness_of_steps(part, [roles[role] for role in legs], metres, rate)
    if slowness == 0.0:
        slowness = _slowness_without_steps(part, roles, up, metres, rate)
    if slowness == 1.0:
        return None
    wanted = clip.rate * slowness
    fitting = [rate for rate in USUAL_RATES if 1.0 / NEARLY < rate / wanted < NEARLY]
    return Pace(slowness, fitting[0] if fitting else min(USUAL_RATES, key=lambda rate: abs(np.log(rate / wanted))))


def _slowness_of_steps(clip: Clip, legs: list[int], metres: float, rate: float) -> float:
    """Return the factor by which steps are too slow, 1 if they are possible, 0 without steps."""
    places = kinematics.kept_of(clip, legs)[1][:, legs]
    leg = _leg_length(places)
    swings = _swings(places / max(leg, 1e-12), [2, 5])
    if not leg > 0.0 or len(swings) < FEWEST_SWINGS:
        return 0.0
    seconds = float(np.median(swings)) / rate / np.sqrt(leg * metres / STANDARD_LEG)
    return 1.0 if SHORTEST_SWING <= seconds <= LONGEST_SWING else seconds / SWING


def _slowness_without_steps(clip: Clip, roles: Mapping[str, int], up: Array, metres: float, rate: float) -> float:
    """Return the factor by which falls, or else strokes of the hands, are too slow; 1 if they are possible."""
    column = {role: k for k, role in enumerate(role for role in roles if role.partition(".")[0] in MASSES)}
    joints = [roles[role] for role in column]
    places = kinematics.kept_of(clip, joints)[1][:, joints]
    leg = _leg_length(places[:, [column[f"{part}.L"] for part in ("thigh", "shin", "foot")]])
    if not leg > 0.0:
        return 1.0
    places = places / leg
    falling = _slowness_of_flights(places, column, up) * np.sqrt(GRAVITY / (leg * metres)) / rate
    if falling:
        return 1.0 if 1.0 / FALLS_WRONGLY < falling < FALLS_WRONGLY else float(falling)
    hands = [column[f"hand.{side}"] for side in "LR" if f"hand.{side}" in column]
    strokes = _swings(places - places[:, [column["hips"]]], hands) if "hips" in column else np.zeros(0)
    if len(strokes) < FEWEST_SWINGS:
        return 1.0
    seconds = float(np.median(strokes)) / rate / np.sqrt(leg * metres / STANDARD_LEG)
    return 1.0 if seconds <= LONGEST_STROKE else seconds / SWING


def _leg_length(places: Array) -> float:
    """Return the length of a leg from the positions (F, 3 or more, 3) of thigh, shin and foot."""
    return float(np.linalg.norm(np.diff(places[0, :3], axis=0), axis=1).sum())


def _swings(places: Array, joints: list[int]) -> NDArray[np.int64]:
    """Return the duration in frames of each swing of some joints."""
    return np.concatenate([np.zeros(0, np.int64), *(_swing_frames(places[:, joint]) for joint in joints)])


def _slowness_of_flights(places: Array, column: Mapping[str, int], up: Array) -> float:
    """Return the frames per unit of time, in which free fall covers half a leg length; 0 without flights."""
    mass = np.array([MASSES[role.partition(".")[0]] for role in column])
    centre = (places @ up) @ mass / mass.sum()
    lowest = (places @ up).min(axis=1)
    high = np.concatenate([[False], lowest > np.quantile(lowest, 0.05) + CLEARANCE, [False]])
    found = []
    for first, last in np.flatnonzero(high[1:] != high[:-1]).reshape(-1, 2).tolist():
        if last - first < FEWEST_FRAMES or first == 0 or last == len(centre):
            continue
        frames = np.arange(last - first)
        bend, *_ = parabola = np.polyfit(frames, centre[first:last], 2)
        arch = -bend * (last - first) ** 2 / 4.0
        residual = float(np.abs(np.polyval(parabola, frames) - centre[first:last]).max())
        if arch > LEAST_ARCH and residual < LARGEST_RESIDUAL * arch:
            found.append(np.sqrt(0.5 / -bend))
    agree = found and max(found) < AGREE * min(found)
    return float(np.median(found)) if agree else 0.0


def _swing_frames(path: Array) -> NDArray[np.int64]:
    """Return the duration in frames of each swing of a foot; path (F, 3) : of its ankle, in leg lengths."""
    steps = np.linalg.norm(np.diff(path, axis=0), axis=1)
    steps = np.convolve(steps, np.full(3, 1.0 / 3.0), "same")
    fast = np.concatenate([[False], steps > SWING_SPEED * np.quantile(steps, FAST), [False]])
    edges = np.flatnonzero(fast[1:] != fast[:-1]).reshape(-1, 2)
    whole = edges[(edges[:, 0] > 0) & (edges[:, 1] < len(steps))]
    ways = np.linalg.norm(path[whole[:, 1]] - path[whole[:, 0]], axis=1)
    return np.diff(whole[ways > LEAST_SWING], axis=1)[:, 0]
