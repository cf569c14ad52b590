"""List the spread poses of actions, from their recipes; cheap enough for drawing."""

from collections import Counter

import bpy

from ....core.errors import LoomError
from ....core.recipes.base import Recipe
from ....core.verbs import Warp
from ...bridge import result_mark
from ...model import storage

Row = tuple[float, ...]


def known_rows(recipe: Warp, bones: tuple[str, ...]) -> list[Row]:
    """Return the corrections of a recipe, renumbered for these bones; raises LoomError if a bone is missing."""
    names = [name.strip() for name in recipe.bones.split(",")] if recipe.bones else list(bones)
    found = []
    for row in recipe.corrections:
        name = names[int(row[1]) - 1]
        if name not in bones:
            raise LoomError(f"The bone {name!r} of a pose is gone: remove the poses at frame {row[0]:g}, or name it so")
        found.append((row[0], bones.index(name) + 1.0, *row[2:]))
    return found


def names_of(bones: tuple[str, ...]) -> str:
    """Return bone names in the recipe's format, so that bone numbers stay valid when bones are added or removed."""
    return "" if any("," in name for name in bones) else ", ".join(bones)


def poses_in(action: bpy.types.Action | None) -> list[tuple[int, int]]:
    """Return the scene frames of an action's spread poses, each with its number of bones."""
    if action is None or not is_made_by(action, Warp):
        return []
    recipe = storage.recipe_of(action)
    assert isinstance(recipe, Warp)
    first = round(action.curve_frame_range[0])
    counts = Counter(int(row[0]) for row in recipe.corrections)
    return [(first + frame, count) for frame, count in sorted(counts.items())]


def is_made_by(action: bpy.types.Action | None, recipe: type[Recipe]) -> bool:
    """Return whether an action is a result of a kind of recipe."""
    if action is None or not result_mark.is_result(action):
        return False
    try:
        return isinstance(storage.recipe_of(action), recipe)
    except LoomError:
        return False
