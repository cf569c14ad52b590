"""The one ground alignment, and the one search for minima (methods: Pose distance).

Two windows of a body's points are compared after the best turn about the vertical and shift on the ground. With p, q
their points on the ground as x + iy, each window less its weighted mean, and heights z:

    D² = Σ w|p|² + Σ w|q|² − 2·|Σ w q̄·p| + Σ w (z − z')²        turn = arg Σ w q̄·p        shift = p̄ − e^(i·turn)·q̄

Where feet stand in both windows they are to stay where they are: they count `STANDING` times as much as the cloud. With
f, f' their balls and ω = `STANDING` / K in the samples in which both stand, W = 1 + Σω, all less the cloud's means:

    c = Σ w q̄·p + Σ ω f̄'·f      turn = arg(c − Σω f̄' · Σω f / W)      shift = (Σω f − e^(i·turn)·Σω f') / W

`align` gives it for given pairs, `clouds_apart` for all pairs in double precision, `distances` for blocks of all pairs
in single precision, and `nearest_nearby` along steps downhill from pair to pair.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .. import jit
from ..motion.feet import Footing
from ..motion.quat import Array

Complex = NDArray[np.complex128]
Places = NDArray[np.int64]

STANDING = 10.0  # how much a foot that stands counts, a whole cloud as one


@dataclass(frozen=True, eq=False)
class Alignment:
    """How windows (…) are brought together: others are turned about the origin (radians), then shifted (x + iy).

    residual : the mean of the weighted squared distances (m²) that are then left on the ground
    """

    turn: Array
    shift: Complex
    residual: Array


def align(
    one: Complex, other: Complex, weights: Array, feet: Sequence[Footing] = (), *, turning: bool = True
) -> Alignment:
    """Return how windows of points (…, K, P) on the ground are best brought to others; weights (P,) with sum 1.

    feet : of both windows (…, K, S), or none; those that stand are to stay; without `turning` windows are only moved
    """
    samples = one.shape[-2]
    mean, other_mean = ((window @ weights).mean(axis=-1) for window in (one, other))
    a, b = one - mean[..., None, None], other - other_mean[..., None, None]
    correlation = ((np.conj(b) * a) @ weights).sum(axis=-1) / samples
    spread = ((a.real**2 + a.imag**2 + b.real**2 + b.imag**2) @ weights).mean(axis=-1)
    moved, other_moved, all_weights, standing = 0.0, 0.0, 1.0, 0.0
    if feet:
        f, g = feet[0].balls - mean[..., None, None], feet[1].balls - other_mean[..., None, None]
        share = STANDING / samples * (feet[0].stands & feet[1].stands)
        all_weights = 1.0 + share.sum(axis=(-2, -1))
        moved, other_moved = (share * f).sum(axis=(-2, -1)), (share * g).sum(axis=(-2, -1))
        standing = (share * np.conj(g) * f).sum(axis=(-2, -1)) - np.conj(other_moved) * moved / all_weights
    turn = np.angle(correlation + standing) if turning else np.zeros(correlation.shape)
    turned = np.exp(1j * turn)
    left = (moved - turned * other_moved) / all_weights
    residual = spread - 2.0 * (np.conj(turned) * correlation).real + np.abs(left) ** 2
    return Alignment(turn, np.asarray(mean + left - turned * other_mean), np.maximum(residual, 0.0))


def clouds_apart(
    products: Array, drift: Array, window: int, spread: Array, other_spread: Array, lift: Array, other_lift: Array
) -> Array:
    """Return the distances (M, N) between all windows of two clips from what is left when products are done.

    products (3, M+2W, N+2W) : of single frames: the real and the imaginary part of the correlation, and heights
    drift (2, M, N) : what the centroids of single frames add to the correlation
    spread (M,), other_spread (N,) : Σ w‖p‖²; lift (M,), other_lift (N,) : the height
    """
    found: Array = jit.kernels(__package__).clouds_apart(
        products, drift, window, spread, other_spread, lift, other_lift
    )
    return found


@dataclass(frozen=True, eq=False)
class Clouds:
    """Windows (R,) of points as rows whose products are sums over the window; each about its own mean on the ground.

    ground (R, K·P) complex64; heights (R, K·P) float32; square (R,) : Σ w‖p‖², infinite for a row that is none
    """

    ground: NDArray[np.complex64]
    heights: NDArray[np.float32]
    square: NDArray[np.float32]


def distances(rows: Clouds, columns: Clouds, some: slice, others: slice) -> NDArray[np.float32]:
    """Return the distances (M, N) of some windows from others, infinite where there is none."""
    with np.errstate(invalid="ignore"):
        turned = rows.ground[some].conj() @ columns.ground[others].T
        alike = np.sqrt(turned.real**2 + turned.imag**2)
        alike += rows.heights[some] @ columns.heights[others].T
        alike *= -2.0
        alike += rows.square[some, None]
        alike += columns.square[others]
        np.maximum(alike, 0.0, out=alike)
        return np.asarray(np.sqrt(alike, out=alike))


def nearest_nearby(
    ground: Complex, heights: Array, roots: Array, samples: Places, start: Places, low: Places, high: Places
) -> tuple[Places, Array]:
    """Return pairs of frames (M, 2) moved by steps downhill to where their distance is least, and the distances (M,).

    ground, heights (F, P) : points times the roots (P,) of their weights; samples (K,) : the frames of a window
    start (M, 2) : where the search begins; low, high (M, 2) : the frames that it stays within
    """
    places, distance = jit.kernels(__package__).downhill(
        np.ascontiguousarray(ground.real), np.ascontiguousarray(ground.imag), heights, roots, samples, start, low, high
    )
    return places, distance


def local_minima(matrix: NDArray[np.floating]) -> Places:
    """Return the cells (K, 2) of a matrix that are nowhere larger than those around them, row by row."""
    # Most cells are ruled out by those beside them, many at a time.
    among = np.ones(matrix.shape, dtype=bool)
    among[:, 1:] &= matrix[:, 1:] <= matrix[:, :-1]
    among[:, :-1] &= matrix[:, :-1] <= matrix[:, 1:]
    rows, columns = np.nonzero(among)
    least = are_minima(matrix, rows, columns)
    return np.column_stack([rows[least], columns[least]])


def are_minima(matrix: NDArray[np.floating], rows: Places, columns: Places) -> NDArray[np.bool_]:
    """Return which of some cells (K,) are nowhere larger than those around them; beyond the matrix there is nothing."""
    value, least = matrix[rows, columns], np.ones(len(rows), dtype=bool)
    last_row, last_column = matrix.shape[0] - 1, matrix.shape[1] - 1
    for down in (-1, 0, 1):
        for across in (-1, 0, 1):
            least &= value <= matrix[np.clip(rows + down, 0, last_row), np.clip(columns + across, 0, last_column)]
    return least
