"""Rows of named, coloured spans of time with handles to drag; `interface.pictures.spans` draws them."""

from dataclasses import dataclass
from typing import NamedTuple

Color = tuple[float, float, float]


class Span(NamedTuple):
    """A stretch of time, from frame to frame of the scene; faint : drawn through."""

    start: float
    end: float
    name: str
    color: Color
    faint: bool = False


class Area(NamedTuple):
    """Something whose share changes: places (frame, lower edge, upper edge), edges from 0 to 1 of its row."""

    name: str
    color: Color
    places: tuple[tuple[float, float, float], ...]


class Handle(NamedTuple):
    """What can be dragged: at a frame, at a height from 0 to 1 of its row.

    kind : what a drag changes; which : numbers that say of what; tall : whether it takes the whole height of the row
    """

    kind: str
    which: tuple[int, ...]
    row: int
    frame: float
    level: float = 0.5
    tall: bool = True


class Row(NamedTuple):
    """Spans and areas in one line.

    label : at its left end; marks : frames where a line stands; high : in lines of text
    """

    spans: tuple[Span, ...] = ()
    areas: tuple[Area, ...] = ()
    marks: tuple[float, ...] = ()
    label: str = ""
    high: float = 1.4


@dataclass(frozen=True, eq=False)
class Strip:
    """Rows from the top, and what can be dragged in them."""

    rows: tuple[Row, ...]
    handles: tuple[Handle, ...] = ()
