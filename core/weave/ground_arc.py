"""The steady arc that a stretch of motion takes over the ground, taken off it and put on again (methods: Loops)."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..motion import root_motion
from ..motion.clip import Clip
from ..motion.quat import Array


@dataclass(frozen=True, eq=False)
class GroundArc:
    """From a place and a facing, turned by `turn` and moved by `step` after `length` frames; steady in between.

    On the ground, in complex numbers; on an arc of a circle, or straight where it does not turn.
    """

    place: complex
    facing: float
    step: complex
    turn: float
    length: int

    def at(self, frames: Array) -> tuple[NDArray[np.complex128], Array]:
        """Return places (K,) and facings (K,) at frames from its start, which may lie before it or past its end."""
        share = frames / self.length
        gone = share if abs(self.turn) < 1e-6 else np.expm1(1j * self.turn * share) / np.expm1(1j * self.turn)
        return np.asarray(self.place + self.step * gone, dtype=np.complex128), self.facing + self.turn * share

    def straight(self) -> "GroundArc":
        """Return the straight line of the same length that sets out as this one does."""
        if abs(self.turn) < 1e-6:
            return replace(self, turn=0.0)
        half = 0.5 * self.turn
        return replace(self, step=self.step * np.exp(-1j * half) * half / np.sin(half), turn=0.0)

    def going_on(self, length: int) -> "GroundArc":
        """Return the same arc, gone along for another number of frames."""
        (place,), (facing,) = self.at(np.array([float(length)]))
        return replace(self, step=complex(place - self.place), turn=float(facing - self.facing), length=length)

    def standing(self) -> "GroundArc":
        return replace(self, step=0j, turn=0.0)


def between(clip: Clip, start: int, length: int) -> GroundArc:
    """Return the arc of a clip from frame `start` over `length` frames, by its hips and its smoothed facing."""
    places, raw = root_motion.ground_frames(clip)
    ground, facing = places @ np.array([1.0, 1j]), root_motion.smooth(raw, root_motion.HEADING_SIGMA * clip.rate)
    end = start + length
    step, turn = complex(ground[end] - ground[start]), float(facing[end] - facing[start])
    return GroundArc(complex(ground[start]), float(facing[start]), step, turn, length)


def taken_off(clip: Clip, arc: GroundArc, frames: Array) -> Clip:
    """Return the clip as seen by who goes along the arc: standing at the origin, facing along y."""
    places, facings = arc.at(frames)
    back = -places * np.exp(-1j * facings)
    return root_motion.placed(clip, -facings, np.column_stack([back.real, back.imag]))


def put_on(clip: Clip, arc: GroundArc, frames: Array) -> Clip:
    """Return a clip that was seen along an arc as it is where that arc leads; the inverse of `taken_off`."""
    places, facings = arc.at(frames)
    return root_motion.placed(clip, facings, np.column_stack([places.real, places.imag]))
