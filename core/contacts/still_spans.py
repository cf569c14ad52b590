"""Spans in which a point stays in its place on a moving part of the body (methods: Contacts of hands)."""

from dataclasses import dataclass

import numpy as np

from ..motion import arrays, root_motion
from ..motion.quat import Array

MOST = 0.95  # share of a span's frames that lie within `apart`
FARTHEST = 1.6  # factor on `apart` for all frames of a span
SHORTEST = 3  # least number of frames of a span
GAP = 0.1  # s; shorter fast parts inside a span do not divide it
SIGMA = 0.03  # s; sigma with which the path is smoothed before speeds are measured


@dataclass(frozen=True)
class Stillness:
    """Limits of a still span.

    still, stays : body heights a second, of one frame that a span needs, and of its other frames
    apart : body heights from the median place, of 95 % of a span's frames; seconds : of the shortest span
    """

    still: float = 0.06
    stays: float = 0.18
    apart: float = 0.018
    seconds: float = 0.25


ON_A_PART = Stillness()


def find_still_spans(places: Array, rate: float, height: float, limits: Stillness = ON_A_PART) -> list[tuple[int, int]]:
    """Return the first frames and ends of spans in which places (F, ...) hardly change.

    places : metres, by default in the frame of a part of the body; height : of the body, metres

    Example:
        >>> import numpy as np
        >>> from action_loom.core.contacts import still_spans
        >>> path = np.zeros((90, 3))
        >>> path[45:, 0] = np.linspace(0.0, 1.0, 45)
        >>> still_spans.find_still_spans(path, 30.0, 1.75)
        [(0, 45)]
    """
    if len(places) < 2:
        return []
    smooth = root_motion.smooth(places.reshape(len(places), -1), SIGMA * rate)
    speed = np.linalg.norm(np.gradient(smooth, axis=0), axis=1) * rate / height
    slow = speed < limits.stays
    for first, end in arrays.find_runs(~slow):
        if first > 0 and end < len(slow) and end - first < GAP * rate:
            slow[first:end] = True
    found, open_ = list[tuple[int, int]](), arrays.find_runs(slow)
    rows = np.ascontiguousarray(smooth.T)
    while open_:
        first, end = open_.pop()
        if end - first < max(limits.seconds * rate, SHORTEST) or speed[first:end].min() >= limits.still:
            continue
        if _stays_within(rows[:, first:end], limits.apart * height):
            found.append((first, end))
            continue
        cut = first + 1 + int(speed[first + 1 : end - 1].argmax())
        open_ += [(first, cut), (cut, end)]
    return sorted(found)


def _stays_within(rows: Array, limit: float) -> bool:
    """Return whether 95 % of places (D, F) lie within a limit of their median, and all within FARTHEST times it."""
    if (rows.max(axis=1) - rows.min(axis=1)).max() > 2.0 * FARTHEST * limit:
        return False
    ordered = np.sort(rows, axis=1)  # np.median takes several times longer for a few rows
    count = rows.shape[1]
    middle = 0.5 * (ordered[:, (count - 1) // 2] + ordered[:, count // 2])
    away = np.sort(np.sqrt(((rows - middle[:, None]) ** 2).sum(axis=0)))
    low, share = divmod(MOST * (count - 1), 1.0)
    most = away[int(low)] + share * (away[min(int(low) + 1, count - 1)] - away[int(low)])
    return bool(most <= limit and away[-1] <= FARTHEST * limit)
