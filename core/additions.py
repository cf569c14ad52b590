"""Registries that other packages can add rows to: by entry points, or by `core.extend` (contributing: Other packages).

Standard library only, because registering the extension reads the registries.
"""

import logging
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Generic, TypeVar

from .errors import OptionError, one_line

Row = TypeVar("Row")
Source = str | Callable[..., Any]  # a function or class: its module and name in core, or itself
_log = logging.getLogger(__name__)
_PREFIX = "action_loom."


class Registry(dict[str, Row], Generic[Row]):
    """Rows by name; `load_installed` completes them by the entry points `action_loom.<kind>` of installed packages.

    built_in : the names of our own rows
    listeners : called after each change with the name of the row
    """

    def __init__(self, kind: str, row_type: type[Row], rows: Iterable[Row], name_of: Callable[[Row], str]) -> None:
        super().__init__({name_of(row): row for row in rows})
        self.kind, self._row_type, self._name_of = kind, row_type, name_of
        self.built_in = frozenset(self)
        self.listeners: list[Callable[[str], None]] = []
        self._is_complete = False

    def add(self, row: Row) -> None:
        """Add a row; raises OptionError for another type, and for a name that exists."""
        if not isinstance(row, self._row_type):
            raise OptionError(f"{row!r} is not a {self._row_type.__name__}")
        name = self._name_of(row)
        if name in self:
            raise OptionError(f"{name!r} exists already among the {self.kind}: choose another name")
        self[name] = row
        for listener in self.listeners:
            listener(name)

    def remove(self, name: str) -> None:
        """Remove an added row; raises OptionError if no package has added it."""
        if name not in self or name in self.built_in:
            raise OptionError(f"{name!r} is not among the {self.kind} that other packages have added")
        del self[name]
        for listener in self.listeners:
            listener(name)

    def load_installed(self) -> None:
        """Add the rows of installed packages, once; a package that fails is reported in one warning and left out."""
        if self._is_complete:
            return
        self._is_complete = True
        if not _is_mentioned(_PREFIX + self.kind):
            return
        from importlib.metadata import entry_points  # it takes 30 ms to load

        for point in entry_points(group=_PREFIX + self.kind):
            try:
                self.add(point.load())
            except Exception as error:
                package = point.dist.name if point.dist else point.value
                reason = one_line(f"{type(error).__name__}: {error}")
                _log.warning("The package %s can't add %r to the %s (%s)", package, point.name, self.kind, reason)


def _is_mentioned(group: str) -> bool:
    """Return whether an installed package has entry points of a group.

    An extension of Blender has another name than the package `action_loom`, which rows of installed packages import.
    """
    if __package__ != "action_loom.core":
        return False
    files = (file for folder in sys.path for file in Path(folder).glob("*.dist-info/entry_points.txt"))
    return any(f"[{group}]" in file.read_text(encoding="utf-8", errors="replace") for file in files)
