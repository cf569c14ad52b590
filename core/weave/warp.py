"""Clips that are bent to go through poses, and through events at other times, with their reports (methods 19)."""

import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from ..check import quality
from ..edit import pose_warp, time_warp
from ..edit.pose_warp import Correction, Reach
from ..errors import ClipError, OptionError, some
from ..motion import joint_matching, retarget, root_motion
from ..motion.clip import Clip
from ..progress import SILENT, Progress
from ..recipes.warp import MoveEvents, Warp
from ..sync import joint_weights
from . import planting, reporting
from .results import EditResult

FAR = 90.0  # degrees between corrections that go over into each other
SAME = 1e-9  # radians and metres; by less a pose is the clip's own


def warp(clips: Sequence[Clip], recipe: Warp, progress: Progress = SILENT) -> EditResult:
    """Return a clip that goes through corrected poses, and through those of other clips.

    Raises OptionError for rows that name no frame, bone or clip, and for poses that are the clip's own already,
    SkeletonError for poses of other bodies.
    """
    began = time.perf_counter()
    if not clips:
        raise ClipError("A pose is spread in a clip; none given")
    clip = clips[0]
    progress.at(0.0, "Spreading poses")
    corrections = _corrections(clip, recipe) + _of_poses(clips, recipe)
    if not corrections:
        raise OptionError(f"{clip.name}: no pose is given: pose bones at a frame, or name a frame of another clip")
    twice = {one.frame for one in corrections if sum(one.frame == other.frame for other in corrections) > 1}
    if twice:
        raise OptionError(f"{clip.name}: two poses are given for frame {min(twice)}")
    reach = Reach(recipe.reach * clip.rate, (recipe.reach_after or recipe.reach) * clip.rate)
    made = pose_warp.spread(clip, corrections, reach)
    progress.at(0.4, "Planting its feet")
    planted = None
    if recipe.plant_feet:
        made, planted = planting.planted(made, planting.find(clip))
    progress.at(0.7, "Measuring")
    made = replace(made, name=recipe.result_name([one.name for one in clips]))
    report: dict[str, Any] = {
        "dropped": [],
        "warp": {
            "frames": sorted(one.frame for one in corrections),
            "degrees": round(float(np.degrees(max(np.linalg.norm(o.turns, axis=1).max() for o in corrections))), 3),
            "cm": round(100.0 * float(max(np.linalg.norm(o.moves, axis=1).max() for o in corrections)), 3),
            "corrections": _rows(corrections),
        },
        "quality": {"before": [quality.measure(clip)], "after": quality.measure(made)},
        "warnings": _far_apart(clip, corrections, reach),
    }
    if planted is not None:
        report["plant"], report["not_planted"] = planted.report, "" if planted.spans else planting.STANDING
    return EditResult(made, report | reporting.common(recipe.verb, clips, made, began), 0, clip)


def move_events(clips: Sequence[Clip], recipe: MoveEvents, progress: Progress = SILENT) -> EditResult:
    """Return a clip in which what happens at some frames comes at others.

    Raises ClipError for more than one clip, OptionError for events that can't be moved so (see `edit.time_warp.curve`).
    """
    began = time.perf_counter()
    if len(clips) != 1:
        raise ClipError(f"Events are moved in one clip at a time; {len(clips)} given")
    (clip,) = clips
    progress.at(0.0, "Moving events")
    if not recipe.events:
        raise OptionError(f"{clip.name}: no event is given: add rows of a frame and the one at which it is to come")
    if any(len(row) != 2 for row in recipe.events):
        raise OptionError(f"events is {recipe.events}, but each row has two frames: where it is, and where it comes")
    events = [
        time_warp.Event(first, to, max(recipe.reach * clip.rate or time_warp.AUTO * abs(to - first), 1.0))
        for first, to in recipe.events
    ]
    if not any(one.move for one in events):
        raise OptionError(f"{clip.name}: every event stays where it is: give one another frame")
    curve = time_warp.curve(clip, events)
    made = replace(time_warp.warped(clip, curve), name=recipe.result_name([clip.name]))
    progress.at(0.7, "Measuring")
    frames = curve.at(np.arange(len(clip), dtype=np.float64))
    report: dict[str, Any] = {
        "dropped": [],
        "move_events": {
            "events": [[one.first, one.to] for one in events],
            "speeds": [round(speed, 4) for speed in curve.speeds],
            "frame": np.round(frames, 4).tolist(),
        },
        "quality": {"before": [quality.measure(clip)], "after": quality.measure(made)},
        "warnings": [],
    }
    return EditResult(made, report | reporting.common(recipe.verb, clips, made, began), 0, clip)


def _corrections(clip: Clip, recipe: Warp) -> list[Correction]:
    """The corrections that a recipe has as rows."""
    names = [name.strip() for name in recipe.bones.split(",")] if recipe.bones else list(clip.skeleton.names)
    by_frame: dict[int, dict[int, tuple[float, ...]]] = {}
    for row in recipe.corrections:
        if len(row) != 8:
            raise OptionError(f"corrections has a row of {len(row)} numbers, but each has 8: see the option's sentence")
        frame, number = int(row[0]), int(row[1])
        if not 1 <= number <= len(names):
            raise OptionError(f"corrections names bone {number}, but there are {len(names)}")
        name = names[number - 1]
        if name not in clip.skeleton.names:
            raise OptionError(f"{clip.name}: the bone {name!r} of a corrected pose is gone: make the pose again")
        by_frame.setdefault(_within(clip, frame), {})[clip.skeleton.index(name)] = row[2:]
    found = []
    for frame, rows in sorted(by_frame.items()):
        values = np.array([rows[joint] for joint in sorted(rows)])
        found.append(Correction(frame, np.array(sorted(rows)), np.radians(values[:, :3]), values[:, 3:]))
    return found


def _of_poses(clips: Sequence[Clip], recipe: Warp) -> list[Correction]:
    """The corrections that lead to poses of other clips."""
    clip, found = clips[0], []
    for row in recipe.poses:
        if len(row) != 3:
            raise OptionError(f"poses has a row of {len(row)} numbers, but each has 3: a frame, a clip, its frame")
        frame, number, there = _within(clip, int(row[0])), int(row[1]), int(row[2])
        if not 2 <= number <= len(clips):
            raise OptionError(f"poses names clip {number}, but clips 2 to {len(clips)} have poses")
        other = clips[number - 1]
        pose = retarget.onto(joint_matching.renamed(other, clip.skeleton), clip.skeleton)
        at = _within(pose, there)
        pose = pose.cut(at, at + 1)
        if not recipe.with_root:
            ground, facing = root_motion.ground_frames(clip.cut(frame, frame + 1))
            own_ground, own_facing = root_motion.ground_frames(pose)
            turn = float(facing[0] - own_facing[0])
            away = np.exp(1j * turn) * complex(*own_ground[0])
            pose = root_motion.placed(pose, turn, ground[0] - np.array([away.real, away.imag]))
        joints = np.flatnonzero(joint_weights.factors(clip.skeleton, recipe.joints) > 0.0)
        one = pose_warp.correction(clip, frame, pose, joints)
        if max(np.abs(one.turns).max(), np.abs(one.moves).max()) < SAME:
            raise OptionError(
                f"The pose of {other.name} at frame {there} is that of {clip.name} at frame {frame} already"
            )
        found.append(one)
    return found


def _within(clip: Clip, frame: int) -> int:
    if not 0 <= frame < len(clip):
        raise OptionError(f"{clip.name}: frame {frame} is not within its frames 0 to {len(clip) - 1}")
    return frame


def _rows(corrections: Sequence[Correction]) -> list[list[float]]:
    """Corrections as rows of a recipe, whose bones are numbered as the clip's joints."""
    return [
        [float(one.frame), joint + 1.0, *np.degrees(turn), *move]
        for one in corrections
        for joint, turn, move in zip(one.joints.tolist(), one.turns, one.moves, strict=True)
    ]


def _far_apart(clip: Clip, corrections: Sequence[Correction], reach: Reach) -> list[str]:
    """Say which corrections that go over into each other are far apart: what is between may surprise."""
    ordered, told = sorted(corrections, key=lambda one: one.frame), []
    for one, other in pairwise(ordered):
        if other.frame - one.frame > reach.before + reach.after:
            continue
        turns = {int(j): turn for j, turn in zip(one.joints, one.turns, strict=True)}
        for joint, turn in zip(other.joints.tolist(), other.turns, strict=True):
            apart = np.degrees(np.linalg.norm(turn - turns[joint])) if joint in turns else 0.0
            if apart > FAR:
                told.append(f"{clip.skeleton.names[joint]} by {apart:.0f}° from frame {one.frame} to {other.frame}")
    return [f"{clip.name}: corrections differ much: {some(told)}: look at what is between"] if told else []
