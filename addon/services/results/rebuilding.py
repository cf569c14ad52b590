"""Find a result's sources and recipe in their current state, to make the result again."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import bpy

from ....core.errors import LoomError, some
from ....core.recipes.base import Recipe
from ....core.recipes.reading import Request
from ...bridge import result_mark, source_context
from ...bridge.source_context import SourceContext
from ...ground import steps
from ...ground.blender_types import SlottedAction
from ...model import storage
from ..weaving import reading, writing
from ..weaving.reading import Inputs, Read
from . import strip_lengths


@dataclass(frozen=True, eq=False)
class RebuildInputs:
    """A result's sources and recipe in their current state; holds Blender data, so use it at once.

    armature : None if the original armature was removed
    """

    armature: bpy.types.Object | None
    made_of: list[SlottedAction]
    request: Request
    recipe: Recipe
    into: SlottedAction


def inputs_of(action: bpy.types.Action, *, overwrite_edits: bool) -> RebuildInputs:
    """Return everything needed to make a result again.

    Raises LoomError for an action that is not a result or can't be written, for a missing source, and for keys edited
    by hand unless they may be overwritten.
    """
    action = storage.leader_of(action)
    kept = storage.of_result(action)
    check_overwritable(action, overwrite_edits=overwrite_edits)
    made_of = storage.find_sources(action)
    now = zip(kept.request.sources, made_of, storage.players_of(action), strict=True)
    renamed = tuple(
        dataclasses.replace(source, name=found[0].name_full, armature="" if player is None else player.name_full)
        for source, found, player in now
    )
    into = action, storage.find_slot(action, kept.slot)
    request = dataclasses.replace(kept.request, sources=renamed)
    return RebuildInputs(kept.armature, made_of, request, current_recipe(kept, made_of), into)


def check_overwritable(action: bpy.types.Action, *, overwrite_edits: bool) -> None:
    """Raise LoomError for a result that can't be written, and for hand-made edits unless they may be lost."""
    result_mark.check_writable(action)
    if not overwrite_edits and storage.edited_by_hand(action):
        raise LoomError(f"{action.name} was edited by hand: allow overwriting, or rename it and weave again")


def read_again_in_steps(
    scene: bpy.types.Scene, armature: bpy.types.Object, known: RebuildInputs
) -> steps.Steps[Inputs]:
    """Return a result's inputs, read on an armature in its current state; raises LoomError kinds.

    The notes of the reading list changes of the sources' contexts.
    """
    read = yield from reading.read_actions_in_steps(scene, armature, known.made_of, known.request, known.recipe)
    read = dataclasses.replace(read, changed=_find_changes(known, read))
    return Inputs(known.request, read, known.recipe)


def _find_changes(known: RebuildInputs, read: Read) -> str:
    """Return a sentence on the sources' contexts that differ from the stored ones, "" without a difference."""
    changes = ", ".join(_list_changes(known, read.contexts, read.contents))
    action = known.into[0]
    return (
        f"{changes} changed since {action.name} was made: set that back to get the same result again" if changes else ""
    )


def _list_changes(known: RebuildInputs, contexts: Sequence[SourceContext], contents: Sequence[str]) -> list[str]:
    """Return the changes of the sources' contexts, each with the names of the sources."""
    action, found = known.into[0], dict[str, dict[str, None]]()
    every = zip(storage.contexts_of(action), contexts, storage.of_result(action).sources, strict=True)
    for k, (was, now, kept) in enumerate(every):
        same = not now.shown or storage.has_content(known.made_of[k], kept, contents[k] if contents else "")
        for words in source_context.list_changes(was or now, now, same_curves=same):
            found.setdefault(words, {})[known.made_of[k][0].name] = None
    return [f"{words} ({some(list(names))})" for words, names in found.items()]


def glance_at_changes(scene: bpy.types.Scene, action: bpy.types.Action, *, staged: bool) -> list[str]:
    """Return the changes of the contexts of a result's sources, except evaluated poses and other slots.

    staged : whether the motion of parents and constraints is evaluated, in a temporary scene
    Raises LoomError for a result that can't be made again.
    """
    known = inputs_of(action, overwrite_edits=True)
    stored = storage.contexts_of(action)
    if known.armature is None or None in stored:
        return []
    contexts = reading.glance(scene, known.armature, known.made_of, known.request, known.recipe, staged=staged)
    alike = []
    for was, now in zip(stored, contexts, strict=False):
        assert was is not None
        carried = now.carried if staged or bool(now.carried) != bool(was.carried) else was.carried
        alike.append(dataclasses.replace(now, shown=was.shown, siblings=was.siblings, carried=carried))
    return _list_changes(known, alike, ()) if alike else []


read_again = steps.at_once(read_again_in_steps)


def write(context: bpy.types.Context, inputs: Inputs, made: Any, into: SlottedAction | None) -> writing.Written:
    """Write a result over itself, or as a new action (None).

    NLA strips that play the whole result get its new length; strips without room for it are reported.
    """
    if into is None:
        return writing.write(context, inputs, made)
    first, last = into[0].frame_range[:]
    written = writing.write(context, inputs, made, into=into)
    return dataclasses.replace(written, notes=(*written.notes, *strip_lengths.fit(written.action, (first, last))))


def place_of(uid: int) -> SlottedAction:
    """Return the action and slot of a result by the action's session id; raises LoomError if it was deleted."""
    action = writing.find_data(bpy.data.actions, uid, "The result")
    return action, storage.find_slot(action, storage.of_result(action).slot)


def current_recipe(kept: storage.Stored, made_of: Sequence[SlottedAction | None]) -> Recipe:
    """Return the recipe of a result with its sources' current names, if it refers to them by name; None if missing."""
    found = zip(kept.sources, made_of, strict=True)
    return kept.recipe.with_names({source.name: one[0].name for source, one in found if one is not None})
