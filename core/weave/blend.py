"""Blending N registered clips: joints, travel and time apart (methods 4).

Kovar & Gleicher 2003; Park, Shin, Shin 2002; seeds 000 and 003.
"""

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..errors import OptionError
from ..motion import cycles, quat, resample, trajectory
from ..motion.clip import Channel, Clip
from ..motion.quat import Array
from ..progress import SILENT, Progress
from ..sync import curve
from ..sync.matching import Matching
from ..sync.registered import Registration
from . import reporting, shares, travel
from .matched import Matched, match
from .shares import Shares
from .woven import Blended

LAP_SECONDS = 4.0 * trajectory.HEADING_SIGMA  # as far as the smoothing of headings reaches


def blend(
    clips: Sequence[Clip],
    matching: Matching,
    *,
    name: str,
    weights: Sequence[float] = (),
    weight_keys: Sequence[Sequence[float]] = (),
    timing: str = "blended",
    progress: Progress = SILENT,
    matched: Matched | None = None,
) -> Blended:
    """Return the clip that lies between the given ones by their weights, on the reference's skeleton.

    It begins at the reference's place and facing. `weight_keys`, where there are some, take the place of
    `weights`. `matched` is what the same clips gave under the same `matching` before. Raises LoomError kinds for
    clips that can't be brought together or synchronised, and for weights that do not fit.
    """
    began = time.perf_counter()
    shared = shares.keyed(weight_keys, len(clips)) if weight_keys else shares.constant(weights, len(clips))
    if matching.ends == "cyclic" and not shared.close:
        raise OptionError("The weights of cycles must end as they begin; else their ends can be pinned or open")
    if matched is None or matched.cyclic != shared.close:
        matched = match(clips, matching, progress.part(0.0, 0.7), cyclic=shared.close)
    ready, registered = matched.prepared, matched.registration
    progress.at(0.7, "Blending")
    at = output_frames(registered, shared, timing)
    weighted = shared.at(registered.way(at))
    woven = weave(ready.clips, registered, at, weighted)
    woven = replace(woven, name=name)
    progress.at(0.9, "Measuring")
    report = reporting.matched("blend", clips, matched, woven, began)
    report["weights"] = shared.rows[0].tolist()
    if weight_keys:
        report["weight_keys"] = np.column_stack([shared.places, shared.rows]).tolist()
    return Blended(woven, report, registered.reference, ready, registered, at, weighted)


def weave(clips: Sequence[Clip], registered: Registration, at: Array, weights: Array) -> Clip:
    """Blend clips of one skeleton and rate at reference frames (K,); weights (N, K) with sum 1 in each frame.

    Cycles give one cycle. It is cut out of several: so its two ends go on from each other as any two frames do.
    """
    if not registered.cyclic:
        sampled = [
            resample.sample(clip, frames) for clip, frames in zip(clips, registered.frames(at), strict=True)
        ]
        return _mixed(sampled, weights, registered.reference)
    count = len(at) - 1
    laps = int(np.ceil(LAP_SECONDS * clips[registered.reference].rate / count))
    lap = np.repeat(np.arange(-laps, laps + 1), count)
    span = registered.last - registered.first
    unrolled = np.append(np.tile(at[:-1], 2 * laps + 1) + span * lap, at[-1] + span * laps)
    shared = np.append(np.tile(weights[:, :-1], 2 * laps + 1), weights[:, -1:], axis=1)
    sampled = [cycles.sample(clip, frames) for clip, frames in zip(clips, registered.frames(unrolled), strict=True)]
    mixed = _mixed(sampled, shared, registered.reference, meeting=laps * count)
    return replace(mixed.cut(laps * count, (laps + 1) * count + 1), cyclic=True)


def _mixed(sampled: Sequence[Clip], weights: Array, reference: int, meeting: int = 0) -> Clip:
    """Blend clips frame by frame; the result is where the reference is at frame `meeting`."""
    like = sampled[reference]
    parts = [travel.part(clip) for clip in sampled]
    poses = travel.blend(parts, weights, reference, meeting)
    blended = Clip(
        like.name,
        like.skeleton,
        like.rate,
        quat.mean([clip.rotations for clip in sampled], weights[..., None]),
        travel.average([clip.translations for clip in sampled], weights),
        _scales(sampled, weights),
        _channels(sampled, weights),
    )
    return travel.place_joints(_as_in(blended, like, travel.outside(like.skeleton)), poses)


def _scales(clips: Sequence[Clip], weights: Array) -> Array | None:
    """Average the scales; a clip without any is of size 1."""
    if all(clip.scales is None for clip in clips):
        return None
    return travel.average([np.ones_like(c.translations) if c.scales is None else c.scales for c in clips], weights)


def _channels(clips: Sequence[Clip], weights: Array) -> dict[str, Channel]:
    """Average the channels; those that go in steps are the heaviest clip's, and so are those that not all have."""
    frames = np.arange(weights.shape[1])
    out = {}
    for name in {name: None for clip in clips for name in clip.channels}:
        having = [k for k, clip in enumerate(clips) if name in clip.channels]
        values = [clips[k].channels[name].values for k in having]
        discrete = any(clips[k].channels[name].discrete for k in having)
        if len(having) == len(clips) and not discrete:
            out[name] = Channel(travel.average(values, weights))
        else:
            # Where the heaviest clip lacks the channel, the heaviest of those that have it.
            chosen = np.argmax(weights[having], axis=0)
            out[name] = Channel(np.stack(values)[chosen, frames], discrete)
    return out


def _as_in(clip: Clip, reference: Clip, joints: list[int]) -> Clip:
    """Return the clip with some joints posed as in the reference: what stands still there has nothing to blend."""
    rotations, translations = clip.rotations.copy(), clip.translations.copy()
    rotations[:, joints], translations[:, joints] = reference.rotations[:, joints], reference.translations[:, joints]
    return replace(clip, rotations=rotations, translations=translations)


def output_frames(registered: Registration, shared: Shares, timing: str) -> Array:
    """Return the reference frame (K,) of every frame of the result.

    Incremental inverse timewarping (seed 000; Kovar & Gleicher 2003): while the reference advances by du, the
    result advances by dτ = Σ w dS(u). Both ends are kept, so the result's duration is rounded to whole frames.
    """
    grid = registered.grid
    if timing == "reference":
        return grid
    weights = shared.at(registered.way(0.5 * (grid[1:] + grid[:-1])))
    steps: Array = (weights * np.diff(registered.frames(grid), axis=1)).sum(axis=0)
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
