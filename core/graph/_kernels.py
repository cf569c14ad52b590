"""The iterations of this package for numba; `_twins` has the same functions for numpy."""

import numpy as np

from ..jit import kernel

LEAST = 1e-12  # m²; what is nearer by less than that is as near


@kernel("f8(f8[:, ::1], f8[:, ::1], f8[:, ::1], f8[:, ::1], i8[::1], i8, i8, f8[:, ::1])")
def _apart(x, y, heights, sums, samples, i, j, work):  # type: ignore[no-untyped-def]
    """Squared distance of the windows about two rows; sums (F, 3) : weighted means on the ground, and squares."""
    dots, crosses, ups = work[0], work[1], work[2]
    dots[:], crosses[:], ups[:] = 0.0, 0.0, 0.0
    mean_ax, mean_ay, mean_bx, mean_by, square = 0.0, 0.0, 0.0, 0.0, 0.0
    count = len(dots)
    for k in samples:
        ax, ay, bx, by = x[i + k], y[i + k], x[j + k], y[j + k]
        az, bz = heights[i + k], heights[j + k]
        for p in range(count):
            dots[p] += ax[p] * bx[p] + ay[p] * by[p]
            crosses[p] += ax[p] * by[p] - ay[p] * bx[p]
            ups[p] += az[p] * bz[p]
        mean_ax += sums[i + k, 0]
        mean_ay += sums[i + k, 1]
        mean_bx += sums[j + k, 0]
        mean_by += sums[j + k, 1]
        square += sums[i + k, 2] + sums[j + k, 2]
    size = len(samples)
    dot = dots.sum() - (mean_ax * mean_bx + mean_ay * mean_by) / size
    cross = crosses.sum() - (mean_ax * mean_by - mean_ay * mean_bx) / size
    square -= (mean_ax**2 + mean_ay**2 + mean_bx**2 + mean_by**2) / size
    return max(square - 2.0 * (np.sqrt(dot * dot + cross * cross) + ups.sum()), 0.0) / size


@kernel(
    "Tuple((i8[:, ::1], f8[::1]))"
    "(f8[:, ::1], f8[:, ::1], f8[:, ::1], f8[::1], i8[::1], i8[:, ::1], i8[:, ::1], i8[:, ::1])"
)
def downhill(x, y, heights, weights, samples, start, low, high):  # type: ignore[no-untyped-def]
    """See `transitions.refined`."""
    sums = np.empty((len(x), 3))
    for f in range(len(x)):
        sums[f, 0], sums[f, 1], sums[f, 2] = 0.0, 0.0, 0.0
        for p in range(len(weights)):
            sums[f, 0] += x[f, p] * weights[p]
            sums[f, 1] += y[f, p] * weights[p]
            sums[f, 2] += x[f, p] ** 2 + y[f, p] ** 2 + heights[f, p] ** 2
    places, distance = start.copy(), np.empty(len(start))
    work = np.empty((3, len(weights)))
    for m in range(len(start)):
        i, j = start[m, 0], start[m, 1]
        best = _apart(x, y, heights, sums, samples, i, j, work)
        moving = True
        while moving:
            moving = False
            from_i, from_j = i, j
            for down in range(-1, 2):
                for across in range(-1, 2):
                    a, b = from_i + down, from_j + across
                    if a < low[m, 0] or a > high[m, 0] or b < low[m, 1] or b > high[m, 1]:
                        continue
                    value = _apart(x, y, heights, sums, samples, a, b, work)
                    if value < best - LEAST:
                        best, i, j, moving = value, a, b, True
        places[m, 0], places[m, 1], distance[m] = i, j, np.sqrt(best)
    return places, distance


@kernel(
    "b1(f8[::1], i8, i8, f8[::1], f8[:, ::1], i8[::1], f8[:, ::1], f8[:, ::1], f8[:, ::1], f8[:, ::1], f8[:, ::1],"
    " f8[::1])"
)
def _along(  # type: ignore[no-untyped-def]
    here, bend, edge, limits, price, first_sample, right, ahead, turned, gone, path, there
):
    """Go along an edge; say whether the path is never left too far, and put into `there` where that leads."""
    widest, heading, length, step = limits[0] * limits[0], limits[1], limits[2], limits[3]
    cosine, sine = here[5], here[6]
    cost, before = here[4] + price[bend, edge], 0.0
    x, y, facing = here[0], here[1], here[2]
    last = len(path) - 2
    for sample in range(first_sample[edge], first_sample[edge + 1]):
        way = gone[bend, sample]
        x = here[0] + cosine * right[bend, sample] - sine * ahead[bend, sample]
        y = here[1] + sine * right[bend, sample] + cosine * ahead[bend, sample]
        facing = here[2] + turned[bend, sample]
        reached = here[3] + way
        if reached <= length:
            low = min(int(reached / step), last)
            share = reached / step - low
            off_x = x - (path[low, 0] + share * (path[low + 1, 0] - path[low, 0]))
            off_y = y - (path[low, 1] + share * (path[low + 1, 1] - path[low, 1]))
            off = facing - (path[low, 2] + share * (path[low + 1, 2] - path[low, 2]))
            off -= 2.0 * np.pi * np.round(off / (2.0 * np.pi))
            away = off_x * off_x + off_y * off_y
            if away > widest:
                return False
            cost += (away + heading * off * off) * (way - before)
        before = way
    there[0], there[1], there[2], there[3], there[4] = x, y, facing, here[3] + before, cost
    return True


@kernel(
    "i8(f8[:, ::1], i8[::1], f8, i8, f8[::1], i8[::1], i8[::1], i8[::1], i8[::1], f8[:, ::1], i8[::1],"
    " f8[:, ::1], f8[:, ::1], f8[:, ::1], f8[:, ::1], f8[:, ::1], i8[:, ::1], f8[:, ::1])"
)
def expand(  # type: ignore[no-untyped-def]
    states, at, bin_end, most, limits, onward, first_crossing, crossings, end, price, first_sample,
    right, ahead, turned, gone, path, origin, found,
):  # fmt: skip
    """See `beam.expanded`."""
    count = 0
    here, there = np.empty(7), np.empty(5)
    for state in range(len(states)):
        for bend in range(len(right)):
            here[:5] = states[state]
            here[5], here[6] = np.cos(here[2]), np.sin(here[2])
            node = at[state]
            for onwards in range(most):
                for k in range(first_crossing[node], first_crossing[node + 1]):
                    edge = crossings[k]
                    if _along(here, bend, edge, limits, price, first_sample, right, ahead, turned, gone, path, there):
                        if count < len(found):
                            origin[count, 0], origin[count, 1], origin[count, 2] = state, bend, onwards
                            origin[count, 3], origin[count, 4] = edge, end[edge]
                            found[count] = there
                        count += 1
                edge = onward[node]
                if edge < 0:
                    break
                if not _along(here, bend, edge, limits, price, first_sample, right, ahead, turned, gone, path, there):
                    break
                here[:5] = there
                here[5], here[6] = np.cos(here[2]), np.sin(here[2])
                node = end[edge]
                if here[3] >= bin_end or onwards == most - 1:
                    if count < len(found):
                        origin[count, 0], origin[count, 1], origin[count, 2] = state, bend, onwards + 1
                        origin[count, 3], origin[count, 4] = -1, node
                        found[count] = here[:5]
                    count += 1
                    break
    return count
