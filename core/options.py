"""Declaring an option once: the panel's property, the command line's flag and the JSON key derive from it.

Standard library only: registering the extension reads the options and must not load numpy.
"""

import dataclasses
import math
from dataclasses import dataclass
from typing import Any

from .errors import OptionError

_KEY = "action_loom"


@dataclass(frozen=True)
class Option:
    """One option of a recipe: what it means and which values it accepts."""

    name: str
    default: Any
    description: str
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()
    unit: str = ""
    table: bool = False

    @property
    def label(self) -> str:
        return self.name.replace("_", " ").title()

    def as_text(self, rows: tuple[tuple[float, ...], ...]) -> str:
        """Return a table as the text that `checked` reads."""
        return "; ".join(" ".join(f"{number:.12g}" for number in row) for row in rows)

    @property
    def kind(self) -> type:
        return type(self.default)

    def checked(self, value: Any) -> Any:
        """Return the value in the option's own type; raises OptionError with the range or the choices."""
        if self.choices:
            if value not in self.choices:
                raise OptionError(f"{self.name} is {value!r}, but must be one of {', '.join(self.choices)}")
            return value
        if self.table:
            return self._rows(value)
        if self.kind is tuple and isinstance(value, list | tuple):
            return tuple(self._number(v, float) for v in value)
        if self.kind in (int, float):
            return self._number(value, self.kind)
        if not isinstance(value, self.kind):
            raise OptionError(f"{self.name} is {value!r}, but must be {self.kind.__name__}")
        return value

    def _rows(self, value: Any) -> tuple[tuple[float, ...], ...]:
        """Return a table given as rows of numbers or as text, its rows apart by semicolons."""
        if isinstance(value, str):
            value = [row.split() for row in value.split(";") if row.strip()]
        if not isinstance(value, list | tuple) or not all(isinstance(row, list | tuple) for row in value):
            raise OptionError(f'{self.name} is {value!r}, but must be rows of numbers, such as "0 1; 1 0"')
        return tuple(tuple(self._number(v, float) for v in row) for row in value)

    def _number(self, value: Any, kind: type) -> Any:
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        except (TypeError, ValueError):
            raise OptionError(f"{self.name} is {value!r}, but must be a number") from None
        low = -math.inf if self.minimum is None else self.minimum
        high = math.inf if self.maximum is None else self.maximum
        if math.isfinite(number) and kind is int and number != int(number):
            raise OptionError(f"{self.name} is {value!r}, but must be a whole number")
        if not (low <= number <= high and math.isfinite(number)):
            raise OptionError(f"{self.name} is {value}, but must lie between {low:g} and {high:g}{self.unit}")
        return kind(number)


def option(
    default: Any,
    description: str,
    *,
    minimum: float | None = None,
    maximum: float | None = None,
    choices: tuple[str, ...] = (),
    unit: str = "",
    table: bool = False,
) -> Any:
    """Declare an option as a dataclass field; the type of the default is the type of the option.

    A table is rows of numbers; as text, its numbers are apart by spaces and its rows by semicolons.
    """
    about = Option("", default, description, minimum, maximum, choices, unit, table)
    return dataclasses.field(default=default, metadata={_KEY: about})


@dataclass(frozen=True, kw_only=True)
class Declared:
    """A value whose fields are declared options; they are checked when it is made."""

    def __post_init__(self) -> None:
        for name, about in declared(type(self)).items():
            object.__setattr__(self, name, about.checked(getattr(self, name)))


def by_name(*options: Option) -> dict[str, Option]:
    """Return options that no recipe declares as `declared` does."""
    return {about.name: about for about in options}


def declared(recipe: type) -> dict[str, Option]:
    """Return the options of a recipe class by name, in the order of declaration."""
    return {
        field.name: dataclasses.replace(field.metadata[_KEY], name=field.name)
        for field in dataclasses.fields(recipe)
        if _KEY in field.metadata
    }
