"""Moving vertices for numpy: the same numbers as `_numba`, but for rounding."""

import numpy as np
from numpy.typing import NDArray

from .normals import Floats, Indices


def linear(
    vertices: Floats, normals: Floats, first: Indices, bones: Indices, weights: Floats, moves: Floats
) -> tuple[Floats, Floats]:
    """See `skinning.linear`."""
    blended = _blended(first, bones, weights, moves.reshape(len(moves), 12), _STILL).reshape(-1, 3, 4)
    places = np.einsum("vij,vj->vi", blended[:, :, :3], vertices) + blended[:, :, 3]
    turned = _unit(np.einsum("vij,vj->vi", blended[:, :, :3], normals))
    still = first[:-1] == first[1:]
    places[still], turned[still] = vertices[still], normals[still]
    return places, turned


def dual(
    vertices: Floats,
    normals: Floats,
    first: Indices,
    bones: Indices,
    weights: Floats,
    turns: Floats,
    shifts: Floats,
    scales: Floats,
    scaled: "NDArray[np.bool_]",
) -> tuple[Floats, Floats]:
    """See `skinning.dual_quaternions`."""
    count = len(vertices)
    real, other = np.zeros((count, 4), np.float32), np.zeros((count, 4), np.float32)
    # One influence of every vertex at a time: the sign of each depends on the sum of those before it.
    for k in range(int(np.diff(first).max(initial=0))):
        rows = np.flatnonzero(first[:-1] + k < first[1:])
        bone, weight = bones[first[rows] + k], weights[first[rows] + k]
        turn = turns[bone]
        stretched = np.einsum("vij,vj->vi", scales[bone, :, :3], vertices[rows]) + scales[bone, :, 3]
        aside = np.where(scaled[bone, None], stretched - vertices[rows], np.float32(0.0))
        moved = shifts[bone] + 0.5 * _mul(turn, np.pad(aside, ((0, 0), (1, 0))))
        sign = np.where(np.sum(real[rows] * turn, axis=1) < 0.0, -weight, weight)[:, None]
        real[rows] += sign * turn
        other[rows] += sign * moved
    still = first[:-1] == first[1:]
    real[still] = (1.0, 0.0, 0.0, 0.0)
    length = np.linalg.norm(real, axis=1, keepdims=True)
    real, other = real / length, other / length
    places = _rotate(real, vertices) + 2.0 * _mul(other, real * _CONJUGATE)[:, 1:]
    return places.astype(np.float32), _rotate(real, normals).astype(np.float32)


_STILL = np.eye(3, 4, dtype=np.float32).ravel()
_CONJUGATE = np.array((1.0, -1.0, -1.0, -1.0), np.float32)


def _blended(first: Indices, bones: Indices, weights: Floats, rows: Floats, still: Floats) -> Floats:
    """Return the mean (V, K) of some rows (B, K) by each vertex's weights; `still` where there are none."""
    out = np.zeros((len(first) - 1, rows.shape[1]), np.float32)
    for k in range(int(np.diff(first).max(initial=0))):
        there = np.flatnonzero(first[:-1] + k < first[1:])
        at = first[there] + k
        out[there] += weights[at, None] * rows[bones[at]]
    out[first[:-1] == first[1:]] = still
    return out


def _mul(a: Floats, b: Floats) -> Floats:
    aw, ax, ay, az = a.T
    bw, bx, by, bz = b.T
    return np.stack(
        [
            aw * bw - ax * bx - ay * by - az * bz,
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
        ],
        axis=1,
    )


def _rotate(turns: Floats, vectors: Floats) -> Floats:
    axis = turns[:, 1:]
    across = 2.0 * np.cross(axis, vectors)
    return np.asarray(vectors + turns[:, :1] * across + np.cross(axis, across))


def _unit(vectors: Floats) -> Floats:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0.0, lengths, np.float32(1.0)))
