"""What a result was made of and how, found again as it is now, so that it can be made anew."""

import dataclasses
from dataclasses import dataclass

import bpy

from ....core.errors import LoomError
from ....core.recipes.base import Recipe
from ....core.recipes.reading import Request
from ...bridge import result_mark
from ...ground.blender_types import SlottedAction
from ...model import storage


@dataclass(frozen=True, eq=False)
class RebuildInputs:
    """What a result was made of and how, found as it is now; holds Blender's data, so it is for use at once.

    armature : None where that which it was made for is gone
    """

    armature: bpy.types.Object | None
    made_of: list[SlottedAction]
    request: Request
    recipe: Recipe
    into: SlottedAction


def inputs_of(action: bpy.types.Action, *, overwrite_edits: bool) -> RebuildInputs:
    """Return what it takes to make a result anew.

    Raises LoomError for what is no result or can't be written, for a source that is gone, and for keys that were
    edited by hand unless they may be overwritten.
    """
    kept = storage.of_result(action)
    result_mark.check_writable(action)
    if not overwrite_edits and storage.edited_by_hand(action):
        raise LoomError(f"{action.name} was edited by hand: allow overwriting edits, or rename it and weave again")
    made_of = storage.find_sources(action)
    now = zip(kept.request.sources, made_of, storage.players_of(action), strict=True)
    renamed = tuple(
        dataclasses.replace(source, name=found[0].name_full, armature="" if player is None else player.name_full)
        for source, found, player in now
    )
    into = action, storage.find_slot(action, kept.slot)
    request = dataclasses.replace(kept.request, sources=renamed)
    return RebuildInputs(kept.armature, made_of, request, current_recipe(kept, made_of), into)


def current_recipe(kept: storage.Stored, made_of: list[SlottedAction]) -> Recipe:
    """Return the recipe of a result with the names that its sources have today, where it has them by name."""
    return kept.recipe.with_names({s.name: action.name for s, (action, _) in zip(kept.sources, made_of, strict=True)})
