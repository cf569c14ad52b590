"""Options, each declared once: property, flag, JSON key, job key and the manual's row derive from the declaration.

Standard library only: registration of the extension reads the options and must not load numpy.
"""

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, NamedTuple, Self, TypeVar, dataclass_transform

from .errors import OptionError

T = TypeVar("T")

_KEY = "action_loom"
_SWITCHED: dict[str | bool, str] = {True: "on", False: "off"}
_LARGEST = 2**31 - 1  # whole numbers have 32 bits in Blender's properties

# Where an option is shown: in the panel of its mode, in a panel of its topic, in the rarer part of that, nowhere.
MODE, PANEL, RARE, HIDDEN = "mode", "panel", "rare", "hidden"
SHOWN = (MODE, PANEL, RARE, HIDDEN)

# From what an option can be picked: joints of the body, a clip and its frame, a frame, the labels of the clips.
PICKS = JOINTS, PLACE, FRAME, LABEL = "joints", "place", "frame", "label"


class Choice(NamedTuple):
    """One of the values that an option accepts, with its label and its sentence in menus."""

    name: str
    label: str = ""
    description: str = ""

    @property
    def title(self) -> str:
        return self.label or self.name.replace("_", " ").title()


@dataclass(frozen=True, eq=False)
class Option:
    """One option of a recipe: its meaning, the values that it accepts, and where it is shown.

    table : its value is rows of numbers
    from_file : the value may also be the name of a file with the rows or the text
    only_for : another option of the same recipe, and the values of it with which this option has an effect
    needs : other options of the same recipe; it has an effect only where one of them is given
    usual : the range of its slider, where the whole range is much wider
    zero, below : the meaning of 0, and of a number below it where it is another, in a few words; "" for none
    pick : what it names, so that the user can choose instead of typing: one of PICKS
    aliases : its other names, such as those of earlier versions; they are read wherever no option has that name itself,
        but never written
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
    only_for: tuple[str, tuple[str | bool, ...]] | None = None
    aliases: tuple[str, ...] = ()
    usual: tuple[float, float] | None = None
    zero: str = ""
    pick: str = ""
    below: str = ""
    needs: tuple[str, ...] = ()

    def means(self, value: Any) -> str:
        """Return the meaning of a number that stands for something else, "" for others."""
        return (self.below if value < 0 and self.below else self.zero) if self.zero and value <= 0 else ""

    @property
    def title(self) -> str:
        """Its label in panels, with its unit; Blender itself shows seconds beside the number."""
        unit = f" ({self.unit.strip()})" if self.unit and self.unit.strip() != "s" else ""
        return (self.label or self.name.replace("_", " ").title()) + unit

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its choices."""
        return tuple(choice.name for choice in self.choices)

    @property
    def only(self) -> str:
        """In words, for which values of another option it has an effect; "" for an option that always has."""
        if self.only_for is None:
            return ""
        name, values = self.only_for
        return f"{name} {' or '.join(_SWITCHED.get(value, str(value)) for value in values)} only"

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
    """Return whether a text can be written to a file: JSON also allows surrogates and zero bytes."""
    return "\0" not in value and not any("\ud800" <= letter <= "\udfff" for letter in value)


def shown(value: Any) -> str:
    """Return a value as messages show it; Python writes no whole number with thousands of digits.

    Example:
        >>> from action_loom.core import options
        >>> options.shown("walk"), options.shown(10**5000)
        ("'walk'", 'too much to write down')
    """
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
    only_for: tuple[str, tuple[str | bool, ...]] | None = None,
    aliases: tuple[str, ...] = (),
    usual: tuple[float, float] | None = None,
    zero: str = "",
    pick: str = "",
    below: str = "",
    needs: tuple[str, ...] = (),
) -> Any:
    """Declare an option as a dataclass field; the type of the default is the type of the option.

    A table is rows of numbers; as text, its numbers are separated by spaces and its rows by semicolons.

    Example:
        >>> from action_loom.core.options import Declared, declaration, option
        >>> @declaration
        ... class Route(Declared):
        ...     speed: float = option(1.0, "How fast it goes", minimum=0.0, unit=" m/s")
        ...     path: tuple[tuple[float, ...], ...] = option((), "Rows of x and y", table=True)
        >>> Route(speed="2", path="0 0; 0 4")
        Route(speed=2.0, path=((0.0, 0.0), (0.0, 4.0)))
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
        below,
        needs,
    )
    return dataclasses.field(default=default, metadata={_KEY: about})


@dataclass_transform(frozen_default=True, kw_only_default=True)
def declaration(made: type[T]) -> type[T]:
    """Make a class below `Declared` a dataclass of options: frozen, with keywords only.

    Its methods are those of `Declared`. `dataclass` compiles methods of its own for each class, which for all recipes
    took half of the time in which the extension is enabled.

    Example:
        >>> from action_loom.core.options import Declared, declaration, option
        >>> @declaration
        ... class Pace(Declared):
        ...     speed: float = option(1.0, "How fast it goes", minimum=0.0, unit=" m/s")
        >>> Pace(speed="2") == Pace(speed=2.0), {Pace(): "usual"}[Pace(speed=1)]
        (True, 'usual')
    """
    dataclass(init=False, repr=False, eq=False, kw_only=True)(made)
    members = []
    for field in dataclasses.fields(made):  # type: ignore[arg-type]  # it has just become a dataclass
        about = field.metadata.get(_KEY)
        if about is not None:
            object.__setattr__(about, "name", field.name)  # once, while the class is made
        members.append((field.name, field.default, about))
    made._members = tuple(members)  # type: ignore[attr-defined]  # of Declared
    return made


@declaration
class Declared:
    """What is made of declared options; their values are checked when it is made, and never change."""

    # Name, default and option of each field; some fields are no options.
    _members: ClassVar[tuple[tuple[str, Any, Option | None], ...]]

    def __init__(self, **values: Any) -> None:
        for name, default, about in self._members:
            value = values.pop(name, default)
            object.__setattr__(self, name, value if about is None else about.checked(value))
        if values:
            raise TypeError(f"{type(self).__name__} has no {', '.join(sorted(values))}")

    def __setattr__(self, name: str, value: Any) -> None:
        raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> None:
        raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")

    def _values(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name, _, _ in self._members)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Declared) or type(other) is not type(self):
            return NotImplemented
        return self._values() == other._values()

    def __hash__(self) -> int:
        return hash(self._values())

    def __repr__(self) -> str:
        members = (f"{name}={getattr(self, name)!r}" for name, _, _ in self._members)
        return f"{type(self).__qualname__}({', '.join(members)})"

    @classmethod
    def from_values(cls, values: Mapping[str, Any], what: str) -> Self:
        """Return an instance with options by name, earlier names included; raises OptionError for unknown ones."""
        current = renamed(declared(cls), values)
        unknown = sorted(set(current) - set(declared(cls)))
        if unknown:
            raise OptionError(f"{what} has no option {', '.join(unknown)}")
        return cls(**current)


def by_name(*options: Option) -> dict[str, Option]:
    """Return options that no recipe declares, by name, as `declared` returns them.

    Example:
        >>> from action_loom.core.options import Option, by_name
        >>> by_name(Option("force", False, "Overwrite files that exist"))["force"].title
        'Force'
    """
    return {about.name: about for about in options}


def declared(recipe: type) -> dict[str, Option]:
    """Return the options of a recipe class by name, in the order of declaration.

    Example:
        >>> from action_loom.core import options, verbs
        >>> options.declared(verbs.Walk)["seconds"].default
        30.0
    """
    return dict(_declared(recipe))


@cache  # panels ask whenever they are drawn
def _declared(recipe: type) -> dict[str, Option]:
    named = ((field.name, field.metadata[_KEY]) for field in dataclasses.fields(recipe) if _KEY in field.metadata)
    return {name: about if about.name == name else dataclasses.replace(about, name=name) for name, about in named}


def renamed(options: Mapping[str, Option], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values by the options' names of today; some may have names of an earlier version.

    Example:
        >>> from action_loom.core import options, verbs
        >>> options.renamed(options.declared(verbs.Walk), {"among": "go", "seed": 2})
        {'label_filter': 'go', 'seed': 2}
    """
    today = {alias: about.name for about in options.values() for alias in about.aliases if alias not in options}
    return {today.get(name, name): value for name, value in values.items()}
