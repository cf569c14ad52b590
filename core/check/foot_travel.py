"""How a clip travels by what its feet say: where they stand they go back as fast as the body goes on.

Method: Travel from the feet.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ..motion import cycles, root_motion
from ..motion.clip import Clip
from ..motion.quat import Array
from ..motion.skeleton import Skeleton
from . import contacts, world_pose
from .contacts import Flags

# Lengths are in body heights, speeds in body heights a second.
FLOOR = 3.0  # percentile of a ball's heights that is its floor
LOW, LOWEST = 0.015, 0.04  # spread and limit of the heights over it at which a foot stands
STEADY, STEADY_SHARE = 0.15, 0.1  # spread of the vertical speeds at which it does, and how it grows with the speed
SMOOTHING = 0.012  # s; of places before speeds are taken
BODY = 0.5  # s; over which a body's own way and facing are smoothed
EVERY, NEAR = 0.1, 0.35  # s between choices among candidates, and spread of the time that these are from
KERNEL, CANDIDATES = 0.08, 12  # spread of alike speeds (and share of them), and how many are chosen among
CHANGE = 0.15  # a change of speed (and share of it) that costs as much as being e times rarer
SPREADS = (0.25, 0.15)  # s; of the two local means
LIMIT, LIMIT_SHARE = 0.15, 0.3  # what is further from the mean does not count; the double in the first round
TURNING = 0.5  # s; over which places and speeds of feet are compared for a turn
STANDS = 0.5  # weight from which on a foot stands
STILL = 0.05  # what is slower does not travel
ON_THE_SPOT = 0.15  # what is faster walks
SURE = 0.5  # a way that is shorter may be that of feet that stand up, or hang in the air
DIFFER = 1.3  # times; feet that differ by more disagree
SELDOM = 0.2  # share of the time; where feet stand less, their speed is a guess
AUTHORED = np.radians(25.0)  # a body that faces its rest pose's way by less is meant to face it

Complex = NDArray[np.complex128]
Values = TypeVar("Values", Array, Complex)
Paths = Mapping[str, tuple[Array, Array]]


@dataclass(frozen=True, eq=False)
class FootTravel:
    """What the feet of a clip say of how it should travel beside the way that it has.

    ground, facing (F,) : place x + iy and facing of the body without the sway of its steps, metres and radians
    velocity (F,) : x to the right of that facing, y ahead, m/s; one for all frames of a cycle
    turn (F,) : how fast it should turn, radians a second; zero unless it was to be measured
    back (N, F) : how each of N feet goes back, as velocity; stands (N, F) : when each stands
    feet : how fast each says that the body goes, along the velocity of all, m/s
    body_speed : mean speed of the way that the clip has, m/s; height : of the body, m; seconds : of the clip
    authored : which way the body faces at rest, radians to the left of its facing; None where it is turned away
    """

    ground: Complex
    facing: Array
    velocity: Complex
    turn: Array
    back: Complex
    stands: Flags
    feet: Mapping[str, float]
    body_speed: float
    height: float
    seconds: float
    authored: float | None
    cyclic: bool

    @property
    def speed(self) -> float:
        """Mean speed, m/s."""
        return float(np.abs(self.velocity).mean())

    @property
    def standing(self) -> float:
        """Share of the time in which a foot stands."""
        return float(self.stands.any(axis=0).mean())

    @property
    def direction(self) -> float:
        """Mean direction, radians to the left of ahead; 0 where it stands."""
        mean = self.velocity.mean()
        return float(np.angle(mean / 1j)) if abs(mean) > 1e-9 else 0.0

    @property
    def walks(self) -> bool:
        """Whether the feet say that it travels, and do not just step to and fro."""
        return self.speed > ON_THE_SPOT * self.height

    @property
    def treads(self) -> bool:
        """Whether standing feet go back, and the body does not go on."""
        return self.walks and self.body_speed < 0.5 * self.speed

    @property
    def in_place(self) -> bool:
        """Whether the clip walks on the spot: a cycle that treads, or a clip that would go far enough to be sure."""
        return self.treads and (self.cyclic or self.speed * self.seconds > SURE * self.height)

    @property
    def agree(self) -> bool:
        """Whether all feet say nearly the same speed."""
        slowest, fastest = min(self.feet.values()), max(self.feet.values())
        return slowest > 0.0 and fastest <= DIFFER * slowest

    def doubts(self, name: str) -> list[str]:
        """Return why the speed is not to be trusted, a sentence each."""
        if not self.walks:
            return []
        found = []
        if not self.agree:
            slowest, fastest = min(self.feet.values()) / self.height, max(self.feet.values()) / self.height
            found.append(f"{name}: its feet disagree ({slowest:.1f} to {fastest:.1f} H/s): type a speed")
        if self.standing < SELDOM:
            found.append(f"{name}: a foot stands only {self.standing:.0%} of the time: look, or type a speed")
        return found


def notes(name: str, found: FootTravel | None) -> list[str]:
    """Return what is to be said of a clip that walks on the spot, a sentence each; nothing of any other."""
    if found is None or not found.in_place:
        return []
    speed = f"{found.speed:.2f} m/s ({found.speed / found.height:.1f} H/s)"
    return [f"{name} walks on the spot, by its feet at {speed}: Add Root Motion lets it go on", *found.doubts(name)]


@dataclass(frozen=True, eq=False)
class _Samples:
    """Of N feet in F frames of one or three laps: how they go back, where they are, how much they stand.

    back, places (N, F) : in the body's frame, body heights (a second); weights (N, F)
    """

    back: Complex
    places: Complex
    weights: Array
    rate: float
    laps: int

    @property
    def frames(self) -> int:
        return self.back.shape[1] // self.laps

    def of_clip(self, values: Values) -> Values:
        """Return values (..., F) of all laps in the frames of the clip, to whose end its first frame belongs."""
        if self.laps == 1:
            return values
        middle = values[..., self.frames : 2 * self.frames]
        return np.concatenate([middle, middle[..., :1]], axis=-1)


def measure(clip: Clip, feet: Paths | None = None, *, turning: bool = False) -> FootTravel | None:
    """Return how a clip travels by its feet; None for one of fewer than three frames or whose feet are not known.

    feet : paths (F, 3) of ball and ankle of each, where these are known better than by the body's roles
    turning : whether to measure, too, how the body turns; only for what turns on the spot
        (methods: Travel from the feet)
    """
    paths = known_feet(clip) if feet is None else feet
    if not paths or len(clip) < 3:
        return None
    cyclic, height = clip.cyclic or cycles.closes(clip), clip.skeleton.height
    ground, facing = body_frames(clip, cyclic)
    samples = _samples(clip, paths, ground, facing, cyclic)
    found = _estimate(samples)
    turn = np.zeros(len(found))
    if turning:
        turn = _turning(samples, found, cyclic)
        samples = replace(samples, back=samples.back - 1j * turn * samples.places)
        found = _estimate(samples)
    velocity, back, weights = samples.of_clip(found), samples.of_clip(samples.back), samples.of_clip(samples.weights)
    if cyclic:
        velocity = np.full(len(velocity), velocity[:-1].mean())
    # A foot that goes forward swings, however low it is.
    stands = (weights > STANDS) & ((back * np.conj(velocity)).real >= -STILL * np.abs(velocity))
    return FootTravel(
        ground,
        facing,
        height * velocity,
        samples.of_clip(turn),
        height * back,
        stands,
        {name: height * _said(back[k], weights[k], velocity) for k, name in enumerate(paths)},
        float(np.abs(np.diff(ground)).sum() / clip.seconds),
        height,
        clip.seconds,
        _authored(clip.skeleton, float(facing.mean())),
        cyclic,
    )


def slide(clip: Clip, stands: Flags, feet: Paths | None = None) -> float | None:
    """Return the mean speed over the ground (m/s) of the balls of N feet in frames (N, F); None for no frames."""
    paths = known_feet(clip) if feet is None else feet
    if not stands.any():
        return None
    speeds = np.stack([np.abs(_complex(_speeds(ball, clip.rate, clip.cyclic))) for ball, _ in paths.values()])
    return float(speeds[stands].mean())


def known_feet(clip: Clip) -> dict[str, tuple[Array, Array]]:
    """Return the paths (F, 3) of ball and ankle of each foot that is known."""
    return {name: (foot.ball, foot.ankle) for name, foot in contacts.standing_feet(world_pose.pose(clip)).items()}


def body_speed(clip: Clip) -> float:
    """Return the mean speed (m/s) of the way that a clip's body goes, without the sway of its steps."""
    if len(clip) < 2:
        return 0.0
    return float(np.abs(np.diff(body_frames(clip, cyclic=False)[0])).sum() / clip.seconds)


def body_frames(clip: Clip, cyclic: bool) -> tuple[Complex, Array]:
    """Return where a body is (F,) as x + iy and which way it faces (F,), without the sway of its steps.

    Smoothed; of a cycle steady, at the mean of its facing.
    """
    places, facing = root_motion.ground_frames(clip)
    if not cyclic:
        smooth = root_motion.smooth(np.column_stack([places, facing]), BODY * clip.rate)
        return _complex(smooth), smooth[:, 2]
    share = np.linspace(0.0, 1.0, len(clip))
    gone, turned = places[-1] - places[0], facing[-1] - facing[0]
    middle, level = (values[:-1].mean(axis=0) for values in (places - share[:, None] * gone, facing - share * turned))
    return _complex(middle + share[:, None] * gone), level + share * turned


def _complex(places: Array) -> Complex:
    return places[..., 0] + 1j * places[..., 1]


def _authored(skeleton: Skeleton, facing: float) -> float | None:
    away = float(np.angle(np.exp(1j * (root_motion.rest_heading(skeleton) - facing))))
    return away if abs(away) < AUTHORED else None


def _samples(clip: Clip, paths: Paths, ground: Complex, facing: Array, cyclic: bool) -> _Samples:
    """How the balls go back in the body's frame, and how much they stand; three laps of a cycle."""
    height, rate = clip.skeleton.height, clip.rate
    balls = np.stack([ball for ball, _ in paths.values()]) / height  # (N, F, 3)
    speeds = np.stack([_speeds(ball, rate, cyclic) for ball in balls])
    back = -_complex(speeds) * np.exp(-1j * facing)
    places = (_complex(balls) - ground / height) * np.exp(-1j * facing)
    over = balls[..., 2] - np.percentile(balls[..., 2], FLOOR, axis=1, keepdims=True)
    steady = STEADY + STEADY_SHARE * np.abs(back)
    weights = np.exp(-0.5 * (over / LOW) ** 2 - 0.5 * (speeds[..., 2] / steady) ** 2) * (over <= LOWEST)
    if not cyclic:
        return _Samples(back, places, weights, rate, 1)
    back, places, weights = (np.tile(values[:, :-1], 3) for values in (back, places, weights))
    return _Samples(back, places, weights, rate, 3)


def _speeds(path: Array, rate: float, cyclic: bool) -> Array:
    """Velocities (F, 3) of a path; a cycle's go on round its end, whose last frame is its first again, moved on."""
    if not cyclic:
        return np.asarray(np.gradient(root_motion.smooth(path, SMOOTHING * rate), axis=0) * rate)
    steps = np.diff(path, axis=0)
    return 0.5 * rate * (np.concatenate([steps[-1:], steps]) + np.concatenate([steps, steps[:1]]))


def _estimate(samples: _Samples) -> Complex:
    """The velocity (F,) that standing feet say: the one most of them say, then twice the mean of those near it."""
    found = _mean(samples, _chosen(samples), SPREADS[0], 2.0)
    return _mean(samples, found, SPREADS[1], 1.0)


def _chosen(samples: _Samples) -> Complex:
    """The velocity (F,) that most feet say around each time, and that changes little: the best way through candidates.

    One for the whole clip would be that of its longest part: a walk that becomes a run would walk all the time.
    """
    frames, rate = samples.back.shape[1], samples.rate
    thin = max(1, round(rate / 60.0))
    at = np.tile(np.arange(0, frames, thin), len(samples.back))
    back, weights = samples.back[:, ::thin].ravel(), samples.weights[:, ::thin].ravel()
    order = np.argsort(at, kind="stable")
    order = order[weights[order] > 0.02]
    at, back, weights = at[order], back[order], weights[order]
    times, found, costs = [], [], []
    for time in range(0, frames, max(1, round(EVERY * rate))):
        low, high = np.searchsorted(at, [time - 3.0 * NEAR * rate, time + 3.0 * NEAR * rate])
        near = weights[low:high] * np.exp(-0.5 * ((at[low:high] - time) / (NEAR * rate)) ** 2)
        if near.sum() > 1e-3:
            candidates, cost = _candidates(back[low:high], near)
            times.append(time)
            found.append(candidates)
            costs.append(cost)
    if not found:
        return np.zeros(frames, dtype=np.complex128)
    chosen = _best_way(found, costs)
    return np.asarray(np.interp(np.arange(frames), times, chosen))


def _candidates(back: Complex, weights: Array) -> tuple[Complex, Array]:
    """Velocities that many others are like, no two of them alike, and the cost of each: how much rarer it is."""
    away = np.abs(back[:, None] - back) / (KERNEL * (1.0 + np.abs(back)))[:, None]
    density = np.exp(-0.5 * away**2) @ weights
    left = density.copy()
    chosen: list[int] = []
    while len(chosen) < CANDIDATES and left.max() > 1e-3 * density.max():
        chosen.append(int(np.argmax(left)))
        left[away[chosen[-1]] < 1.0] = 0.0
    return back[chosen], -np.log(density[chosen] / density.max())


def _best_way(found: list[Complex], costs: list[Array]) -> Complex:
    """One candidate of each time, so that costs and changes are least in all ([Viterbi])."""
    total, origins = costs[0], []
    for (one, other), cost in zip(pairwise(found), costs[1:], strict=True):
        ways = total + np.abs(other[:, None] - one) / (CHANGE * (1.0 + np.abs(one)))
        origins.append(ways.argmin(axis=1))
        total = ways.min(axis=1) + cost
    which = [int(np.argmin(total))]
    for before in reversed(origins):
        which.append(int(before[which[-1]]))
    return np.array([candidates[k] for candidates, k in zip(found, reversed(which), strict=True)])


def _mean(samples: _Samples, start: Complex, spread: float, wide: float) -> Complex:
    """The local mean velocity (F,) of standing feet near an estimate, which is kept where none stands."""
    weights = samples.weights * _nearness(samples.back, start, wide)
    total = _around(weights.sum(axis=0), spread * samples.rate)
    mean = _around((weights * samples.back).sum(axis=0), spread * samples.rate)
    return np.where(total > 1e-3, mean / np.maximum(total, 1e-3), start)


def _nearness(back: Complex, velocity: Complex, wide: float) -> Array:
    """Tukey's weights (N, F) of speeds by how far they are from a velocity."""
    limit = wide * (LIMIT + LIMIT_SHARE * np.abs(velocity))
    return np.asarray(np.maximum(1.0 - (np.abs(back - velocity) / limit) ** 2, 0.0) ** 2)


def _around(values: Values, sigma: float) -> Values:
    """The sums (F,) of values around each frame, weighted by a Gaussian of so many frames."""
    reach = int(np.ceil(3.0 * sigma))
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    around: Values = np.convolve(values, kernel)[reach : reach + len(values)]
    return around


def _said(back: Complex, weights: Array, velocity: Complex) -> float:
    """The speed that one foot says, along the velocity of all: the weighted median of its shares of theirs."""
    speed = np.abs(velocity)
    weights = weights * (speed > STILL)
    if weights.sum() < 1e-3:
        return 0.0
    share = (back * np.conj(velocity)).real / np.maximum(speed, STILL) ** 2
    order = np.argsort(share)
    upto = np.cumsum(weights[order])
    return float(share[order][np.searchsorted(upto, 0.5 * upto[-1])] * speed.mean())


def _turning(samples: _Samples, velocity: Complex, cyclic: bool) -> Array:
    """How fast the body turns (F,): a foot that stands further to the left goes back slower in a turn to the left."""
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
