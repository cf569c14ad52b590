"""What is known of clips besides their motion: who does it, and other columns of a table (methods: Style)."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import OptionError, some

CLIP, PERSON = "clip", "person"


@dataclass(frozen=True)
class Labels:
    """Of each clip who does it, and its value in every other column ("" where it is not known)."""

    people: tuple[str, ...]
    columns: dict[str, tuple[str, ...]]


def of_clips(text: str, names: Sequence[str]) -> Labels:
    """Return what a table with commas says of clips of these names; without one every clip is a person's own.

    A clip may stand in it with the ending of its file. Raises OptionError for a table without the column `clip`, for
    clips that it does not name or names twice, and for columns that say the same of all clips, or the same as another.
    """
    if not text.strip():
        return Labels(tuple(names), {})
    rows = list(csv.reader(io.StringIO(text.strip())))
    header = [cell.strip() for cell in rows[0]]
    if CLIP not in header or len(set(header)) < len(header):
        raise OptionError(
            f"labels: the first row of the table names its columns, one of them {CLIP!r}, none twice; it is"
            f" {', '.join(header)}"
        )
    known = _by_clip(rows[1:], header)
    lacking = [name for name in names if _found(name, known) is None]
    if lacking:
        raise OptionError(f"labels: the table has no row for {some(lacking)}")
    found = [known[key] for name in names if (key := _found(name, known)) is not None]
    columns = {column: tuple(row[column] for row in found) for column in header if column != CLIP}
    people = columns.pop(PERSON, tuple(names))
    if not all(people):
        raise OptionError(f"labels: {names[people.index('')]} has no person: name one, or leave the column out")
    _refuse_useless(columns)
    return Labels(people, columns)


def _by_clip(rows: Sequence[Sequence[str]], header: Sequence[str]) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for number, row in enumerate(rows, 2):
        if not any(cell.strip() for cell in row):
            continue
        if len(row) != len(header):
            raise OptionError(f"labels: row {number} has {len(row)} cells, but there are {len(header)} columns")
        values = dict(zip(header, (cell.strip() for cell in row), strict=True))
        if values[CLIP] in found:
            raise OptionError(f"labels: {values[CLIP]} has two rows: keep one")
        found[values[CLIP]] = values
    return found


def _found(name: str, known: dict[str, dict[str, str]]) -> str | None:
    return next((key for key in known if key in (name, f"{name}.bvh") or key.rpartition(".")[0] == name), None)


def _refuse_useless(columns: dict[str, tuple[str, ...]]) -> None:
    seen: dict[tuple[tuple[int, ...], ...], str] = {}
    for column, values in columns.items():
        groups = [tuple(k for k, one in enumerate(values) if one == value) for value in dict.fromkeys(values) if value]
        if len(groups) < 2:
            raise OptionError(f"labels: {column} says the same of every clip, so nothing can be learnt from it")
        same = seen.setdefault(tuple(sorted(groups)), column)
        if same != column:
            raise OptionError(f"labels: {same} and {column} say the same of every clip: leave one out")
