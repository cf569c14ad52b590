"""Split work into blocks whose intermediate results fit a processor's cache."""

from collections.abc import Iterator

NUMBERS = 32_768  # per block: several such arrays fit the cache of one core


def slices(count: int, width: int) -> Iterator[slice]:
    """Yield slices that cover `count` rows of `width` numbers in blocks of several rows.

    Example:
        >>> from action_loom.core.motion import blocks
        >>> [(some.start, some.stop) for some in blocks.slices(5, blocks.NUMBERS // 2)]
        [(0, 2), (2, 4), (4, 5)]
    """
    several = max(NUMBERS // max(width, 1), 1)
    for first in range(0, count, several):
        yield slice(first, min(first + several, count))
