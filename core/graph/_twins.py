"""The iterations of this package for numpy: the same numbers as `_kernels`, but for rounding."""

import numpy as np
from numpy.typing import NDArray

from ..motion.quat import Array

_SOME = 2000  # pairs that are compared at a time

Places = NDArray[np.int64]


def downhill(
    x: Array, y: Array, heights: Array, weights: Array, samples: Places, start: Places, low: Places, high: Places
) -> tuple[Places, Array]:
    """See `transitions.refined`."""
    ground = x + 1j * y
    sums = ground @ weights, (x**2 + y**2 + heights**2).sum(axis=1)
    places, best = start.copy(), _apart(ground, heights, sums, samples, start)
    moving = np.arange(len(start))
    while len(moving):
        origin = places[moving]
        least, there = best[moving], origin.copy()
        for step in ((d, a) for d in (-1, 0, 1) for a in (-1, 0, 1) if (d, a) != (0, 0)):
            tried = origin + step
            inside = ((tried >= low[moving]) & (tried <= high[moving])).all(axis=1)
            value = np.full(len(tried), np.inf)
            value[inside] = _apart(ground, heights, sums, samples, tried[inside])
            better = value < least
            least[better], there[better] = value[better], tried[better]
        moved = least < best[moving]
        best[moving], places[moving] = least, there
        moving = moving[moved]
    return places, np.sqrt(best)


def _apart(
    ground: NDArray[np.complex128], heights: Array, sums: tuple[NDArray[np.complex128], Array], samples: Places,
    places: Places,
) -> Array:
    """Squared distances of the windows about pairs of rows (M, 2)."""
    found = np.empty(len(places))
    means, squares = sums
    for first in range(0, len(places), _SOME):
        some = slice(first, first + _SOME)
        a, b = places[some, 0, None] + samples, places[some, 1, None] + samples
        mean_a, mean_b = means[a].sum(axis=1), means[b].sum(axis=1)
        size = len(samples)
        turned = np.einsum("mkp,mkp->m", ground[a].conj(), ground[b]) - mean_a.conj() * mean_b / size
        square = squares[a].sum(axis=1) + squares[b].sum(axis=1) - (abs(mean_a) ** 2 + abs(mean_b) ** 2) / size
        up = np.einsum("mkp,mkp->m", heights[a], heights[b])
        found[some] = np.maximum(square - 2.0 * (abs(turned) + up), 0.0) / size
    return found
