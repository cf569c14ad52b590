"""Where a surface is when its bones have moved, and where its normals point (methods 13; source 002)."""

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
    moved = moves(rest, posed)
    scaled = _is_scaled(moved, posed)
    straight = posed.copy()
    straight[:, :3, :3] = _made_square(posed[:, :3, :3])
    still = np.linalg.inv(rest)
    turned = np.where(scaled[:, None, None], straight @ still, moved)
    stretched = np.where(scaled[:, None, None], rest @ np.linalg.inv(straight) @ posed @ still, np.eye(4))
    axes = turned[:, :3, :3] / np.linalg.norm(turned[:, :3, :3], axis=1, keepdims=True)
    turns = quat.from_matrix(axes)
    shifts = 0.5 * quat.mul(np.pad(turned[:, :3, 3], ((0, 0), (1, 0))), turns)
    sizes = np.ascontiguousarray(stretched[:, :3], np.float32)
    return turns.astype(np.float32), shifts.astype(np.float32), sizes, scaled


def _is_scaled(moved: Array, posed: Array) -> NDArray[np.bool_]:
    linear_part = moved[:, :3, :3]
    gram = linear_part.transpose(0, 2, 1) @ linear_part
    off = np.abs(gram - np.eye(3)).max(axis=(1, 2)) > STRAIGHT
    lengths = np.linalg.norm(posed[:, :3, :3], axis=1)
    return np.asarray(off | (np.linalg.det(linear_part) < 0.0) | (np.abs(lengths - 1.0).max(axis=1) > STRAIGHT))


def _made_square(axes: Array) -> Array:
    """Axes (B, 3, 3), columns, of length 1 and square to each other: y is kept, x and z are made square to it."""
    x, y = _unit(axes[..., 0]), _unit(axes[..., 1])
    x = _unit(x - np.sum(x * y, axis=-1, keepdims=True) * y)
    return np.stack([x, y, np.cross(x, y)], axis=-1)


def _unit(vectors: Array) -> Array:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0.0, lengths, 1.0))
