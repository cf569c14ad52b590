"""The way of a clip over the ground, as speeds of its body: taken off, kept in its channels, put on.

A pose is moved over the ground by z → e^(iθ)·z + s, one (θ, s) a frame; complex numbers are places x + iy.

Method: Travel from the feet.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ..check import foot_travel
from ..check.foot_travel import Complex, FootTravel
from ..motion import root_motion
from ..motion.clip import Channel, Clip
from ..motion.quat import Array
from .ground_arc import GroundArc

SNAP = np.radians(20.0)  # a cycle that goes nearly ahead, back or aside was meant to
DIRECTIONS = {"ahead": 0.0, "left": 0.5 * np.pi, "back": np.pi, "right": -0.5 * np.pi}
# Paths of custom properties, as Blender writes them; to the right and ahead in m/s, to the left in degrees a second.
CHANNELS = ('["Way Aside"][0]', '["Way Ahead"][0]', '["Way Turn"][0]')


@dataclass(frozen=True, eq=False)
class RootTrajectory:
    """How a body goes from each frame to the next, seen from where it is and faces in that frame.

    velocity (F,) : x to the right, y ahead, m/s; turn (F,) : radians a second; the last frame's leads nowhere
    """

    velocity: Complex
    turn: Array

    def rows(self) -> list[list[float]]:
        """Return it as rows of numbers for people: m/s to the right and ahead, degrees a second to the left."""
        return np.column_stack([self.velocity.real, self.velocity.imag, np.degrees(self.turn)]).tolist()


def of_rows(rows: Array) -> RootTrajectory:
    """Return the way of rows (F, 3) that `RootTrajectory.rows` gave."""
    return RootTrajectory(rows[:, 0] + 1j * rows[:, 1], np.radians(rows[:, 2]))


def from_feet(
    found: FootTravel, clip: Clip, *, speed: float = 0.0, direction: str = "auto", angle: float = 0.0, turn: float = 0.0
) -> tuple[RootTrajectory, str]:
    """Return the way that a clip is given whose feet were measured, and in a word which way it goes.

    speed : m/s, 0 for what the feet say; direction, angle (degrees), turn (degrees) : as the options of Travel
    """
    facing, label = _direction(found, direction, angle)
    velocity = found.velocity * np.exp(1j * (facing - found.direction))
    if found.speed <= foot_travel.STILL * found.height:  # its feet say nothing: steadily as it is asked
        velocity = np.full(len(clip), speed * 1j * np.exp(1j * facing), dtype=np.complex128)
    elif speed:
        velocity = velocity * (speed / found.speed)
    turning = np.full(len(clip), np.radians(turn) / clip.seconds) if turn else found.turn
    return RootTrajectory(velocity, turning), label


def _direction(found: FootTravel, direction: str, angle: float) -> tuple[float, str]:
    """Radians to the left of the body's facing, and what that is called."""
    more = np.radians(angle)
    measured = found.direction
    # Who is nearly faced as at rest was meant to be: hips that stand askew do not turn the way.
    fronts = [0.0] if found.authored is None else [found.authored, 0.0]
    ways = [(front + aside, name) for front in fronts for name, aside in DIRECTIONS.items()]
    if direction in DIRECTIONS:
        return fronts[0] + DIRECTIONS[direction] + more, direction
    if direction == "auto" and found.speed <= foot_travel.STILL * found.height:
        return fronts[0] + more, "ahead"
    if direction == "auto" and found.cyclic:
        nearest, name = min(ways, key=lambda way: _away(way[0], measured))
        if _away(nearest, measured) <= SNAP:
            return nearest + more, name
    return measured + more, "measured"


def _away(one: float, other: float) -> float:
    return float(abs(np.angle(np.exp(1j * (one - other)))))


def stored(clip: Clip) -> RootTrajectory | None:
    """Return the way that was taken off a clip and is kept in its channels; None where there is none."""
    if not all(name in clip.channels for name in CHANNELS):
        return None
    return of_rows(np.column_stack([clip.channels[name].values for name in CHANNELS]))


def without_stored(clip: Clip) -> Clip:
    """Return the clip without the way that its channels keep."""
    left: Mapping[str, Channel] = {name: one for name, one in clip.channels.items() if name not in CHANNELS}
    return clip if len(left) == len(clip.channels) else replace(clip, channels=left)


def removed(clip: Clip) -> tuple[Clip, RootTrajectory]:
    """Return the clip on the spot where it begins, with its way in its channels, and that way.

    A cycle loses the straight or the arc that it takes, others their ground path and facing, both smoothed over 0.5 s.
    Raises SkeletonError as `root_motion.placed` does.
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
    angle = facing - facing[0]  # what was turned and moved until each frame
    shift = ground - np.exp(1j * angle) * ground[0]
    still = _moved(clip, -angle, -np.exp(-1j * angle) * shift)
    way = _seen_from(still, angle, shift)
    values = np.array(way.rows()).T
    channels = {name: Channel(column) for name, column in zip(CHANNELS, values, strict=True)}
    return replace(still, channels={**still.channels, **channels}), way


def added(clip: Clip, way: RootTrajectory) -> Clip:
    """Return the clip going a way that is seen from its ground frames; the inverse of `removed`."""
    return without_stored(_moved(clip, *displacement(clip, way)))


def added_smoothly(clip: Clip, found: FootTravel, way: RootTrajectory) -> Clip:
    """Return the clip going a way that is seen from where its body is and faces without the sway of its steps."""
    return without_stored(_moved(clip, *displacement_smoothly(clip, found, way)))


def displacement(clip: Clip, way: RootTrajectory) -> tuple[Array, Complex]:
    """Return by how much (F,) each frame of a clip is turned and moved that goes a way seen from its ground frames."""
    places, facing = root_motion.ground_frames(clip)
    return _carried(_complex(places), facing, way, clip.rate)


def displacement_smoothly(clip: Clip, found: FootTravel, way: RootTrajectory) -> tuple[Array, Complex]:
    """Return the same (F,) of a way seen from where the body is and faces without the sway of its steps."""
    # From frame to frame: half of the turn is made before the step.
    middle = 0.5 * (way.velocity[:-1] + way.velocity[1:]), 0.5 * (way.turn[:-1] + way.turn[1:])
    velocity = middle[0] * np.exp(0.5j * middle[1] / clip.rate)
    stepwise = RootTrajectory(np.append(velocity, velocity[-1]), np.append(middle[1], middle[1][-1]))
    return _carried(found.ground, found.facing, stepwise, clip.rate)


def _carried(ground: Complex, facing: Array, way: RootTrajectory, rate: float) -> tuple[Array, Complex]:
    turned = (way.turn / rate)[:-1]
    stepped = (way.velocity / rate * np.exp(1j * facing))[:-1]
    # Each step turns about the place where the body is, then moves.
    step = ground[:-1] * (1.0 - np.exp(1j * turned)) + stepped
    angle = np.concatenate([[0.0], np.cumsum(turned)])
    return angle, np.concatenate([[0.0], np.cumsum(np.exp(1j * angle[:-1]) * step)])


def _seen_from(still: Clip, angle: Array, shift: Complex) -> RootTrajectory:
    """The way that moves a clip by so much in each frame, seen from its ground frames."""
    places, facing = root_motion.ground_frames(still)
    turned = np.diff(angle)
    step = np.exp(-1j * angle[:-1]) * np.diff(shift) - _complex(places)[:-1] * (1.0 - np.exp(1j * turned))
    velocity = step * np.exp(-1j * facing[:-1]) * still.rate
    turn = turned * still.rate
    if len(turn) == 0:
        return RootTrajectory(np.zeros(1, dtype=np.complex128), np.zeros(1))
    # The last frame of a cycle is its first again.
    end = 0 if still.cyclic else -1
    return RootTrajectory(np.append(velocity, velocity[end]), np.append(turn, turn[end]))


def _moved(clip: Clip, angle: Array, shift: Complex) -> Clip:
    return root_motion.placed(clip, angle, np.column_stack([shift.real, shift.imag]))


def _complex(places: Array) -> Complex:
    return places[:, 0] + 1j * places[:, 1]
