"""The kernels of this package for numba; `_numpy` has the same functions for numpy."""

import numpy as np

from ...jit import kernel


@kernel("f8(f8[::1], f8[::1], i8, i8[::1], f8[::1])")
def _measure_distance(values, wanted, kind, axes, q):  # type: ignore[no-untyped-def]
    """Return the distance of values (n,) from wanted ones, for quaternions of either sign; q (4,) : scratch."""
    total, other = 0.0, 0.0
    if kind == 0:
        for k in range(len(values)):
            total += (values[k] - wanted[k]) ** 2
        return np.sqrt(total)
    if kind == 1:
        q[:] = values
    elif kind == 2:
        q[:] = 0.0
        q[0] = 1.0
        for place in range(3):
            axis = axes[place]
            c, s = np.cos(0.5 * values[axis]), np.sin(0.5 * values[axis])
            w, x, y, z = q[0], q[1], q[2], q[3]
            if axis == 0:
                q[0], q[1], q[2], q[3] = c * w - s * x, c * x + s * w, c * y + s * z, c * z - s * y
            elif axis == 1:
                q[0], q[1], q[2], q[3] = c * w - s * y, c * x - s * z, c * y + s * w, c * z + s * x
            else:
                q[0], q[1], q[2], q[3] = c * w - s * z, c * x + s * y, c * y - s * x, c * z + s * w
    else:
        length = np.sqrt(values[1] ** 2 + values[2] ** 2 + values[3] ** 2)
        sine = np.sin(0.5 * values[0]) / length if length > 0.0 else 0.0
        q[0] = np.cos(0.5 * values[0]) if length > 0.0 else 1.0
        q[1:] = sine * values[1:]
    length = np.sqrt(q[0] ** 2 + q[1] ** 2 + q[2] ** 2 + q[3] ** 2)
    if length == 0.0:
        q[0] = length = 1.0
    for k in range(4):
        total += (q[k] / length - wanted[k]) ** 2
        other += (q[k] / length + wanted[k]) ** 2
    return np.sqrt(min(total, other))


@kernel("b1(f8[:, ::1], f8[:, ::1], i8, i8[::1], f8, i8, i8, f8[:, ::1], b1, b1, f8[:, ::1])")
def _fit_slopes(values, wanted, kind, axes, limit, first, last, slopes, first_set, last_set, work):  # type: ignore[no-untyped-def]
    """Set the slopes (2, n) of a segment by least squares; return whether its frames are within the limit.

    Given slopes are kept. Internal slopes are relative to the chord, `slopes` is absolute. work (5, …) : scratch.
    """
    gap, size = last - first, values.shape[1]
    line, out, inward, point, q = work[0], work[1], work[2], work[3, :size], work[4, :4]
    for k in range(size):
        line[k] = (values[last, k] - values[first, k]) / gap
        out[k] = slopes[0, k] - line[k] if first_set else 0.0
        inward[k] = slopes[1, k] - line[k] if last_set else 0.0
    if gap > 1 and not (first_set and last_set):
        aa, ab, bb = 0.0, 0.0, 0.0
        for step in range(1, gap):
            t = step / gap
            a, b = gap * t * (1.0 - t) ** 2, gap * t * t * (t - 1.0)
            aa, ab, bb = aa + a * a, ab + a * b, bb + b * b
        for k in range(size):
            ra, rb = 0.0, 0.0
            for step in range(1, gap):
                t = step / gap
                a, b = gap * t * (1.0 - t) ** 2, gap * t * t * (t - 1.0)
                r = values[first + step, k] - values[first, k] - step * line[k] - a * out[k] - b * inward[k]
                ra, rb = ra + a * r, rb + b * r
            if first_set:
                inward[k] = rb / bb
            elif last_set:
                out[k] = ra / aa
            elif gap == 2:
                # One frame for two slopes: use the least ones through it.
                out[k], inward[k] = 0.5 * ra / aa, 0.5 * rb / bb
            else:
                out[k] = (bb * ra - ab * rb) / (aa * bb - ab * ab)
                inward[k] = (aa * rb - ab * ra) / (aa * bb - ab * ab)
    for step in range(1, gap):
        t = step / gap
        a, b = gap * t * (1.0 - t) ** 2, gap * t * t * (t - 1.0)
        for k in range(size):
            point[k] = values[first, k] + step * line[k] + a * out[k] + b * inward[k]
        if not _measure_distance(point, wanted[first + step], kind, axes, q) <= limit:
            return False
    for k in range(size):
        slopes[0, k], slopes[1, k] = line[k] + out[k], line[k] + inward[k]
    return True


@kernel("Tuple((i8[::1], f8[:, :, ::1]))(f8[:, ::1], f8[:, ::1], i8, i8[::1], f8, i8[::1], f8[:, ::1])")
def segments(values, wanted, kind, axes, limit, kept, seam):  # type: ignore[no-untyped-def]
    """See `fit.vectors`: finds the farthest next key by exponential search and bisection."""
    count, size = values.shape
    frames, slopes = np.zeros(count, np.int64), np.zeros((count, 2, size))
    work, now, best = np.zeros((5, max(size, 4))), np.zeros((2, size)), np.zeros((2, size))
    if kind != 0:
        limit = 2.0 * np.sin(0.25 * min(limit, np.pi))  # the chord of that angle between unit quaternions
    keys, at, stop, leap = 1, 0, 0, 1
    seamless = len(seam) > 0
    while at < count - 1:
        while kept[stop] <= at:
            stop += 1
        most = kept[stop] - at
        good, bad = 0, most + 1
        step = min(max(leap, 1), most)
        while good + 1 < bad:
            if seamless:
                now[:] = seam
            begins, ends = seamless and at == 0, seamless and at + step == count - 1
            if _fit_slopes(values, wanted, kind, axes, limit, at, at + step, now, begins, ends, work):
                good = step
                best[:] = now
                step = min(2 * step, most) if bad > most else (good + bad) // 2
                if step == good:
                    break
            else:
                bad = step
                step = step // 2 if good == 0 else (good + bad) // 2
        slopes[keys - 1, 1] = best[0]
        slopes[keys, 0] = best[1]
        at += good
        leap = good
        frames[keys] = at
        keys += 1
    slopes[0, 0] = slopes[0, 1]
    slopes[keys - 1, 1] = slopes[keys - 1, 0]
    if seamless:
        slopes[0, 0] = seam[0]
        slopes[keys - 1, 1] = seam[1]
    return frames[:keys].copy(), slopes[:keys].copy()
