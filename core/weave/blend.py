"""Blending N registered clips: joints, travel and time apart (methods 4).

Kovar & Gleicher 2003; Park, Shin, Shin 2002; seeds 000 and 003.
"""

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..errors import OptionError
from ..motion import quat, resample
from ..motion.clip import Channel, Clip
from ..motion.quat import Array
from ..progress import SILENT, Progress
from ..sync import curve, registration
from ..sync.matching import Matching
from ..sync.registration import Registration
from . import prepare, reporting, travel
from .woven import Woven


def blend(
    clips: Sequence[Clip],
    matching: Matching,
    *,
    weights: Sequence[float] = (),
    timing: str = "blended",
    progress: Progress = SILENT,
) -> Woven:
    """Return the clip that lies between the given ones by their weights, on the reference's skeleton.

    It begins at the reference's place and facing. Raises LoomError kinds for clips that can't be brought
    together or synchronised, and for weights that do not fit.
    """
    began = time.perf_counter()
    shares = normalized(weights, len(clips))
    ready = prepare.together(clips, matching, progress.part(0.0, 0.3))
    registered = registration.register(ready.clips, ready.reference, matching, progress.part(0.3, 0.7))
    progress.at(0.7, "Blending")
    woven = weave(ready.clips, registered, shares, name=_name(ready.clips, shares), timing=timing)
    progress.at(0.9, "Measuring")
    report = reporting.report("blend", clips, ready, registered, woven, began)
    return Woven(woven, report | {"weights": shares.tolist()}, ready, registered)


def normalized(weights: Sequence[float], count: int) -> Array:
    """Return N weights with sum 1; none given is equal shares."""
    if not weights:
        return np.full(count, 1.0 / count)
    if len(weights) != count:
        raise OptionError(f"{len(weights)} weights were given for {count} clips")
    total = sum(weights)
    if total <= 0.0:
        raise OptionError("All weights are zero: give at least one clip a share")
    return np.array(weights, dtype=float) / total


def weave(
    clips: Sequence[Clip], registered: Registration, weights: Array, *, name: str, timing: str = "blended"
) -> Clip:
    """Blend clips of one skeleton and rate along their registration; weights (N,) with sum 1."""
    reference = clips[registered.reference]
    at = output_frames(registered, weights, timing)
    parts = [
        travel.part(resample.sample(clip, frames))
        for clip, frames in zip(clips, registered.frames(at), strict=True)
    ]
    sampled = [part.clip for part in parts]
    poses = travel.blend(parts, weights, registered.reference)
    still = travel.outside(reference.skeleton)
    blended = Clip(
        name,
        reference.skeleton,
        reference.rate,
        quat.mean([clip.rotations for clip in sampled], weights[:, None, None]),
        travel.average([clip.translations for clip in sampled], weights),
        _scales(sampled, weights),
        _channels(sampled, weights),
    )
    return travel.place_joints(_as_in(blended, sampled[registered.reference], still), poses)


def _scales(clips: Sequence[Clip], weights: Array) -> Array | None:
    """Average the scales; a clip without any is of size 1."""
    if all(clip.scales is None for clip in clips):
        return None
    return travel.average([np.ones_like(c.translations) if c.scales is None else c.scales for c in clips], weights)


def _channels(clips: Sequence[Clip], weights: Array) -> dict[str, Channel]:
    """Average the channels; those that go in steps are the heaviest clip's, and so are those that not all have."""
    heaviest = clips[int(np.argmax(weights))]
    out = {}
    for name in {name: None for clip in clips for name in clip.channels}:
        having = [clip.channels[name] for clip in clips if name in clip.channels]
        if len(having) == len(clips) and not any(channel.discrete for channel in having):
            out[name] = Channel(travel.average([channel.values for channel in having], weights))
        else:
            out[name] = heaviest.channels.get(name, having[0])
    return out


def _as_in(clip: Clip, reference: Clip, joints: list[int]) -> Clip:
    """Return the clip with some joints posed as in the reference: what stands still there has nothing to blend."""
    rotations, translations = clip.rotations.copy(), clip.translations.copy()
    rotations[:, joints], translations[:, joints] = reference.rotations[:, joints], reference.translations[:, joints]
    return replace(clip, rotations=rotations, translations=translations)


def output_frames(registered: Registration, weights: Array, timing: str) -> Array:
    """Return the reference frame (K,) of every frame of the result.

    Incremental inverse timewarping (seed 000; Kovar & Gleicher 2003): while the reference advances by du, the
    result advances by dτ = Σ w dS(u). Both ends are kept, so the result's duration is rounded to whole frames.
    """
    grid = registered.grid
    if timing == "reference":
        return grid
    steps: Array = np.einsum("n,nk->k", weights, np.diff(registered.frames(grid), axis=1))
    elapsed = np.concatenate([[0.0], np.cumsum(steps)])
    count = max(1, round(elapsed[-1]))
    wanted = np.linspace(0.0, elapsed[-1], count + 1)
    at = np.interp(wanted, elapsed, np.arange(len(grid)))
    # The inverse of the smooth curve, not of its chords.
    for _ in range(3):
        slope = steps[np.minimum(at.astype(np.int64), len(steps) - 1)]
        at = np.clip(at - (curve.evaluate(elapsed, at) - wanted) / slope, 0.0, len(steps))
    at[0], at[-1] = 0.0, len(steps)
    return np.asarray(registered.first + at)


def _name(clips: Sequence[Clip], weights: Array) -> str:
    shares = ":".join(f"{round(100 * w)}" for w in weights)
    return f"{' + '.join(clip.name for clip in clips)} {shares}"
