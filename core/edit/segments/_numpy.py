"""The kernels of this package for numpy: the same numbers as `_numba`, except for rounding."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ...motion import quat
from ...motion.quat import Array

SHORT = 64  # frames; up to this length a segment is one matrix product
ROUNDING = 1e-12  # of a squared cosine
_FOUR = np.ones(4)


def segments(
    values: Array, wanted: Array, kind: int, axes: NDArray[np.int64], limit: float, kept: NDArray[np.int64], seam: Array
) -> tuple[NDArray[np.int64], Array]:
    """See `_numba.segments`."""
    count = len(values)
    if kind != 0:
        limit = 2.0 * np.sin(0.25 * min(limit, np.pi))
    frames, slopes = [0], [np.zeros((2, values.shape[1]))]
    stops = iter(kept.tolist())
    stop, at, leap = next(stops), 0, 1
    while at < count - 1:
        while stop <= at:
            stop = next(stops)
        most = stop - at
        good, bad, step = 0, most + 1, min(max(leap, 1), most)
        best = np.zeros((2, values.shape[1]))
        while good + 1 < bad:
            ends = (
                seam[0] if len(seam) and at == 0 else None,
                seam[1] if len(seam) and at + step == count - 1 else None,
            )
            fitted = _fit_slopes(values, wanted, (kind, axes), limit, at, step, ends)
            if fitted is not None:
                good, best = step, fitted
                step = min(2 * step, most) if bad > most else (good + bad) // 2
                if step == good:
                    break
            else:
                bad = step
                step = step // 2 if good == 0 else (good + bad) // 2
        slopes[-1][1] = best[0]
        slopes.append(np.stack([best[1], best[1]]))
        at += good
        leap = good
        frames.append(at)
    slopes[0][0] = seam[0] if len(seam) else slopes[0][1]
    if len(seam):
        slopes[-1][1] = seam[1]
    return np.array(frames, dtype=np.int64), np.stack(slopes)


def _fit_slopes(
    values: Array,
    wanted: Array,
    kind: tuple[int, NDArray[np.int64]],
    limit: float,
    first: int,
    gap: int,
    ends: tuple[Array | None, Array | None],
) -> Array | None:
    """Return the slopes (2, n) of a segment, None if it leaves the limit; see `_numba._fit_slopes`."""
    within = slice(first + 1, first + gap)
    if 1 < gap <= SHORT and ends[0] is None and ends[1] is None:
        points, slopes = _matrices(gap)
        some = values[first : first + gap + 1]
        return slopes @ some if _is_near(points @ some, wanted[within], *kind, limit) else None
    line = (values[first + gap] - values[first]) / gap
    if gap == 1:
        return np.stack([line if end is None else end for end in ends])
    basis = _bases(gap)
    straight = values[first] + np.arange(1, gap)[:, None] * line
    rest = values[within] - straight
    off = np.zeros((2, len(line)))
    free = []
    for side, end in enumerate(ends):
        if end is None:
            free.append(side)
        else:
            off[side] = end - line
            rest = rest - basis[:, side : side + 1] * off[side]
    if free:
        off[free] = _solver(gap, tuple(free)) @ rest
    points = straight + basis @ off
    return line + off if _is_near(points, wanted[within], *kind, limit) else None


@lru_cache(maxsize=SHORT)
def _matrices(gap: int) -> tuple[Array, Array]:
    """Return the matrices that give a segment's inner points and slopes from values (gap + 1, n), with free slopes."""
    straight = np.zeros((gap + 1, gap + 1))
    straight[:, -1] = np.arange(gap + 1) / gap
    straight[:, 0] = 1.0 - straight[:, -1]
    off = _solver(gap, (0, 1)) @ (np.eye(gap + 1) - straight)[1:-1]
    return straight[1:-1] + _bases(gap) @ off, straight[1] - straight[0] + off


@lru_cache(maxsize=4096)
def _bases(gap: int) -> Array:
    t = np.arange(1, gap) / gap
    return gap * np.stack([t * (1.0 - t) ** 2, t * t * (t - 1.0)], axis=1)


@lru_cache(maxsize=4096)
def _solver(gap: int, free: tuple[int, ...]) -> Array:
    """Return the matrix that gives the free slopes by least squares; the least slopes if they are underdetermined."""
    return np.asarray(np.linalg.pinv(_bases(gap)[:, list(free)]))


def _is_near(values: Array, wanted: Array, kind: int, axes: NDArray[np.int64], limit: float) -> bool:
    """Return whether all values are within `limit` of the wanted ones."""
    if kind == 1:
        # Cosines take a third of the time, but they are rounded, so they do not decide near the limit. Call overhead
        # dominates for few rows, and these calls have the least.
        squares, cosines = (values * values).dot(_FOUR), (values * wanted).dot(_FOUR)
        least = 1.0 - 0.5 * limit * limit
        above = float(np.minimum.reduce(cosines * cosines - least * least * squares))
        if abs(above) > ROUNDING:
            return above > 0.0
    return bool((_measure_distances(values, wanted, kind, axes) <= limit).all())


def _measure_distances(values: Array, wanted: Array, kind: int, axes: NDArray[np.int64]) -> Array:
    """See `_numba._measure_distance`; for all frames at once."""
    if kind == 0:
        return np.asarray(np.linalg.norm(values - wanted, axis=1))
    if kind == 1:
        q = values
    elif kind == 2:
        q = quat.from_euler(values[:, axes], "".join("XYZ"[axis] for axis in axes))
    else:
        length = np.linalg.norm(values[:, 1:], axis=1, keepdims=True)
        q = quat.exp(values[:, :1] * np.where(length > 0.0, values[:, 1:] / np.where(length > 0.0, length, 1.0), 0.0))
    q = quat.normalize(q)
    return np.asarray(np.minimum(np.linalg.norm(q - wanted, axis=1), np.linalg.norm(q + wanted, axis=1)))
