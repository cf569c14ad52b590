"""Options, each declared once: property, flag, JSON key, job key and the manual's row derive from the declaration.

Standard library only, because registering the extension reads the options and must not load numpy.
"""

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, NamedTuple, Self, TypeVar, dataclass_transform

from .errors import OptionError, out_of_range

T = TypeVar("T")

_KEY = "action_loom"
_SWITCHED: dict[str | bool, str] = {True: "on", False: "off"}
_LARGEST = 2**31 - 1  # whole numbers have 32 bits in Blender's properties

# The place of an option: the panel of its mode, a panel of its topic, the folded part of that, or none.
MODE, PANEL, RARE, HIDDEN = "mode", "panel", "rare", "hidden"
SHOWN = (MODE, PANEL, RARE, HIDDEN)
RETIRED = "retired"  # an option of earlier versions that has one value now

# Kinds of values that the user can pick: joints of the body, a clip and its frame, a frame, the labels of the clips.
PICKS = JOINTS, PLACE, FRAME, LABEL = "joints", "place", "frame", "label"


class Choice(NamedTuple):
    """One of the values of an option, with its label and its sentence in menus."""

    name: str
    label: str = ""
    description: str = ""

    @property
    def title(self) -> str:
        return self.label or self.name.replace("_", " ").title()


@dataclass(frozen=True, eq=False)
class Option:
    """An option of a recipe: its meaning, its values, and its place in the interface.

    table : whether its value is rows of numbers
    from_file : whether the value may also be the name of a file with the rows or the text
    choices : its values; a list if other packages can add to them
    only_for : another option of the same recipe, and its values for which this option has an effect
    needs : other options of the same recipe, one of which must be given for this option to have an effect
    usual : the range of its slider, if the whole range is much wider
    zero, below : the special meaning of 0, and of a negative number if different, in a few words; "" for none
    pick : the kind of value that the user can pick instead of typing: one of PICKS
    aliases : other names, such as names in earlier versions; they are read unless an option has that name itself, but
        never written
    earlier : its value in stored recipes that lack it, because their version did not have it; None for the default
    """

    name: str
    default: Any
    description: str
    minimum: float | None = None
    maximum: float | None = None
    choices: Sequence[Choice] = ()
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
    earlier: Any = None

    def means(self, value: Any) -> str:
        """Return the special meaning of a number, or ""."""
        return (self.below if value < 0 and self.below else self.zero) if self.zero and value <= 0 else ""

    @property
    def title(self) -> str:
        """Its label in panels, with its unit, except seconds, which Blender shows next to the number."""
        unit = f" ({self.unit.strip()})" if self.unit and self.unit.strip() != "s" else ""
        return (self.label or self.name.replace("_", " ").title()) + unit

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its choices."""
        return tuple(choice.name for choice in self.choices)

    @property
    def only(self) -> str:
        """A phrase on the values of another option for which it has an effect, "" if it always has."""
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
                raise OptionError(f"{self.name} is {show_value(value)}, but must be one of {', '.join(self.names)}")
            return value
        if self.table:
            return self._rows(value)
        if self.kind is tuple and isinstance(value, list | tuple):
            return tuple(self._number(v, float) for v in value)
        if self.kind in (int, float):
            return self._number(value, self.kind)
        if not isinstance(value, self.kind):
            raise OptionError(f"{self.name} is {show_value(value)}, but must be {self.kind.__name__}")
        if isinstance(value, str) and not _is_text(value):
            raise OptionError(f"{self.name} is {show_value(value)}, but must be text that can be written to a file")
        return value

    def _rows(self, value: Any) -> tuple[tuple[float, ...], ...]:
        """Return a table given as rows of numbers or as text with rows separated by semicolons."""
        if isinstance(value, str):
            value = [row.split() for row in value.split(";") if row.strip()]
        if not isinstance(value, list | tuple) or not all(isinstance(row, list | tuple) for row in value):
            raise OptionError(f'{self.name} is {show_value(value)}, but must be rows of numbers, such as "0 1; 1 0"')
        return tuple(tuple(self._number(v, float) for v in row) for row in value)

    def _number(self, value: Any, kind: type) -> Any:
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        except (TypeError, ValueError):
            raise OptionError(f"{self.name} is {show_value(value)}, but must be a number") from None
        low = -math.inf if self.minimum is None else self.minimum
        high = math.inf if self.maximum is None else self.maximum
        if kind is int and not -_LARGEST - 1 <= number <= _LARGEST:
            low, high = max(low, -_LARGEST - 1), min(high, _LARGEST)
        if math.isfinite(number) and kind is int and number != int(number):
            raise OptionError(f"{self.name} is {show_value(value)}, but must be a whole number")
        if not (low <= number <= high and math.isfinite(number)):
            given = value if isinstance(value, str) else show_value(value)
            raise out_of_range(self.name, given, low, high, self.unit)
        return kind(number)


def _is_text(value: str) -> bool:
    """Return whether a text can be written to a file: JSON also allows surrogates and zero bytes."""
    return "\0" not in value and not any("\ud800" <= letter <= "\udfff" for letter in value)


def show_value(value: Any) -> str:
    """Return a value formatted for messages; Python refuses to print integers with thousands of digits.

    Example:
        >>> from action_loom.core import options
        >>> options.show_value("walk"), options.show_value(10**5000)
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
    bounds: tuple[float | None, float | None] = (None, None),
    choices: Sequence[str | Choice] = (),
    **about: Any,
) -> Any:
    """Declare an option as a dataclass field; its type is the type of the default.

    bounds : `minimum` and `maximum`; about : other fields of `Option`
    A table is rows of numbers; as text, numbers are separated by spaces and rows by semicolons.

    Example:
        >>> from action_loom.core.options import Declared, declaration, option
        >>> @declaration
        ... class Route(Declared):
        ...     speed: float = option(1.0, "How fast it goes", bounds=(0.0, 15.0), unit=" m/s")
        ...     path: tuple[tuple[float, ...], ...] = option((), "Rows of x and y", table=True)
        >>> Route(speed="2", path="0 0; 0 4")
        Route(speed=2.0, path=((0.0, 0.0), (0.0, 4.0)))
    """
    is_open = isinstance(choices, list)
    choosable: Any = choices if is_open else tuple(Choice(one) if isinstance(one, str) else one for one in choices)
    limits = dict(zip(("minimum", "maximum"), bounds, strict=True))
    found = Option("", default, description, choices=choosable, **(limits | about))
    return dataclasses.field(default=default, metadata={_KEY: found})


def constant(value: Any) -> Any:
    """Declare an option of earlier versions that has only this value now; its key is still read.

    Example:
        >>> from action_loom.core.options import Declared, constant, declaration, declared_options
        >>> @declaration
        ... class Pace(Declared):
        ...     steps: int = constant(2)
        >>> Pace(steps=2).steps, list(declared_options(Pace))
        (2, [])
    """
    return option(value, "", shown=RETIRED)


@dataclass_transform(frozen_default=True, kw_only_default=True)
def declaration(made: type[T]) -> type[T]:
    """Make a subclass of `Declared` a dataclass of options: frozen and keyword-only.

    It uses the methods of `Declared`, because `dataclass` would compile separate methods for each class, which took
    half of the time for enabling the extension.

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
    """Base of classes with declared options; values are checked on construction, and instances are immutable."""

    # Name, default and option of each field; option is None for other fields.
    _members: ClassVar[tuple[tuple[str, Any, Option | None], ...]]

    def __init__(self, **values: Any) -> None:
        for name, default, about in self._members:
            value = values.pop(name, default)
            object.__setattr__(self, name, value if about is None else about.checked(value))
            if about is not None and about.shown == RETIRED and getattr(self, name) != default:
                raise OptionError(f"{name} is {show_value(value)}, but is always {show_value(default)} in this version")
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
        """Return an instance from options by name, including earlier names; raises OptionError for unknown ones."""
        current = rename_values(declared_options(cls), values)
        unknown = sorted(set(current) - set(readable(cls)))
        if unknown:
            raise OptionError(f"{what} has no option {', '.join(unknown)}")
        return cls(**current)


def by_name(*options: Option) -> dict[str, Option]:
    """Return options that are not declared in a recipe by name, in the format of `declared_options`.

    Example:
        >>> from action_loom.core.options import Option, by_name
        >>> by_name(Option("force", False, "Overwrite files that exist"))["force"].title
        'Force'
    """
    return {about.name: about for about in options}


def declared_options(recipe: type) -> dict[str, Option]:
    """Return the options of a recipe class by name, in the order of declaration.

    Example:
        >>> from action_loom.core import options, verbs
        >>> options.declared_options(verbs.Walk)["seconds"].default
        30.0
    """
    return {name: about for name, about in _read_declarations(recipe).items() if about.shown != RETIRED}


def readable(recipe: type) -> dict[str, Option]:
    """Return the options of a recipe class by name, including earlier options that have only one value now.

    Example:
        >>> from action_loom.core import options, verbs
        >>> options.readable(verbs.Blend)["power"].default
        2
    """
    return dict(_read_declarations(recipe))


@cache  # panels call this whenever they are drawn
def _read_declarations(recipe: type) -> dict[str, Option]:
    named = ((field.name, field.metadata[_KEY]) for field in dataclasses.fields(recipe) if _KEY in field.metadata)
    return {name: about if about.name == name else dataclasses.replace(about, name=name) for name, about in named}


def rename_values(options: Mapping[str, Option], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values by the current names of options; the input may use names of an earlier version.

    Example:
        >>> from action_loom.core import options, verbs
        >>> options.rename_values(options.declared_options(verbs.Walk), {"among": "go", "seed": 2})
        {'label_filter': 'go', 'seed': 2}
    """
    today = {alias: about.name for about in options.values() for alias in about.aliases if alias not in options}
    return {today.get(name, name): value for name, value in values.items()}
