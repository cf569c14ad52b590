"""The report on a woven clip: plain JSON values that scripts can rely on."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..motion import frame_map, root_motion
from ..motion.clip import Clip
from ..motion.quat import Array
from ..motion.trim import Trimmed
from ..quality import quality
from ..sync import register_pair
from ..sync.registration_curve import Registration, RegistrationCurve
from .preprocess import PreparedClips, RegisteredClips

FAR_LONGER = 2.0  # length ratio above which clips hold different numbers of steps


def common(verb: str, given: Sequence[Clip], woven: Clip, began: float, notes: Sequence[str] = ()) -> dict[str, Any]:
    """Return the keys common to all reports, except warnings.

    began : the perf_counter at the start; notes : sentences on changes beyond the request

    Example:
        >>> import time
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.weave import reporting
        >>> walk = actions.walk()
        >>> report = reporting.common("loop", [walk], walk.cut(0, 33), time.perf_counter())
        >>> report["verb"], report["inputs"], report["frames"]
        ('loop', ['walk'], 33)
    """
    return {
        "verb": verb,
        "inputs": [clip.name for clip in given],
        "names": [clip.name for clip in given],
        "output": woven.name,
        "frames": len(woven),
        "rate": woven.rate,
        "heading": root_motion.heading_source(woven.skeleton),
        "notes": list(notes),
        "seconds_taken": round(time.perf_counter() - began, 4),
    }


def compose(
    verb: str,
    given: Sequence[Clip],
    woven: Clip,
    began: float,
    before: Sequence[Clip],
    figures: Mapping[str, Any],
    warnings: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> dict[str, Any]:
    """Return the report on a clip: the verb's own figures, the quality before and after, warnings, and common keys.

    before : the clips whose quality the result's is compared with
    figures : may contain "dropped"; nothing is dropped otherwise

    Example:
        >>> import time
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.weave import reporting
        >>> walk = actions.walk()
        >>> report = reporting.compose("bake", [walk], walk, time.perf_counter(), [walk], {"bake": {"joints": 21}})
        >>> report["dropped"], report["bake"], report["quality"]["before"] == [report["quality"]["after"]]
        ([], {'joints': 21}, True)
    """
    return {
        **({} if "dropped" in figures else {"dropped": []}),
        **figures,
        "quality": {"before": [quality.measure(clip) for clip in before], "after": quality.measure(woven)},
        "warnings": list(warnings),
        **common(verb, given, woven, began, notes),
    }


def left_out(trimmed: Sequence[Trimmed]) -> list[dict[str, Any]]:
    """Return report rows on bad frames trimmed from the ends of clips.

    Example:
        >>> from dataclasses import replace
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import trim
        >>> from action_loom.core.weave import reporting
        >>> walk = actions.walk()
        >>> places = walk.translations.copy()
        >>> places[:2, 0, 0] += 3.0  # it begins elsewhere, and jumps
        >>> reporting.left_out([trim.if_wanted(replace(walk, translations=places), True)])
        [{'clip': 'walk', 'first': 2, 'last': 0, 'why': 'calibration pose or jump'}]
    """
    return frame_map.as_report([entry for clip in trimmed for entry in clip.left_out])


def report_registered(
    verb: str, given: Sequence[Clip], clips: RegisteredClips, woven: Clip, began: float
) -> dict[str, Any]:
    """Return the report on a clip made of registered clips: the registration and measures of quality.

    Example:
        >>> import time
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.recipes.matching import Matching
        >>> from action_loom.core.weave import preprocess, reporting
        >>> clips = [actions.walk(cycles=1), actions.walk(cycles=1, speed=1.1)]
        >>> registered = preprocess.register(clips, Matching(ends="pinned"))
        >>> report = reporting.report_registered("synchronise", clips, registered, clips[1], time.perf_counter())
        >>> report["reference"], report["warnings"], len(report["registration"])
        ('walk', [], 1)
    """
    ready, registration = clips.prepared, clips.registration
    report = {
        "reference": given[ready.reference].name,
        "dropped": frame_map.as_report(ready.left_out),
        "carried": [carried.as_report() for carried in ready.carried],
        "registration": describe(ready, registration),
        "warnings": warnings(ready, registration),
        "quality": {"before": [dict(measures) for measures in clips.quality], "after": quality.measure(woven)},
    }
    return report | common(verb, given, woven, began, ready.corrected)


def warnings(ready: PreparedClips, registered: Registration) -> list[str]:
    """Return sentences on doubts about a registration.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.recipes.matching import Matching
        >>> from action_loom.core.weave import preprocess, reporting
        >>> clips = [actions.walk(cycles=1), actions.wave()]
        >>> registered = preprocess.register(clips, Matching(metric="points", ends="pinned"))
        >>> reporting.warnings(registered.prepared, registered.registration)[0][:33]
        'wave is 3.4 times as long as walk'
    """
    reference = ready.clips[registered.reference].name
    sentences = [
        f"{name} was made to repeat, but its last pose is {100.0 * gap:.1f} cm from its first: it is taken as it is"
        for name, gap in ready.unclosed
    ]
    sentences += [
        f"{name}: its ends are {100.0 * gap:.1f} cm apart: it is no cycle here, nor is what is made of it; Loop it"
        for name, gap in ready.nearly
    ]
    sentences += [sentence for carried in ready.carried for sentence in carried.sentences]
    for clip, curve in zip(ready.clips, registered.curves, strict=True):
        if curve.likeness < register_pair.ALIKE:
            sentences.append(_unlike(clip, ready.clips[registered.reference], curve.likeness, bool(ready.counts)))
        if curve.at_limit > register_pair.RAISE_AT:
            sentences.append(
                f"{clip.name} and {reference} differ much in timing: {curve.at_limit:.0%} of the way one waits for the"
                f" other as long as the slope limit of {curve.limit} allows"
            )
    return sentences


def _unlike(clip: Clip, reference: Clip, likeness: float, would_repeat: bool) -> str:
    """Return the sentence on an unlike clip; would_repeat : whether the shorter one would repeat if a cycle."""
    longer, shorter = sorted((clip, reference), key=lambda one: one.seconds, reverse=True)
    if longer.seconds > FAR_LONGER * shorter.seconds and not clip.cyclic:
        do = f"as {shorter.name} does not close, it is not repeated" if would_repeat else "ends on Auto repeat cycles"
        return (
            f"{longer.name} is {longer.seconds / shorter.seconds:.1f} times as long as {shorter.name}, and hardly alike"
            f" (likeness {likeness:.2f}, where 0 is chance): {do}; make a cycle of it with Loop"
        )
    return (
        f"{clip.name} and {reference.name} are hardly alike (likeness {likeness:.2f}, where 0 is chance): "
        "choose stretches that correspond, or compare fewer joints"
    )


def describe(ready: PreparedClips, registered: Registration) -> list[dict[str, Any]]:
    """Return each clip's registration curve against the reference, in frames of the clips as given.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.recipes.matching import Matching
        >>> from action_loom.core.weave import preprocess, reporting
        >>> clips = [actions.walk(cycles=1), actions.walk(cycles=1, speed=1.1)]
        >>> registered = preprocess.register(clips, Matching(ends="pinned"))
        >>> (curve,) = reporting.describe(registered.prepared, registered.registration)
        >>> curve["reference_frame"][16], round(curve["frame"][16], 1)
        (16.0, 19.0)
    """
    grid = registered.grid
    reference_frames = ready.given_frames(registered.reference, grid)
    share, reports = len(grid) / len(ready.clips[registered.reference]), []
    for k, (clip, curve) in enumerate(zip(ready.clips, registered.curves, strict=True)):
        if k == registered.reference:
            continue
        frames = curve.at(grid)
        kept = share, min(float(frames[-1] - frames[0] + 1) / len(clip), 1.0)
        reports.append(curve_report(clip.name, curve, reference_frames, ready.given_frames(k, frames), frames, kept))
    return reports


def curve_report(
    name: str, curve: RegistrationCurve, reference_frames: Array, given: Array, frames: Array, kept: tuple[float, float]
) -> dict[str, Any]:
    """Return the report on a registration curve.

    reference_frames, given (K,) : corresponding frames of the clips as given; frames (K,) : of the prepared clip
    kept : shares of the reference and of the clip that take part

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.recipes.matching import Matching
        >>> from action_loom.core.weave import preprocess, reporting
        >>> clips = [actions.walk(cycles=1), actions.walk(cycles=1, speed=1.1)]
        >>> registered = preprocess.register(clips, Matching(ends="pinned")).registration
        >>> places, frames = registered.frames(registered.grid)
        >>> report = reporting.curve_report("slow", registered.curves[1], places, frames, frames, (1.0, 1.0))
        >>> report["clip"], report["ends"], report["likeness"] > 0.5
        ('slow', 'pinned', True)
    """
    slopes = np.diff(frames)
    return {
        "clip": name,
        "reference_frame": np.round(reference_frames, 4).tolist(),
        "frame": np.round(given, 4).tolist(),
        "metric": curve.metric,
        "joints": curve.joints,
        "ends": curve.ends,
        "kept": [round(kept[0], 4), round(kept[1], 4)],
        "cost": round(curve.cost, 6),
        "likeness": round(curve.likeness, 4),
        "slope_limit": curve.limit,
        "slope_min": round(float(slopes.min()), 4),
        "slope_max": round(float(slopes.max()), 4),
        "at_limit": round(curve.at_limit, 4),
    }
