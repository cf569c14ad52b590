"""Blend N registered clips: joints, root motion and time separately (methods: N-way blending)."""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import OptionError
from ...motion import continuous_mean, cycles, ik, quat, resample, root_motion
from ...motion.clip import Channel, Clip
from ...motion.quat import Array
from ...progress import SILENT, Progress
from ...quality import contacts
from ...sync import curve_fit
from ...sync.registration_curve import Registration
from ...weave import authored, planting, reporting, root_blend
from ...weave.preprocess import RegisteredClips, register
from ...weave.results import BlendResult
from ...weave.seam import close
from . import Blend
from . import weights as blend_weights
from .weights import BlendWeights

LED_FAR = 5.0  # cm that ankles of planted feet move, 95th percentile; more gives a warning
# Reduced contact is reported if the sources are in contact for at least this share of the time, and the result for less
# than this share of their time.
STANDS, STANDS_LESS = 0.15, 0.8
PADDING = 4.0 * root_motion.HEADING_SIGMA  # s of cyclic padding: the support of heading smoothing


def blend(
    clips: Sequence[Clip], recipe: Blend, progress: Progress = SILENT, registered: RegisteredClips | None = None
) -> BlendResult:
    """Return the weighted blend of the clips, on the reference's skeleton.

    It begins at the reference's place and facing; clips made in place at one origin stay there.
    registered : an earlier result of `preprocess.register` for the same clips and matching options
    Raises LoomError kinds for clips that can't be retargeted or synchronised, and for weights that do not fit.

    Example:
        >>> from action_loom.core import verbs
        >>> from action_loom.core.demo_character import actions
        >>> clips = [actions.walk(cycles=1), actions.sneak(cycles=1)]
        >>> result = verbs.apply(verbs.Blend(weights=(0.5, 0.5)), clips)
        >>> [len(clip) for clip in clips], len(result.clip), result.report["weights"]
        ([33, 67], 50, [0.5, 0.5])
    """
    began = time.perf_counter()
    weights = blend_weights.of_recipe(recipe, len(clips))
    if recipe.ends == "cyclic" and not weights.close:
        raise OptionError("The weights of cycles must end as they begin; else their ends can be pinned or open")
    if registered is None or registered.cyclic != weights.close:
        registered = register(clips, recipe, progress.part(0.0, 0.7), cyclic=weights.close)
    registration = registered.registration
    ready, given = (registered.prepared, []) if recipe.add_root_motion == "no" else registered.travelling
    progress.at(0.7, "Blending")
    at = output_frames(registration, weights, recipe.timing)
    shares = weights.at(registration.share_of_way(at))
    woven, led = weave(ready.clips, registration, at, shares)
    woven, turned = close.straighten_cycle(woven) if woven.cyclic else (woven, 0.0)
    woven = replace(woven, name=recipe.result_name([c.name for c in clips]))
    led_cm = _led_centimetres(woven, led)
    woven, planted = planting.of_result(woven, recipe, one_source=of_one(ready.clips, shares))
    progress.at(0.9, "Measuring")
    report = reporting.report_registered("blend", clips, registered, woven, began) | planted.report
    report["weights"] = weights.rows[0].tolist()
    report["led_cm"] = led_cm
    report["warnings"] += given
    if turned:
        report["notes"].append(
            f"it turned by {abs(np.degrees(turned)):.1f}° a cycle and goes straight on; pinned ends keep the turn"
        )
    if (report["led_cm"] or 0.0) > LED_FAR:
        report["warnings"].append(
            f"standing feet were moved by {report['led_cm']:.0f} cm, as no clip has this posture: take clips that"
            " are more alike"
        )
    report["warnings"] += _stands_less(woven.name, report["quality"], shares)
    if recipe.weight_keys:
        report["weight_keys"] = np.column_stack([weights.places, weights.rows]).tolist()
    return BlendResult(woven, report, registration.reference, ready, registration, at, shares)


def again(result: BlendResult, recipe: Blend) -> BlendResult:
    """Return a reweighted blend with the previous report: a preview, in which nothing is measured again.

    Feet are planted as in the full blend. Raises OptionError for weights that do not fit.

    Example:
        >>> from action_loom.core import verbs
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.verbs.blend import work
        >>> made = verbs.apply(verbs.Blend(), [actions.walk(cycles=1), actions.sneak(cycles=1)])
        >>> len(made.clip), len(work.again(made, verbs.Blend(weights=(0.2, 0.8))).clip)
        (50, 60)
    """
    registration = result.registration
    weights = blend_weights.of_recipe(recipe, len(result.prepared.clips))
    at = output_frames(registration, weights, recipe.timing)
    shares = weights.at(registration.share_of_way(at))
    clips = result.prepared.clips
    woven = weave(clips, registration, at, shares)[0]
    woven = replace(close.straighten_cycle(woven)[0] if woven.cyclic else woven, name=result.clip.name)
    woven, _ = planting.of_result(woven, recipe, one_source=of_one(clips, shares))
    return replace(result, clip=woven, reference_frames=at, weights=shares)


def weave(
    clips: Sequence[Clip], registered: Registration, at: Array, weights: Array, some: NDArray[np.int64] | None = None
) -> tuple[Clip, dict[str, Array]]:
    """Blend clips of one skeleton and rate at reference frames (K,); weights (N, K) with sum 1 in each frame.

    some : indices of frames to compute, by default all; they equal the same frames of the whole, but are no cycle
    Returns the clip and, by foot name, how far (K,) inverse kinematics moved each ankle to its mean position.

    Cycles give one cycle, computed with cyclic padding, so that the seam is as smooth as any other frame.
    """
    standing = all(stand.in_place and stand.as_made for stand in map(authored.stand, clips))
    moments, shares, first = _repeat_cycle(clips, registered, at, weights) if registered.cyclic else (at, weights, 0)
    within = list(zip(clips, registered.frames(moments), strict=True))
    if registered.cyclic:
        within = [cycles.around(clip, frames) for clip, frames in within]
    needed, reference = root_blend.list_needed_joints(clips[0].skeleton), registered.reference
    parts = [root_blend.part(resample.sample(clip, frames, needed)) for clip, frames in within]
    way = root_blend.trajectory(parts, shares, reference, first, standing=standing)
    kept = first + (np.arange(len(at)) if some is None else some)
    sampled = [resample.sample(clip, frames[kept]) for clip, frames in within]
    mixed, led = _mix_clips(sampled, parts, shares, reference, way, kept)
    return replace(mixed, cyclic=registered.cyclic and some is None), led


def _repeat_cycle(
    clips: Sequence[Clip], registered: Registration, at: Array, weights: Array
) -> tuple[Array, Array, int]:
    """Return the frames and weights of several repeated cycles, and the start index of the middle one."""
    length = len(at) - 1
    count = int(np.ceil(PADDING * clips[registered.reference].rate / length))
    cycle = np.repeat(np.arange(-count, count + 1), length)
    span = registered.last - registered.first
    unrolled = np.append(np.tile(at[:-1], 2 * count + 1) + span * cycle, at[-1] + span * count)
    shared = np.append(np.tile(weights[:, :-1], 2 * count + 1), weights[:, -1:], axis=1)
    return unrolled, shared, count * length


def of_one(clips: Sequence[Clip], weights: Array) -> bool:
    """Return whether one motion has the whole weight (N, K) in all frames, whether from one clip or from equal ones.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.verbs.blend import work
        >>> work.of_one([actions.walk(), actions.sneak()], np.array([[1.0], [0.0]]))
        True
    """
    first, *others = [clip for clip, shares in zip(clips, weights, strict=True) if shares.any()]
    return all(planting.same(other, first) for other in others)


def _stands_less(name: str, measures: dict[str, Any], weights: Array) -> list[str]:
    """Return a warning if feet are in contact for less time than in the clips, weighted by (N, K)."""
    before, after = [one["contact_share"] for one in measures["before"]], measures["after"]["contact_share"]
    if after is None or None in before:
        return []
    usual = float(weights.mean(axis=1) @ np.array(before))
    if usual < STANDS or after >= STANDS_LESS * usual:
        return []
    return [
        f"{name}: feet stand only {after / usual:.0%} as long as in the sources, whose steps do not correspond: take"
        " clips that are more alike"
    ]


def _led_centimetres(woven: Clip, led: dict[str, Array]) -> float | None:
    """Return by how many cm ankles of planted feet were moved, 95th percentile; None without contacts."""
    standing = contacts.detect(woven)
    every = [away[standing[foot]] for foot, away in led.items() if foot in standing]
    known = np.concatenate(every) if every else np.empty(0)
    return round(100.0 * float(np.percentile(known, 95.0)), 2) if len(known) else None


def _mix_clips(
    sampled: Sequence[Clip],
    parts: Sequence[root_blend.Part],
    weights: Array,
    reference: int,
    way: tuple[Array, Array],
    kept: NDArray[np.int64],
) -> tuple[Clip, dict[str, Array]]:
    """Blend clips, sampled at some frames, on the root path of all frames.

    parts, weights, way : of all frames, of which `kept` are sampled

    A leg with two averaged rotations is longer than the average of two bent legs, so an ankle that is planted in all
    clips would sink. Ankle positions are therefore averaged, and the legs follow by inverse kinematics.
    """
    like, shares, (ground, facing) = sampled[reference], weights[:, kept], way
    poses = root_blend.blend(parts, weights, reference, ground, facing)
    blended = Clip(
        like.name,
        like.skeleton,
        like.rate,
        continuous_mean.mean_of_frames([clip.rotations for clip in sampled], shares),
        root_blend.average([clip.translations for clip in sampled], shares),
        _scales(sampled, shares),
        _channels(sampled, shares),
    )
    there = {joint: (rotations[kept], places[kept]) for joint, (rotations, places) in poses.items()}
    placed = root_blend.place_joints(_as_in(blended, like, root_blend.props(like.skeleton)), there)
    turning = quat.about_axis("Z", facing)
    ankles = {
        limb: root_blend.blend_positions([part.place(limb.end) for part in parts], weights, ground, turning)[kept]
        for limb in ik.legs(like.skeleton)
    }
    return ik.to_targets(placed, ankles)


def _scales(clips: Sequence[Clip], weights: Array) -> Array | None:
    """Average the scales; a clip without scales counts as 1."""
    if all(clip.scales is None for clip in clips):
        return None
    return root_blend.average([np.ones_like(c.translations) if c.scales is None else c.scales for c in clips], weights)


def _channels(clips: Sequence[Clip], weights: Array) -> dict[str, Channel]:
    """Average the channels; stepped channels and channels missing in a clip are taken from the heaviest clip."""
    frames = np.arange(weights.shape[1])
    out = {}
    for name in {name: None for clip in clips for name in clip.channels}:
        having = [k for k, clip in enumerate(clips) if name in clip.channels]
        values = [clips[k].channels[name].values for k in having]
        discrete = any(clips[k].channels[name].discrete for k in having)
        if len(having) == len(clips) and not discrete:
            out[name] = Channel(root_blend.average(values, weights))
        else:
            # If the heaviest clip lacks the channel, use the heaviest clip that has it.
            chosen = np.argmax(weights[having], axis=0)
            out[name] = Channel(np.stack(values)[chosen, frames], discrete)
    return out


def _as_in(clip: Clip, reference: Clip, joints: list[int]) -> Clip:
    """Return the clip with some joints posed as in the reference, such as static props."""
    rotations, translations = clip.rotations.copy(), clip.translations.copy()
    rotations[:, joints], translations[:, joints] = reference.rotations[:, joints], reference.translations[:, joints]
    return replace(clip, rotations=rotations, translations=translations)


def output_frames(registered: Registration, weights: BlendWeights, timing: str) -> Array:
    """Return the reference frame (K,) of every frame of the result.

    Incremental inverse timewarping ([TMPS]; Kovar & Gleicher 2003): while the reference advances by du, the
    result advances by dτ = Σ w dS(u). Both ends are kept, so the result's duration is rounded to whole frames.
    """
    grid = registered.grid
    if timing == "reference":
        return grid
    shares = weights.at(registered.share_of_way(0.5 * (grid[1:] + grid[:-1])))
    steps: Array = (shares * np.diff(registered.frames(grid), axis=1)).sum(axis=0)
    elapsed = np.concatenate([[0.0], np.cumsum(steps)])
    # The last digits of a sum differ between engines and machines, so half frames are rounded consistently.
    count = max(1, round(round(float(elapsed[-1]), 6)))
    times = np.linspace(0.0, elapsed[-1], count + 1)
    at = np.interp(times, elapsed, np.arange(len(grid)))
    # Newton steps on the smooth curve; interpolation alone inverts its chords.
    for _ in range(3):
        slope = steps[np.minimum(at.astype(np.int64), len(steps) - 1)]
        at = np.clip(at - (curve_fit.evaluate(elapsed, at) - times) / slope, 0.0, len(steps))
    at[0], at[-1] = 0.0, len(steps)
    return np.asarray(registered.first + at)
