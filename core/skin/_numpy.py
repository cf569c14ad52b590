"""Move vertices with numpy: the same numbers as `_numba`, up to rounding.

Arrays have components first and vertices last, because numpy is several times faster with long rows.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from .normals import Floats, Indices

Places = NDArray[np.int64]


def linear(
    vertices: Floats, normals: Floats, first: Indices, bones: Indices, weights: Floats, moves: Floats
) -> tuple[Floats, Floats]:
    """See `skinning.linear`."""
    order, inverse = _order(first)
    table = np.ascontiguousarray(moves.reshape(len(moves), 12).T)
    blended = np.zeros((12, len(order)), np.float32)
    for at in _influences(first[order], np.diff(first)[order]):
        part = table.take(bones[at], axis=1)
        part *= weights[at]
        blended[:, : len(at)] += part
    columns = blended.reshape(3, 4, -1)
    places = _apply_columns(columns, vertices[order]) + columns[:, 3]
    turned = _apply_columns(columns, normals[order])
    length = np.sqrt(turned[0] ** 2 + turned[1] ** 2 + turned[2] ** 2)
    turned /= np.where(length > 0.0, length, np.float32(1.0))
    return _of_vertices(places, vertices, first, inverse), _of_vertices(turned, normals, first, inverse)


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
    order, inverse = _order(first)
    table = np.concatenate([turns, shifts], axis=1).T.copy()
    own = np.ascontiguousarray(vertices[order].T)
    total = np.zeros((8, len(order)), np.float32)
    total[0, first[order] == first[order + 1]] = 1.0
    # One influence of every vertex at a time, because the sign of each depends on the sum of the previous ones.
    for at in _influences(first[order], np.diff(first)[order]):
        bone, count = bones[at], len(at)
        part = table.take(bone, axis=1)
        stretched = np.flatnonzero(scaled[bone])
        if len(stretched):
            places, some = own[:, stretched], bone[stretched]
            aside = (
                _apply_columns(scales.take(some, axis=0).transpose(1, 2, 0), places.T) + scales[some, :, 3].T - places
            )
            part[4:, stretched] += np.float32(0.5) * _mul(part[:4, stretched], np.pad(aside, ((1, 0), (0, 0))))
        both = total[:4, :count] * part[:4]
        part *= np.where((both[0] + both[1]) + (both[2] + both[3]) < 0.0, -weights[at], weights[at])
        total[:, :count] += part
    total /= np.sqrt(total[0] ** 2 + total[1] ** 2 + total[2] ** 2 + total[3] ** 2)
    real, other = total[:4], total[4:]
    back = real * np.array((1.0, -1.0, -1.0, -1.0), np.float32)[:, None]
    places = _rotate(real, own) + np.float32(2.0) * _mul(other, back)[1:]
    turned = _rotate(real, np.ascontiguousarray(normals[order].T))
    return np.ascontiguousarray(places[:, inverse].T), np.ascontiguousarray(turned[:, inverse].T)


def _order(first: Indices) -> tuple[Places, Places]:
    """Return vertices sorted by decreasing number of influences, and the inverse permutation."""
    counts = np.minimum(np.diff(first), 32_000).astype(np.int16)  # which numpy sorts ten times faster
    order = np.argsort(-counts, kind="stable")
    inverse = np.empty_like(order)
    inverse[order] = np.arange(len(order))
    return order, inverse


def _influences(first: Indices, counts: Indices) -> Iterator[Indices]:
    """Yield the indices of the first influences of all vertices that have one, then of the second ones, and so on."""
    for k in range(int(counts.max(initial=0))):
        yield first[: np.count_nonzero(counts > k)] + k


def _apply_columns(columns: Floats, vectors: Floats) -> Floats:
    """Return vectors (V, 3) times matrices (3, 3 or 4, V), components first."""
    x, y, z = np.ascontiguousarray(vectors.T)
    return np.asarray(columns[:, 0] * x + columns[:, 1] * y + columns[:, 2] * z)


def _of_vertices(values: Floats, still: Floats, first: Indices, inverse: Places) -> Floats:
    """Return values (3, V) as (V, 3) in the order of the vertices; vertices without influence keep `still`."""
    return np.where((first[:-1] < first[1:])[:, None], values[:, inverse].T, still)


def _mul(a: Floats, b: Floats) -> Floats:
    aw, ax, ay, az = a
    bw, bx, by, bz = b
    return np.stack(
        [
            aw * bw - ax * bx - ay * by - az * bz,
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
        ]
    )


def _rotate(turns: Floats, vectors: Floats) -> Floats:
    across = np.float32(2.0) * _cross(turns[1:], vectors)
    return np.asarray(vectors + turns[0] * across + _cross(turns[1:], across))


def _cross(a: Floats, b: Floats) -> Floats:
    return np.stack([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])
