"""Rows of named, coloured spans of time with handles to drag; `interface.pictures.spans` draws them."""

from dataclasses import dataclass
from typing import NamedTuple

Color = tuple[float, float, float]


class Span(NamedTuple):
    """A time span in scene frames; faint : drawn translucent."""

    start: float
    end: float
    name: str
    color: Color
    faint: bool = False


class Area(NamedTuple):
    """A varying share: places (frame, lower edge, upper edge), edges from 0 to 1 of its row."""

    name: str
    color: Color
    places: tuple[tuple[float, float, float], ...]


class Handle(NamedTuple):
    """A draggable handle at a frame, at a height from 0 to 1 of its row.

    kind : the property changed by a drag; which : indices that identify it; tall : whether it has the row's whole
        height
    """

    kind: str
    which: tuple[int, ...]
    row: int
    frame: float
    level: float = 0.5
    tall: bool = True


class Row(NamedTuple):
    """Spans and areas in one line.

    label : at its left end; marks : frames with a vertical line; high : in lines of text
    """

    spans: tuple[Span, ...] = ()
    areas: tuple[Area, ...] = ()
    marks: tuple[float, ...] = ()
    label: str = ""
    high: float = 1.4


@dataclass(frozen=True, eq=False)
class Strip:
    """Rows from the top, and their draggable handles."""

    rows: tuple[Row, ...]
    handles: tuple[Handle, ...] = ()
