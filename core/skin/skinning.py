"""Deform vertices and normals of a surface with its bones (methods: Skinning; source 002)."""

import numpy as np
from numpy.typing import NDArray

from .. import jit
from ..motion import quat
from ..motion.quat import Array
from .normals import Floats, Indices, unit
from .skin import Skin

STRAIGHT = 1e-4  # largest difference of a bone's matrix from a rotation that counts as rounding rather than scale


def moves(rest: Array, posed: Array) -> Array:
    """Return the matrices (…, B, 4, 4) by which bones move a surface: posed · rest⁻¹, both (…, B, 4, 4).

    Example:
        >>> import numpy as np
        >>> from action_loom.core.skin import skinning
        >>> rest, posed = np.eye(4), np.eye(4)
        >>> rest[2, 3], posed[2, 3] = 1.0, 1.5  # a bone that is raised by half a metre
        >>> skinning.moves(rest[None], posed[None])[0, :3, 3].tolist()
        [0.0, 0.0, 0.5]
    """
    return np.asarray(posed @ np.linalg.inv(rest))


def linear(surface: Skin, moved: Array) -> tuple[Floats, Floats]:
    """Return vertices and normals (V, 3) by linear blend skinning: p = Σ w M M₀⁻¹ p₀.

    moved (B, 4, 4) : the matrices from `moves`. Normals are rotated by the same matrices without their translations,
        and normalized. Vertices without bones do not move.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.skin import skin, skinning
        >>> point = skin.skin(np.array([[1.0, 0.0, 0.0]]), [[(0, 0.5), (1, 0.5)]], [])
        >>> moved = np.stack([np.eye(4), np.eye(4)])
        >>> moved[1, 2, 3] = 1.0  # its second bone rises by 1 m, so it rises by half of that
        >>> skinning.linear(point, moved)[0].tolist()
        [[1.0, 0.0, 0.5]]
    """
    rows = np.ascontiguousarray(np.asarray(moved)[:, :3], np.float32)
    skinned: tuple[Floats, Floats] = jit.kernels(__package__).linear(*_arrays(surface), rows)
    return skinned


def dual_quaternions(surface: Skin, rest: Array, posed: Array) -> tuple[Floats, Floats]:
    """Return vertices and normals (V, 3) by dual quaternions, which keep the volume (Kavan et al. 2008).

    rest, posed (B, 4, 4) : matrices of the bones. Scale is separated from each bone and blended separately, as in
        Blender; normals are only rotated. The sign of a bone's quaternion depends on the previous ones, so the stored
        order of a vertex's influences matters.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.motion import quat
        >>> from action_loom.core.skin import skin, skinning
        >>> point = skin.skin(np.array([[1.0, 0.0, 0.0]]), [[(0, 0.5), (1, 0.5)]], [])
        >>> rest, posed = np.stack([np.eye(4), np.eye(4)]), np.stack([np.eye(4), np.eye(4)])
        >>> posed[1, :3, :3] = quat.to_matrix(quat.about_axis("Z", np.radians(120.0)))
        >>> x, y, _ = skinning.dual_quaternions(point, rest, posed)[0][0].tolist()
        >>> round(np.degrees(np.arctan2(y, x)).item()), round(np.hypot(x, y).item(), 3)  # the radius stays
        (60, 1.0)
    """
    split = _split(np.asarray(rest, np.float64), np.asarray(posed, np.float64))
    skinned: tuple[Floats, Floats] = jit.kernels(__package__).dual(*_arrays(surface), *split)
    return skinned


def _arrays(surface: Skin) -> tuple[Floats, Floats, Indices, Indices, Floats]:
    return surface.vertices, surface.normals, surface.first, surface.bones, surface.weights


def _split(rest: Array, posed: Array) -> tuple[Floats, Floats, Floats, NDArray[np.bool_]]:
    """Return rotations (B, 4), dual parts (B, 4), scales (B, 3, 4) about rest, and which bones are scaled (B,)."""
    still = np.linalg.inv(rest)
    turned = posed @ still
    scaled = _is_scaled(turned[:, :3, :3], posed[:, :3, :3])
    sizes = np.zeros((len(rest), 3, 4), np.float32)
    chosen = np.flatnonzero(scaled)
    if len(chosen):
        straight, back = _straight(posed[chosen])
        turned[chosen] = straight @ still[chosen]
        sizes[chosen] = (rest[chosen] @ back @ posed[chosen] @ still[chosen])[:, :3]
    turns = _turns(turned[:, :3, :3])
    shifts = np.zeros((len(rest), 4))
    shifts[:, 1:] = 0.5 * turned[:, :3, 3]
    return turns.astype(np.float32), quat.mul(shifts, turns).astype(np.float32), sizes, scaled


def _is_scaled(moved: Array, posed: Array) -> NDArray[np.bool_]:
    """Return whether bones are scaled (B,), judged by their moves (B, 3, 3) and by their axes (B, 3, 3)."""
    off = np.abs(moved.transpose(0, 2, 1) @ moved - np.eye(3)).max(axis=(1, 2)) > STRAIGHT
    lengths = np.abs(np.sqrt(np.einsum("bij,bij->bj", posed, posed)) - 1.0).max(axis=1) > STRAIGHT
    return np.asarray(off | lengths | (np.linalg.det(moved) < 0.0))


def _straight(posed: Array) -> tuple[Array, Array]:
    """Return matrices (B, 4, 4) without scale, and their inverses; y is kept, x and z are made orthogonal to it.

    The inverse of a bone scaled to zero is 0, so that its vertices are at its head.
    """
    x, y = unit(posed[:, :3, 0]), unit(posed[:, :3, 1])
    x = unit(x - np.sum(x * y, axis=-1, keepdims=True) * y)
    straight = posed.copy()
    straight[:, :3, :3] = np.stack([x, y, quat.cross(x, y)], axis=-1)
    back = posed.copy()
    back[:, :3, :3] = straight[:, :3, :3].transpose(0, 2, 1)
    back[:, :3, 3] = -np.einsum("bij,bj->bi", back[:, :3, :3], posed[:, :3, 3])
    back[~y.any(axis=1)] = 0.0
    return straight, back


def _turns(axes: Array) -> Array:
    """Return quaternions (B, 4) of orthogonal axes (B, 3, 3) of any length.

    Each row of 4 q qᵀ gives q up to its sign; a row whose component of q is at least one half is used, which minimizes
    rounding errors.
    """
    m = unit(axes.transpose(0, 2, 1)).transpose(0, 2, 1)
    x, y, z = m[:, 0, 0], m[:, 1, 1], m[:, 2, 2]
    rows = np.empty((len(m), 4, 4))
    rows[:, 0, 0], rows[:, 1, 1] = 1.0 + x + y + z, 1.0 + x - y - z
    rows[:, 2, 2], rows[:, 3, 3] = 1.0 - x + y - z, 1.0 - x - y + z
    for k, (i, j) in enumerate(((1, 2), (2, 0), (0, 1)), start=1):
        rows[:, 0, k] = rows[:, k, 0] = m[:, j, i] - m[:, i, j]
        rows[:, 1 + i, 1 + j] = rows[:, 1 + j, 1 + i] = m[:, j, i] + m[:, i, j]
    chosen = np.where(z < 0.0, np.where(x > y, 1, 2), np.where(x < -y, 3, 0))
    turns = unit(rows[np.arange(len(m)), chosen])
    return np.where(turns[:, :1] < 0.0, -turns, turns)
