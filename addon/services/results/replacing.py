"""Results in the place of the action that they were made of, which is kept as another action."""

import dataclasses
from typing import Any

import bpy

from ....core.recipes.reading import Request
from ...bridge import result_mark
from ...ground.blender_types import present
from ..contacts import pose_markers
from ..weaving import reading, writing


def write(context: bpy.types.Context, request: Request, read: reading.Read, recipe: Any, made: Any) -> writing.Written:
    """Write what was made of the first source in its place; as it was it is kept, and counts as the source.

    Raises LoomError, with everything as it was, for an action that can't be written.
    """
    action, slot = writing.source_of(read, 0)
    result_mark.check_writable(action)
    before = _kept(action, recipe.label)
    uid, handle = before.session_uid, slot.handle if slot else 0
    source = dataclasses.replace(request.sources[0], name=before.name_full)
    try:
        written = writing.write(
            context,
            dataclasses.replace(request, sources=(source, *request.sources[1:])),
            dataclasses.replace(read, made_of=((uid, handle), *read.made_of[1:])),
            recipe,
            made,
            into=(action, slot),
        )
    except BaseException:
        bpy.data.actions.remove(before)
        raise
    pose_markers.carry_over(before, action, made)
    return written


def _kept(action: bpy.types.Action, label: str) -> bpy.types.Action:
    """Return a copy of an action that stays in the file though nothing uses it."""
    before = present(action.copy())
    before.name, before.use_fake_user = f"{action.name} before {label}", True
    return before
