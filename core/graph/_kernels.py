"""The iterations of this package for numba; `_twins` has the same functions for numpy."""

import numpy as np

from ..jit import kernel


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
                    if (down == 0 and across == 0) or a < low[m, 0] or a > high[m, 0] or b < low[m, 1] or b > high[m, 1]:
                        continue
                    value = _apart(x, y, heights, sums, samples, a, b, work)
                    if value < best:
                        best, i, j, moving = value, a, b, True
        places[m, 0], places[m, 1], distance[m] = i, j, np.sqrt(best)
    return places, distance
