"""Warp a clip through poses, or move its events in time, each with a report.

Method: Warping in space and time.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...bodies import alike
from ...bodies.carried import Carried
from ...edit import pose_warp, time_warp
from ...edit.feet import spans
from ...edit.feet.spans import Span
from ...edit.pose_warp import Correction, Reach
from ...edit.time_curve import Coming, Event, TimeCurve
from ...errors import ClipError, OptionError, SkeletonError, given_twice, no_frame, out_of_range, some, wrong_rows
from ...motion import feet, kinematics, root_motion
from ...motion.clip import Clip
from ...progress import SILENT, Progress
from ...recipes.planting import PlantOptions
from ...sync import joint_weights
from ...weave import planting, reporting, root_carrier
from ...weave.planting import Outcome
from ...weave.results import EventsResult, WarpResult
from ...weave.seam import close
from . import MoveEvents, Warp

FAR = 90.0  # degrees between neighbouring corrections; a larger difference gives a warning
SAME = 1e-6  # radians and metres; a smaller correction changes nothing


def warp(clips: Sequence[Clip], recipe: Warp, progress: Progress = SILENT) -> WarpResult:
    """Return a clip that passes through corrected poses, and through poses of other clips.

    Raises OptionError for rows that name no frame, bone or clip, and for poses that the clip already has, and
    SkeletonError for poses that its body can't take.

    Example:
        >>> from action_loom.core import verbs
        >>> from action_loom.core.demo_character import actions
        >>> recipe = verbs.Warp(corrections=((20, 2, 0, 30, 0, 0, 0, 0),))  # bone 2 turned by 30° at frame 20
        >>> result = verbs.apply(recipe, [actions.walk(cycles=1)])
        >>> result.report["warp"]["frames"], round(result.report["warp"]["degrees"])
        ([20], 30)
    """
    began = time.perf_counter()
    clip, corrected = close.cycle_of(clips[0])
    progress.at(0.0, "Making the result")
    posed, carried = _of_poses([clip, *clips[1:]], recipe)
    corrections = sorted([*_corrections(clip, recipe), *posed], key=lambda one: one.frame)
    _check(clip, corrections)
    reach = Reach(recipe.reach * clip.rate, recipe.reach * clip.rate)
    added = pose_warp.add_corrections(clip, corrections, reach)
    result = pose_warp.change_pose(clip, added)
    moved = float(np.linalg.norm(kinematics.points(result) - kinematics.points(clip), axis=2).max())
    progress.at(0.4, "Planting feet")
    result, planted = _plant_moved(result, clip, recipe)
    progress.at(0.7, "Measuring")
    result = replace(result, name=recipe.result_name([one.name for one in clips]), cyclic=clips[0].cyclic)
    figures = {
        "warp": {
            "frames": [one.frame for one in corrections],
            "degrees": round(float(np.degrees(max(np.linalg.norm(o.turns, axis=1).max() for o in corrections))), 3),
            "cm": round(100.0 * float(max(np.linalg.norm(o.moves, axis=1).max() for o in corrections)), 3),
            "moved_cm": round(100.0 * moved, 3),
            "corrections": _rows(corrections),
        },
        "carried": [one.as_report() for one in carried],
        **planted.report,
    }
    warnings = [sentence for one in carried for sentence in one.sentences] + _far_apart(clip, corrections, reach)
    report = reporting.compose(recipe.verb, clips, result, began, [clip], figures, warnings, corrected)
    return WarpResult(
        result, report, 0, clip if corrected else clips[0], tuple(one.frame for one in corrections), added
    )


def move_events(clips: Sequence[Clip], recipe: MoveEvents, progress: Progress = SILENT) -> EventsResult:
    """Return a clip with events moved to other frames, or held.

    Raises ClipError for more than one clip, OptionError for impossible moves of events (see `edit.time_warp.curve`).

    Example:
        >>> from action_loom.core import verbs
        >>> from action_loom.core.demo_character import actions
        >>> result = verbs.apply(verbs.MoveEvents(events=((20, 24),)), [actions.walk()])
        >>> [(event["frame"], round(event["at"], 3)) for event in result.report["move_events"]["coming"]]
        [(20.0, 24.0)]
    """
    began = time.perf_counter()
    clip, corrected = close.cycle_of(clips[0])
    progress.at(0.0, "Making the result")
    curve = time_warp.curve(clip, _events(clip, recipe))
    result = time_warp.warp_clip(clip, curve)
    progress.at(0.7, "Measuring")
    result = replace(result, name=recipe.result_name([clip.name]), cyclic=clips[0].cyclic)
    frames = curve.at(np.arange(len(clip), dtype=np.float64))
    moved = {
        "events": [list(row) for row in recipe.events],
        "speeds": [round(speed, 4) for speed in curve.speeds],
        "coming": [_coming(clip, curve, one) for one in curve.events],
        "frame": np.round(frames, 4).tolist(),
    }
    own = {"move_events": moved}
    report = reporting.compose(recipe.verb, clips, result, began, [clip], own, notes=corrected)
    return EventsResult(result, report, 0, clip if corrected else clips[0], curve)


def _coming(clip: Clip, curve: TimeCurve, coming: Coming) -> dict[str, Any]:
    """Return an event's new frame, its hold in frames, and the playing speed around it."""
    last = len(clip) - 1.0
    return {
        "frame": coming.event.first,
        "at": coming.begin if 0.0 <= coming.begin <= last else coming.begin % last,
        "held": coming.event.held,
        "speeds": [round(speed, 4) for speed in curve.speeds_near(coming)],
    }


def _events(clip: Clip, recipe: MoveEvents) -> list[Event]:
    if not recipe.events:
        raise OptionError(f"{clip.name}: no event is given: add rows of a frame and the one at which it is to come")
    found = []
    for row in recipe.events:
        if not 2 <= len(row) <= 4:
            raise wrong_rows("events", "frame", "new_frame", "[seconds", "[anticipation]]")
        first, to, seconds, anticipation = (*row, 0.0, 0.0)[:4]
        if anticipation > 1.0:
            raise out_of_range("anticipation", f"{anticipation:g}", 0, 1)
        reach = recipe.reach * clip.rate or None
        found.append(Event(first, to, reach, seconds * clip.rate, anticipation))
    if not any(one.active for one in found):
        raise OptionError(f"{clip.name}: every event stays where it is: give one another frame, or hold it")
    return found


def _corrections(clip: Clip, recipe: Warp) -> list[Correction]:
    """Return the corrections given as rows of a recipe; raises OptionError for invalid rows."""
    names = [name.strip() for name in recipe.bones.split(",")] if recipe.bones else list(clip.skeleton.names)
    by_frame: dict[int, dict[int, tuple[float, ...]]] = {}
    for row in recipe.corrections:
        if len(row) != 8:
            raise wrong_rows("corrections", "frame", "bone", *"xyz", *"xyz")
        frame, number = _frame(clip, row[0]), row[1]
        if not (number == int(number) and 1 <= number <= len(names)):
            raise OptionError(f"corrections names bone {number:g}, but there are {len(names)}: give one from 1 on")
        name = names[int(number) - 1]
        if name not in clip.skeleton.names:
            raise OptionError(f"{clip.name}: the bone {name!r} of a corrected pose is gone: make the pose again")
        rows, joint = by_frame.setdefault(frame, {}), clip.skeleton.index(name)
        if joint in rows:
            raise given_twice("corrections", f"{frame} {name!r}")
        rows[joint] = row[2:]
    found = []
    for frame, rows in by_frame.items():
        values = np.array([rows[joint] for joint in sorted(rows)])
        found.append(Correction(frame, np.array(sorted(rows)), np.radians(values[:, :3]), values[:, 3:]))
    return found


def _no_such_clip(clips: Sequence[Clip], number: float) -> str:
    if len(clips) == 1:
        return (
            f"poses names clip {number:g}, but {clips[0].name} is the only one: give the clips with the poses after it"
        )
    return f"poses names clip {number:g}, but those with poses are 2 to {len(clips)}"


def _of_poses(clips: Sequence[Clip], recipe: Warp) -> tuple[list[Correction], list[Carried]]:
    """Return the corrections that lead to poses of other clips, and how those clips were retargeted."""
    clip, found, carried = clips[0], list[Correction](), list[Carried]()
    joints = _chosen_joints(clip, recipe) if recipe.poses else np.empty(0, dtype=np.int64)
    brought: dict[int, Clip] = {}
    for row in recipe.poses:
        if len(row) != 3:
            raise wrong_rows("poses", "frame", "clip", "its_frame")
        frame, number = _frame(clip, row[0]), int(row[1])
        if number != row[1] or not 2 <= number <= len(clips):
            raise OptionError(_no_such_clip(clips, row[1]))
        if number not in brought:
            brought[number], how = alike.like(clips[number - 1], clip)
            carried += [] if how is None else [how]
        other = brought[number]
        there = _frame(other, row[2])
        pose = _pose(clip, frame, other.cut(there, there + 1), recipe)
        correction = pose_warp.correction(clip, frame, pose, joints)
        if not _differs(correction):
            raise OptionError(
                f"The pose of {other.name} at frame {there} is that of {clip.name} at frame {frame} already: choose"
                " another frame of either"
            )
        found.append(correction)
    return found, carried


def _chosen_joints(clip: Clip, recipe: Warp) -> NDArray[np.int64]:
    joints = np.flatnonzero(joint_weights.factors(clip.skeleton, recipe.joints) > 0.0)
    if not len(joints):
        raise joint_weights.no_joint("joints", recipe.joints)
    return joints


def _pose(clip: Clip, frame: int, pose: Clip, recipe: Warp) -> Clip:
    """Return a one-frame pose, moved to the place and facing of a frame of the clip unless `with_root`."""
    if recipe.with_root:
        return pose
    own = clip.cut(frame, frame + 1)
    ground, facing = root_motion.ground_frames(own)
    their_ground, their_facing = root_motion.ground_frames(pose)
    turn = float(facing[0] - their_facing[0])
    away = np.exp(1j * turn) * complex(*their_ground[0])
    pose = root_motion.place_clip(pose, turn, ground[0] - np.array([away.real, away.imag]))
    return root_carrier.as_in(pose, own)


def _frame(clip: Clip, frame: float) -> int:
    if frame != int(frame) or not 0 <= frame < len(clip):
        raise no_frame(clip.name, frame, 0, len(clip) - 1)
    return int(frame)


def _check(clip: Clip, corrections: Sequence[Correction]) -> None:
    """Raise OptionError if there is nothing to do, or if one frame has two poses."""
    if not corrections:
        raise OptionError(f"{clip.name}: no pose is given: pose bones at a frame, or name a frame of another clip")
    if not any(map(_differs, corrections)):
        raise OptionError(f"{clip.name}: all poses are those that it has already: pose bones first")
    for one, other in pairwise(corrections):
        if one.frame == other.frame:
            raise given_twice(clip.name, f"frame {one.frame}")
    ends = {corrections[0].frame, corrections[-1].frame}
    if clip.cyclic and ends == {0, len(clip) - 1} and len(ends) == 2:
        raise OptionError(
            f"{clip.name} repeats, so its last frame, {max(ends)}, is its first again: keep the pose of one of both"
        )


def _differs(one: Correction) -> bool:
    values = (one.turns, one.moves, *([] if one.scales is None else [one.scales]))
    return max(float(np.abs(value).max()) for value in values) > SAME


def _plant_moved(result: Clip, clip: Clip, recipe: Warp) -> tuple[Clip, Outcome]:
    """Return the clip with feet planted in contacts that the warp has moved, and the outcome."""
    if not recipe.plant_feet:
        return result, Outcome(None, planting.OFF)
    asked = PlantOptions(plant_feet=True, spans=recipe.spans)
    if recipe.spans:
        return planting.of_result(result, asked, one_source=False)
    try:
        found = list(_moved_contacts(result, clip))
    except (ClipError, SkeletonError) as error:
        return result, Outcome(None, str(error))
    return planting.of_result(result, asked, one_source=not found, found=found)


def _moved_contacts(result: Clip, clip: Clip) -> Iterator[Span]:
    """Yield the contact spans in which the warp has moved a foot."""
    points = feet.balls_and_ankles(clip.skeleton)
    away = np.linalg.norm(kinematics.points(result) - kinematics.points(clip), axis=2)
    rows = planting.find(clip)
    repeats, length = ((0, 1), len(clip) - 1) if clip.cyclic else ((0,), 0)
    contacts = spans.touching(rows, repeats, length)
    moved = {
        k
        for k, span in enumerate(rows)
        if span.foot in points and away[span.first : span.end, list(points[span.foot])].max() > SAME
    }
    whole = frozenset[int]().union(*(contact.rows for contact in contacts if contact.rows & moved))
    return (span for k, span in enumerate(rows) if k in whole)


def _rows(corrections: Sequence[Correction]) -> list[list[float]]:
    """Return corrections as rows of a recipe, with bones numbered as the clip's joints."""
    return [
        [float(one.frame), joint + 1.0, *np.degrees(turn).tolist(), *move.tolist()]
        for one in corrections
        for joint, turn, move in zip(one.joints.tolist(), one.turns, one.moves, strict=True)
    ]


def _far_apart(clip: Clip, corrections: Sequence[Correction], reach: Reach) -> list[str]:
    """Return a note on neighbouring corrections that differ much, since the motion between them may surprise."""
    differing = []
    for one, other in pairwise(corrections):
        if not reach.joins(one.frame, other.frame):
            continue
        turns = {int(j): turn for j, turn in zip(one.joints, one.turns, strict=True)}
        for joint, turn in zip(other.joints.tolist(), other.turns, strict=True):
            if joint not in turns:
                continue
            apart = float(np.degrees(np.linalg.norm(pose_warp.nearer(turn, turns[joint]) - turns[joint])))
            if apart > FAR:
                differing.append(
                    f"{clip.skeleton.names[joint]} by {apart:.0f}° from frame {one.frame} to {other.frame}"
                )
    return [f"{clip.name}: corrections differ much: {some(differing)}: check the frames between"] if differing else []
