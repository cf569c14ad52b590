"""The root trajectory of a clip as velocities of its body: measured, removed, stored in channels, added.

A pose is moved over the ground by z → e^(iθ)·z + s, with (θ, s) per frame; complex numbers are positions x + iy.

Method: Travel from the feet.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ..motion import root_motion
from ..motion.clip import Channel, Clip
from ..motion.quat import Array
from ..quality import foot_speeds, foot_travel
from ..quality.foot_speeds import Complex
from ..quality.foot_travel import FootTravel
from . import root_carrier
from .ground_arc import GroundArc

# A direction this near to forward, backward or sideways is snapped to it, since the difference is measurement error.
SNAP = np.radians(20.0)
DIRECTIONS = {"ahead": 0.0, "left": 0.5 * np.pi, "back": np.pi, "right": -0.5 * np.pi}
# Paths of custom properties, as Blender writes them; right and forward in m/s, left turn in degrees a second.
# The names are kept because existing actions and files use them.
CHANNELS = ('["Way Aside"][0]', '["Way Ahead"][0]', '["Way Turn"][0]')


@dataclass(frozen=True, eq=False)
class RootTrajectory:
    """The motion of a body from each frame to the next, relative to its place and facing in that frame.

    velocity (F,) : x to the right, y forward, m/s; turn (F,) : radians a second; the last frame's values are not used
    """

    velocity: Complex
    turn: Array

    def rows(self) -> list[list[float]]:
        """Return rows of readable numbers: m/s to the right and forward, degrees a second to the left."""
        return np.column_stack([self.velocity.real, self.velocity.imag, np.degrees(self.turn)]).tolist()


def of_rows(rows: Array) -> RootTrajectory:
    """Return the root trajectory of rows (F, 3) written by `RootTrajectory.rows`.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.weave import root_trajectory
        >>> trajectory = root_trajectory.of_rows(np.array([[0.0, 1.3, 90.0]] * 10))
        >>> abs(trajectory.velocity[0]).round(2).item(), trajectory.turn[0].round(2).item()
        (1.3, 1.57)
    """
    return RootTrajectory(rows[:, 0] + 1j * rows[:, 1], np.radians(rows[:, 2]))


def from_feet(
    feet: FootTravel, clip: Clip, *, speed: float = 0.0, direction: str = "auto", angle: float = 0.0, turn: float = 0.0
) -> tuple[RootTrajectory, str]:
    """Return the root trajectory for a clip with measured feet, and its direction in one word.

    speed : m/s, 0 for the measured speed; direction, angle (degrees), turn (degrees) : as the options of Travel

    Example:
        >>> from action_loom.core.quality import foot_travel
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.weave import root_trajectory
        >>> still, _ = root_trajectory.remove_trajectory(actions.walk(speed=1.3))
        >>> trajectory, direction = root_trajectory.from_feet(foot_travel.measure(still), still)
        >>> direction, abs(trajectory.velocity).mean().round(1).item()
        ('ahead', 1.3)
    """
    heading, label = _direction(feet, direction, angle)
    velocity = feet.velocity * np.exp(1j * (heading - feet.direction))
    if feet.speed <= foot_speeds.STILL * feet.height:  # without a measured speed the requested speed is constant
        velocity = np.full(len(clip), speed * 1j * np.exp(1j * heading), dtype=np.complex128)
    elif speed:
        velocity = velocity * (speed / feet.speed)
    turning = np.full(len(clip), np.radians(turn) / clip.seconds) if turn else feet.turn
    return RootTrajectory(velocity, turning), label


def _direction(feet: FootTravel, direction: str, angle: float) -> tuple[float, str]:
    """Return the direction in radians to the left of the body's facing, and its name."""
    extra = np.radians(angle)
    measured = feet.direction
    # A nearly aligned facing is snapped to the rest pose's, so that a turned stance of the hips does not turn the
    # travel.
    fronts = [0.0] if feet.authored is None else [feet.authored, 0.0]
    named = [(front + aside, name) for front in fronts for name, aside in DIRECTIONS.items()]
    if direction in DIRECTIONS:
        return fronts[0] + DIRECTIONS[direction] + extra, direction
    if direction == "auto" and feet.speed <= foot_speeds.STILL * feet.height:
        return fronts[0] + extra, "ahead"
    if direction == "auto" and feet.cyclic:
        nearest, name = min(named, key=lambda candidate: measure_angle(candidate[0], measured))
        if measure_angle(nearest, measured) <= SNAP:
            return nearest + extra, name
    return measured + extra, "measured"


def measure_angle(angle: float, other: float) -> float:
    """Return the angle between two directions, from 0 to π."""
    return float(abs(np.angle(np.exp(1j * (angle - other)))))


def read_stored_trajectory(clip: Clip) -> RootTrajectory | None:
    """Return the root trajectory that was removed from a clip and stored in its channels, or None.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.weave import root_trajectory
        >>> still, _ = root_trajectory.remove_trajectory(actions.walk())
        >>> [root_trajectory.read_stored_trajectory(clip) is None for clip in (actions.walk(), still)]
        [True, False]
    """
    if not all(name in clip.channels for name in CHANNELS):
        return None
    return of_rows(np.column_stack([clip.channels[name].values for name in CHANNELS]))


def without_stored(clip: Clip) -> Clip:
    """Return the clip without the channels that store a root trajectory.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.weave import root_trajectory
        >>> still, _ = root_trajectory.remove_trajectory(actions.walk())
        >>> len(still.channels), len(root_trajectory.without_stored(still).channels)
        (3, 0)
    """
    left: Mapping[str, Channel] = {name: kept for name, kept in clip.channels.items() if name not in CHANNELS}
    return clip if len(left) == len(clip.channels) else replace(clip, channels=left)


def remove_trajectory(clip: Clip) -> tuple[Clip, RootTrajectory]:
    """Return the clip in place at its start, with its root trajectory in its channels, and that trajectory.

    A cycle loses its line or arc; other clips lose their ground path and facing, both smoothed over 0.5 s. Static
    joints above the hips stay static, since the travel is then on the hips and is removed from them. Raises
    SkeletonError as `root_motion.place_clip` does.

    Example:
        >>> from action_loom.core.quality import foot_travel
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.weave import root_trajectory
        >>> still, trajectory = root_trajectory.remove_trajectory(actions.walk())
        >>> round(foot_travel.body_speed(still), 1), trajectory.velocity.imag.mean().round(1).item()
        (0.0, 1.3)
    """
    places, facing = root_motion.ground_frames(clip)
    if clip.cyclic:
        ground = _complex(places)
        step, turn = complex(ground[-1] - ground[0]), float(facing[-1] - facing[0])
        ground, facing = GroundArc(complex(ground[0]), float(facing[0]), step, turn, len(clip) - 1).at(
            np.arange(len(clip), dtype=float)
        )
    else:
        ground, facing = foot_travel.body_frames(clip, cyclic=False)
    angle = facing - facing[0]  # turn and shift of each frame relative to the first
    shift = ground - np.exp(1j * angle) * ground[0]
    still = _as_carried(_move_clip(clip, -angle, -np.exp(-1j * angle) * shift), clip)
    trajectory = _seen_from(still, angle, shift)
    values = np.array(trajectory.rows()).T
    channels = {name: Channel(column) for name, column in zip(CHANNELS, values, strict=True)}
    return replace(still, channels={**still.channels, **channels}), trajectory


def add_trajectory(clip: Clip, trajectory: RootTrajectory) -> Clip:
    """Return the clip moved along a root trajectory given in its ground frames; the inverse of `remove_trajectory`.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.weave import root_trajectory
        >>> walk = actions.walk()
        >>> still, trajectory = root_trajectory.remove_trajectory(walk)
        >>> again = root_trajectory.add_trajectory(still, trajectory)
        >>> bool(np.allclose(again.translations, walk.translations, atol=1e-6))
        True
    """
    return without_stored(_move_clip(clip, *displacement(clip, trajectory)))


def added_smoothly(clip: Clip, feet: FootTravel, trajectory: RootTrajectory) -> Clip:
    """Return the clip moved along a root trajectory that is relative to the body's path without the sway of steps.

    Example:
        >>> from action_loom.core.quality import foot_travel
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.weave import root_trajectory
        >>> still = root_trajectory.without_stored(root_trajectory.remove_trajectory(actions.walk())[0])
        >>> feet = foot_travel.measure(still)
        >>> walk = root_trajectory.added_smoothly(still, feet, root_trajectory.from_feet(feet, still)[0])
        >>> [round(foot_travel.body_speed(clip), 1) for clip in (still, walk)]
        [0.0, 1.3]
    """
    return without_stored(_move_clip(clip, *displacement_smoothly(clip, feet, trajectory)))


def displacement(clip: Clip, trajectory: RootTrajectory) -> tuple[Array, Complex]:
    """Return the turn (F,) and shift (F,) of each frame for a root trajectory given in the clip's ground frames.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.weave import root_trajectory
        >>> clip = actions.walk()
        >>> onward = root_trajectory.RootTrajectory(np.full(len(clip), 1.0 + 0.0j), np.zeros(len(clip)))
        >>> turn, shift = root_trajectory.displacement(clip, onward)  # a metre a second along its own facing
        >>> bool(turn.any()), round(float(abs(shift[-1])), 2) == round(clip.seconds, 2)
        (False, True)
    """
    places, facing = root_motion.ground_frames(clip)
    return _carry_ground(_complex(places), facing, trajectory, clip.rate)


def displacement_smoothly(clip: Clip, feet: FootTravel, trajectory: RootTrajectory) -> tuple[Array, Complex]:
    """Return the same (F,) for a root trajectory given relative to the body without the sway of its steps."""
    # Midpoint rule, from frame to frame: half of the turn is made before the step.
    turn = 0.5 * (trajectory.turn[:-1] + trajectory.turn[1:])
    velocity = 0.5 * (trajectory.velocity[:-1] + trajectory.velocity[1:]) * np.exp(0.5j * turn / clip.rate)
    stepwise = RootTrajectory(np.append(velocity, velocity[-1]), np.append(turn, turn[-1]))
    return _carry_ground(feet.ground, feet.facing, stepwise, clip.rate)


def _carry_ground(ground: Complex, facing: Array, trajectory: RootTrajectory, rate: float) -> tuple[Array, Complex]:
    turned = (trajectory.turn / rate)[:-1]
    stepped = (trajectory.velocity / rate * np.exp(1j * facing))[:-1]
    # Each step turns about the body's current position, then moves.
    step = ground[:-1] * (1.0 - np.exp(1j * turned)) + stepped
    angle = np.concatenate([[0.0], np.cumsum(turned)])
    return angle, np.concatenate([[0.0], np.cumsum(np.exp(1j * angle[:-1]) * step)])


def _seen_from(still: Clip, angle: Array, shift: Complex) -> RootTrajectory:
    """Return the root trajectory, in a clip's ground frames, that turns and shifts each frame (F,)."""
    places, facing = root_motion.ground_frames(still)
    turned = np.diff(angle)
    step = np.exp(-1j * angle[:-1]) * np.diff(shift) - _complex(places)[:-1] * (1.0 - np.exp(1j * turned))
    velocity = step * np.exp(-1j * facing[:-1]) * still.rate
    turn = turned * still.rate
    if len(turn) == 0:
        return RootTrajectory(np.zeros(1, dtype=np.complex128), np.zeros(1))
    # The last frame of a cycle repeats its first.
    end = 0 if still.cyclic else -1
    return RootTrajectory(np.append(velocity, velocity[end]), np.append(turn, turn[end]))


def _as_carried(still: Clip, clip: Clip) -> Clip:
    """Return a clip without travel, with joints above the hips static if they are static in the clip with travel."""
    above = root_carrier.above_hips(clip)
    own = clip.rotations[:, above], clip.translations[:, above]
    return root_carrier.as_in(still, clip) if above and all((one == one[:1]).all() for one in own) else still


def _move_clip(clip: Clip, angle: Array, shift: Complex) -> Clip:
    return root_motion.place_clip(clip, angle, np.column_stack([shift.real, shift.imag]))


def _complex(places: Array) -> Complex:
    return places[:, 0] + 1j * places[:, 1]
