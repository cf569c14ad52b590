"""Find when the feet of a cycle come down, and compare these times in two cycles (methods: Time registration).

A walk and a gallop have very different poses, so the cheapest path through their distances matches the wrong steps.
Their footfalls are therefore matched instead.
"""

from collections.abc import Sequence

import numpy as np

from ..motion import kinematics
from ..motion.clip import Clip
from ..motion.quat import Array
from .registration_curve import RegistrationCurve

PHASES = 96  # phases of a cycle
FINE = 5  # samples per phase for the height of a leg's end
SMOOTH = 0.01  # share of a cycle; sigma for smoothing this height
FLOOR = 0.2  # quantile of the heights of a leg's end, used as the height of the floor
LIFTED = 0.2  # share of its rise above the floor below which the end of a leg is down
LIFTS = 0.1  # share of the largest rise of all legs; a leg that rises less is never lifted
# A leg has one clear footfall if the longest stretch in which it is down has more than this share of its time down.
ONCE = 0.75


def of(clip: Clip, legs: Sequence[Sequence[int]]) -> Array:
    """Return the phase (L,) at which each leg of a cycle comes down, from 0 to 1; NaN for a leg without one footfall.

    legs : the points at the end of each leg, as `leg_count.ends` returns them

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.sync import footfalls
        >>> walk = actions.walk(cycles=1)
        >>> left, right = (walk.skeleton.index(f"foot.{side}") for side in "LR")
        >>> footfalls.of(walk, [[left], [right]]).round(1).tolist()  # half a cycle apart
        [1.0, 0.5]
    """
    points = kinematics.points(clip)
    fine = np.arange(FINE * PHASES) / (FINE * PHASES) * (len(clip) - 1)
    lowest = [points[:, list(leg), 2].min(axis=1) for leg in legs]
    heights = [_smooth(np.interp(fine, np.arange(len(clip)), height)) for height in lowest]
    floors = [float(np.quantile(height, FLOOR)) for height in heights]
    rises = [float(height.max()) - floor for height, floor in zip(heights, floors, strict=True)]
    downs = np.full(len(legs), np.nan)
    for k, (height, floor, rise) in enumerate(zip(heights, floors, rises, strict=True)):
        low = height < floor + LIFTED * rise
        starts = np.flatnonzero(low & ~np.roll(low, 1))
        lengths = [int(np.argmin(np.roll(low, -start))) for start in starts.tolist()]
        if rise > LIFTS * max(rises) and lengths and max(lengths) > ONCE * low.sum():
            downs[k] = starts[int(np.argmax(lengths))] / len(fine)
    return downs


def distance(downs: Array, others: Array) -> Array:
    """Return the cost (PHASES, PHASES) of matching phases of two cycles whose legs come down at (L,) and (L,).

    Only phases in which a leg comes down have a cost: their difference from the phase at which it comes down in the
    other cycle.
    """
    phases = np.arange(PHASES) / PHASES
    cost = np.zeros((PHASES, PHASES))
    for down, other in zip(downs, others, strict=True):
        row, column = (round(PHASES * float(at)) % PHASES for at in (down, other))
        cost[row] += 0.5 * _measure_phase_error(phases - other)
        cost[:, column] += 0.5 * _measure_phase_error(phases - down)
    return cost


def measure_footfall_error(curve: RegistrationCurve, downs: Array, others: Array) -> float:
    """Return the mean difference of footfalls (L,) and (L,), in shares of the cycle, in an equal blend by a curve."""
    length, period = len(curve.frames) - 1, float(curve.frames[-1] - curve.frames[0])
    reference = np.arange(-length, 2.0 * length + 1.0)
    frames = curve.at(reference)
    result = (reference + frames) / (length + period)
    laps = np.floor(frames[length] / period - others) + 1.0  # brings them into the three cycles
    ours, theirs = np.interp(downs * length, reference, result), np.interp((others + laps) * period, frames, result)
    return float(_measure_phase_error(ours - theirs).mean())


def _measure_phase_error(phases: Array) -> Array:
    """Return how far phases are from the nearest whole number."""
    return np.asarray(np.abs(phases - np.round(phases)))


def _smooth(values: Array) -> Array:
    """Return samples of a cycle (K,), smoothed periodically."""
    waves = np.fft.rfft(values)
    return np.fft.irfft(waves * np.exp(-2.0 * (np.pi * SMOOTH * np.arange(len(waves))) ** 2), len(values))
