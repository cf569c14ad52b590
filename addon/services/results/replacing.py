"""Write results over the action that they were made of, and keep a copy of the original."""

import dataclasses
from typing import Any

import bpy

from ....core.errors import some
from ...bridge import result_mark, source_context
from ...ground.blender_types import present
from ..contacts import pose_markers
from ..weaving import writing
from ..weaving.reading import Inputs


def write(context: bpy.types.Context, inputs: Inputs, made: Any) -> writing.Written:
    """Write a result over its first source; a copy of the original is kept and counts as the source.

    Other objects that play the action are named.
    Raises LoomError, with everything unchanged, for an action that can't be written.
    """
    request, read = inputs.request, inputs.read
    action, slot = writing.sources_of(read)[0]
    result_mark.check_writable(action)
    before = _keep_copy(action, inputs.recipe.label)
    uid, handle = before.session_uid, slot.handle if slot else 0
    source = dataclasses.replace(request.sources[0], name=before.name_full)
    replaced = dataclasses.replace(
        inputs,
        request=dataclasses.replace(request, sources=(source, *request.sources[1:])),
        read=dataclasses.replace(read, made_of=((uid, handle), *read.made_of[1:])),
    )
    try:
        written = writing.write(context, replaced, made, into=(action, slot))
    except BaseException:
        bpy.data.actions.remove(before)
        raise
    pose_markers.carry_over(before, action, made)
    others = source_context.find_users((action, slot), read.armature)
    if not others:
        return written
    note = (
        f"{action.name} plays on {some(others)}, too, and has changed there: undo, and switch Replace off for a new"
        " action"
    )
    return dataclasses.replace(written, notes=(*written.notes, note))


def _keep_copy(action: bpy.types.Action, label: str) -> bpy.types.Action:
    """Return a copy of an action with a fake user, so that the file keeps it."""
    before = present(action.copy())
    before.name, before.use_fake_user = f"{action.name} before {label}", True
    return before
