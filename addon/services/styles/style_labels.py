"""Convert between a recipe's table of labels and the panel: a text of the file, or the words of the lines."""

import io
from collections.abc import Sequence
from typing import Any

import bpy

from ....core.recipes.style import table_of
from ...ground.blender_types import scene_of
from ...model import lists, properties

TEXT = "Style Labels"  # name of the text that gets an edited recipe's table


def fill(op: Any, context: bpy.types.Context, given: frozenset[str]) -> None:
    """Give a style operator the panel's labels and the style kept in the file, unless set.

    given : names of the properties that the operator was called with
    """
    settings = properties.settings_of(scene_of(context))
    if "labels" not in given:
        op.labels = of_panel(settings, lists.ticked_lines(properties.rig_of(scene_of(context), op.about(context))))
    if "kept" not in given:
        op.kept = "" if settings.kept_style is None else settings.kept_style.name


def of_panel(settings: Any, ticked: Sequence[Any]) -> str:
    """Return the panel's table of labels: its text, or the lines' words as people, or ""."""
    if settings.labels is not None:
        return str(settings.labels.as_string())
    if not any(line.label for line in ticked):
        return ""
    # A line without a word counts as a separate person.
    return table_of(("clip", "person"), [(line.action.name, line.label or line.action.name) for line in ticked])


def to_panel(settings: Any, labels: str) -> dict[str, str]:
    """Put a recipe's table into the panel; return the people by clip, or {} if a text holds the table."""
    import csv  # at use, not when Blender starts

    header, *rows = list(csv.reader(io.StringIO(labels.strip()))) or [[]]
    settings.labels = None
    if set(header) <= {"clip", "person"}:
        known = [dict(zip(header, row, strict=False)) for row in rows]
        return {row["clip"]: row["person"] for row in known if row.get("person") not in (None, row.get("clip"))}
    text = bpy.data.texts.get(TEXT) or bpy.data.texts.new(TEXT)
    text.from_string(labels)
    settings.labels = text
    return {}
