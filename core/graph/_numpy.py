"""The kernels of this package for numpy: the same numbers as `_numba`, except for rounding."""

import numpy as np
from numpy.typing import NDArray

from ..motion.quat import Array

Places = NDArray[np.int64]

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
    for onwards in range(most):
        counts = first_crossing[node + 1] - first_crossing[node]
        who, nth = _runs(counts)
        edge = crossings[first_crossing[node][who] + nth]
        # Skip edges that already cost too much.
        gone_there = samples[bend[who], first_sample[edge + 1] - 1, 3]
        cheap = here[who, 4] + price[bend[who], edge] <= _too_dear(here[who, 3] + gone_there, limits, dear)
        who, nth, edge = who[cheap], nth[cheap], edge[cheap]
        goes_on = np.flatnonzero(onward[node] >= 0)
        both, edges = np.concatenate([who, goes_on]), np.concatenate([edge, onward[node][goes_on]])
        there, whole, rank = _follow_edges(here[both], bend[both], edges, *tables)
        crossing, on = whole[: len(who)], whole[len(who) :]
        crossing &= rank[: len(who)] <= NEARLY * _too_dear(there[: len(who), 3], limits, dear)
        who, nth, edge = who[crossing], nth[crossing], edge[crossing]
        rows.append(np.column_stack([state[who], bend[who], np.full(len(who), onwards), edge, end[edge], nth]))
        ends.append(there[: len(crossing)][crossing])
        some = goes_on[on]
        state, bend, here, node = state[some], bend[some], there[len(crossing) :][on], end[onward[node[some]]]
        over = (here[:, 3] >= bin_end) | (onwards == most - 1)
        kept = over & (here[:, 4] <= _too_dear(here[:, 3], limits, dear))
        nothing = np.full(int(kept.sum()), -1)
        rows.append(np.column_stack([state[kept], bend[kept], nothing * 0 + onwards + 1, nothing, node[kept], nothing]))
        ends.append(here[kept])
        state, bend, here, node = state[~over], bend[~over], here[~over], node[~over]
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


def _follow_edges(
    here: Array, bend: Places, edge: Places, limits: Array, price: Array, first_sample: Places, samples: Array,
    path: Array,
) -> tuple[Array, NDArray[np.bool_], Array]:  # fmt: skip
    """Return the states (M, 6) at the ends of edges, which edges stay near the path, and ranks (M,)."""
    counts = first_sample[edge + 1] - first_sample[edge]
    who, nth = _runs(counts)
    place = (bend * samples.shape[1] + first_sample[edge]).take(who) + nth
    # The samples of all bends are concatenated, because one index is faster than two.
    right, ahead, turned, gone, climbed = samples.reshape(-1, 5).take(place, axis=0).T
    from_x, from_y, from_facing, from_reached, cost, from_height = np.ascontiguousarray(here.T)
    cosine, sine = np.cos(from_facing).take(who), np.sin(from_facing).take(who)
    x = from_x.take(who) + cosine * right - sine * ahead
    y = from_y.take(who) + sine * right + cosine * ahead
    facing, reached = from_facing.take(who) + turned, from_reached.take(who) + gone
    height = from_height.take(who) + climbed
    low = np.minimum((reached / limits[3]).astype(np.int64), path.shape[1] - 2)
    share = reached / limits[3] - low
    off_x, off_y, off, higher = (
        value - (line.take(low) + share * (line.take(low + 1) - line.take(low)))
        for value, line in zip((x, y, facing, height), path, strict=True)
    )
    off -= 2.0 * np.pi * np.round(off / (2.0 * np.pi))
    away = off_x * off_x + off_y * off_y + higher * higher
    counting = reached <= limits[2]
    before = np.append(0.0, gone)[:-1]
    before[nth == 0] = 0.0
    paid = counting * (away + limits[1] * off * off) * (gone - before)
    whole = np.ones(len(edge), dtype=np.bool_)
    whole[who[counting & (away > limits[0] ** 2)]] = False
    last = np.cumsum(counts) - 1
    counted = np.bincount(who, counting, minlength=len(edge)).astype(np.int64)
    off_there = (away + limits[8] ** 2 * off * off)[np.maximum(last - counts + counted, 0)]
    totals = cost + price[bend, edge] + np.bincount(who, paid, minlength=len(edge))
    there = np.column_stack([x[last], y[last], facing[last], reached[last], totals, height[last]])
    return there, whole, totals + np.where(counted > 0, off_there, 0.0)
