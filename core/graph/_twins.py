"""The iterations of this package for numpy: the same numbers as `_kernels`, but for rounding."""

import numpy as np
from numpy.typing import NDArray

from ..motion.quat import Array

LEAST = 1e-12  # m²; what is nearer by less than that is as near
_SOME = 2000  # pairs that are compared at a time

Places = NDArray[np.int64]
Ground = NDArray[np.complex128]


def downhill(
    x: Array, y: Array, heights: Array, weights: Array, samples: Places, start: Places, low: Places, high: Places
) -> tuple[Places, Array]:
    """See `transitions.refined`."""
    ground: Ground = x + 1j * y
    sums: tuple[Ground, Array] = (np.asarray(ground @ weights), (x**2 + y**2 + heights**2).sum(axis=1))
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
            better = value < least - LEAST
            least[better], there[better] = value[better], tried[better]
        moved = least < best[moving]
        best[moving], places[moving] = least, there
        moving = moving[moved]
    return places, np.sqrt(best)


def _apart(
    ground: Ground, heights: Array, sums: tuple[Ground, Array], samples: Places, places: Places
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


def expand(
    states: Array, at: Places, bin_end: float, most: int, limits: Array, onward: Places, first_crossing: Places,
    crossings: Places, end: Places, price: Array, first_sample: Places, right: Array, ahead: Array, turned: Array,
    gone: Array, path: Array, origin: Places, found: Array,
) -> int:  # fmt: skip
    """See `beam.expanded`."""
    bends = len(right)
    state, bend = np.repeat(np.arange(len(states)), bends), np.tile(np.arange(bends), len(states))
    here, node = states[state], at[state]
    tables = limits, price, first_sample, right, ahead, turned, gone, path
    rows, ends = [], []
    for onwards in range(most):
        counts = first_crossing[node + 1] - first_crossing[node]
        who = np.repeat(np.arange(len(node)), counts)
        nth = np.arange(len(who)) - np.repeat(np.cumsum(counts) - counts, counts)
        edge = crossings[first_crossing[node][who] + nth]
        there, whole = _along(here[who], bend[who], edge, *tables)
        who, nth, edge, there = who[whole], nth[whole], edge[whole], there[whole]
        rows.append(np.column_stack([state[who], bend[who], np.full(len(who), onwards), edge, end[edge], nth]))
        ends.append(there)
        edge = onward[node]
        some = edge >= 0
        state, bend, here, edge = state[some], bend[some], here[some], edge[some]
        there, whole = _along(here, bend, edge, *tables)
        state, bend, here, node = state[whole], bend[whole], there[whole], end[edge[whole]]
        over = (here[:, 3] >= bin_end) | (onwards == most - 1)
        nothing = np.full(int(over.sum()), -1)
        rows.append(
            np.column_stack([state[over], bend[over], nothing * 0 + onwards + 1, nothing, node[over], nothing])
        )
        ends.append(here[over])
        state, bend, here, node = state[~over], bend[~over], here[~over], node[~over]
        if len(state) == 0:
            break
    told, reached = np.concatenate(rows), np.concatenate(ends)
    order = np.lexsort((told[:, 5], told[:, 2], told[:, 1], told[:, 0]))
    count = min(len(order), len(found))
    origin[:count], found[:count] = told[order[:count], :5], reached[order[:count]]
    return len(order)


def _along(
    here: Array, bend: Places, edge: Places, limits: Array, price: Array, first_sample: Places, right: Array,
    ahead: Array, turned: Array, gone: Array, path: Array,
) -> tuple[Array, NDArray[np.bool_]]:  # fmt: skip
    """Where edges lead (M, 5), and which of them never leave the path too far."""
    counts = first_sample[edge + 1] - first_sample[edge]
    who = np.repeat(np.arange(len(edge)), counts)
    first = np.cumsum(counts) - counts
    nth = np.arange(len(who)) - np.repeat(first, counts)
    sample = first_sample[edge][who] + nth
    bends = bend[who]
    way = gone[bends, sample]
    cosine, sine = np.cos(here[who, 2]), np.sin(here[who, 2])
    x = here[who, 0] + cosine * right[bends, sample] - sine * ahead[bends, sample]
    y = here[who, 1] + sine * right[bends, sample] + cosine * ahead[bends, sample]
    facing, reached = here[who, 2] + turned[bends, sample], here[who, 3] + way
    low = np.minimum((reached / limits[3]).astype(np.int64), len(path) - 2)
    share = (reached / limits[3] - low)[:, None]
    off = np.column_stack([x, y, facing]) - (path[low] + share * (path[low + 1] - path[low]))
    off[:, 2] -= 2.0 * np.pi * np.round(off[:, 2] / (2.0 * np.pi))
    away = off[:, 0] ** 2 + off[:, 1] ** 2
    counting = reached <= limits[2]
    step = way - np.where(nth > 0, np.append(0.0, way[:-1]), 0.0)
    cost = here[:, 4] + price[bend, edge] + np.bincount(
        who, counting * (away + limits[1] * off[:, 2] ** 2) * step, minlength=len(edge)
    )
    lost = np.bincount(who, counting & (away > limits[0] ** 2), minlength=len(edge)) > 0
    last = first + counts - 1
    return np.column_stack([x[last], y[last], facing[last], reached[last], cost]), ~lost
