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


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of a table whose cells are text."""
    return [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads), *(f"| {' | '.join(row)} |" for row in rows)]
