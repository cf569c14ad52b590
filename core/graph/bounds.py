"""Bound the distances of all pairs of windows, so that few need to be computed (methods: Motion graph).

Windows are projected to the few dimensions of largest variance. For any rotation that aligns two windows, their
residuals, of lengths r and r', differ by at least |r − r'| and at most r + r', and the projection is orthogonal to the
residual. With c, the sum of products of the projections:

    D² = S + S' − 2·|c| − 2·h ± 2·r·r'        S: sums of squares, h: the same product for the heights

The dimensions are found by random projections; another choice gives other bounds, but the same windows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ..motion.quat import Array
from ..sync.alignment import Clouds, Complex

Floats = NDArray[np.float32]
Places = NDArray[np.int64]
Rows = TypeVar("Rows", Array, Complex)

GROUND, HEIGHTS = 48, 24  # dimensions
SAMPLE = 1500  # windows used to find them
ROUNDING = 2.0**-16  # of S and S': more than the rounding error of short sums in single precision
TOGETHER = 64  # pairs computed at a time, which stay in cache


@dataclass(frozen=True, eq=False)
class Sketches:
    """Windows (R,) projected to few dimensions.

    ground, crossed (R, 2·GROUND) : real and imaginary parts, and imaginary and minus real parts
    heights (R, HEIGHTS + 1) : heights, then the length r of the residual
    square (R,) : S, infinite for a row without a window
    first (R,) : the first row that is identical to the last bit
    """

    ground: Floats
    crossed: Floats
    heights: Floats
    square: Floats
    first: Places


def sketches(sides: Sequence[Clouds]) -> list[Sketches]:
    """Return the projections of each set of windows, all to the same dimensions.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.graph import bounds
        >>> from action_loom.core.sync import alignment
        >>> rng = np.random.default_rng(0)
        >>> ground, heights = rng.normal(size=(50, 90)) + 1j * rng.normal(size=(50, 90)), rng.normal(size=(50, 90))
        >>> square = (abs(ground) ** 2 + heights**2).sum(axis=1)
        >>> windows = alignment.Clouds(ground, heights, square)
        >>> (seen,) = bounds.sketches([windows])
        >>> low, high = bounds.bound_squares(seen, seen, slice(0, 9), slice(9, 50))
        >>> exact = alignment.distances(windows, windows, slice(0, 9), slice(9, 50)) ** 2
        >>> bool((low <= exact).all() and (exact <= high).all())
        True
    """
    some = [slice(None, None, 1 + len(side.square) * len(sides) // SAMPLE) for side in sides]
    ground: Complex = _axes(np.concatenate([side.ground[each] for side, each in zip(sides, some, strict=True)]), GROUND)
    heights = _axes(np.concatenate([side.heights[each] for side, each in zip(sides, some, strict=True)]), HEIGHTS)
    return [_sketch(side, ground, heights) for side in sides]


def _axes(rows: Rows, count: int) -> Rows:
    """Return an orthonormal basis (K, count) that approximately spans the dominant dimensions of rows (R, K)."""
    probe = np.random.default_rng(0).normal(size=(len(rows), min(count, *rows.shape)))
    for _ in range(2):
        axes = np.linalg.qr(rows.conj().T @ probe)[0]
        probe = rows @ axes
    return axes


def _sketch(side: Clouds, ground_axes: Complex, height_axes: Array) -> Sketches:
    ground, heights = side.ground @ ground_axes, side.heights @ height_axes
    whole, seen = (
        np.einsum("rk,rk->r", a.real, a.real) + np.einsum("rk,rk->r", a.imag, a.imag) + np.einsum("rk,rk->r", b, b)
        for a, b in ((side.ground, side.heights), (ground, heights))
    )
    rest = np.sqrt(np.maximum(whole - seen, 0.0) + 1e-12 * whole)
    return Sketches(
        np.hstack([ground.real, ground.imag]).astype(np.float32),
        np.hstack([ground.imag, -ground.real]).astype(np.float32),
        np.column_stack([heights, rest]).astype(np.float32),
        side.square.astype(np.float32),
        _firsts(side),
    )


def _firsts(side: Clouds) -> Places:
    known: dict[bytes, int] = {}
    found = np.arange(len(side.square))
    _, same, counts = np.unique(side.square, return_inverse=True, return_counts=True)
    for k in np.flatnonzero(counts[same] > 1).tolist():  # equal rows have equal sums
        content = blake2b(side.ground[k].tobytes(), digest_size=16)
        content.update(side.heights[k].tobytes())
        found[k] = known.setdefault(content.digest(), k)
    return found


def bound_squares(rows: Sketches, columns: Sketches, some: slice, others: slice) -> tuple[Floats, Floats]:
    """Return lower and upper bounds (M, N) on the squared distances between two slices of windows, m².

    Example:
        >>> import numpy as np
        >>> from action_loom.core.graph import bounds
        >>> from action_loom.core.sync.alignment import Clouds
        >>> one = Clouds(np.ones((2, 3), dtype=complex), np.zeros((2, 3)), np.full(2, 3.0))
        >>> (seen,) = bounds.sketches([one])
        >>> [side.shape for side in bounds.bound_squares(seen, seen, slice(None), slice(None))]
        [(2, 2), (2, 2)]
    """
    own, other = rows.ground[some], columns.ground[others]
    least = own @ other.T
    sine = own @ columns.crossed[others].T
    least *= least
    sine *= sine
    least += sine
    np.sqrt(least, out=least)
    np.matmul(rows.heights[some], columns.heights[others].T, out=sine)
    least += sine
    least *= -2.0
    least += np.float32(1.0 - ROUNDING) * rows.square[some, None]
    least += np.float32(1.0 - ROUNDING) * columns.square[others]
    # The upper bound adds the product of the residuals instead of subtracting it.
    most = np.multiply.outer(4.0 * rows.heights[some, -1], columns.heights[others, -1])
    most += least
    most += np.float32(2.0 * ROUNDING) * rows.square[some, None]
    most += np.float32(2.0 * ROUNDING) * columns.square[others]
    return least, most


def measure_pairs(rows: Clouds, columns: Clouds, i: Places, j: Places) -> Array:
    """Return the distances (M,) of pairs of windows, identical to those of `alignment.distances`.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.graph import bounds
        >>> from action_loom.core.sync import alignment
        >>> ground = np.array([[1.0, -1.0], [2.0, -2.0]], dtype=complex)
        >>> windows = alignment.Clouds(ground, np.zeros((2, 2)), np.array([2.0, 8.0]))
        >>> bounds.measure_pairs(windows, windows, np.array([0, 0]), np.array([0, 1])).round(2).tolist()
        [0.0, 1.41]
    """
    squares = np.empty(len(i))
    for begin in range(0, len(i), TOGETHER):
        some = slice(begin, begin + TOGETHER)
        at, to = i[some], j[some]
        turned = np.matmul(rows.ground[at].conj()[:, None], columns.ground[to][:, :, None])[:, 0, 0]
        alike = np.sqrt(turned.real**2 + turned.imag**2)
        alike += np.matmul(rows.heights[at][:, None], columns.heights[to][:, :, None])[:, 0, 0]
        squares[some] = -2.0 * alike + rows.square[at] + columns.square[to]
    return np.asarray(np.sqrt(np.maximum(squares, 0.0)))
