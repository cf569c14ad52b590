"""Actions that the upper body does on stretches of a walk along a path (methods 7 and 9)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..bodies import alike
from ..bodies.carried import Carried
from ..errors import ClipError, OptionError
from ..motion import joint_matching, resample, trim
from ..motion.clip import Clip
from ..motion.quat import Array
from ..recipes.graph import Follow
from ..recipes.splice import Splice
from ..weave.splice import points as splice_points
from ..weave.splice.points import SplicePlan

SHORTEST = 0.5  # s of a stretch: going over into an action and out of it takes longer


@dataclass(frozen=True, eq=False)
class Stretch:
    """An action on the skeleton and at the rate of a graph, and the shares of the path between which it is played.

    carried : how the action came onto the skeleton, where it has other joints
    """

    start: float
    end: float
    action: Clip
    carried: Carried | None


def read_stretches(recipe: Follow, clips: Sequence[Clip], like: Clip) -> list[Stretch]:
    """Return the stretches of a recipe with their actions on the skeleton and at the rate of a clip.

    clips : all those that the recipe counts. Raises OptionError for stretches that are none, ClipError for single poses
    and SkeletonError for actions of bodies that clips are not put on (see `bodies.alike`).
    """
    rows = recipe.stretch_rows(len(clips))
    return [Stretch(start, end, *_fitted(clips[number - 1], like)) for start, end, number in rows]


def overlaid(walk: Clip, shares: Array, stretches: Sequence[Stretch]) -> tuple[Clip, list[dict[str, Any]]]:
    """Return a walk overlaid with the actions of its stretches, and the report on them; of two at once, the later one.

    shares (F,) : of the path that is gone at each frame of the walk
    Raises OptionError for stretches that are too short, and LoomError kinds for actions that can't be spliced in.
    """
    reports = []
    for one in stretches:
        first, last = int(np.searchsorted(shares, one.start)), int(np.searchsorted(shares, one.end, side="right"))
        if last - first < SHORTEST * walk.rate:
            seconds = (last - first) / walk.rate
            raise OptionError(
                f"the stretch from {one.start:.0%} to {one.end:.0%} takes {seconds:.1f} s, too short for "
                f"{one.action.name}: it takes {SHORTEST} s or more"
            )
        plan = splice_points.plan(walk, one.action, first=first, end=last)
        walk = splice_points.spliced(walk, one.action, plan, Splice())
        brought = None if one.carried is None else one.carried.as_report()
        place = {
            "action": one.action.name,
            "from": one.start,
            "to": one.end,
            "frames": [first, last - 1],
            "carried": brought,
        }
        reports.append(place | _report(plan))
    return walk, reports


def _fitted(action: Clip, like: Clip) -> tuple[Clip, Carried | None]:
    good = trim.ends(action).clip
    fitted, carried = alike.like(joint_matching.renamed(good, like.skeleton), like)
    fitted = resample.to_rate(fitted, like.rate)
    if len(fitted) < 2:
        raise ClipError(f"{action.name} is a single pose; what a stretch of a path carries has two frames or more")
    return fitted, carried


def _report(plan: SplicePlan) -> dict[str, Any]:
    points = [piece for piece in plan.pieces if piece.level is not None]
    return {
        "splice_points": [
            {
                "at": piece.first,
                "action_frame": piece.action_frame,
                "level": piece.level,
                "distance": round(piece.distance, 4) if np.isfinite(piece.distance) else None,
            }
            for piece in plan.pieces
        ],
        "in_step": round(sum(p.end - p.first for p in points) / (plan.end - plan.first), 4),
    }
