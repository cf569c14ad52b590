"""Read-only arrays, their use as arguments of kernels, eased shares, and runs of flags."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only view of an array, so that cached results computed from it stay valid.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.motion import arrays
        >>> arrays.read_only(np.zeros(3)).flags.writeable
        False
    """
    if not array.flags.writeable:
        return array
    view = array.view()
    view.flags.writeable = False
    return view


def ease(share: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return shares from 0 to 1 eased, so that speed and acceleration are 0 at both ends.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.motion import arrays
        >>> arrays.ease(np.array([0.0, 0.5, 1.0])).tolist()
        [0.0, 0.5, 1.0]
    """
    return np.asarray(share**3 * (share * (6.0 * share - 15.0) + 10.0))


def kernel_argument(values: Any, dtype: Any = np.float64) -> NDArray[Any]:
    """Return an array as required by kernels: contiguous, of a dtype, and declared writable.

    Kernels are compiled for writable arrays, although they only write to their own ones. A read-only array is passed
    without a copy if its owner is writable.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import arrays
        >>> rotations = actions.walk().rotations
        >>> passed = arrays.kernel_argument(rotations)
        >>> rotations.flags.writeable, passed.flags.writeable, np.shares_memory(rotations, passed)
        (False, True, True)
    """
    array = np.ascontiguousarray(values, dtype)
    if array.flags.writeable:
        return array
    view = array.view()
    try:
        view.flags.writeable = True
    except ValueError:  # its owner is read-only, too
        return array.copy()
    return view


def find_runs(flags: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return the runs (start, end) of true flags, end exclusive.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.motion import arrays
        >>> arrays.find_runs(np.array([True, True, False, False, True]))
        [(0, 2), (4, 5)]
    """
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(np.int8)))
    return [(int(first), int(end)) for first, end in edges.reshape(-1, 2)]
