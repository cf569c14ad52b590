"""Raise or lower the centre of mass so that flights fall at 9.81 m/s² (methods: Weight).

Take-off and landing keep their times and places. A changed speed at take-off is prepared in the stance before it, and a
changed speed at landing is absorbed in the stance after it.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ..motion.quat import Array
from .flights import GRAVITY, RATE, Flight

PREPARES, FOLLOWS = 0.35, 0.25  # s of stance over which the body is lowered, and over which it is shifted otherwise
SPEED_WINDOW = 0.050  # s of stance to which a quadratic is fitted for the speed at take-off or landing
UP = np.array([0.0, 0.0, 1.0])


def target_path(centre: Array, flight: Flight) -> tuple[Array, Array, Array]:
    """Return the parabola of a real flight: its start and end (3,), metres, and its speed (3,) at the start, m/s.

    centre (N, 3) : centre of mass, `RATE` samples a second

    Example:
        >>> import numpy as np
        >>> from action_loom.core.weight import flights, lift
        >>> flight = flights.Flight(0.5, 1.0, -4.0, flights.OFF)
        >>> lift.target_path(np.zeros((200, 3)), flight)[2].round(3).tolist()
        [0.0, 0.0, 2.452]
    """
    start, end = (centre[round(second * RATE)] for second in (flight.start, flight.end))
    return start, end, (end - start) / flight.seconds + 0.5 * GRAVITY * flight.seconds * UP


def fall_freely(centre: Array, rate: float) -> Array:
    """Return the path (F, 3) of a real flight between the ends of a centre's path (F, 3), metres.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.weight import lift
        >>> lift.fall_freely(np.zeros((31, 3)), 60.0)[15].round(3).tolist()
        [0.0, 0.0, 0.307]
    """
    seconds = np.arange(len(centre))[:, None] / rate
    share = np.linspace(0.0, 1.0, len(centre))[:, None]
    rise = 0.5 * GRAVITY * seconds * (seconds[-1] - seconds) * UP
    return np.asarray(centre[0] + share * (centre[-1] - centre[0]) + rise)


def shift_centre(centre: Array, flights: Sequence[Flight], stops: Sequence[float], at: Array) -> Array:
    """Return the shift (F, 3) of the centre of mass, metres, at seconds (F,), after which flights fall as real ones.

    centre (N, 3) : `RATE` samples a second; flights : those to correct
    stops : seconds at which stances end: take-offs and landings of all flights, and both ends of the clip, sorted

    Example:
        >>> import numpy as np
        >>> from action_loom.core.weight import flights, lift
        >>> flight = flights.Flight(0.5, 1.0, -4.0, flights.OFF)
        >>> shift = lift.shift_centre(np.zeros((181, 3)), [flight], [0.0, 0.5, 1.0, 1.5], np.array([0.4, 0.75, 1.1]))
        >>> shift[:, 2].round(3).tolist()
        [-0.125, 0.307, -0.125]
    """
    shift = np.zeros((len(at), 3))
    slopes: dict[float, Array] = {}
    own = np.arange(len(centre)) / RATE
    for flight in flights:
        start, _, speed = target_path(centre, flight)
        inside = (at >= flight.start) & (at <= flight.end)
        passed = (at[inside] - flight.start)[:, None]
        now = np.stack([np.interp(at[inside], own, column) for column in centre.T], axis=1)
        shift[inside] = start + speed * passed - 0.5 * GRAVITY * passed**2 * UP - now
        slopes[flight.start] = speed - _speed(centre, flight.start, -1)
        slopes[flight.end] = speed - GRAVITY * flight.seconds * UP - _speed(centre, flight.end, 1)
    _ease(shift, slopes, {flight.start for flight in flights}, sorted(stops), at)
    return shift


def _speed(centre: Array, second: float, side: int) -> Array:
    """Return the speed (3,) at the end of a stance, m/s, by a quadratic over its last samples, or its first ones."""
    first = round(second * RATE)
    count = min(round(SPEED_WINDOW * RATE), first if side < 0 else len(centre) - 1 - first)
    if count < 2:
        return np.asarray(np.gradient(centre, axis=0)[first] * RATE)
    seconds = np.arange(count + 1) / RATE * side
    some = centre[first + side * np.arange(count + 1)]
    return np.asarray(np.polynomial.polynomial.polyfit(seconds, some, 2)[1])


def _ease(shift: Array, slopes: dict[float, Array], rises: set[float], stops: Sequence[float], at: Array) -> None:
    """Fill the shift (F, 3) in stances: cubic Hermite curves from 0 to 0 with a slope (3,) at each corrected flight."""
    for before, after in pairwise(stops):
        # Corrected flights, and spans next to none of them, need no ease.
        if before in rises or after - before < 1e-9 or slopes.keys().isdisjoint((before, after)):
            continue
        none = np.zeros(3)
        leaves, lands = slopes.get(after, none), slopes.get(before, none)
        for axis in range(3):
            down = axis == 2
            begins = PREPARES if down and leaves[axis] > 0.0 else FOLLOWS
            ends = PREPARES if down and lands[axis] < 0.0 else FOLLOWS
            if lands[axis] and leaves[axis] and begins + ends > after - before:
                _add(shift[:, axis], at, before, after, lands[axis], leaves[axis])
                continue
            if leaves[axis]:
                _add(shift[:, axis], at, max(before, after - begins), after, 0.0, leaves[axis])
            if lands[axis]:
                _add(shift[:, axis], at, before, min(after, before + ends), lands[axis], 0.0)


def _add(shift: Array, at: Array, first: float, end: float, begins: float, ends: float) -> None:
    """Add a cubic Hermite curve to a shift (F,): 0 at two seconds, with a slope at each."""
    inside = (at > first) & (at < end)
    t, length = (at[inside] - first) / (end - first), end - first
    shift[inside] += length * (t * (1.0 - t) ** 2 * begins - t * t * (1.0 - t) * ends)
