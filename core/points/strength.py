"""The strength of smoothing of points, from a spectrum of their noise that bone lengths show (methods: Points).

Motion does not change the distance between the ends of a bone. Its changes are noise, even slow ones that would look
like motion in a single point.
"""

from typing import NamedTuple

import numpy as np

from ..motion.quat import Array
from . import body, gaps
from .noise import Noise, variances_of
from .track import Track

_STRENGTHS = 10.0 ** np.arange(-1.5, 5.01, 0.25)
_SEEN = 0.3  # share of frames in which both ends of a bone must be measured
_MOST_SIGMAS = 4.0  # standard deviations from the median length; a bone's length is clipped to this range
_SIGMA_OF_MEDIAN = 1.4826  # standard deviation of normal noise over its median absolute deviation
# The spectrum of noise is averaged over its neighbours up to this share of the frequency plus this number of
# frequencies, on each side.
_AROUND = (0.15, 2)
_LEVELS = (0.8, 9.0)  # limits of a series' noise, from its third differences, relative to the bones' noise
# If the noise of points exceeds that of bones by this factor, the file has rigid bones, whose lengths show no noise.
_RIGID = 25.0
_COST_OF_FREEDOM = 1.6  # factor of cross-validation: more than 1, because correlated noise looks like motion [Cummins]
# Factors of the duration over which points are smoothed. The strength with the least error follows fast movements too
# slowly.
_OF_RISK, _OF_VALIDATION = 0.9, 0.66


class OfBones(NamedTuple):
    """The noise of a point along one axis, estimated from the lengths of bones.

    power (K,) : at each frequency; unit : the variance of its fast part
    rigid : whether bones are rigid in the file, so that their lengths show no noise
    """

    power: Array
    unit: float
    rigid: bool


def find(series: Array, bones: OfBones) -> Array:
    """Return the strength λ (S,) of smoothing that gives the least expected error of series (F, S) [Stein].

    If bones are rigid, it is found by generalised cross-validation [Craven].

    series : weighted sums of coordinates, each divided by its noise
    """
    power, count = _power(series)
    third = _third(count)
    levels = np.clip(variances_of(np.diff(series, 3, axis=0)) / bones.unit, *_LEVELS)
    scores = []
    for strength in _STRENGTHS:
        left = strength * third / (1.0 + strength * third)  # the share of each frequency removed by smoothing
        lost = (count[:, None] * np.square(left)[:, None] * power).sum(axis=0)
        if bones.rigid:
            freedom = max(1.0 - _COST_OF_FREEDOM * (count * (1.0 - left)).sum() / count.sum(), 1e-3)
            scores.append(lost / freedom**2)
        else:
            scores.append(lost + 2.0 * (count * (1.0 - left) * bones.power).sum() * levels)
    best = np.asarray(_STRENGTHS[np.argmin(scores, axis=0)])
    return best * (_OF_VALIDATION if bones.rigid else _OF_RISK) ** 6


def _third(count: Array) -> Array:
    """Return the factor by which taking third differences multiplies the power at each frequency."""
    return np.asarray((2.0 * np.sin(np.pi * np.arange(len(count)) / count.sum())) ** 6)


def _power(values: Array) -> tuple[Array, Array]:
    """Return the power (K, …) of values (F, …) at each frequency, and how often each frequency occurs (K,).

    An odd reflection of the values at both ends makes them periodic.
    """
    line = np.linspace(0.0, 1.0, len(values)).reshape(-1, *[1] * (values.ndim - 1))
    straight = values - (values[0] + line * (values[-1] - values[0]))
    mirrored = np.concatenate([straight, -straight[-2:0:-1]])
    power = np.square(np.abs(np.fft.rfft(mirrored, axis=0)))
    count = np.full(len(power), 2.0)
    count[[0, -1]] = 1.0  # the mirrored curve has an even number of frames
    return power, count


def noise_of_bones(track: Track, noise: Noise) -> OfBones:
    """Return the noise that the lengths of a track's bones show."""
    changes = []
    for one, other, share in body.bones_between(track.names):
        first, second = track.columns((one, other))
        both = track.measured[:, first] & track.measured[:, second]
        if share < 1.0 or both.mean() < _SEEN:
            continue
        lengths = np.linalg.norm(track.places[:, first] - track.places[:, second], axis=1)
        off = lengths - np.median(lengths[both])
        most = _MOST_SIGMAS * _SIGMA_OF_MEDIAN * np.median(np.abs(off[both]))
        filled = gaps.fill_across(np.clip(off, -most, most)[:, None], both)
        changes.append(filled[:, 0] / np.sqrt(both.mean()))
    power, count = _power(np.stack(changes, axis=1) if changes else np.zeros((len(track), 1)))
    mean = 0.5 * power.mean(axis=1)  # a bone has the noise of both its ends
    sums = np.concatenate([[0.0], np.cumsum(mean)])
    at = np.arange(len(mean))
    low = np.maximum(np.floor(at * (1.0 - _AROUND[0])).astype(np.int64) - _AROUND[1], 1)
    high = np.minimum(np.ceil(at * (1.0 + _AROUND[0])).astype(np.int64) + _AROUND[1], len(mean) - 1)
    smoothed = np.asarray((sums[high + 1] - sums[low]) / (high + 1 - low))
    third = _third(count)
    unit = max(float((third * smoothed).sum() / third.sum()), 1e-30) / float(count.sum())
    return OfBones(smoothed, unit, bool(np.median(noise.variances.mean(axis=1)) > _RIGID * unit))
