"""Moving vertices for numba; `_numpy` has the same functions for numpy."""

import numpy as np

from ..jit import kernel

_SKIN = "f4[:, ::1], f4[:, ::1], i4[::1], i4[::1], f4[::1]"


@kernel(f"Tuple((f4[:, ::1], f4[:, ::1]))({_SKIN}, f4[:, :, ::1])")
def linear(vertices, normals, first, bones, weights, moves):  # type: ignore[no-untyped-def]
    """See `skinning.linear`."""
    count = len(vertices)
    places, turned = np.empty((count, 3), np.float32), np.empty((count, 3), np.float32)
    zero = np.float32(0.0)
    for v in range(count):
        begin, end = first[v], first[v + 1]
        if begin == end:
            for k in range(3):
                places[v, k], turned[v, k] = vertices[v, k], normals[v, k]
            continue
        a00 = a01 = a02 = a03 = a10 = a11 = a12 = a13 = a20 = a21 = a22 = a23 = zero
        for at in range(begin, end):
            m, w = moves[bones[at]], weights[at]
            a00 += w * m[0, 0]
            a01 += w * m[0, 1]
            a02 += w * m[0, 2]
            a03 += w * m[0, 3]
            a10 += w * m[1, 0]
            a11 += w * m[1, 1]
            a12 += w * m[1, 2]
            a13 += w * m[1, 3]
            a20 += w * m[2, 0]
            a21 += w * m[2, 1]
            a22 += w * m[2, 2]
            a23 += w * m[2, 3]
        x, y, z = vertices[v, 0], vertices[v, 1], vertices[v, 2]
        places[v, 0] = a00 * x + a01 * y + a02 * z + a03
        places[v, 1] = a10 * x + a11 * y + a12 * z + a13
        places[v, 2] = a20 * x + a21 * y + a22 * z + a23
        x, y, z = normals[v, 0], normals[v, 1], normals[v, 2]
        p = a00 * x + a01 * y + a02 * z
        q = a10 * x + a11 * y + a12 * z
        r = a20 * x + a21 * y + a22 * z
        length = np.sqrt(p * p + q * q + r * r)
        over = np.float32(1.0) / length if length > zero else np.float32(1.0)
        turned[v, 0], turned[v, 1], turned[v, 2] = p * over, q * over, r * over
    return places, turned


@kernel(f"Tuple((f4[:, ::1], f4[:, ::1]))({_SKIN}, f4[:, ::1], f4[:, ::1], f4[:, :, ::1], b1[::1])")
def dual(vertices, normals, first, bones, weights, turns, shifts, scales, scaled):  # type: ignore[no-untyped-def]
    """See `skinning.dual_quaternions`."""
    count = len(vertices)
    places, turned = np.empty((count, 3), np.float32), np.empty((count, 3), np.float32)
    zero, half, one, two = np.float32(0.0), np.float32(0.5), np.float32(1.0), np.float32(2.0)
    for v in range(count):
        begin, end = first[v], first[v + 1]
        vx, vy, vz = vertices[v, 0], vertices[v, 1], vertices[v, 2]
        if begin == end:
            for k in range(3):
                places[v, k], turned[v, k] = vertices[v, k], normals[v, k]
            continue
        rw = rx = ry = rz = dw = dx = dy = dz = zero
        for at in range(begin, end):
            bone = bones[at]
            qw, qx, qy, qz = turns[bone, 0], turns[bone, 1], turns[bone, 2], turns[bone, 3]
            w = weights[at]
            # Only the sign depends on the sum, so the products can be computed in parallel; this loop dominates the
            # time.
            pw, px, py, pz = w * qw, w * qx, w * qy, w * qz
            if (rw * qw + rx * qx) + (ry * qy + rz * qz) < zero:
                w, pw, px, py, pz = -w, -pw, -px, -py, -pz
            rw += pw
            rx += px
            ry += py
            rz += pz
            sw, sx, sy, sz = shifts[bone, 0], shifts[bone, 1], shifts[bone, 2], shifts[bone, 3]
            if scaled[bone]:
                m = scales[bone]
                ex = half * (m[0, 0] * vx + m[0, 1] * vy + m[0, 2] * vz + m[0, 3] - vx)
                ey = half * (m[1, 0] * vx + m[1, 1] * vy + m[1, 2] * vz + m[1, 3] - vy)
                ez = half * (m[2, 0] * vx + m[2, 1] * vy + m[2, 2] * vz + m[2, 3] - vz)
                sw -= qx * ex + qy * ey + qz * ez
                sx += qw * ex + qy * ez - qz * ey
                sy += qw * ey - qx * ez + qz * ex
                sz += qw * ez + qx * ey - qy * ex
            dw += w * sw
            dx += w * sx
            dy += w * sy
            dz += w * sz
        over = one / np.sqrt(rw * rw + rx * rx + ry * ry + rz * rz)
        rw, rx, ry, rz = rw * over, rx * over, ry * over, rz * over
        dw, dx, dy, dz = dw * over, dx * over, dy * over, dz * over
        ax, ay, az = two * (ry * vz - rz * vy), two * (rz * vx - rx * vz), two * (rx * vy - ry * vx)
        places[v, 0] = vx + rw * ax + ry * az - rz * ay + two * (dx * rw - dw * rx + dz * ry - dy * rz)
        places[v, 1] = vy + rw * ay + rz * ax - rx * az + two * (dy * rw - dw * ry + dx * rz - dz * rx)
        places[v, 2] = vz + rw * az + rx * ay - ry * ax + two * (dz * rw - dw * rz + dy * rx - dx * ry)
        nx, ny, nz = normals[v, 0], normals[v, 1], normals[v, 2]
        ax, ay, az = two * (ry * nz - rz * ny), two * (rz * nx - rx * nz), two * (rx * ny - ry * nx)
        turned[v, 0] = nx + rw * ax + ry * az - rz * ay
        turned[v, 1] = ny + rw * ay + rz * ax - rx * az
        turned[v, 2] = nz + rw * az + rx * ay - ry * ax
    return places, turned
