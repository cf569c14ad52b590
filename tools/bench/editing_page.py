"""docs/editing.md, a section for each topic: what was measured of the tools for one clip."""

import re
from collections.abc import Sequence
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "editing.md"


def put(title: str, lines: Sequence[str]) -> None:
    """Write a section (its lines without the heading) in place of the one of this title, or at the end."""
    begin, *sections = re.split(r"(?m)^(?=## )", PAGE.read_text(encoding="utf-8"))
    new = "\n".join([f"## {title}", "", *lines]).rstrip() + "\n"
    titles = [section.partition("\n")[0] for section in sections]
    if f"## {title}" in titles:
        sections[titles.index(f"## {title}")] = new
    else:
        sections.append(new)
    text = "\n".join(part.rstrip() + "\n" for part in (begin, *sections))
    PAGE.write_text(text, encoding="utf-8")
