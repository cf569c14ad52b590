"""Normals of a surface from its faces (source 002, its second method; methods: Skinning)."""

import numpy as np
from numpy.typing import NDArray

from ..motion.quat import Array

Floats = NDArray[np.float32]
Indices = NDArray[np.int32]


def of_faces(places: Floats, corners: Indices, begins: Indices) -> Floats:
    """Return the normals (V, 3) of vertices at given positions (V, 3), from their faces.

    corners, begins : concatenated vertices of all faces, and the start of each face (followed by the end) The normal is
        the mean over the faces at a vertex, weighted by their angles there, as in Blender. A vertex without faces gets
        the direction from the origin, as in Blender.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.skin import normals
        >>> places = np.array([[1, 1, 0], [2, 1, 0], [2, 2, 0]], np.float32)
        >>> normals.of_faces(places, np.array([0, 1, 2], np.int32), np.array([0, 3], np.int32))[0].tolist()
        [0.0, 0.0, 1.0]
    """
    counts = np.diff(begins)
    if not len(counts):
        return unit(places.astype(np.float64)).astype(np.float32)
    face = np.repeat(np.arange(len(counts)), counts)
    place = np.arange(len(corners))
    after = np.where(place + 1 == begins[face + 1], begins[face], place + 1)
    before = np.where(place == begins[face], begins[face + 1] - 1, place - 1)
    at: Array = places[corners].astype(np.float64)
    crossed: Array = np.cross(at, at[after])  # Newell: the sum over a face is twice its area, along its normal
    normals = unit(np.asarray(np.add.reduceat(crossed, begins[:-1], axis=0), np.float64))
    onwards, back = (unit(at[other] - at) for other in (after, before))
    angles = np.arccos(np.clip(np.sum(onwards * back, axis=1), -1.0, 1.0))
    weighted = angles[:, None] * normals[face]
    summed: Array = np.empty(places.shape)
    for axis in range(3):
        summed[:, axis] = np.bincount(corners, weighted[:, axis], len(places))
    loose = np.bincount(corners, minlength=len(places)) == 0
    summed[loose] = places[loose]
    return unit(summed).astype(np.float32)


def unit(vectors: Array) -> Array:
    """Return vectors divided by their lengths; those without length stay zero."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0.0, lengths, 1.0))
