"""Read wide tables of points with columns name_x, name_y, name_z, as FreeMoCap writes them (methods: Points)."""

import os
import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...errors import MotionFileError
from ...formats import plain_text
from .. import orders
from ..recording import Recording, check_size, make

_COLUMN = re.compile(r"(.+?)[ _.:]?([xyz]|v|c|visibility|confidence|score|error|reprojection_error)", re.IGNORECASE)
_AXES = ("x", "y", "z")
_TIMES = ("time", "timestamp", "timestamps", "time_s", "seconds")


def read(path: str | os.PathLike[str], order: Sequence[str]) -> list[Recording]:
    """Return the person of a table, whose columns are named or in an order; raises MotionFileError."""
    lines = plain_text.decode_text(plain_text.with_line_feeds(plain_text.content(path, "CSV"))).split("\n")
    mark = max(",;\t", key=lines[0].count)
    head = [word.strip().strip('"') for word in lines[0].split(mark)]
    columns = _find_columns(head)
    if not columns:
        raise MotionFileError(path, 1, "its columns are to be called name_x, name_y, name_z")
    values = _numbers(path, lines[1:], mark, len(head))
    trust = {name: axes["v"] for name, axes in columns.items() if "v" in axes}
    rows = np.stack([values[:, [axes[axis] for axis in _AXES]] for axes in columns.values()], axis=1)
    sure = np.ones((*rows.shape[:2], 1))
    for k, name in enumerate(columns):
        if name in trust:
            sure[:, k, 0] = values[:, trust[name]]
    orders.check_count(path, order, len(columns))
    return [make(path, tuple(order) or tuple(columns), np.concatenate([rows, sure], axis=2), rate=_rate(head, values))]


def _find_columns(head: Sequence[str]) -> dict[str, dict[str, int]]:
    """Return for each point the columns of its x, y, z and, if there is one, its confidence ("v")."""
    found: dict[str, dict[str, int]] = {}
    for column, word in enumerate(head):
        part = _COLUMN.fullmatch(word)
        if part is not None and "error" not in part[2].lower():
            axis = part[2].lower()
            found.setdefault(part[1], {})[axis if axis in _AXES else "v"] = column
    return {name: axes for name, axes in found.items() if set(_AXES) <= set(axes)}


def _numbers(path: object, lines: Sequence[str], mark: str, width: int) -> NDArray[np.float64]:
    """Return the numbers of a table, NaN in empty cells; raises MotionFileError with the line."""
    check_size(path, len(lines) * width)
    rows = []
    for number, line in enumerate(lines, 2):
        if not line.strip():
            continue
        cells = line.split(mark)
        if len(cells) != width:
            raise MotionFileError(path, number, plain_text.values_needed(len(cells), width))
        rows.append([_number(path, number, k, cell.strip().strip('"')) for k, cell in enumerate(cells, 1)])
    if not rows:
        raise MotionFileError(path, None, "the file is empty")
    return np.array(rows)


def _number(path: object, line: int, column: int, cell: str) -> float:
    if not cell or cell.lower() in ("nan", "none", "null", "na"):
        return np.nan
    if not plain_text.is_number(cell):
        if column < 3:  # a frame's name or a date
            return np.nan
        raise MotionFileError(path, line, plain_text.not_a_number(column, cell))
    return float(cell)


def _rate(head: Sequence[str], values: NDArray[np.float64]) -> float:
    """Return the rate shown by a column of times in seconds, 0 if there is none."""
    for column, word in enumerate(head):
        if word.lower() in _TIMES and len(values) > 2:
            step = float(np.median(np.diff(values[:, column])))
            return 1.0 / step if np.isfinite(step) and 1e-3 < step < 1.0 else 0.0
    return 0.0
