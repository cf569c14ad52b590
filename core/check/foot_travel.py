"""Travel measured from the feet: a standing foot moves back as fast as the body should move ahead.

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
LOW, LOWEST = 0.015, 0.04  # sigma of the weight by height over the floor, and the height from which on it is 0
STEADY, STEADY_SHARE = 0.15, 0.1  # sigma of the weight by vertical speed, and its growth per horizontal speed
SMOOTHING = 0.012  # s; sigma of places before speeds are computed
BODY = 0.5  # s; sigma of the body's place and facing, slower than the sway of a step
EVERY, NEAR = 0.1, 0.35  # s between choices among candidates, and sigma of the time from which these come
KERNEL, CANDIDATES = 0.08, 12  # kernel width of the density of speeds (per 1 + speed), and the number of candidates
TOGETHER = 10  # choices; what comes near one comes near the next, and is compared once
CHANGE = 0.15  # a change of speed (per 1 + speed) that costs as much as a density lower by a factor of e
SPREADS = (0.25, 0.15)  # s; sigmas of the two local means
LIMIT, LIMIT_SHARE = 0.15, 0.3  # distance from the estimate beyond which a speed does not count; twice it at first
TURNING = 0.5  # s; sigma of the comparison of feet's places and speeds for a turn
AGAIN, STEPS, NO_SLIDE = 3, 50, 1e-4  # rounds and steps to the velocity of a cycle, and slide that counts as none
STANDS = 0.5  # weight above which a foot stands
STILL = 0.05  # slower is no travel
ON_THE_SPOT = 0.15  # faster is a walk
ROAMS = 0.3  # a body that ranges farther is not on the spot, however it steps; captures made in place keep within 0.17
SURE = 0.5  # a shorter distance may also come from feet that stand up or hang in the air
DIFFER = 1.3  # times; feet whose speeds differ by more disagree
SLIDES = 0.25  # of the speed; feet that slide at more of it while they stand have no speed of their own
SELDOM = 0.2  # share of the time; if feet stand less, their speed is a guess
AUTHORED = np.radians(25.0)  # within this of its rest pose's facing a body is taken to face that way

Complex = NDArray[np.complex128]
Values = TypeVar("Values", Array, Complex)
Paths = Mapping[str, tuple[Array, Array]]


@dataclass(frozen=True, eq=False)
class FootTravel:
    """The travel of a clip as measured from its feet, relative to the travel it has.

    ground, facing (F,) : place x + iy and facing of the body without the sway of its steps, metres and radians
    velocity (F,) : x to the right of that facing, y ahead, m/s; constant in a cycle
    turn (F,) : turn rate, radians a second; zero unless measured
    back (N, F) : backward velocity of each of N feet, as `velocity`; stands (N, F) : when each stands
    feet : the speed of the body by each foot, along the velocity of all, m/s
    body_speed : mean speed of the clip's own travel, m/s; height : of the body, m; seconds : of the clip
    authored : facing of the rest pose, radians to the left of the body's facing; None if that is far off
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
        """Mean direction, radians to the left of ahead; 0 without travel."""
        mean = self.velocity.mean()
        return float(np.angle(mean / 1j)) if abs(mean) > 1e-9 else 0.0

    @property
    def walks(self) -> bool:
        """Whether its feet walk, instead of stepping to and fro."""
        return self.speed > ON_THE_SPOT * self.height

    @property
    def treads(self) -> bool:
        """Whether standing feet move back while the body does not move ahead with them."""
        return self.walks and self.body_speed < 0.5 * self.speed

    @property
    def reach(self) -> float:
        """How far the body ranges on the ground, without the sway of its steps, metres."""
        return _reach(self.ground)

    @property
    def roams(self) -> bool:
        """Whether a clip that is no cycle moves about, as a dance does, and so is not on the spot."""
        return not self.cyclic and self.reach > ROAMS * self.height

    @property
    def in_place(self) -> bool:
        """Whether the clip walks on the spot: it treads there, and is a cycle or would travel far enough to be sure."""
        return self.treads and not self.roams and (self.cyclic or self.speed * self.seconds > SURE * self.height)

    @property
    def agree(self) -> bool:
        """Whether all feet have nearly the same speed."""
        slowest, fastest = min(self.feet.values()), max(self.feet.values())
        return slowest > 0.0 and fastest <= DIFFER * slowest

    @property
    def left(self) -> float:
        """Mean speed (m/s) of standing feet over the ground if the body goes as measured; 0 if none stands."""
        return float(np.abs(self.back - self.velocity)[self.stands].mean()) if self.stands.any() else 0.0

    def doubts(self, name: str) -> list[str]:
        """Return the reasons not to trust the speed, a sentence each."""
        if not self.walks:
            return []
        reasons = []
        if not self.agree:
            slowest, fastest = min(self.feet.values()) / self.height, max(self.feet.values()) / self.height
            reasons.append(f"{name}: its feet disagree ({slowest:.1f} to {fastest:.1f} H/s): type a speed")
        if self.standing < SELDOM:
            reasons.append(f"{name}: a foot stands only {self.standing:.0%} of the time: check it, or type a speed")
        if self.agree and self.left > SLIDES * self.speed:
            slide = 100.0 * self.left
            reasons.append(f"{name}: standing feet still slide at {slide:.0f} cm/s at {self.speed:.1f} m/s: plant them")
        return reasons


def notes(name: str, feet: FootTravel | None) -> list[str]:
    """Return the notes on a clip that walks on the spot, a sentence each; none for other clips.

    Example:
        >>> from action_loom.core.check import foot_travel
        >>> from action_loom.core.figure import actions
        >>> from action_loom.core.motion import root_motion
        >>> walk = actions.walk()
        >>> ground = root_motion.ground_frames(walk)[0]
        >>> still = root_motion.placed(walk, 0.0, ground[0] - ground)
        >>> foot_travel.notes("walk", foot_travel.measure(still))
        ['walk walks on the spot, by its feet at 1.30 m/s (0.8 H/s): use Add Root Motion to move it']
    """
    if feet is None or not feet.in_place:
        return []
    speed = f"{feet.speed:.2f} m/s ({feet.speed / feet.height:.1f} H/s)"
    return [f"{name} walks on the spot, by its feet at {speed}: use Add Root Motion to move it", *feet.doubts(name)]


@dataclass(frozen=True, eq=False)
class _Samples:
    """Samples of N feet in the F frames of one or three cycles.

    back, places (N, F) : backward velocities and places in the body's frame, body heights (a second)
    weights (N, F) : how surely each stands
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
        """Return values (..., F) of all cycles in the frames of the clip, whose last frame is its first again."""
        if self.cycles == 1:
            return values
        middle = values[..., self.frames : 2 * self.frames]
        return np.concatenate([middle, middle[..., :1]], axis=-1)


def measure(clip: Clip, feet: Paths | None = None, *, turning: bool = False) -> FootTravel | None:
    """Return the travel of a clip measured from its feet; None for fewer than three frames or unknown feet.

    feet : paths (F, 3) of ball and ankle of each foot, None: by the body's roles
    turning : whether to measure the turn, too; only for clips that turn on the spot
        (methods: Travel from the feet)

    Example:
        >>> import numpy as np
        >>> from action_loom.core.check import foot_travel
        >>> from action_loom.core.figure import actions
        >>> from action_loom.core.motion import root_motion
        >>> walk = actions.walk(speed=1.3)
        >>> ground = root_motion.ground_frames(walk)[0]
        >>> still = root_motion.placed(walk, 0.0, ground[0] - ground)
        >>> travel = foot_travel.measure(still)
        >>> travel.in_place, round(travel.speed, 1), round(travel.body_speed, 1)
        (True, 1.3, 0.0)
    """
    paths = known_feet(clip) if feet is None else feet
    if not paths or len(clip) < 3:
        return None
    cyclic, height = clip.cyclic or cycles.closes(clip), clip.skeleton.height
    ground, facing = body_frames(clip, cyclic)
    samples = _samples(clip, paths, ground, facing, cyclic)
    estimate = _estimate(samples)
    turn = np.zeros(len(estimate))
    if turning:
        turn = _turning(samples, estimate, cyclic)
        samples = replace(samples, back=samples.back - 1j * turn * samples.places)
        estimate = _estimate(samples)
    velocity, back, weights = samples.of_clip(estimate), samples.of_clip(samples.back), samples.of_clip(samples.weights)
    if cyclic:
        velocity = np.full(len(velocity), _of_cycle(back[:, :-1], weights[:, :-1], complex(velocity[:-1].mean())))
    stands = _standing(back, weights, velocity)
    return FootTravel(
        ground,
        facing,
        height * velocity,
        samples.of_clip(turn),
        height * back,
        stands,
        {name: height * _own_speed(back[k], weights[k], velocity) for k, name in enumerate(paths)},
        float(np.abs(np.diff(ground)).sum() / clip.seconds),
        height,
        clip.seconds,
        _authored(clip.skeleton, float(facing.mean())),
        cyclic,
    )


def on_the_spot(clip: Clip) -> FootTravel | None:
    """Return the travel of a clip that walks on the spot (`FootTravel.in_place`); None for any other.

    Example:
        >>> from action_loom.core.check import foot_travel
        >>> from action_loom.core.figure import actions
        >>> foot_travel.on_the_spot(actions.walk()) is None
        True
    """
    if len(clip) < 3 or (not clip.cyclic and _roams(clip) and not cycles.closes(clip)):
        return None  # whatever its feet do
    feet = measure(clip)
    return feet if feet is not None and feet.in_place else None


def _roams(clip: Clip) -> bool:
    return _reach(body_frames(clip, cyclic=False)[0]) > ROAMS * clip.skeleton.height


def _reach(ground: Complex) -> float:
    return float(np.hypot(np.ptp(ground.real), np.ptp(ground.imag)))


def slide(clip: Clip, stands: Flags, feet: Paths | None = None) -> float | None:
    """Return the mean ground speed (m/s) of the balls of N feet in the frames (N, F) in which they stand.

    None if no foot stands.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.check import foot_travel
        >>> from action_loom.core.figure import actions
        >>> from action_loom.core.motion import root_motion
        >>> walk = actions.walk()
        >>> sliding = root_motion.placed(walk, 0.0, np.linspace([0.0, 0.0], [0.0, -0.5], len(walk)))
        >>> stands = foot_travel.measure(walk).stands
        >>> [round(foot_travel.slide(clip, stands), 2) for clip in (walk, sliding)]
        [0.0, 0.16]
    """
    paths = known_feet(clip) if feet is None else feet
    if not stands.any():
        return None
    speeds = np.stack([np.abs(_complex(_speeds(ball, clip.rate, clip.cyclic))) for ball, _ in paths.values()])
    return float(speeds[stands].mean())


def known_feet(clip: Clip) -> dict[str, tuple[Array, Array]]:
    """Return the paths (F, 3) of ball and ankle of each known foot.

    Example:
        >>> from action_loom.core.check import foot_travel
        >>> from action_loom.core.figure import actions
        >>> feet = foot_travel.known_feet(actions.walk())
        >>> {name: (ball.shape, ankle.shape) for name, (ball, ankle) in feet.items()}
        {'L': ((97, 3), (97, 3)), 'R': ((97, 3), (97, 3))}
    """
    return {name: (foot.ball, foot.ankle) for name, foot in contacts.standing_feet(world_pose.pose(clip)).items()}


def body_speed(clip: Clip) -> float:
    """Return the mean ground speed (m/s) of a clip's body, without the sway of its steps.

    Example:
        >>> from action_loom.core.check import foot_travel
        >>> from action_loom.core.figure import actions
        >>> round(foot_travel.body_speed(actions.walk(speed=1.3)), 1)
        1.3
    """
    if len(clip) < 2:
        return 0.0
    return float(np.abs(np.diff(body_frames(clip, cyclic=False)[0])).sum() / clip.seconds)


def body_frames(clip: Clip, cyclic: bool) -> tuple[Complex, Array]:
    """Return the place (F,), x + iy, and facing (F,) of a body without the sway of its steps.

    Smoothed; in a cycle uniform, about the mean place and facing.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.check import foot_travel
        >>> from action_loom.core.figure import actions
        >>> ground, facing = foot_travel.body_frames(actions.walk(speed=1.3), cyclic=True)
        >>> speeds = 30.0 * np.abs(np.diff(ground))
        >>> round(float(speeds.min()), 2), round(float(speeds.max()), 2)
        (1.3, 1.3)
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
    """Return samples of the balls in the body's frame; of a clip that repeats three cycles."""
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
    """Return velocities (F, 3) of a path; of a cycle across its ends, whose last frame is its first, moved on."""
    if not cyclic:
        return np.asarray(np.gradient(root_motion.smooth(path, SMOOTHING * rate), axis=0) * rate)
    steps = np.diff(path, axis=0)
    return 0.5 * rate * (np.concatenate([steps[-1:], steps]) + np.concatenate([steps, steps[:1]]))


def _estimate(samples: _Samples) -> Complex:
    """Return the velocity (F,) by standing feet: the most frequent one, refined twice by the mean of those near it."""
    estimate = _mean(samples, _chosen(samples), SPREADS[0], 2.0)
    return _mean(samples, estimate, SPREADS[1], 1.0)


def _chosen(samples: _Samples) -> Complex:
    """Return the most frequent velocity (F,) of feet around each time that changes little: a path through candidates.

    One velocity for the whole clip would be that of its longest part: a walk that becomes a run would only walk.
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
        away = _away(back[begin:end])
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


def _away(back: Complex) -> Array:
    """Return squared distances (M, M) of velocities, in kernel widths of the one of the row."""
    across, along = back.real, back.imag  # squares of both: absolute values of complex numbers take long
    width = KERNEL * (1.0 + np.abs(back))
    return np.asarray(((across[:, None] - across) ** 2 + (along[:, None] - along) ** 2) / (width**2)[:, None])


def _candidates(away: Array, density: Array) -> tuple[list[int], Array]:
    """Return velocities of high density (M,), no two alike, and their costs: minus the log of the relative density.

    away (M, M) : see `_away`
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
    """Return one candidate for each time with the least sum of costs and changes ([Viterbi])."""
    total, origins = costs[0], []
    for (before, after), cost in zip(pairwise(choices), costs[1:], strict=True):
        steps = total + np.abs(after[:, None] - before) / (CHANGE * (1.0 + np.abs(before)))
        origins.append(steps.argmin(axis=1))
        total = steps.min(axis=1) + cost
    which = [int(np.argmin(total))]
    for origin in reversed(origins):
        which.append(int(origin[which[-1]]))
    return np.array([candidates[k] for candidates, k in zip(choices, reversed(which), strict=True)])


def _standing(back: Complex, weights: Array, velocity: Complex | complex) -> Flags:
    """Return when feet (N, F) stand: a foot that moves forward swings, however low it is."""
    return np.asarray((weights > STANDS) & ((back * np.conj(velocity)).real >= -STILL * np.abs(velocity)))


def _of_cycle(back: Complex, weights: Array, start: complex) -> complex:
    """Return the one velocity of a cycle: that at which standing feet slide least, their geometric median.

    start : an estimate, kept where no foot stands. By the method of Weiszfeld.
    """
    velocity = start
    for _ in range(AGAIN):  # which feet stand depends on it
        stands = _standing(back, weights, velocity)
        if not stands.any():
            return start
        standing, sure = back[stands], weights[stands]
        velocity = complex(np.average(standing, weights=sure))
        for _ in range(STEPS):
            near = sure / np.maximum(np.abs(standing - velocity), NO_SLIDE)
            velocity = complex(np.average(standing, weights=near))
    return velocity


def _mean(samples: _Samples, start: Complex, spread: float, wide: float) -> Complex:
    """Return the local mean velocity (F,) of standing feet near an estimate, which is kept where none stands."""
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


def _own_speed(back: Complex, weights: Array, velocity: Complex) -> float:
    """Return the speed by one foot along the velocity of all: the weighted median of its share of theirs."""
    speed = np.abs(velocity)
    weights = weights * (speed > STILL)
    if weights.sum() < 1e-3:
        return 0.0
    share = (back * np.conj(velocity)).real / np.maximum(speed, STILL) ** 2
    order = np.argsort(share)
    upto = np.cumsum(weights[order])
    return float(share[order][np.searchsorted(upto, 0.5 * upto[-1])] * speed.mean())


def _turning(samples: _Samples, velocity: Complex, cyclic: bool) -> Array:
    """Return the turn rate (F,): in a turn to the left a foot further to the left moves back more slowly."""
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
