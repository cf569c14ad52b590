"""Inertialization: after a jump the body continues its motion, and the offset to the new source decays (methods:
Drive).

[Bollo]; critically damped as by [Holden].
"""

from dataclasses import dataclass

import numpy as np

from ..motion import quat
from ..motion.quat import Array
from . import springs

HALF_LIFE = 0.10  # s
GONE = 1e-5  # radians, or metres; smaller offsets are dropped


@dataclass(frozen=True, eq=False)
class Offsets:
    """The offset of a pose from its source: turns (J, 3) as logarithms, shifts (J, 3), and the velocities of both."""

    turns: Array
    turning: Array
    shifts: Array
    shifting: Array

    def fade_offsets(self, seconds: float) -> "Offsets | None":
        """Return the offsets some seconds later; None once they have decayed."""
        turns, turning = springs.fade_offset(self.turns, self.turning, HALF_LIFE, seconds)
        shifts, shifting = springs.fade_offset(self.shifts, self.shifting, HALF_LIFE, seconds)
        if max(np.abs(turns).max(), np.abs(shifts).max()) < GONE:
            return None
        return Offsets(turns, turning, shifts, shifting)

    def on(self, rotations: Array, translations: Array) -> tuple[Array, Array]:
        """Return a pose (J, 4), (J, 3) with the offsets added."""
        return quat.mul(quat.exp(self.turns), rotations), translations + self.shifts


def between(shown: tuple[Array, Array], before: tuple[Array, Array], to: Array, at: Array, seconds: float) -> Offsets:
    """Return the offsets with which a source continues the position and velocity of the body.

    shown, before : rotations (J, 4) and translations (J, 3) of the body now and some seconds before
    to (2, J, 4), at (2, J, 3) : rotations and translations of the source at these two times, now last
    """
    turns = quat.log(_shorten_arcs(quat.mul(shown[0], quat.inv(to[1]))))
    turns_before = quat.log(_shorten_arcs(quat.mul(before[0], quat.inv(to[0]))))
    shifts, shifts_before = shown[1] - at[1], before[1] - at[0]
    return Offsets(turns, (turns - turns_before) / seconds, shifts, (shifts - shifts_before) / seconds)


def _shorten_arcs(turns: Array) -> Array:
    """Return rotations with the sign of the short arc."""
    return np.where(turns[:, :1] < 0.0, -turns, turns)
