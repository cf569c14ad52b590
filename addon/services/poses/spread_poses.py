"""The poses that actions were made to go through, as their recipes have them; cheap enough for drawing."""

from collections import Counter

import bpy

from ....core.errors import LoomError
from ....core.recipes.base import Recipe
from ....core.verbs import Warp
from ...bridge import result_mark
from ...model import storage

Row = tuple[float, ...]


def known_rows(recipe: Warp, bones: tuple[str, ...]) -> list[Row]:
    """Return the corrections of a recipe, with these bones' numbers; raises LoomError where one is gone."""
    names = [name.strip() for name in recipe.bones.split(",")] if recipe.bones else list(bones)
    found = []
    for row in recipe.corrections:
        name = names[int(row[1]) - 1]
        if name not in bones:
            raise LoomError(f"The bone {name!r} of a pose is gone: remove the poses at frame {row[0]:g}, or name it so")
        found.append((row[0], bones.index(name) + 1.0, *row[2:]))
    return found


def names_of(bones: tuple[str, ...]) -> str:
    """Return what bones are called as a recipe has it, so that their numbers hold when others come or go."""
    return "" if any("," in name for name in bones) else ", ".join(bones)


def poses_in(action: bpy.types.Action | None) -> list[tuple[int, int]]:
    """Return at which frames of the scene an action goes through poses that were made, and of how many bones."""
    if action is None or not is_made_by(action, Warp):
        return []
    recipe = storage.recipe_of(action)
    assert isinstance(recipe, Warp)
    first = round(action.curve_frame_range[0])
    counts = Counter(int(row[0]) for row in recipe.corrections)
    return [(first + frame, count) for frame, count in sorted(counts.items())]


def is_made_by(action: bpy.types.Action | None, recipe: type[Recipe]) -> bool:
    """Say whether an action is a result of a recipe."""
    if action is None or not result_mark.is_result(action):
        return False
    try:
        return isinstance(storage.recipe_of(action), recipe)
    except LoomError:
        return False
