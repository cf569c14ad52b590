"""Unit quaternions (w, x, y, z) in whole arrays ``(..., 4)``; vectors are ``(..., 3)``, angles radians."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from .. import jit
from . import blocks
from .arrays import kernel_argument

Array = NDArray[np.float64]

IDENTITY: Array = np.array([1.0, 0.0, 0.0, 0.0])
_AXIS = {"X": 0, "Y": 1, "Z": 2}
TOGETHER = 65_536  # numbers multiplied per block, which fit a processor's cache
FEW = 50  # matrices; the library is equally fast for fewer
# half the sine of the angle between the outer axes; below it they are treated as parallel (gimbal lock)
_LOCKED = 1e-10


def mul(a: Array, b: Array) -> Array:
    """Return the product a·b: the rotation b followed by a.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.motion import quat
        >>> quarter = quat.about_axis("Z", np.radians(90.0))
        >>> round(float(np.degrees(quat.yaw(quat.mul(quarter, quarter)))), 3)
        180.0
    """
    out = np.empty(np.broadcast_shapes(a.shape, b.shape))
    for part, one, other in _blocks(out, a, b):
        _write_product(one, other, part)
    return out


def _blocks(out: Array, a: Array, b: Array) -> Iterator[tuple[Array, Array, Array]]:
    """Yield blocks of an array and of two others (passed whole if broadcast) that fit a processor's cache."""
    if out.size <= TOGETHER:
        yield out, a, b
        return
    several = max(TOGETHER * len(out) // out.size, 1)
    repeated = [each.ndim < out.ndim or len(each) < len(out) for each in (a, b)]
    for first in range(0, len(out), several):
        some = slice(first, first + several)
        yield out[some], a if repeated[0] else a[some], b if repeated[1] else b[some]


def _write_product(a: Array, b: Array, out: Array) -> None:
    aw, ax, ay, az = (a[..., k] for k in range(4))
    bw, bx, by, bz = (b[..., k] for k in range(4))
    out[..., 0] = aw * bw - ax * bx - ay * by - az * bz
    out[..., 1] = aw * bx + ax * bw + ay * bz - az * by
    out[..., 2] = aw * by - ax * bz + ay * bw + az * bx
    out[..., 3] = aw * bz + ax * by - ay * bx + az * bw


def inv(q: Array) -> Array:
    """Return the inverse of unit quaternions.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.motion import quat
        >>> round(float(np.degrees(quat.yaw(quat.inv(quat.about_axis("Z", np.radians(30.0)))))), 3)
        -30.0
    """
    return q * np.array([1.0, -1.0, -1.0, -1.0])


def rotate(q: Array, v: Array) -> Array:
    """Rotate vectors ``(..., 3)`` by rotations ``(..., 4)``.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.motion import quat
        >>> turn = quat.about_axis("Z", np.radians(90.0))
        >>> abs(quat.rotate(turn, np.array([1.0, 0.0, 0.0]))).round(3).tolist()
        [0.0, 1.0, 0.0]
    """
    out = np.empty((*np.broadcast_shapes(q.shape[:-1], v.shape[:-1]), 3))
    for part, turn, vectors in _blocks(out, q, v):
        w, axis = turn[..., :1], turn[..., 1:]
        t = 2.0 * cross(axis, vectors)
        part[...] = vectors + w * t + cross(axis, t)
    return out


def cross(a: Array, b: Array) -> Array:
    """Return the cross product ``(..., 3)``; several times faster than numpy's for many short vectors.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.motion import quat
        >>> quat.cross(np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])).tolist()
        [0.0, 0.0, 1.0]
    """
    out = np.empty(np.broadcast_shapes(a.shape, b.shape))
    out[..., 0] = a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1]
    out[..., 1] = a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2]
    out[..., 2] = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return out


def normalize(q: Array) -> Array:
    """Scale quaternions to unit length; a zero quaternion becomes the identity, as in Blender.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.motion import quat
        >>> quat.normalize(np.array([[0.0, 0.0, 3.0, 4.0], [0.0, 0.0, 0.0, 0.0]])).round(3).tolist()
        [[0.0, 0.0, 0.6, 0.8], [1.0, 0.0, 0.0, 0.0]]
    """
    out = np.empty(q.shape)
    for part, some, _ in _blocks(out, q, q):
        length = np.sqrt(np.einsum("...k,...k->...", some, some))[..., None]
        if (length > 0.0).all():
            np.divide(some, length, out=part)
        else:
            part[...] = np.where(length > 0.0, some / np.where(length > 0.0, length, 1.0), IDENTITY)
    return out


def exp(v: Array) -> Array:
    """Return the rotation of a rotation vector (axis times angle, radians).

    Example:
        >>> import numpy as np
        >>> from action_loom.core.motion import quat
        >>> quat.exp(np.radians([0.0, 0.0, 60.0])).round(3).tolist()
        [0.866, 0.0, 0.0, 0.5]
    """
    half = 0.5 * _length(v)
    return np.concatenate([np.cos(half), 0.5 * np.sinc(half / np.pi) * v], axis=-1)


def _length(v: Array) -> Array:
    """Return the lengths ``(..., 1)`` of vectors ``(..., 3)``; same bits as numpy's norm, but faster."""
    x, y, z = (v[..., k : k + 1] for k in range(3))
    return np.asarray(np.sqrt(x * x + y * y + z * z))


def log(q: Array) -> Array:
    """Return the shortest rotation vector (axis times angle, radians) of a rotation.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.motion import quat
        >>> quat.log(quat.exp(np.array([0.1, 0.2, 0.3]))).round(3).tolist()
        [0.1, 0.2, 0.3]
    """
    q = np.where(q[..., :1] < 0.0, -q, q)
    sine = _length(q[..., 1:])
    angle = 2.0 * np.arctan2(sine, q[..., :1])
    small = sine < 1e-9  # here angle / sine is 2 to the last bit
    return q[..., 1:] * np.where(small, 2.0, angle / np.where(small, 1.0, sine))


def same_side(q: Array, reference: Array) -> Array:
    """Return q or −q, the same rotation, whichever lies in the hemisphere of the reference.

    Example:
        >>> from action_loom.core.motion import quat
        >>> quat.same_side(-quat.IDENTITY, quat.IDENTITY).tolist()
        [1.0, 0.0, 0.0, 0.0]
    """
    return np.where(np.sum(q * reference, axis=-1, keepdims=True) < 0.0, -q, q)


def continuous(q: Array) -> Array:
    """Choose signs along the first axis (frames) so that neighbours lie in one hemisphere.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.motion import quat
        >>> halves = np.radians([[0.0, 0.0, 170.0], [0.0, 0.0, -170.0]])  # turns about Z, 20° apart
        >>> quat.continuous(quat.exp(halves)).round(3)[:, 3].tolist()
        [0.996, 0.996]
    """
    turned = on_one_side(q)
    return q.copy() if turned is q else turned


def on_one_side(q: Array) -> Array:
    """Return the result of `continuous`, or q itself if it is already continuous.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.motion import quat
        >>> turning = quat.about_axis("Z", np.radians([0.0, 30.0, 60.0]))
        >>> quat.on_one_side(turning) is turning
        True
    """
    far = np.zeros(q.shape[:-1], dtype=bool)
    for some in blocks.slices(len(q) - 1, q.size // max(len(q), 1)):
        after = slice(some.start + 1, some.stop + 1)
        np.less(np.einsum("...k,...k->...", q[after], q[some]), 0.0, out=far[after])
    if not far.any():
        return q
    return np.asarray(q * np.where(np.logical_xor.accumulate(far, axis=0), -1.0, 1.0)[..., None])


def mean(qs: Sequence[Array], weights: Array, iterations: int = 100) -> Array:
    """Return the weighted mean rotation ``(..., 4)`` of N arrays ``(..., 4)``.

    weights (N, ...) : with sum 1 over N, broadcast against the leading axes

    The mean is iterated with logarithms about an estimate, starting at the rotation of the greatest weight (Park, Shin,
    Shin 2002).

    Example:
        >>> import numpy as np
        >>> from action_loom.core.motion import quat
        >>> ends = [quat.about_axis("Z", np.radians(angle)) for angle in (0.0, 40.0)]
        >>> round(float(np.degrees(quat.yaw(quat.mean(ends, np.array([0.75, 0.25]))))), 3)
        10.0
    """
    stacked = np.stack(np.broadcast_arrays(*qs))
    count = int(np.prod(stacked.shape[1:-1]))
    w = np.broadcast_to(weights, stacked.shape[:-1]).reshape(len(stacked), count)
    flat = stacked.reshape(len(stacked), count, 4)
    means: Array = jit.kernels(__package__).mean(flat, kernel_argument(w), iterations)
    return means.reshape(stacked.shape[1:])


def mean_of_frames(rotations: Array) -> Array:
    """Return the mean over frames (J, 4) of rotations (F, J, 4): the quaternion nearest to all, of either sign.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.motion import quat
        >>> swing = quat.about_axis("X", np.radians([[20.0], [40.0]]))  # two frames of one joint
        >>> round(float(np.degrees(np.linalg.norm(quat.log(quat.mean_of_frames(swing)[0])))), 3)
        30.0
    """
    by_joint = rotations.transpose(1, 2, 0)
    return np.asarray(np.linalg.eigh(by_joint @ by_joint.transpose(0, 2, 1))[1][..., -1])


def log_about(means: Array, rotations: Array) -> Array:
    """Return rotation vectors (F, J, 3) of rotations (F, J, 4) about means, continuous up to a whole turn.

    means (J, 4), or (F, J, 4) if they vary over frames

    Unlike the result of `log`, these vectors are not the shortest: an angle may grow beyond half a turn without a jump.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.motion import quat
        >>> turning = quat.about_axis("X", np.radians([[0.0], [100.0], [200.0]]))
        >>> np.degrees(quat.log_about(quat.IDENTITY[None], turning))[:, 0, 0].round(3).tolist()
        [0.0, 100.0, 200.0]
    """
    about = continuous(mul(inv(means), rotations))
    about = about * np.where(about[..., :1].mean(axis=0) < 0.0, -1.0, 1.0)
    sine = np.linalg.norm(about[..., 1:], axis=-1, keepdims=True)
    small = sine < 1e-9
    angle = 2.0 * np.arctan2(sine, about[..., :1])
    return about[..., 1:] * np.where(small, 2.0, angle / np.where(small, 1.0, sine))


def about_axis(axis: str, angle: Array) -> Array:
    """Return rotations ``(..., 4)`` by angles (...) about the axis X, Y or Z.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.motion import quat
        >>> quat.about_axis("Z", np.radians([0.0, 60.0])).round(3).tolist()
        [[1.0, 0.0, 0.0, 0.0], [0.866, 0.0, 0.0, 0.5]]
    """
    out = np.zeros((*np.shape(angle), 4))
    out[..., 0] = np.cos(0.5 * np.asarray(angle))
    out[..., 1 + _AXIS[axis]] = np.sin(0.5 * np.asarray(angle))
    return out


def from_euler(angles: Array, axes: str) -> Array:
    """Return the rotations R_axes[0](angles[0]) · R_axes[1](angles[1]) · … for any string of axes.

    The order is that of the matrix product, left to right: a BVH line "Zrotation Yrotation Xrotation" is "ZYX".
    Blender's mode XYZ, which turns about X first, is "ZYX" too, with its angles reversed.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.motion import quat
        >>> turn = quat.from_euler(np.radians([30.0, 0.0, 20.0]), "ZYX")
        >>> np.degrees(quat.to_euler(turn[None], "ZYX")).round(3)[0, [0, 2]].tolist()
        [30.0, 20.0]
    """
    out = about_axis(axes[0], angles[..., 0])
    for k in range(1, len(axes)):
        out = mul(out, about_axis(axes[k], angles[..., k]))
    return out


def to_euler(q: Array, axes: str) -> Array:
    """Return angles ``(F, ..., 3)`` for `from_euler`, without jumps along the first axis (frames).

    Every rotation has two triples of angles, each up to whole turns; a frame takes the one nearest to the previous
    frame. In gimbal lock the third angle keeps its last value. Half the sum and half the difference of the outer angles
    stay exact near the lock, where entries of the matrix vanish (Bernardes & Viollet 2022).

    Example:
        >>> import numpy as np
        >>> from action_loom.core.motion import quat
        >>> turning = quat.about_axis("Z", np.radians([170.0, 190.0, 210.0]))
        >>> np.degrees(quat.to_euler(turning, "ZYX"))[:, 0].round(3).tolist()
        [170.0, 190.0, 210.0]
    """
    third, second, first = (_AXIS[a] for a in axes)
    sign = 1.0 if (first + 1) % 3 == second else -1.0
    w, x, y, z = q[..., 0], q[..., 1 + first], q[..., 1 + second], sign * q[..., 1 + third]
    sums, differences = np.hypot(w - y, x + z), np.hypot(y + w, z - x)
    half_sum, half_difference = np.arctan2(x + z, w - y), np.arctan2(z - x, y + w)
    middle = 2.0 * np.arctan2(differences, sums) - 0.5 * np.pi
    last = _hold_locked(half_sum - half_difference, (sums < _LOCKED) | (differences < _LOCKED))
    outer = np.where(differences < sums, 2.0 * half_sum - last, 2.0 * half_difference + last)
    direct = np.stack([sign * outer, middle, last], axis=-1)
    flipped = np.stack([sign * outer + np.pi, np.pi - middle, last + np.pi], axis=-1)
    return _nearest_branch(direct, flipped)


def euler_near(angles: Array, first: Array) -> Array:
    """Return the same rotations as angles ``(F, ..., 3)`` that start nearest to the angles `first` ``(..., 3)``.

    A continuous path of angles can be written as two triples, each up to whole turns.
    """
    flipped = np.stack([angles[..., 0] + np.pi, np.pi - angles[..., 1], angles[..., 2] + np.pi], axis=-1)
    away = [np.abs(_within_half_a_turn(path[0] - first)).sum(axis=-1) for path in (angles, flipped)]
    chosen = np.where((away[1] < away[0] - 1e-9)[..., None], flipped, angles)
    return chosen - 2.0 * np.pi * np.round((chosen[0] - first) / (2.0 * np.pi))


def _within_half_a_turn(angles: Array) -> Array:
    return np.asarray(angles - 2.0 * np.pi * np.round(angles / (2.0 * np.pi)))


def _hold_locked(values: Array, locked: NDArray[np.bool_]) -> Array:
    """Return values with locked frames replaced by the previous free frame, or else by the next one."""
    if not locked.any():
        return values
    frame = np.arange(len(values)).reshape(-1, *[1] * (values.ndim - 1))
    source = np.maximum.accumulate(np.where(locked, -1, frame), axis=0)
    source = np.where(source < 0, np.argmax(~locked, axis=0), source)
    held = np.take_along_axis(values, source, axis=0)
    return np.where(locked.all(axis=0), 0.0, held)


def _nearest_branch(direct: Array, flipped: Array) -> Array:
    """Return in each frame the triple of angles ``(F, ..., 3)``, out of two, nearest to the previous frame."""

    def turns(difference: Array) -> Array:
        return np.asarray(np.abs(_within_half_a_turn(difference)).sum(axis=-1))

    # Whether the flipped triple follows, if the direct one or the flipped one was taken in the frame before.
    follows = np.stack(
        [turns(flipped[1:] - before[:-1]) < turns(direct[1:] - before[:-1]) for before in (direct, flipped)], axis=-1
    )
    # A frame either decides by itself, or keeps or switches the triple of the previous frame. The last decision and the
    # number of switches since then determine the triple without a loop over the frames.
    decides, changes = follows[..., 0] == follows[..., 1], follows[..., 0]
    frame = np.arange(len(direct) - 1).reshape(-1, *[1] * (direct.ndim - 2))
    last = np.maximum.accumulate(np.where(decides, frame, -1), axis=0)
    count = np.cumsum(changes & ~decides, axis=0)
    known = last >= 0
    at = np.maximum(last, 0)
    begun = np.where(known, np.take_along_axis(changes, at, axis=0), False)
    since = count - np.where(known, np.take_along_axis(count, at, axis=0), 0)
    taken = np.zeros(direct.shape[:-1], dtype=bool)
    taken[1:] = begun ^ (since % 2 == 1)
    return np.unwrap(np.where(taken[..., None], flipped, direct), axis=0)


def to_matrix(q: Array) -> Array:
    """Return the rotation matrices ``(..., 3, 3)`` of unit quaternions.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.motion import quat
        >>> quat.to_matrix(quat.about_axis("Z", np.radians(180.0))).diagonal().round(3).tolist()
        [-1.0, -1.0, 1.0]
    """
    w, x, y, z = (q[..., k] for k in range(4))
    out = np.empty((*q.shape[:-1], 3, 3))
    out[..., 0, 0], out[..., 1, 1], out[..., 2, 2] = (
        1.0 - 2.0 * (y * y + z * z),
        1.0 - 2.0 * (x * x + z * z),
        1.0 - 2.0 * (x * x + y * y),
    )
    out[..., 0, 1], out[..., 1, 0] = 2.0 * (x * y - w * z), 2.0 * (x * y + w * z)
    out[..., 0, 2], out[..., 2, 0] = 2.0 * (x * z + w * y), 2.0 * (x * z - w * y)
    out[..., 1, 2], out[..., 2, 1] = 2.0 * (y * z - w * x), 2.0 * (y * z + w * x)
    return out


def from_matrix(m: Array) -> Array:
    """Return the unit quaternions, w ≥ 0, of rotation matrices ``(..., 3, 3)``.

    Bar-Itzhack's method: the eigenvector of the largest eigenvalue, which is also right for matrices that are only
    nearly rotations.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.motion import quat
        >>> turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])  # 90° about Z
        >>> round(float(np.degrees(quat.yaw(quat.from_matrix(turn)))), 3)
        90.0
    """
    k = np.empty((*m.shape[:-2], 4, 4))
    m00, m11, m22 = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    k[..., 0, 0], k[..., 1, 1] = m00 + m11 + m22, m00 - m11 - m22
    k[..., 2, 2], k[..., 3, 3] = m11 - m00 - m22, m22 - m00 - m11
    k[..., 1, 0] = m[..., 2, 1] - m[..., 1, 2]
    k[..., 2, 0] = m[..., 0, 2] - m[..., 2, 0]
    k[..., 3, 0] = m[..., 1, 0] - m[..., 0, 1]
    k[..., 2, 1] = m[..., 1, 0] + m[..., 0, 1]
    k[..., 3, 1] = m[..., 2, 0] + m[..., 0, 2]
    k[..., 3, 2] = m[..., 2, 1] + m[..., 1, 2]
    few = k.size < FEW * 16
    q = np.linalg.eigh(k)[1][..., :, -1] if few else _of_largest(k.reshape(-1, 4, 4)).reshape(k.shape[:-1])
    return np.where(q[..., :1] < 0.0, -q, q)


def _of_largest(k: Array) -> Array:
    """Return the eigenvectors (N, 4) of the largest eigenvalues of matrices (N, 4, 4) given by their lower triangles.

    For a rotation the eigenvalues are 3 and three times −1, so any column of k + 1 is the eigenvector. For a nearly
    orthogonal matrix, power iteration converges quickly. The slower library call handles the remaining cases.
    """
    more = k.copy()
    for i, j in ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)):
        more[:, i, j] = more[:, j, i]  # values above the diagonal are undefined and may be NaN
    more += np.eye(4)
    largest = np.argmax(np.diagonal(more, axis1=1, axis2=2), axis=1)
    q = more[np.arange(len(k)), largest]
    for _ in range(3):
        q = np.matmul(more, (q / np.linalg.norm(q, axis=1, keepdims=True))[:, :, None])[:, :, 0]
    value = np.linalg.norm(q, axis=1, keepdims=True)
    q /= value
    left = np.abs(np.matmul(more, q[:, :, None])[:, :, 0] - value * q).max(axis=1, initial=0.0)
    # A bound shows that no other eigenvalue is larger: all of k sum to 0, their squares to less than 25.
    square = np.einsum("nij,nij->n", more, more) - 4.0
    doubtful = ~((left <= 1e-13) & (value[:, 0] >= 3.5) & (square < 25.0))
    if doubtful.any():
        q[doubtful] = np.linalg.eigh(k[doubtful])[1][..., :, -1]
    return np.asarray(q)


def yaw(q: Array) -> Array:
    """Return the angle about Z (radians) after removing the tilt (swing-twist decomposition).

    Example:
        >>> import numpy as np
        >>> from action_loom.core.motion import quat
        >>> tilted = quat.from_euler(np.radians([30.0, 0.0, 10.0]), "ZYX")
        >>> round(float(np.degrees(quat.yaw(tilted))), 3)
        30.0
    """
    return 2.0 * np.arctan2(q[..., 3], q[..., 0])
