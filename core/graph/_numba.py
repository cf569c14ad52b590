"""The kernels of this package for numba; `_numpy` has the same functions for numpy."""

import numpy as np

from ..jit import kernel

NEARLY = 1.0 + 1e-9  # factor on a rank, because rounding differs between engines


@kernel("b1(f8[::1], f8[:, ::1], f8, f8[::1], f8, f8[:, ::1], f8[::1])", inlined=True)
def _follow_edge(here, samples, cost, limits, dear, path, there):  # type: ignore[no-untyped-def]
    """Follow an edge from the state `here`; write the state at its end into `there`.

    samples : of the edge, see `edge_table.EdgeTable`; cost : with its price

    Return False if it leaves the path by more than the limit, or costs more than `dear`.
    """
    widest, heading, length, step = limits[0] * limits[0], limits[1], limits[2], limits[3]
    turn_reach = limits[8] * limits[8]
    cosine, sine = here[6], here[7]
    before, off_there = 0.0, 0.0
    x, y, facing, height = here[0], here[1], here[2], here[5]
    last, count = len(path) - 2, len(samples)
    for turn in range(count + 1):
        k = turn - 1 if turn > 0 else count - 1
        gone_here = samples[k, 3]
        x = here[0] + cosine * samples[k, 0] - sine * samples[k, 1]
        y = here[1] + sine * samples[k, 0] + cosine * samples[k, 1]
        facing = here[2] + samples[k, 2]
        height = here[5] + samples[k, 4]
        reached = here[3] + gone_here
        if reached <= length:
            low = min(int(reached / step), last)
            share = reached / step - low
            off_x = x - (path[low, 0] + share * (path[low + 1, 0] - path[low, 0]))
            off_y = y - (path[low, 1] + share * (path[low + 1, 1] - path[low, 1]))
            off = facing - (path[low, 2] + share * (path[low + 1, 2] - path[low, 2]))
            off -= 2.0 * np.pi * np.round(off / (2.0 * np.pi))
            higher = height - (path[low, 3] + share * (path[low + 1, 3] - path[low, 3]))
            away = off_x * off_x + off_y * off_y + higher * higher
            if away > widest:
                return False
            off_there = away + turn_reach * off * off
            if turn == 0:  # the last sample first, because most pruned edges end too far from the path
                if cost + off_there > dear * NEARLY:
                    return False
                continue
            cost += (away + heading * off * off) * (gone_here - before)
            if cost > dear:
                return False
        if turn > 0:
            before = gone_here
    # The rank of `beam`, up to rounding.
    if cost + off_there > dear * NEARLY:
        return False
    there[0], there[1], there[2], there[3], there[4], there[5] = x, y, facing, here[3] + before, cost, height
    return True


@kernel("f8(f8, f8[::1], f8[::1])", inlined=True)
def _too_dear(reached, limits, dear):  # type: ignore[no-untyped-def]
    """Return the cost above which a state at an arc length is pruned; see `beam.Bins`."""
    if reached >= limits[5]:
        return dear[-1]
    return dear[max(int(reached / limits[4]), int(limits[6])) - int(limits[7])]


@kernel(
    "i8(f8[:, ::1], i8[::1], f8, i8, f8[::1], f8[::1], i8[::1], i8[::1], i8[::1], i8[::1], f8[:, ::1], i8[::1],"
    " f8[:, :, ::1], f8[:, ::1], i8[:, ::1], f8[:, ::1])"
)
def expand(  # type: ignore[no-untyped-def]
    states, at, bin_end, most, limits, dear, onward, first_crossing, crossings, end, price, first_sample, samples, path,
    origin, found,
):  # fmt: skip
    """See `beam.expand_states`."""
    count = 0
    here, there = np.empty(8), np.empty(6)
    for state in range(len(states)):
        for bend in range(len(samples)):
            here[:6] = states[state]
            here[6], here[7] = np.cos(here[2]), np.sin(here[2])
            node = at[state]
            for onwards in range(most):
                for k in range(first_crossing[node], first_crossing[node + 1]):
                    edge = crossings[k]
                    cost, last = here[4] + price[bend, edge], first_sample[edge + 1]
                    most_cost = _too_dear(here[3] + samples[bend, last - 1, 3], limits, dear)
                    if cost <= most_cost and _follow_edge(
                        here, samples[bend, first_sample[edge] : last], cost, limits, most_cost, path, there
                    ):
                        if count < len(found):
                            origin[count, 0], origin[count, 1], origin[count, 2] = state, bend, onwards
                            origin[count, 3], origin[count, 4] = edge, end[edge]
                            found[count] = there
                        count += 1
                edge = onward[node]
                if edge < 0:
                    break
                cost, of_it = here[4] + price[bend, edge], samples[bend, first_sample[edge] : first_sample[edge + 1]]
                if not _follow_edge(here, of_it, cost, limits, np.inf, path, there):
                    break
                here[:6] = there
                here[6], here[7] = np.cos(here[2]), np.sin(here[2])
                node = end[edge]
                if here[3] >= bin_end or onwards == most - 1:
                    if here[4] > _too_dear(here[3], limits, dear):
                        break
                    if count < len(found):
                        origin[count, 0], origin[count, 1], origin[count, 2] = state, bend, onwards + 1
                        origin[count, 3], origin[count, 4] = -1, node
                        found[count] = here[:6]
                    count += 1
                    break
    return count


@kernel("i8[::1](i8[::1], i8[::1], i8[::1], i8, i8)")
def count_frames(first, ends, lengths, start, end):  # type: ignore[no-untyped-def]
    """Return the fewest frames (N,) from a node to every node up to the distance of `end`; −1 for nodes not reached.

    first (N + 1,) : place of each node's first edge; ends, lengths (E,) : of the edges, lengths at least 1

    Nodes wait in one bucket per frame. No edge is longer than all buckets together, so they are used in turn. A node
    that waits in a later bucket, too, is ignored there.
    """
    frames = np.full(len(first) - 1, -1, np.int64)
    longest = lengths.max() if len(lengths) > 0 else 0
    bucket = np.full(longest + 1, -1, np.int64)
    node_at, next_at = np.empty(len(ends) + 1, np.int64), np.empty(len(ends) + 1, np.int64)
    bucket[0], node_at[0], next_at[0], frames[start] = 0, start, -1, 0
    used, waiting, now = 1, 1, 0
    while waiting > 0 and frames[end] != now:
        k = bucket[now % len(bucket)]
        bucket[now % len(bucket)] = -1
        while k >= 0:
            node = node_at[k]
            k = next_at[k]
            waiting -= 1
            if frames[node] != now:
                continue
            for edge in range(first[node], first[node + 1]):
                other, there = ends[edge], now + lengths[edge]
                if frames[other] < 0 or there < frames[other]:
                    frames[other] = there
                    node_at[used], next_at[used] = other, bucket[there % len(bucket)]
                    bucket[there % len(bucket)] = used
                    used, waiting = used + 1, waiting + 1
        now += 1
    return frames


@kernel("i8[::1](i8[::1], i8[::1])")
def number_components(first, following):  # type: ignore[no-untyped-def]
    """Return the component (N,) of each node; see `components.strong`.

    first (N + 1,) : place of each node's first edge; following (E,) : the nodes at the ends of the edges
    """
    count = len(first) - 1
    component, low, index = np.full(count, -1), np.zeros(count, np.int64), np.full(count, -1)
    waiting, path, edge = np.empty(count, np.int64), np.empty(count, np.int64), first[:-1].copy()
    left = depth = counter = components = 0
    for root in range(count):
        if index[root] >= 0:
            continue
        index[root] = low[root] = counter
        waiting[left] = path[depth] = root
        counter, left, depth = counter + 1, left + 1, depth + 1
        while depth > 0:
            node = path[depth - 1]
            if edge[node] < first[node + 1]:
                other = following[edge[node]]
                edge[node] += 1
                if index[other] < 0:
                    index[other] = low[other] = counter
                    waiting[left] = path[depth] = other
                    counter, left, depth = counter + 1, left + 1, depth + 1
                elif component[other] < 0:
                    low[node] = min(low[node], index[other])
                continue
            depth -= 1
            if depth > 0:
                low[path[depth - 1]] = min(low[path[depth - 1]], low[node])
            if low[node] == index[node]:
                member = -1
                while member != node:
                    left -= 1
                    member = waiting[left]
                    component[member] = components
                components += 1
    return component
