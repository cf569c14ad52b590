"""The rows of a take as a strip at the timeline: stretches in a row, transitions below, and borders to drag."""

from typing import Any

import bpy

from ....core.verbs import CutOut
from ...model import contact_rows, lists, properties, take_rows
from ...model.spans import Handle, Row, Span, Strip

BORDER = "border"  # the kind of handle: index of the row, and its first frame (0) or its last (1)
_COLORS = {kind: lists.COLORS[k % len(lists.COLORS)] for k, (kind, *_) in enumerate(take_rows.KINDS)}

Content = tuple[tuple[Any, ...], ...]


def content(scene: bpy.types.Scene, armature: bpy.types.Object) -> Content:
    """Return the rows of the take that an armature plays, if the panel shows them; () otherwise."""
    if properties.settings_of(scene).mode != CutOut.verb:
        return ()
    rig = properties.rig_of(scene, armature)
    if rig is None or not len(rig.take_rows) or rig.take is None or contact_rows.action_of(armature) != rig.take:
        return ()
    return tuple((row.start, row.end, row.name, row.kind, row.use) for row in rig.take_rows)


def of(rows: Content) -> Strip:
    """Return the strip of rows, in the format of `content`."""
    levels: tuple[list[Span], list[Span]] = ([], [])
    handles = []
    for number, (start, end, name, kind, use) in enumerate(rows):
        below = int(kind == take_rows.BETWEEN)
        levels[below].append(Span(float(start), float(end), name, _COLORS[kind], not use))
        handles += [Handle(BORDER, (number, side), below, float(frame)) for side, frame in enumerate((start, end))]
    return Strip(tuple(Row(tuple(sorted(spans))) for spans in levels), tuple(handles))


def move(rig: Any, number: int, side: int, frame: float) -> None:
    """Move a border of a row to a frame of its take, within the row's other border and the take."""
    row, (low, high) = rig.take_rows[number], contact_rows.frames_of(rig.take)
    if side:
        row.end = min(max(round(frame), row.start + take_rows.LEAST), high)
    else:
        row.start = max(min(round(frame), row.end - take_rows.LEAST), low)


def put_back(rig: Any, number: int, before: dict[str, Any]) -> None:
    """Restore the values of a row returned by `kept_values`."""
    with take_rows.filling():
        for name, value in before.items():
            setattr(rig.take_rows[number], name, value)


def kept_values(rig: Any, number: int) -> dict[str, Any]:
    """Return the values of a row that moving a border changes."""
    return {name: getattr(rig.take_rows[number], name) for name in ("start", "end", "score", "why")}
