"""Pages of docs/measured/ that several scripts write, a section each: what was measured, beside what it says."""

import re
from collections.abc import Sequence
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent.parent / "docs" / "measured"


def put(page: str, title: str, lines: Sequence[str]) -> None:
    """Write a section of a page (its lines without the heading) in place of the one of this title, or at the end."""
    path = DOCS / page
    begin, *sections = re.split(r"(?m)^(?=## )", path.read_text(encoding="utf-8"))
    new = "\n".join([f"## {title}", "", *lines]).rstrip() + "\n"
    titles = [section.partition("\n")[0] for section in sections]
    if f"## {title}" in titles:
        sections[titles.index(f"## {title}")] = new
    else:
        sections.append(new)
    text = "\n".join(part.rstrip() + "\n" for part in (begin, *sections))
    path.write_text(text, encoding="utf-8")


def kept(page: str, titles: Sequence[str]) -> str:
    """Return the sections of a page that other scripts write, so that one which writes the rest can put them back."""
    sections = re.split(r"(?m)^(?=## )", (DOCS / page).read_text(encoding="utf-8"))[1:]
    return "\n".join(one.rstrip() + "\n" for one in sections if one.partition("\n")[0].removeprefix("## ") in titles)
