"""The fewest keys, one after the other, whose cubic segments stay near a sampled curve (methods: Fewer keys)."""

import numpy as np
from numpy.typing import NDArray

from ... import jit
from ...motion import rotation_modes
from ...motion.quat import Array

# What the values of a curve are, and so what is measured between them: see `_numba._apart`.
VECTOR, QUATERNION, EULER, AXIS_ANGLE = range(4)
FREE: Array = np.empty((0, 0))
_NO_AXES = np.zeros(3, dtype=np.int64)


def vectors(values: Array, near: float, kept: NDArray[np.int64], seam: Array = FREE) -> tuple[NDArray[np.int64], Array]:
    """Return the frames (K,) of the keys of a curve (F, n), and their slopes (K, 2, n) a frame, before and after.

    Between keys the cubic (Hermite) is nowhere farther than `near` from the samples. kept : frames that have keys,
    rising, first and last among them; seam (2, n) : the slopes at the first and last key, where they are not free.
    """
    return _fitted(values, values, (VECTOR, _NO_AXES), near, kept, seam)


def rotations(
    values: Array, mode: str, near: float, kept: NDArray[np.int64], seam: Array = FREE
) -> tuple[NDArray[np.int64], Array]:
    """Return the keys of rotations as `vectors` does; values (F, 3 or 4) of a rotation mode, near : radians."""
    kind, axes = {
        rotation_modes.QUATERNION: (QUATERNION, _NO_AXES),
        rotation_modes.AXIS_ANGLE: (AXIS_ANGLE, _NO_AXES),
    }.get(mode, (EULER, np.array(["XYZ".find(axis) for axis in mode[::-1][:3]], dtype=np.int64)))
    return _fitted(values, rotation_modes.to_quaternion(values, mode), (kind, axes), near, kept, seam)


def _fitted(
    values: Array,
    wanted: Array,
    kind: tuple[int, NDArray[np.int64]],
    near: float,
    kept: NDArray[np.int64],
    seam: Array,
) -> tuple[NDArray[np.int64], Array]:
    ready = (np.require(array, np.float64, ["C", "W"]) for array in (values, wanted))
    frames, slopes = jit.kernels(__package__).segments(
        *ready, *kind, float(near), np.require(kept, np.int64, ["C", "W"]), np.require(seam, np.float64, ["C", "W"])
    )
    return frames, slopes
