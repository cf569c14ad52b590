"""The steady arc of a stretch of motion over the ground, which can be removed and added again (methods: Loops)."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..motion import root_motion
from ..motion.clip import Clip
from ..motion.quat import Array

STRAIGHT = 1e-6  # radians; a smaller turn is ill-conditioned and treated as straight
SPINS = 1.5 * np.pi  # radians; a body that turns further spins, and its whole turns do not bend its path


@dataclass(frozen=True, eq=False)
class GroundArc:
    """A steady path from a place and a facing that turns by `turn` and moves by `step` in `length` frames.

    It is a circular arc on the ground (complex numbers), or a straight line for a zero turn.

    bend : the turn of the arc itself, by default that of the body, without whole turns if that spins
    """

    place: complex
    facing: float
    step: complex
    turn: float
    length: int
    bend: float = np.nan

    def __post_init__(self) -> None:
        if np.isnan(self.bend):
            whole = 2.0 * np.pi * round(self.turn / (2.0 * np.pi)) if abs(self.turn) > SPINS else 0.0
            object.__setattr__(self, "bend", self.turn - whole)

    def at(self, frames: Array) -> tuple[NDArray[np.complex128], Array]:
        """Return positions (K,) and facings (K,) at frames from its start, also before the start or after the end."""
        share = frames / self.length
        gone = share if abs(self.bend) < STRAIGHT else np.expm1(1j * self.bend * share) / np.expm1(1j * self.bend)
        return np.asarray(self.place + self.step * gone, dtype=np.complex128), self.facing + self.turn * share

    def straight(self) -> "GroundArc":
        """Return the straight line of the same length with the same initial direction."""
        if abs(self.bend) < STRAIGHT:
            return replace(self, turn=0.0, bend=0.0)
        half = 0.5 * self.bend
        return replace(self, step=self.step * np.exp(-1j * half) * half / np.sin(half), turn=0.0, bend=0.0)

    def extend(self, length: int) -> "GroundArc":
        """Return the same arc over another number of frames."""
        (place,), (facing,) = self.at(np.array([float(length)]))
        step, turn = complex(place - self.place), float(facing - self.facing)
        return replace(self, step=step, turn=turn, length=length, bend=self.bend * length / self.length)

    def standing(self) -> "GroundArc":
        """Return the arc that stays at the start of this one."""
        return replace(self, step=0j, turn=0.0, bend=0.0)


def between(clip: Clip, start: int, length: int) -> GroundArc:
    """Return the arc of a clip from frame `start` over `length` frames, from its hips and its smoothed facing.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.weave import ground_arc
        >>> arc = ground_arc.between(actions.turn_left(), 0, 80)
        >>> round(abs(arc.step), 1), round(np.degrees(arc.turn).item())
        (2.5, 90)
    """
    places, raw = root_motion.ground_frames(clip)
    ground, facing = places @ np.array([1.0, 1j]), root_motion.smooth(raw, root_motion.HEADING_SIGMA * clip.rate)
    end = start + length
    step, turn = complex(ground[end] - ground[start]), float(facing[end] - facing[start])
    return GroundArc(complex(ground[start]), float(facing[start]), step, turn, length)


def remove_arc(clip: Clip, arc: GroundArc, frames: Array) -> Clip:
    """Return the clip relative to the arc at frames (F,): it stands at the origin and faces along y.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.quality import foot_travel
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.weave import ground_arc
        >>> walk = actions.walk()
        >>> still = ground_arc.remove_arc(walk, ground_arc.between(walk, 0, 96), np.arange(97.0))
        >>> [round(foot_travel.body_speed(clip), 1) for clip in (walk, still)]
        [1.3, 0.0]
    """
    places, facings = arc.at(frames)
    back = -places * np.exp(-1j * facings)
    return root_motion.place_clip(clip, -facings, np.column_stack([back.real, back.imag]))


def add_arc(clip: Clip, arc: GroundArc, frames: Array) -> Clip:
    """Return a clip at the origin moved along an arc at frames (F,); the inverse of `remove_arc`.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import kinematics
        >>> from action_loom.core.weave import ground_arc
        >>> walk, frames = actions.walk(), np.arange(97.0)
        >>> arc = ground_arc.between(walk, 0, 96)
        >>> again = ground_arc.add_arc(ground_arc.remove_arc(walk, arc, frames), arc, frames)
        >>> bool(np.allclose(kinematics.points(again), kinematics.points(walk)))
        True
    """
    places, facings = arc.at(frames)
    return root_motion.place_clip(clip, facings, np.column_stack([places.real, places.imag]))
