"""Clips compared again once they are on one clock (methods: Time registration).

What `motion` compares (heading, mean pose, amplitude, speeds) depends on a clip's own clock: on a clip played slowly in
one place, everything is a little elsewhere. Re-timed by what was found, both clips have the reference's clock, and all
of it agrees; only then feet may have a say of their own.
"""

from collections.abc import Callable

import numpy as np

from ..motion import feet, kinematics
from ..motion.clip import Clip
from ..motion.quat import Array
from ..recipes.matching import Matching
from . import alignment, curve_fit, joint_weights, refine
from .positions import MotionMetric

SAME = 0.012  # of the body's height, a point, root mean square: so near are two copies of one performance only
ROUNDS = 2
REACH = 0.1  # s that a frame may be moved by in a round
LIMIT = 3
KNOT_SECONDS = 0.1  # of what is corrected; with 1/6 s toe-off is cut short
FOOT_WEIGHT = 3.0
STANDS = 0.18  # body heights a second; the direction of a slower foot means little
SLOW_SHARE = 0.2  # of a foot's median speed; the same


def is_same_performance(reference: Clip, on_clock: Clip, joints: str) -> bool:
    """Say whether two clips (F frames each, on one clock) are one performance: frame by frame they are nearly equal."""
    weights = joint_weights.point_weights(reference.skeleton, joints)
    one, other = kinematics.points(reference), kinematics.points(on_clock)
    ground, theirs = (points[:, None, :, 0] + 1j * points[:, None, :, 1] for points in (one, other))
    lifted = ((one[..., 2] - other[..., 2]) ** 2) @ weights
    square = alignment.align(ground, theirs, weights).residual + lifted
    return bool(np.sqrt(square.mean()) <= SAME * reference.skeleton.height)


def corrected(
    reference: Clip,
    on_clock: Callable[[Array], Clip],
    frames: Array,
    matching: Matching,
    limit: int,
    *,
    period: float = 0.0,
) -> Array:
    """Return the frames (K,) of a clip that correspond to those of a reference, found again with both on one clock.

    reference : K frames; on_clock(frames) : the clip at frames (K,). Of cycles with a `period` (K − 1 frames of the
    reference, `period` of the clip) all laps are corrected alike, and reference and clip have a lap before and after.
    """
    even = np.arange(len(reference))
    diagonal, knot = np.stack([even, even], axis=1), KNOT_SECONDS * reference.rate
    ours = StepMetric(reference, matching)
    for _ in range(ROUNDS):
        around = _laps(frames, period) if period else frames
        theirs = StepMetric(on_clock(around), matching)
        cells = refine.cells(ours, theirs, diagonal, LIMIT, round(REACH * reference.rate))
        rows, moved = curve_fit.midpoints(cells)
        moved = np.interp(even, rows, moved)
        if period:
            one = len(frames) - 1
            offsets = curve_fit.smoothed((moved - even)[one : 2 * one], matching, reference.rate, knot, periodic=True)
            there = np.arange(one) + offsets
            there = curve_fit.limit_slopes(np.append(there, there[0] + one), 1.0 / LIMIT, float(LIMIT), periodic=True)
            frames = curve_fit.evaluate(around, one + there)
        else:
            there = curve_fit.smoothed(moved, matching, reference.rate, knot)
            frames = curve_fit.evaluate(frames, curve_fit.limit_slopes(there, 1.0 / LIMIT, float(LIMIT)))
        frames = curve_fit.limit_slopes(frames, 1.0 / limit, float(limit), periodic=bool(period))
    return frames


def _laps(frames: Array, period: float) -> Array:
    """The frames of a lap before, of one lap (K,), and of one after."""
    return np.concatenate([frames[:-1] - period, frames[:-1], frames + period])


class StepMetric(MotionMetric):
    """How a body moves, and where its feet turn, for clips on one clock.

    To `motion` comes λ·mean |d − d'|² over balls and ankles, d = v / max(|v|, slow) of their velocities in the heading
    frame: the moment at which a foot turns from backwards to forwards, whatever the share of the stance. Feet that
    stand say nothing.
    """

    def _more(self, clip: Clip, matching: Matching, velocities: Array) -> Array:
        chosen = joint_weights.factors(clip.skeleton, matching.joints)
        above = np.concatenate([np.arange(len(clip.skeleton)), clip.skeleton.tipped])
        points = {point for pair in feet.balls_and_ankles(clip.skeleton).values() for point in pair}
        counting = sorted(point for point in points if chosen[above[point]] > 0.0)
        if not counting:
            return super()._more(clip, matching, velocities)
        going = velocities[:, counting] * clip.rate
        speed = np.linalg.norm(going, axis=2)
        slow = np.maximum(SLOW_SHARE * np.median(speed, axis=0), STANDS * clip.skeleton.height)
        turns = going / np.maximum(speed, slow)[..., None]
        return np.asarray(np.sqrt(FOOT_WEIGHT / len(counting)) * turns.reshape(len(clip), -1))
