"""Key reduction of one curve: the farthest next key whose cubic segment fits the curve (methods: Fewer keys)."""

import numpy as np
from numpy.typing import NDArray

from ... import jit
from ...motion import rotation_modes
from ...motion.arrays import kernel_argument
from ...motion.quat import Array

# Kinds of values, each with its own distance: see `_numba._measure_distance`.
VECTOR, QUATERNION, EULER, AXIS_ANGLE = range(4)
FREE: Array = np.empty((0, 0))  # no given slopes at the ends
_NO_AXES = np.zeros(3, dtype=np.int64)


def vectors(values: Array, near: float, kept: NDArray[np.int64], seam: Array = FREE) -> tuple[NDArray[np.int64], Array]:
    """Return the frames (K,) of the keys of a curve (F, n), and their slopes (K, 2, n) per frame, before and after.

    Between keys the cubic Hermite curve is within `near` of every sample. kept : sorted frames that must have keys,
    including the first and last; seam (2, n) : given slopes at the first and last key, `FREE`: none.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.edit.segments import fit
        >>> wave = np.sin(np.linspace(0.0, 2.0 * np.pi, 61))[:, None]
        >>> frames, slopes = fit.vectors(wave, near=0.01, kept=np.array([0, 60]))
        >>> frames.tolist(), slopes.shape
        ([0, 21, 46, 60], (4, 2, 1))
    """
    return _fit_values(values, values, (VECTOR, _NO_AXES), near, kept, seam)


def rotations(
    values: Array, mode: str, near: float, kept: NDArray[np.int64], seam: Array = FREE
) -> tuple[NDArray[np.int64], Array]:
    """Return the keys of rotations as `vectors` does; values (F, 3 or 4) of a rotation mode, near : radians.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.edit.segments import fit
        >>> from action_loom.core.demo_character import actions
        >>> wave = actions.wave()
        >>> arm = wave.rotations[:, wave.skeleton.index("upper_arm.R")]
        >>> frames, _ = fit.rotations(arm, "QUATERNION", np.radians(1.0), kept=np.array([0, len(wave) - 1]))
        >>> len(wave), len(frames)
        (109, 10)
    """
    kind, axes = {
        rotation_modes.QUATERNION: (QUATERNION, _NO_AXES),
        rotation_modes.AXIS_ANGLE: (AXIS_ANGLE, _NO_AXES),
    }.get(mode, (EULER, np.array(["XYZ".find(axis) for axis in mode[::-1][:3]], dtype=np.int64)))
    return _fit_values(values, rotation_modes.to_quaternion(values, mode), (kind, axes), near, kept, seam)


def _fit_values(
    values: Array,
    wanted: Array,
    kind: tuple[int, NDArray[np.int64]],
    near: float,
    kept: NDArray[np.int64],
    seam: Array,
) -> tuple[NDArray[np.int64], Array]:
    ready = map(kernel_argument, (values, wanted))
    frames, slopes = jit.kernels(__package__).segments(
        *ready, *kind, float(near), kernel_argument(kept, np.int64), kernel_argument(seam)
    )
    return frames, slopes
