"""Segment a stationary take into activities, and group similar ones.

A repeated movement, such as jumping jacks, has nearly constant mean poses and a nearly constant spread about them.
Means and spreads of poses in a window therefore separate activities; the poses themselves do not.

Method: A take becomes a set.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...library import feature
from ...motion import root_motion
from ...motion.clip import Clip
from ...motion.quat import Array

STEP = 0.1  # s between two samples
WINDOW = 0.7  # s; sigma of the window for means and spreads
SPREAD = 1.7  # weight of spreads relative to means
SHORTEST, LONGEST = 1.5, 40.0  # s; duration of an activity
PENALTY = 0.018  # s times a squared distance of samples, weighted as in `library.feature`: cost of a boundary
ALIKE = 0.05  # same distance; activities nearer than this get the same name


def samples(clip: Clip) -> Array:
    """Return windowed means and spreads of joint positions (N, 2·joints·3), one row every 0.1 s.

    Raises LibraryError for bodies without known hips or thighs.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.verbs.take import activities
        >>> activities.samples(actions.wave()).shape
        (37, 108)
    """
    numbers = feature.rows(clip).reshape(-1, 2, len(feature.ROLES), 3)[:, 0].reshape(-1, 3 * len(feature.ROLES))
    places = np.nan_to_num(numbers.astype(float))
    sigma = WINDOW * feature.RATE
    means = _smooth_reflected(places, sigma)
    spreads = np.sqrt(np.maximum(_smooth_reflected(places**2, sigma) - means**2, 0.0))
    every = round(STEP * feature.RATE)
    return np.concatenate([means, SPREAD * spreads], axis=1)[::every]


def _smooth_reflected(values: Array, sigma: float) -> Array:
    reach = min(int(np.ceil(3.0 * sigma)), len(values) - 1)
    padded = np.pad(values, ((reach, reach), (0, 0)), mode="reflect")
    return root_motion.smooth(padded, sigma)[reach : reach + len(values)]


def borders(rows: Array, penalty: float = PENALTY) -> list[int]:
    """Return where activities end (exclusive; the last is N) in samples (N, C): the partition of least cost.

    The cost is the sum of squared distances of samples from the mean of their activity, plus a penalty per activity.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.verbs.take import activities
        >>> activities.borders(np.repeat([[0.0], [1.0], [0.2]], 30, axis=0))
        [30, 60, 90]
    """
    count, penalty = len(rows), penalty / STEP
    least, most = round(SHORTEST / STEP), round(LONGEST / STEP)
    if count < 2 * least:
        return [count]
    centred = rows - rows.mean(axis=0)
    sums = np.concatenate([np.zeros((1, rows.shape[1])), np.cumsum(centred, axis=0)])
    squares = np.concatenate([[0.0], np.cumsum((centred**2).sum(axis=1))])
    best, came = np.full(count + 1, np.inf), np.zeros(count + 1, dtype=int)
    best[0] = 0.0
    for end in range(least, count + 1):
        first = np.arange(max(0, end - most), end - least + 1)
        length = end - first
        cost = squares[end] - squares[first] - ((sums[end] - sums[first]) ** 2).sum(axis=1) / length
        total = best[first] + cost + penalty
        k = int(np.argmin(total))
        best[end], came[end] = total[k], first[k]
    ends = [count]
    while came[ends[0]] > 0:
        ends.insert(0, int(came[ends[0]]))
    return ends


def number_activities(parts: Sequence[Array]) -> NDArray[np.int64]:
    """Return a label (from 0) for each activity, given by its samples; similar activities share a label.

    Agglomerative: the two nearest groups merge while their means are nearer than ALIKE.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.verbs.take import activities
        >>> activities.number_activities([np.zeros((20, 3)), np.ones((20, 3)), np.zeros((30, 3))]).tolist()
        [0, 1, 0]
    """
    groups = [[k] for k in range(len(parts))]
    while len(groups) > 1:
        means = np.array([np.concatenate([parts[k] for k in group]).mean(axis=0) for group in groups])
        apart = np.linalg.norm(means[:, None] - means[None], axis=2) + np.diag(np.full(len(means), np.inf))
        one, other = divmod(int(np.argmin(apart)), len(means))
        if apart[one, other] > ALIKE:
            break
        groups[one] += groups.pop(other) if other > one else []
        groups = sorted((sorted(group) for group in groups), key=lambda group: group[0])
    numbers = np.zeros(len(parts), dtype=int)
    for number, group in enumerate(groups):
        numbers[group] = number
    return numbers
