"""Repair the seam between two stretches of motion (methods: Connecting two clips; Loops).

All functions take rows of channels (F, C), one row per frame; see `tracks`.
"""

import numpy as np

from ...motion.quat import Array

POINTS = 3  # interpolation points on each side: M_{e−m} … M_{e−m−i}, i = 2, inclusive ([Shibuta])
SEED_RATE = 30.0  # frames a second in [Shibuta], whose points are one frame apart


def fade(count: int) -> Array:
    """Return the weights (count,) for fading a motion in, from near 0 to near 1, smooth at both ends (Kovar 2002).

    1 − α with α(p) = 2((p+1)/k)³ − 3((p+1)/k)² + 1, k = count + 1.

    Example:
        >>> from action_loom.core.weave.seam import repairs
        >>> repairs.fade(3).round(2).tolist()
        [0.16, 0.5, 0.84]
    """
    at = (np.arange(count) + 1.0) / (count + 1.0)
    return at * at * (3.0 - 2.0 * at)


def ease_before(rows: Array, start: int, length: int, count: int) -> Array:
    """Return one cycle (L, C) whose last `count` frames fade into the frames before its start."""
    cycle = rows[start : start + length].copy()
    share = fade(count)[:, None]
    cycle[length - count :] = (1.0 - share) * cycle[length - count :] + share * rows[start - count : start]
    return cycle


def ease_after(rows: Array, start: int, length: int, count: int) -> Array:
    """Return one cycle (L, C) whose first `count` frames fade out of the frames after its end."""
    cycle = rows[start : start + length].copy()
    share = fade(count)[:, None]
    cycle[:count] = (1.0 - share) * rows[start + length : start + length + count] + share * cycle[:count]
    return cycle


def offset(rows: Array, start: int, length: int, settle: float) -> Array:
    """Return one cycle (L, C) with the gap spread over it, and the velocity difference spread near its ends.

    The gap e is spread as e(½ − t/L); half of the velocity difference at each end as t·exp(−2t/τ), τ = `settle` frames
    (Holden 2022).
    """
    cycle = rows[start : start + length]
    t = np.arange(length)[:, None]
    gap = rows[start + length] - rows[start]
    change = _velocity(rows, start + length) - _velocity(rows, start)
    begin = 0.5 * change * t * np.exp(-2.0 * t / settle)
    left = length - t
    end = 0.5 * change * left * np.exp(-2.0 * left / settle)
    return cycle + gap * (0.5 - t / length) + begin + end


def spread(rows: Array, missing: int) -> Array:
    """Return one cycle (F − 1 + missing, C) of rows (F, C) with ends that meet, or nearly.

    missing : frames from the last row to the first again, added at the mean velocity of both ends. The remaining gap is
        spread over the cycle; its first row is unchanged
    """
    moving = 0.5 * (rows[1] - rows[0] + rows[-1] - rows[-2])
    ahead = rows[-1] + np.arange(1, missing + 1)[:, None] * moving
    whole = np.concatenate([rows, ahead])
    share = np.linspace(0.0, 1.0, len(whole))[:, None]
    return (whole - share * (whole[-1] - whole[0]))[:-1]


def _velocity(rows: Array, frame: int) -> Array:
    before, after = max(frame - 1, 0), min(frame + 1, len(rows) - 1)
    return (rows[after] - rows[before]) / (after - before)


def inertial(before: Array, after: Array, reach: int, half_life: float) -> Array:
    """Return the frames from −reach to reach (2·reach + 1, C) of two tracks joined in the middle by inertialization.

    before, after (2·reach + 1, C) : the tracks used up to the middle, and from there on
    Each track takes half of the gap. Gap and velocity difference decay on both sides like a critically damped spring
    (Holden 2021) of this half-life in frames, and reach exactly zero at ±reach.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.weave.seam import repairs
        >>> before, after = np.zeros((7, 1)), np.ones((7, 1))
        >>> repairs.inertial(before, after, 3, 1.0)[:, 0].round(1).tolist()
        [0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0]
    """
    rate = 2.0 * np.log(2.0) / half_life
    gap = after[reach] - before[reach]
    # One-sided velocities of second order, because each track may end at the middle.
    change = _setting_out(after[reach:]) + _setting_out(before[reach::-1])
    away = np.arange(len(before)) - reach
    time = np.abs(away)[:, None].astype(float)
    rest = 1.0 - np.clip(time / (reach + 1.0), 0.0, 1.0)
    decay = np.exp(-rate * time) * rest * rest * (3.0 - 2.0 * rest)
    left = before + decay * (0.5 * gap + (-0.5 * change + rate * 0.5 * gap) * time)
    entered = after - decay * (0.5 * gap + (0.5 * change + rate * 0.5 * gap) * time)
    return np.where(away[:, None] <= 0, left, entered)


def _setting_out(rows: Array) -> Array:
    """Return the velocity (C,) at the first row, of second order given three rows."""
    if len(rows) > 2:
        return np.asarray(-1.5 * rows[0] + 2.0 * rows[1] - 0.5 * rows[2])
    return np.asarray(rows[1] - rows[0])


def bridge(before: Array, after: Array, half: int, spacing: int, kind: str) -> Array:
    """Return the frames (2·half, C) between two stretches, on a curve through three points of each ([Shibuta]).

    before, after (·, C) : frames up to the gap and from its end on; spacing : frames from point to point
    kind : "lagrange", Lagrange's polynomial, or "spline", a natural cubic spline

    Example:
        >>> import numpy as np
        >>> from action_loom.core.weave.seam import repairs
        >>> line = np.arange(10.0)[:, None]  # its frames 4 and 5 are missing
        >>> repairs.bridge(line[:4], line[6:], 1, 1, "lagrange")[:, 0].round(3).tolist()
        [4.0, 5.0]
    """
    reach = np.arange(POINTS) * spacing
    points = np.concatenate([before[-1 - reach[::-1]], after[reach]])
    # The seam is at 0, half a frame from its neighbouring frames.
    at: Array = np.concatenate([-reach[::-1] - half - 0.5, reach + half + 0.5])
    frames: Array = np.arange(-half + 0.5, half)
    basis = _lagrange(at, frames) if kind == "lagrange" else _natural_spline(at, frames)
    return np.asarray(basis @ points)


def _lagrange(at: Array, frames: Array) -> Array:
    """Return the weights (K, N) of values at N positions in their interpolating polynomial at K other positions."""
    basis = np.ones((len(frames), len(at)))
    for n in range(len(at)):
        for other in range(len(at)):
            if other != n:
                basis[:, n] *= (frames - at[other]) / (at[n] - at[other])
    return basis


def _natural_spline(at: Array, frames: Array) -> Array:
    """Return the weights (K, N) of values at N positions in their natural cubic spline at K positions between them."""
    count, steps = len(at), np.diff(at)
    # Second derivatives of the splines that are 1 at one position and 0 at the others, for all positions at once.
    system, right = np.eye(count), np.zeros((count, count))
    for k in range(1, count - 1):
        system[k, k - 1 : k + 2] = steps[k - 1], 2.0 * (steps[k - 1] + steps[k]), steps[k]
        right[k, k - 1 : k + 2] = 6.0 / steps[k - 1], -6.0 / steps[k - 1] - 6.0 / steps[k], 6.0 / steps[k]
    curvatures = np.linalg.solve(system, right)
    piece = np.clip(np.searchsorted(at, frames, side="right") - 1, 0, count - 2)
    step = steps[piece][:, None]
    b = ((frames - at[piece]) / steps[piece])[:, None]
    a = 1.0 - b
    values = np.eye(count)
    curved = ((a**3 - a) * curvatures[piece] + (b**3 - b) * curvatures[piece + 1]) * step**2 / 6.0
    return np.asarray(a * values[piece] + b * values[piece + 1] + curved)
