"""The noise of points, measured by their third differences, and its axes if it is larger in one (methods: Points)."""

from dataclasses import dataclass

import numpy as np

from ..motion.quat import Array
from .track import Track

_OF_THIRD = 20.0  # variance of the third difference of white noise of variance 1: 1 + 9 + 9 + 1
_SIGMA_OF_MEDIAN = 1.4826
_APART = 2.0  # if the variance along one axis exceeds the mean of the others by this factor, the noise has axes
_LARGEST = 0.95  # quantile of third differences; larger ones are motion or jumps
LEAST = 1e-4  # m; lower limit of the measured standard deviation
LEAST_TOLD = 1e-3  # m; least standard deviation of noise in depth in a report


@dataclass(frozen=True, eq=False)
class Noise:
    """The noise of a track.

    axes (3, 3) : the axes along which it is measured, as columns
    variances (P, 3) : of each point along these axes, m²
    share (3,) : variance along each axis, relative to the mean of the axes
    deep : whether one axis is much noisier than the others
    """

    axes: Array
    variances: Array
    share: Array
    deep: bool

    @property
    def deviation(self) -> float:
        """The median standard deviation of a point over all three axes, in metres."""
        return float(np.sqrt(np.median(self.variances.sum(axis=1))))


def measure(track: Track) -> Noise:
    """Return the noise of the measured points of a track."""
    known = track.measured[3:] & track.measured[2:-1] & track.measured[1:-2] & track.measured[:-3]
    third = np.diff(track.places, 3, axis=0)
    rows = third[known]
    if len(rows) < 10:
        return Noise(np.eye(3), np.full((len(track.names), 3), LEAST**2), np.ones(3), False)
    sizes = np.linalg.norm(rows, axis=1)
    rows = rows[sizes <= np.quantile(sizes, _LARGEST)]
    values, axes = np.linalg.eigh(rows.T @ rows / len(rows))
    deep = bool(values[2] > max(_APART * 0.5 * (values[0] + values[1]), _OF_THIRD * LEAST_TOLD**2))
    axes = axes if deep else np.eye(3)
    turned = np.where(known[..., None], third @ axes, np.nan)
    columns = [turned[known[:, p], p] if known[:, p].any() else np.zeros((1, 3)) for p in range(len(track.names))]
    variances = np.maximum([variances_of(one) for one in columns], LEAST**2)
    share = np.median(variances, axis=0)
    return Noise(axes, variances, share / share.mean() if deep else np.ones(3), deep)


def variances_of(third: Array) -> Array:
    """Return the variances (...) of white noise with these third differences (F, ...).

    Example:
        >>> import numpy as np
        >>> from action_loom.core.points import noise
        >>> float(noise.variances_of(np.array([-1.0, 1.0, 3.0])).round(3))
        0.11
    """
    return np.asarray((_SIGMA_OF_MEDIAN * np.median(np.abs(third), axis=0)) ** 2 / _OF_THIRD)
