"""Figures on captured clips as tables, those tuned on and those kept aside apart."""

import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from oracles.kept_aside import KEPT_ASIDE

# Of a label: whether a clip of it is kept aside, and its figures.
Found = dict[str, list[tuple[bool, tuple[float, ...]]]]


@dataclass(frozen=True)
class Column:
    head: str
    of: Callable[[np.ndarray], float]
    digits: int


def is_aside(*names: str) -> bool:
    return any(name in KEPT_ASIDE for name in names)


def table(first: str, columns: Sequence[Column], rows: Iterable[tuple[str, np.ndarray]]) -> list[str]:
    """Lines of a table: a row for each (label, values (K, ...)), with what each column says of the values."""
    lines = [f"| {first} | of | {' | '.join(column.head for column in columns)} |", "|---" * (len(columns) + 2) + "|"]
    for label, values in rows:
        cells = [f"{column.of(values):.{column.digits}f}" if len(values) else "–" for column in columns]
        lines.append(f"| {label} | {len(values)} | {' | '.join(cells)} |")
    return lines


def grid(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Lines of a table whose cells are words."""
    return [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads), *(f"| {' | '.join(row)} |" for row in rows)]


def apart(found: Found) -> list[tuple[str, np.ndarray]]:
    """What was found (label: whether kept aside, values) as rows: tuned, and kept aside."""
    return [
        (f"{label}, {'kept aside' if aside else 'tuned on'}", np.array([v for is_it, v in values if is_it == aside]))
        for label, values in found.items()
        for aside in (False, True)
    ]


def share(good: Callable[[np.ndarray], np.ndarray]) -> Callable[[np.ndarray], float]:
    return lambda values: 100.0 * float(good(values).mean())


def section(
    title: str, words: str, first: str, columns: Sequence[Column], rows: Iterable[tuple[str, np.ndarray]]
) -> list[str]:
    """Lines of a section: what was measured, and its table."""
    return [f"## {title}", "", *textwrap.wrap(words, 118), "", *table(first, columns, rows)]
