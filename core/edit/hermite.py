"""Monotone cubic Hermite curves through numbers or vectors, without overshooting.

Method: Warping in space and time.
"""

import numpy as np

from ..motion.quat import Array


def monotone_slopes(times: Array, values: Array, ends: tuple[float | None, float | None] = (0.0, 0.0)) -> Array:
    """Return slopes (K, …, D) at knots with which curves through vectors do not overshoot.

    times (K,), increasing; values (K, …, D); ends : slopes of all columns at the first and the last knot, None for the
        slope of the line to the next knot. In one dimension, and for collinear knots, these are the slopes of [Fritsch]
        with the weighted harmonic mean of Fritsch and Butland. Slopes rotate and reflect with the knots, unlike slopes
        computed for each column separately.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.edit import hermite
        >>> values = np.array([[0.0], [0.0], [1.0], [2.0]])
        >>> hermite.monotone_slopes(np.arange(4.0), values)[:, 0].tolist()
        [0.0, 0.0, 1.0, 0.0]
    """
    slopes = np.zeros_like(values)
    if len(times) < 2:
        return slopes
    steps = _align_axes(np.diff(times), values)
    lines = np.diff(values, axis=0) / steps
    slopes[1:-1] = _between(lines[:-1], lines[1:], steps[:-1], steps[1:])
    for end, line, slope in ((0, lines[0], ends[0]), (-1, lines[-1], ends[1])):
        # An end slope above three times the line's slope overshoots [Fritsch].
        slopes[end] = line if slope is None else np.where(line * slope > 0.0, _least(slope, 3.0 * line), 0.0)
    return slopes


def _align_axes(times: Array, values: Array) -> Array:
    """Return times (F,) with the number of axes of values (F, …, D)."""
    return times.reshape(-1, *[1] * (values.ndim - 1))


def _between(one: Array, other: Array, before: Array, after: Array) -> Array:
    """Return slopes (N, …, D) at knots between two lines (N, …, D): their harmonic mean; 0 where the curve turns back.

    The inverse of a vector v is v / |v|², so the mean of parallel vectors equals the mean of numbers. At an angle it
    shrinks with the cosine, so that it reaches 0 continuously at a right angle.
    """
    lengths = [np.linalg.norm(line, axis=-1, keepdims=True) for line in (one, other)]
    moving = (lengths[0] > 0.0) & (lengths[1] > 0.0)
    first, second = (np.where(moving, length, 1.0) for length in lengths)
    directions = one / first, other / second
    cosine = np.clip((directions[0] * directions[1]).sum(axis=-1, keepdims=True), 0.0, 1.0)
    # Both lengths are divided by the greater one, so that very small and large ones do not overflow.
    greater = np.maximum(first, second)
    first, second = first / greater, second / greater
    sooner, later = 2.0 * after + before, after + 2.0 * before
    inverse = sooner * second * directions[0] + later * first * directions[1]
    size = np.where(moving & (cosine > 0.0), np.linalg.norm(inverse, axis=-1, keepdims=True), np.inf)
    return np.asarray((sooner + later) * cosine * greater * first * second * (inverse / size) / size)


def _least(slope: float, limit: Array) -> Array:
    return np.asarray(np.sign(slope) * np.minimum(abs(slope), np.abs(limit)))


def evaluate(times: Array, values: Array, slopes: Array, at: Array) -> Array:
    """Return curves (F, …, D) through knots, sampled at times (F,): exact at knots, constant outside them.

    times (K,), increasing; values and slopes (K, …, D).

    Example:
        >>> import numpy as np
        >>> from action_loom.core.edit import hermite
        >>> times, values = np.array([0.0, 10.0]), np.array([[0.0], [1.0]])
        >>> hermite.evaluate(times, values, np.zeros((2, 1)), np.array([-5.0, 2.5, 5.0, 10.0]))[:, 0].tolist()
        [0.0, 0.15625, 0.5, 1.0]
    """
    if len(times) == 1:
        return np.repeat(values, len(at), axis=0)
    within = np.clip(at, times[0], times[-1])
    left = np.clip(np.searchsorted(times, within, side="right") - 1, 0, len(times) - 2)
    step = times[left + 1] - times[left]
    u = (within - times[left]) / step
    rise, out, back = u * u * (3.0 - 2.0 * u), step * u * (1.0 - u) ** 2, step * u * u * (1.0 - u)
    rise, out, back = (_align_axes(shares, values) for shares in (rise, out, back))
    bend = out * slopes[left] - back * slopes[left + 1]
    return np.asarray((1.0 - rise) * values[left] + rise * values[left + 1] + bend)


def steepest(times: Array, values: Array, slopes: Array) -> tuple[Array, Array]:
    """Return the least and greatest slopes (K − 1,) of a one-column curve in each interval between knots."""
    line = np.diff(values[:, 0]) / np.diff(times)
    one, other = slopes[:-1, 0], slopes[1:, 0]
    # The slope is a parabola: its extremes are at its ends, or at its vertex if that lies between them.
    square, linear = 3.0 * (one + other - 2.0 * line), -2.0 * (2.0 * one + other - 3.0 * line)
    at = np.where(square != 0.0, -linear / np.where(square != 0.0, 2.0 * square, 1.0), -1.0)
    inner = np.where((at > 0.0) & (at < 1.0), square * at * at + linear * at + one, one)
    every = np.stack([one, other, inner])
    return np.asarray(every.min(axis=0)), np.asarray(every.max(axis=0))
