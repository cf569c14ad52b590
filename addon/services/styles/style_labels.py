"""What is known of a style's examples: a text of the file, or the words of the lines, as a recipe's table, and back."""

import csv
import io
from collections.abc import Sequence
from typing import Any

import bpy

from ....core.recipes.style import table_of

TEXT = "Style Labels"  # the name of a text that an edited recipe comes with


def of_panel(settings: Any, ticked: Sequence[Any]) -> str:
    """Return the table of labels that the panel says: its text, else the words of the lines as people, else none."""
    if settings.labels is not None:
        return str(settings.labels.as_string())
    if not any(line.label for line in ticked):
        return ""
    # Who has no word is somebody by himself.
    return table_of(("clip", "person"), [(line.action.name, line.label or line.action.name) for line in ticked])


def to_panel(settings: Any, labels: str) -> dict[str, str]:
    """Put a recipe's table into the panel, as a text where it has more than people; return these by their clips."""
    header, *rows = list(csv.reader(io.StringIO(labels.strip()))) or [[]]
    settings.labels = None
    if set(header) <= {"clip", "person"}:
        known = [dict(zip(header, row, strict=False)) for row in rows]
        return {row["clip"]: row["person"] for row in known if row.get("person") not in (None, row.get("clip"))}
    text = bpy.data.texts.get(TEXT) or bpy.data.texts.new(TEXT)
    text.from_string(labels)
    settings.labels = text
    return {}
