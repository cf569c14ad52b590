"""Hold all caches of this session, measure them, and clear them together."""

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any

from ...core.cache import Cache

_caches: list[Cache[Any, Any]] = []

# Listeners that free further resources when the caches are cleared.
when_forgotten: list[Callable[[], None]] = []

MEGABYTE = 2**20
# Limit for the large caches together, in bytes; set by the preferences.
most_bytes = 1024 * MEGABYTE
SEEN = 1.0 / 32.0  # of the limit: new data before all is measured again, which is slow for hundreds of actions

_come = 0  # bytes since then


def cache(most: int) -> Cache[Any, Any]:
    """Return a new cache of at most `most` items, which `forget` clears."""
    created: Cache[Any, Any] = Cache(most)
    _caches.append(created)
    return created


def forget() -> None:
    """Clear all caches, when the file they belong to is closed."""
    for each in _caches:
        each.clear()
    for listener in when_forgotten:
        listener()


def size() -> int:
    """Return the bytes of all arrays in the caches."""
    return _bytes_of(tuple(_caches), set())


def keep_within(large: tuple[Cache[Any, Any], ...], new: Any) -> None:
    """Drop the least recently used items of some caches until they fit the limit; the last item of each stays.

    new : data added to them; nothing is dropped before the added data reaches a thirty-second of the limit
    """
    global _come
    _come += _bytes_of(new, set())
    if _come < SEEN * most_bytes:
        return
    _come = 0
    while _bytes_of(large, set()) > most_bytes:
        crowded = max(large, key=len)
        if len(crowded) < 2:
            return
        crowded.drop_oldest()


def _bytes_of(value: Any, seen: set[int]) -> int:
    """Return the bytes of all arrays in a value, each counted once."""
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
