"""The backward velocity of feet in contact: the most frequent velocity over time (methods: Travel from the feet).

Lengths are in body heights, speeds in body heights a second.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ..motion import root_motion
from ..motion.clip import Clip
from ..motion.quat import Array
from .contacts import Flags

FLOOR = 3.0  # percentile of a ball's heights, used as its floor
LOW, LOWEST = 0.015, 0.04  # sigma of the weight by height above the floor, and the height above which it is 0
STEADY, STEADY_SHARE = 0.15, 0.1  # sigma of the weight by vertical speed, and its growth with horizontal speed
SMOOTHING = 0.012  # s; sigma for smoothing positions before differentiation
EVERY = 0.1  # s between the times at which a speed is chosen among candidates
NEAR = 0.35  # s; sigma of the time window from which candidates are taken
KERNEL = 0.08  # kernel width of the density of speeds, relative to 1 + speed
CANDIDATES = 12  # number of candidates in a window
TOGETHER = 10  # choices that share a set of candidates, because their windows overlap
CHANGE = 0.15  # change of speed, relative to 1 + speed, with the same cost as a density lower by a factor of e
SPREADS = (0.25, 0.15)  # s; sigmas of the two local means
# A speed is ignored if it differs from the estimate by more than LIMIT + LIMIT_SHARE · estimate (at first, twice that).
LIMIT, LIMIT_SHARE = 0.15, 0.3
TURNING = 0.5  # s; sigma for correlating the feet's positions and speeds with a turn
AGAIN, STEPS = 3, 50  # iterations for the velocity of a cycle, and steps in each
NO_SLIDE = 1e-4  # smaller slides get the same weight as this one, because the weight is the reciprocal
STANDS = 0.5  # weight above which a foot is in contact
STILL = 0.05  # slower speeds count as no travel

Complex = NDArray[np.complex128]
Values = TypeVar("Values", Array, Complex)
Paths = Mapping[str, tuple[Array, Array]]


@dataclass(frozen=True, eq=False)
class Samples:
    """Samples of N feet in the F frames of one or three cycles.

    back, places (N, F) : backward velocities and positions in the body's frame, body heights (a second)
    weights (N, F) : confidence of contact of each
    """

    back: Complex
    places: Complex
    weights: Array
    rate: float
    cycles: int

    @property
    def frames(self) -> int:
        return self.back.shape[1] // self.cycles

    def of_clip(self, values: Values) -> Values:
        """Return values (..., F) of all cycles for the frames of the clip, whose last frame repeats its first."""
        if self.cycles == 1:
            return values
        middle = values[..., self.frames : 2 * self.frames]
        return np.concatenate([middle, middle[..., :1]], axis=-1)


def samples_of(clip: Clip, paths: Paths, ground: Complex, facing: Array, cyclic: bool) -> Samples:
    """Return samples of the balls in the body's frame, over three cycles for a cyclic clip."""
    height, rate = clip.skeleton.height, clip.rate
    balls = np.stack([ball for ball, _ in paths.values()]) / height  # (N, F, 3)
    speeds = np.stack([velocities(ball, rate, cyclic) for ball in balls])
    back = -as_complex(speeds) * np.exp(-1j * facing)
    places = (as_complex(balls) - ground / height) * np.exp(-1j * facing)
    over = balls[..., 2] - np.percentile(balls[..., 2], FLOOR, axis=1, keepdims=True)
    steady = STEADY + STEADY_SHARE * np.abs(back)
    weights = np.exp(-0.5 * (over / LOW) ** 2 - 0.5 * (speeds[..., 2] / steady) ** 2) * (over <= LOWEST)
    if not cyclic:
        return Samples(back, places, weights, rate, 1)
    back, places, weights = (np.tile(values[:, :-1], 3) for values in (back, places, weights))
    return Samples(back, places, weights, rate, 3)


def velocities(path: Array, rate: float, cyclic: bool) -> Array:
    """Return velocities (F, 3) of a path; for a cycle across its ends, where the last frame is the first one moved."""
    if not cyclic:
        return np.asarray(np.gradient(root_motion.smooth(path, SMOOTHING * rate), axis=0) * rate)
    steps = np.diff(path, axis=0)
    return 0.5 * rate * (np.concatenate([steps[-1:], steps]) + np.concatenate([steps, steps[:1]]))


def estimate(samples: Samples) -> Complex:
    """Return the velocity (F,) by feet in contact: the most frequent one, refined twice by a local mean."""
    estimate = _mean(samples, _choose_velocities(samples), SPREADS[0], 2.0)
    return _mean(samples, estimate, SPREADS[1], 1.0)


def _choose_velocities(samples: Samples) -> Complex:
    """Return the most frequent velocity (F,) of feet over time that changes little: a path through candidates.

    A single velocity for the whole clip would be the one of its longest part, such as the walk in a walk-to-run.
    """
    frames, rate = samples.back.shape[1], samples.rate
    thin = max(1, round(rate / 60.0))
    at = np.tile(np.arange(0, frames, thin), len(samples.back))
    back, weights = samples.back[:, ::thin].ravel(), samples.weights[:, ::thin].ravel()
    order = np.argsort(at, kind="stable")
    order = order[weights[order] > 0.02]
    at, back, weights = at[order], back[order], weights[order]
    every = np.arange(0, frames, max(1, round(EVERY * rate)))
    windows = np.searchsorted(at, every[:, None] + np.array([-3.0, 3.0]) * NEAR * rate)
    times, choices, costs = [], [], []
    for some in np.split(np.arange(len(every)), range(TOGETHER, len(every), TOGETHER)):
        begin, end = windows[some[0], 0], windows[some[-1], 1]
        away = _measure_velocity_distances(back[begin:end])
        nearness = np.exp(-0.5 * away)
        for time, (low, high) in zip(every[some], windows[some], strict=True):
            near = weights[low:high] * np.exp(-0.5 * ((at[low:high] - time) / (NEAR * rate)) ** 2)
            if near.sum() > 1e-3:
                part = slice(low - begin, high - begin)
                some_of, cost = _candidates(away[part, part], nearness[part, part] @ near)
                times.append(time)
                choices.append(back[low:high][some_of])
                costs.append(cost)
    if not choices:
        return np.zeros(frames, dtype=np.complex128)
    chosen = _best_path(choices, costs)
    return np.asarray(np.interp(np.arange(frames), times, chosen))


def _measure_velocity_distances(back: Complex) -> Array:
    """Return squared distances (M, M) of velocities, in kernel widths of the row's velocity."""
    across, along = back.real, back.imag  # squares of both, because absolute values of complex numbers are slow
    width = KERNEL * (1.0 + np.abs(back))
    return np.asarray(((across[:, None] - across) ** 2 + (along[:, None] - along) ** 2) / (width**2)[:, None])


def _candidates(away: Array, density: Array) -> tuple[list[int], Array]:
    """Return distinct velocities of high density (M,), and their costs: minus the log of the relative density.

    away (M, M) : see `_measure_velocity_distances`
    """
    left = density.copy()
    chosen: list[int] = []
    best = most = int(left.argmax())
    while len(chosen) < CANDIDATES and left[best] > 1e-3 * density[most]:
        chosen.append(best)
        left[away[best] < 1.0] = 0.0
        best = int(left.argmax())
    return chosen, -np.log(density[chosen] / density[most])


def _best_path(choices: list[Complex], costs: list[Array]) -> Complex:
    """Return the candidate for each time that minimizes the sum of costs and changes ([Viterbi])."""
    total, origins = costs[0], []
    for (before, after), cost in zip(pairwise(choices), costs[1:], strict=True):
        steps = total + np.abs(after[:, None] - before) / (CHANGE * (1.0 + np.abs(before)))
        origins.append(steps.argmin(axis=1))
        total = steps.min(axis=1) + cost
    which = [int(np.argmin(total))]
    for origin in reversed(origins):
        which.append(int(origin[which[-1]]))
    return np.array([candidates[k] for candidates, k in zip(choices, reversed(which), strict=True)])


def when_standing(back: Complex, weights: Array, velocity: Complex | complex) -> Flags:
    """Return contact flags (N, F) of feet; a foot that moves forward swings, even if it is low."""
    return np.asarray((weights > STANDS) & ((back * np.conj(velocity)).real >= -STILL * np.abs(velocity)))


def of_cycle(back: Complex, weights: Array, start: complex) -> complex:
    """Return the single velocity of a cycle with the least slide of feet in contact: their geometric median.

    start : an estimate, kept without contacts. By Weiszfeld's algorithm.
    """
    velocity = start
    for _ in range(AGAIN):  # the contacts depend on it
        stands = when_standing(back, weights, velocity)
        if not stands.any():
            return start
        standing, sure = back[stands], weights[stands]
        velocity = complex(np.average(standing, weights=sure))
        for _ in range(STEPS):
            near = sure / np.maximum(np.abs(standing - velocity), NO_SLIDE)
            velocity = complex(np.average(standing, weights=near))
    return velocity


def _mean(samples: Samples, start: Complex, spread: float, wide: float) -> Complex:
    """Return the local mean velocity (F,) of feet in contact near an estimate, which is kept without contacts."""
    weights = samples.weights * _nearness(samples.back, start, wide)
    total = _around(weights.sum(axis=0), spread * samples.rate)
    mean = _around((weights * samples.back).sum(axis=0), spread * samples.rate)
    return np.where(total > 1e-3, mean / np.maximum(total, 1e-3), start)


def _nearness(back: Complex, velocity: Complex, wide: float) -> Array:
    """Return Tukey's biweights (N, F) of velocities by their distance from an estimate."""
    limit = wide * (LIMIT + LIMIT_SHARE * np.abs(velocity))
    return np.asarray(np.maximum(1.0 - (np.abs(back - velocity) / limit) ** 2, 0.0) ** 2)


def _around(values: Values, sigma: float) -> Values:
    """Return sums (F,) of values around each frame, weighted by a Gaussian; sigma : frames."""
    reach = int(np.ceil(3.0 * sigma))
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    around: Values = np.convolve(values, kernel)[reach : reach + len(values)]
    return around


def own_speed(back: Complex, weights: Array, velocity: Complex) -> float:
    """Return the speed by one foot along the common velocity: the weighted median of its ratio to that."""
    speed = np.abs(velocity)
    weights = weights * (speed > STILL)
    if weights.sum() < 1e-3:
        return 0.0
    share = (back * np.conj(velocity)).real / np.maximum(speed, STILL) ** 2
    order = np.argsort(share)
    upto = np.cumsum(weights[order])
    return float(share[order][np.searchsorted(upto, 0.5 * upto[-1])] * speed.mean())


def turning(samples: Samples, velocity: Complex, cyclic: bool) -> Array:
    """Return the turn rate (F,): in a left turn, a foot further to the left moves back more slowly."""
    back, places = samples.back, samples.places
    weights = samples.weights * _nearness(back, velocity, 2.0)
    sigma = TURNING * samples.rate

    def mean(values: Values) -> Values:
        return _around((weights * values).sum(axis=0), sigma) / np.maximum(total, 1e-6)

    total = _around(weights.sum(axis=0), sigma)
    middle = mean(places)
    common = mean((back * np.conj(places)).imag) - (mean(back) * np.conj(middle)).imag
    spread = mean(np.abs(places) ** 2) - np.abs(middle) ** 2
    turn = np.where(spread > 1e-4, common / np.maximum(spread, 1e-4), 0.0)
    return np.full(len(turn), turn.mean()) if cyclic else turn


def as_complex(places: Array) -> Complex:
    return places[..., 0] + 1j * places[..., 1]
