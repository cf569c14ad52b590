"""Which frames of a clip as it was given its prepared frames are, and which were left out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, overload

from .quat import Array


@dataclass(frozen=True)
class FrameMap:
    """Frame k of a prepared clip is frame first + k · step of the clip as it was given.

    cycle : prepared frames after which a cycle that was unrolled begins anew; 0 for a clip that was not
    """

    first: int = 0
    step: float = 1.0
    cycle: int = 0

    @overload
    def given(self, frames: float) -> float: ...
    @overload
    def given(self, frames: Array) -> Array: ...
    def given(self, frames: Array | float) -> Array | float:
        """Return prepared frames (…) as frames of the clip as it was given, fractions and all."""
        return self.first + (frames % self.cycle if self.cycle else frames) * self.step

    def given_frame(self, frame: int) -> int:
        """Return the whole frame of the clip as it was given that is nearest to a prepared one."""
        return self.first + round((frame % self.cycle if self.cycle else frame) * self.step)

    def prepared_frame(self, frame: int) -> int:
        """Return the whole prepared frame that is nearest to one of the clip as it was given."""
        return round((frame - self.first) / self.step)


@dataclass(frozen=True)
class LeftOut:
    """How many frames at the start and at the end of a clip take no part, and why."""

    clip: str
    first: int
    last: int
    why: str


def as_report(left_out: Sequence[LeftOut]) -> list[dict[str, Any]]:
    """Return what reports say of frames that were left out."""
    return [{"clip": one.clip, "first": one.first, "last": one.last, "why": one.why} for one in left_out]
