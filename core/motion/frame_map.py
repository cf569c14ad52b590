"""Which frames of the original clip the frames of a prepared clip are, and which were left out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, overload

from .quat import Array


@dataclass(frozen=True)
class FrameMap:
    """Frame k of a prepared clip is frame first + k · step of the clip as it was given.

    cycle : prepared frames after which a cycle that was unrolled begins again; 0 for a clip that was not unrolled
    """

    first: int = 0
    step: float = 1.0
    cycle: int = 0

    @overload
    def given(self, frames: float) -> float: ...
    @overload
    def given(self, frames: Array) -> Array: ...
    def given(self, frames: Array | float) -> Array | float:
        """Return prepared frames (…) as fractional frames of the clip as it was given."""
        return self.first + (frames % self.cycle if self.cycle else frames) * self.step

    def given_frame(self, frame: int) -> int:
        """Return the whole frame of the clip as it was given that is nearest to a prepared one."""
        return self.first + round((frame % self.cycle if self.cycle else frame) * self.step)

    def prepared_frame(self, frame: int) -> int:
        """Return the whole prepared frame that is nearest to a frame of the clip as it was given."""
        return round((frame - self.first) / self.step)


@dataclass(frozen=True)
class LeftOut:
    """How many frames at the start (`first`) and at the end (`last`) of a clip were left out, and why."""

    clip: str
    first: int
    last: int
    why: str


def as_report(left_out: Sequence[LeftOut]) -> list[dict[str, Any]]:
    """Return the frames that were left out as rows of a report.

    Example:
        >>> from action_loom.core.motion import frame_map
        >>> frame_map.as_report([frame_map.LeftOut("walk", 3, 0, "calibration pose or jump")])
        [{'clip': 'walk', 'first': 3, 'last': 0, 'why': 'calibration pose or jump'}]
    """
    return [{"clip": part.clip, "first": part.first, "last": part.last, "why": part.why} for part in left_out]
