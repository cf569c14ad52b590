"""Measure how far movements are from regular strides (methods: A take becomes a set)."""

import numpy as np

from ...library import feature
from ...motion.clip import Clip
from ...motion.quat import Array

EVERY = 2  # rows of `library.feature` between two compared ones
STEP = (0.27, 0.9)  # s; durations of a step, after which a regular gait is its mirror image
STRIDE = (0.6, 1.7)  # s; durations of a stride, after which a gait repeats, even a limp
AROUND = 0.3  # s before and after a row over which differences are averaged


def measure_irregularity(clip: Clip) -> Array:
    """Return how much each frame (F,) differs from one step away, mirrored, or one stride away, whichever is less.

    The unit is that of `library.feature`. Regular gaits have 0.02 to 0.06, and dances 0.05 to 0.15.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.verbs.take import strides
        >>> bool(strides.measure_irregularity(actions.walk(cycles=3)).max() < 0.03)
        True
    """
    rows = np.nan_to_num(feature.rows(clip)[::EVERY])
    rate = feature.RATE / EVERY
    least = np.full(len(rows), np.inf)
    around = np.ones(2 * round(AROUND * rate) + 1)
    for others, durations in ((feature.mirror_rows(rows), STEP), (rows, STRIDE)):
        for lag in range(round(durations[0] * rate), round(durations[1] * rate) + 1):
            count = len(rows) - lag
            if count < len(around):
                break
            squares = ((rows[lag:] - others[:count]) ** 2).sum(axis=1)
            mean = np.convolve(squares, around, "same") / np.convolve(np.ones(count), around, "same")
            least[lag:] = np.minimum(least[lag:], mean)
            least[:count] = np.minimum(least[:count], mean)
    return np.asarray(np.sqrt(np.interp(np.linspace(0.0, len(rows) - 1.0, len(clip)), np.arange(len(rows)), least)))
