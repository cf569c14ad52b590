"""A bounded cache of recent values."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Cache(Generic[K, V]):
    """A bounded number of values by key; the least recently used one is dropped first."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[K, V] = OrderedDict()

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Iterator[V]:
        """Iterate over the values, the oldest first."""
        return iter(self._values.values())

    def __contains__(self, key: object) -> bool:
        return key in self._values

    def get(self, key: K) -> V | None:
        """Return the value of a key, or None, without marking it as used."""
        return self._values.get(key)

    def keep(self, key: K, value: V) -> V:
        """Store a value as the newest one, and return it."""
        self._values[key] = value
        self._values.move_to_end(key)
        while len(self._values) > self._most:
            self._values.popitem(last=False)
        return value

    def made(self, key: K, make: Callable[[], V]) -> V:
        """Return the value of a key, computed by `make` if missing, and mark it as the newest."""
        found = self._values.get(key)
        return self.keep(key, make() if found is None else found)

    def drop_oldest(self) -> None:
        """Drop the oldest value."""
        self._values.popitem(last=False)

    def clear(self) -> None:
        self._values.clear()
