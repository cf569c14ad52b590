"""Options for reading sources, individually and together, and for the result in addition to its recipe."""

import dataclasses
import json
from dataclasses import dataclass, field
from typing import Any

from ..errors import OptionError
from ..options import HIDDEN, RARE, Declared, declaration, declared_options, option, rename_values
from .result import ResultOptions


@declaration
class ReadingOptions(Declared):
    """How all sources of a result are read."""

    visual: bool = option(
        False,
        "Read poses as seen, with constraints and drivers",
        shown=RARE,
        aliases=("as_seen",),
    )


@declaration
class SourceOptions(Declared):
    """How one source is read."""

    rate: float = option(
        0.0,
        "Frames per second the action was made at; 0 is as imported, or the scene's",
        bounds=(0.0, 1000.0),
        usual=(0.0, 240.0),
        shown=RARE,
    )
    slot: str = option("", "The action's slot; the fitting one if empty", shown=RARE)
    first: int = option(0, "First frame that is read; all of them if it is the last one too", shown=HIDDEN)
    last: int = option(0, "Last frame that is read", shown=HIDDEN)
    partner: str = option("", "The partner's action; the one of the same name if empty", shown=RARE)


@declaration
class Source(SourceOptions):
    """The action to read, and how.

    name : with its library for linked ones, such as "Walk [library.blend]", as Blender shows them
    armature : of the action, named in the same way, if it is another's: the clip is then retargeted
    """

    name: str = ""
    armature: str = ""

    @property
    def span(self) -> tuple[int, int] | None:
        """The scene frames to read, None for all of them."""
        return None if self.first == self.last else (self.first, self.last)


@dataclass(frozen=True, kw_only=True)
class Request:
    """A request in addition to the recipe: the sources, how they are read, and how the result becomes an action.

    curve : name of the curve object from which the recipe's path was read
    """

    sources: tuple[Source, ...]
    reading: ReadingOptions = field(default_factory=ReadingOptions)
    result: ResultOptions = field(default_factory=ResultOptions)
    curve: str = ""

    def to_json(self) -> str:
        values = dataclasses.asdict(self.result) | dataclasses.asdict(self.reading)
        sources = [dataclasses.asdict(source) for source in self.sources]
        return json.dumps({"sources": sources, "curve": self.curve, **values}, sort_keys=True)


def request_from_json(text: str) -> Request:
    """Return the request stored in a text of `Request.to_json`, of this version or an earlier one.

    Raises OptionError for invalid option values, and for texts that are not requests.

    Example:
        >>> from action_loom.core.recipes import reading
        >>> text = '{"sources": [{"name": "Walk"}], "as_seen": true, "interpolation": "BEZIER"}'  # of version 0.1
        >>> request = reading.request_from_json(text)
        >>> request.sources[0].name, request.reading.visual, request.result.interpolation
        ('Walk', True, 'bezier')
    """
    try:
        values = rename_values(declared_options(ReadingOptions), json.loads(text))
        sources = tuple(Source(**one) for one in values.pop("sources"))
        curve = values.pop("curve", "")
        if not all(
            isinstance(name, str)
            for name in (curve, *(text for s in sources for text in (s.name, s.armature, s.partner)))
        ):
            raise TypeError
        read = {name: values.pop(name) for name in declared_options(ReadingOptions) if name in values}
        result = {name: _lower(name, value) for name, value in values.items()}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise OptionError(f"This is not what is asked of a result: {text[:80]}") from None
    return Request(sources=sources, reading=ReadingOptions(**read), result=ResultOptions(**result), curve=curve)


def _lower(name: str, value: Any) -> Any:
    """Return a choice in current spelling; version 0.1 wrote choices in capitals."""
    return value.lower() if declared_options(ResultOptions)[name].choices and isinstance(value, str) else value
