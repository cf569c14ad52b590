"""Keep the latest state of the library that the panel searches; `library_search` reads it."""

from typing import TYPE_CHECKING, NamedTuple

from ....core.cache import Cache
from ...ground import memory, troubles

if TYPE_CHECKING:
    from ....core.library.search import Searched

TROUBLES = 0, "library"  # key of stored library errors, which belong to no armature or mode


class Known(NamedTuple):
    """A library as read when its table had this time and size.

    summary : its size in a few words
    """

    path: str
    stamp: tuple[int, int]
    searched: "Searched"
    summary: str


# By path; the latest is the last entry.
_known: Cache[str, Known] = memory.cache(2)


def find_known(path: str) -> Known | None:
    """Return a library that was read, or None; cheap enough for drawing."""
    return _known.get(path)


def keep(read: Known) -> None:
    """Keep a library that was read, for the panel and for the next search."""
    _known.keep(read.path, read)
    troubles.clear(TROUBLES[0])
