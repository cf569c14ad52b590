"""Declaring an option once: property, flag, JSON key, job key and the manual's row derive from the declaration.

Standard library only: registering the extension reads the options and must not load numpy.
"""

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Self

from .errors import OptionError

_KEY = "action_loom"
_LARGEST = 2**31 - 1  # whole numbers have 32 bits in Blender's properties

# Where an option is shown: in the panel of its mode, in a panel of its own topic, in that panel's rarer part, nowhere.
MODE, PANEL, RARE, HIDDEN = "mode", "panel", "rare", "hidden"
SHOWN = (MODE, PANEL, RARE, HIDDEN)

# What an option can be picked from: joints of the body, a clip and a frame of it, a frame, the labels of the clips.
PICKS = JOINTS, PLACE, FRAME, LABEL = "joints", "place", "frame", "label"


@dataclass(frozen=True)
class Choice:
    """One of the values that an option accepts, with its label and its sentence in menus."""

    name: str
    label: str = ""
    description: str = ""

    @property
    def title(self) -> str:
        return self.label or self.name.replace("_", " ").title()


@dataclass(frozen=True)
class Option:
    """One option of a recipe: what it means, which values it accepts, and where it is shown.

    from_file : a table that may also be given as the name of a file of rows
    only_for : another option of the same recipe and the values of it that this one is meant for
    usual : the range that a slider has, where the whole range is wider than anybody wants
    zero : what 0, or what is below it, stands for, in a few words; "" where it is a number like any other
    pick : what it names, for those who would rather choose than type: one of PICKS
    aliases : names that it had in earlier versions; they are read everywhere, and never written
    """

    name: str
    default: Any
    description: str
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[Choice, ...] = ()
    unit: str = ""
    table: bool = False
    from_file: bool = False
    label: str = ""
    shown: str = PANEL
    only_for: tuple[str, tuple[str, ...]] | None = None
    aliases: tuple[str, ...] = ()
    usual: tuple[float, float] | None = None
    zero: str = ""
    pick: str = ""

    @property
    def title(self) -> str:
        """Its label in panels, with its unit; seconds Blender writes beside the number."""
        unit = f" ({self.unit.strip()})" if self.unit and self.unit.strip() != "s" else ""
        return (self.label or self.name.replace("_", " ").title()) + unit

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its choices."""
        return tuple(choice.name for choice in self.choices)

    @property
    def only(self) -> str:
        """For which value of another option it is meant, in words; "" for an option that is always meant."""
        return "" if self.only_for is None else f"{self.only_for[0]} {' or '.join(self.only_for[1])} only"

    @property
    def kind(self) -> type:
        return type(self.default)

    def as_text(self, rows: tuple[tuple[float, ...], ...]) -> str:
        """Return a table as the text that `checked` reads."""
        return "; ".join(" ".join(f"{number:.12g}" for number in row) for row in rows)

    def checked(self, value: Any) -> Any:
        """Return the value in the option's own type; raises OptionError with the range or the choices."""
        if self.choices:
            if value not in self.names:
                raise OptionError(f"{self.name} is {shown(value)}, but must be one of {', '.join(self.names)}")
            return value
        if self.table:
            return self._rows(value)
        if self.kind is tuple and isinstance(value, list | tuple):
            return tuple(self._number(v, float) for v in value)
        if self.kind in (int, float):
            return self._number(value, self.kind)
        if not isinstance(value, self.kind):
            raise OptionError(f"{self.name} is {shown(value)}, but must be {self.kind.__name__}")
        if isinstance(value, str) and not _is_text(value):
            raise OptionError(f"{self.name} is {shown(value)}, but must be text that can be written to a file")
        return value

    def _rows(self, value: Any) -> tuple[tuple[float, ...], ...]:
        """Return a table given as rows of numbers or as text whose rows are separated by semicolons."""
        if isinstance(value, str):
            value = [row.split() for row in value.split(";") if row.strip()]
        if not isinstance(value, list | tuple) or not all(isinstance(row, list | tuple) for row in value):
            raise OptionError(f'{self.name} is {shown(value)}, but must be rows of numbers, such as "0 1; 1 0"')
        return tuple(tuple(self._number(v, float) for v in row) for row in value)

    def _number(self, value: Any, kind: type) -> Any:
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        except (TypeError, ValueError):
            raise OptionError(f"{self.name} is {shown(value)}, but must be a number") from None
        low = -math.inf if self.minimum is None else self.minimum
        high = math.inf if self.maximum is None else self.maximum
        if kind is int and not -_LARGEST - 1 <= number <= _LARGEST:
            low, high = max(low, -_LARGEST - 1), min(high, _LARGEST)
        if math.isfinite(number) and kind is int and number != int(number):
            raise OptionError(f"{self.name} is {shown(value)}, but must be a whole number")
        if not (low <= number <= high and math.isfinite(number)):
            given = value if isinstance(value, str) else shown(value)
            raise OptionError(f"{self.name} is {given}, but must lie between {low:g} and {high:g}{self.unit}")
        return kind(number)


def _is_text(value: str) -> bool:
    """Return whether others can take a text: JSON allows halves of letters and zeros, and they do not."""
    return "\0" not in value and not any("\ud800" <= letter <= "\udfff" for letter in value)


def shown(value: Any) -> str:
    """Return a value as messages show it; Python writes no whole number of thousands of digits."""
    try:
        return repr(value)
    except (ValueError, RecursionError):
        return "too much to write down"


def option(
    default: Any,
    description: str,
    *,
    minimum: float | None = None,
    maximum: float | None = None,
    choices: tuple[str | Choice, ...] = (),
    unit: str = "",
    table: bool = False,
    from_file: bool = False,
    label: str = "",
    shown: str = PANEL,
    only_for: tuple[str, tuple[str, ...]] | None = None,
    aliases: tuple[str, ...] = (),
    usual: tuple[float, float] | None = None,
    zero: str = "",
    pick: str = "",
) -> Any:
    """Declare an option as a dataclass field; the type of the default is the type of the option.

    A table is rows of numbers; as text, its numbers are separated by spaces and its rows by semicolons.
    """
    choosable = tuple(Choice(choice) if isinstance(choice, str) else choice for choice in choices)
    about = Option(
        "",
        default,
        description,
        minimum,
        maximum,
        choosable,
        unit,
        table,
        from_file,
        label,
        shown,
        only_for,
        aliases,
        usual,
        zero,
        pick,
    )
    return dataclasses.field(default=default, metadata={_KEY: about})


@dataclass(frozen=True, kw_only=True)
class Declared:
    """A value whose fields are declared options; they are checked when it is made."""

    def __post_init__(self) -> None:
        for name, about in declared(type(self)).items():
            object.__setattr__(self, name, about.checked(getattr(self, name)))

    @classmethod
    def from_values(cls, values: Mapping[str, Any], what: str) -> Self:
        """Return the value of options by name, earlier names included; raises OptionError for those it has not."""
        current = renamed(declared(cls), values)
        unknown = sorted(set(current) - set(declared(cls)))
        if unknown:
            raise OptionError(f"{what} has no option {', '.join(unknown)}")
        return cls(**current)


def by_name(*options: Option) -> dict[str, Option]:
    """Return options that no recipe declares as `declared` does."""
    return {about.name: about for about in options}


def declared(recipe: type) -> dict[str, Option]:
    """Return the options of a recipe class by name, in the order of declaration."""
    return dict(_declared(recipe))


@cache  # panels ask whenever they are drawn
def _declared(recipe: type) -> dict[str, Option]:
    return {
        field.name: dataclasses.replace(field.metadata[_KEY], name=field.name)
        for field in dataclasses.fields(recipe)
        if _KEY in field.metadata
    }


def renamed(options: Mapping[str, Option], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values by the options' names of today, where some have the names of an earlier version."""
    today = {alias: about.name for about in options.values() for alias in about.aliases}
    return {today.get(name, name): value for name, value in values.items()}
