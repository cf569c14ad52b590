"""Hold all caches of this session, measure them, and clear them together."""

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from typing import Any

from ...core.cache import Cache

_caches: list[Cache[Any, Any]] = []
_large: list[Cache[Any, Any]] = []  # `keep` limits their size in total

# Listeners that free further resources when the caches are cleared.
when_forgotten: list[Callable[[], None]] = []

MEGABYTE = 2**20
# Limit for the large caches together, in bytes; set by the preferences.
most_bytes = 1024 * MEGABYTE
SEEN = 1.0 / 32.0  # of the limit: new data before all is measured again, which is slow for hundreds of actions

_come = 0  # bytes since then


class Once:
    """Values that are computed once during work that changes none of their inputs."""

    def __init__(self) -> None:
        self._known: dict[Hashable, Any] | None = None

    @contextmanager
    def during(self) -> Iterator[None]:
        """Remember values until the work ends; an inner block uses the values of the outer one."""
        before, self._known = self._known, {} if self._known is None else self._known
        try:
            yield
        finally:
            self._known = before

    def get(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """Return the remembered value of a key, or a new one; outside of such work each value is new."""
        if self._known is None:
            return make()
        if key not in self._known:
            self._known[key] = make()
        return self._known[key]


def cache(most: int, *, large: bool = False) -> Cache[Any, Any]:
    """Return a new cache of at most `most` items, which `forget` clears.

    large : whether its items are clips and alike, which `keep` adds
    """
    created: Cache[Any, Any] = Cache(most)
    _caches.append(created)
    if large:
        _large.append(created)
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


def keep(large: Cache[Any, Any], key: Any, new: Any) -> Any:
    """Add an item to a large cache, and return it; drop old items of all large caches until they fit the limit.

    The last item of each stays. Nothing is dropped before the added data reaches a thirty-second of the limit.
    """
    global _come
    large.keep(key, new)
    _come += _bytes_of(new, set())
    if _come < SEEN * most_bytes:
        return new
    _come = 0
    while _bytes_of(tuple(_large), set()) > most_bytes:
        crowded = max(_large, key=len)
        if len(crowded) < 2:
            break
        crowded.drop_oldest()
    return new


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
