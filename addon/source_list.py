"""The list of sources of an armature: lines for actions, and how each is to be read."""

import math
from typing import Any

import bpy

from ..core.errors import LoomError, OptionError
from ..core.options import declared
from ..core.recipes.reading import Request, Source, SourceOptions
from . import properties
from .blender_types import Slot, armature_data

_LAST_FRAME = 1048574  # of Blender's timeline; the first is its negative


def source_of(line: Any) -> Source:
    """Return how the action of a line is to be read."""
    span = {"first": line.first, "last": line.last} if line.use_range else {}
    return Source(name=line.action.name_full, rate=_rate(line), slot=line.slot, **span)


def _rate(line: Any) -> float:
    """Return the rate of a line; what is no rate counts as none, as on actions: panels ask while they are drawn."""
    try:
        return float(declared(SourceOptions)["rate"].checked(properties.rounded(line.rate)))
    except OptionError:
        return 0.0


def add(rig: Any, action: bpy.types.Action, *, use: bool) -> Any:
    """Add a line for an action to a list and return it, in a colour of its own."""
    taken = [tuple(round(c, 2) for c in source.color) for source in rig.sources]
    free = [color for color in properties.COLORS if color not in taken] or list(properties.COLORS)
    source = rig.sources.add()
    source.action, source.use, source.color = action, use, free[0]
    source.first, source.last = (_whole(frame) for frame in action.frame_range[:])
    return source


def _whole(frame: float) -> int:
    """Return the frame nearest to a place that keys can be at; they can be where Blender has no frame, and nowhere."""
    return round(min(max(frame, -_LAST_FRAME), _LAST_FRAME)) if math.isfinite(frame) else 0


def load(line: Any, source: Source, slot: Slot) -> None:
    """Let a line read its action as a source was read, from a slot of it (None without slots)."""
    line.rate = source.rate
    line.slot = slot.identifier if slot is not None and source.slot else ""
    line.use_range = source.span is not None
    if source.span is not None:
        line.first, line.last = source.span


def note_warnings(context: bpy.types.Context, armature: bpy.types.Object, lines: list[Any]) -> None:
    """Read the actions of some lines and put beside them what looks wrong; silent about what can't be read."""
    from . import source_warnings, weaving  # numpy is loaded at first use, not when Blender starts

    for line in lines:
        source = Source(name=line.action.name_full, rate=_rate(line), slot=line.slot)
        request = Request(sources=(source,))
        try:
            read = weaving.read(context, armature, request)
        except LoomError:
            continue  # weaving will say why
        source_warnings.note(context, armature, request, read)


def moves(action: bpy.types.Action, armature: bpy.types.Object) -> bool:
    """Say whether an action has curves for bones of an armature."""
    from .bridge import curves  # numpy is loaded at first use, not when Blender starts

    slots: list[Slot] = [*curves.suitable_slots(action)] if hasattr(action, "slots") else [None]
    bones = armature_data(armature).bones
    return any(target.bone in bones for slot in slots for target in curves.transforms(curves.curves_of(action, slot)))
