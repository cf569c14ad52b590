"""Rotation modes: the channel values of Blender's eight and the rotations they mean. Nowhere else are modes turned."""

import numpy as np

from . import quat
from .quat import Array

QUATERNION, AXIS_ANGLE = "QUATERNION", "AXIS_ANGLE"
MODES = (QUATERNION, "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX", AXIS_ANGLE)


def property_of(mode: str) -> str:
    """Return the name of the property that a rotation mode is keyed on."""
    return {QUATERNION: "rotation_quaternion", AXIS_ANGLE: "rotation_axis_angle"}.get(mode, "rotation_euler")


def to_quaternion(values: Array, mode: str) -> Array:
    """Return rotations (F, 4) of channel values (F, 3 or 4) in a rotation mode."""
    if mode == QUATERNION:
        return quat.normalize(values)
    if mode == AXIS_ANGLE:
        axis = values[:, 1:]
        length = np.linalg.norm(axis, axis=1, keepdims=True)
        return quat.exp(values[:, :1] * np.where(length > 0.0, axis / np.where(length > 0.0, length, 1.0), 0.0))
    axes, columns = _euler(mode)
    return quat.from_euler(values[:, columns], axes)


def from_quaternion(rotations: Array, mode: str, first: Array | None = None) -> Array:
    """Return channel values of rotations (F, 4) in a rotation mode, without jumps from frame to frame.

    Of the many ways to say the same, the one that begins nearest to other channel values, where some are given.
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
    return np.asarray(2.0 * np.pi * np.round(angle / (2.0 * np.pi)))


def _axis_angle(rotations: Array) -> Array:
    """Angle and axis (F, 4); the axis keeps its side, so that a turn past a half goes on instead of flipping."""
    q = quat.continuous(rotations)
    sine = np.linalg.norm(q[:, 1:], axis=1, keepdims=True)
    still = sine[:, 0] < 1e-9
    axis = q[:, 1:] / np.where(sine > 0.0, sine, 1.0)
    moving = np.flatnonzero(~still)
    if len(moving) == 0:
        axis[:] = (0.0, 1.0, 0.0)
    else:
        # Where nothing turns, any axis is right: that of the nearest frame before, else after.
        nearest = moving[np.maximum(np.searchsorted(moving, np.arange(len(q)), side="right") - 1, 0)]
        axis = axis[nearest]
    signs = np.ones(len(q))
    signs[1:] = np.cumprod(np.where((axis[1:] * axis[:-1]).sum(axis=1) < 0.0, -1.0, 1.0))
    half = np.arctan2(signs * np.where(still, 0.0, sine[:, 0]), q[:, 0])
    return np.column_stack([2.0 * np.unwrap(half), signs[:, None] * axis])


def _euler(mode: str) -> tuple[str, list[int]]:
    """Return the axes of the matrix product, left to right, and the channel of each.

    Blender's mode XYZ turns about X first, so its product is Z·Y·X; channels are x, y, z in every mode.
    """
    axes = mode[::-1]
    return axes, ["XYZ".index(axis) for axis in axes]
