"""The report that goes with every woven clip: plain JSON values that scripts may rely on."""

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..check import quality
from ..motion import trajectory
from ..motion.clip import Clip
from ..motion.trim import Trimmed
from ..sync import pairing
from ..sync.registered import Registration
from .matched import Matched
from .prepare import Prepared


def common(verb: str, given: Sequence[Clip], woven: Clip, began: float) -> dict[str, Any]:
    """Return what every report says; `began` is the perf_counter at the start."""
    return {
        "verb": verb,
        "inputs": [clip.name for clip in given],
        "names": [clip.name for clip in given],
        "output": woven.name,
        "frames": len(woven),
        "rate": woven.rate,
        "heading": trajectory.heading_source(woven.skeleton),
        "seconds_taken": round(time.perf_counter() - began, 4),
    }


def dropped(trimmed: Sequence[Trimmed]) -> list[dict[str, Any]]:
    """Return which frames at the ends of clips were left out as no motion."""
    return [
        {"clip": one.clip.name, "first": one.first, "last": one.last, "why": "calibration pose or jump"}
        for one in trimmed
        if one.first or one.last
    ]


def matched(verb: str, given: Sequence[Clip], found: Matched, woven: Clip, began: float) -> dict[str, Any]:
    """Return the report on a clip made of several that were matched: what was done and how good it is."""
    ready, registered = found.prepared, found.registration
    told = {
        "reference": given[ready.reference].name,
        "dropped": ready.dropped,
        "registration": describe(ready, registered),
        "warnings": warnings(ready, registered),
        "quality": {"before": [dict(one) for one in found.quality], "after": quality.measure(woven)},
    }
    return told | common(verb, given, woven, began)


def warnings(ready: Prepared, registered: Registration) -> list[str]:
    """Return what the user should know of a registration that is not to be trusted, a sentence each."""
    reference = ready.clips[registered.reference].name
    said = [
        f"{name} was made to repeat, but its last pose is {100.0 * gap:.1f} cm from its first: it is taken as it is"
        for name, gap in ready.unclosed
    ]
    for clip, curve in zip(ready.clips, registered.curves, strict=True):
        if curve.likeness < pairing.ALIKE:
            said.append(
                f"{clip.name} and {reference} are hardly alike (likeness {curve.likeness:.2f}, where 0 is chance): "
                "choose stretches that correspond, or compare fewer joints"
            )
        if curve.at_limit > pairing.RAISE_AT:
            said.append(
                f"{curve.at_limit:.0%} of the way {clip.name} waits for {reference} or the other way round, as long as "
                f"the slope limit of {curve.limit} allows: their timing differs much"
            )
    return said


def describe(ready: Prepared, registered: Registration) -> list[dict[str, Any]]:
    """Return each clip's registration curve against the reference, in frames of the clips as given."""
    common = registered.grid
    reference_frames = ready.given_frames(registered.reference, common)
    out = []
    for k, (clip, curve) in enumerate(zip(ready.clips, registered.curves, strict=True)):
        if k == registered.reference:
            continue
        frames = curve.at(common)
        slopes = np.diff(frames)
        out.append(
            {
                "clip": clip.name,
                "reference_frame": np.round(reference_frames, 4).tolist(),
                "frame": np.round(ready.given_frames(k, frames), 4).tolist(),
                "metric": curve.metric,
                "joints": curve.joints,
                "ends": curve.ends,
                "kept": [
                    round(len(common) / len(ready.clips[registered.reference]), 4),
                    round(min(float(frames[-1] - frames[0] + 1) / len(clip), 1.0), 4),
                ],
                "cost": round(curve.cost, 6),
                "likeness": round(curve.likeness, 4),
                "slope_limit": curve.limit,
                "slope_min": round(float(slopes.min()), 4),
                "slope_max": round(float(slopes.max()), 4),
                "at_limit": round(curve.at_limit, 4),
            }
        )
    return out
