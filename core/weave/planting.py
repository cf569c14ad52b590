"""Plant the feet of results during contacts, in clips that travel and in clips in place (methods: Planted feet)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ..bodies import own_legs, stance_heights
from ..bodies.carried import Carried
from ..edit.feet import planting, spans
from ..edit.feet.planting import Planted, since, told
from ..edit.feet.spans import Span
from ..errors import ClipError, SkeletonError
from ..motion import quat, root_motion
from ..motion.clip import Clip
from ..motion.quat import Array
from ..motion.skeleton import Skeleton
from ..quality import foot_travel
from ..quality.foot_speeds import Complex
from ..recipes.planting import PlantOptions
from . import add_root_motion, root_trajectory
from .root_trajectory import RootTrajectory

OFF = "Plant Feet is off"
ONE_SOURCE = "its legs are those of one clip, as they are there"
STANDING = "its feet slide too little to plant"
SAME = 1e-9  # radians or m: rounding; two clips that differ by less are the same motion


@dataclass(frozen=True, eq=False)
class Outcome:
    """The result of planting the feet of a clip.

    done : what was planted, None if planting was not tried or not possible
    why : the reason in words if no foot was planted, else ""
    """

    done: Planted | None
    why: str

    @property
    def has_failed(self) -> bool:
        """Whether planting was wanted but is not possible."""
        return self.done is None and self.why not in (OFF, ONE_SOURCE)

    def sentences(self, name: str) -> list[str]:
        """Return sentences on left-out stances of a clip and on visibly bent legs."""
        return [] if self.done is None else told(self.done.report, name)

    @property
    def report(self) -> dict[str, Any]:
        """The keys of a verb's report: `plant` as that of the verb `plant`, or None; `not_planted` says why."""
        return {"plant": None if self.done is None else self.done.report, "not_planted": self.why}


def of_result(
    clip: Clip,
    recipe: PlantOptions,
    *,
    one_source: bool,
    found: Sequence[Span] | None = None,
    lift: bool = False,
    travel: float = planting.SLIDES_ON_PURPOSE,
) -> tuple[Clip, Outcome]:
    """Return the result of a verb with its feet planted if the recipe says so, and the outcome.

    one_source : whether the legs are unchanged from one source; then only spans given in the recipe are planted
    found : the spans in which feet stand, if they are known better than from the clip itself
    lift, travel : see `edit.feet.planting.planted`
    Raises OptionError for invalid spans. The clip is returned unchanged if its body can't be planted.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.recipes.planting import PlantOptions
        >>> from action_loom.core.weave import planting
        >>> planting.of_result(actions.walk(), PlantOptions(), one_source=True)[1].why
        'its legs are those of one clip, as they are there'
        >>> planting.of_result(actions.walk(), PlantOptions(), one_source=False)[1].why
        'its feet slide too little to plant'
    """
    why = "" if recipe.plant_feet else OFF
    if not why and one_source and not recipe.spans:
        why = ONE_SOURCE
    if why:
        return clip, Outcome(None, why)
    standing = spans.of_rows(recipe.spans, len(clip)) if recipe.spans else found
    try:
        result, done = plant_clip(clip, standing, wanted=bool(recipe.spans), lift=lift, travel=travel)
    except (ClipError, SkeletonError) as error:
        return clip, Outcome(None, str(error))
    return result, Outcome(done, "" if done.spans else done.refused[0][1] if done.refused else STANDING)


def of_carried(source: Clip, clip: Clip, recipe: PlantOptions, how: Carried | None) -> tuple[Clip, Outcome]:
    """Return a clip from another body, with its feet planted if the recipe wants it, and the outcome.

    Stances are first brought to their heights in the source.

    source : the clip on its own body, which shows the contacts; on legs of another length, feet slide in these
    how : how the clip was retargeted by body roles, None for the same joints

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.recipes.planting import PlantOptions
        >>> from action_loom.core.weave import planting
        >>> planting.of_carried(actions.walk(), actions.walk(), PlantOptions(), None)[1].why
        'its legs are those of one clip, as they are there'
    """
    same_legs = same(clip, source)
    found = find(source, clip.skeleton) if recipe.plant_feet and not same_legs else None
    standing = clip
    if found and how is not None:
        standing = stance_heights.keep_heights(source, clip, how.scale, (how.ball_rise, how.rise), found)
    result, outcome = of_result(standing, recipe, one_source=same_legs, found=found)
    if outcome.done is not None:
        outcome = replace(outcome, done=since(clip, result, outcome.done))
    return result, outcome


def plant_clip(
    clip: Clip,
    standing: Sequence[Span] | None = None,
    *,
    wanted: bool = True,
    lift: bool = False,
    travel: float = planting.SLIDES_ON_PURPOSE,
) -> tuple[Clip, Planted]:
    """Return a clip with its feet planted, and what was done (see `edit.feet.planting.plant_clip`).

    The root trajectory of a clip that walks in place is added for planting, and then removed again. Raises ClipError
    if the feet of such a clip give different trajectories, and as `edit.feet.planting.plant_clip` does.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import root_motion
        >>> from action_loom.core.weave import planting
        >>> sliding = root_motion.place_clip(actions.walk(), 0.0, np.linspace((0.0, 0.0), (0.0, 0.3), 97))
        >>> _, done = planting.plant_clip(sliding)
        >>> [round(speed) for speed in done.figures["slide_cm_s"]]  # before and after
        [9, 0]
    """
    known = own_legs.with_legs(clip)
    plant = partial(planting.planted, rows=standing, wanted=wanted, lift=lift, travel=travel)
    moves = _on_the_spot(known)
    result, done = plant(known) if moves is None else _plant_along(known, *moves, plant)
    # The body of the given clip, so that both are compared by the same feet.
    return (clip if result is known else replace(result, skeleton=clip.skeleton)), done


def _plant_along(
    clip: Clip, angle: Array, shift: Complex, plant: Callable[[Clip], tuple[Clip, Planted]]
) -> tuple[Clip, Planted]:
    """Turn a clip by (F,) radians and move it by (F,) m, x + iy; return it planted, and moved back."""
    moving = root_motion.place_clip(clip, angle, _plane(shift))
    result, done = plant(moving)
    if result is moving:
        return clip, done
    still = root_motion.place_clip(result, -angle, _plane(-np.exp(-1j * angle) * shift))
    shifts = {foot: moved * np.exp(-1j * angle) for foot, moved in done.shifts.items()}
    pelvis = quat.rotate(quat.about_axis("Z", -angle), done.pelvis)
    return replace(still, channels=clip.channels), replace(done, shifts=shifts, pelvis=pelvis)


def find(clip: Clip, body: Skeleton | None = None) -> list[Span]:
    """Return the spans in which the feet of a clip stand; in a clip in place, after its root trajectory is added.

    body : the body to which the clip was retargeted, see `spans.find`

    No spans are found if the feet of a clip in place give different trajectories. This does not raise an error, because
    planting is optional; `of_result` gives the reason.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.weave import planting
        >>> for span in planting.find(actions.walk())[:2]:
        ...     print(span)
        Span(foot='L', part='heel', first=0, end=2)
        Span(foot='L', part='ball', first=2, end=20)
    """
    clip = own_legs.with_legs(clip)
    try:
        moves = _on_the_spot(clip)
    except ClipError:
        return []
    return spans.find(clip if moves is None else root_motion.place_clip(clip, moves[0], _plane(moves[1])), body)


def same(clip: Clip, source: Clip) -> bool:
    """Return whether a clip has all frames of a source unchanged up to rounding, at any place and facing.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import root_motion
        >>> from action_loom.core.weave import planting
        >>> walk = actions.walk()
        >>> moved = root_motion.beginning_at(walk, np.array([2.0, 3.0]), 0.5)
        >>> planting.same(moved, walk), planting.same(actions.sneak(), walk)
        (True, False)
    """
    if len(clip) != len(source) or clip.rotations.shape != source.rotations.shape:
        return False
    if len(clip) > 1 and not same(clip.cut(0, 1), source.cut(0, 1)):
        return False
    if clip.skeleton.inheritance is None and source.skeleton.inheritance is None:
        clip, source = _from_origin(clip), _from_origin(source)
    turned = quat.same_side(clip.rotations, source.rotations) - source.rotations
    return all(bool(np.abs(apart).max() < SAME) for apart in (turned, clip.translations - source.translations))


def _from_origin(clip: Clip) -> Clip:
    places, facing = root_motion.ground_frames(clip.cut(0, 1))
    back = -np.exp(-1j * facing[0]) * complex(*places[0])
    return root_motion.place_clip(clip, -float(facing[0]), np.array([back.real, back.imag]))


def _on_the_spot(clip: Clip) -> tuple[Array, Complex] | None:
    """Return turn and shift of each frame along the root trajectory of a clip in place; None for any other clip."""
    if len(clip) < 3 or add_root_motion.travels(clip):
        return None
    trajectory = root_trajectory.read_stored_trajectory(clip)
    if trajectory is not None:
        return root_trajectory.displacement(clip, trajectory)
    if (feet := foot_travel.on_the_spot(clip)) is None:
        return None
    if not feet.agree and not clip.skeleton.has_many_legs:
        raise ClipError(f"{clip.name} walks on the spot, and its feet disagree how fast: give it travel first")
    return root_trajectory.displacement_smoothly(clip, feet, RootTrajectory(feet.velocity, feet.turn))


def _plane(places: Complex) -> Array:
    return np.column_stack([places.real, places.imag])
