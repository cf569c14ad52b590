"""Mark the actions of a set as assets of one catalog."""

import bpy

from ....core.errors import LoomError
from ....core.recipes.reading import Source
from ..assets import asset_marks


def mark(
    context: bpy.types.Context, armature: bpy.types.Object, actions: list[bpy.types.Action], catalog: str
) -> list[str]:
    """Mark actions as assets with pictures, and put them into a catalog; return messages."""
    notes = []
    for action in actions:
        _, note = asset_marks.mark(context, armature, Source(name=action.name_full))
        notes += [note] if note else []
    try:
        notes.append(asset_marks.put_in_catalog(actions, catalog))
    except LoomError as error:
        notes.append(str(error))
    return [note for note in dict.fromkeys(notes) if note]
