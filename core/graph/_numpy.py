"""The kernels of this package for numpy: the same numbers as `_numba`, except for rounding."""

import numpy as np
from numpy.typing import NDArray

from ..motion.quat import Array

Places = NDArray[np.int64]


def expand(
    states: Array, at: Places, bin_end: float, most: int, limits: Array, onward: Places, first_crossing: Places,
    crossings: Places, end: Places, price: Array, first_sample: Places, right: Array, ahead: Array, turned: Array,
    gone: Array, climbed: Array, path: Array, origin: Places, found: Array,
) -> int:  # fmt: skip
    """See `beam.expanded`."""
    bends = len(right)
    state, bend = np.repeat(np.arange(len(states)), bends), np.tile(np.arange(bends), len(states))
    here, node = states[state], at[state]
    tables = limits, price, first_sample, right, ahead, turned, gone, climbed, path
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
        rows.append(np.column_stack([state[over], bend[over], nothing * 0 + onwards + 1, nothing, node[over], nothing]))
        ends.append(here[over])
        state, bend, here, node = state[~over], bend[~over], here[~over], node[~over]
        if len(state) == 0:
            break
    origins, reached = np.concatenate(rows), np.concatenate(ends)
    order = np.lexsort((origins[:, 5], origins[:, 2], origins[:, 1], origins[:, 0]))
    count = min(len(order), len(found))
    origin[:count], found[:count] = origins[order[:count], :5], reached[order[:count]]
    return len(order)


def _along(
    here: Array, bend: Places, edge: Places, limits: Array, price: Array, first_sample: Places, right: Array,
    ahead: Array, turned: Array, gone: Array, climbed: Array, path: Array,
) -> tuple[Array, NDArray[np.bool_]]:  # fmt: skip
    """Return the states (M, 6) at the ends of edges, and which edges never leave the path by more than is allowed."""
    counts = first_sample[edge + 1] - first_sample[edge]
    who = np.repeat(np.arange(len(edge)), counts)
    first = np.cumsum(counts) - counts
    nth = np.arange(len(who)) - np.repeat(first, counts)
    sample = first_sample[edge][who] + nth
    bends = bend[who]
    gone_here = gone[bends, sample]
    cosine, sine = np.cos(here[who, 2]), np.sin(here[who, 2])
    x = here[who, 0] + cosine * right[bends, sample] - sine * ahead[bends, sample]
    y = here[who, 1] + sine * right[bends, sample] + cosine * ahead[bends, sample]
    facing, reached = here[who, 2] + turned[bends, sample], here[who, 3] + gone_here
    low = np.minimum((reached / limits[3]).astype(np.int64), len(path) - 2)
    share = (reached / limits[3] - low)[:, None]
    height = here[who, 5] + climbed[sample]
    off = np.column_stack([x, y, facing, height]) - (path[low] + share * (path[low + 1] - path[low]))
    off[:, 2] -= 2.0 * np.pi * np.round(off[:, 2] / (2.0 * np.pi))
    away = off[:, 0] ** 2 + off[:, 1] ** 2 + off[:, 3] ** 2
    counting = reached <= limits[2]
    step = gone_here - np.where(nth > 0, np.append(0.0, gone_here[:-1]), 0.0)
    cost = (
        here[:, 4]
        + price[bend, edge]
        + np.bincount(who, counting * (away + limits[1] * off[:, 2] ** 2) * step, minlength=len(edge))
    )
    lost = np.bincount(who, counting & (away > limits[0] ** 2), minlength=len(edge)) > 0
    last = first + counts - 1
    return np.column_stack([x[last], y[last], facing[last], reached[last], cost, height[last]]), ~lost
