"""Jumps in files without travel: their time in the air gives their height (methods: Points)."""

import numpy as np

from ..motion.quat import Array
from ..weight.flights import GRAVITY

_AROUND = 0.05  # s before and after a take-off or a landing, between which the change of velocity is measured
_PUSHES = 0.05  # s added to a flight at both ends, because the tips of toes leave the ground later than joints do
_SHORTEST, _LONGEST = 0.3, 1.0  # s from take-off to landing; flights of runs are shorter, and low
_CHANGE = 0.5  # m/s; least change of velocity at a take-off or a landing
# The next three are shares of g times the duration of a flight.
_SHARE = 0.22  # least change of velocity at its take-off and its landing
_SPEEDS = 0.45  # least sum of the rising speed before it and the falling speed after it
_SPEED = 0.12  # least value of each of these two speeds
_STANDS = 0.35  # body heights; in a flight, the hips are higher than this above the lowest point
# Body heights of a flight's parabola above the path of a body that stands: it must rise above the first value in some
# frame, and stay above the second value in all.
_LEAST, _BELOW = 0.01, -0.02

Span = tuple[int, int]


def find(heights: Array, hips: Array, rate: float, height: float) -> list[Span]:
    """Return the first and last frame of each flight.

    heights (F,) : of the centre of mass, as if the lowest point were always on the ground
    hips (F,) : heights of the hips above the lowest point; a body that lies or sits does not jump
    Legs can't become longer, so these heights suddenly stop rising when a body jumps off, and suddenly fall when it
    lands. A body that stands could only move like this if the ground pulled it down.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.points import flights
        >>> seconds = np.arange(60) / 30.0
        >>> jump = 2.0 * np.minimum(seconds - 0.5, 0.0) - 2.0 * np.maximum(seconds - 0.9, 0.0)
        >>> len(flights.find(jump, np.ones(60), 30.0, 1.7))
        1
    """
    last = len(heights) - 1
    reach, beside = max(1, round(_AROUND * rate)), max(1, round(_PUSHES * rate))
    velocity = np.gradient(heights) * rate
    padded = np.pad(velocity, 2 * reach, mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * reach + 1)
    rising, falling = windows[: last + 1].max(axis=1), -windows[2 * reach :].min(axis=1)
    change = padded[reach : reach + last + 1] - padded[3 * reach : 3 * reach + last + 1]
    sudden = (hips > _STANDS * height) & (change > _CHANGE)
    peaks = [k for k in range(1, last) if sudden[k] and change[k - 1] <= change[k] > change[k + 1]]
    found: list[tuple[float, Span]] = []
    for first in peaks:
        for end in (peak for peak in peaks if _SHORTEST <= (peak - first) / rate <= _LONGEST):
            fall = GRAVITY * (end - first) / rate
            speeds = float(rising[first] + falling[end]) / fall
            each = min(rising[first], falling[end]) / fall
            if min(change[first], change[end]) < _SHARE * fall or speeds < _SPEEDS or each < _SPEED:
                continue
            span = (max(first - beside, 0), min(end + beside, last))
            over = _arc(heights, span, rate) - heights[span[0] : span[1] + 1]
            if over.max() >= _LEAST * height and over.min() >= _BELOW * height:
                found.append((-speeds, span))
    flights: list[Span] = []
    for _, span in sorted(found):
        if all(span[1] <= other[0] or span[0] >= other[1] for other in flights):
            flights.append(span)
    return sorted(flights)


def _arc(heights: Array, span: Span, rate: float) -> Array:
    """Return the heights of a free fall between both ends of a span."""
    seconds = np.arange(span[1] - span[0] + 1) / rate
    share = seconds / seconds[-1]
    straight = heights[span[0]] + share * (heights[span[1]] - heights[span[0]])
    return np.asarray(straight + 0.5 * GRAVITY * seconds * (seconds[-1] - seconds))


def raise_body(heights: Array, spans: list[Span], rate: float) -> Array:
    """Return the height (F,) to add to heights (F,) so that the body follows a parabola in each flight.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.points import flights
        >>> float(flights.raise_body(np.zeros(60), [(10, 25)], 30.0).max().round(2))  # half a second in the air
        0.31
    """
    added = np.zeros(len(heights))
    for first, last in spans:
        added[first : last + 1] = np.maximum(_arc(heights, (first, last), rate) - heights[first : last + 1], 0.0)
    return added


def keep_speed(velocity: Array, spans: list[Span]) -> Array:
    """Return velocities (F, 2) of the centre of mass, interpolated linearly during flights.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.points import flights
        >>> flights.keep_speed(np.array([[1.0, 0.0], [9.0, 0.0], [9.0, 0.0], [1.0, 0.0]]), [(0, 3)])[:, 0].tolist()
        [1.0, 1.0, 1.0, 1.0]
    """
    out = velocity.copy()
    for first, last in spans:
        out[first : last + 1] = np.linspace(velocity[first], velocity[last], last - first + 1)
    return out
