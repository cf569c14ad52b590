"""Noise of joints, measured and removed without a cutoff (methods: Filtering).

Every joint, in every short window, gets the low-pass for which Stein's unbiased estimate of the error left is least:
stillness is smoothed much, a blow hardly. Shaking that could be motion at the frame rate is left alone.
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
HOPS = 8  # windows that begin within the length of one
CUTOFFS = 24  # low-passes that are tried, from one half-wave a window to all
ORDER = 4  # of their slopes, as of a cubic smoothing spline
CAUTION = 1.5  # noise counts as so much of its variance: the least of many estimates is too low
NEIGHBOURS = 2  # windows to each side that choose together
DIFFERENCES = 8  # order of the differences that measure noise; motion is gone from them
QUIET = 0.3  # the share of pieces where least moves fast; noise is the same everywhere
PIECE = 3  # frames; a step or a blow makes few of them loud
QUIET_BIAS = 1.3  # noise in all pieces over that in the quiet ones
FEWEST = 24  # frames
# Radians a second times a frame's length: what clean captures shake by, the median joint and almost any single one.
BODY_SHAKES, JOINT_SHAKES = np.radians(10.0), np.radians(20.0)
PLACE_SHAKES = 0.017  # body heights a second times a frame's length
ALIKE = 1.1  # times the median joint, up to which a joint's shaking is noise
_LEVEL = 0.06  # s; the line at each end about whose beginning a clip is reflected
_BLOCK = 256  # windows that are transformed at a time
_TANGENT = 3.0  # directions in which the four numbers of a quaternion can change


def level(values: Array) -> Array:
    """Return the root mean square of white noise in samples (F, J, D) of joints, as high differences show it where it
    is quiet: (J,), zeros for less than 24 samples, which are too few to measure.
    """
    if len(values) < FEWEST:
        return np.zeros(values.shape[1])
    high = np.diff(values, n=DIFFERENCES, axis=0) / np.sqrt(comb(2 * DIFFERENCES, DIFFERENCES))
    energy = (high**2).sum(axis=2)
    pieces = np.stack([piece.mean(axis=0) for piece in np.array_split(energy, max(1, len(energy) // PIECE))])
    return np.asarray(np.sqrt(np.quantile(pieces, QUIET, axis=0)) * QUIET_BIAS)


def told_from_motion(levels: Array, body: Flags, rate: float) -> Array:
    """Return which part of measured levels (J,), radians, is noise: fast motion shakes a joint, noise all or one much.

    body (J,) : the joints whose median is the clip's

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

    body (J,) : the joints that tell whether all shake, not one; None for all. Joints without noise stay to the bit.

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
    """Return places (F, J, 3) without noise; height : the body's, metres."""
    found = level(places) / np.sqrt(places.shape[2])
    return _without(places, np.where(found > PLACE_SHAKES * height / rate, found, 0.0), rate)


def _without(values: Array, deviation: Array, rate: float) -> Array:
    """Return samples (F, J, D) of joints with noise of a standard deviation (J,) without it."""
    frames, width = len(values), values.shape[2]
    noisy = deviation > 1e-12 * np.abs(values).max(axis=(0, 2), initial=1.0)
    if frames < FEWEST or not noisy.any():
        return values.copy()
    size = min(frames, max(8, round(WINDOW * rate)))
    scaled = (values[:, noisy] / deviation[noisy][:, None]).reshape(frames, -1)
    padded = _padded(scaled, size - 1, max(2, round(_LEVEL * rate)))
    starts = np.unique(np.append(np.arange(0, len(padded) - size, max(1, size // HOPS)), len(padded) - size))
    basis, kept = _cosines(size), _low_passes(size)
    chosen = _chosen(padded, starts, basis, kept, width)
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


def _chosen(padded: Array, starts: Array, basis: Array, kept: Array, width: int) -> Array:
    """Return which low-pass (N, J) leaves the least error in each window of each joint: Stein's unbiased estimate."""
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


def _padded(values: Array, reach: int, level_frames: int) -> Array:
    """Return samples (F, K) continued by their reflections about the beginnings of lines at both ends."""
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
    """Return which share of each wave (size, C) the low-passes keep; the last one keeps all."""
    cutoffs = np.geomspace(1.0, size, CUTOFFS)
    kept = 1.0 / (1.0 + (np.arange(size)[:, None] / cutoffs) ** ORDER)
    return np.concatenate([kept, np.ones((size, 1))], axis=1)
