"""A surface and what moves it: vertices and normals at rest, and the bones that each vertex hangs on.

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

LEAST = 1e-4  # a vertex whose weights add up to less stays where it is, as in Blender
COMPACT = 4  # influences that graphics cards take


@dataclass(frozen=True, eq=False)
class Skin:
    """A surface that bones move; positions in metres, or in whatever unit the bones' matrices have.

    vertices, normals (V, 3) : at rest
    first (V + 1,), bones (N,), weights (N,) : the influences of vertex v are those from first[v] to first[v + 1], in
        the order in which they are stored; their weights add up to 1, or there are none
    corners, faces : vertices of all faces one after the other, and where each face begins (with the end at the end)
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
        """How many bones a vertex hangs on at most."""
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
        """The four largest influences of each vertex: bones and weights (V, 4), falling, with sum 1 or all 0.

        The layout of the source: two vectors of four numbers a vertex (source 002).
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
    """Return a surface of vertices (V, 3) that hang on bones with weights.

    influences : for each vertex its bones and weights, or their arrays as in `Skin` but of any sum
    faces : the vertices of each, or their arrays as in `Skin`; normals (V, 3) : those of the faces if not given
    Raises ClipError for vertices that are none, weights that are negative or no numbers, and faces of other vertices.
    """
    places = np.ascontiguousarray(vertices, np.float32).reshape(-1, 3)
    given = influences if isinstance(influences, tuple) else _in_arrays(influences)
    first, bones = (np.ascontiguousarray(one, np.int32) for one in given[:2])
    weights = np.ascontiguousarray(given[2], np.float32)
    corners, begins = (
        np.ascontiguousarray(one, np.int32) for one in (faces if isinstance(faces, tuple) else _flat(faces))
    )
    _check(places, first, bones, weights, corners)
    if normals is None:
        turned = of_faces(places, corners, begins)
    else:
        turned = np.ascontiguousarray(normals, np.float32).reshape(-1, 3)
    return Skin(places, turned, *_normalized(first, bones, weights), corners, begins)


def joined(surfaces: Sequence[Skin]) -> Skin:
    """Return several surfaces as one, in their order; one or more, whose bones are numbered alike."""
    vertices = np.cumsum([0] + [len(one) for one in surfaces])
    influences = np.cumsum([0] + [len(one.bones) for one in surfaces])
    corners = np.cumsum([0] + [len(one.corners) for one in surfaces])
    return Skin(
        np.concatenate([one.vertices for one in surfaces]),
        np.concatenate([one.normals for one in surfaces]),
        _in_a_row([one.first for one in surfaces], influences),
        np.concatenate([one.bones for one in surfaces]),
        np.concatenate([one.weights for one in surfaces]),
        np.concatenate([one.corners + shift for one, shift in zip(surfaces, vertices, strict=False)]).astype(np.int32),
        _in_a_row([one.faces for one in surfaces], corners),
    )


def _in_a_row(begins: Sequence[Indices], shifts: Array) -> Indices:
    """Where each row begins, of several lists one after the other; each has its end at the end."""
    shifted = [one[:-1] + shift for one, shift in zip(begins, shifts, strict=False)]
    return np.concatenate([*shifted, shifts[-1:]]).astype(np.int32)


def extended(surface: Skin, owners: NDArray[np.int64], normals: Array) -> Skin:
    """Return a surface with further vertices (P,) of no face: each is where one is, and hangs as it does.

    owners (P,) : those that they are copies of; normals (P, 3) : their own, such as those of the corners of a hard edge
    """
    counts = np.diff(surface.first)
    more = counts[owners]
    first = np.concatenate([surface.first, surface.first[-1] + np.cumsum(more)])
    # Of each copy the influences of its owner, one after the other.
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
    every = np.array([one for row in influences for one in row], np.float64).reshape(-1, 2)
    return _begins([len(row) for row in influences]), every[:, 0], every[:, 1]


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


def _normalized(first: Indices, bones: Indices, weights: Floats) -> tuple[Indices, Indices, Floats]:
    """Weights with sum 1 for each vertex; where they are next to nothing there are none."""
    counts = np.diff(first)
    owner = np.repeat(np.arange(len(counts)), counts)
    total = np.bincount(owner, weights.astype(np.float64), len(counts))
    kept = (total[owner] > LEAST) & (weights > 0.0)
    start = np.concatenate([[0], np.cumsum(np.bincount(owner[kept], minlength=len(counts)))])
    shares = weights[kept].astype(np.float64) / total[owner[kept]]
    return start.astype(np.int32), bones[kept], shares.astype(np.float32)
