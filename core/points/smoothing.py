"""Smoothing splines of points: of each by itself, then of the movements that they share (methods: Points)."""

import numpy as np

from ..motion.quat import Array
from . import strength
from .noise import Noise
from .track import Track

_LEVELS = (0.1, 10.0)  # limits of a point's noise variance, relative to the median of all points
_ROUNDS = 5  # iterations; each replaces values of low trust by a mix of the value and the current curve
_THIRD = np.array([-1.0, 3.0, -3.0, 1.0])


def smooth(track: Track, near: Track | None, noise: Noise, bones: strength.OfBones, amount: float) -> Track:
    """Return a smoothed track: each series y is replaced by the z that minimises Σ |z − y|² + λ|D³z|².

    Every series has a λ that depends on its noise.

    near : a track near the result; its principal components are the series. With None, each coordinate is a series
    amount : factor of all λ; 0 returns the track unchanged
    """
    if not amount:
        return track
    levels = noise.variances.mean(axis=1)
    sizes = np.sqrt(noise.share * np.clip(levels / np.median(levels), *_LEVELS)[:, None]).ravel()  # noise σ
    given, out = ((one.places @ noise.axes).reshape(len(track), -1) / sizes for one in (track, near or track))
    basis = np.eye(len(sizes))
    if near is not None:
        moves = np.diff(out, axis=0)
        basis = np.linalg.eigh(moves.T @ moves)[1]
    weights = np.repeat(np.clip(track.trust, 1e-3, 1.0), 3, axis=1)
    strengths = strength.find((out + weights * (given - out)) @ basis, bones) * amount
    over_time = np.broadcast_to(strengths, (len(track) - 3, len(strengths)))
    diagonals = _diagonals(np.ones_like(given), over_time)
    for _ in range(_ROUNDS):
        out = solve_banded(diagonals, (out + weights * (given - out)) @ basis) @ basis.T
    return track.of((out * sizes).reshape(track.places.shape) @ noise.axes.T)


def _diagonals(weights: Array, strengths: Array) -> Array:
    """Return diagonals (4, F, S) of diag(weights) + D³ᵀ · diag(strengths) · D³, beginning with the main diagonal."""
    frames = len(weights)
    out = np.zeros((4, *weights.shape))
    out[0] = weights
    for apart in range(4):
        for k in range(4 - apart):
            out[apart, k : k + frames - 3] += strengths * (_THIRD[k] * _THIRD[k + apart])
    return out


def solve_banded(diagonals: Array, right: Array) -> Array:
    """Return the solutions (F, S) of S symmetric systems with seven diagonals, by LDLᵀ [Golub].

    diagonals (4, F, S) : k = 0 is the main diagonal; row i of diagonal k has the matrix entry (i, i + k)
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
