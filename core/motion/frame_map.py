"""Map frames of a prepared clip to frames of the original, and record omitted frames."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, overload

from .quat import Array


@dataclass(frozen=True)
class FrameMap:
    """Frame k of a prepared clip is frame first + k · step of the original clip.

    cycle : period in prepared frames of an unrolled cycle; 0 if the clip was not unrolled
    """

    first: int = 0
    step: float = 1.0
    cycle: int = 0

    @overload
    def given(self, frames: float) -> float: ...
    @overload
    def given(self, frames: Array) -> Array: ...
    def given(self, frames: Array | float) -> Array | float:
        """Return prepared frames (…) as fractional frames of the original clip."""
        return self.first + (frames % self.cycle if self.cycle else frames) * self.step

    def given_frame(self, frame: int) -> int:
        """Return the original frame nearest to a prepared one."""
        return self.first + round((frame % self.cycle if self.cycle else frame) * self.step)

    def prepared_frame(self, frame: int) -> int:
        """Return the prepared frame nearest to an original one."""
        return round((frame - self.first) / self.step)


@dataclass(frozen=True)
class LeftOut:
    """Number of frames omitted at the start (`first`) and at the end (`last`) of a clip, and the reason."""

    clip: str
    first: int
    last: int
    why: str


def as_report(left_out: Sequence[LeftOut]) -> list[dict[str, Any]]:
    """Return omitted frames as rows of a report.

    Example:
        >>> from action_loom.core.motion import frame_map
        >>> frame_map.as_report([frame_map.LeftOut("walk", 3, 0, "calibration pose or jump")])
        [{'clip': 'walk', 'first': 3, 'last': 0, 'why': 'calibration pose or jump'}]
    """
    return [{"clip": part.clip, "first": part.first, "last": part.last, "why": part.why} for part in left_out]
