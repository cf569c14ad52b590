"""Spans in which a point stays in its place on a moving part of the body (methods: Body roles and retargeting)."""

import numpy as np

from ..motion import arrays, root_motion
from ..motion.quat import Array

# Of the place on the part. Speeds in body heights a second: of a frame that a span needs, and of its other frames.
STILL, STAYS = 0.06, 0.18
APART, FARTHEST = 0.018, 1.6  # body heights from the median place of 95 % of a span's frames; factor for all of them
GAP, LEAST, SIGMA = 0.1, 0.25, 0.03  # s: longest gap inside a span, shortest span, smoothing


def find_still_spans(places: Array, rate: float, height: float) -> list[tuple[int, int]]:
    """Return the first frames and ends of spans in which places (F, 3) hardly change.

    places : metres, in the frame of the part; height : of the body, metres

    Example:
        >>> import numpy as np
        >>> from action_loom.core.bodies import still_spans
        >>> path = np.zeros((90, 3))
        >>> path[45:, 0] = np.linspace(0.0, 1.0, 45)
        >>> still_spans.find_still_spans(path, 30.0, 1.75)
        [(0, 45)]
    """
    if len(places) < 2:
        return []
    smooth = root_motion.smooth(places, SIGMA * rate)
    speed = np.linalg.norm(np.gradient(smooth, axis=0), axis=1) * rate / height
    slow = speed < STAYS
    for first, end in arrays.find_runs(~slow):
        if first > 0 and end < len(slow) and end - first < GAP * rate:
            slow[first:end] = True
    found, open_ = list[tuple[int, int]](), arrays.find_runs(slow)
    while open_:
        first, end = open_.pop()
        if end - first < LEAST * rate or speed[first:end].min() >= STILL:
            continue
        away = np.linalg.norm(smooth[first:end] - np.median(smooth[first:end], axis=0), axis=1)
        limit = APART * height
        if np.quantile(away, 0.95) <= limit and away.max() <= FARTHEST * limit:
            found.append((first, end))
            continue
        cut = first + 1 + int(speed[first + 1 : end - 1].argmax())
        open_ += [(first, cut), (cut, end)]
    return sorted(found)
