"""The report that goes with every woven clip: plain JSON values that scripts may rely on."""

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..check import quality
from ..motion import frame_map, root_motion
from ..motion.clip import Clip
from ..motion.quat import Array
from ..motion.trim import Trimmed
from ..sync import register_pair
from ..sync.registration_curve import Registration, RegistrationCurve
from .preprocess import PreparedClips, RegisteredClips


def common(verb: str, given: Sequence[Clip], woven: Clip, began: float) -> dict[str, Any]:
    """Return what every report says; `began` is the perf_counter at the start."""
    return {
        "verb": verb,
        "inputs": [clip.name for clip in given],
        "names": [clip.name for clip in given],
        "output": woven.name,
        "frames": len(woven),
        "rate": woven.rate,
        "heading": root_motion.heading_source(woven.skeleton),
        "seconds_taken": round(time.perf_counter() - began, 4),
    }


def left_out(trimmed: Sequence[Trimmed]) -> list[dict[str, Any]]:
    """Return what the report says of the frames at the ends of clips that were left out as no motion."""
    return frame_map.as_report([entry for one in trimmed for entry in one.left_out])


def registered(verb: str, given: Sequence[Clip], clips: RegisteredClips, woven: Clip, began: float) -> dict[str, Any]:
    """Return the report on a clip made of several that were registered: what was done and how good it is."""
    ready, registration = clips.prepared, clips.registration
    report = {
        "reference": given[ready.reference].name,
        "dropped": frame_map.as_report(ready.left_out),
        "carried": [one.as_report() for one in ready.carried],
        "registration": describe(ready, registration),
        "warnings": warnings(ready, registration),
        "quality": {"before": [dict(one) for one in clips.quality], "after": quality.measure(woven)},
    }
    return report | common(verb, given, woven, began)


def warnings(ready: PreparedClips, registered: Registration) -> list[str]:
    """Return what the user should know of a registration that is not to be trusted, a sentence each."""
    reference = ready.clips[registered.reference].name
    sentences = [
        f"{name} was made to repeat, but its last pose is {100.0 * gap:.1f} cm from its first: it is taken as it is"
        for name, gap in ready.unclosed
    ]
    sentences += [sentence for one in ready.carried for sentence in one.sentences]
    for clip, curve in zip(ready.clips, registered.curves, strict=True):
        if curve.likeness < register_pair.ALIKE:
            sentences.append(
                f"{clip.name} and {reference} are hardly alike (likeness {curve.likeness:.2f}, where 0 is chance): "
                "choose stretches that correspond, or compare fewer joints"
            )
        if curve.at_limit > register_pair.RAISE_AT:
            sentences.append(
                f"{curve.at_limit:.0%} of the way {clip.name} waits for {reference} or the other way round, as long as "
                f"the slope limit of {curve.limit} allows: their timing differs much"
            )
    return sentences


def describe(ready: PreparedClips, registered: Registration) -> list[dict[str, Any]]:
    """Return each clip's registration curve against the reference, in frames of the clips as given."""
    common = registered.grid
    reference_frames = ready.given_frames(registered.reference, common)
    reports = []
    for k, (clip, curve) in enumerate(zip(ready.clips, registered.curves, strict=True)):
        if k == registered.reference:
            continue
        frames = curve.at(common)
        kept = (
            len(common) / len(ready.clips[registered.reference]),
            min(float(frames[-1] - frames[0] + 1) / len(clip), 1.0),
        )
        reports.append(curve_report(clip.name, curve, reference_frames, ready.given_frames(k, frames), frames, kept))
    return reports


def curve_report(
    name: str,
    curve: RegistrationCurve,
    reference_frames: Array,
    given: Array,
    frames: Array,
    kept: tuple[float, float],
) -> dict[str, Any]:
    """Return the report on a registration curve.

    reference_frames, given (K,) : frames that correspond, of the clips as given; frames (K,) : of the prepared clip
    kept : shares of the reference and of the clip that take part
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
