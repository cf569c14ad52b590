"""Inheritance of a joint from its parent: Blender's bone settings, for all frames at once.

The rules were established against Blender's own pose matrices (`BKE_armature`'s parent transform). A rig without
special settings and without scales does not need this module.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .quat import Array

SCALES = ("FULL", "FIX_SHEAR", "ALIGNED", "AVERAGE", "NONE", "NONE_LEGACY")


@dataclass(frozen=True, eq=False)
class Inheritance:
    """The inheritance settings of J joints.

    rotation (J,) : whether the parent's rotation turns the joint
    scale : one of SCALES for each joint
    location (J,) : whether the joint's location is along the axes of its own rest frame
    space (4,) : orientation of the common space of all joints (a static armature object), unit quaternion
    moving_space : whether joint 0 is that space instead (an animated armature object)
    """

    rotation: NDArray[np.bool_]
    scale: tuple[str, ...]
    location: NDArray[np.bool_]
    space: Array
    moving_space: bool = False


@dataclass(frozen=True, eq=False)
class Frame:
    """The frame in which a joint's own transform applies.

    turning, moving (F, 3, 3) : linear parts for its rotation and scale, and for its location
    origin (F, 3) : its position without location
    stretch (F, 3) : factors of the columns of the result; None if there are none
    """

    turning: Array
    moving: Array
    origin: Array
    stretch: Array | None = None

    def apply(self, basis: Array, location: Array) -> tuple[Array, Array]:
        """Return linear part (F, 3, 3) and position (F, 3) of a joint from its basis and location (F, 3)."""
        linear = self.turning @ basis
        if self.stretch is not None:
            linear = linear * self.stretch[:, None, :]
        return linear, self.origin + np.einsum("fij,fj->fi", self.moving, location)

    def undo_stretch(self, linear: Array) -> Array:
        """Return a joint's linear part (F, 3, 3) before its columns were stretched."""
        return linear if self.stretch is None else linear / np.maximum(self.stretch, 1e-12)[:, None, :]

    def location_of(self, place: Array) -> Array:
        """Return the location (F, 3) of a joint at a position (F, 3)."""
        return np.asarray(solve(self.moving, (place - self.origin)[..., None])[..., 0], dtype=np.float64)


def solve(linear: Array, values: Array) -> Array:
    """Return x (F, 3, N) with linear (F, 3, 3) times x = values; the shortest solution if a joint is scaled to zero.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.motion import inheritance
        >>> hidden, values = np.diag([2.0, 2.0, 0.0])[None], np.array([[[4.0], [2.0], [1.0]]])
        >>> inheritance.solve(hidden, values)[0, :, 0].round(6).tolist()
        [2.0, 1.0, 0.0]
    """
    try:
        return np.asarray(np.linalg.solve(linear, values))
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.pinv(linear) @ values)


def root_frame(rest: Array, offset: Array, space: Array, space_origin: Array, local_location: bool) -> Frame:
    """Return the frame of a joint without parent.

    rest (3, 3), offset (3,) : its rest transform in its space; space (F, 3, 3), space_origin (F, 3) : that space
    """
    turning = space @ rest
    origin = space_origin + np.einsum("fij,j->fi", space, offset)
    return Frame(turning, turning if local_location else space, origin)


def child_frame(
    parent: Array,
    parent_place: Array,
    parent_rest: Array,
    rest: Array,
    offset: Array,
    rotation: bool,
    scale: str,
    local_location: bool,
) -> Frame:
    """Return the frame of a joint under a parent.

    parent (F, 3, 3), parent_place (F, 3) : the parent's transform; parent_rest (F, 3, 3) : its linear part at rest
    rest (3, 3), offset (3,) : the joint's rest transform in its parent's frame
    rotation, scale, local_location : its bone settings (see `Inheritance`)
    """
    full = parent @ rest
    origin = parent_place + np.einsum("fij,j->fi", parent, offset)
    moving = full if local_location else parent
    if rotation and scale == "FULL":
        return Frame(full, moving, origin)
    turned, stretch = _with_rotation(parent, scale) if rotation else _without_rotation(parent, parent_rest, scale)
    if scale == "AVERAGE":
        turned = turned * np.cbrt(np.abs(np.linalg.det(parent)))[:, None, None]
    turning = turned @ rest
    if scale == "FIX_SHEAR":
        turning = _without_shear(turning, normalize=False)
    return Frame(turning, moving, origin, stretch)


def _with_rotation(parent: Array, scale: str) -> tuple[Array, Array | None]:
    if scale in ("NONE", "AVERAGE"):
        return _without_shear(parent, normalize=True), None
    if scale == "ALIGNED":
        aligned = _without_shear(parent, normalize=False)
        lengths = _lengths(aligned)
        return _divide_columns(aligned, lengths), lengths
    if scale == "NONE_LEGACY":
        return _divide_columns(parent, _lengths(parent)), None
    return parent, None


def _without_rotation(parent: Array, parent_rest: Array, scale: str) -> tuple[Array, Array | None]:
    if scale == "FULL":
        return parent_rest * _lengths(parent)[:, None, :], None
    if scale == "FIX_SHEAR":
        return parent_rest * _lengths_without_shear(parent)[:, None, :], None
    if scale == "ALIGNED":
        return parent_rest, _lengths_without_shear(parent)
    return parent_rest, None


def _lengths(linear: Array) -> Array:
    return np.asarray(np.linalg.norm(linear, axis=-2))


def _divide_columns(linear: Array, lengths: Array) -> Array:
    return linear / np.where(lengths > 0.0, lengths, 1.0)[:, None, :]


def _lengths_without_shear(linear: Array) -> Array:
    """Return the lengths of the columns (F, 3), scaled so that their product is the volume of the sheared axes."""
    lengths = _lengths(linear)
    volume = lengths.prod(axis=-1)
    share = np.where(volume > 0.0, np.abs(np.linalg.det(linear)) / np.where(volume > 0.0, volume, 1.0), 1.0)
    return np.asarray(lengths * np.cbrt(share)[:, None])


def _without_shear(linear: Array, *, normalize: bool) -> Array:
    """Return columns made orthogonal: y is kept, x and z become orthogonal to y and share the shear between them."""
    y, x, z = linear[..., 1], linear[..., 0], linear[..., 2]
    square = (y * y).sum(axis=-1, keepdims=True)
    safe = np.where(square > 0.0, square, 1.0)
    x = x - y * ((x * y).sum(axis=-1, keepdims=True) / safe) * (square > 0.0)
    z = z - y * ((z * y).sum(axis=-1, keepdims=True) / safe) * (square > 0.0)
    if normalize:
        y = y / np.sqrt(safe)
    length_x, unit_x = _unit(x)
    length_z, unit_z = _unit(z)
    cosine = (unit_x * unit_z).sum(axis=-1, keepdims=True)
    # As in Blender, with its single-precision epsilon: axes without shear, and coincident axes, are not changed.
    sheared = (np.abs(cosine) > 1e-4) & (np.abs(cosine) < 1.0 - 1.19e-7)
    angle = np.arccos(np.clip(cosine, -1.0, 1.0))
    target = angle + 0.5 * (0.5 * np.pi - angle)
    across = _unit(unit_x - unit_z * cosine)[1]
    new_x = across * np.sin(target) + unit_z * np.cos(target)
    new_z = _unit(np.cross(np.cross(new_x, unit_z), new_x))[1]
    shrink = np.sqrt(np.abs(np.sin(angle)))
    if normalize:
        x, z = np.where(sheared, new_x, unit_x), np.where(sheared, new_z, unit_z)
    else:
        x = np.where(sheared, new_x * length_x * shrink, x)
        z = np.where(sheared, new_z * length_z * shrink, z)
    return np.stack([x, y, z], axis=-1)


def _unit(vectors: Array) -> tuple[Array, Array]:
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return length, vectors / np.where(length > 0.0, length, 1.0)
