"""Read tables of points, as FreeMoCap writes them (methods: Points).

Wide ones have columns name_x, name_y, name_z; long ones a row for each point in each frame: frame, keypoint, x, y, z.
"""

import csv
import os
import re
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ...errors import MotionFileError
from ...formats import plain_text
from .. import orders
from ..recording import Recording, check_size, frames_of, make

_COLUMN = re.compile(r"(.+?)[ _.:]?([xyz]|v|c|visibility|confidence|score|error|reprojection_error)", re.IGNORECASE)
_AXES = ("x", "y", "z")
_LONG = ("frame", "keypoint", *_AXES)
_TIMES = ("time", "timestamp", "timestamps", "time_s", "seconds")


def read(path: str | os.PathLike[str], order: Sequence[str]) -> list[Recording]:
    """Return the person of a table, whose columns are named or in an order; raises MotionFileError."""
    lines = plain_text.decode_text(plain_text.with_line_feeds(plain_text.content(path, "CSV"))).split("\n")
    mark = max(",;\t", key=lines[0].count)
    head = _cells(lines[0], mark)
    if {*_LONG} <= {*map(str.lower, head)}:
        return [_read_long(path, [word.lower() for word in head], lines[1:], mark, order)]
    columns = _find_columns(head)
    if not columns:
        raise MotionFileError(path, 1, "its columns are to be called name_x, name_y, name_z")
    rows = _rows(path, lines[1:], mark, len(head))
    values = np.array([[_number(path, line, k, cell) for k, cell in enumerate(cells, 1)] for line, cells in rows])
    places = np.stack([values[:, [axes[axis] for axis in _AXES]] for axes in columns.values()], axis=1)
    sure = [values[:, axes["v"]] if "v" in axes else np.ones(len(values)) for axes in columns.values()]
    orders.check_count(path, order, len(columns))
    return [make(path, tuple(order) or tuple(columns), places, np.stack(sure, axis=1), rate=_rate(head, values))]


def _read_long(
    path: str | os.PathLike[str], head: Sequence[str], lines: Sequence[str], mark: str, order: Sequence[str]
) -> Recording:
    """Return the person of a long table: the points of the body as they were measured, if the table has others, too."""
    column = {name: k for k, name in enumerate(head)}
    rows = list(_rows(path, lines, mark, len(head)))
    for name, kind in (("model", r".*[._]body"), ("trajectory", "3d_xyz")):
        if name in column:
            rows = [row for row in rows if re.fullmatch(kind, row[1][column[name]])] or rows
    used = [column[name] for name in _LONG if name != "keypoint"]
    values = np.array([[_number(path, number, k + 1, cells[k], named=False) for k in used] for number, cells in rows])
    names = [cells[column["keypoint"]] for _, cells in rows]
    labels = {name: k for k, name in enumerate(dict.fromkeys(names))}
    numbers, which = np.unique(values[:, 0], return_inverse=True)
    frames = frames_of(path, numbers.tolist(), len(labels) * 3)[which]
    places = np.full((frames.max() + 1, len(labels), 3), np.nan)
    places[frames, [labels[name] for name in names]] = values[:, 1:]
    orders.check_count(path, order, len(labels))
    return make(path, tuple(order) or tuple(labels), places)


def _find_columns(head: Sequence[str]) -> dict[str, dict[str, int]]:
    """Return for each point the columns of its x, y, z and, if there is one, its confidence ("v")."""
    found: dict[str, dict[str, int]] = {}
    for column, word in enumerate(head):
        part = _COLUMN.fullmatch(word)
        if part is not None and "error" not in part[2].lower():
            axis = part[2].lower()
            found.setdefault(part[1], {})[axis if axis in _AXES else "v"] = column
    return {name: axes for name, axes in found.items() if set(_AXES) <= set(axes)}


def _cells(line: str, mark: str) -> list[str]:
    """Return the cells of a line; a mark within quotes is part of a cell."""
    cells = next(csv.reader([line], delimiter=mark), [""]) if '"' in line else line.split(mark)
    return [cell.strip() for cell in cells]


def _rows(path: object, lines: Sequence[str], mark: str, width: int) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the cells of each line that has any; raises MotionFileError with the line."""
    check_size(path, len(lines) * width)
    if not any(line.strip() for line in lines):
        raise MotionFileError(path, None, "the file is empty")
    for number, line in enumerate(lines, 2):
        if line.strip():
            cells = _cells(line, mark)
            if len(cells) != width:
                raise MotionFileError(path, number, plain_text.values_needed(len(cells), width))
            yield number, cells


def _number(path: object, line: int, column: int, cell: str, *, named: bool = True) -> float:
    """Return a cell's number; named : whether the first columns may have a frame's name or a date."""
    if not cell or cell.lower() in ("nan", "none", "null", "na"):
        return np.nan
    if not plain_text.is_number(cell):
        if named and column < 3:
            return np.nan
        raise MotionFileError(path, line, plain_text.not_a_number(column, cell))
    return float(cell)


def _rate(head: Sequence[str], values: NDArray[np.float64]) -> float:
    """Return the rate shown by a column of times in seconds, 0 if there is none."""
    for column, word in enumerate(head):
        if word.lower() in _TIMES:
            steps = np.diff(values[:, column])
            steps = steps[np.isfinite(steps)]
            step = float(np.median(steps)) if len(steps) else 0.0
            return 1.0 / step if 1e-3 < step < 1.0 else 0.0
    return 0.0
