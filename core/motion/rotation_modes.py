"""Blender's eight rotation modes: channel values to rotations and back. No other module converts between modes."""

import numpy as np

from . import quat
from .quat import Array

QUATERNION, AXIS_ANGLE = "QUATERNION", "AXIS_ANGLE"
MODES = (QUATERNION, "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX", AXIS_ANGLE)
LARGEST = 1e18  # of a quaternion's components; squares of larger ones are infinite in Blender's single precision


def property_of(mode: str) -> str:
    """Return the name of the property with the keys of a rotation mode.

    Example:
        >>> from action_loom.core.motion import rotation_modes
        >>> rotation_modes.property_of("XYZ"), rotation_modes.property_of("QUATERNION")
        ('rotation_euler', 'rotation_quaternion')
    """
    return {QUATERNION: "rotation_quaternion", AXIS_ANGLE: "rotation_axis_angle"}.get(mode, "rotation_euler")


def to_quaternion(values: Array, mode: str) -> Array:
    """Return the rotations (F, 4) of channel values (F, 3 or 4) in a rotation mode; angles are radians.

    Quaternions whose length Blender can't compute are no rotation, as Blender shows them.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.motion import rotation_modes
        >>> rotation_modes.to_quaternion(np.radians([[0.0, 0.0, 60.0]]), "XYZ").round(3).tolist()
        [[0.866, 0.0, 0.0, 0.5]]
    """
    if mode == QUATERNION:
        return quat.normalize(np.where(np.abs(values).max(axis=1, keepdims=True) < LARGEST, values, 0.0))
    if mode == AXIS_ANGLE:
        axis = values[:, 1:]
        length = np.linalg.norm(axis, axis=1, keepdims=True)
        return quat.exp(values[:, :1] * np.where(length > 0.0, axis / np.where(length > 0.0, length, 1.0), 0.0))
    axes, columns = _euler(mode)
    return quat.from_euler(values[:, columns], axes)


def from_quaternion(rotations: Array, mode: str, first: Array | None = None) -> Array:
    """Return the channel values (F, 3 or 4) of rotations (F, 4) in a rotation mode, without jumps between frames.

    first : channel values near which the curves start, out of the many values of the same rotation

    Example:
        >>> import numpy as np
        >>> from action_loom.core.motion import quat, rotation_modes
        >>> turning = quat.about_axis("Z", np.radians([170.0, 190.0]))
        >>> np.degrees(rotation_modes.from_quaternion(turning, "XYZ"))[:, 2].round(3).tolist()
        [170.0, 190.0]
        >>> first = np.radians([0.0, 0.0, -190.0])
        >>> np.degrees(rotation_modes.from_quaternion(turning, "XYZ", first))[:, 2].round(3).tolist()
        [-190.0, -170.0]
    """
    if mode == QUATERNION:
        values = quat.continuous(rotations)
        return -values if first is not None and values[0] @ first < 0.0 else values
    if mode == AXIS_ANGLE:
        values = _axis_angle(rotations)
        if first is not None and values[0, 1:] @ first[1:] < 0.0:
            values = -values
        return values if first is None else values - _whole_turns(values[0, 0] - first[0]) * (1.0, 0.0, 0.0, 0.0)
    axes, columns = _euler(mode)
    angles = quat.to_euler(rotations, axes)
    values = np.empty((len(rotations), 3))
    values[:, columns] = angles if first is None else quat.euler_near(angles, first[columns])
    return values


def _whole_turns(angle: float) -> Array:
    """Return the whole turns (radians) nearest to an angle."""
    return np.asarray(2.0 * np.pi * np.round(angle / (2.0 * np.pi)))


def _axis_angle(rotations: Array) -> Array:
    """Return angles and axes (F, 4); the axis never flips, so a turn may exceed half a turn."""
    q = quat.continuous(rotations)
    sine = np.linalg.norm(q[:, 1:], axis=1, keepdims=True)
    still = sine[:, 0] < 1e-9
    axis = q[:, 1:] / np.where(sine > 0.0, sine, 1.0)
    moving = np.flatnonzero(~still)
    if len(moving) == 0:
        axis[:] = (0.0, 1.0, 0.0)  # Blender's own axis where nothing turns
    else:
        # A frame without rotation has no axis: use the axis of the previous frame with one, or else of the next.
        nearest = moving[np.maximum(np.searchsorted(moving, np.arange(len(q)), side="right") - 1, 0)]
        axis = axis[nearest]
    signs = np.ones(len(q))
    signs[1:] = np.cumprod(np.where((axis[1:] * axis[:-1]).sum(axis=1) < 0.0, -1.0, 1.0))
    half = np.arctan2(signs * np.where(still, 0.0, sine[:, 0]), q[:, 0])
    return np.column_stack([2.0 * np.unwrap(half), signs[:, None] * axis])


def _euler(mode: str) -> tuple[str, list[int]]:
    """Return the axes of the matrix product of a mode, left to right, and the channel of each.

    Blender's mode XYZ turns about X first, so its product is Z·Y·X. Channels are x, y, z in every mode.
    """
    axes = mode[::-1]
    return axes, ["XYZ".index(axis) for axis in axes]
