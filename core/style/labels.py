"""Labels of clips: the person, and other columns of a table (methods: Style)."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import OptionError, given_twice, some, wrong_count

CLIP, PERSON = "clip", "person"


@dataclass(frozen=True)
class Labels:
    """The person of each clip, and its value in every other column ("" if unknown)."""

    people: tuple[str, ...]
    columns: dict[str, tuple[str, ...]]


def of_clips(text: str, names: Sequence[str]) -> Labels:
    """Return the labels of clips with these names from a table in CSV; without one each clip has its own person.

    Clip names in the table may have file suffixes. Raises OptionError for a table without the column `clip`, for
    missing or duplicate clips, and for columns with one value for all clips or the same groups as another.

    Example:
        >>> from action_loom.core.style import labels
        >>> labels.of_clips("", ["walk", "sneak"]).people
        ('walk', 'sneak')
    """
    if not text.strip():
        return Labels(tuple(names), {})
    try:
        rows = list(csv.reader(io.StringIO(text.strip(), newline="")))
    except csv.Error as error:
        raise OptionError(f"labels: the table can't be read ({error})") from None
    header = [cell.strip() for cell in rows[0]]
    if CLIP not in header or len(set(header)) < len(header):
        raise OptionError(
            f"labels: the first row of the table names its columns, one of them {CLIP!r}, none twice; it is"
            f" {', '.join(header)}"
        )
    known = _by_clip(rows[1:], header)
    keys = [_key(name, known) for name in names]
    lacking = [name for name, key in zip(names, keys, strict=True) if key is None]
    if lacking:
        raise OptionError(f"labels: the table has no row for {some(lacking)}")
    own = [known[key] for key in keys if key is not None]
    columns = {column: tuple(row[column] for row in own) for column in header if column != CLIP}
    people = columns.pop(PERSON, tuple(names))
    if not all(people):
        raise OptionError(f"labels: {names[people.index('')]} has no person: name one, or leave the column out")
    _refuse_useless(columns)
    return Labels(people, columns)


def _by_clip(rows: Sequence[Sequence[str]], header: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return the rows of a table, by column, for each clip."""
    known: dict[str, dict[str, str]] = {}
    for number, row in enumerate(rows, 2):
        if not any(cell.strip() for cell in row):
            continue
        if len(row) != len(header):
            raise wrong_count(f"labels, row {number}", len(row), len(header))
        values = dict(zip(header, (cell.strip() for cell in row), strict=True))
        if values[CLIP] in known:
            raise given_twice("labels", values[CLIP])
        known[values[CLIP]] = values
    return known


def _key(name: str, known: dict[str, dict[str, str]]) -> str | None:
    """Return the name of a clip in the table, None if it is missing."""
    return next((key for key in known if key in (name, f"{name}.bvh") or key.rpartition(".")[0] == name), None)


def _refuse_useless(columns: dict[str, tuple[str, ...]]) -> None:
    """Raise OptionError for columns with one value, or with the same groups as another column."""
    seen: dict[tuple[tuple[int, ...], ...], str] = {}
    for column, values in columns.items():
        groups = [tuple(k for k, own in enumerate(values) if own == value) for value in dict.fromkeys(values) if value]
        if len(groups) < 2:
            raise OptionError(f"labels: {column} tells no clips apart: leave it out")
        same = seen.setdefault(tuple(sorted(groups)), column)
        if same != column:
            raise OptionError(f"labels: {same} and {column} say the same: leave one out")
