"""The kernels of this package for numba; `_numpy` has the same functions for numpy."""

import numpy as np
from numpy.polynomial import chebyshev

from ..jit import kernel

LANES = 256  # rotations processed together, so that plain loops vectorize and the data stay in the cache

# Polynomials on −1 … 1, highest power first, exact to 4e-15. The mathematical library evaluates one number at a time,
# which makes the whole mean six times slower. ANGLE_OVER_SINE is the angle over its sine as a function of
# 2·cosine − 1. HALF_COSINE and HALF_SINE are functions of 2·(angle/π)² − 1: the cosine of half the angle, and the sine
# of half the angle over the angle.
ANGLE_OVER_SINE, HALF_COSINE, HALF_SINE = (
    tuple(float(c) for c in chebyshev.cheb2poly(chebyshev.chebinterpolate(function, degree))[::-1])
    for function, degree in (
        (lambda x: np.arccos(0.5 + 0.5 * x) / np.sin(np.arccos(0.5 + 0.5 * x)), 19),
        (lambda x: np.cos(0.5 * np.pi * np.sqrt(0.5 + 0.5 * x)), 8),
        (lambda x: 0.5 * np.sinc(0.5 * np.sqrt(0.5 + 0.5 * x)), 8),
    )
)


@kernel("void(f8[:, ::1], f8[:, ::1], f8[::1], f8[:, ::1], f8[:, ::1], i8)")
def _add_scaled(here, rotations, shares, towards, work, lanes):  # type: ignore[no-untyped-def]
    """Add scaled rotations to `towards`: the vector part of here⁻¹ · their sum is half the sum of the logarithms."""
    a, b, c, d = here[0], here[1], here[2], here[3]
    p, q, r, s = rotations[0], rotations[1], rotations[2], rotations[3]
    to_p, to_q, to_r, to_s = towards[0], towards[1], towards[2], towards[3]
    cosine, at, value = work[0], work[1], work[2]
    for k in range(lanes):
        cosine[k] = a[k] * p[k] + b[k] * q[k] + c[k] * r[k] + d[k] * s[k]
        at[k] = 2.0 * abs(cosine[k]) - 1.0
        value[k] = 0.0
    for coefficient in ANGLE_OVER_SINE:
        for k in range(lanes):
            value[k] = value[k] * at[k] + coefficient
    for k in range(lanes):
        scale = np.copysign(shares[k] * value[k], cosine[k])
        to_p[k] += scale * p[k]
        to_q[k] += scale * q[k]
        to_r[k] += scale * r[k]
        to_s[k] += scale * s[k]


@kernel("i8(f8[:, ::1], f8[:, ::1], f8[:, ::1], i8)")
def _move(here, towards, work, lanes):  # type: ignore[no-untyped-def]
    """Rotate the estimates by twice the vector parts of here⁻¹ · towards; return how many of them still moved."""
    a, b, c, d = here[0], here[1], here[2], here[3]
    p, q, r, s = towards[0], towards[1], towards[2], towards[3]
    at, cosine, sine = work[0], work[1], work[2]
    for k in range(lanes):
        x = 2.0 * (a[k] * q[k] - b[k] * p[k] - c[k] * s[k] + d[k] * r[k])
        y = 2.0 * (a[k] * r[k] + b[k] * s[k] - c[k] * p[k] - d[k] * q[k])
        z = 2.0 * (a[k] * s[k] - b[k] * r[k] + c[k] * q[k] - d[k] * p[k])
        at[k] = (2.0 / np.pi**2) * (x * x + y * y + z * z) - 1.0
        q[k], r[k], s[k] = x, y, z
        cosine[k], sine[k] = 0.0, 0.0
    for coefficient in HALF_COSINE:
        for k in range(lanes):
            cosine[k] = cosine[k] * at[k] + coefficient
    for coefficient in HALF_SINE:
        for k in range(lanes):
            sine[k] = sine[k] * at[k] + coefficient
    moving = 0
    for k in range(lanes):
        moving += q[k] * q[k] + r[k] * r[k] + s[k] * s[k] >= 1e-24
        w, x, y, z = cosine[k], sine[k] * q[k], sine[k] * r[k], sine[k] * s[k]
        ak, bk, ck, dk = a[k], b[k], c[k], d[k]
        a[k] = ak * w - bk * x - ck * y - dk * z
        b[k] = ak * x + bk * w + ck * z - dk * y
        c[k] = ak * y - bk * z + ck * w + dk * x
        d[k] = ak * z + bk * y - ck * x + dk * w
    return moving


@kernel("f8[:, ::1](f8[:, :, ::1], f8[:, ::1], i8)")
def mean(rotations, weights, iterations):  # type: ignore[no-untyped-def]
    """See `quat.mean`."""
    several, count = weights.shape
    means = np.empty((count, 4))
    # Arrays by component: rotations, estimates, the scaled sums they move towards, and intermediate values.
    many, shares = np.empty((several, 4, LANES)), np.empty((several, LANES))
    here, towards, work = np.empty((4, LANES)), np.empty((4, LANES)), np.empty((3, LANES))
    for first in range(0, count, LANES):
        lanes = min(LANES, count - first)
        for k in range(lanes):
            heaviest = 0
            for i in range(several):
                shares[i, k] = weights[i, first + k]
                if shares[i, k] > shares[heaviest, k]:
                    heaviest = i
                for component in range(4):
                    many[i, component, k] = rotations[i, first + k, component]
            for component in range(4):
                here[component, k] = many[heaviest, component, k]
        for _ in range(iterations):
            for component in range(4):
                for k in range(lanes):
                    towards[component, k] = 0.0
            for i in range(several):
                _add_scaled(here, many[i], shares[i], towards, work, lanes)
            if _move(here, towards, work, lanes) == 0:
                break
        for k in range(lanes):
            w, x, y, z = here[0, k], here[1, k], here[2, k], here[3, k]
            length = np.sqrt(w * w + x * x + y * y + z * z)
            for component in range(4):
                means[first + k, component] = here[component, k] / length
    return means


@kernel("f8[:, ::1](f8[:, ::1], f8[::1])")
def curve(values, frames):  # type: ignore[no-untyped-def]
    """See `resample.curve`; requires two samples or more, and frames in their range."""
    last, channels = len(values) - 1, values.shape[1]
    sampled = np.empty((len(frames), channels))
    for k in range(len(frames)):
        start = min(int(frames[k]), last - 1)
        t = frames[k] - start
        first, fourth = max(start - 1, 0), min(start + 2, last)
        span_a, span_b = start + 1 - first, fourth - start
        before, a, b, after = values[first], values[start], values[start + 1], values[fourth]
        row = sampled[k]
        for c in range(channels):
            step = b[c] - a[c]
            slope_a, slope_b = (b[c] - before[c]) / span_a, (after[c] - a[c]) / span_b
            row[c] = a[c] + t * (
                slope_a + t * (3.0 * step - 2.0 * slope_a - slope_b + t * (slope_a + slope_b - 2.0 * step))
            )
    return sampled


@kernel(
    "Tuple((f8[:, :, ::1], f8[:, :, ::1]))(i8[::1], i8[::1], f8[:, ::1], f8[:, ::1], f8[:, :, ::1], f8[:, :, ::1], i8)"
)
def forward(joints, parents, offsets, orients, rotations, translations, more):  # type: ignore[no-untyped-def]
    """See `kinematics.forward`: for some joints, parents first; other entries and `more` extra points are zero.

    All sums are in the order of `quat.mul` and `quat.rotate`, so that the numbers are the same to the last bit.
    """
    turned, moved = np.zeros(rotations.shape), np.zeros((len(rotations), len(parents) + more, 3))
    for f in range(len(rotations)):
        rotation, translation, turn, place = rotations[f], translations[f], turned[f], moved[f]
        for joint in joints:
            aw, ax, ay, az = orients[joint, 0], orients[joint, 1], orients[joint, 2], orients[joint, 3]
            bw, bx, by, bz = rotation[joint, 0], rotation[joint, 1], rotation[joint, 2], rotation[joint, 3]
            vx, vy, vz = translation[joint, 0], translation[joint, 1], translation[joint, 2]
            w = aw * bw - ax * bx - ay * by - az * bz
            x = aw * bx + ax * bw + ay * bz - az * by
            y = aw * by - ax * bz + ay * bw + az * bx
            z = aw * bz + ax * by - ay * bx + az * bw
            cx, cy, cz = 2.0 * (ay * vz - az * vy), 2.0 * (az * vx - ax * vz), 2.0 * (ax * vy - ay * vx)
            px = offsets[joint, 0] + (vx + aw * cx + (ay * cz - az * cy))
            py = offsets[joint, 1] + (vy + aw * cy + (az * cx - ax * cz))
            pz = offsets[joint, 2] + (vz + aw * cz + (ax * cy - ay * cx))
            parent = parents[joint]
            if parent >= 0:
                aw, ax, ay, az = turn[parent, 0], turn[parent, 1], turn[parent, 2], turn[parent, 3]
                cx, cy, cz = 2.0 * (ay * pz - az * py), 2.0 * (az * px - ax * pz), 2.0 * (ax * py - ay * px)
                px, py, pz = (
                    place[parent, 0] + (px + aw * cx + (ay * cz - az * cy)),
                    place[parent, 1] + (py + aw * cy + (az * cx - ax * cz)),
                    place[parent, 2] + (pz + aw * cz + (ax * cy - ay * cx)),
                )
                w, x, y, z = (
                    aw * w - ax * x - ay * y - az * z,
                    aw * x + ax * w + ay * z - az * y,
                    aw * y - ax * z + ay * w + az * x,
                    aw * z + ax * y - ay * x + az * w,
                )
            turn[joint, 0], turn[joint, 1], turn[joint, 2], turn[joint, 3] = w, x, y, z
            place[joint, 0], place[joint, 1], place[joint, 2] = px, py, pz
    return turned, moved
