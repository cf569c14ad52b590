"""Choices that do not hang on rounding: what differs by less than `TIE` counts as equal, and of equals the first wins.

The last bits of a distance depend on the processor, on the number of threads and on the engine. In a clip that repeats
itself, or that is matched to itself, many paths cost the same, and these bits would choose between them.
"""

import numpy as np
from numpy.typing import NDArray

from ..motion.quat import Array

TIE = 1e-10  # of a cost; rounding is a thousandth of it, what can be seen of a path a thousand times as much


def first_least(values: Array) -> int:
    """Return the index of the first of those values (K,) that are least.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.sync import ties
        >>> ties.first_least(np.array([4.0, 3.0 + 1e-13, 3.0]))
        1
    """
    return int(np.argmax(values <= _with_equals(float(values.min()))))


def ranked(values: Array) -> NDArray[np.int64]:
    """Return the indices (K,) of values by size, those as good as the least in their order.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.sync import ties
        >>> ties.ranked(np.array([4.0, 3.0 + 1e-13, 3.0])).tolist()
        [1, 2, 0]
    """
    least = float(values.min(initial=np.inf))
    return np.argsort(np.where(values <= _with_equals(least), least, values), kind="stable")


def _with_equals(least: float) -> float:
    """Return up to where values count as equal to the least."""
    return least + TIE * abs(least)
