"""Choices independent of rounding: differences below `TIE` count as ties, which the first candidate wins.

The last bits of a distance depend on the processor, on the number of threads and on the engine. In a clip that repeats
itself, or is matched to itself, many paths have the same cost, and these bits would choose between them.
"""

import numpy as np
from numpy.typing import NDArray

from ..motion.quat import Array

# Relative difference of costs up to which they are equal. Rounding is a thousandth of it, and visible differences of a
# path are a thousand times as large.
TIE = 1e-10


def first_least(values: Array) -> int:
    """Return the index of the first least value (K,), treating ties as equal.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.sync import ties
        >>> ties.first_least(np.array([4.0, 3.0 + 1e-13, 3.0]))
        1
    """
    return int(np.argmax(values <= _with_equals(float(values.min()))))


def rank_values(values: Array) -> NDArray[np.int64]:
    """Return the indices (K,) of values sorted by size, with ties for the least in their original order.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.sync import ties
        >>> ties.rank_values(np.array([4.0, 3.0 + 1e-13, 3.0])).tolist()
        [1, 2, 0]
    """
    least = float(values.min(initial=np.inf))
    return np.argsort(np.where(values <= _with_equals(least), least, values), kind="stable")


def _with_equals(least: float) -> float:
    """Return the upper bound for ties with the least value."""
    return least + TIE * abs(least)
