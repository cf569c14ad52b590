"""Reduce the keys of results: whether few keys are requested, and which frames are always keyed."""

import dataclasses
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import bpy

from ....core.recipes.base import Recipe
from ....core.recipes.result import ResultOptions
from ....core.verbs import FewerKeys, Fill
from ....core.weave.results import KeysResult, Result
from ...bridge.few_curves import Few
from ..contacts import pose_markers

if TYPE_CHECKING:
    from ....core.edit.fewer_keys import Fewer
    from ...bridge.few_control_keys import FewControlKeys

_MM = 1e-3


def undo_fit(woven: Result) -> Result:
    """Return a result of Fewer Keys with its clip before fitting; other results are returned unchanged.

    The curves are fitted once only, when the bones are keyed.
    """
    if not isinstance(woven, KeysResult):
        return woven
    return dataclasses.replace(woven, clip=dataclasses.replace(woven.before, name=woven.clip.name))


def key_settings(options: ResultOptions, recipe: Recipe, keep: Iterable[float], length: int) -> Few | None:
    """Return the key reduction settings of a result of `length` frames, or None if every frame is keyed.

    keep : frames of the clip that are always keyed; frames outside the clip are dropped
    """
    kept = {round(frame) for frame in keep}
    if isinstance(recipe, Fill):
        kept |= {round(frame) for row in recipe.key_frames for frame in row}  # the artist's own
    if isinstance(recipe, FewerKeys):
        within, feet, kept = recipe.within, recipe.feet, kept | set(recipe.kept)
    elif options.keys == "few":
        within, feet = options.keys_within, options.keys_feet
    else:
        return None
    return Few(_MM * within, _MM * feet, tuple(sorted(frame for frame in kept if 0 <= frame < length)))


def kept_frames(
    recipe: Recipe, woven: Result, source: bpy.types.Action, first_frame: float, notes: Iterable[float]
) -> list[float]:
    """Return the clip frames that are always keyed: frames of new markers and of markers carried over from the source.

    notes : scene frames of the new markers
    """
    markers = pose_markers.carry_markers(source, round(first_frame), woven) if recipe.of_action else ()
    return [frame - first_frame for frame in (*notes, *(frame for _, frame in markers))]


class FewFigures(NamedTuple):
    """Number of keys, number of keys on every frame, and the errors of all bones and of the feet in metres."""

    made: int
    full: int
    error: float
    feet_error: float


def of_bones(found: "Fewer | None") -> FewFigures | None:
    """Return the figures of key reduction on bones."""
    if found is None:
        return None
    return FewFigures(found.keyed.key_count, found.keyed.full_count, found.error, found.feet_error)


def of_controls(found: "FewControlKeys | None") -> FewFigures | None:
    """Return the figures of key reduction on controls."""
    return None if found is None else FewFigures(found.count, found.full, found.error, found.feet_error)


def summary(found: FewFigures | None, recipe: Recipe) -> str:
    """Return the number of keys and the error in mm, for the summary of a result."""
    if found is None:
        return ""
    # the summary of a Repair tool already has the keys before and after
    keys = "" if recipe.of_action else f", {found.made:,} of {found.full:,} keys"
    return f"{keys}, {found.error / _MM:.2g} mm off, feet {found.feet_error / _MM:.2g} mm"
