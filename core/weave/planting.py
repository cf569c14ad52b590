"""Feet that stay where they stand, of clips that go and of such that walk on the spot (methods: Planted feet)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..check import foot_travel
from ..check.foot_travel import Complex
from ..edit.feet import planting, spans
from ..edit.feet.planting import Planted
from ..edit.feet.spans import Span
from ..errors import ClipError, SkeletonError
from ..motion import quat, root_motion
from ..motion.clip import Clip
from ..motion.quat import Array
from ..recipes.planting import PlantOptions
from . import add_root_motion, root_trajectory
from .root_trajectory import RootTrajectory

OFF = "Plant Feet is off"
ONE_SOURCE = "its legs are those of one clip, as they are there"
STANDING = "no foot that stands slides"
REFUSED = "no foot that slides can stand"
SAME = 1e-9  # radians or m; by less two clips are the same motion


@dataclass(frozen=True, eq=False)
class Outcome:
    """What became of the feet of a result.

    done : None where planting was not tried; why : in words why no foot was planted, "" where one was
    """

    done: Planted | None
    why: str

    @property
    def report(self) -> dict[str, Any]:
        """What a verb's report says of it: `plant` as that of the verb `plant`, or None; `not_planted` says why."""
        return {"plant": None if self.done is None else self.done.report, "not_planted": self.why}


def of_result(
    clip: Clip, recipe: PlantOptions, *, one_source: bool, found: Sequence[Span] | None = None
) -> tuple[Clip, Outcome]:
    """Return what a verb made with its feet planted if the recipe says so, and what became of them.

    one_source : whether its legs are those of one source, as they are there: then only spans of the recipe are planted
    found : when feet stand, where that is known better than by the clip itself
    Raises OptionError for spans that are none. A body that can't be planted is handed back as it is.
    """
    why = "" if recipe.plant_feet else OFF
    if not why and one_source and not recipe.spans:
        why = ONE_SOURCE
    if why:
        return clip, Outcome(None, why)
    rows = spans.of_rows(recipe.spans, len(clip)) if recipe.spans else found
    try:
        made, done = planted(clip, rows, wanted=bool(recipe.spans))
    except (ClipError, SkeletonError) as error:
        return clip, Outcome(None, str(error))
    return made, Outcome(done, "" if done.spans else REFUSED if done.refused else STANDING)


def planted(clip: Clip, rows: Sequence[Span] | None = None, *, wanted: bool = True) -> tuple[Clip, Planted]:
    """Return a clip with its feet planted, and what was done (see `edit.feet.planting.planted`).

    One that walks on the spot stands on a ground that goes back under it: it is planted on its way, which is then taken
    off again. Raises ClipError where the feet of such a clip disagree about that way, and what planting raises.
    """
    moving = _on_the_spot(clip)
    return planting.planted(clip, rows, wanted=wanted) if moving is None else along(clip, *moving, rows, wanted=wanted)


def along(
    clip: Clip, angle: Array, shift: Complex, rows: Sequence[Span] | None = None, *, wanted: bool = True
) -> tuple[Clip, Planted]:
    """Return a clip planted as it is where each frame is turned by (F,) radians and moved by (F,) m, x + iy."""
    moving = root_motion.placed(clip, angle, _plane(shift))
    made, done = planting.planted(moving, rows, wanted=wanted)
    if made is moving:
        return clip, done
    still = root_motion.placed(made, -angle, _plane(-np.exp(-1j * angle) * shift))
    shifts = {foot: moved * np.exp(-1j * angle) for foot, moved in done.shifts.items()}
    pelvis = quat.rotate(quat.about_axis("Z", -angle), done.pelvis)
    return replace(still, channels=clip.channels), replace(done, shifts=shifts, pelvis=pelvis)


def find(clip: Clip) -> list[Span]:
    """Return when the feet of a clip stand, on the ground that goes back under it if it walks on the spot."""
    moving = _on_the_spot(clip)
    return spans.find(clip if moving is None else root_motion.placed(clip, moving[0], _plane(moving[1])))


def same(made: Clip, source: Clip) -> bool:
    """Say whether a clip is a source as it was, all of its frames, wherever it stands and faces; but for rounding."""
    if len(made) != len(source) or made.rotations.shape != source.rotations.shape:
        return False
    if made.skeleton.inheritance is None and source.skeleton.inheritance is None:
        made, source = (_from_origin(clip) for clip in (made, source))
    turned = quat.same_side(made.rotations, source.rotations) - source.rotations
    return all(bool(np.abs(apart).max() < SAME) for apart in (turned, made.translations - source.translations))


def _from_origin(clip: Clip) -> Clip:
    places, facing = root_motion.ground_frames(clip.cut(0, 1))
    back = -np.exp(-1j * facing[0]) * complex(*places[0])
    return root_motion.placed(clip, -float(facing[0]), np.array([back.real, back.imag]))


def _on_the_spot(clip: Clip) -> tuple[Array, Complex] | None:
    """By how much the frames of a clip that walks on the spot are turned and moved on its way; None for any other."""
    if len(clip) < 3 or add_root_motion.travels(clip):
        return None
    kept = root_trajectory.stored(clip)
    if kept is not None:
        return root_trajectory.displacement(clip, kept)
    found = foot_travel.measure(clip)
    if found is None or not found.in_place:
        return None
    if not found.agree:
        raise ClipError(f"{clip.name} walks on the spot, and its feet disagree how fast: give it travel first")
    return root_trajectory.displacement_smoothly(clip, found, RootTrajectory(found.velocity, found.turn))


def _plane(places: Complex) -> Array:
    return np.column_stack([places.real, places.imag])
