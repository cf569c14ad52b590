"""Reading of numbers with numpy: the same numbers as `_numba`, to the last bit."""

import warnings

import numpy as np
from numpy.typing import NDArray

from ..motion.quat import Array
from .plain_text import words_per_line


def rows(text: NDArray[np.uint8], values: Array) -> bool:
    """See `bvh_text.rows`; the text ends in a line feed."""
    frames, width = values.shape
    found = words_per_line(text)
    if len(found) != frames or not (found == width).all():
        return False
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)  # by which numpy reports a word that is no number
        try:
            numbers = np.fromstring(text.tobytes().decode("latin-1"), sep=" ")
        except (ValueError, DeprecationWarning):
            return False
    if numbers.size != frames * width or not np.isfinite(numbers).all():
        return False
    values[:] = numbers.reshape(frames, width)
    return True
