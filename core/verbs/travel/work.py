"""Add root motion to an in-place clip, measured from its feet, and remove it.

Method: Travel from the feet.
"""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...errors import ClipError, wrong_count, wrong_rows
from ...motion import trim
from ...motion.clip import Clip
from ...progress import SILENT, Progress
from ...quality import foot_travel
from ...quality.foot_travel import FootTravel
from ...weave import reporting, root_trajectory
from ...weave.results import TravelResult
from ...weave.root_trajectory import RootTrajectory
from ...weave.seam import close
from . import InPlace, Travel

MORE, LEAST = 1.1, 2.0  # factor, and cm/s, by which slide may increase; a larger increase than both gives a warning


def travel(clips: Sequence[Clip], recipe: Travel, progress: Progress = SILENT) -> TravelResult:
    """Return an in-place clip with root motion measured from its feet or requested by options.

    A stored root trajectory is restored if no option requests another. A clip whose feet show no travel is returned
    with a warning. Raises ClipError for more than one clip, and if the clip already travels; OptionError for a root
    trajectory of another length; SkeletonError for bodies that can't be placed.

    Example:
        >>> from action_loom.core import verbs
        >>> from action_loom.core.demo_character import actions
        >>> spot = verbs.apply(verbs.InPlace(), [actions.walk(cycles=1)]).clip
        >>> result = verbs.apply(verbs.Travel(direction="ahead"), [spot])
        >>> round(result.report["travel"]["speed_m_s"], 2)
        1.3
    """
    began = time.perf_counter()
    trimmed, given = close.trim_clip(clips[0], recipe.trim), clips[0]
    progress.at(0.0, "Measuring")
    clip, corrected = close.cycle_of(trimmed.clip)
    found = foot_travel.measure(clip, turning=recipe.measure_turn)
    trajectory = _requested_trajectory(recipe, clip) or (_stored_trajectory(clip) if _as_it_was(recipe) else None)
    progress.at(0.5, "Making the result")
    if trajectory is not None:
        after, direction, warnings = root_trajectory.add_trajectory(clip, trajectory), "as it was", []
    elif _stays(clip, found, recipe):
        after, direction, warnings = root_trajectory.without_stored(clip), "", [_why_it_stays(clip, found)]
        trajectory = RootTrajectory(np.zeros(len(clip), dtype=np.complex128), np.zeros(len(clip)))
    else:
        found = _refuse_travelling(given.name, found, clip)
        trajectory, direction = root_trajectory.from_feet(
            found, clip, speed=recipe.speed, direction=recipe.direction, angle=recipe.angle, turn=recipe.turn
        )
        after = root_trajectory.added_smoothly(clip, found, trajectory)
        warnings = [] if recipe.speed else found.doubts(given.name)
    made = _result(clips, trimmed, clip, after, recipe, (found, trajectory, direction, warnings), began)
    more = _slides_more(given.name, made.report["quality"]) if direction and not recipe.speed else []
    return replace(made, report=made.report | {"notes": corrected, "warnings": [*warnings, *more]})


def in_place(clips: Sequence[Clip], recipe: InPlace, progress: Progress = SILENT) -> TravelResult:
    """Return a clip without its travel; its root trajectory is stored in its channels and in the report.

    Raises ClipError for more than one clip, and SkeletonError for bodies that can't be placed.

    Example:
        >>> from action_loom.core import verbs
        >>> from action_loom.core.demo_character import actions
        >>> result = verbs.apply(verbs.InPlace(), [actions.walk(cycles=1)])
        >>> round(result.report["quality"]["after"]["path_m"], 2), len(result.report["way"])
        (0.09, 33)
    """
    began = time.perf_counter()
    trimmed = close.trim_clip(clips[0], recipe.trim)
    progress.at(0.0, "Making the result")
    clip, corrected = close.cycle_of(trimmed.clip)
    before = _stored_trajectory(clip)  # restored first, so that removing twice stores the same root trajectory
    clip = root_trajectory.without_stored(clip) if before is None else root_trajectory.add_trajectory(clip, before)
    after, trajectory = root_trajectory.remove_trajectory(clip)
    progress.at(0.5, "Measuring")
    found = foot_travel.measure(after)
    result = _result(clips, trimmed, clip, after, recipe, (found, trajectory, "taken off", []), began)
    return replace(result, report=result.report | {"way": trajectory.rows(), "notes": corrected})


def _as_it_was(recipe: Travel) -> bool:
    """Return whether only the clip's stored travel is requested."""
    return recipe == Travel(trim=recipe.trim)


def _stored_trajectory(clip: Clip) -> RootTrajectory | None:
    """Return the root trajectory stored in a clip; None if the clip travels, since the channels are then outdated."""
    trajectory = root_trajectory.read_stored_trajectory(clip)
    if trajectory is None:
        return None
    stored = float(np.abs(trajectory.velocity[:-1]).mean()) if len(clip) > 1 else 0.0
    # A body that starts or stops sways in place, but far slower than it travelled.
    slow = max(foot_travel.ON_THE_SPOT * clip.skeleton.height, 0.5 * stored)
    return trajectory if foot_travel.body_speed(clip) <= slow else None


def _requested_trajectory(recipe: Travel, clip: Clip) -> RootTrajectory | None:
    if not recipe.way:
        return None
    if {len(row) for row in recipe.way} != {3}:
        raise wrong_rows("way", "right", "ahead", "turn")
    if len(recipe.way) != len(clip):
        raise wrong_count("way", len(recipe.way), len(clip))
    return root_trajectory.of_rows(np.array(recipe.way))


def _stays(clip: Clip, found: FootTravel | None, recipe: Travel) -> bool:
    """Return whether feet show no travel and none is requested, or the clip is too short to travel."""
    asked = recipe.speed or recipe.turn or recipe.measure_turn
    return len(clip) < 2 or (not asked and (found is None or not found.treads or found.roams))


def _why_it_stays(clip: Clip, found: FootTravel | None) -> str:
    name = clip.name
    if len(clip) < 2:
        return f"{name} has one frame: nothing was given"
    if found is None:
        return f"{name}: its feet are not known: name them in Body Roles"
    if found.body_speed > foot_travel.ON_THE_SPOT * found.height:
        return f"{name} travels already, at {found.body_speed:.2f} m/s: nothing was given"
    if found.treads:
        return f"{name} moves about over {100.0 * found.reach:.0f} cm, not on the spot: nothing was given: type a speed"
    return f"{name} does not walk on the spot, its feet stand still: nothing was given"


def _refuse_travelling(name: str, found: FootTravel | None, clip: Clip) -> FootTravel:
    """Return the measurement of an in-place clip; raises ClipError for a clip that already travels."""
    if found is None:
        return _footless_travel(clip)
    if found.body_speed > max(foot_travel.ON_THE_SPOT * found.height, 0.5 * found.speed):
        raise ClipError(f"{name} travels already, at {found.body_speed:.2f} m/s: take its travel off first (in_place)")
    return found


def _footless_travel(clip: Clip) -> FootTravel:
    """Return the measurement of a body without feet: only its places and headings."""
    nothing = np.zeros(len(clip))
    ground, facing = foot_travel.body_frames(clip, clip.cyclic)
    none = np.zeros((0, len(clip)))
    return FootTravel(
        ground,
        facing,
        nothing.astype(np.complex128),
        nothing,
        none.astype(np.complex128),
        none > 0.0,
        {},
        0.0,
        clip.skeleton.height,
        clip.seconds,
        None,
        clip.cyclic,
    )


def _result(
    clips: Sequence[Clip],
    trimmed: trim.Trimmed,
    before: Clip,
    after: Clip,
    recipe: Travel | InPlace,
    measured: tuple[FootTravel | None, RootTrajectory, str, list[str]],
    began: float,
) -> TravelResult:
    found, trajectory, direction, warnings = measured
    after = replace(after, name=recipe.result_name([clips[0].name]))
    own = _figures(found, trajectory, direction, before, after)
    figures = {"dropped": reporting.left_out([trimmed]), recipe.verb: own}
    report = reporting.compose(recipe.verb, clips, after, began, [before], figures, warnings)
    return TravelResult(after, report, 0, before, found, trajectory, gives=isinstance(recipe, Travel))


def _slides_more(name: str, measured: dict[str, Any]) -> list[str]:
    """Return a warning if planted feet slide more with the travel than without it."""
    (before,), after = (one["slide_cm_s"] for one in measured["before"]), measured["after"]["slide_cm_s"]
    if before is None or after is None or after <= max(MORE * before, before + LEAST):
        return []
    return [f"{name}: standing feet slide at {after:.0f} cm/s now, at {before:.0f} before: plant them, or type a speed"]


def _figures(
    found: FootTravel | None, trajectory: RootTrajectory, direction: str, before: Clip, after: Clip
) -> dict[str, Any]:
    """Return the figures of the travel added or removed, and of the travel measured from the feet."""
    steps = slice(None, -1) if len(after) > 1 else slice(None)
    velocity = trajectory.velocity[steps]
    mean = complex(velocity.mean())
    figures: dict[str, Any] = {
        "speed_m_s": round(float(np.abs(velocity).mean()), 4),
        "direction_degrees": round(float(np.degrees(np.angle(mean / 1j))), 2) if abs(mean) > 1e-9 else 0.0,
        "direction": direction,
        "turn_degrees": round(float(np.degrees(trajectory.turn[steps].mean() * after.seconds)), 2),
        "cyclic": after.cyclic,
        "feet": None,
    }
    if found is not None and found.feet:
        slides = (foot_travel.slide(clip, found.stands) for clip in (before, after))
        figures["feet"] = {
            "speed_m_s": round(found.speed, 4),
            "direction_degrees": round(float(np.degrees(found.direction)), 2),
            "each_m_s": {name: round(speed, 4) for name, speed in found.feet.items()},
            "agree": found.agree,
            "standing": round(found.standing, 3),
            "slide_cm_s": [None if speed is None else round(100.0 * speed, 2) for speed in slides],
        }
    return figures
