"""Everything that is remembered while Blender runs, and the one way to forget it."""

from collections.abc import Callable
from typing import Any

from ...core.cache import Cache

_caches: list[Cache[Any, Any]] = []

# What else is to be given back when what belongs to a file is forgotten.
when_forgotten: list[Callable[[], None]] = []


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
