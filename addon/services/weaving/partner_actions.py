"""Find the partner of an armature, and its action that belongs to one of the armature's."""

import re
from collections.abc import Sequence

import bpy

from ....core.errors import LoomError
from ....core.recipes.base import Recipe
from ....core.recipes.reading import Source
from ...bridge import own_actions
from ...ground.blender_types import by_full_name
from ...model import readiness, storage


def find_partner(armature: bpy.types.Object, name: str, recipe: Recipe | type[Recipe]) -> bpy.types.Object:
    """Return the armature of a name that can be the partner of another; raises LoomError."""
    found = by_full_name(bpy.data.objects, name)
    if found is None or found.type != "ARMATURE" or not found.users_scene:
        raise LoomError(f"There is no object named {name!r}")
    if not recipe.takes_partners:
        raise LoomError(f"{recipe.label} takes no partner")
    why = f"{name} can't be its own partner" if found == armature else readiness.why_not(found)
    if why:
        raise LoomError(why)
    return found


def find_action(
    action: bpy.types.Action, source: Source, armature: bpy.types.Object, partner: bpy.types.Object, count: int
) -> bpy.types.Action:
    """Return the partner's action for one of an armature: the given, the woven with it, or that of the same name.

    count : of the armature's sources; for a single one it may be the action that the partner plays
    Raises LoomError if none is found, or it is too short.
    """
    found = by_full_name(bpy.data.actions, source.partner) if source.partner else None
    if found is None and not source.partner:
        found = storage.action_beside(action) or _find_alike(action, armature, partner)
        if found is None and count == 1 and partner.animation_data is not None:
            found = partner.animation_data.action
    if found is None or found == action:
        raise LoomError(
            f"{action.name}: which action of {partner.name} belongs to it? Choose it in Name, Color, Range…"
        )
    first, last = source.span or action.frame_range[:]
    begins, ends = found.frame_range[:]
    if begins > first + 1.0 or ends < last - 1.0:
        raise LoomError(
            f"{found.name} has frames {begins:g} to {ends:g}, but {action.name} frames {first:g} to {last:g}: move its"
            " keys, or take a part of both"
        )
    return found


def why_not(
    armature: bpy.types.Object,
    name: str,
    recipe: type[Recipe],
    sources: Sequence[tuple[bpy.types.Action, Source]],
) -> str:
    """Return why a partner can't be woven with some sources of an armature, "" if it can."""
    try:
        partner = find_partner(armature, name, recipe)
        for action, source in sources:
            find_action(action, source, armature, partner, 1 if recipe.most == 1 else len(sources))
    except LoomError as error:
        return str(error)
    return ""


def _find_alike(
    action: bpy.types.Action, armature: bpy.types.Object, partner: bpy.types.Object
) -> bpy.types.Action | None:
    """Return the only other action of the same name but for the armature's and a number, None for none or several."""
    wanted = _shorten(action.name, armature)
    found = [
        one
        for one in bpy.data.actions
        if one != action and _shorten(one.name, partner) == wanted and own_actions.is_own(partner, one)
    ]
    return found[0] if len(found) == 1 else None


def _shorten(name: str, armature: bpy.types.Object) -> str:
    """Return an action's name without its armature's and without Blender's number."""
    plain = re.sub(r"\.\d{3,}$", "", name)
    for owner in (armature.name, re.sub(r"\.\d{3,}$", "", armature.name)):
        plain = "" if plain == owner else plain.removesuffix(f" {owner}")
        plain = plain.removeprefix(f"{owner}|").removeprefix(f"{owner} ")
    return plain.casefold()
