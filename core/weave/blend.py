"""Blending N registered clips: joints, travel and time apart (methods 4).

Kovar & Gleicher 2003; Park, Shin, Shin 2002; seeds 000 and 003.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import OptionError
from ..motion import kinematics, quat, resample, trajectory
from ..motion.clip import Clip
from ..motion.quat import Array
from ..progress import SILENT, Progress
from ..sync import curve, registration
from ..sync.matching import Matching
from ..sync.registration import Registration
from . import prepare, reporting
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
    parts = [_part(clip, frames) for clip, frames in zip(clips, registered.frames(at), strict=True)]
    skeleton = reference.skeleton
    rotations = quat.mean([p.clip.rotations for p in parts], weights[:, None, None])
    translations = sum(w * p.clip.translations for w, p in zip(weights, parts, strict=True))
    place, facing = _travel(parts, weights, registered.reference)
    tilt = quat.mean([p.tilt for p in parts], weights[:, None])
    world = quat.mul(quat.about_axis("Z", facing), tilt)
    blended = Clip(name, skeleton, reference.rate, rotations, np.asarray(translations))
    return _with_world(blended, trajectory.travelling_joint(skeleton), world, place)


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


@dataclass(frozen=True, eq=False)
class _Part:
    """One clip at the result's frames: its pose, and its travelling joint split into heading frame and rest."""

    clip: Clip
    ground: Array
    height: Array
    facing: Array
    tilt: Array


def _part(clip: Clip, frames: Array) -> _Part:
    sampled = resample.sample(clip, frames)
    skeleton = clip.skeleton
    joint = trajectory.travelling_joint(skeleton)
    rotations, positions = kinematics.world(sampled)
    # Smoothed on the common time: a clip and its own turned or re-timed copy then have the same heading.
    facing = trajectory.smooth(
        trajectory.raw_heading(skeleton, rotations, positions), trajectory.HEADING_SIGMA * clip.rate
    )
    tilt = quat.mul(quat.about_axis("Z", -facing), rotations[:, joint])
    return _Part(sampled, positions[:, joint, :2], positions[:, joint, 2], facing, tilt)


def _travel(parts: Sequence[_Part], weights: Array, reference: int) -> tuple[Array, Array]:
    """Return the blended place (K, 3) and facing (K,) of the travelling joint."""
    steps = sum(
        w * trajectory.increments(p.ground, p.facing) for w, p in zip(weights, parts, strict=True)
    )
    first = parts[reference]
    ground, facing = trajectory.integrate(np.asarray(steps), first.ground[0], float(first.facing[0]))
    height = sum(w * p.height for w, p in zip(weights, parts, strict=True))
    return np.column_stack([ground, np.asarray(height)]), facing


def _with_world(clip: Clip, joint: int, world: Array, place: Array) -> Clip:
    """Return the clip with one joint at given world rotations (F, 4) and positions (F, 3)."""
    skeleton, parent = clip.skeleton, int(clip.skeleton.parents[joint])
    above, origin = quat.IDENTITY, np.zeros(3)
    if parent >= 0:
        rotations, positions = kinematics.world(clip)
        above, origin = rotations[:, parent], positions[:, parent]
    frame = quat.mul(above, skeleton.orients[joint])
    rest = origin + quat.rotate(above, skeleton.offsets[joint])
    rotations, translations = clip.rotations.copy(), clip.translations.copy()
    rotations[:, joint] = quat.mul(quat.inv(frame), world)
    translations[:, joint] = quat.rotate(quat.inv(frame), place - rest)
    return Clip(clip.name, skeleton, clip.rate, rotations, translations)


def _name(clips: Sequence[Clip], weights: Array) -> str:
    shares = ":".join(f"{round(100 * w)}" for w in weights)
    return f"{' + '.join(clip.name for clip in clips)} {shares}"
