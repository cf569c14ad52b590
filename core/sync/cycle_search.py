"""Find and rank the cycles of a periodic clip by start and length (methods: Loops)."""

from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from ..errors import RegistrationError
from ..motion import kinematics, quat, root_motion
from ..motion.clip import Clip
from ..motion.quat import Array

SHORTEST, LONGEST = 0.3, 3.0  # s of a cycle
LEAST_SEEN = 0.25  # share of a second cycle that the clip must contain
# Penalty on the score of a cycle with nothing of a second cycle after it, because a short piece resembles many others.
UNSEEN = 0.25
NEAR_BEST = 0.05  # scores this close to the best count as equal; the cycle is the shortest of them
PERIODIC, WEAK = 0.6, 0.45  # scores: accepted, accepted with a warning, and below that refused
SEARCH_RATE = 60.0  # Hz, approximately; faster clips are decimated
BLOCK = 256  # frames whose products with later frames are computed together
FLAT_SHARE = 0.1  # share of the largest range of the joints' angles; joints with less are omitted (ε of [Shibuta])
PROPOSED = 8  # number of cycle lengths whose best cycles are scored
NOISE = 0.005  # m; noise of a static joint in captures
DIGITS = 9  # significant digits of a score; further ones depend on the processor and would decide between equal cycles


@dataclass(frozen=True)
class Cycle:
    """A stretch of a clip, `length` frames from frame `start`, and how well its continuation repeats it (at most 1)."""

    start: int
    length: int
    score: float


@dataclass(frozen=True, eq=False)
class Repetition:
    """The cycles of a clip, best first, and the curves for a picture of the search.

    lags (K,) : seconds
    scores (K,) : the best score over all starts at each lag
    starts (S,) : frames
    start_scores (S,) : the score of a cycle of the best length from each start
    """

    cycles: tuple[Cycle, ...]
    lags: Array
    scores: Array
    starts: NDArray[np.int64]
    start_scores: Array

    @property
    def best(self) -> Cycle:
        return self.cycles[0]


def find(clip: Clip) -> Repetition:
    """Return the cycles of a clip by comparing every window with the following one (methods: Loops).

    With windows a at S and b at S + L of n frames, V their spread about the common mean, D = Σ|a − b|², and f the
    contribution of noise, all of joint positions in the heading frame:

        r(S, L) = (V_a + V_b − D) / (V_a + V_b + 2 n f) − 0.25 (1 − n / L)

    The cycle is the shortest peak over L within 0.05 of the best. Raises RegistrationError for a clip too short for
    1.25 cycles of 0.3 s.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.sync import cycle_search
        >>> walk = actions.walk(cycles=3)  # of 32 frames
        >>> best = cycle_search.find(walk.cut(5, 90)).best
        >>> best.length, round(best.score, 2)
        (32, 1.0)
    """
    step = max(1, round(clip.rate / SEARCH_RATE))
    features, joints = _features(clip, step)
    rate = clip.rate / step
    count = len(features)
    shortest = max(2, round(SHORTEST * rate))
    longest = min(round(LONGEST * rate), int(count / (1.0 + LEAST_SEEN)))
    if longest <= shortest:
        needed = (1.0 + LEAST_SEEN) * SHORTEST
        raise RegistrationError(f"{clip.name} is too short to repeat itself: {clip.seconds:.2f} s of {needed:g}")
    lags = np.arange(shortest, longest + 1)
    by_start = _scores(features, lags, joints * NOISE**2)
    best = np.array([scores.max() for scores in by_start])
    peaks = _peaks(best, lags)
    cycles = [Cycle(int(np.argmax(by_start[k])) * step, int(lags[k]) * step, float(best[k])) for k in peaks]
    chosen = by_start[peaks[0]]
    return Repetition(tuple(cycles), lags / rate, best, np.arange(len(chosen)) * step, chosen)


def of_length(clip: Clip, length: int) -> Repetition:
    """Return the best cycle of a known length (in frames), scored as by `find`.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.sync import cycle_search
        >>> walk = actions.walk(cycles=3)  # of 32 frames
        >>> [round(cycle_search.of_length(walk, frames).best.score, 2) for frames in (32, 48)]
        [1.0, -0.82]
    """
    step = max(1, round(clip.rate / SEARCH_RATE))
    features, joints = _features(clip, step)
    lag = round(length / step)
    scores = _scores(features, np.array([lag]), joints * NOISE**2)[0]
    cycle = Cycle(int(np.argmax(scores)) * step, lag * step, float(scores.max()))
    best = np.array([cycle.score])
    return Repetition((cycle,), np.array([lag * step / clip.rate]), best, np.arange(len(scores)) * step, scores)


def _features(clip: Clip, step: int) -> tuple[Array, int]:
    """Return joint positions (F, 3·J) in the heading frame of every `step`-th frame, and the number of joints used."""
    body = clip.skeleton.point_weights[: len(clip.skeleton)] > 0.0
    _, positions = kinematics.world(clip)
    facing = root_motion.pelvis_heading(clip, root_motion.HEADING_SIGMA)
    origin = positions[:, root_motion.travelling_joint(clip.skeleton)].copy()
    origin[:, 2] = 0.0
    local = quat.rotate(quat.about_axis("Z", -facing)[:, None], positions[:, body] - origin[:, None])[::step]
    flat = local.reshape(len(local), -1)
    return flat - flat.mean(axis=0), int(body.sum())


def _scores(features: Array, lags: NDArray[np.int64], noise: float) -> list[Array]:
    """Return the scores (S,) from every start at each lag.

    All sums over windows are differences of cumulative sums, so only products of frames up to one window apart, and
    of cumulative sums up to two windows apart, are needed.
    """
    count = len(features)
    products = _products(features, int(lags[-1]))
    own = products[:, 0]
    energy = np.concatenate([[0.0], np.cumsum(own)])
    sums = np.concatenate([np.zeros((1, features.shape[1])), np.cumsum(features, axis=0)])
    sum_products = _products(sums, 2 * int(lags[-1]))
    own_sum = sum_products[:, 0]
    scores = []
    for lag in lags:
        start = np.arange(count - lag - int(np.ceil(LEAST_SEEN * lag)) + 1)
        n = np.minimum(lag, count - start - lag)
        apart = own[: count - lag] + own[lag:] - 2.0 * products[: count - lag, lag]
        apart_sum = np.concatenate([[0.0], np.cumsum(apart)])
        difference = apart_sum[start + n] - apart_sum[start]
        square = energy[start + n] - energy[start] + energy[start + lag + n] - energy[start + lag]
        # |Σ a + Σ b|² of two complete consecutive windows; then of windows truncated by the end of the clip.
        whole = max(count - 2 * lag + 1, 0)
        full = own_sum[2 * lag :] + own_sum[:whole] - 2.0 * sum_products[:whole, 2 * lag] if whole else own_sum[:0]
        first, second = sums[whole : len(start)], sums[whole + lag : len(start) + lag]
        cut = sums[count - lag] + sums[count] - first - second
        total = np.concatenate([full, (cut * cut).sum(axis=1)])
        spread = square - total / (2.0 * n)
        score = (spread - difference) / (spread + 2.0 * n * noise) - UNSEEN * (1.0 - n / lag)
        scores.append(np.round(score, DIGITS))
    return scores


def _products(rows: Array, furthest: int) -> Array:
    """Return the products (F, K + 1) of each row (F, C) with the rows 0 … K after it; zero beyond the last row."""
    count = len(rows)
    padded = np.concatenate([rows, np.zeros((furthest, rows.shape[1]))])
    products = np.empty((count, furthest + 1))
    for start in range(0, count, BLOCK):
        end = min(start + BLOCK, count)
        block = rows[start:end] @ padded[start : end + furthest].T
        along, across = block.strides
        products[start:end] = as_strided(block, (end - start, furthest + 1), (along + across, across))
    return products


def _peaks(scores: Array, lags: NDArray[np.int64]) -> list[int]:
    """Return the peaks over lags: first the shortest lag equivalent to the best, then the others by score."""
    peaks = 1 + np.flatnonzero((scores[1:-1] >= scores[:-2]) & (scores[1:-1] > scores[2:]))
    if not len(peaks):
        return [int(np.argmax(scores))]
    good = peaks[scores[peaks] >= scores[peaks].max() - NEAR_BEST]
    chosen = int(good[np.argmin(lags[good])])
    others = sorted((int(k) for k in peaks if k != chosen), key=lambda k: -scores[k])
    return [chosen, *others]


def find_by_autocorrelation(clip: Clip) -> Repetition:
    """Return the cycles of a clip by the autocorrelation of its joints' angles ([Shibuta]), ranked as by `find`.

    Angles with a range below a tenth of the largest range are omitted; the others' correlations are averaged. The first
    high peak of that curve proposes a cycle for each start. A mean over many noisy joints does not show whether a clip
    is periodic, so r decides among the best starts of the best lengths. Raises RegistrationError for a clip that is too
    short, or whose curve has no peak.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.sync import cycle_search
        >>> cycle_search.find_by_autocorrelation(actions.walk(cycles=2)).best.length
        32
    """
    step = max(1, round(clip.rate / 30.0))
    rotations = clip.rotations[::step]
    vectors = quat.log_about(quat.mean_of_frames(rotations), rotations).reshape(len(rotations), -1)
    ranges = np.ptp(vectors, axis=0)
    vectors = vectors[:, ranges >= FLAT_SHARE * ranges.max()]
    rate, count = clip.rate / step, len(rotations)
    shortest = round(SHORTEST * rate)
    if count < 3 * shortest:
        needed = 3.0 * SHORTEST
        raise RegistrationError(f"{clip.name} is too short to repeat itself: {clip.seconds:.2f} s of {needed:g}")
    cycles = []
    for start in range(count - 2 * shortest):
        curve = _autocorrelation(vectors[start:])
        lag = _first_peak(curve, shortest, min(round(LONGEST * rate), (count - start) * 3 // 4))
        if lag:
            cycles.append(Cycle(start * step, lag * step, float(curve[lag])))
    if not cycles:
        raise RegistrationError(f"{clip.name} does not repeat itself: its autocorrelation has no peak")
    starts, scores = np.array([c.start for c in cycles]), np.array([c.score for c in cycles])
    ranked = _rescore_cycles(clip, _best_of_lengths(cycles))
    curve = _autocorrelation(vectors[ranked[0].start // step :])
    return Repetition(ranked, np.arange(len(curve)) / rate, curve, starts, scores)


def _best_of_lengths(cycles: list[Cycle]) -> list[Cycle]:
    """Return for each of the best lengths the cycle with the highest peak."""
    best: dict[int, Cycle] = {}
    for cycle in sorted(cycles, key=lambda cycle: -cycle.score):
        best.setdefault(cycle.length, cycle)
    return list(best.values())[:PROPOSED]


def _rescore_cycles(clip: Clip, proposed: list[Cycle]) -> tuple[Cycle, ...]:
    """Return cycles with their scores by `find`: first the shortest equivalent to the best, then by score."""
    step = max(1, round(clip.rate / SEARCH_RATE))
    features, joints = _features(clip, step)
    lags, which = np.unique([round(cycle.length / step) for cycle in proposed], return_inverse=True)
    by_start = _scores(features, lags, joints * NOISE**2)
    scored = []
    for cycle, lag in zip(proposed, which, strict=True):
        scores = by_start[lag]
        scored.append(Cycle(cycle.start, cycle.length, float(scores[min(round(cycle.start / step), len(scores) - 1)])))
    best = max(cycle.score for cycle in scored)
    first = min((cycle for cycle in scored if cycle.score >= best - NEAR_BEST), key=lambda cycle: cycle.length)
    return (first, *sorted((cycle for cycle in scored if cycle is not first), key=lambda cycle: -cycle.score))


def _autocorrelation(vectors: Array) -> Array:
    """Return the mean (F,) over channels of their normalised autocorrelation, each lag over the remaining frames."""
    count = len(vectors)
    centred = vectors - vectors.mean(axis=0)
    power = np.abs(np.fft.rfft(centred, 2 * count, axis=0)) ** 2
    products = np.fft.irfft(power, axis=0)[:count]
    energy = np.where(products[0] > 0.0, products[0], 1.0)
    return np.round((products / energy).mean(axis=1) * count / np.arange(count, 0, -1), DIGITS)


def _first_peak(curve: Array, shortest: int, longest: int) -> int:
    """Return the first lag in range at which the smoothed slope of a curve (Savitzky & Golay 1964) turns negative.

    Bumps below half the rise from the lowest value to the highest peak are ignored, because half a cycle causes one.
    Returns 0 if there is no peak.
    """
    slope = np.convolve(curve, [0.2, 0.1, 0.0, -0.1, -0.2], mode="same")
    falls = np.flatnonzero((slope[:-1] > 0.0) & (slope[1:] <= 0.0)) + 1
    usable = falls[(falls >= shortest) & (falls <= longest)]
    if not len(usable):
        return 0
    highest = curve[usable].max()
    high = usable[curve[usable] >= highest - 0.5 * (highest - curve[: longest + 1].min())]
    return int(high[0])
