"""A surface deformed by bones: vertices and normals at rest, and the bone influences of each vertex.

Method: Skinning.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ClipError
from ..motion.quat import Array
from .normals import Floats, Indices, of_faces

LEAST = 1e-4  # a vertex with a smaller sum of weights does not move, as in Blender
COMPACT = 4  # influences per vertex, as used by graphics cards: a vector of bones and one of weights


@dataclass(frozen=True, eq=False)
class Skin:
    """A surface deformed by bones; positions in metres, or in the unit of the bones' matrices.

    vertices, normals (V, 3) : at rest
    first (V + 1,), bones (N,), weights (N,) : vertex v has the influences first[v] to first[v + 1] − 1, in storage
        order; their weights add up to 1, or there are none
    corners, faces : concatenated vertices of all faces, and the start of each face (followed by the end)
    """

    vertices: Floats
    normals: Floats
    first: Indices
    bones: Indices
    weights: Floats
    corners: Indices
    faces: Indices

    def __len__(self) -> int:
        return len(self.vertices)

    @property
    def most(self) -> int:
        """The largest number of bones that influence a vertex."""
        return int(np.diff(self.first).max(initial=0))

    @cached_property
    def triangles(self) -> Indices:
        """Vertices (T, 3) of triangles that cover the faces: fans about each face's first corner."""
        counts = np.maximum(np.diff(self.faces) - 2, 0)
        face = np.repeat(np.arange(len(counts)), counts)
        place = np.arange(len(face)) - np.repeat(np.cumsum(counts) - counts, counts)
        begin = self.faces[face]
        return self.corners[np.stack([begin, begin + place + 1, begin + place + 2], axis=1)]

    @cached_property
    def compact(self) -> tuple[Indices, Floats]:
        """The four largest influences of each vertex: bones and weights (V, 4), sorted, with sum 1 or all 0.

        The layout of source 002: two vectors of four numbers per vertex.
        """
        bones, weights = np.zeros((len(self), COMPACT), np.int32), np.zeros((len(self), COMPACT), np.float32)
        owner = np.repeat(np.arange(len(self)), np.diff(self.first))
        order = np.lexsort((-self.weights, owner))
        place = np.arange(len(order)) - self.first[owner]
        kept = place < COMPACT
        bones[owner[kept], place[kept]] = self.bones[order][kept]
        weights[owner[kept], place[kept]] = self.weights[order][kept]
        total = weights.sum(axis=1, keepdims=True)
        return bones, np.divide(weights, total, out=np.zeros_like(weights), where=total > 0.0)


def skin(
    vertices: Array,
    influences: list[Sequence[tuple[int, float]]] | tuple[NDArray[Any], NDArray[Any], NDArray[Any]],
    faces: list[Sequence[int]] | tuple[NDArray[Any], NDArray[Any]],
    normals: Array | None = None,
) -> Skin:
    """Return a surface of vertices (V, 3) with bone weights.

    influences : bones and weights of each vertex, or arrays as in `Skin` with any sum
    faces : the vertices of each, or arrays as in `Skin`; normals (V, 3) : by default computed from the faces
    Raises ClipError for vertices that are not finite, negative or invalid weights, and faces with unknown vertices.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.skin import skin
        >>> corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]])
        >>> triangle = skin.skin(corners, [[(0, 1.0)], [(0, 1.0), (1, 3.0)], [(1, 2.0)]], [[0, 1, 2]])
        >>> triangle.weights.tolist(), triangle.normals[0].tolist()
        ([1.0, 0.25, 0.75, 1.0], [0.0, 0.0, 1.0])
    """
    places = np.ascontiguousarray(vertices, np.float32).reshape(-1, 3)
    given = influences if isinstance(influences, tuple) else _in_arrays(influences)
    rows = faces if isinstance(faces, tuple) else _flat(faces)
    first, bones, corners, begins = (np.ascontiguousarray(array, np.int32) for array in (*given[:2], *rows))
    weights = np.ascontiguousarray(given[2], np.float32)
    _check(places, first, bones, weights, corners)
    if normals is None:
        turned = of_faces(places, corners, begins)
    else:
        turned = np.ascontiguousarray(normals, np.float32).reshape(-1, 3)
    return Skin(places, turned, *_normalize_weights(first, bones, weights), corners, begins)


def join_surfaces(surfaces: Sequence[Skin]) -> Skin:
    """Return several surfaces merged into one, in order; their bones must have the same numbering.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.skin import skin
        >>> corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]])
        >>> triangle = skin.skin(corners, [[(0, 1.0)]] * 3, [[0, 1, 2]])
        >>> both = skin.join_surfaces([triangle, triangle])
        >>> len(both), both.corners.tolist()
        (6, [0, 1, 2, 3, 4, 5])
    """
    vertices = np.cumsum([0] + [len(part) for part in surfaces])
    influences = np.cumsum([0] + [len(part.bones) for part in surfaces])
    corners = np.cumsum([0] + [len(part.corners) for part in surfaces])
    return Skin(
        np.concatenate([part.vertices for part in surfaces]),
        np.concatenate([part.normals for part in surfaces]),
        _in_a_row([part.first for part in surfaces], influences),
        np.concatenate([part.bones for part in surfaces]),
        np.concatenate([part.weights for part in surfaces]),
        np.concatenate([part.corners + shift for part, shift in zip(surfaces, vertices, strict=False)], dtype=np.int32),
        _in_a_row([part.faces for part in surfaces], corners),
    )


def _in_a_row(begins: Sequence[Indices], shifts: Array) -> Indices:
    """Return the row starts of several concatenated lists; each includes its end."""
    shifted = [list_begins[:-1] + shift for list_begins, shift in zip(begins, shifts, strict=False)]
    return np.concatenate([*shifted, shifts[-1:]]).astype(np.int32)


def extend_surface(surface: Skin, owners: NDArray[np.int64], normals: Array) -> Skin:
    """Return a surface with additional vertices (P,) outside all faces, copies of vertices with other normals.

    owners (P,) : the original vertices, whose weights are copied
    normals (P, 3) : their own, such as the corner normals of a hard edge

    Example:
        >>> import numpy as np
        >>> from action_loom.core.skin import skin
        >>> corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]])
        >>> triangle = skin.skin(corners, [[(0, 1.0)]] * 3, [[0, 1, 2]])
        >>> more = skin.extend_surface(triangle, np.array([1]), np.array([[1.0, 0.0, 0.0]]))
        >>> more.vertices[3].tolist(), more.normals[3].tolist()
        ([1.0, 0.0, 0.0], [1.0, 0.0, 0.0])
    """
    counts = np.diff(surface.first)
    more = counts[owners]
    first = np.concatenate([surface.first, surface.first[-1] + np.cumsum(more)])
    # The influences of each copy's original, concatenated.
    taken = np.repeat(surface.first[owners] - (np.cumsum(more) - more), more) + np.arange(more.sum())
    return Skin(
        np.concatenate([surface.vertices, surface.vertices[owners]]),
        np.concatenate([surface.normals, np.asarray(normals, np.float32).reshape(-1, 3)]),
        first.astype(np.int32),
        np.concatenate([surface.bones, surface.bones[taken]]),
        np.concatenate([surface.weights, surface.weights[taken]]),
        surface.corners,
        surface.faces,
    )


def _in_arrays(influences: list[Sequence[tuple[int, float]]]) -> tuple[Array, Array, Array]:
    pairs = np.array([pair for row in influences for pair in row], np.float64).reshape(-1, 2)
    return _begins([len(row) for row in influences]), pairs[:, 0], pairs[:, 1]


def _flat(faces: list[Sequence[int]]) -> tuple[Array, Array]:
    return np.array([corner for face in faces for corner in face], np.float64), _begins([len(face) for face in faces])


def _begins(counts: list[int]) -> Array:
    return np.concatenate([[0.0], np.cumsum(counts)])


def _check(places: Floats, first: Indices, bones: Indices, weights: Floats, corners: Indices) -> None:
    if not np.isfinite(places).all():
        raise ClipError(f"vertex {int(np.argmax(~np.isfinite(places).all(axis=1)))} of the surface is no place")
    if len(first) != len(places) + 1 or first[-1] != len(bones) or len(bones) != len(weights):
        raise ClipError(f"{len(first) - 1} rows of weights were given for {len(places)} vertices")
    if len(weights) and not (np.isfinite(weights).all() and weights.min() >= 0.0):
        raise ClipError("a weight of the surface is negative, or no number")
    if len(bones) and bones.min() < 0:
        raise ClipError("a weight of the surface is of no bone")
    if len(corners) and not 0 <= corners.min() <= corners.max() < len(places):
        raise ClipError(f"a face names vertex {int(corners.max())}, but there are {len(places)}, from 0")


def _normalize_weights(first: Indices, bones: Indices, weights: Floats) -> tuple[Indices, Indices, Floats]:
    """Return the influences with weights normalized per vertex, dropping vertices with a sum near 0."""
    counts = np.diff(first)
    owner = np.repeat(np.arange(len(counts)), counts)
    total = np.bincount(owner, weights.astype(np.float64), len(counts))
    kept = (total[owner] > LEAST) & (weights > 0.0)
    start = np.concatenate([[0], np.cumsum(np.bincount(owner[kept], minlength=len(counts)))])
    shares = weights[kept].astype(np.float64) / total[owner[kept]]
    return start.astype(np.int32), bones[kept], shares.astype(np.float32)
