"""The registration curve of a cycle against another, wherever each begins (methods: Time registration)."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..errors import RegistrationError
from ..motion import cycles, leg_count
from ..motion.clip import Clip
from ..motion.quat import Array
from ..recipes.matching import Matching
from ..recipes.metrics import row_of
from . import curve_fit, dtw, footfalls, metrics, refine, register_pair, retimed_comparison, ties
from .ends import in_band
from .posed_clip import PosedClip
from .registration_curve import RegistrationCurve

STARTS = 48  # starting columns to try first; then all columns next to the best one are tried
# The constants below are for bodies with four legs or more, whose cycles are matched by footfalls.
# Weight of the pose distance, relative to its mean over all pairs, beside the distance of footfalls. It decides in
# phases without a footfall. 0.01 increases the differences of footfalls, and 0 makes the match between them random.
POSES = 0.005
LEAST_LEGS = 4  # number of legs that must have one clear footfall in both cycles
NEARER = 0.01  # share of a cycle by which the match by footfalls must reduce their mean distance, or it is not used
KNOTS = 12  # knots of the curve in a cycle


def pair(reference: Clip, clip: Clip, matching: Matching) -> RegistrationCurve:
    """Return the registration curve of a cycle against a reference cycle of the same skeleton and rate.

    It begins at the reference's first frame, and at the frame of the clip where the cheapest closed path begins. As for
    acyclic clips, the metric is chosen, and the curve is corrected by a retimed comparison (see
    `register_pair.pair`). Bodies with four legs or more are matched by their footfalls if this brings them nearer.
    """
    # A cycle of padding before and after keeps windows and smoothing away from the ends.
    three = PosedClip(cycles.unroll_cycle(reference, 1, 1)), PosedClip(cycles.unroll_cycle(clip, 1, 1))
    if matching.metric != "auto":
        return _pair(*three, matching)
    same = _same_performance(reference, clip, three, replace(matching, metric="points"))
    if same is not None:
        return same
    curve = _pair(*three, matching)
    if matching.band:  # a correction might leave the band
        return curve
    frames = retimed_comparison.correct_frames(
        three[0],
        lambda at: cycles.sample(clip, at),
        curve.frames,
        matching,
        curve.limit,
        period=float(len(clip) - 1),
    )
    return _by_footfalls(reference, clip, replace(curve, frames=frames), matching)


def _by_footfalls(reference: Clip, clip: Clip, curve: RegistrationCurve, matching: Matching) -> RegistrationCurve:
    """Return a curve that matches the footfalls of two cycles, or the given curve if it matches them as well.

    The given curve is also returned if fewer than four legs have one clear footfall, and if the user has set joints or
    slope.
    """
    legs = leg_count.ends([reference, clip]) if (matching.slope, matching.joints) == (0, "all") else []
    if not legs or curve.matrix is None or not curve.chance > 0.0:
        return curve
    downs, others = footfalls.of(reference, legs), footfalls.of(clip, legs)
    clear = np.isfinite(downs + others)
    downs, others = downs[clear], others[clear]
    if len(downs) < LEAST_LEGS:
        return curve
    length, period = curve.matrix.shape
    phases = np.arange(footfalls.PHASES) / footfalls.PHASES
    rows, columns = (phases * length).astype(np.int64), (phases * period).astype(np.int64)
    poses = curve.matrix[np.ix_(rows, columns)].astype(float) / curve.chance
    start, path = _cheapest_start(footfalls.distance(downs, others) + POSES * poses, matching, register_pair.LIMIT)
    rows, places = curve_fit.midpoints(path.cells)
    offsets = start + np.interp(footfalls.PHASES * phases, rows, places)
    rate = footfalls.PHASES / reference.seconds
    phase_curve = _periodic(offsets, footfalls.PHASES, matching, rate, register_pair.LIMIT, footfalls.PHASES / KNOTS)
    even = RegistrationCurve(0, phase_curve, "none", "cyclic", 0.0, 1, 0.0, path.cells, None)
    frames = even.at(np.arange(length + 1.0) * (footfalls.PHASES / length)) * (period / footfalls.PHASES)
    limit = register_pair.RAISED_LIMIT
    frames = curve_fit.limit_slopes(frames, 1.0 / limit, float(limit), periodic=True)
    cells = np.stack([np.arange(length), np.round(frames[:-1]).astype(np.int64) % period], axis=1)
    cost = float(curve.matrix[cells[:, 0], cells[:, 1]].mean())
    found = replace(curve, frames=frames, cost=cost, limit=limit, at_limit=path.at_limit, cells=cells)
    nearer = (
        footfalls.measure_footfall_error(found, downs, others)
        < footfalls.measure_footfall_error(curve, downs, others) - NEARER
    )
    return found if nearer else curve


def _same_performance(
    reference: Clip, clip: Clip, three: tuple[PosedClip, PosedClip], matching: Matching
) -> RegistrationCurve | None:
    """Return the curve of two cycles, compared by points, if they are copies of one cycle; else None."""
    lengths = len(reference) - 1, len(clip) - 1
    one, other = (body.cut(length, 2 * length + 1) for body, length in zip(three, lengths, strict=True))
    if not retimed_comparison.may_be_same_performance(one, other, matching.joints, 1.0):
        return None
    curve = _pair(*three, matching)
    retimed = PosedClip(cycles.sample(clip, curve.frames), keep=False)
    return curve if retimed_comparison.is_same_performance(one, retimed, matching.joints) else None


def _pair(reference: PosedClip, clip: PosedClip, matching: Matching) -> RegistrationCurve:
    """Return the curve by one metric of two cycles, each three times in a row."""
    length, other_length = (len(reference) - 1) // 3, (len(clip) - 1) // 3
    rate = reference.clip.rate
    bodies = [metrics.prepare(body, matching) for body in (reference, clip)]
    middle = bodies[0].over(length, 2 * length - 1), bodies[1].over(other_length, 2 * other_length - 1)

    def inner(window: int) -> Array:
        part = middle[0].part(length - window, 2 * length - 1 + window)
        other_part = middle[1].part(other_length - window, 2 * other_length - 1 + window)
        return part.matrix(other_part, window)[window : window + length, window : window + other_length]

    # The padding is one cycle, so a window reaches no farther on either side.
    matrix = inner(min(round(matching.window * rate), length, other_length))
    unwindowed = inner(0)

    def attempt(limit: int) -> RegistrationCurve:
        start, path = _cheapest_start(matrix, matching, limit)
        rolled = in_band(np.roll(unwindowed, -start, axis=1), matching.band)
        fine = refine.path(rolled, path, limit, round(register_pair.FINE_SECONDS * rate))
        rows, frames = curve_fit.midpoints(fine.cells)
        frames = np.interp(np.arange(length), rows, frames)
        frames = start + _periodic(frames, other_length, matching, rate, limit)
        cells = np.stack([fine.cells[:, 0], (fine.cells[:, 1] + start) % other_length], axis=1)
        return RegistrationCurve(
            0,
            frames,
            row_of(matching.metric).name,
            "cyclic",
            path.mean_cost,
            limit,
            path.at_limit,
            cells,
            matrix.astype(np.float32),
            float(matrix.mean()),
            matching.joints,
        )

    return register_pair.within_limit(attempt, matching, max(length, other_length))


def identity(clip: Clip) -> RegistrationCurve:
    """Return the curve of a cycle against itself."""
    frames = np.arange(len(clip))
    return RegistrationCurve(
        0, frames.astype(float), "none", "cyclic", 0.0, 1, 0.0, np.stack([frames, frames], axis=1), None
    )


def _cheapest_start(matrix: Array, matching: Matching, limit: int) -> tuple[int, dtw.WarpPath]:
    """Return the column at which to begin, and the cheapest path through the matrix rolled to begin there."""
    columns = matrix.shape[1]
    step = max(1, columns // STARTS)

    def path_from(start: int) -> dtw.WarpPath:
        return dtw.find_pinned_path(in_band(np.roll(matrix, -start, axis=1), matching.band), limit)

    def cheapest(starts: NDArray[np.int64]) -> int:
        if matching.band:
            costs = np.array([path_from(start).cost for start in starts.tolist()])
        else:
            costs = dtw.compute_rolled_costs(matrix, starts, limit)
        return int(starts[ties.first_least(costs)])

    best = cheapest(np.arange(0, columns, step))
    near = (best + np.arange(1 - step, step)) % columns
    best = cheapest(np.concatenate([[best], np.sort(near[near != best])]))
    return best, path_from(best)


def _periodic(frames: Array, period: int, matching: Matching, rate: float, limit: int, knot: float = 0.0) -> Array:
    """Return frames (K,) of one cycle smoothed and limited as a periodic curve, with its end (K+1,)."""
    count = len(frames)
    even = np.arange(count) * (period / count)
    smooth = even + curve_fit.smooth_samples(frames - even, matching, rate, knot, periodic=True)
    closed = np.append(smooth, smooth[0] + period)
    return curve_fit.limit_slopes(closed, 1.0 / limit, float(limit), periodic=True)


def refuse_unclosed(clip: Clip) -> None:
    """Raise RegistrationError if a clip is no cycle."""
    if not clip.cyclic:
        gap = cycles.gap(clip)
        raise RegistrationError(
            f"{clip.name} is no cycle: its last pose is {100.0 * gap:.1f} cm from its first; make a loop of it first"
        )
