"""Everything that is remembered while Blender runs, how much that is, and the one way to forget it."""

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any

from ...core.cache import Cache

_caches: list[Cache[Any, Any]] = []

# What else is to be given back when what belongs to a file is forgotten.
when_forgotten: list[Callable[[], None]] = []

MEGABYTE = 2**20
# How much the large ones together may keep, in bytes; the preferences say.
most_bytes = 1024 * MEGABYTE


def cache(most: int) -> Cache[Any, Any]:
    """Return a new memory of so many things, which `forget` empties."""
    made: Cache[Any, Any] = Cache(most)
    _caches.append(made)
    return made


def forget() -> None:
    """Forget what belongs to the file that is left."""
    for one in _caches:
        one.clear()
    for listener in when_forgotten:
        listener()


def size() -> int:
    """Return how many bytes of numbers are remembered."""
    return _bytes_of(tuple(_caches), set())


def keep_within(large: tuple[Cache[Any, Any], ...]) -> None:
    """Let what was asked for longest ago go from some memories, until they fit; the last of each stays."""
    while _bytes_of(large, set()) > most_bytes:
        crowded = max(large, key=len)
        if len(crowded) < 2:
            return
        crowded.drop_oldest()


def _bytes_of(value: Any, seen: set[int]) -> int:
    """The bytes of all arrays that a value holds, each counted once."""
    if id(value) in seen:
        return 0
    seen.add(id(value))
    own = getattr(value, "nbytes", None)
    if isinstance(own, int):
        return own
    if isinstance(value, dict):
        return sum(_bytes_of(one, seen) for one in value.values())
    if isinstance(value, (tuple, list, Cache)):
        return sum(_bytes_of(one, seen) for one in value)
    if is_dataclass(value) and not isinstance(value, type):
        kept = vars(value).values() if hasattr(value, "__dict__") else (getattr(value, f.name) for f in fields(value))
        return sum(_bytes_of(one, seen) for one in kept)
    return 0
