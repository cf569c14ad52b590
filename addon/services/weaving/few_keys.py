"""Results as few keys: whether they are asked for, and which frames have keys in any case."""

import dataclasses
from collections.abc import Iterable
from typing import TYPE_CHECKING

import bpy

from ....core.recipes.base import Recipe
from ....core.recipes.result import ResultOptions
from ....core.verbs import FewerKeys
from ....core.weave.results import KeysResult, Result
from ...bridge.few_curves import Few
from ..contacts import pose_markers

if TYPE_CHECKING:
    from ....core.edit.fewer_keys import Fewer

_MM = 1e-3


def unfitted(woven: Result) -> Result:
    """Return a result of Fewer Keys with its clip as it was: it is fitted as its bones are keyed, and only once."""
    if not isinstance(woven, KeysResult):
        return woven
    return dataclasses.replace(woven, clip=dataclasses.replace(woven.before, name=woven.clip.name))


def asked(options: ResultOptions, recipe: Recipe, keep: Iterable[float], length: int) -> Few | None:
    """Return what is asked of the keys of a result of so many frames, None where each frame has one.

    keep : frames of the clip that have keys, of those that it has
    """
    kept = {round(frame) for frame in keep}
    if isinstance(recipe, FewerKeys):
        within, feet, kept = recipe.within, recipe.feet, kept | set(recipe.kept)
    elif options.keys == "few":
        within, feet = options.keys_within, options.keys_feet
    else:
        return None
    return Few(_MM * within, _MM * feet, tuple(sorted(frame for frame in kept if 0 <= frame < length)))


def kept(
    recipe: Recipe, woven: Result, source: bpy.types.Action, first_frame: float, notes: Iterable[float]
) -> list[float]:
    """Return the frames of a clip with keys in any case: scene frames of new markers, and of those that come along."""
    markers = pose_markers.carried(source, round(first_frame), woven) if recipe.of_action else ()
    return [frame - first_frame for frame in (*notes, *(frame for _, frame in markers))]


def summary(found: "Fewer | None", recipe: Recipe) -> str:
    """Return how many keys of how many there are, and how far the result is off, for the line of a result."""
    if found is None:
        return ""
    # the line of a tool of Repair tells the keys before and after by itself
    keys = "" if recipe.of_action else f", {found.keyed.key_count:,} of {found.keyed.full_count:,} keys"
    return f"{keys}, {found.error / _MM:.2g} mm off, feet {found.feet_error / _MM:.2g} mm"


def on_controls(armature: bpy.types.Object, few: Few | None) -> str:
    """Return what to say where few keys are asked for on controls that move bones."""
    if few is None:
        return ""
    return (
        f"The bones of {armature.name} are moved by controls: these have keys on every frame, since what is allowed is"
        " known for bones; bake the action onto bones first"
    )
