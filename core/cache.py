"""A bounded cache of the last few values."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Cache(Generic[K, V]):
    """At most so many values by their keys; the one that was kept or `made` longest ago is dropped first."""

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
        """Return the value of a key, or None; its age stays."""
        return self._values.get(key)

    def keep(self, key: K, value: V) -> V:
        """Keep a value as the newest one, and return it."""
        self._values[key] = value
        self._values.move_to_end(key)
        while len(self._values) > self._most:
            self._values.popitem(last=False)
        return value

    def made(self, key: K, make: Callable[[], V]) -> V:
        """Return the value of a key, made by `make` where there is none; it is then the newest one."""
        found = self._values.get(key)
        return self.keep(key, make() if found is None else found)

    def drop_oldest(self) -> None:
        """Drop the oldest value."""
        self._values.popitem(last=False)

    def clear(self) -> None:
        self._values.clear()
