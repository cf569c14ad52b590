"""Measure and remove the noise of joints without a cutoff (methods: Filtering).

Every joint, in every short window, gets the low-pass with the least remaining error according to Stein's unbiased risk
estimate: still parts are smoothed strongly, a blow hardly. Shaking that could be motion at the frame rate is kept.
"""

from collections.abc import Iterator
from functools import cache
from math import comb

import numpy as np

from ..motion import quat
from ..motion.quat import Array
from . import low_pass
from .spikes import Flags

WINDOW = 0.6  # s
HOPS = 8  # overlapping windows per window length
CUTOFFS = 24  # number of low-passes tried, from one half-wave per window to all
ORDER = 4  # order of the slopes of these low-passes, as for a cubic smoothing spline
CAUTION = 1.5  # factor on the noise variance, because the least of many estimates is biased low
NEIGHBOURS = 2  # windows to each side that choose jointly
DIFFERENCES = 8  # order of the differences that measure noise; they eliminate motion
QUIET = 0.3  # share of pieces with the least motion; noise is equal everywhere
PIECE = 3  # frames; a step or a blow affects few pieces
QUIET_BIAS = 1.3  # ratio of the noise in all pieces to the quiet ones
FEWEST = 24  # frames
# Radians a second times a frame's length: shaking of clean captures, in the median joint and in nearly any single one.
BODY_SHAKES, JOINT_SHAKES = np.radians(10.0), np.radians(20.0)
PLACE_SHAKES = 0.017  # body heights a second times a frame's length
ALIKE = 1.1  # times the median joint; a joint that shakes by no more than this is taken to shake from noise
_LEVEL = 0.06  # s; line fitted at each end, about whose beginning a clip is reflected
_BLOCK = 256  # windows transformed per block
_TANGENT = 3.0  # degrees of freedom of a unit quaternion


def level(values: Array) -> Array:
    """Return the root mean square (J,) of white noise in samples (F, J, D), from high-order differences in quiet parts.

    Returns zeros for fewer than 24 samples, which are too few to measure.
    """
    if len(values) < FEWEST:
        return np.zeros(values.shape[1])
    high = np.diff(values, n=DIFFERENCES, axis=0) / np.sqrt(comb(2 * DIFFERENCES, DIFFERENCES))
    energy = (high**2).sum(axis=2)
    pieces = np.stack([piece.mean(axis=0) for piece in np.array_split(energy, max(1, len(energy) // PIECE))])
    return np.asarray(np.sqrt(np.quantile(pieces, QUIET, axis=0)) * QUIET_BIAS)


def told_from_motion(levels: Array, body: Flags, rate: float) -> Array:
    """Return the part of levels (J,), radians, that is noise: fast motion shakes one joint, noise all or one much.

    body (J,) : joints used for the clip's median

    Example:
        >>> import numpy as np
        >>> from action_loom.core.edit import noise
        >>> every = np.ones(3, dtype=bool)
        >>> noise.told_from_motion(np.radians([0.1, 0.2, 0.7]), every, 24.0).round(4).tolist()
        [0.0, 0.0, 0.0]
        >>> np.degrees(noise.told_from_motion(np.radians([0.4, 0.5, 0.7]), every, 24.0)).round(2).tolist()
        [0.4, 0.5, 0.55]
        >>> np.degrees(noise.told_from_motion(np.radians([0.1, 0.2, 2.0]), every, 24.0)).round(2).tolist()
        [0.0, 0.0, 2.0]
    """
    measured = levels[body & (levels > 0.0)]
    usual = float(np.median(measured)) if len(measured) else 0.0
    limit = ALIKE * usual if usual > BODY_SHAKES / rate else 0.0
    return np.where(levels > max(limit, JOINT_SHAKES / rate), levels, np.minimum(levels, limit))


def rotations(turns: Array, rate: float, body: Flags | None = None) -> tuple[Array, Array]:
    """Return rotations (F, J, 4) without noise, signs kept, and the noise found (J,), radians.

    body (J,) : joints used to decide whether all shake; None for all. Joints without noise are bit-identical.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.edit import noise
        >>> from action_loom.core.motion import quat
        >>> turn = quat.about_axis("X", 0.5 * np.sin(np.arange(300) / 30.0))[:, None]
        >>> shaken = quat.mul(turn, quat.exp(np.random.default_rng(1).normal(size=(300, 1, 3)) * 0.02))
        >>> smooth, found = noise.rotations(shaken, 60.0)
        >>> error = lambda made: np.abs(quat.log(quat.mul(quat.inv(turn), made))).mean()
        >>> bool(error(smooth) < 0.4 * error(shaken)), found.round(2).tolist()
        (True, [0.02])
    """
    numbers = quat.continuous(turns)
    every = np.ones(turns.shape[1], dtype=bool)
    found = told_from_motion(2.0 * level(numbers) / np.sqrt(_TANGENT), every if body is None else body, rate)
    noisy, smooth = found > 0.0, turns.copy()
    if noisy.any():
        made = quat.normalize(_without(numbers[:, noisy], 0.5 * found[noisy], rate))
        smooth[:, noisy] = quat.same_side(made, turns[:, noisy])
    return smooth, found


def translations(places: Array, rate: float, height: float) -> Array:
    """Return translations (F, J, 3) without noise; height : of the body, metres."""
    found = level(places) / np.sqrt(places.shape[2])
    return _without(places, np.where(found > PLACE_SHAKES * height / rate, found, 0.0), rate)


def _without(values: Array, deviation: Array, rate: float) -> Array:
    """Return samples (F, J, D) after removing noise with a standard deviation (J,)."""
    frames, width = len(values), values.shape[2]
    noisy = deviation > 1e-12 * np.abs(values).max(axis=(0, 2), initial=1.0)
    if frames < FEWEST or not noisy.any():
        return values.copy()
    size = min(frames, max(8, round(WINDOW * rate)))
    scaled = (values[:, noisy] / deviation[noisy][:, None]).reshape(frames, -1)
    padded = _pad_samples(scaled, size - 1, max(2, round(_LEVEL * rate)))
    starts = np.unique(np.append(np.arange(0, len(padded) - size, max(1, size // HOPS)), len(padded) - size))
    basis, kept = _cosines(size), _low_passes(size)
    chosen = _choose_low_pass(padded, starts, basis, kept, width)
    weight = np.sin(np.pi * (np.arange(size) + 0.5) / size) ** 2
    total, weights = np.zeros_like(padded), np.zeros(len(padded))
    for block in _blocks(len(starts)):
        waves = _windows(padded, starts[block], basis)
        waves *= np.repeat(kept.T[chosen[block]].transpose(0, 2, 1), width, axis=2)
        smooth = np.tensordot(waves, basis, axes=(1, 0)).transpose(0, 2, 1) * weight[:, None]
        for start, window in zip(starts[block], smooth, strict=True):
            total[start : start + size] += window
            weights[start : start + size] += weight
    own = (total / weights[:, None])[size - 1 : size - 1 + frames]
    result = values.copy()
    result[:, noisy] = own.reshape(frames, -1, width) * deviation[noisy][:, None]
    return result


def _choose_low_pass(padded: Array, starts: Array, basis: Array, kept: Array, width: int) -> Array:
    """Return the low-pass (N, J) with the least error per window and joint, by Stein's unbiased risk estimate."""
    freedom = 2.0 * CAUTION * min(width, _TANGENT) * kept.sum(axis=0)
    risks = []
    for block in _blocks(len(starts)):
        energy = _windows(padded, starts[block], basis) ** 2
        energy = energy.reshape(*energy.shape[:2], -1, width).sum(axis=3)
        risks.append(np.tensordot(energy, (1.0 - kept) ** 2, axes=(1, 0)) + freedom)
    risk = np.concatenate(risks)
    beside = np.concatenate([risk[:1]] * NEIGHBOURS + [risk] + [risk[-1:]] * NEIGHBOURS)
    together = sum(beside[k : k + len(risk)] for k in range(2 * NEIGHBOURS + 1))
    return np.asarray(np.argmin(together, axis=2))


def _windows(padded: Array, starts: Array, basis: Array) -> Array:
    """Return the cosine transforms (N, W, K) of windows of samples (F, K)."""
    windows = padded[starts[:, None] + np.arange(len(basis))]
    return np.asarray(np.matmul(basis, windows))


def _blocks(count: int) -> Iterator[slice]:
    return (slice(first, min(first + _BLOCK, count)) for first in range(0, count, _BLOCK))


def _pad_samples(values: Array, reach: int, level_frames: int) -> Array:
    """Return samples (F, K) extended by reflection about the beginnings of fitted lines at both ends."""
    before = 2.0 * low_pass.beginning(values[: level_frames + 1]) - values[1 : reach + 1][::-1]
    after = 2.0 * low_pass.beginning(values[: -level_frames - 2 : -1]) - values[-reach - 1 : -1][::-1]
    return np.concatenate([before, values, after])


@cache
def _cosines(size: int) -> Array:
    """Return the orthonormal cosine transform (size, size), one wave a row."""
    waves = np.cos(np.pi * (np.arange(size) + 0.5) * np.arange(size)[:, None] / size) * np.sqrt(2.0 / size)
    waves[0] *= np.sqrt(0.5)
    return np.asarray(waves)


@cache
def _low_passes(size: int) -> Array:
    """Return the share of each wave (size, C) that the low-passes keep; the last one keeps all."""
    cutoffs = np.geomspace(1.0, size, CUTOFFS)
    kept = 1.0 / (1.0 + (np.arange(size)[:, None] / cutoffs) ** ORDER)
    return np.concatenate([kept, np.ones((size, 1))], axis=1)
