"""Inverse kinematics of a limb to a target, with its report (methods: Key poses and reaching)."""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...edit import hermite, reaching
from ...errors import OptionError, no_frame, not_rising, wrong_rows
from ...motion import cycles, kinematics, quat
from ...motion.clip import Clip
from ...motion.ik import Limb
from ...motion.quat import Array
from ...progress import SILENT, Progress
from ...weave import reporting
from ...weave.results import ReachResult
from ...weave.seam import close
from . import Reach

THERE = 1e-4  # m from the target that counts as reached
FEW = 100  # rows of corrections in a report at most


def reach(clips: Sequence[Clip], recipe: Reach, progress: Progress = SILENT) -> ReachResult:
    """Return a clip in which one limb reaches a target during a span of frames.

    Raises ClipError for more than one clip and for frames outside it, OptionError for invalid rows, and SkeletonError
    for limbs that are not known or on which inverse kinematics is not possible.

    Example:
        >>> from action_loom.core import verbs
        >>> from action_loom.core.demo_character import actions
        >>> recipe = verbs.Reach(limb="right_arm", target=((0.2, -0.8, 1.2),), from_frame=16)
        >>> report = verbs.apply(recipe, [actions.walk(cycles=1)]).report["reach"]
        >>> report["changed_frames"], report["off_mm"] < 0.1
        (17, True)
    """
    began = time.perf_counter()
    clip, corrected = _as_cycle_if_needed(clips[0], recipe)
    progress.at(0.0, "Reaching")
    first, last = _span(clip, recipe)
    tip = _row("tip", recipe.tip)
    led = _reaching_limb(clip, recipe, tip)
    result, goals, share = _reach_target(clip, recipe, led, tip, (first, last))
    progress.at(0.5, "Measuring")
    sentences = []
    if clip.cyclic and not cycles.closes(result):
        result = replace(result, cyclic=False)
        sentences.append(f"{clip.name} is no loop any more: its end does not meet its start, as the place stays")
    result = replace(result, name=recipe.result_name([clip.name]), cyclic=result.cyclic and clips[0].cyclic)
    ends = np.stack([reaching.ends(one, led, tip) for one in (clip, result)])
    figures, notes = _figures(clip, result, recipe, led, ends, goals, share)
    joints = [clip.skeleton.names[k] for k in reaching.joints_of(clip.skeleton, led)]
    own = {"reach": {"joints": joints, **figures}}
    report = reporting.compose(recipe.verb, clips, result, began, [clip], own, notes + sentences, corrected)
    before = clip if corrected else clips[0]
    return ReachResult(result, report, 0, before, ends, goals, share, (first, last))


def _as_cycle_if_needed(given: Clip, recipe: Reach) -> tuple[Clip, list[str]]:
    """Return a clip closed by `close.cycle_of`, or unchanged if the edit affects neither of its ends.

    Closing changes all frames, but nothing should change beyond the ease. A declared cycle stays one in the result.
    """
    clip, corrected = close.cycle_of(given)
    first, last = _span(clip, recipe)
    share = reaching.shares(len(clip), first, last, recipe.ease * clip.rate)
    return (clip, corrected) if given.cyclic or share[0] or share[-1] else (given, [])


def _reach_target(
    clip: Clip, recipe: Reach, led: "Limb | reaching.Chain", tip: Array, span: tuple[int, int]
) -> tuple[Clip, Array, Array]:
    """Return the clip with its limb or chain at the target (F, 3), the target, and the weight (F,) of the change."""
    (first, last), length, ease = span, len(clip) - 1, recipe.ease * clip.rate
    goals = _goals(recipe, np.arange(length + 1, dtype=np.float64))
    share = reaching.shares(length + 1, first, last, ease)
    asked = reaching.Asked(led, goals, share, tip, recipe.keep_turn, _limits(clip, recipe, led))
    across = clip.cyclic and max(share[0], share[-1]) > 0.0 and last - first < length
    if across:
        # An ease-in before the first frame continues before the last one, in the previous cycle.
        padded = np.arange(3 * length + 1, dtype=np.float64) - length
        wide = reaching.shares(len(padded), first + length, last + length, ease)
        asked = replace(asked, goals=_goals(recipe, padded), share=wide)
        share = np.maximum.reduce([wide[k * length : (k + 1) * length + 1] for k in range(3)])
    if recipe.turn and recipe.keep_turn:
        turn = quat.from_euler(np.radians(_row("turn", recipe.turn))[::-1], "ZYX")
        clip = reaching.end_turned(clip, led, turn, share)
    return (reaching.reached_in_cycle if across else reaching.reach_target)(clip, asked), goals, share


def _span(clip: Clip, recipe: Reach) -> tuple[int, int]:
    first = recipe.from_frame
    last = first if recipe.to_frame < 0 else recipe.to_frame
    if last >= len(clip) or first >= len(clip):
        raise no_frame(clip.name, max(first, last), 0, len(clip) - 1)
    if last < first:
        raise OptionError(f"to_frame is {last}, before from_frame, {first}")
    return first, last


def _row(name: str, rows: tuple[tuple[float, ...], ...]) -> Array:
    if not rows:
        return np.zeros(3)
    if len(rows) != 1 or len(rows[0]) != 3:
        raise wrong_rows(name, *"xyz")
    return np.array(rows[0])


def _reaching_limb(clip: Clip, recipe: Reach, tip: Array) -> "Limb | reaching.Chain":
    """Return the limb or chain that reaches.

    The last joint of a chain rotates too if an offset point (`tip`) is to reach and the joint's own rotation is not
    kept.
    """
    whole = bool(tip.any()) and not recipe.keep_turn
    if recipe.limb == "chain":
        return reaching.chain_of(clip, recipe.chain, whole=whole)
    if recipe.limb == "head":
        return reaching.head_of(clip, whole=whole)
    return reaching.limb_of(clip, recipe.limb)


def _limits(clip: Clip, recipe: Reach, led: "Limb | reaching.Chain") -> "reaching.Limits | None":
    names = clip.skeleton.names
    turning = led.joints if isinstance(led, reaching.Chain) else (led.upper, led.lower)
    found = {}
    for row in recipe.limits:
        if len(row) != 7 or row[0] != int(row[0]) or not all(row[k] <= row[k + 1] for k in (1, 3, 5)):
            raise wrong_rows("limits", "joint", *("least", "most") * 3)
        if int(row[0]) - 1 not in turning:
            listed = ", ".join(f"{joint + 1} {names[joint]!r}" for joint in turning)
            raise OptionError(f"limits: joint {row[0]:g} is not among those that turn: {listed}")
        found[int(row[0]) - 1] = np.radians(row[1::2]), np.radians(row[2::2])
    return found or None


def _goals(recipe: Reach, frames: Array) -> Array:
    """Return the target (F, 3) at frames (F,); raises OptionError for invalid rows."""
    rows = recipe.target
    if len(rows) == 1 and len(rows[0]) == 3:
        return np.tile(rows[0], (len(frames), 1))
    if not rows or any(len(row) != 4 for row in rows):
        raise wrong_rows("target", "[frame]", *"xyz")
    table = np.array(rows)
    if (np.diff(table[:, 0]) <= 0.0).any():
        raise not_rising("target", "frame")
    if recipe.between == "linear":
        return np.stack([np.interp(frames, table[:, 0], column) for column in table[:, 1:].T], axis=1)
    times, places = table[:, 0], table[:, 1:]
    return hermite.evaluate(times, places, hermite.monotone_slopes(times, places), frames)


def _figures(
    clip: Clip, result: Clip, recipe: Reach, led: "Limb | reaching.Chain", ends: Array, goals: Array, share: Array
) -> tuple[dict[str, Any], list[str]]:
    """Return the report on the remaining distance and the changes, and notes for the user."""
    first, last = span = _span(clip, recipe)
    away = np.linalg.norm(ends[1] - goals, axis=1)[first : last + 1]
    short = np.flatnonzero(away > THERE)
    figures: dict[str, Any] = {
        "limb": recipe.limb,
        "span": [first, last],
        "changed_frames": int(np.count_nonzero(share > 0.0)),
        "off_mm": round(1000.0 * float(away.max()), 6),
        "out_of_reach": None,
        "moved_cm": round(100.0 * float(np.linalg.norm(ends[1] - ends[0], axis=1).max()), 3),
        "turned_degrees": _measure_turn(clip, result, led, span),
        "corrections": _corrections(clip, result, span),
    }
    if not len(short):
        return figures, []
    worst = first + int(away.argmax())
    centimetres = 100.0 * float(away.max())
    figures["out_of_reach"] = {"frames": len(short), "short_cm": round(centimetres, 4), "frame": worst}
    why = "as its limits allow" if recipe.limits else "and stretches towards it"
    note = (
        f"{clip.name}: {recipe.limb.replace('_', ' ')} falls short of its target by {centimetres:.1f} cm at frame"
        f" {worst}, {why}; so in {len(short)} of {len(away)} frames"
    )
    return figures, [note]


def _measure_turn(clip: Clip, result: Clip, led: "Limb | reaching.Chain", span: tuple[int, int]) -> float:
    """Return the largest world rotation of the limb's end over the span, in degrees."""
    joint = reaching.joints_of(clip.skeleton, led)[-1]
    one, other = (kinematics.world_of(each.cut(span[0], span[1] + 1), [joint])[0][:, joint] for each in (clip, result))
    angle = np.linalg.norm(quat.log(quat.mul(other, quat.inv(one))), axis=-1)
    return round(float(np.degrees(angle.max())), 4)


def _corrections(clip: Clip, result: Clip, span: tuple[int, int]) -> list[list[float]]:
    """Return changes as rows: a frame, a joint (counted from 1), a rotation vector in degrees, and a translation.

    Returns [] for more than `FEW` rows, which are useful for a pose but not for a long span.
    """
    rows = []
    for frame in range(span[0], span[1] + 1):
        turn = quat.log(quat.mul(quat.inv(clip.rotations[frame]), result.rotations[frame]))
        shift = result.translations[frame] - clip.translations[frame]
        moved = np.flatnonzero((np.abs(turn).max(axis=1) > 1e-12) | (np.abs(shift).max(axis=1) > 1e-12))
        rows += [[frame, int(joint) + 1, *np.degrees(turn[joint]).tolist(), *shift[joint].tolist()] for joint in moved]
        if len(rows) > FEW:
            return []
    return rows
