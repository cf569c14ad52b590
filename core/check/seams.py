"""How natural a clip is where two motions meet (methods: Measures of quality)."""

from collections.abc import Mapping

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ..errors import ClipError
from ..motion.clip import Clip
from ..motion.quat import Array
from . import angles, contacts, world_pose
from .world_pose import WorldPose

ROUGHNESS_REACH = 0.05  # s, each side of the seam
PEAK_REACH = 1.0 / 15.0  # s
SLIDE_REACH = 0.1  # s
NATURAL_PEAK = 1.5  # times the typical acceleration; within such a reach one as large is found anywhere
SLIDE_SCALE = 5.0  # cm/s of added slide that weigh as much as twice the roughness
LEAST_RATIO = 1e-3  # of what logarithms are taken: a motion that is frozen is no better than this


def measure(clip: Clip, frame: int) -> dict[str, float | None]:
    """Return the figures of the seam between frame − 1 and frame; 1 is what is typical of the clip.

    step : largest distance that a point of the body goes across the seam
    velocity : the same for the change of velocity from before the seam to after it
    roughness : mean absolute second difference of the joints' angles within 0.05 s (D_r)
    acceleration, acceleration_peak : of the body's points at the seam, and the largest within 1/15 s (v_j, v_max)
    slide_cm_s, contact_share : as in `quality.measure`, within 0.1 s of the seam

    None for what does not move, and for slide where no ball of a foot stands. Raises ClipError where the two frames
    before the seam and the two after it are not all there.
    """
    return measure_pose(world_pose.pose(clip), frame)


def measure_pose(body: WorldPose, frame: int) -> dict[str, float | None]:
    """Return what `measure` gives, of a body that is posed already."""
    clip = body.clip
    if not 2 <= frame <= len(clip) - 2:
        raise ClipError(f"{clip.name}: no seam can be measured at frame {frame} of {len(clip)}; it needs two each side")
    points = body.points[:, clip.skeleton.point_weights > 0.0]
    velocities = np.diff(points, axis=0)
    steps = _largest(velocities)
    # From the step before a step to the one after it: what happens on the step itself is its `step`.
    changes = _largest(velocities[2:] - velocities[:-2])
    slide, share = _slide(body, frame)
    # The seam is step frame − 1, and lies between the second differences about frame − 1 and about frame.
    at = slice(frame - 2, frame)
    typical = float(np.median(body.accelerations))
    near = _around(at, PEAK_REACH * clip.rate, len(clip) - 2)
    return {
        "step": _rounded(_ratio(steps[frame - 1], np.median(steps))),
        "velocity": _rounded(_ratio(changes[frame - 2], np.median(changes))),
        "roughness": _rounded(_roughness(body, at)),
        "acceleration": _rounded(_ratio(body.accelerations[at].max(), typical)),
        "acceleration_peak": _rounded(_ratio(body.accelerations[near].max(), typical)),
        "slide_cm_s": _rounded(slide),
        "contact_share": _rounded(share),
    }


def at_every_frame(clip: Clip) -> Array:
    """Return K of every frame (F,) of a clip as if there were a seam before it; infinite at its ends.

    What a clip is like by itself there: no repair of a seam at such a place can be expected to be better. Steps larger
    than usual count as well, since a seam shows where the body is fast.
    """
    found = np.full(len(clip), np.inf)
    if len(clip) < 5:
        return found
    body = world_pose.pose(clip)
    steps = _largest(np.diff(body.points[:, clip.skeleton.point_weights > 0.0], axis=0))
    reach = 2 * max(1, round(ROUGHNESS_REACH * clip.rate)) + 2
    rough = sliding_window_view(angles.second_differences(body), reach).mean(axis=1)
    peaks = sliding_window_view(body.accelerations, 2).max(axis=1)
    frames = np.arange(reach // 2 + 1, len(clip) - reach // 2)
    typical = [float(np.median(curve)) for curve in (rough, body.accelerations, steps)]
    if min(typical) <= 0.0:
        return found
    roughness = np.log2(np.maximum(rough[frames - reach // 2 - 1] / typical[0], LEAST_RATIO))
    peak = np.log2(np.maximum(peaks[frames - 2] / typical[1], LEAST_RATIO))
    step = np.log2(np.maximum(steps[frames - 1] / typical[2], LEAST_RATIO))
    shows = 3.0 * np.maximum(np.abs(roughness) - 0.25, 0.0) + 3.0 * np.maximum(step - 0.25, 0.0)
    found[frames] = np.abs(roughness) + 0.5 * np.maximum(peak, 0.0) + shows
    return found + _own_slide(body)


def _own_slide(body: WorldPose) -> Array:
    """What the slide near each frame (F,) adds to K by being more than that of the whole clip."""
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
    """Return K, one figure to rank repairs of a seam by, from what `measure` gave; smaller is better.

    |log2 D_r| + ½·max(0, log2 v_j) + ½·max(0, log2(v_max/1.5)) + max(0, slide − that of the sources)/(5 cm/s): what
    is smoother than the clip counts against a repair as what is rougher does. Where one of the slides is not known
    it does not count; None for a clip that does not move.
    """
    roughness, acceleration, peak = (seam[key] for key in ("roughness", "acceleration", "acceleration_peak"))
    if roughness is None or acceleration is None or peak is None:
        return None
    cost = abs(_log2(roughness)) + 0.5 * max(0.0, _log2(acceleration)) + 0.5 * max(0.0, _log2(peak / NATURAL_PEAK))
    slide = seam["slide_cm_s"]
    if slide is not None and source_slide_cm_s is not None:
        cost += max(0.0, slide - source_slide_cm_s) / SLIDE_SCALE
    return round(cost, 4)


def ranked(cost: float | None) -> float:
    """Return what a composite is ranked by: one that is not known comes last."""
    return float("inf") if cost is None else cost


def _largest(vectors: Array) -> Array:
    return np.asarray(np.linalg.norm(vectors, axis=2).max(axis=1))


def _roughness(body: WorldPose, at: slice) -> float | None:
    """Return the mean over frames near the seam, over the median of that mean at all places of the clip."""
    curve = angles.second_differences(body)
    near = curve[_around(at, ROUGHNESS_REACH * body.clip.rate, len(curve))]
    typical = np.median(sliding_window_view(curve, len(near)).mean(axis=1))
    return _ratio(near.mean(), typical)


def _slide(body: WorldPose, frame: int) -> tuple[float | None, float | None]:
    """Return the mean speed (cm/s) of balls that stand near the seam, and the share of that time that they do."""
    rate = body.clip.rate
    near = _around(slice(frame, frame), SLIDE_REACH * rate, len(body.clip))
    feet = contacts.standing_feet(body).values()
    if not feet:
        return None, None
    speeds = np.concatenate([foot.ball_speed(rate)[near][foot.ball_stands[near]] for foot in feet])
    share = float(np.mean([foot.ball_stands[near].mean() for foot in feet]))
    return (100.0 * float(speeds.mean()) if len(speeds) else None), share


def _around(at: slice, reach: float, count: int) -> slice:
    """Widen a stretch by a reach in frames each side, as far as there are any."""
    frames = max(1, round(reach))
    return slice(max(0, at.start - frames), min(count, at.stop + frames))


def _ratio(value: float, typical: float) -> float | None:
    return float(value / typical) if typical > 0.0 else None


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def _log2(ratio: float) -> float:
    return float(np.log2(max(ratio, LEAST_RATIO)))
