"""Measures of a seam, where two motions meet in a clip (methods: Measures of quality)."""

from collections.abc import Mapping

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ..errors import ClipError
from ..motion.clip import Clip
from ..motion.quat import Array
from . import angles, contacts, world_pose
from .world_pose import WorldPose

ROUGHNESS_REACH = 0.05  # s on each side of the seam
PEAK_REACH = 1.0 / 15.0  # s on each side in which the peak of acceleration is measured
SLIDE_REACH = 0.1  # s on each side in which slide is measured
NATURAL_PEAK = 1.5  # usual ratio of the peak of acceleration within PEAK_REACH to the clip's typical acceleration
SLIDE_SCALE = 5.0  # cm/s of additional slide equivalent to a doubled roughness
LEAST_RATIO = 1e-3  # lower limit of a ratio in a logarithm, so that a frozen motion is not rewarded


def measure_pose(body: WorldPose, frame: int) -> dict[str, float | None]:
    """Return the measures of the seam between frame − 1 and frame, relative to the clip's median, which is 1.

    step : largest displacement of a point of the body across the seam
    velocity : largest change of a point's velocity from before the seam to after it
    roughness : mean absolute second difference of the joint angles within 0.05 s (D_r)
    acceleration, acceleration_peak : of the body's points at the seam, and the largest within 1/15 s (v_j, v_max)
    slide_cm_s, contact_share : as in `quality.measure`, within 0.1 s of the seam, absolute

    None for a static clip, and for the slide without contacts. Raises ClipError for fewer than two frames on either
    side of the seam.

    Example:
        >>> from action_loom.core.quality import seams, world_pose
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion.clip import join_clips
        >>> walk = actions.walk(cycles=1)
        >>> broken = join_clips([walk.cut(0, 20), walk.cut(24, 33)])
        >>> [seams.measure_pose(world_pose.pose(clip), 20)["step"] > 2.0 for clip in (walk, broken)]
        [False, True]
    """
    clip = body.clip
    if not 2 <= frame <= len(clip) - 2:
        raise ClipError(f"{clip.name}: no seam can be measured at frame {frame} of {len(clip)}; it needs two each side")
    points = body.points[:, clip.skeleton.point_weights > 0.0]
    velocities = np.diff(points, axis=0)
    steps = _largest(velocities)
    # From the step before a seam to the step after it, because `step` measures the step across it.
    changes = _largest(velocities[2:] - velocities[:-2])
    slide, share = _slide(body, frame)
    # The seam is step frame − 1, between the second differences about frame − 1 and about frame.
    at = slice(frame - 2, frame)
    typical = float(np.median(body.accelerations))
    near = _around(at, PEAK_REACH * clip.rate, len(clip) - 2)
    return {
        "step": _round_value(_ratio(steps[frame - 1], np.median(steps))),
        "velocity": _round_value(_ratio(changes[frame - 2], np.median(changes))),
        "roughness": _round_value(_roughness(body, at)),
        "acceleration": _round_value(_ratio(body.accelerations[at].max(), typical)),
        "acceleration_peak": _round_value(_ratio(body.accelerations[near].max(), typical)),
        "slide_cm_s": _round_value(slide),
        "contact_share": _round_value(share),
    }


def at_every_frame(clip: Clip) -> Array:
    """Return K of every frame (F,) of a clip as if a seam were before it; infinite at its ends.

    This is the clip's own roughness, which no repaired seam at that place can be expected to undercut. Steps larger
    than usual are included, because a seam is more visible in fast motion.

    Example:
        >>> from action_loom.core.quality import seams
        >>> from action_loom.core.demo_character import actions
        >>> costs = seams.at_every_frame(actions.walk())
        >>> len(costs), round(float(costs.min()), 1), round(float(costs[costs < 1e9].max()), 1)
        (97, 0.0, 3.8)
    """
    costs = np.full(len(clip), np.inf)
    if len(clip) < 5:
        return costs
    body = world_pose.pose(clip)
    steps = _largest(np.diff(body.points[:, clip.skeleton.point_weights > 0.0], axis=0))
    reach = 2 * max(1, round(ROUGHNESS_REACH * clip.rate)) + 2
    rough = sliding_window_view(angles.second_differences(body), reach).mean(axis=1)
    peaks = sliding_window_view(body.accelerations, 2).max(axis=1)
    frames = np.arange(reach // 2 + 1, len(clip) - reach // 2)
    typical = [float(np.median(curve)) for curve in (rough, body.accelerations, steps)]
    if min(typical) <= 0.0:
        return costs
    roughness = np.log2(np.maximum(rough[frames - reach // 2 - 1] / typical[0], LEAST_RATIO))
    peak = np.log2(np.maximum(peaks[frames - 2] / typical[1], LEAST_RATIO))
    step = np.log2(np.maximum(steps[frames - 1] / typical[2], LEAST_RATIO))
    shows = 3.0 * np.maximum(np.abs(roughness) - 0.25, 0.0) + 3.0 * np.maximum(step - 0.25, 0.0)
    costs[frames] = np.abs(roughness) + 0.5 * np.maximum(peak, 0.0) + shows
    return costs + _own_slide(body)


def _own_slide(body: WorldPose) -> Array:
    """Return the contribution of the slide near each frame (F,) to K: its excess over the slide of the whole clip."""
    count, rate = len(body.clip), body.clip.rate
    reach = max(1, round(SLIDE_REACH * rate))
    slid, stood = np.zeros(count), np.zeros(count)
    for foot in contacts.standing_feet(body).values():
        slid += foot.ball_speed(rate) * foot.ball_stands
        stood += foot.ball_stands
    if not stood.any():
        return np.zeros(count)
    around = np.ones(2 * reach + 1)
    near = np.convolve(slid, around, mode="same") / np.maximum(np.convolve(stood, around, mode="same"), 1.0)
    return np.asarray(np.maximum(100.0 * (near - slid.sum() / stood.sum()), 0.0) / SLIDE_SCALE)


def composite(seam: Mapping[str, float | None], source_slide_cm_s: float | None) -> float | None:
    """Return K, the rank of a seam repair, from the measures of `measure_pose`; smaller is better.

    |log2 D_r| + ½·max(0, log2 v_j) + ½·max(0, log2(v_max/1.5)) + max(0, slide − slide of the sources)/(5 cm/s): being
    smoother than the clip costs the same as being rougher. The slide is only used if both are known; None for a static
    clip.

    Example:
        >>> from action_loom.core.quality import seams
        >>> repair = {"roughness": 2.0, "acceleration": 1.0, "acceleration_peak": 1.5, "slide_cm_s": 8.0}
        >>> seams.composite(repair, source_slide_cm_s=3.0)
        2.0
    """
    roughness, acceleration, peak = (seam[key] for key in ("roughness", "acceleration", "acceleration_peak"))
    if roughness is None or acceleration is None or peak is None:
        return None
    cost = abs(_log2(roughness)) + 0.5 * max(0.0, _log2(acceleration)) + 0.5 * max(0.0, _log2(peak / NATURAL_PEAK))
    slide = seam["slide_cm_s"]
    if slide is not None and source_slide_cm_s is not None:
        cost += max(0.0, slide - source_slide_cm_s) / SLIDE_SCALE
    return round(cost, 4)


def rank_cost(cost: float | None) -> float:
    """Return the sort key of a composite; None sorts last.

    Example:
        >>> from action_loom.core.quality import seams
        >>> sorted([None, 2.0, 0.5], key=seams.rank_cost)
        [0.5, 2.0, None]
    """
    return float("inf") if cost is None else cost


def _largest(vectors: Array) -> Array:
    return np.asarray(np.linalg.norm(vectors, axis=2).max(axis=1))


def _roughness(body: WorldPose, at: slice) -> float | None:
    """Return the mean near the seam over the median of such means in the clip."""
    curve = angles.second_differences(body)
    near = curve[_around(at, ROUGHNESS_REACH * body.clip.rate, len(curve))]
    typical = np.median(sliding_window_view(curve, len(near)).mean(axis=1))
    return _ratio(near.mean(), typical)


def _slide(body: WorldPose, frame: int) -> tuple[float | None, float | None]:
    """Return the mean speed (cm/s) of balls in contact near the seam, and the share of time in contact."""
    rate = body.clip.rate
    near = _around(slice(frame, frame), SLIDE_REACH * rate, len(body.clip))
    feet = contacts.standing_feet(body).values()
    if not feet:
        return None, None
    speeds = np.concatenate([foot.ball_speed(rate)[near][foot.ball_stands[near]] for foot in feet])
    share = float(np.mean([foot.ball_stands[near].mean() for foot in feet]))
    return (100.0 * float(speeds.mean()) if len(speeds) else None), share


def _around(at: slice, reach: float, count: int) -> slice:
    """Return a slice widened by a reach in frames on each side, within `count` frames."""
    frames = max(1, round(reach))
    return slice(max(0, at.start - frames), min(count, at.stop + frames))


def _ratio(value: float, typical: float) -> float | None:
    return float(value / typical) if typical > 0.0 else None


def _round_value(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def _log2(ratio: float) -> float:
    return float(np.log2(max(ratio, LEAST_RATIO)))
