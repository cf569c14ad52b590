"""Fit a smooth, strictly increasing curve to a path through the distance matrix (methods: Time registration)."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..motion.quat import Array
from ..recipes.matching import Matching

KNOT_SECONDS = 1.0 / 6.0  # 1/12 follows noise, 1/3 misses steps
PRECISION = 1e-14  # share of the initial gradient at which the iteration of least squares ends


def midpoints(cells: NDArray[np.int64]) -> tuple[NDArray[np.int64], Array]:
    """Return the rows (K,) of a path's cells (·, 2), and its middle column (K,) in each, with exact ends."""
    rows, first = np.unique(cells[:, 0], return_index=True)
    last = np.append(first[1:], len(cells)) - 1
    middle = 0.5 * (cells[first, 1] + cells[last, 1])
    middle[0], middle[-1] = cells[0, 1], cells[-1, 1]
    return rows, middle


def smooth_samples(
    values: Array, matching: Matching, rate: float, knot: float = 0.0, *, periodic: bool = False
) -> Array:
    """Return samples (K,) smoothed by the method of `matching`; end samples are kept, or joined for periodic samples.

    knot : samples between the knots of a spline; 0 for `KNOT_SECONDS`
    """
    if matching.smoothing == "spline":
        return spline(values, knot or KNOT_SECONDS * rate, periodic=periodic)
    if matching.smoothing == "average":
        return average(values, round(matching.radius * rate), periodic=periodic)
    return values


def average(values: Array, radius: int, *, periodic: bool = False) -> Array:
    """Return the moving average of samples (K,) over `radius` samples on each side ([TMPS]).

    The ends are padded by odd reflection, so that a path still reaches both corners; periodic samples wrap around.
    """
    reach = min(radius, len(values) - 1)
    if reach < 1:
        return values.copy()
    if periodic:
        padded = np.pad(values, reach, mode="wrap")
    else:
        padded = np.pad(values, reach, mode="reflect", reflect_type="odd")
    return np.convolve(padded, np.full(2 * reach + 1, 1.0 / (2 * reach + 1)), mode="valid")


def spline(values: Array, knot: float, *, periodic: bool = False) -> Array:
    """Return samples (K,) smoothed by the least-squares quadratic B-spline with knots every `knot` samples.

    The first and the last sample are kept (Kovar & Gleicher 2003). Periodic samples cover one period, and their spline
    is closed.
    """
    count = len(values)
    if periodic:
        pieces = max(3, round(count / knot))
        if count <= pieces:
            return values.copy()
        basis = _periodic_basis(np.arange(float(count)) * (pieces / count), pieces)
        return basis.curve(_least_squares(basis, values))
    pieces = max(1, round((count - 1) / knot))
    if count < pieces + 3:
        return values.copy()
    basis = _quadratic_basis(np.linspace(0.0, pieces, count), pieces)
    # With clamped knots the outer control points are the curve's end points.
    ends = np.zeros(pieces + 2)
    ends[0], ends[-1] = values[0], values[-1]
    outer = (basis.columns == 0) | (basis.columns == pieces + 1)
    inner = replace(basis, shares=np.where(outer, 0.0, basis.shares))
    smooth = basis.curve(ends + _least_squares(inner, values - basis.curve(ends)))
    smooth[0], smooth[-1] = values[0], values[-1]
    return smooth


@dataclass(frozen=True)
class _Basis:
    """B-splines at K positions: weights (K, 3) of three control points each, and their indices (K, 3) of `size`."""

    columns: NDArray[np.int64]
    shares: Array
    size: int

    def curve(self, control: Array) -> Array:
        """Return the curve (K,) of control points."""
        return np.asarray((self.shares * control[self.columns]).sum(axis=1))

    def gather_values(self, values: Array) -> Array:
        """Return for each control point the sum (size,) of values (K,) weighted by its shares in them."""
        weights = (self.shares * values[:, None]).ravel()
        return np.asarray(np.bincount(self.columns.ravel(), weights, self.size), dtype=float)


def _least_squares(basis: _Basis, values: Array) -> Array:
    """Return the control points whose curve is nearest to values (K,).

    By conjugate gradients (Hestenes & Stiefel 1952): time and memory of an iteration grow linearly, and some thirty
    iterations suffice, because only neighbours interact. A full matrix would grow with the square.
    """
    control = np.zeros(basis.size)
    missing, slope = values, basis.gather_values(values)
    direction, square = slope, float(slope @ slope)
    enough = PRECISION**2 * square
    for _ in range(500):
        if square <= enough:
            break
        moved = basis.curve(direction)
        step = square / float(moved @ moved)
        control = control + step * direction
        missing = missing - step * moved
        slope = basis.gather_values(missing)
        before, square = square, float(slope @ slope)
        direction = slope + square / before * direction
    return control


def _quadratic_basis(at: Array, pieces: int) -> _Basis:
    """Return pieces + 2 quadratic B-splines on clamped whole knots 0 … pieces (Cox and de Boor)."""
    piece = np.minimum(at.astype(np.int64), pieces - 1)
    done, left = at - piece, piece + 1.0 - at
    # The knots next to the piece's own knots.
    low, high = np.maximum(piece - 1.0, 0.0), np.minimum(piece + 2.0, pieces)
    before, after = piece + 1.0 - low, high - piece
    shares = (left * left / before, left * (at - low) / before + done * (high - at) / after, done * done / after)
    return _Basis(piece[:, None] + np.arange(3), np.stack(shares, axis=1), pieces + 2)


def _periodic_basis(at: Array, pieces: int) -> _Basis:
    """Return `pieces` periodic quadratic B-splines on integer knots."""
    piece = at.astype(np.int64)
    t = at - piece
    shares = (0.5 * (1.0 - t) ** 2, 0.5 + t - t * t, 0.5 * t * t)
    return _Basis((piece[:, None] + np.arange(3)) % pieces, np.stack(shares, axis=1), pieces)


def limit_slopes(values: Array, lowest: float, highest: float, *, periodic: bool = False) -> Array:
    """Return samples (K,) near the given ones, with the same ends, and with steps in [lowest, highest].

    The excess of a step is passed to its neighbours until all are within the limits; the remainder is spread over all
    steps. Least squares on the steps alone would move the whole curve.
    """
    steps = np.diff(values)
    for _ in range(200):
        excess = steps - _within(steps, lowest, highest)
        if not excess.any():
            break
        steps -= excess
        if periodic:
            steps += 0.5 * (np.roll(excess, 1) + np.roll(excess, -1))
            continue
        steps[1:] += 0.5 * excess[:-1]
        steps[:-1] += 0.5 * excess[1:]
        # An end only has one neighbour, which receives both halves.
        steps[min(1, len(steps) - 1)] += 0.5 * excess[0]
        steps[max(len(steps) - 2, 0)] += 0.5 * excess[-1]
    steps = _with_sum(steps, values[-1] - values[0], lowest, highest)
    out = values[0] + np.concatenate([[0.0], np.cumsum(steps)])
    out[-1] = values[-1]
    return out


def _with_sum(steps: Array, total: float, lowest: float, highest: float) -> Array:
    """Return clip(steps + c), with c found by bisection so that the sum is `total`."""
    clipped = _within(steps, lowest, highest)
    if abs(clipped.sum() - total) < 1e-9:
        return clipped
    low, high = lowest - steps.max(), highest - steps.min()
    for _ in range(100):
        middle = 0.5 * (low + high)
        done = middle in (low, high)  # no floating-point number lies between them
        if _within(steps + middle, lowest, highest).sum() < total:
            low = middle
        else:
            high = middle
        if done:
            break
    return _within(steps + 0.5 * (low + high), lowest, highest)


def _within(values: Array, lowest: float, highest: float) -> Array:
    """Return the result of numpy's clip, in half the time for short arrays."""
    return np.minimum(np.maximum(values, lowest), highest)


def evaluate(values: Array, at: Array) -> Array:
    """Return increasing samples (K,) at fractional positions, interpolated monotonically (Fritsch & Carlson 1980).

    Positions out of range have the value of the nearest end.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.sync import curve_fit
        >>> frames = np.array([0.0, 2.0, 3.0, 3.5])
        >>> curve_fit.evaluate(frames, np.array([-1.0, 0.5, 1.0, 2.5])).round(2).tolist()
        [0.0, 1.06, 2.0, 3.28]
    """
    if len(values) == 1:
        return np.full(np.shape(at), values[0])
    steps = np.diff(values)
    slopes = np.concatenate([steps[:1], 0.5 * (steps[1:] + steps[:-1]), steps[-1:]])
    # Slopes of at most three times the smaller neighbouring step keep each piece monotone.
    bound = 3.0 * np.concatenate([steps[:1], np.minimum(steps[1:], steps[:-1]), steps[-1:]])
    slopes = np.clip(slopes, 0.0, bound)
    at = np.clip(at, 0.0, len(values) - 1.0)
    start = np.minimum(at.astype(np.int64), len(values) - 2)
    t = at - start
    a, step = values[start], steps[start]
    left, right = slopes[start], slopes[start + 1]
    return np.asarray(a + t * (left + t * (3.0 * step - 2.0 * left - right + t * (left + right - 2.0 * step))))
