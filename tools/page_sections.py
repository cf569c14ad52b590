"""Write the sections of docs/measured.md, the one page of results; each section belongs to one command."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent / "docs" / "measured.md"


def put(title: str, lines: Sequence[str]) -> None:
    """Replace the section of a title, or append it; lines are those below its heading."""
    begin, *sections = re.split(r"(?m)^(?=## )", PAGE.read_text(encoding="utf-8"))
    new = "\n".join([f"## {title}", "", *lines]).rstrip() + "\n"
    titles = [section.partition("\n")[0] for section in sections]
    if f"## {title}" in titles:
        sections[titles.index(f"## {title}")] = new
    else:
        sections.append(new)
    PAGE.write_text("\n".join(part.rstrip() + "\n" for part in (begin, *sections)), encoding="utf-8")


def put_rows(title: str, rows: Sequence[str]) -> None:
    """Replace the rows of a section's first table that begin with the same cell, and append new ones.

    rows : a table's lines, with its head
    """
    begin, heading, section = PAGE.read_text(encoding="utf-8").partition(f"## {title}\n")
    lines = section.split("\n")
    first = lines.index(next(line for line in lines if line.startswith("|---")))
    end = next(k for k in range(first, len(lines)) if not lines[k].startswith("|"))
    new = {row.split(" | ")[0]: row for row in rows[2:]}
    kept = [new.pop(row.split(" | ")[0], row) for row in lines[first + 1 : end]]
    lines[first + 1 : end] = [*kept, *new.values()]
    PAGE.write_text(begin + heading + "\n".join(lines), encoding="utf-8")


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of a table whose cells are text."""
    return [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads), *(f"| {' | '.join(row)} |" for row in rows)]
