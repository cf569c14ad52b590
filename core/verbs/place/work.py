"""Turn and move a whole clip on the ground, with a report (methods: Mirror, placement, root motion)."""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...bodies import alike
from ...errors import ClipError, SkeletonError, no_frame
from ...motion import feet, quat, root_motion
from ...motion.clip import Clip
from ...motion.skeleton import Skeleton
from ...progress import SILENT, Progress
from ...quality import contacts, world_pose
from ...recipes import base
from ...sync import transitions
from ...weave import reporting
from ...weave.results import EditResult
from ..connect import work as connect
from . import Place

ON_GROUND = 0.06  # body heights; a rest pose with its lowest point nearer to 0 stands on 0
_MOST = {"auto": 2, "at": 1, "own": 1, "after": 2}  # clips that each `where` takes


def place(clips: Sequence[Clip], recipe: Place, progress: Progress = SILENT) -> EditResult:
    """Return the first clip at a place, or where the second one ends; its poses do not change.

    Raises ClipError for the wrong number of clips, OptionError for a frame that the clip does not have, and
    SkeletonError for bodies that can't be turned, or whose feet must be on the floor but are not known.

    Example:
        >>> from action_loom.core import verbs
        >>> from action_loom.core.demo_character import actions
        >>> result = verbs.apply(verbs.Place(x=2.0, y=1.0), [actions.walk(cycles=1)])
        >>> result.report["place"]["first"][1][:2]
        [2.0, 1.0]
    """
    began = time.perf_counter()
    where = _where(clips, recipe)
    clip, frame = clips[0], recipe.frame
    if frame >= len(clip):
        raise no_frame(clip.name, frame, 0, len(clip) - 1)
    progress.at(0.0, "Placing")
    result, warnings = clip, list[str]()
    if where == "after":
        result, warnings = _after(clip, clips[1], frame)
    ground, facing = root_motion.ground_frames(result)[0][frame], root_motion.heading(result)[frame]
    there = np.array([recipe.x, recipe.y]) if where == "at" else ground
    wanted = np.radians(recipe.facing) if recipe.face == "way" else facing
    if where == "at" or recipe.face == "way":
        result = root_motion.beginning_at(result, there, float(wanted), frame)
    raised = _measure_rise(result, recipe)
    if raised:
        result = root_motion.place_clip(result, 0.0, np.array([0.0, 0.0, raised]))
    progress.at(0.5, "Measuring")
    if result is clip:
        warnings.append(f"{clip.name}: no place, way or height was asked for: nothing was changed")
    result = replace(result, name=recipe.result_name([one.name for one in clips]))
    figures = {"place": _figures(clip, result, where, raised)}
    report = reporting.compose(recipe.verb, clips, result, began, [clip], figures, warnings)
    return EditResult(result, report, 0, clip)


def _where(clips: Sequence[Clip], recipe: Place) -> str:
    """Return "at", "own" or "after", with "auto" decided; raises ClipError for the wrong number of clips."""
    most = _MOST[recipe.where]
    base.check_count(recipe.label, len(clips), 1, most)
    if recipe.where == "after" and len(clips) == 1:
        raise ClipError(f"{clips[0].name} is to go on from another clip: give that one, too, as the second")
    if recipe.where == "auto":
        return "after" if len(clips) == 2 else "at"
    return recipe.where


def _after(clip: Clip, other: Clip, frame: int) -> tuple[Clip, list[str]]:
    """Return the clip moved to the end of another one, and notes for the report.

    Similar poses are aligned as Connect does at a seam. Otherwise the hips are placed at the other clip's last hips,
    with the same facing, because aligning different poses can turn the clip by any angle. The other clip is first moved
    to end at the origin, because retargeting to a body of another size scales its path.
    """
    last = len(other) - 1
    end = root_motion.ground_frames(other)[0][last]
    there, carried = alike.like(root_motion.place_clip(other, 0.0, -end), clip)
    notes = [] if carried is None else list(carried.sentences)
    feet = contacts.footing(there), contacts.footing(clip)
    found = transitions.align(there, clip, last, frame, 0, feet)
    if found.distance <= connect.FAR * clip.skeleton.height:
        return root_motion.place_clip(clip, found.turn, np.array(found.shift) + end), notes
    notes.append(
        f"{clip.name} and the end of {other.name} are in different poses, {100.0 * found.distance:.0f} cm apart: the"
        " hips were brought to where they were, facing the same way"
    )
    return root_motion.beginning_at(clip, end, float(root_motion.heading(other)[last]), frame), notes


def _measure_rise(clip: Clip, recipe: Place) -> float:
    """Return by how much (m) the clip is raised."""
    if recipe.height == "lift":
        return recipe.lift
    return -lowest_sole(clip) if recipe.height == "floor" else 0.0


def lowest_sole(clip: Clip) -> float:
    """Return the height (m) of the lowest sole in contact, or, without contacts, the lowest height of any sole.

    Raises SkeletonError for a body whose feet are not known.
    """
    standing = contacts.standing_feet(world_pose.pose(clip))
    if not standing:
        raise SkeletonError(f"{clip.name}: its feet are not known: name them in Body Roles")
    soles = _soles(clip.skeleton)
    heights = [(foot.ball[:, 2] - soles[name], foot.ball_stands) for name, foot in standing.items()]
    if any(stands.any() for _, stands in heights):
        return float(min(height[stands].min() for height, stands in heights if stands.any()))
    return float(min(height.min() for height, _ in heights))


def _soles(skeleton: Skeleton) -> dict[str, float]:
    """Return the rest height of each ball above the ground: 0 if the rest pose stands there, or its lowest point."""
    rotations, places = skeleton.rest
    tipped = skeleton.tipped
    tips = places[tipped] + quat.rotate(rotations[tipped], skeleton.tips[tipped])
    points = np.concatenate([places, tips])[:, 2]
    body = np.concatenate([skeleton.body, skeleton.body[tipped]])
    lowest = float(points[body].min())
    ground = 0.0 if 0.0 <= lowest <= ON_GROUND * skeleton.height else lowest
    return {name: float(points[ball]) - ground for name, (ball, _) in feet.balls_and_ankles(skeleton).items()}


def _figures(before: Clip, result: Clip, where: str, raised: float) -> dict[str, Any]:
    """Return place and facing of the clip before and after in its first and last frame, and the turn applied."""
    ends = []
    for clip in (before, result):
        ground, facing = root_motion.ground_frames(clip)[0], np.degrees(root_motion.heading(clip))
        ends.append([[*(round(float(v), 4) for v in ground[k]), round(_within(facing[k]), 2)] for k in (0, -1)])
    turned = _within(float(np.degrees(root_motion.heading(result)[0] - root_motion.heading(before)[0])))
    return {
        "where": where,
        "turned_degrees": round(turned, 3),
        "raised_m": round(raised, 4),
        "first": [end[0] for end in ends],
        "last": [end[1] for end in ends],
    }


def _within(degrees: float) -> float:
    """Return an angle wrapped to −180 … 180 degrees."""
    return float((degrees + 180.0) % 360.0 - 180.0)
