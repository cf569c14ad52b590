"""How far apart two poses are, for all pairs of frames of two clips at once (methods 2).

A metric is a class: made once from a clip, it gives the distance matrix to another clip for any window.
"""

from abc import ABC, abstractmethod
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ..motion.clip import Clip
from ..motion.quat import Array
from .matching import Matching


class Metric(ABC):
    """One clip, ready to be compared with others frame by frame."""

    name: ClassVar[str]
    floor: ClassVar[float]  # poses this near are as good as equal
    passes: ClassVar[int]  # how often registering is repeated on the stretch it found

    @abstractmethod
    def __init__(self, clip: Clip, matching: Matching) -> None: ...

    @abstractmethod
    def matrix(self, other: Self, window: int) -> Array:
        """Return the distances (M, N) between this clip's frames and another's, over `window` frames each side."""

    def over(self, first: int, last: int) -> Self:  # noqa: ARG002  (used by metrics that depend on it)
        """Return the same clip, its frames first … last being those that have a counterpart."""
        return self


def clamped(count: int, window: int) -> NDArray[np.int64]:
    """Return the frame numbers (F, 2W+1) of every window, its ends clamped to the clip."""
    return np.clip(np.arange(count)[:, None] + np.arange(-window, window + 1), 0, count - 1)


def rows(values: Array, window: int) -> Array:
    """Return frames as rows, the first and last repeated so that every window is whole."""
    count = len(values)
    return values.reshape(count, -1)[np.clip(np.arange(-window, count + window), 0, count - 1)]


def diagonal_mean(products: Array, window: int) -> Array:
    """Return the mean over k = −W … W of products (M+2W, N+2W) at (i + k, j + k): (M, N)."""
    if window == 0:
        return products
    count, columns = products.shape[0] - 2 * window, products.shape[1] - 2 * window
    total = products[:count, :columns].copy()
    for k in range(1, 2 * window + 1):
        total += products[k : k + count, k : k + columns]
    total /= 2 * window + 1
    return total
