"""The recurrences and distances of this package for numba; `_numpy` has the same functions for numpy."""

import numpy as np
from numpy.polynomial import chebyshev

from ..jit import kernel

LEAST = 1e-12  # m²; smaller differences of squared distances are rounding, and count as equal

# The arc cosine over √(1 − cosine) as a polynomial of 2·cosine − 1, the highest power first, exact to 4e-15. It takes a
# quarter of the time of the mathematical library, which computes one number at a time.
_NODES = chebyshev.chebpts1(20)
_ARCS = chebyshev.chebfit(_NODES, np.arccos(0.5 + 0.5 * _NODES) / np.sqrt(0.5 - 0.5 * _NODES), 19)
ARC = tuple(float(c) for c in chebyshev.cheb2poly(_ARCS)[::-1])


@kernel("void(f8[::1], f8[::1], f8[::1], f8[::1], i2[::1], i8, i2)")
def _consider(before, further, run, row, steps, shift, step):  # type: ignore[no-untyped-def]
    """Update a row of cells with a step over one cell more than the last one, where it is cheaper.

    The cells that the step comes from and passes lie `shift` columns before those of the row.
    """
    run, best, steps = run[shift:], row[shift + 1 :], steps[shift:]
    for j in range(len(run)):
        run[j] += further[j]
        candidate = before[j] + run[j]
        if candidate < best[j]:
            best[j] = candidate
            steps[j] = step


@kernel("i2[:, ::1](f8[:, ::1], f8[::1], f8[::1], i8, f8[:, ::1], f8[::1])")
def _accumulate(distance, skip_rows, skip_columns, limit, total, last):  # type: ignore[no-untyped-def]
    """Fill in the costs, row i in total[i % len(total)], and their last column; return the steps."""
    rows, columns = distance.shape
    kept = len(total)
    steps = np.zeros((rows, columns), dtype=np.int16)
    for j in range(columns + 1):
        total[0, j] = skip_columns[j]
    last[0] = skip_columns[columns]
    # The cells of a row do not depend on each other: whole rows at a time take a third as long as cell by cell.
    run = np.empty(columns)
    for i in range(rows):
        here, above, row = distance[i], total[i % kept], total[(i + 1) % kept]
        row[0] = skip_rows[i + 1]
        for j in range(columns):
            row[j + 1] = above[j] + here[j]
            run[j] = here[j]
        for k in range(1, min(limit, i + 1)):
            _consider(total[(i - k) % kept], distance[i - k], run, row, steps[i], 0, k)
        for j in range(columns):
            run[j] = here[j]
        for k in range(1, min(limit, columns)):
            _consider(above, here, run, row, steps[i], k, -k)
        last[i + 1] = row[columns]
    return steps


@kernel("Tuple((f8[:, ::1], i2[:, ::1]))(f8[:, ::1], f8[::1], f8[::1], i8)")
def accumulate(distance, skip_rows, skip_columns, limit):  # type: ignore[no-untyped-def]
    """See `dtw.accumulate`."""
    rows, columns = distance.shape
    total = np.empty((rows + 1, columns + 1))
    return total, _accumulate(distance, skip_rows, skip_columns, limit, total, np.empty(rows + 1))


@kernel("Tuple((f8[::1], f8[::1], i2[:, ::1]))(f8[:, ::1], f8[::1], f8[::1], i8)")
def borders(distance, skip_rows, skip_columns, limit):  # type: ignore[no-untyped-def]
    """See `dtw.borders`."""
    rows, columns = distance.shape
    # Keep only the rows that steps reach back to: to allocate all of them takes longer than to fill them.
    total, last = np.empty((min(limit, rows) + 1, columns + 1)), np.empty(rows + 1)
    steps = _accumulate(distance, skip_rows, skip_columns, limit, total, last)
    return total[rows % len(total)].copy(), last, steps


@kernel("Tuple((f8[:, ::1], i2[:, ::1]))(f8[:, ::1], f8[::1], f8[::1])")
def accumulate_unlimited(distance, skip_rows, skip_columns):  # type: ignore[no-untyped-def]
    """See `dtw.accumulate`; for a limit that limits nothing."""
    rows, columns = distance.shape
    total = np.empty((rows + 1, columns + 1))
    steps = np.zeros((rows, columns), dtype=np.int16)
    for i in range(rows + 1):
        total[i, 0] = skip_rows[i]
    for j in range(columns + 1):
        total[0, j] = skip_columns[j]
    # A right-angled corner is never cheaper than the diagonal, which is taken where both are equal. So a path that
    # comes down to a cell leaves it down or by the diagonal, and likewise to the right.
    for i in range(rows):
        above, here, row = total[i], distance[i], total[i + 1]
        left, run = np.inf, 0
        for j in range(columns):
            best, step = above[j], 0
            up = above[j + 1] if i > 0 else np.inf
            if up < best:
                best, step = up, steps[i - 1, j] + 1
            if left < best:
                best, step = left, run - 1
            left, run = best + here[j], step
            row[j + 1] = left
            steps[i, j] = step
    return total, steps


@kernel("i8[:, ::1](i2[:, ::1], i8[:, ::1])")
def starts(steps, ends):  # type: ignore[no-untyped-def]
    """See `dtw.starts`."""
    cells = np.empty((len(ends), 2), dtype=np.int64)
    for k in range(len(ends)):
        i, j = ends[k, 0], ends[k, 1]
        first_i, first_j = i, j
        while i >= 0 and j >= 0:
            step = steps[i, j]
            first_i, first_j = i - max(step, 0), j + min(step, 0)
            i, j = first_i - 1, first_j - 1
        cells[k, 0], cells[k, 1] = first_i, first_j
    return cells


@kernel("Tuple((i8[:, ::1], i8))(i2[:, ::1], i8, i8, i8)")
def trace(steps, i, j, longest):  # type: ignore[no-untyped-def]
    """See `dtw.trace`."""
    cells = np.empty((i + j + 2, 2), dtype=np.int64)
    at, count = len(cells), 0
    while i >= 0 and j >= 0:
        step = steps[i, j]
        count += abs(step) == longest
        for _ in range(abs(step)):
            at -= 1
            cells[at, 0], cells[at, 1] = i, j
            i -= step > 0
            j -= step < 0
        at -= 1
        cells[at, 0], cells[at, 1] = i, j
        i, j = i - 1, j - 1
    return cells[at:].copy(), count


@kernel("void(f8[:, ::1], i8, i8, f8[::1])")
def _mean_along(products, i, window, mean):  # type: ignore[no-untyped-def]
    """Fill in row i of the mean over a window along the diagonals; see `distance.apart`."""
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
def apart(products, window, square, other_square):  # type: ignore[no-untyped-def]
    """See `distance.apart`."""
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


@kernel("f8[:, ::1](f8[:, :, ::1], f8[:, :, ::1], f8[::1], b1)")
def angles_apart(rotations, others, weights, squared):  # type: ignore[no-untyped-def]
    """See `angles.angles_apart`."""
    joints, _, count = rotations.shape
    columns = others.shape[2]
    distances = np.zeros((count, columns))
    cosine, arc = np.empty(columns), np.empty(columns)
    for i in range(count):
        total = distances[i]
        for joint in range(joints):
            a, b, c, d = rotations[joint, 0, i], rotations[joint, 1, i], rotations[joint, 2, i], rotations[joint, 3, i]
            p, q, r, s = others[joint, 0], others[joint, 1], others[joint, 2], others[joint, 3]
            weight = weights[joint]
            for j in range(columns):
                cosine[j] = min(abs(a * p[j] + b * q[j] + c * r[j] + d * s[j]), 1.0)
                arc[j] = 0.0
            for coefficient in ARC:
                for j in range(columns):
                    arc[j] = arc[j] * (2.0 * cosine[j] - 1.0) + coefficient
            for j in range(columns):
                angle = 2.0 * arc[j] * np.sqrt(1.0 - cosine[j])
                total[j] += weight * (angle * angle if squared else angle)
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
            # First the columns whose window overhangs on the left and on the right, then those between.
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
    """Return the squared distance of the windows about two rows.

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
