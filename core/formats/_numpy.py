"""Reading numbers for numpy: the same numbers as `_numba`, to the last bit."""

import warnings

import numpy as np
from numpy.typing import NDArray

from ..motion.quat import Array


def rows(text: NDArray[np.uint8], values: Array) -> bool:
    """See `bvh_text.rows`; the text ends in a line feed."""
    frames, width = values.shape
    space = (text == 32) | ((text >= 9) & (text <= 13))
    starts = np.flatnonzero(~space & np.concatenate([[True], space[:-1]]))
    per_line = np.diff(np.searchsorted(starts, np.flatnonzero(text == 10)), prepend=0)
    found = per_line[per_line > 0]
    if len(found) != frames or not (found == width).all():
        return False
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)  # numpy's way to say that a word is no number
        try:
            numbers = np.fromstring(text.tobytes().decode("latin-1"), sep=" ")
        except (ValueError, DeprecationWarning):
            return False
    if numbers.size != frames * width or not np.isfinite(numbers).all():
        return False
    values[:] = numbers.reshape(frames, width)
    return True
