"""Segment a stationary take into activities, and group similar ones.

A repeated movement, such as jumping jacks, has nearly constant mean poses and spreads about them. The borders
therefore separate the most likely series of normal distributions. Left and right are not distinguished, so that a
movement to alternate sides is one activity.

Method: A take becomes a set.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...library import feature
from ...motion.clip import Clip
from ...motion.quat import Array
from . import meeting

STEP = 0.1  # s between two samples
SHORTEST = 1.2  # s; least duration of an activity
PENALTY = 1.35  # cost of an activity, relative to that of the Bayesian information criterion
NOISE = 0.003  # body heights, weighted as in `library.feature`: standard deviation that no distribution falls below
STILL = 1e-6  # same unit; a column that varies less has no distribution
SPREAD = 1.7  # weight of spreads relative to means
ALIKE = 0.05  # distance of weighted means and spreads; activities nearer than this get the same name


def samples(clip: Clip) -> Array:
    """Return positions and velocities of joints, without their side (N, C), one row every 0.1 s.

    Joints of both sides are replaced by their mean and the size of their difference, after one side was mirrored.
    Bodies without known hips or thighs keep all joints as they are.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.verbs.take import activities
        >>> activities.samples(actions.wave()).shape
        (37, 132)
    """
    if not {"hips", "thigh.L", "thigh.R"} <= set(clip.skeleton.roles):
        return meeting.shapes(feature.at_rate(clip))[:: round(STEP * feature.RATE)] / clip.skeleton.height
    joints = len(feature.ROLES)
    rows = np.nan_to_num(feature.rows(clip)[:: round(STEP * feature.RATE)].astype(float))
    rows = rows.reshape(len(rows), 2, joints, 3)
    left = [k for k, role in enumerate(feature.ROLES) if not role.endswith(".R")]
    opposite = [feature.ROLES.index(feature.ROLES[k].replace(".L", ".R")) for k in left]
    own, mirrored = rows[:, :, left], rows[:, :, opposite] * [-1.0, 1.0, 1.0]
    return np.concatenate([own + mirrored, np.abs(own - mirrored)], axis=1).reshape(len(rows), -1) / 2.0


def borders(rows: Array, penalty: float = PENALTY) -> list[int]:
    """Return where activities end (exclusive; the last is N) in samples (N, C): the most likely partition.

    Each activity is a normal distribution with independent columns, and costs a penalty [Killick 2012].

    Example:
        >>> import numpy as np
        >>> from action_loom.core.verbs.take import activities
        >>> activities.borders(np.repeat([[0.0], [1.0], [0.2]], 30, axis=0))
        [30, 60, 90]
    """
    count, least = len(rows), round(SHORTEST / STEP)
    if count < 2 * least:
        return [count]
    penalty *= 0.5 * np.count_nonzero(np.ptp(rows, axis=0) > STILL) * float(np.log(count))
    centred = rows - rows.mean(axis=0)
    sums, squares = (
        np.concatenate([np.zeros((1, rows.shape[1])), np.cumsum(of, axis=0)]) for of in (centred, centred**2)
    )
    best, came = np.full(count + 1, np.inf), np.zeros(count + 1, dtype=int)
    best[0] = -penalty
    useless = np.full(count + 1, count + 1)  # the end from which an activity no longer begins at a sample
    for end in range(least, count + 1):
        first = np.flatnonzero((useless[: end - least + 1] > end) & np.isfinite(best[: end - least + 1]))
        length = (end - first)[:, None]
        variance = (squares[end] - squares[first]) / length - ((sums[end] - sums[first]) / length) ** 2
        cost = 0.5 * length[:, 0] * np.log(np.maximum(variance, 0.0) + NOISE**2).sum(axis=1)
        total = best[first] + cost + penalty
        k = int(np.argmin(total))
        best[end], came[end] = total[k], first[k]
        # A border at this end is at least as good for all later ends, as soon as an activity fits between them.
        worse = first[best[first] + cost >= best[end]]
        useless[worse] = np.minimum(useless[worse], end + least)
    ends = [count]
    while came[ends[0]] > 0:
        ends.insert(0, int(came[ends[0]]))
    return ends


def number_activities(parts: Sequence[Array]) -> NDArray[np.int64]:
    """Return a label (from 0) for each activity, given by its samples; similar activities share a label.

    Agglomerative: the two nearest groups merge while their means and spreads are nearer than ALIKE.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.verbs.take import activities
        >>> activities.number_activities([np.zeros((20, 3)), np.ones((20, 3)), np.zeros((30, 3))]).tolist()
        [0, 1, 0]
    """
    groups = [[k] for k in range(len(parts))]
    while len(groups) > 1:
        together = [np.concatenate([parts[k] for k in group]) for group in groups]
        means = np.array([np.concatenate([rows.mean(axis=0), SPREAD * rows.std(axis=0)]) for rows in together])
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
