"""Write the panel's settings into the result from which Edit has loaded them."""

import dataclasses
import re
from typing import Any

import bpy

from ....core.errors import LoomError
from ....core.recipes.base import graph_name
from ....core.verbs import Walk
from ...ground.blender_types import by_full_name
from ...model import storage
from ..weaving import writing
from ..weaving.reading import Inputs
from . import rebuilding

_NUMBER = re.compile(r"\.\d{3,}$")  # that Blender adds to a name already in use


def find_result(name: str, *, overwrite_edits: bool) -> bpy.types.Action:
    """Return the result of a name; raises LoomError if it can't be written, or was edited by hand."""
    action = by_full_name(bpy.data.actions, name)
    if action is None:
        raise LoomError(f"There is no action named {name!r}")
    action = storage.leader_of(action)
    rebuilding.check_overwritable(action, overwrite_edits=overwrite_edits)
    return action


def inputs_for(action: bpy.types.Action, made: tuple[Inputs, ...]) -> tuple[Inputs, ...]:
    """Return the inputs of a result, which stays where it began; raises LoomError if they are not for this one."""
    if len(made) != 1:
        raise LoomError(f"Update makes {action.name} alone: tick one action, or weave others")
    request, read = made[0].request, made[0].read
    if any(uid == action.session_uid for uid, _ in read.made_of):
        raise LoomError(f"{action.name} can't be made of itself: untick it")
    options, before = request.result, storage.of_result(action).request.result
    if options.place == before.place and before.stand:
        options = dataclasses.replace(options, stand=before.stand)
    return (dataclasses.replace(made[0], request=dataclasses.replace(request, result=options)),)


def write(context: bpy.types.Context, inputs: Inputs, made: Any, uid: int) -> writing.Written:
    """Write a result over that of a session id, with a new name unless its name was given by hand; raises LoomError."""
    into = rebuilding.place_of(uid)
    beside = storage.action_beside(into[0])
    named = {action: _has_given_name(action) for action in (into[0], beside) if action is not None}
    written = rebuilding.write(context, inputs, made, into)
    wanted = inputs.request.result.result_name
    if written.partner is not None and named.get(written.partner.action):
        written = dataclasses.replace(written, partner=_rename(written.partner, wanted or made.partner.clip.name))
    return _rename(written, wanted or made.clip.name) if named[into[0]] else written


def _has_given_name(action: bpy.types.Action) -> bool:
    """Return whether a result still has the name that it got when it was made."""
    kept = storage.of_result(action)
    names = [source.name for source in kept.sources]
    names = [graph_name(names)] if isinstance(kept.recipe, Walk) else names
    try:
        name = kept.request.result.result_name or kept.recipe.result_name(names)
    except LoomError:
        return False
    return name in (action.name, _NUMBER.sub("", action.name))


def _rename(written: writing.Written, name: str) -> writing.Written:
    """Rename a written action, and name it so in its messages."""
    action, before = written.action, written.action.name
    if name != _NUMBER.sub("", before):
        action.name = name
    return dataclasses.replace(written, notes=tuple(one.replace(before, action.name) for one in written.notes))
