"""Walk an edited path again, in previews and the last result; the walk before the change stays."""

import dataclasses

import bpy

from ....core.errors import LoomError
from ....core.motion.clip import Clip
from ....core.recipes.splice import SpliceOptions
from ....core.verbs import Follow
from ....core.verbs.follow import stretch_text
from ....core.verbs.follow import work as follow
from ....core.verbs.follow.result import FollowResult
from ...bridge import curve_path
from ...ground import option_properties
from ...model import properties


def recipe_now(scene: bpy.types.Scene, recipe: Follow, metres: float, frame: float) -> Follow:
    """Return a recipe with the panel's current curve and places of stretches.

    metres : in a scene unit; frame : the scene frame in which a moving curve is at the path

    Raises LoomError for a curve that can't be a path, and if the panel lists other stretches.
    """
    settings = properties.settings_of(scene)
    if len(settings.stretches) != len(recipe.stretches):
        raise LoomError("The panel has other stretches than this walk: weave it again")
    path, closed = recipe.path, recipe.closed
    if settings.curve is not None:
        points, closed = curve_path.path(settings.curve, metres, frame)
        path = tuple(tuple(point) for point in points.tolist())
    rows = tuple(
        (0.01 * one.start, 0.01 * one.end, *row[2:])
        for one, row in zip(settings.stretches, recipe.stretches, strict=True)
    )
    how = [stretch_text(option_properties.values_of(one, SpliceOptions)) for one in settings.stretches]
    options = "; ".join(how) if any(how) else ""
    return dataclasses.replace(recipe, path=path, closed=closed, route=(), stretches=rows, stretch_options=options)


def walk_curve(before: FollowResult, clips: list[Clip], recipe: Follow) -> tuple[FollowResult, Follow]:
    """Return the walk along the current curve, and its recipe with the route.

    Raises LoomError kinds.
    """
    made = follow.again(before, clips, recipe)
    return made, with_route(recipe, made)


def with_route(recipe: Follow, made: FollowResult) -> Follow:
    """Return a recipe with the route of its result, so that making it again needs no search."""
    return dataclasses.replace(recipe, route=tuple(tuple(row) for row in made.report["follow"]["route"]))
