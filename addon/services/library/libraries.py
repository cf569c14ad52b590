"""The library that the panel searches, as it was when it was looked at last; `library_search` reads it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....core.cache import Cache
from ...ground import memory, troubles

if TYPE_CHECKING:
    from ....core.library.search import Searched

TROUBLES = 0, "library"  # where what goes wrong with libraries is kept: with no armature, in no mode of Weave


@dataclass(frozen=True, eq=False)
class Known:
    """A library as it was when its table had this time and size; said : what it has, in a few words."""

    path: str
    stamp: tuple[int, int]
    searched: "Searched"
    summary: str


# By their paths; the last is the last.
_known: Cache[str, Known] = memory.cache(2)


def known(path: str) -> Known | None:
    """Return a library that was read, or None; cheap enough for drawing."""
    return _known.get(path)


def keep(read: Known) -> None:
    """Keep a library that was read, for the panel and for the next search."""
    _known.keep(read.path, read)
    troubles.clear(TROUBLES[0])
