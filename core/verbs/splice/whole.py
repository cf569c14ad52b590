"""Put the upper body of an action on the lower body of a locomotion (methods: Splicing upper body onto locomotion)."""

import re
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...bodies import alike
from ...errors import no_frame
from ...motion import cycles, ik, quat, resample
from ...motion.clip import Channel, Clip
from ...motion.frame_map import FrameMap
from ...motion.quat import Array
from ...motion.roles import ancestors
from ...progress import SILENT, Progress
from ...quality import trunk_swing
from ...weave import planting, reporting
from ...weave.results import SpliceResult
from ...weave.seam import close
from ...weave.splice import mask, torso
from ...weave.splice.mask import UpperBody
from . import Splice
from .timing import IN_STEP, Timing, choose_timing

PADDING = 4.0 * torso.HEADING_SIGMA  # s of cyclic padding: the largest support of any smoothing
LEFT = 0.25  # s of an action; a longer end that is not played is reported


def splice(clips: Sequence[Clip], recipe: Splice, progress: Progress = SILENT) -> SpliceResult:
    """Return the first clip, the locomotion, with the upper body of the second, the action.

    Root, hips and legs are bit-identical to the locomotion's, so feet are planted only in given spans, and on front
    legs taken from the action. Raises LoomError kinds for bodies with unknown parts and for actions that can't be
    played as requested.
    """
    began = time.perf_counter()
    trimmed = [close.trim_clip(clip, recipe.trim) for clip in clips]
    locomotion, corrected = close.cycle_of(trimmed[0].clip)
    theirs, also = trimmed[1].clip, list[str]()
    if theirs.cyclic:  # any gesture ends as it began, so only declared cycles are closed
        theirs, also = close.cycle_of(theirs)
    upper = mask.upper_body(locomotion.skeleton, recipe.upper)
    brought, carried = alike.like(theirs, locomotion)
    action = _at_rate(brought, locomotion.rate)
    scale = (len(theirs) - 1) / max(len(action) - 1, 1) if action.cyclic else theirs.rate / locomotion.rate
    start = _start(recipe, theirs, trimmed[1].first)
    # The last frame at the action's own rate may lie beyond the last one at the locomotion's rate.
    first = min(FrameMap(0, scale).prepared_frame(start), len(action) - 1)
    timing = choose_timing(locomotion, action, first, recipe, progress.part(0.0, 0.7))
    progress.at(0.7, "Splicing")
    result, played, corrections = _splice_whole(locomotion, timing, upper, recipe)
    result = replace(result, name=recipe.result_name([clip.name for clip in clips]))
    result, planted = planting.of_result(result, recipe, one_source=_keeps_legs(upper, locomotion))
    progress.at(0.9, "Measuring")
    given = FrameMap(trimmed[1].first, scale).given(timing.given)
    curve = timing.curve
    splice_report = {
        "timing": timing.kind,
        "why": timing.why,
        "likeness": None if curve is None else round(curve.likeness, 2),
        "repeated": timing.repeated,
        **trunk_report(recipe, upper, (locomotion, played, result), given, corrections),
    }
    figures = {
        **planted.report,
        "dropped": reporting.left_out(trimmed),
        "carried": [] if carried is None else [carried.as_report()],
        "splice": splice_report,
        "registration": _registration(
            timing, action, trimmed[0].frame_map.given(np.arange(len(result), dtype=float)), given
        ),
    }
    warnings = [
        *([] if carried is None else carried.sentences),
        *_warnings(recipe, timing, upper, replace(locomotion, cyclic=trimmed[0].clip.cyclic), result),
    ]
    before, notes = [locomotion, played], [*corrected, *also]
    report = reporting.compose("splice", clips, result, began, before, figures, warnings, notes)
    return SpliceResult(result, report, 0, locomotion, played, given, corrections)


def _keeps_legs(upper: UpperBody, locomotion: Clip) -> bool:
    """Return whether all legs are the locomotion's."""
    parents, theirs = locomotion.skeleton.parents, set(upper.joints.tolist())
    return not any(theirs.intersection([leg.end, *ancestors(leg.end, parents)]) for leg in ik.legs(locomotion.skeleton))


def _at_rate(clip: Clip, rate: float) -> Clip:
    if not cycles.closes(clip):
        return replace(resample.to_rate(clip, rate), cyclic=False)
    return cycles.to_rate(clip, rate) if clip.cyclic else resample.to_rate(clip, rate)


def _start(recipe: Splice, action: Clip, first: int) -> int:
    """Return the frame of the trimmed action at which playing starts; raises OptionError if it is out of range."""
    last = first + len(action) - 1
    if recipe.start > last:
        raise no_frame(action.name, recipe.start, first, last)
    return max(recipe.start - first, 0)


def _splice_whole(locomotion: Clip, timing: Timing, upper: UpperBody, recipe: Splice) -> tuple[Clip, Clip, Array]:
    """Return the spliced clip, the action as played, and the trunk corrections (F, 4)."""
    if not timing.closes:
        played = resample.sample(timing.action, timing.frames)
        theirs = torso.facing(played) if timing.kind == "sync" else torso.facing_at(timing.action, timing.frames)
        rotations, corrections = upper_rotations(locomotion, played, upper, (torso.facing(locomotion), theirs), recipe)
        return overlay(locomotion, played, upper, rotations, np.full(len(played), recipe.strength)), played, corrections
    # Cyclic padding makes the seam of the middle cycle as smooth as its other frames.
    length = len(locomotion) - 1
    count = int(np.ceil(PADDING * locomotion.rate / length))
    assert timing.curve is not None
    several = cycles.unroll_cycle(locomotion, count, count)
    at = np.arange(len(several), dtype=float) - count * length
    lasting = cycles.sample(timing.action.cut(0, timing.repeated + 1), timing.curve.at(at))
    faced = torso.facing(several), torso.facing(lasting)
    rotations, corrections = upper_rotations(several, lasting, upper, faced, recipe)
    middle = slice(count * length, (count + 1) * length + 1)
    played = lasting.cut(middle.start, middle.stop)
    strength = np.full(len(played), recipe.strength)
    result = overlay(locomotion, played, upper, rotations[middle], strength)
    return replace(result, cyclic=True), played, corrections[middle]


def upper_rotations(
    locomotion: Clip, action: Clip, upper: UpperBody, faced: tuple[Array, Array], recipe: Splice
) -> tuple[Array, Array]:
    """Return the rotations (F, U, 4) of the upper body's joints, and the corrections (F, 4) of its trunk.

    Both clips have the same F frames; faced : the heading (F,) of each, from `torso.facing`.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.verbs.splice import Splice, whole
        >>> from action_loom.core.weave.splice import mask, torso
        >>> walk, wave = actions.walk(cycles=1), actions.wave().cut(0, 33)
        >>> upper = mask.upper_body(walk.skeleton)
        >>> faced = torso.facing(walk), torso.facing(wave)
        >>> rotations, corrections = whole.upper_rotations(walk, wave, upper, faced, Splice())
        >>> rotations.shape, corrections.shape
        ((33, 12, 4), (33, 4))
    """
    rotations = action.rotations[:, upper.joints].copy()
    if recipe.method == "copy" or upper.pelvis is None:
        return rotations, np.tile(quat.IDENTITY, (len(action), 1))
    ours, theirs = (torso.measure(clip, upper, faces) for clip, faces in zip((locomotion, action), faced, strict=True))
    corrections = torso.correction(ours, theirs, locomotion.rate, recipe)
    place = int(np.searchsorted(upper.joints, upper.pelvis))
    placed = quat.continuous(torso.place_pelvis(ours, theirs, corrections))
    rotations[:, place] = placed if (placed[0] * rotations[0, place]).sum() >= 0.0 else -placed
    return rotations, corrections


def overlay(locomotion: Clip, action: Clip, upper: UpperBody, rotations: Array, strength: Array) -> Clip:
    """Return the locomotion with other rotations (F, U, 4) of the upper body, weighted by strength (F,) from 0 to 1.

    Translations and scales of the upper body come from the action. A channel that both clips have comes from the action
    if it names a joint of the upper body, and from the locomotion otherwise.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.verbs.splice import whole
        >>> from action_loom.core.weave.splice import mask
        >>> walk, wave = actions.walk(cycles=1), actions.wave().cut(0, 33)
        >>> upper = mask.upper_body(walk.skeleton)
        >>> half = whole.overlay(walk, wave, upper, wave.rotations[:, upper.joints], np.full(33, 0.5))
        >>> half.translations[:, 0].tolist() == walk.translations[:, 0].tolist()
        True
    """
    joints = upper.joints
    share = strength[:, None, None]
    turned, moved = locomotion.rotations.copy(), locomotion.translations.copy()
    turned[:, joints] = between(locomotion.rotations[:, joints], rotations, strength)
    moved[:, joints] = (1.0 - share) * moved[:, joints] + share * action.translations[:, joints]
    scales = None
    if locomotion.scales is not None or action.scales is not None:
        ours, theirs = (
            np.ones_like(c.translations) if c.scales is None else c.scales.copy() for c in (locomotion, action)
        )
        ours[:, joints] = (1.0 - share) * ours[:, joints] + share * theirs[:, joints]
        scales = ours
    return replace(
        locomotion,
        rotations=turned,
        translations=moved,
        scales=scales,
        channels=_channels(locomotion, action, upper, strength),
        cyclic=False,
    )


def between(one: Array, other: Array, strength: Array) -> Array:
    """Return rotations (F, U, 4) interpolated along the shortest arc with weights (F,); exact at 0 and 1."""
    share = strength[:, None, None]
    if ((strength == 0.0) | (strength == 1.0)).all():
        return np.where(share == 1.0, other, one)
    turn = quat.log(quat.mul(quat.inv(one), other))
    return np.where(share == 1.0, other, np.where(share == 0.0, one, quat.mul(one, quat.exp(share * turn))))


def _channels(locomotion: Clip, action: Clip, upper: UpperBody, strength: Array) -> dict[str, Channel]:
    ours, theirs = locomotion.channels, action.channels
    names = "|".join(re.escape(locomotion.skeleton.names[joint]) for joint in upper.joints)
    naming = re.compile(rf"(?<!\w)(?<![.])({names})(?![.]?\w)")
    out = dict(ours)
    for name, channel in theirs.items():
        if name not in ours:
            out[name] = channel
        elif naming.search(name):
            discrete = channel.discrete or ours[name].discrete
            share = (strength >= 0.5).astype(float) if discrete else strength
            out[name] = Channel((1.0 - share) * ours[name].values + share * channel.values, discrete)
    return out


def trunk_report(
    recipe: Splice, upper: UpperBody, clips: tuple[Clip, Clip, Clip], given: Array, corrections: Array
) -> dict[str, Any]:
    """Return the report on how the trunk was turned.

    clips : locomotion, action and result; given (F,) : frames of the action as given; corrections (F, 4)
    """
    names = clips[0].skeleton.names
    swings = [trunk_swing.counter(clip) for clip in clips]
    return {
        "method": recipe.method if upper.pelvis is not None else "copy",
        "begins": [names[joint] for joint in upper.begins],
        "pelvis": None if upper.pelvis is None else names[upper.pelvis],
        "action_frame": np.round(given, 3).tolist(),
        "correction_degrees": np.round(np.degrees(np.linalg.norm(quat.log(corrections), axis=1)), 3).tolist(),
        "swing": {
            of: None if swing is None else round(swing, 3)
            for of, swing in zip(("locomotion", "action", "result"), swings, strict=True)
        },
    }


def _registration(timing: Timing, action: Clip, ours: Array, given: Array) -> list[dict[str, Any]]:
    """Return the report on the curve of an action in step, in frames of the clips as given; [] for other timings."""
    curve = timing.curve
    if timing.kind != "sync" or curve is None:
        return []
    kept = (
        min(len(curve.frames) / len(ours), 1.0),
        min(float(np.ptp(timing.given) + 1.0) / len(action), 1.0),
    )
    return [reporting.curve_report(action.name, curve, ours, given, timing.frames, kept)]


def _warnings(recipe: Splice, timing: Timing, upper: UpperBody, locomotion: Clip, result: Clip) -> list[str]:
    sentences, name, curve = [], timing.action.name, timing.curve
    if upper.pelvis is None and recipe.method != "copy":
        sentences.append("The trunk and both arms are not in the upper body that was named: the action's is not turned")
    if recipe.timing == "sync" and curve is not None and curve.likeness < IN_STEP:
        sentences.append(
            f"The legs of {name} and {locomotion.name} are hardly alike (likeness {curve.likeness:.2f}, where 0 is "
            "chance): what is played in step may be slowed and hurried without need"
        )
    held = (timing.frames < 0.0) | (timing.frames > len(timing.action) - 1)
    if held.any():
        sentences.append(f"{name} is shorter than {locomotion.name}: it is held for {held.sum()} of {len(held)} frames")
    left = (len(timing.action) - 1 - float(timing.frames.max())) / timing.action.rate
    if timing.kind == "own" and not timing.repeated and left > LEFT:
        sentences.append(f"{name} is longer than {locomotion.name}: its last {left:.1f} s are not played")
    if locomotion.cyclic and not result.cyclic:
        sentences.append(
            f"{locomotion.name} repeats, but not with {name} on it: that would have to be a cycle in its step"
        )
    return sentences
