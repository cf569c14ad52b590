"""Where a surface is when its bones have moved, and where its normals point (methods: Skinning; source 002)."""

import numpy as np
from numpy.typing import NDArray

from .. import jit
from ..motion import quat
from ..motion.quat import Array
from .normals import Floats, Indices
from .skin import Skin

STRAIGHT = 1e-4  # how far a bone may be from a rotation and not count as scaled


def moves(rest: Array, posed: Array) -> Array:
    """Return how bones move what hangs on them (…, B, 4, 4): posed · rest⁻¹, both matrices of bones (…, B, 4, 4)."""
    return np.asarray(posed @ np.linalg.inv(rest))


def linear(surface: Skin, moved: Array) -> tuple[Floats, Floats]:
    """Return vertices and normals (V, 3) by linear blend skinning: p = Σ w M M₀⁻¹ p₀.

    moved (B, 4, 4) : what `moves` gives. Normals by the same matrices without their translations, of length 1.
    Vertices that hang on nothing stay where they are.
    """
    rows = np.ascontiguousarray(np.asarray(moved)[:, :3], np.float32)
    found: tuple[Floats, Floats] = jit.kernels(__package__).linear(*_arrays(surface), rows)
    return found


def dual_quaternions(surface: Skin, rest: Array, posed: Array) -> tuple[Floats, Floats]:
    """Return vertices and normals (V, 3) by dual quaternions, which keep the volume (Kavan et al. 2008).

    rest, posed (B, 4, 4) : matrices of the bones. Scale is split off each bone and blended apart, as Blender does;
    normals are turned only. The sign of a bone's quaternion depends on those before it, so the stored order of a
    vertex's influences counts.
    """
    split = _split(np.asarray(rest, np.float64), np.asarray(posed, np.float64))
    found: tuple[Floats, Floats] = jit.kernels(__package__).dual(*_arrays(surface), *split)
    return found


def _arrays(surface: Skin) -> tuple[Floats, Floats, Indices, Indices, Floats]:
    return surface.vertices, surface.normals, surface.first, surface.bones, surface.weights


def _split(rest: Array, posed: Array) -> tuple[Floats, Floats, Floats, NDArray[np.bool_]]:
    """Rotations (B, 4), their dual parts (B, 4), scales (B, 3, 4) about the rest pose, and whose there are any (B,)."""
    still = np.linalg.inv(rest)
    turned = posed @ still
    scaled = _is_scaled(turned[:, :3, :3], posed[:, :3, :3])
    sizes = np.zeros((len(rest), 3, 4), np.float32)
    some = np.flatnonzero(scaled)
    if len(some):
        straight, back = _straight(posed[some])
        turned[some] = straight @ still[some]
        sizes[some] = (rest[some] @ back @ posed[some] @ still[some])[:, :3]
    turns = _turns(turned[:, :3, :3])
    shifts = np.zeros((len(rest), 4))
    shifts[:, 1:] = 0.5 * turned[:, :3, 3]
    return turns.astype(np.float32), quat.mul(shifts, turns).astype(np.float32), sizes, scaled


def _is_scaled(moved: Array, posed: Array) -> NDArray[np.bool_]:
    """Whether bones are scaled (B,), by what they do (B, 3, 3) and by their axes (B, 3, 3)."""
    off = np.abs(moved.transpose(0, 2, 1) @ moved - np.eye(3)).max(axis=(1, 2)) > STRAIGHT
    lengths = np.abs(np.sqrt(np.einsum("bij,bij->bj", posed, posed)) - 1.0).max(axis=1) > STRAIGHT
    return np.asarray(off | lengths | (np.linalg.det(moved) < 0.0))


def _straight(posed: Array) -> tuple[Array, Array]:
    """Matrices (B, 4, 4) without their scale, and their inverses: y is kept, x and z are made square to it.

    The inverse of one that has shrunk to nothing is 0, so that what hangs on it is at its head.
    """
    x, y = _unit(posed[:, :3, 0]), _unit(posed[:, :3, 1])
    x = _unit(x - np.sum(x * y, axis=-1, keepdims=True) * y)
    straight = posed.copy()
    straight[:, :3, :3] = np.stack([x, y, quat.cross(x, y)], axis=-1)
    back = posed.copy()
    back[:, :3, :3] = straight[:, :3, :3].transpose(0, 2, 1)
    back[:, :3, 3] = -np.einsum("bij,bj->bi", back[:, :3, :3], posed[:, :3, 3])
    back[~y.any(axis=1)] = 0.0
    return straight, back


def _turns(axes: Array) -> Array:
    """Quaternions (B, 4) of axes (B, 3, 3) that are square to each other, whatever their lengths.

    Each row of 4 q qᵀ gives q but for its sign; one of those is taken whose number in q is at least a half.
    """
    m = _unit(axes.transpose(0, 2, 1)).transpose(0, 2, 1)
    x, y, z = m[:, 0, 0], m[:, 1, 1], m[:, 2, 2]
    rows = np.empty((len(m), 4, 4))
    rows[:, 0, 0], rows[:, 1, 1] = 1.0 + x + y + z, 1.0 + x - y - z
    rows[:, 2, 2], rows[:, 3, 3] = 1.0 - x + y - z, 1.0 - x - y + z
    for k, (i, j) in enumerate(((1, 2), (2, 0), (0, 1)), start=1):
        rows[:, 0, k] = rows[:, k, 0] = m[:, j, i] - m[:, i, j]
        rows[:, 1 + i, 1 + j] = rows[:, 1 + j, 1 + i] = m[:, j, i] + m[:, i, j]
    chosen = np.where(z < 0.0, np.where(x > y, 1, 2), np.where(x < -y, 3, 0))
    found = _unit(rows[np.arange(len(m)), chosen])
    return np.where(found[:, :1] < 0.0, -found, found)


def _unit(vectors: Array) -> Array:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0.0, lengths, 1.0))
