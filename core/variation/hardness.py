"""Compare the accelerations of a variation around its seams and keys with those of its source (methods: Variations)."""

from collections.abc import Sequence

import numpy as np

from ..motion import kinematics
from ..motion.clip import Clip
from ..motion.quat import Array

STEP = 1.0 / 30.0  # s between the poses whose second differences give accelerations
PERCENTILE = 99.5  # percentile of the source's accelerations, with which others are compared
SEEN = 1.5  # times that percentile; larger accelerations are reported


def accelerations(clip: Clip) -> Array:
    """Return the root mean square acceleration (F,) of a body's weighted points, m/s²; 0 at the ends.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.variation import hardness
        >>> round(float(hardness.accelerations(actions.walk()).max()))
        22
    """
    step = max(1, round(STEP * clip.rate))
    weights = clip.skeleton.point_weights
    points = kinematics.points(clip)[:, weights > 0.0]
    found = np.zeros(len(clip))
    if len(clip) > 2 * step:
        second = points[2 * step :] - 2.0 * points[step:-step] + points[: -2 * step]
        square = ((second**2).sum(axis=-1) * weights[weights > 0.0]).sum(axis=-1)
        found[step:-step] = np.sqrt(square) * (clip.rate / step) ** 2
    return found


def usual(clips: Sequence[Clip]) -> float:
    """Return the acceleration that only one frame in 200 of clips exceeds, m/s².

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.variation import hardness
        >>> hardness.usual([actions.walk()]) > 1.0
        True
    """
    every = np.concatenate([accelerations(clip) for clip in clips])
    return max(float(np.percentile(every, PERCENTILE)), 1e-6)


def find_hardest(
    found: Array, places: Sequence[tuple[int, float]], rate: float, hard: float
) -> list[tuple[int, float]]:
    """Return for each place the frame of the highest acceleration, and this acceleration relative to `hard`.

    found (F,) : accelerations; places : frames, and the seconds around each in which to look

    Example:
        >>> import numpy as np
        >>> from action_loom.core.variation import hardness
        >>> hardness.find_hardest(np.array([0.0, 3.0, 1.0]), [(1, 0.1)], 30.0, 2.0)
        [(1, 1.5)]
    """
    rows = []
    for frame, seconds in places:
        reach = round(seconds * rate)
        first = max(frame - reach, 0)
        near = found[first : frame + reach + 1]
        if len(near):
            rows.append((first + int(np.argmax(near)), float(near.max()) / hard))
    return rows
