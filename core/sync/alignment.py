"""Ground alignment of point clouds, and local minima of distance matrices (methods: Pose distance).

Two windows of a body's points are compared after the optimal rotation about the vertical and translation on the ground.
With p, q their points on the ground as x + iy, each relative to the weighted mean of its window, and heights z:

    D² = Σ w|p|² + Σ w|q|² − 2·|Σ w q̄·p| + Σ w (z − z')²        turn = arg Σ w q̄·p        shift = p̄ − e^(i·turn)·q̄

Feet in contact in both windows should stay in place: together they are weighted `STANDING` times the cloud. With f, f'
their balls relative to the same means, ω = `STANDING` / K in the samples with contact in both, and W = 1 + Σω:

    c = Σ w q̄·p + Σ ω f̄'·f      turn = arg(c − Σω f̄' · Σω f / W)      shift = (Σω f − e^(i·turn)·Σω f') / W

`align` computes this for given pairs, `clouds_apart` for all pairs of frames, `distances` for blocks of pairs of rows,
and `nearest_nearby` step by step while descending from pair to pair.
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

STANDING = 10.0  # weight of a foot in contact in all samples; the whole cloud has 1


@dataclass(frozen=True, eq=False)
class Alignment:
    """The alignment of windows (…): turn the others about the origin (radians), then shift them (x + iy, metres).

    residual : the remaining weighted mean squared distance (m²) on the ground
    """

    turn: Array
    shift: Complex
    residual: Array


def align(
    windows: Complex, others: Complex, weights: Array, feet: Sequence[Footing] = (), *, turning: bool = True
) -> Alignment:
    """Return the optimal alignment of other windows of points (…, K, P) on the ground with the first ones.

    weights (P,) : of the points, with sum 1
    feet : of both windows (…, K, S), or none; feet in contact in both should stay in place
    turning : whether the others may be turned, or only shifted

    Example:
        >>> import numpy as np
        >>> from action_loom.core.sync import alignment
        >>> triangle = np.array([[[0.0, 1.0, 1.0j]]])  # one window of one frame
        >>> found = alignment.align(1j * triangle + 2.0, triangle, np.full(3, 1.0 / 3.0))
        >>> round(float(np.degrees(found.turn[0]))), found.shift.real.round(3).tolist()
        (90, [2.0])
    """
    samples = windows.shape[-2]
    mean, other_mean = ((window @ weights).mean(axis=-1) for window in (windows, others))
    a, b = windows - mean[..., None, None], others - other_mean[..., None, None]
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
    """Return the distances (M, N) between all windows of two clips from their matrix products.

    products (3, M+2W, N+2W) : of single frames: real and imaginary part of the correlation, and heights
    drift (2, M, N) : contribution of the single frames' centroids to the correlation
    spread (M,), other_spread (N,) : Σ w‖p‖²
    lift (M,), other_lift (N,) : mean heights to subtract
    """
    distances: Array = jit.kernels(__package__).clouds_apart(
        products, drift, window, spread, other_spread, lift, other_lift
    )
    return distances


@dataclass(frozen=True, eq=False)
class Clouds:
    """Windows (R,) of points as rows, whose products are sums over the window; each relative to its own ground mean.

    ground, heights (R, K·P) : times the square roots of the weights, rounded by `exact_sums`
    square (R,) : Σ w‖p‖², infinite for a row without a window
    """

    ground: Complex
    heights: Array
    square: Array


def distances(rows: Clouds, columns: Clouds, some: slice, others: slice) -> Array:
    """Return the distances (M, N) between two slices of windows, infinite for rows without a window.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.sync import alignment
        >>> ground = np.array([[1.0, -1.0], [1.0j, -1.0j], [2.0, -2.0]])  # 2nd: the 1st, turned
        >>> square = (abs(ground) ** 2).sum(axis=1)
        >>> windows = alignment.Clouds(ground, np.zeros((3, 2)), square)
        >>> alignment.distances(windows, windows, slice(0, 1), slice(None)).round(2).tolist()
        [[0.0, 0.0, 1.41]]
    """
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
    """Return pairs of frames (M, 2) moved step by step to a local minimum, and their distances (M,), metres.

    ground, heights (F, P) : points times the square roots (P,) of their weights
    samples (K,) : the frames of a window, relative to its middle
    start (M, 2) : start of the search
    low, high (M, 2) : first and last frames allowed

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import kinematics
        >>> from action_loom.core.sync import alignment
        >>> walk = actions.walk()
        >>> roots = np.sqrt(walk.skeleton.point_weights)
        >>> points = kinematics.points(walk) * roots[:, None]
        >>> ground, heights = points[..., 0] + 1j * points[..., 1], np.ascontiguousarray(points[..., 2])
        >>> pairs = [np.array([frames]) for frames in ((20, 49), (15, 40), (25, 60))]
        >>> found, distance = alignment.nearest_nearby(ground, heights, roots, np.arange(-2, 3), *pairs)
        >>> int(found[0, 1] - found[0, 0]), distance.round(3).tolist()  # one cycle of 32 frames apart
        (32, [0.0])
    """
    places, distance = jit.kernels(__package__).downhill(
        np.ascontiguousarray(ground.real), np.ascontiguousarray(ground.imag), heights, roots, samples, start, low, high
    )
    return places, distance


def local_minima(matrix: NDArray[np.floating]) -> Places:
    """Return the cells (K, 2) of a matrix that are no larger than any neighbour, row by row."""
    # First exclude most cells by their left and right neighbours, for the whole matrix at once.
    among = np.ones(matrix.shape, dtype=bool)
    among[:, 1:] &= matrix[:, 1:] <= matrix[:, :-1]
    among[:, :-1] &= matrix[:, :-1] <= matrix[:, 1:]
    rows, columns = np.nonzero(among)
    least = are_minima(matrix, rows, columns)
    return np.column_stack([rows[least], columns[least]])


def are_minima(matrix: NDArray[np.floating], rows: Places, columns: Places) -> NDArray[np.bool_]:
    """Return which of some cells (K,) are no larger than any existing neighbour.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.sync import alignment
        >>> matrix = np.array([[3.0, 2.0, 4.0], [5.0, 6.0, 1.0]])
        >>> alignment.are_minima(matrix, np.array([0, 1]), np.array([1, 2])).tolist()
        [False, True]
    """
    value, least = matrix[rows, columns], np.ones(len(rows), dtype=bool)
    last_row, last_column = matrix.shape[0] - 1, matrix.shape[1] - 1
    for down in (-1, 0, 1):
        for across in (-1, 0, 1):
            least &= value <= matrix[np.clip(rows + down, 0, last_row), np.clip(columns + across, 0, last_column)]
    return least
