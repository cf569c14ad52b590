"""Smoothing splines of points, stronger where they move slowly (methods: Points)."""

import numpy as np

from ..motion import root_motion
from ..motion.quat import Array
from .noise import Noise
from .track import Track

_AROUND = 0.15  # s; sigma of the mean of third differences
_LEAST, _MOST, _FLOOR = 0.15, 20.0, 0.02  # of the factor of the strength over time
_ROUNDS = 4
_THIRD = np.array([-1.0, 3.0, -3.0, 1.0])


def smooth(track: Track, noise: Noise, strengths: Array) -> Track:
    """Return a smoothed track: it minimises Σ w|z − y|² + λ(t)|D³z|² with λ(t) around that of each point.

    strengths (P,) : λ, all 0 for a track that stays as it is
    """
    if not strengths.any() or len(track) < 5:
        return track
    values = track.places @ noise.axes
    weights = np.maximum(track.trust, 1e-3)[..., None] / noise.share
    over_time = np.broadcast_to(strengths, (len(track) - 3, len(strengths)))
    out = _fit(values, weights, over_time)
    for _ in range(_ROUNDS):
        bends = np.square(np.diff(out, 3, axis=0)).sum(axis=-1)
        local = root_motion.smooth(bends, _AROUND * track.rate) if len(bends) > 2 else bends
        mean = bends.mean(axis=0)
        factor = np.clip(mean / (local + _FLOOR * mean + 1e-30), _LEAST, _MOST)
        out = _fit(values, weights, strengths * factor)
    return track.of(out @ noise.axes.T)


def _fit(values: Array, weights: Array, strengths: Array) -> Array:
    """Return the curves (F, P, 3) that minimise the sum; strengths (F − 3, P)."""
    shape = values.shape
    lam = np.repeat(strengths, 3, axis=1)
    diagonals = _diagonals(weights.reshape(len(values), -1), lam)
    return solve_banded(diagonals, (weights * values).reshape(len(values), -1)).reshape(shape)


def _diagonals(weights: Array, strengths: Array) -> Array:
    """Return the diagonals (4, F, S) of diag(weights) + D³ᵀ · diag(strengths) · D³, from the main one outwards."""
    frames = len(weights)
    out = np.zeros((4, *weights.shape))
    out[0] = weights
    for apart in range(4):
        for k in range(4 - apart):
            out[apart, k : k + frames - 3] += strengths * (_THIRD[k] * _THIRD[k + apart])
    return out


def solve_banded(diagonals: Array, right: Array) -> Array:
    """Return the solutions (F, S) of S symmetric systems with seven diagonals, by LDLᵀ [Golub].

    diagonals (4, F, S) : the main one, then those beside it, in whose row i is the entry of i and i + k
    """
    frames, systems = right.shape
    pivots = np.empty((frames + 3, systems))
    pivots[-3:] = 1.0
    lower = np.zeros((3, frames + 3, systems))  # lower[k − 1][i] is the entry of L in row i + k, column i
    y = np.zeros((frames + 3, systems))
    for i in range(frames):
        pivot = diagonals[0, i].copy()
        one, two = diagonals[1, i].copy(), diagonals[2, i].copy()
        value = right[i].copy()
        for k in range(1, min(i, 3) + 1):
            j = i - k
            scaled = lower[k - 1, j] * pivots[j]
            pivot -= lower[k - 1, j] * scaled
            value -= lower[k - 1, j] * y[j]
            if k <= 2:
                one -= lower[k, j] * scaled
            if k <= 1:
                two -= lower[k + 1, j] * scaled
        pivots[i], y[i] = pivot, value
        lower[0, i], lower[1, i], lower[2, i] = one / pivot, two / pivot, diagonals[3, i] / pivot
    out = np.zeros((frames + 3, systems))
    for i in range(frames - 1, -1, -1):
        out[i] = y[i] / pivots[i] - lower[0, i] * out[i + 1] - lower[1, i] * out[i + 2] - lower[2, i] * out[i + 3]
    return out[:frames]
