"""The recurrences and distances of this package for numba; `_numpy` has the same functions for numpy."""

import numpy as np
from numpy.polynomial import chebyshev

from ..jit import kernel
from .ties import TIE

CLEARLY = 1.0 - TIE  # a step replaces an earlier one if its cost is below this share of the earlier cost
LEAST = 1e-12  # m²; smaller differences of squared distances are rounding, and count as equal

# The square of the arc cosine over 1 − cosine as a polynomial of 2·cosine − 1, lowest power first, exact to 1e-13. It
# takes a quarter of the time of the mathematical library, which computes one number at a time.
_NODES = chebyshev.chebpts1(20)
_SQUARES = chebyshev.chebfit(_NODES, np.arccos(0.5 + 0.5 * _NODES) ** 2 / (0.5 - 0.5 * _NODES), 15)
A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P = (float(c) for c in chebyshev.cheb2poly(_SQUARES))  # noqa: E741


@kernel("void(f8[::1], f8[::1], f8[::1], f8[::1], i2[::1], i2)")
def _consider(costs, onwards, here, best, steps, step):  # type: ignore[no-untyped-def]
    """Extend steps of given costs by the cells of a row, and record them where they are cheaper.

    onwards : output, their costs with these cells
    """
    for j in range(len(here)):
        onwards[j] = costs[j] + here[j]
        if onwards[j] < best[j] * CLEARLY:
            best[j] = onwards[j]
            steps[j] = step


@kernel("Tuple((f8[::1], f8[::1], i2[:, ::1]))(f8[:, ::1], f8[::1], f8[::1], i8)")
def borders(distance, skip_rows, skip_columns, limit):  # type: ignore[no-untyped-def]
    """See `dtw.Costs`; the backpointers are steps."""
    rows, columns = distance.shape
    steps, last = np.zeros((rows, columns), dtype=np.int16), np.empty(rows + 1)
    above, row = skip_columns.copy(), np.empty(columns + 1)
    last[0] = above[columns]
    # Costs of downward steps that started in recent rows, and of steps to the right. The cells of a row are
    # independent, and processing whole rows takes a third of the time of single cells.
    down, right = np.full((min(limit, rows), columns), np.inf), np.empty((2, columns))
    for i in range(rows):
        here, best = distance[i], row[1:]
        diagonal = down[i % len(down)]
        for j in range(columns):
            diagonal[j] = above[j] + here[j]
            best[j] = diagonal[j]
        for k in range(1, min(limit, i + 1)):
            lower = down[(i - k) % len(down)]
            _consider(lower, lower, here, best, steps[i], k)
        before = diagonal
        for k in range(1, min(limit, columns)):
            after = right[k % 2]
            _consider(before[k - 1 :], after[k:], here[k:], best[k:], steps[i][k:], -k)
            before = after
        row[0] = skip_rows[i + 1]
        last[i + 1] = row[columns]
        above, row = row, above
    return above, last, steps


@kernel("Tuple((f8, i8))(f8, f8, i8, f8, i8)", inlined=True)
def _enter(diagonal, up, up_run, left, left_run):  # type: ignore[no-untyped-def]
    """Return the lowest cost of entering a cell from three neighbours and its step, which lengthens their runs."""
    # A right-angled corner is never cheaper than the diagonal, which is preferred in ties. A path that enters a cell
    # downwards therefore leaves it downwards or diagonally; the same holds to the right.
    best, step = diagonal, 0
    if up < best * CLEARLY:
        best, step = up, up_run + 1
    if left < best * CLEARLY:
        best, step = left, left_run - 1
    return best, step


@kernel("void(f8[::1], f8[::1], f8[::1], i2[::1], f8[::1], i2[::1])")
def _cross_row(here, above, ups, runs, row, steps):  # type: ignore[no-untyped-def]
    """Fill the costs after the first, and the steps, of a row; ups, runs : costs and steps of entering it downwards."""
    left, run = np.inf, 0
    for j in range(len(here)):
        best, run = _enter(above[j], ups[j], runs[j], left, run)
        left = best + here[j]
        row[j + 1], steps[j] = left, run


@kernel("UniTuple(f8, 6)(f8[:, ::1], f8[::1], f8[::1], i2[::1], f8[::1], i2[:, ::1])")
def _cross_six_rows(distance, starts, above, runs, row, steps):  # type: ignore[no-untyped-def]
    """Fill the costs after the first of the last of six rows, and the steps of all; return the six last costs.

    starts : costs before the first cell of each row; above, runs : costs and steps of the row before
    """
    columns = distance.shape[1]
    # Each row is a column behind the row before it, so that the six cells of a turn do not wait for each other.
    corner1, corner2, corner3, corner4, corner5 = starts[0], starts[1], starts[2], starts[3], starts[4]
    cost0, cost1, cost2, cost3, cost4, cost5 = np.inf, np.inf, np.inf, np.inf, np.inf, np.inf
    run0, run1, run2, run3, run4, run5 = 0, 0, 0, 0, 0, 0
    for j in range(columns + 5):
        if j >= 5:
            best, run5 = _enter(corner5, cost4, run4, cost5, run5)
            corner5, cost5 = cost4, best + distance[5, j - 5]
            row[j - 4], steps[5, j - 5] = cost5, run5
        if 4 <= j < columns + 4:
            best, run4 = _enter(corner4, cost3, run3, cost4, run4)
            corner4, cost4 = cost3, best + distance[4, j - 4]
            steps[4, j - 4] = run4
        if 3 <= j < columns + 3:
            best, run3 = _enter(corner3, cost2, run2, cost3, run3)
            corner3, cost3 = cost2, best + distance[3, j - 3]
            steps[3, j - 3] = run3
        if 2 <= j < columns + 2:
            best, run2 = _enter(corner2, cost1, run1, cost2, run2)
            corner2, cost2 = cost1, best + distance[2, j - 2]
            steps[2, j - 2] = run2
        if 1 <= j < columns + 1:
            best, run1 = _enter(corner1, cost0, run0, cost1, run1)
            corner1, cost1 = cost0, best + distance[1, j - 1]
            steps[1, j - 1] = run1
        if j < columns:
            best, run0 = _enter(above[j], above[j + 1], runs[j], cost0, run0)
            cost0 = best + distance[0, j]
            steps[0, j] = run0
    return cost0, cost1, cost2, cost3, cost4, cost5


@kernel("Tuple((f8[::1], f8[::1], i2[:, ::1]))(f8[:, ::1], f8[::1], f8[::1])")
def borders_unlimited(distance, skip_rows, skip_columns):  # type: ignore[no-untyped-def]
    """See `dtw.Costs`; without a slope limit."""
    rows, columns = distance.shape
    steps, last = np.empty((rows, columns), dtype=np.int16), np.empty(rows + 1)
    above, row = skip_columns.copy(), np.empty(columns + 1)
    last[0] = above[columns]
    nowhere = np.full(columns, np.inf)  # no path enters the first row downwards
    i = 0
    while i < rows:
        runs = steps[max(i - 1, 0)]
        if 0 < i <= rows - 6:
            of = slice(i, i + 6)
            last[i + 1 : i + 7] = _cross_six_rows(distance[of], skip_rows[i + 1 :], above, runs, row, steps[of])
            i += 6
        else:
            _cross_row(distance[i], above, above[1:] if i else nowhere, runs, row, steps[i])
            last[i + 1] = row[columns]
            i += 1
        row[0] = skip_rows[i]
        above, row = row, above
    return above, last, steps


@kernel("f8[::1](f8[:, ::1], i8[::1], i8)")
def compute_rolled_costs(distance, starts, limit):  # type: ignore[no-untyped-def]
    """See `dtw.compute_rolled_costs`."""
    rows, columns = distance.shape
    costs = np.empty(len(starts))
    skip_rows, skip_columns = np.full(rows + 1, np.inf), np.full(columns + 1, np.inf)
    skip_rows[0], skip_columns[0] = 0.0, 0.0
    turned = np.empty((rows, columns))
    for k in range(len(starts)):
        start = starts[k]
        for i in range(rows):
            turned[i, : columns - start] = distance[i, start:]
            turned[i, columns - start :] = distance[i, :start]
        last_row, _, _ = borders(turned, skip_rows, skip_columns, limit)
        costs[k] = last_row[columns]
    return costs


@kernel("i8[:, ::1](i2[:, ::1], i8[:, ::1], i8, i8)")
def trace(back, ends, rows, columns):  # type: ignore[no-untyped-def]
    """See `dtw.Costs.path`; the backpointers are steps."""
    for k in range(len(ends)):
        i, j = ends[k, 0], ends[k, 1]
        first_i, first_j = i, j
        while i >= 0 and j >= 0:
            step = back[i, j]
            first_i, first_j = i - max(step, 0), j + min(step, 0)
            i, j = first_i - 1, first_j - 1
        i, j = ends[k, 0], ends[k, 1]
        if i - first_i + 1 < rows or j - first_j + 1 < columns:
            continue
        cells = np.empty((i + j + 2, 2), dtype=np.int64)
        at = len(cells)
        while i >= 0 and j >= 0:
            step = back[i, j]
            for _ in range(abs(step) + 1):
                at -= 1
                cells[at, 0], cells[at, 1] = i, j
                i -= step > 0
                j -= step < 0
            # The loop has moved once too often in that direction; the diagonal move follows.
            i, j = i + (step > 0) - 1, j + (step < 0) - 1
        return cells[at:].copy()
    return np.empty((0, 2), dtype=np.int64)


@kernel("i8[:, ::1](f8[::1], i8[::1], i8[::1], i8)")
def find_banded_path(distance, first, begin, limit):  # type: ignore[no-untyped-def]
    """See `dtw.find_banded_path`."""
    rows = len(first)
    columns = first[-1] + begin[-1] - begin[-2]
    steps = np.zeros(len(distance), dtype=np.int16)
    # As in `borders`, indexed by columns of the whole matrix, so that cells outside the band are infinite.
    above, best = np.full(columns + 1, np.inf), np.empty(columns)
    down, right = np.full((min(limit, rows), columns), np.inf), np.empty((2, columns))
    above[0] = 0.0
    left = 0
    for i in range(rows):
        low, high = first[i], first[i] + begin[i + 1] - begin[i]
        here, taken, row = distance[begin[i] : begin[i + 1]], steps[begin[i] : begin[i + 1]], best[low:high]
        diagonal = down[i % len(down)]
        for j in range(low, high):
            diagonal[j] = above[j] + here[j - low]
            best[j] = diagonal[j]
        for k in range(1, min(limit, i + 1)):
            lower = down[(i - k) % len(down)][low:high]
            _consider(lower, lower, here, row, taken, k)
        before = diagonal
        for k in range(1, min(limit, high - low)):
            after = right[k % 2]
            _consider(before[low + k - 1 :], after[low + k :], here[k:], row[k:], taken[k:], -k)
            before = after
        above[left : low + 1] = np.inf
        above[low + 1 : high + 1] = row
        left = low
    cells = np.empty((len(distance), 2), dtype=np.int64)
    at = len(cells)
    i, j = rows - 1, columns - 1
    if not np.isfinite(above[-1]):
        return cells[at:].copy()
    while i >= 0 and j >= 0:
        step = steps[begin[i] + j - first[i]]
        for _ in range(abs(step) + 1):
            at -= 1
            cells[at, 0], cells[at, 1] = i, j
            i -= step > 0
            j -= step < 0
        i, j = i + (step > 0) - 1, j + (step < 0) - 1
    return cells[at:].copy()


@kernel("void(f8[:, ::1], i8, i8, f8[::1])")
def _mean_along(products, i, window, mean):  # type: ignore[no-untyped-def]
    """Fill row i of the mean over a window along the diagonals; see `distance.compute_distances`."""
    for j in range(len(mean)):
        mean[j] = products[i, j]
    for k in range(1, 2 * window + 1):
        further = products[i + k, k : k + len(mean)]
        for j in range(len(mean)):
            mean[j] += further[j]
    if window > 0:
        for j in range(len(mean)):
            mean[j] /= 2 * window + 1


@kernel("f8[:, ::1](f8[:, ::1], i8, f8[::1], f8[::1])")
def compute_distances(products, window, square, other_square):  # type: ignore[no-untyped-def]
    """See `distance.compute_distances`."""
    distances = np.empty((len(square), len(other_square)))
    for i in range(len(square)):
        row, own = distances[i], square[i]
        _mean_along(products, i, window, row)
        for j in range(len(row)):
            row[j] = np.sqrt(max(own + other_square[j] - 2.0 * row[j], 0.0))
    return distances


@kernel("f8[:, ::1](f8[:, :, ::1], f8[:, :, ::1], i8, f8[::1], f8[::1], f8[::1], f8[::1])")
def clouds_apart(products, drift, window, spread, other_spread, lift, other_lift):  # type: ignore[no-untyped-def]
    """See `alignment.clouds_apart`."""
    count, columns = len(spread), len(other_spread)
    distances = np.empty((count, columns))
    sine, height = np.empty(columns), np.empty(columns)
    for i in range(count):
        cosine = distances[i]
        _mean_along(products[0], i, window, cosine)
        _mean_along(products[1], i, window, sine)
        _mean_along(products[2], i, window, height)
        own, own_lift = spread[i], lift[i]
        for j in range(columns):
            c, s = cosine[j] + drift[0, i, j], sine[j] + drift[1, i, j]
            turned = np.sqrt(c * c + s * s)
            square = own + other_spread[j] - 2.0 * turned - 2.0 * height[j]
            lifted = own_lift - other_lift[j]
            cosine[j] = np.sqrt(max(square - lifted * lifted, 0.0))
    return distances


@kernel("void(f8[::1], f8[::1], f8)", fused=True)
def _add_squares(total, cosine, weight):  # type: ignore[no-untyped-def]
    """Add weight·arccos²(cosine)·4 to the totals, with terms in pairs to shorten the chain of dependent operations."""
    for j in range(len(total)):
        x = 2.0 * cosine[j] - 1.0
        x2 = x * x
        x4 = x2 * x2
        low = (A + B * x) + (C + D * x) * x2 + ((E + F * x) + (G + H * x) * x2) * x4
        high = (I + J * x) + (K + L * x) * x2 + ((M + N * x) + (O + P * x) * x2) * x4
        total[j] += weight * (1.0 - cosine[j]) * (low + high * (x4 * x4))


@kernel("f8[:, ::1](f8[:, :, ::1], f8[:, :, ::1], f8[::1])")
def angles_apart(rotations, others, weights):  # type: ignore[no-untyped-def]
    """See `angles.angles_apart`."""
    joints, _, count = rotations.shape
    columns = others.shape[2]
    distances = np.zeros((count, columns))
    cosine = np.empty(columns)
    for i in range(count):
        total = distances[i]
        for joint in range(joints):
            a, b, c, d = rotations[joint, 0, i], rotations[joint, 1, i], rotations[joint, 2, i], rotations[joint, 3, i]
            p, q, r, s = others[joint, 0], others[joint, 1], others[joint, 2], others[joint, 3]
            weight = weights[joint]
            for j in range(columns):
                cosine[j] = min(abs(a * p[j] + b * q[j] + c * r[j] + d * s[j]), 1.0)
            _add_squares(total, cosine, 4.0 * weight)
    return distances


@kernel("f8[:, ::1](f8[:, ::1], f8[::1])")
def weighted_window(poses, weights):  # type: ignore[no-untyped-def]
    """See `angles.weighted_window`."""
    count, columns = poses.shape
    window = len(weights) // 2
    means = np.zeros((count, columns))
    for i in range(count):
        row = means[i]
        for k in range(-window, window + 1):
            other, weight = poses[i + k if 0 <= i + k < count else i], weights[k + window]
            # First the columns whose window extends beyond the left or right end, then those between.
            left, right = min(max(-k, 0), columns), max(columns - max(k, 0), 0)
            for j in range(left):
                row[j] += weight * other[j]
            for j in range(max(right, left), columns):
                row[j] += weight * other[j]
            if right > left:
                between, shifted = row[left:right], other[left + k : right + k]
                for j in range(len(between)):
                    between[j] += weight * shifted[j]
    return means


@kernel("f8(f8[:, ::1], f8[:, ::1], f8[:, ::1], f8[:, ::1], i8[::1], i8, i8, f8[:, ::1])")
def _pair_apart(x, y, heights, sums, samples, i, j, work):  # type: ignore[no-untyped-def]
    """Return the squared distance of the windows around two rows.

    sums (F, 3) : weighted means on the ground, and sums of squares
    """
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
    """See `alignment.nearest_nearby`."""
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
        best = _pair_apart(x, y, heights, sums, samples, i, j, work)
        moving = True
        while moving:
            moving = False
            from_i, from_j = i, j
            for down in range(-1, 2):
                for across in range(-1, 2):
                    a, b = from_i + down, from_j + across
                    if a < low[m, 0] or a > high[m, 0] or b < low[m, 1] or b > high[m, 1]:
                        continue
                    value = _pair_apart(x, y, heights, sums, samples, a, b, work)
                    if value < best - LEAST:
                        best, i, j, moving = value, a, b, True
        places[m, 0], places[m, 1], distance[m] = i, j, np.sqrt(best)
    return places, distance
