"""How far apart two poses are, for all pairs of frames of two clips at once (methods: Pose distance).

A metric is a class: made once from a clip, it gives the distance matrix to another clip for any window.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from .. import jit
from ..motion.clip import Clip
from ..motion.quat import Array
from ..recipes.matching import Matching

BLOCK = 128  # rows of a distance matrix
MOST_CELLS = 16_000_000  # of a matrix that is held whole: 4000 × 4000 frames, 128 MB


class Metric(ABC):
    """One clip, ready to be compared with others frame by frame."""

    floor: ClassVar[float]  # poses this near are as good as equal
    passes: ClassVar[int]  # how often registering is repeated on the stretch it found

    @abstractmethod
    def __init__(self, clip: Clip, matching: Matching) -> None: ...

    @abstractmethod
    def matrix(self, other: Self, window: int) -> Array:
        """Return the distances (M, N) between this clip's frames and another's, over `window` frames each side."""

    @abstractmethod
    def part(self, first: int, last: int) -> Self:
        """Return the frames first … last alone, otherwise as they are in the whole."""

    def over(self, first: int, last: int) -> Self:  # noqa: ARG002  (used by metrics that depend on it)
        """Return the same clip, its frames first … last being those that have a counterpart."""
        return self


def thinning(count: int, columns: int) -> int:
    """Return how many frames to go on at a time, so that a matrix of (M, N) frames can be held whole."""
    return max(1, int(np.ceil(np.sqrt(count * columns / MOST_CELLS))))


def clamped(count: int, window: int) -> NDArray[np.int64]:
    """Return the frame numbers (F, 2W+1) of every window, its ends clamped to the clip."""
    return np.clip(np.arange(count)[:, None] + np.arange(-window, window + 1), 0, count - 1)


def rows(values: Array, window: int) -> Array:
    """Return frames as rows, the first and last repeated so that every window is whole."""
    count = len(values)
    return values.reshape(count, -1)[np.clip(np.arange(-window, count + window), 0, count - 1)]


def in_blocks(count: int, columns: int, window: int, some: Callable[[slice, slice], Array]) -> Array:
    """Return a matrix (M, N) whose rows are worked out some at a time.

    some(block, around) gives the rows of a block; `around` are those of its frames with a window's frames on each
    side (see `rows`). What is worked out on the way then stays small, and near the processor.
    """
    found = np.empty((count, columns))
    for first in range(0, count, BLOCK):
        last = min(first + BLOCK, count)
        found[first:last] = some(slice(first, last), slice(first, last + 2 * window))
    return found


def apart(products: Array, window: int, square: Array, other_square: Array) -> Array:
    """Return the distances (M, N) √(square + other_square − 2·mean), of squares (M,) and (N,).

    The mean is that over k = −W … W of products (M+2W, N+2W) at (i + k, j + k).
    """
    found: Array = jit.kernels(__package__).apart(products, window, square, other_square)
    return found
