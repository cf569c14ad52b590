"""The kernels of this package for numpy: the same numbers as `_numba`, except for rounding."""

import numpy as np
from numpy.typing import NDArray

from ..motion.quat import Array

Places = NDArray[np.int64]

AT_ONCE = 8  # number of nodes of the same clip to which a state is followed in one call
NEARLY = 1.0 + 1e-9  # factor on a rank, because rounding differs between engines


def expand(
    states: Array, at: Places, bin_end: float, most: int, limits: Array, dear: Array, onward: Places,
    first_crossing: Places, crossings: Places, end: Places, price: Array, first_sample: Places, samples: Array,
    path: Array, origin: Places, found: Array,
) -> int:  # fmt: skip
    """See `beam.expand_states`."""
    bends = len(samples)
    state, bend = np.repeat(np.arange(len(states)), bends), np.tile(np.arange(bends), len(states))
    here, node = states[state], at[state]
    tables = limits, price, first_sample, samples, np.ascontiguousarray(path.T)
    rows, ends = [], []
    for onwards in range(0, most, AT_ONCE):
        places, taken = _follow_clips(here, bend, node, bin_end, min(AT_ONCE, most - onwards), onward, *tables)
        over = taken & (places[:, :, 3] >= bin_end)
        over[:, 0] = False
        within = taken & ~over
        row, step = np.nonzero(within[:, :-1])
        counts = np.diff(first_crossing)[node[row] + step]
        who, nth = _runs(counts)
        edge = crossings[first_crossing[node[row] + step][who] + nth]
        start = row[who], step[who]
        chosen = _find_cheap(places[start], bend[start[0]], edge, dear, *tables)
        edge, nth, row, step = edge[chosen], nth[chosen], start[0][chosen], start[1][chosen]
        there, whole, rank = _follow_edges(places[row, step], bend[row], edge, *tables)
        whole &= rank <= NEARLY * _too_dear(there[:, 3], limits, dear)
        edge, nth, row, step = edge[whole], nth[whole], row[whole], step[whole]
        rows.append(np.column_stack([state[row], bend[row], onwards + step, edge, end[edge], nth]))
        ends.append(there[whole])
        if onwards + AT_ONCE >= most:
            over[:, -1] = taken[:, -1]
        row, step = np.nonzero(over)
        kept = places[row, step, 4] <= _too_dear(places[row, step, 3], limits, dear)
        row, step = row[kept], step[kept]
        nothing = np.full(len(row), -1)
        rows.append(np.column_stack([state[row], bend[row], onwards + step, nothing, node[row] + step, nothing]))
        ends.append(places[row, step])
        on = np.flatnonzero(within[:, -1])
        state, bend, here, node = state[on], bend[on], places[on, -1], node[on] + within.shape[1] - 1
        if len(state) == 0:
            break
    origins, reached = np.concatenate(rows), np.concatenate(ends)
    order = np.lexsort((origins[:, 5], origins[:, 2], origins[:, 1], origins[:, 0]))
    count = min(len(order), len(found))
    origin[:count], found[:count] = origins[order[:count], :5], reached[order[:count]]
    return len(order)


def count_frames(first: Places, ends: Places, lengths: Places, start: int, end: int) -> Places:
    """See `_numba.count_frames`."""
    first_edge, other, long = first.tolist(), ends.tolist(), lengths.tolist()
    frames = [-1] * (len(first) - 1)
    buckets: list[list[int]] = [[] for _ in range(int(lengths.max(initial=0)) + 1)]
    buckets[0].append(start)
    frames[start] = now = 0
    waiting = 1
    while waiting and frames[end] != now:
        here, buckets[now % len(buckets)] = buckets[now % len(buckets)], []
        waiting -= len(here)
        for node in here:
            if frames[node] != now:
                continue
            for edge in range(first_edge[node], first_edge[node + 1]):
                to, there = other[edge], now + long[edge]
                if frames[to] < 0 or there < frames[to]:
                    frames[to] = there
                    buckets[there % len(buckets)].append(to)
                    waiting += 1
        now += 1
    return np.array(frames, dtype=np.int64)


def number_components(first: Places, following: Places) -> Places:
    """See `_numba.number_components`."""
    count = len(first) - 1
    at, ends = first.tolist(), following.tolist()
    component, low, index = [-1] * count, [0] * count, [-1] * count
    waiting: list[int] = []
    counter = components = 0
    for root in range(count):
        if index[root] >= 0:
            continue
        index[root] = low[root] = counter
        counter += 1
        waiting.append(root)
        path = [(root, at[root])]
        while path:
            node, edge = path.pop()
            if edge < at[node + 1]:
                path.append((node, edge + 1))
                other = ends[edge]
                if index[other] < 0:
                    index[other] = low[other] = counter
                    counter += 1
                    waiting.append(other)
                    path.append((other, at[other]))
                elif component[other] < 0:
                    low[node] = min(low[node], index[other])
                continue
            if path:
                above = path[-1][0]
                low[above] = min(low[above], low[node])
            if low[node] == index[node]:
                while True:
                    member = waiting.pop()
                    component[member] = components
                    if member == node:
                        break
                components += 1
    return np.array(component, dtype=np.int64)


def _too_dear(reached: Array, limits: Array, dear: Array) -> Array:
    """Return the costs (M,) above which states at an arc length are pruned; see `beam.Bins`."""
    bins = np.maximum((np.minimum(reached, limits[5]) / limits[4]).astype(np.int64), int(limits[6])) - int(limits[7])
    return np.asarray(np.where(reached >= limits[5], dear[-1], dear[np.minimum(bins, len(dear) - 1)]))


def _runs(counts: Places) -> tuple[Places, Places]:
    """Return the group index of each member of groups of given sizes, and its own index in the group."""
    group = np.repeat(np.arange(len(counts)), counts)
    return group, np.arange(len(group)) - np.repeat(np.cumsum(counts) - counts, counts)


def _follow_clips(
    here: Array, bend: Places, node: Places, bin_end: float, steps: int, onward: Places, limits: Array, price: Array,
    first_sample: Places, samples: Array, path: Array,
) -> tuple[Array, NDArray[np.bool_]]:  # fmt: skip
    """Return the states (M, steps + 1, 6) at the next nodes of the clips of states, and which of them are reached.

    A state goes at least to the next node, and no further than the first one beyond the bin. The nodes of a clip have
    consecutive numbers.
    """
    edges = onward.take(node[:, None] + np.arange(steps), mode="clip")
    linked = np.logical_and.accumulate(edges >= 0, axis=1)
    last = bend[:, None] * samples.shape[1] + first_sample.take(edges + 1) - 1
    each = np.where(linked[:, :, None], samples.reshape(-1, 5).take(np.where(linked, last, 0), axis=0), 0.0)
    places = np.empty((len(here), steps + 1, 6))
    places[:, 0] = here
    places[:, 1:, (2, 3, 5)] = here[:, None, (2, 3, 5)] + np.cumsum(each[:, :, 2:], axis=1)
    ways = np.cumsum(np.exp(1j * places[:, :-1, 2]) * (each[:, :, 0] + 1j * each[:, :, 1]), axis=1)
    places[:, 1:, 0], places[:, 1:, 1] = here[:, None, 0] + ways.real, here[:, None, 1] + ways.imag
    taken = np.ones((len(here), steps + 1), dtype=np.bool_)
    taken[:, 1] = linked[:, 0]
    taken[:, 2:] = linked[:, 1:] & (places[:, 1:-1, 3] < bin_end)
    row, step = np.nonzero(taken[:, 1:])
    places[:, :, 4] = 0.0
    there, whole, _ = _follow_edges(
        places[row, step], bend[row], edges[row, step], limits, price, first_sample, samples, path
    )
    costs = np.zeros((len(here), steps))
    costs[row, step] = there[:, 4]
    places[:, :, 4] = here[:, 4, None]
    places[:, 1:, 4] += np.cumsum(costs, axis=1)
    taken[row, step + 1] = whole
    return places, np.logical_and.accumulate(taken, axis=1)


def _find_cheap(
    here: Array, bend: Places, edge: Places, dear: Array, limits: Array, price: Array, first_sample: Places,
    samples: Array, path: Array,
) -> Places:  # fmt: skip
    """Return the indices of the edges that do not cost too much already by their prices, and by where they end."""
    last = samples.reshape(-1, 5).take(bend * samples.shape[1] + first_sample[edge + 1] - 1, axis=0)
    costs = here[:, 4] + price[bend, edge]
    most = NEARLY * _too_dear(here[:, 3] + last[:, 3], limits, dear)
    chosen = np.flatnonzero(costs <= most)
    there, away, turned = _measure(here[chosen], last[chosen], limits, path)
    off = np.where(there[3] <= limits[2], away + limits[8] ** 2 * turned, 0.0)
    return chosen[costs[chosen] + off <= most[chosen]]


def _measure(here: Array, sample: Array, limits: Array, path: Array) -> tuple[list[Array], Array, Array]:
    """Return x, y, facing, reached and height (N,) of samples from states, and their squared offsets from the path."""
    spot = np.exp(1j * here[:, 2]) * (sample[:, 0] + 1j * sample[:, 1]) + (here[:, 0] + 1j * here[:, 1])
    facing, reached, height = here[:, 2] + sample[:, 2], here[:, 3] + sample[:, 3], here[:, 5] + sample[:, 4]
    share = reached / limits[3]
    low = np.minimum(share.astype(np.int64), path.shape[1] - 2)
    share -= low
    line = path[0] + 1j * path[1]
    away = spot - (line.take(low) + share * np.diff(line).take(low))
    off, higher = (
        value - (of_path.take(low) + share * np.diff(of_path).take(low))
        for value, of_path in ((facing, path[2]), (height, path[3]))
    )
    off -= 2.0 * np.pi * np.round(off / (2.0 * np.pi))
    return (
        [spot.real, spot.imag, facing, reached, height],
        away.real**2 + away.imag**2 + higher * higher,
        off * off,
    )


def _follow_edges(
    here: Array, bend: Places, edge: Places, limits: Array, price: Array, first_sample: Places, samples: Array,
    path: Array,
) -> tuple[Array, NDArray[np.bool_], Array]:  # fmt: skip
    """Return the states (M, 6) at the ends of edges, which edges stay near the path, and ranks (M,)."""
    if len(edge) == 0:
        return np.empty((0, 6)), np.empty(0, dtype=np.bool_), np.empty(0)
    counts = first_sample[edge + 1] - first_sample[edge]
    who, _ = _runs(counts)
    first = np.cumsum(counts) - counts
    # The samples of all bends are concatenated, because one index is faster than two.
    place = (bend * samples.shape[1] + first_sample[edge] - first).take(who) + np.arange(len(who))
    sample = samples.reshape(-1, 5).take(place, axis=0)
    there, away, turned = _measure(here.take(who, axis=0), sample, limits, path)
    counting = there[3] <= limits[2]
    gone = sample[:, 3]
    paid = np.diff(gone, prepend=0.0)
    paid[first] = gone[first]
    paid *= counting * (away + limits[1] * turned)
    whole = ~np.logical_or.reduceat(counting & (away > limits[0] ** 2), first)
    last = first + counts - 1
    counted = np.add.reduceat(counting, first, dtype=np.int64)
    nearest = np.maximum(first + counted - 1, 0)
    off_there = away[nearest] + limits[8] ** 2 * turned[nearest]
    totals = here[:, 4] + price[bend, edge] + np.add.reduceat(paid, first)
    x, y, facing, reached, height = (value[last] for value in there)
    return (
        np.column_stack([x, y, facing, reached, totals, height]),
        whole,
        totals + np.where(counted > 0, off_there, 0.0),
    )
