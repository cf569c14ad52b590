"""Critically damped springs, which turn wishes into motion and let offsets decay (methods: Drive)."""

import math
from dataclasses import dataclass
from typing import Any

LN2 = 0.6931471805599453


def rate_of(half_life: float) -> float:
    """Return the rate (1/s) of a critically damped spring that decays to about one half in `half_life` seconds.

    Example:
        >>> from action_loom.core.drive import springs
        >>> round(springs.rate_of(0.2), 2)
        6.93
    """
    return 2.0 * LN2 / max(half_life, 1e-5)


def fade_offset(offset: Any, velocity: Any, half_life: float, seconds: float) -> tuple[Any, Any]:
    """Return an offset and its velocity after some seconds of decay to zero by a spring; numbers or arrays.

    Example:
        >>> from action_loom.core.drive import springs
        >>> offset, velocity = springs.fade_offset(1.0, 0.0, 0.1, 0.5)
        >>> 0.0 < offset < 0.01
        True
    """
    y = rate_of(half_life)
    rises = velocity + offset * y
    decay = math.exp(-y * seconds)
    return decay * (offset + rises * seconds), decay * (velocity - rises * y * seconds)


@dataclass(frozen=True)
class Ahead:
    """The target that follows the wish immediately, on the ground as x + iy; metres, radians, seconds.

    place, velocity, acceleration; facing and its turn rate
    """

    place: complex = 0j
    velocity: complex = 0j
    acceleration: complex = 0j
    facing: float = 0.0
    turning: float = 0.0

    def after(self, seconds: float, wish: complex, facing: float, half_life: float, turn_half_life: float) -> "Ahead":
        """Return it some seconds later, with velocity and facing pulled to the wanted ones.

        Example:
            >>> from action_loom.core.drive.springs import Ahead
            >>> later = Ahead().after(2.0, 1j, 0.0, 0.27, 0.27)
            >>> round(later.velocity.imag, 2), later.facing
            (1.0, 0.0)
        """
        y = rate_of(half_life)
        off = self.velocity - wish
        rises = self.acceleration + off * y
        decay = math.exp(-y * seconds)
        place = self.place + wish * seconds
        place += -decay * (rises * (1.0 + y * seconds) / (y * y) + off / y) + (rises / (y * y) + off / y)
        velocity = decay * (off + rises * seconds) + wish
        acceleration = decay * (self.acceleration - rises * y * seconds)
        apart, turning = fade_offset(wrap_angle(self.facing - facing), self.turning, turn_half_life, seconds)
        return Ahead(place, velocity, acceleration, facing + apart, turning)


def wrap_angle(angle: float) -> float:
    """Return an angle wrapped to within half a turn of zero.

    Example:
        >>> from action_loom.core.drive import springs
        >>> round(springs.wrap_angle(6.0), 3)
        -0.283
    """
    return math.remainder(angle, 2.0 * math.pi)
