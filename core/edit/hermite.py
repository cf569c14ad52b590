"""Cubic Hermite curves that go from knot to knot without overshooting (methods 19)."""

import numpy as np

from ..motion.quat import Array


def monotone_slopes(times: Array, values: Array, ends: tuple[float | None, float | None] = (0.0, 0.0)) -> Array:
    """Return slopes (K, D) at knots with which no column of a curve leaves the range of two neighbouring knots.

    times (K,), increasing; values (K, D); ends : slopes at the first and the last knot, None for that of the line to
    the knot beside it. [Fritsch], with the weighted harmonic mean of Fritsch and Butland.
    """
    slopes = np.zeros_like(values)
    if len(times) < 2:
        return slopes
    steps = np.diff(times)[:, None]
    lines = np.diff(values, axis=0) / steps
    one, other = lines[:-1], lines[1:]
    before, after = steps[:-1], steps[1:]
    weight_one, weight_other = 2.0 * after + before, after + 2.0 * before
    same = one * other > 0.0
    safe_one, safe_other = np.where(same, one, 1.0), np.where(same, other, 1.0)
    mean = (weight_one + weight_other) / (weight_one / safe_one + weight_other / safe_other)
    slopes[1:-1] = np.where(same, mean, 0.0)
    for end, line, given in ((0, lines[0], ends[0]), (-1, lines[-1], ends[1])):
        # Three times the line's slope is as steep as an end can be without overshooting.
        slopes[end] = line if given is None else np.where(line * given >= 0.0, _least(given, 3.0 * line), 0.0)
    return slopes


def _least(given: float, limit: Array) -> Array:
    return np.asarray(np.sign(given) * np.minimum(abs(given), np.abs(limit)))


def evaluate(times: Array, values: Array, slopes: Array, at: Array) -> Array:
    """Return the curve (F, D) through knots at times (F,); outside the knots it holds its ends.

    times (K,), increasing; values and slopes (K, D).
    """
    if len(times) == 1:
        return np.repeat(values, len(at), axis=0)
    within = np.clip(at, times[0], times[-1])
    left = np.clip(np.searchsorted(times, within, side="right") - 1, 0, len(times) - 2)
    step = (times[left + 1] - times[left])[:, None]
    u = (within - times[left])[:, None] / step
    squared = u * u
    rise = squared * (3.0 - 2.0 * u)
    start, end = values[left], values[left + 1]
    bend = slopes[left] * step * u * (1.0 - u) ** 2 - slopes[left + 1] * step * squared * (1.0 - u)
    found = (1.0 - rise) * start + rise * end + bend
    exact = u[:, 0] == 0.0
    found[exact] = values[left[exact]]
    exact = u[:, 0] == 1.0
    found[exact] = values[left[exact] + 1]
    return np.asarray(found)


def steepest(times: Array, values: Array, slopes: Array) -> tuple[Array, Array]:
    """Return the least and the greatest slope (K − 1,) of a curve of one column between each two knots."""
    step = np.diff(times)
    line = np.diff(values[:, 0]) / step
    one, other = slopes[:-1, 0], slopes[1:, 0]
    # The slope is a parabola: its ends, and its middle where that lies within.
    square, linear = 3.0 * (one + other - 2.0 * line), -2.0 * (2.0 * one + other - 3.0 * line)
    at = np.where(square != 0.0, -linear / np.where(square != 0.0, 2.0 * square, 1.0), -1.0)
    inner = np.where((at > 0.0) & (at < 1.0), square * at * at + linear * at + one, one)
    every = np.stack([one, other, inner])
    return np.asarray(every.min(axis=0)), np.asarray(every.max(axis=0))
