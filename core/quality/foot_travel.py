"""Measure travel from the feet: a foot in contact moves back at the speed at which the body should move forward.

Method: Travel from the feet.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ..motion import cycles, root_motion
from ..motion.clip import Clip
from ..motion.quat import Array
from ..motion.skeleton import Skeleton
from . import contacts, foot_speeds, world_pose
from .contacts import Flags
from .foot_speeds import Complex, Paths

# Lengths are in body heights, speeds in body heights a second.
BODY = 0.5  # s; sigma of the body's position and facing, slower than the sway of a step
ON_THE_SPOT = 0.15  # faster feet walk
ROAMS = 0.3  # a body that ranges farther is not in place, whatever its steps; captures made in place stay within 0.17
SURE = 0.5  # a shorter distance may also result from feet that stand up or hang in the air
DIFFER = 1.3  # ratio of speeds above which feet disagree
SLIDES = 0.25  # share of the speed; the speed of feet that slide faster during contacts is not well defined
SELDOM = 0.2  # share of the time in contact; with less the speed is a guess
AUTHORED = np.radians(25.0)  # a body within this of its rest pose's facing is taken to face that way


@dataclass(frozen=True, eq=False)
class FootTravel:
    """The travel of a clip measured from its feet, relative to the travel it has.

    ground, facing (F,) : position x + iy and facing of the body without the sway of its steps, metres and radians
    velocity (F,) : x to the right of that facing, y forward, m/s; constant in a cycle
    turn (F,) : turn rate, radians a second; zero unless measured
    back (N, F) : backward velocity of each of N feet, as `velocity`; stands (N, F) : contacts of each
    feet : speed of the body by each foot, along the common velocity, m/s
    body_speed : mean speed of the clip's own travel, m/s; height : of the body, m; seconds : of the clip
    authored : facing of the rest pose, radians to the left of the body's facing; None if it differs much
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
        """Share of the time in which a foot is in contact."""
        return float(self.stands.any(axis=0).mean())

    @property
    def direction(self) -> float:
        """Mean direction, radians to the left of forward; 0 without travel."""
        mean = self.velocity.mean()
        return float(np.angle(mean / 1j)) if abs(mean) > 1e-9 else 0.0

    @property
    def walks(self) -> bool:
        """Whether its feet walk, rather than step to and fro."""
        return self.speed > ON_THE_SPOT * self.height

    @property
    def treads(self) -> bool:
        """Whether feet in contact move back while the body does not move forward with them."""
        return self.walks and self.body_speed < 0.5 * self.speed

    @property
    def reach(self) -> float:
        """Extent of the body's motion on the ground, without the sway of its steps, metres."""
        return _reach(self.ground)

    @property
    def roams(self) -> bool:
        """Whether an acyclic clip moves about, like a dance, so that it is not in place."""
        return not self.cyclic and self.reach > ROAMS * self.height

    @property
    def in_place(self) -> bool:
        """Whether the clip walks in place: it treads there, and is a cycle or would travel far enough to be certain."""
        return self.treads and not self.roams and (self.cyclic or self.speed * self.seconds > SURE * self.height)

    @property
    def path(self) -> Array:
        """The path (F, 2) on the ground that a clip in place lacks, metres."""
        steps = self.velocity * np.exp(1j * self.facing) * self.seconds / max(len(self.velocity) - 1, 1)
        path = np.concatenate([[0.0], np.cumsum(0.5 * (steps[1:] + steps[:-1]))])
        return np.column_stack([path.real, path.imag])

    @property
    def agree(self) -> bool:
        """Whether all feet have nearly the same speed."""
        slowest, fastest = min(self.feet.values()), max(self.feet.values())
        return slowest > 0.0 and fastest <= DIFFER * slowest

    @property
    def left(self) -> float:
        """Mean speed (m/s) of feet in contact over the ground if the body travels as measured; 0 without contacts."""
        return float(np.abs(self.back - self.velocity)[self.stands].mean()) if self.stands.any() else 0.0

    def doubts(self, name: str) -> list[str]:
        """Return sentences on reasons not to trust the speed."""
        if not self.walks:
            return []
        reasons = []
        if not self.agree:
            slowest, fastest = min(self.feet.values()), max(self.feet.values())
            reasons.append(f"{name}: its feet disagree ({slowest:.1f} to {fastest:.1f} m/s): type a speed if it slides")
        if self.standing < SELDOM:
            reasons.append(f"{name}: a foot stands only {self.standing:.0%} of the time: check it, or type a speed")
        if self.agree and self.left > SLIDES * self.speed:
            reasons.append(f"{name}: no speed suits all standing feet, {self.speed:.1f} m/s the most: plant them")
        return reasons


def notes(name: str, feet: FootTravel | None) -> list[str]:
    """Return notes on a clip that walks in place, as sentences; none for other clips.

    Example:
        >>> from action_loom.core.quality import foot_travel
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import root_motion
        >>> walk = actions.walk()
        >>> ground = root_motion.ground_frames(walk)[0]
        >>> still = root_motion.place_clip(walk, 0.0, ground[0] - ground)
        >>> foot_travel.notes("walk", foot_travel.measure(still))
        ['walk walks on the spot, by its feet at 1.30 m/s (0.8 H/s): use Add Root Motion to move it']
    """
    if feet is None or not feet.in_place:
        return []
    speed = f"{feet.speed:.2f} m/s ({feet.speed / feet.height:.1f} H/s)"
    return [f"{name} walks on the spot, by its feet at {speed}: use Add Root Motion to move it", *feet.doubts(name)]


def measure(clip: Clip, feet: Paths | None = None, *, turning: bool = False) -> FootTravel | None:
    """Return the travel of a clip measured from its feet; None for fewer than three frames or unknown feet.

    feet : paths (F, 3) of ball and ankle of each foot, None: by the body's roles
    turning : whether to measure the turn, too; only for clips that turn in place
        (methods: Travel from the feet)

    Example:
        >>> import numpy as np
        >>> from action_loom.core.quality import foot_travel
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import root_motion
        >>> walk = actions.walk(speed=1.3)
        >>> ground = root_motion.ground_frames(walk)[0]
        >>> still = root_motion.place_clip(walk, 0.0, ground[0] - ground)
        >>> travel = foot_travel.measure(still)
        >>> travel.in_place, round(travel.speed, 1), round(travel.body_speed, 1)
        (True, 1.3, 0.0)
    """
    paths = known_feet(clip) if feet is None else feet
    if not paths or len(clip) < 3:
        return None
    cyclic, height = clip.cyclic or cycles.closes(clip), clip.skeleton.height
    ground, facing = body_frames(clip, cyclic)
    samples = foot_speeds.samples_of(clip, paths, ground, facing, cyclic)
    estimate = foot_speeds.estimate(samples)
    turn = np.zeros(len(estimate))
    if turning:
        turn = foot_speeds.turning(samples, estimate, cyclic)
        samples = replace(samples, back=samples.back - 1j * turn * samples.places)
        estimate = foot_speeds.estimate(samples)
    velocity, back, weights = samples.of_clip(estimate), samples.of_clip(samples.back), samples.of_clip(samples.weights)
    if cyclic:
        velocity = np.full(
            len(velocity), foot_speeds.of_cycle(back[:, :-1], weights[:, :-1], complex(velocity[:-1].mean()))
        )
    stands = foot_speeds.when_standing(back, weights, velocity)
    return FootTravel(
        ground,
        facing,
        height * velocity,
        samples.of_clip(turn),
        height * back,
        stands,
        {name: height * foot_speeds.own_speed(back[k], weights[k], velocity) for k, name in enumerate(paths)},
        float(np.abs(np.diff(ground)).sum() / clip.seconds),
        height,
        clip.seconds,
        _measure_authored_speed(clip.skeleton, float(facing.mean())),
        cyclic,
    )


def on_the_spot(clip: Clip) -> FootTravel | None:
    """Return the travel of a clip that walks in place (`FootTravel.in_place`); None for any other.

    Example:
        >>> from action_loom.core.quality import foot_travel
        >>> from action_loom.core.demo_character import actions
        >>> foot_travel.on_the_spot(actions.walk()) is None
        True
    """
    if len(clip) < 3 or (not clip.cyclic and _roams(clip) and not cycles.closes(clip)):
        return None  # regardless of its feet
    feet = measure(clip)
    return feet if feet is not None and feet.in_place else None


def _roams(clip: Clip) -> bool:
    return _reach(body_frames(clip, cyclic=False)[0]) > ROAMS * clip.skeleton.height


def _reach(ground: Complex) -> float:
    return float(np.hypot(np.ptp(ground.real), np.ptp(ground.imag)))


def slide(clip: Clip, stands: Flags, feet: Paths | None = None) -> float | None:
    """Return the mean ground speed (m/s) of the balls of N feet during their contacts (N, F).

    None without contacts.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.quality import foot_travel
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import root_motion
        >>> walk = actions.walk()
        >>> sliding = root_motion.place_clip(walk, 0.0, np.linspace([0.0, 0.0], [0.0, -0.5], len(walk)))
        >>> stands = foot_travel.measure(walk).stands
        >>> [round(foot_travel.slide(clip, stands), 2) for clip in (walk, sliding)]
        [0.0, 0.16]
    """
    paths = known_feet(clip) if feet is None else feet
    if not stands.any():
        return None
    every = [foot_speeds.velocities(ball, clip.rate, clip.cyclic) for ball, _ in paths.values()]
    speeds = np.stack([np.abs(foot_speeds.as_complex(each)) for each in every])
    return float(speeds[stands].mean())


def known_feet(clip: Clip) -> dict[str, tuple[Array, Array]]:
    """Return the paths (F, 3) of ball and ankle of each known foot.

    Example:
        >>> from action_loom.core.quality import foot_travel
        >>> from action_loom.core.demo_character import actions
        >>> feet = foot_travel.known_feet(actions.walk())
        >>> {name: (ball.shape, ankle.shape) for name, (ball, ankle) in feet.items()}
        {'L': ((97, 3), (97, 3)), 'R': ((97, 3), (97, 3))}
    """
    return {name: (foot.ball, foot.ankle) for name, foot in contacts.standing_feet(world_pose.pose(clip)).items()}


def body_speed(clip: Clip) -> float:
    """Return the mean ground speed (m/s) of a clip's body, without the sway of its steps.

    Example:
        >>> from action_loom.core.quality import foot_travel
        >>> from action_loom.core.demo_character import actions
        >>> round(foot_travel.body_speed(actions.walk(speed=1.3)), 1)
        1.3
    """
    if len(clip) < 2:
        return 0.0
    return float(np.abs(np.diff(body_frames(clip, cyclic=False)[0])).sum() / clip.seconds)


def body_frames(clip: Clip, cyclic: bool) -> tuple[Complex, Array]:
    """Return the position (F,), x + iy, and facing (F,) of a body without the sway of its steps.

    Smoothed; in a cycle uniform, about the mean position and facing.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.quality import foot_travel
        >>> from action_loom.core.demo_character import actions
        >>> ground, facing = foot_travel.body_frames(actions.walk(speed=1.3), cyclic=True)
        >>> speeds = 30.0 * np.abs(np.diff(ground))
        >>> round(float(speeds.min()), 2), round(float(speeds.max()), 2)
        (1.3, 1.3)
    """
    places, facing = root_motion.ground_frames(clip)
    if not cyclic:
        smooth = root_motion.smooth(np.column_stack([places, facing]), BODY * clip.rate)
        return foot_speeds.as_complex(smooth), smooth[:, 2]
    share = np.linspace(0.0, 1.0, len(clip))
    gone, turned = places[-1] - places[0], facing[-1] - facing[0]
    middle, level = (values[:-1].mean(axis=0) for values in (places - share[:, None] * gone, facing - share * turned))
    return foot_speeds.as_complex(middle + share[:, None] * gone), level + share * turned


def _measure_authored_speed(skeleton: Skeleton, facing: float) -> float | None:
    away = float(np.angle(np.exp(1j * (root_motion.rest_heading(skeleton) - facing))))
    return away if abs(away) < AUTHORED else None
