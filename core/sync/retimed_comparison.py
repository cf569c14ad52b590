"""Compare clips again after re-timing one to the other (methods: Time registration).

The features of `motion` (heading, mean pose, amplitude, speeds) depend on a clip's own timing: a slower part changes
all of them slightly. After re-timing by the first curve, both clips have the reference's timing, and the features
agree. Only then can feet be compared separately.
"""

from collections.abc import Callable

import numpy as np

from ..motion import blocks, feet, resample
from ..motion.clip import Clip
from ..motion.quat import Array
from ..recipes.matching import Matching
from . import alignment, curve_fit, joint_weights, refine, steps
from .posed_clip import PosedClip
from .positions import MotionMetric, PointMetric

SAME = 0.012  # body heights, root mean square of the points; only copies of one performance are this similar
SAMPLED = 100  # frames of the reference in a quick comparison, which shows that clips are different performances
JUMP = 8.0  # times the typical step; larger steps are jumps
SELDOM = 0.1  # largest share of the steps that can be jumps
MOST_STEPS = 200  # largest number of parts into which a jump is divided
ROUNDS = 2
REACH = 0.1  # s that a frame may move in an iteration
LIMIT = 3  # slope limit of a correction
KNOT_SECONDS = 0.1  # s between the knots of a correction; 1/6 s would shorten toe-off
FOOT_WEIGHT = 3.0  # λ in `StepMetric`
# Below the larger of these, the direction of a foot's velocity is unreliable: body heights a second, and a share of
# its median speed.
STANDS, SLOW_SHARE = 0.18, 0.2


def may_be_same_performance(reference: PosedClip, clip: PosedClip, joints: str, shared: float) -> bool:
    """Return whether two clips could be the same performance under any re-timing.

    shared : share of the shorter clip's frames that must correspond, consecutively
    """
    weights = joint_weights.point_weights(reference.clip.skeleton, joints)
    every = max(1, len(reference) // SAMPLED)
    nearest = _nearest(PointMetric.of_cloud(reference.points[::every], weights), clip, weights)
    # A stretch is near enough on average if this excess sums to zero or less.
    excess = nearest**2 - (SAME * reference.clip.skeleton.height) ** 2
    sums = np.concatenate([[0.0], np.cumsum(excess)])
    count = max(1, int(shared * min(len(reference), len(clip)) / every))
    return bool((sums[count:] <= np.maximum.accumulate(sums)[:-count]).any())


def _nearest(some: PointMetric, clip: PosedClip, weights: Array) -> Array:
    """Return a lower bound (F,) of the distance of a clip from some frames (see `PointMetric.never_nearer`), metres.

    The bound is loose for a jump, because its step is long; jumps are therefore divided into small steps.
    """
    cloud = PointMetric.of_cloud(clip.points, weights)
    steps = cloud.steps
    typical = float(np.median(steps)) if len(steps) else 0.0
    jumps = np.pad(steps > JUMP * typical, 1)
    near = jumps[:-2] | jumps[1:-1] | jumps[2:]  # an interpolating curve oscillates before and after a jump
    if not near.any() or typical == 0.0 or near.mean() > SELDOM:
        return some.never_nearer(cloud)
    counts = np.minimum(np.ceil(steps[near] / typical), MOST_STEPS).astype(np.int64) + 1
    at = np.concatenate([np.linspace(k, k + 1, n) for k, n in zip(np.flatnonzero(near), counts, strict=True)])
    inside = np.ones(len(at) - 1, dtype=bool)
    inside[np.cumsum(counts)[:-1] - 1] = False  # from one jump to another
    between = PointMetric.of_cloud(PosedClip(resample.sample(clip.clip, at), keep=False).points, weights)
    return np.minimum(some.never_nearer(cloud, ~near), some.never_nearer(between, inside))


def is_same_performance(reference: PosedClip, retimed: PosedClip, joints: str) -> bool:
    """Return whether a reference and a clip re-timed to it (F frames each) are one performance: at most SAME apart."""
    weights = joint_weights.point_weights(reference.clip.skeleton, joints)
    square = np.empty(len(reference))
    for some in blocks.slices(len(reference), reference.points[0].size):
        points, others = reference.points[some], retimed.points[some]
        ground, other_ground = (places[:, None, :, 0] + 1j * places[:, None, :, 1] for places in (points, others))
        lifted = ((points[..., 2] - others[..., 2]) ** 2) @ weights
        square[some] = alignment.align(ground, other_ground, weights).residual + lifted
    return bool(np.sqrt(square.mean()) <= SAME * reference.clip.skeleton.height)


def correct_frames(
    reference: PosedClip,
    retimed: Callable[[Array], Clip],
    frames: Array,
    matching: Matching,
    limit: int,
    *,
    period: float = 0.0,
) -> Array:
    """Return the frames (K,) of a clip that correspond to a reference's, corrected by a retimed comparison.

    retimed(frames) : the clip at frames
    reference : K frames; for cycles three repetitions, of K − 1 frames each
    period : frames of the clip's cycle; 0 for acyclic clips. Cycles are corrected identically in all three repetitions
    """
    even = np.arange(len(reference))
    rate = reference.clip.rate
    diagonal, knot = np.stack([even, even], axis=1), KNOT_SECONDS * rate
    metric = StepMetric(reference, matching)
    for _ in range(ROUNDS):
        around = _three_cycles(frames, period) if period else frames
        other = StepMetric(PosedClip(retimed(around), keep=False), matching)
        cells = refine.cells(metric, other, diagonal, LIMIT, round(REACH * rate))
        rows, moved = curve_fit.midpoints(cells)
        moved = np.interp(even, rows, moved)
        if period:
            length = len(frames) - 1
            offsets = (moved - even)[length : 2 * length]
            at = np.arange(length) + curve_fit.smooth_samples(offsets, matching, rate, knot, periodic=True)
            at = curve_fit.limit_slopes(np.append(at, at[0] + length), 1.0 / LIMIT, float(LIMIT), periodic=True)
            frames = curve_fit.evaluate(around, length + at)
        else:
            at = curve_fit.smooth_samples(moved, matching, rate, knot)
            frames = curve_fit.evaluate(frames, curve_fit.limit_slopes(at, 1.0 / LIMIT, float(LIMIT)))
        frames = curve_fit.limit_slopes(frames, 1.0 / limit, float(limit), periodic=bool(period))
    if not _feet(reference, matching):
        return frames
    around = _three_cycles(frames, period) if period else frames
    at = steps.correct_step_ends(reference, PosedClip(retimed(around), keep=False), float(LIMIT))
    if period:
        length = len(frames) - 1
        at = at[length : 2 * length + 1]
        at[-1] = at[0] + length
    return curve_fit.limit_slopes(curve_fit.evaluate(around, at), 1.0 / limit, float(limit), periodic=bool(period))


def _feet(body: PosedClip, matching: Matching) -> list[int]:
    """Return the points of compared balls and ankles."""
    skeleton = body.clip.skeleton
    chosen = joint_weights.factors(skeleton, matching.joints)
    above = np.concatenate([np.arange(len(skeleton)), skeleton.tipped])
    points = {point for pair in feet.balls_and_ankles(skeleton).values() for point in pair}
    return sorted(point for point in points if chosen[above[point]] > 0.0)


def _three_cycles(frames: Array, period: float) -> Array:
    """Return the frames of the previous cycle, of one cycle (K,), and of the next one."""
    return np.concatenate([frames[:-1] - period, frames[:-1], frames + period])


class StepMetric(MotionMetric):
    """Compares the motion of a body and the turning points of its feet, for a retimed comparison.

    λ·mean |d − d'|² over balls and ankles is added to `motion`, with d = v / max(|v|, slow) of their velocities in the
    heading frame: this marks when a foot turns from backward to forward, for any duration of the stance. Feet in
    contact add nothing.
    """

    def _compared_besides(self, body: PosedClip, matching: Matching) -> Array:
        counting = _feet(body, matching)
        if not counting:
            return super()._compared_besides(body, matching)
        velocities = body.velocities[:, counting] * body.clip.rate
        speed = np.linalg.norm(velocities, axis=2)
        slow = np.maximum(SLOW_SHARE * np.median(speed, axis=0), STANDS * body.clip.skeleton.height)
        directions = velocities / np.maximum(speed, slow)[..., None]
        return np.asarray(np.sqrt(FOOT_WEIGHT / len(counting)) * directions.reshape(len(body), -1))
