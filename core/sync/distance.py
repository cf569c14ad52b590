"""Pose distances for all pairs of frames of two clips at once (methods: Pose distance).

A metric is a class: an instance holds one clip, and computes the distance matrix to another clip for any window.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from .. import jit
from ..motion.quat import Array
from ..recipes.matching import Matching
from .exact_sums import Some
from .posed_clip import PosedClip

BLOCK = 128  # rows of a distance matrix computed at a time
MOST_CELLS = 16_000_000  # largest number of cells of a completely stored matrix: 4000 × 4000 frames, 128 MB


class Metric(ABC):
    """One clip, prepared for comparing frames with others."""

    floor: ClassVar[float]  # poses at this distance count as equal
    passes: ClassVar[int]  # number of registration passes, each on the stretch found before

    @abstractmethod
    def __init__(self, body: PosedClip, matching: Matching) -> None: ...

    @abstractmethod
    def matrix(self, other: Self, window: int) -> Array:
        """Return the distances (M, N) between this clip's frames and another's, over `window` frames on each side."""

    @abstractmethod
    def take_frames(self, frames: slice) -> Self:
        """Return only some frames, prepared as in the whole clip."""

    def part(self, first: int, last: int) -> Self:
        """Return only the frames first … last, prepared as in the whole clip."""
        return self.take_frames(slice(first, last + 1))

    def over(self, first: int, last: int) -> Self:  # noqa: ARG002  (used by metrics that depend on it)
        """Return the same clip, prepared for the case that only frames first … last have a counterpart."""
        return self


def thinning(count: int, columns: int) -> int:
    """Return the least n for which a matrix of every n-th of (M, N) frames can be stored completely."""
    return max(1, int(np.ceil(np.sqrt(count * columns / MOST_CELLS))))


def clamp_windows(count: int, window: int) -> NDArray[np.int64]:
    """Return the frames (F, 2W+1) of every window, clamped to the clip."""
    return np.clip(np.arange(count)[:, None] + np.arange(-window, window + 1), 0, count - 1)


def rows(values: Some, window: int) -> Some:
    """Return frames as rows, with the first and last repeated so that every window is complete."""
    count = len(values)
    if window == 0:
        return values.reshape(count, -1)
    return values.reshape(count, -1)[np.clip(np.arange(-window, count + window), 0, count - 1)]


def in_blocks(count: int, columns: int, window: int, some: Callable[[slice, slice], Array]) -> Array:
    """Return a matrix (M, N) computed in blocks of rows, so that intermediate results stay small and in cache.

    some(block, around) : the rows of a block; `around` are its frames extended by a window on each side, as indices
        into `rows`
    """
    if count <= BLOCK:
        return some(slice(0, count), slice(0, count + 2 * window))
    matrix = np.empty((count, columns))
    for first in range(0, count, BLOCK):
        last = min(first + BLOCK, count)
        matrix[first:last] = some(slice(first, last), slice(first, last + 2 * window))
    return matrix


def compute_distances(products: Array, window: int, square: Array, other_square: Array) -> Array:
    """Return the distances (M, N) √(square + other_square − 2·mean), with squares (M,) and (N,).

    The mean is over k = −W … W, of products (M+2W, N+2W) at (i + k, j + k).
    """
    distances: Array = jit.kernels(__package__).compute_distances(products, window, square, other_square)
    return distances
