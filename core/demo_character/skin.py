"""A skin for the small figure: the smooth union of tapered capsules around its bones, with weights.

The surface is extracted on a grid, with one vertex in each intersected cell (surface nets: Gibson 1998, "Constrained
elastic surface nets"); then the vertices are spread evenly over it.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ..motion.quat import Array
from .body import MIRROR, skeleton

# Capsules: bone, ends (m, in the world at rest), and radii there. For pairs of bones, only the left one.
_CAPSULES = (
    ("hips", (-0.060, 0.010, 0.950), (0.060, 0.010, 0.950), 0.096, 0.096),
    ("hips", (0.0, 0.012, 0.905), (0.0, 0.000, 0.960), 0.076, 0.100),
    ("hips", (-0.060, 0.048, 0.905), (0.060, 0.048, 0.905), 0.078, 0.078),
    ("spine", (-0.048, 0.006, 1.040), (-0.052, 0.006, 1.180), 0.080, 0.084),
    ("spine", (0.048, 0.006, 1.040), (0.052, 0.006, 1.180), 0.080, 0.084),
    ("chest", (-0.054, 0.008, 1.200), (-0.082, 0.012, 1.330), 0.086, 0.086),
    ("chest", (0.054, 0.008, 1.200), (0.082, 0.012, 1.330), 0.086, 0.086),
    ("chest", (0.0, 0.014, 1.300), (0.0, 0.024, 1.420), 0.088, 0.056),
    ("neck", (0.0, 0.024, 1.420), (0.0, 0.008, 1.540), 0.053, 0.046),
    ("head", (0.0, 0.012, 1.615), (0.0, 0.004, 1.622), 0.090, 0.090),
    ("head", (0.0, -0.030, 1.550), (0.0, -0.030, 1.610), 0.050, 0.070),
    ("head", (0.0, -0.098, 1.572), (0.0, -0.092, 1.600), 0.013, 0.008),
    ("clavicle", (0.030, 0.022, 1.405), (0.155, 0.016, 1.382), 0.044, 0.052),
    ("upper_arm", (0.182, 0.015, 1.372), (0.240, 0.020, 1.270), 0.056, 0.047),
    ("upper_arm", (0.240, 0.020, 1.270), (0.300, 0.025, 1.140), 0.047, 0.038),
    ("forearm", (0.300, 0.025, 1.140), (0.320, 0.018, 1.085), 0.037, 0.043),
    ("forearm", (0.320, 0.018, 1.085), (0.395, -0.005, 0.915), 0.043, 0.027),
    ("hand", (0.403, -0.022, 0.885), (0.436, -0.036, 0.800), 0.024, 0.019),
    ("hand", (0.405, 0.006, 0.885), (0.440, -0.002, 0.800), 0.024, 0.019),
    ("hand", (0.396, -0.032, 0.885), (0.396, -0.072, 0.838), 0.018, 0.015),
    ("thigh", (0.094, 0.004, 0.900), (0.096, -0.002, 0.740), 0.088, 0.071),
    ("thigh", (0.096, -0.002, 0.740), (0.090, -0.010, 0.505), 0.071, 0.051),
    ("shin", (0.090, -0.010, 0.505), (0.090, 0.010, 0.300), 0.052, 0.049),
    ("shin", (0.090, 0.010, 0.300), (0.090, 0.015, 0.085), 0.049, 0.037),
    ("shin", (0.092, 0.020, 0.400), (0.092, 0.022, 0.330), 0.045, 0.042),
    ("foot", (0.090, 0.032, 0.045), (0.090, -0.100, 0.036), 0.042, 0.040),
    ("toe", (0.082, -0.112, 0.028), (0.085, -0.165, 0.024), 0.032, 0.026),
    ("toe", (0.110, -0.112, 0.028), (0.106, -0.150, 0.024), 0.030, 0.024),
)
_CELL = 0.028  # m
_MELT = 0.016  # m; larger values soften the creases between capsules
# m, bounds of the grid; symmetric, so that the skin is symmetric
_FROM, _TO = (-0.532, -0.252, -0.056), (0.532, 0.168, 1.792)
_REACH = 0.062  # m; a bone has no weight if it is farther away than the nearest bone by more than this
_MIDDLE = 0.035  # m; limbs have no weight beyond this distance on the other side of the middle
_LEAST = 0.004  # smaller weights are dropped
_ROUNDS = 3  # smoothing passes, for vertices and weights


@dataclass(frozen=True, eq=False)
class Skin:
    """A closed surface: vertices (V, 3) in metres, quads (Q, 4), and weights (V, J) with sum 1 for each vertex."""

    vertices: Array
    quads: NDArray[np.int64]
    weights: Array


@cache
def skin() -> Skin:
    """Return the skin of the figure at rest; it is computed once.

    Example:
        >>> from action_loom.core.demo_character import skin
        >>> surface = skin.skin()
        >>> surface.quads.shape[1], surface.weights.shape[1]  # corners of a face; joints
        (4, 21)
        >>> len(surface.vertices) - len(surface.quads)  # Euler's characteristic: one closed surface
        2
    """
    axes = [start + _CELL * np.arange(round((end - start) / _CELL) + 1) for start, end in zip(_FROM, _TO, strict=True)]
    distance = _depth(np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1))
    cells, quads = _nets(distance < 0.0)
    vertices = np.array(_FROM) + _CELL * (cells + 0.5)
    edges = np.concatenate([quads[:, [k, (k + 1) % 4]] for k in range(4)])
    for _ in range(_ROUNDS):
        vertices = _onto_surface(0.4 * vertices + 0.6 * _neighbours(vertices, edges))
    vertices[:, 2] = np.maximum(vertices[:, 2], 0.0)  # soles are flat
    return Skin(vertices, quads, _weights(vertices, edges))


def _distances(places: Array) -> tuple[list[str], Array]:
    """Return the bone of each capsule, and the distances (..., C) of places (..., 3) from its surface."""
    bones, distances = [], []
    for name, start, end, wide, narrow in _CAPSULES:
        beside = name + ".L" in skeleton().names
        for side, mirror in zip((".L", ".R") if beside else ("",), MIRROR, strict=False):
            a, along = mirror * start, mirror * end - mirror * start
            from_a = places - a
            share = np.clip(from_a @ along / (along @ along), 0.0, 1.0)
            away = np.linalg.norm(from_a - share[..., None] * along, axis=-1)
            bones.append(name + side)
            distances.append(away - wide - (narrow - wide) * share)
    return bones, np.stack(distances, axis=-1)


def _depth(places: Array) -> Array:
    """Return the approximate distance of positions (..., 3) outside the body, m; negative inside."""
    _, distances = _distances(places)
    nearest = distances.min(axis=-1, keepdims=True)
    return nearest[..., 0] - _MELT * np.log(np.exp((nearest - distances) / _MELT).sum(axis=-1))


def _nets(inside: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the grid cells (V, 3) intersected by a surface, and the quads (Q, 4) that join them."""
    corners = [inside[tuple(slice(c, c - 1 or None) for c in corner)] for corner in np.ndindex(2, 2, 2)]
    mixed = np.any(corners, axis=0) & ~np.all(corners, axis=0)
    number = np.full(mixed.shape, -1)
    number[mixed] = np.arange(mixed.sum())
    quads = []
    for axis in range(3):
        u, v = np.eye(3, dtype=np.int64)[[(axis + 1) % 3, (axis + 2) % 3]]
        before, after = (np.take(inside, np.arange(k, inside.shape[axis] - 1 + k), axis=axis) for k in (0, 1))
        for leaving in (True, False):
            # A grid edge that crosses the surface is shared by four cells, whose vertices form a quad.
            at = np.argwhere((before != after) & (before == leaving))
            ring = (at - u - v, at - v, at, at - u)
            quads.append(np.stack([number[tuple(c.T)] for c in (ring if leaving else ring[::-1])], axis=1))
    return np.argwhere(mixed), np.concatenate(quads)


def _neighbours(values: Array, edges: NDArray[np.int64]) -> Array:
    """Return the mean (V, n) of the values of each vertex's neighbours."""
    total, count = np.zeros_like(values), np.zeros((len(values), 1))
    for here, there in (edges.T, edges.T[::-1]):
        np.add.at(total, here, values[there])
        np.add.at(count, here, 1.0)
    return total / count


def _onto_surface(places: Array) -> Array:
    """Return positions (V, 3) moved onto the surface along its normal, in two Newton steps."""
    near = 1e-4
    for _ in range(2):
        rises = [_depth(places + step) - _depth(places - step) for step in near * np.eye(3)]
        slope = np.stack(rises, axis=-1) / (2.0 * near)
        depth = np.clip(_depth(places), -_CELL, _CELL)
        places = places - depth[:, None] * slope / np.maximum((slope**2).sum(axis=1, keepdims=True), 0.25)
    return places


def _weights(vertices: Array, edges: NDArray[np.int64]) -> Array:
    """Return weights (V, J), larger for nearer bones, then smoothed along the surface."""
    names = skeleton().names
    bones, distances = _distances(vertices)
    nearest = np.full((len(vertices), len(names)), np.inf)
    for capsule, bone in enumerate(bones):
        joint = names.index(bone)
        nearest[:, joint] = np.minimum(nearest[:, joint], distances[:, capsule])
    weights = np.maximum(1.0 - (nearest - nearest.min(axis=1, keepdims=True)) / _REACH, 0.0) ** 2
    left = np.clip(0.5 + 0.5 * vertices[:, 0] / _MIDDLE, 0.0, 1.0)
    for joint, name in enumerate(names):
        weights[:, joint] *= {".L": left, ".R": 1.0 - left}.get(name[-2:], 1.0)
    for _ in range(_ROUNDS):
        weights = 0.5 * (weights + _neighbours(weights, edges))
        weights /= weights.sum(axis=1, keepdims=True)
    weights[weights < _LEAST] = 0.0
    return weights / weights.sum(axis=1, keepdims=True)
