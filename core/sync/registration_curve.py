"""Registration curves: the frame of a clip for every frame of a reference (methods: Time registration)."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..motion.quat import Array
from . import curve_fit


@dataclass(frozen=True, eq=False)
class RegistrationCurve:
    """The registration curve of one clip against the reference.

    first, frames (K,) : reference frame first + k corresponds to frame frames[k] of the clip, strictly increasing
    metric, ends : as used; ends are pinned, open or cyclic
    cost : mean pose distance along the path
    limit, at_limit : the slope limit used, and the share of the path at it
    cells (·, 2) : of the path
    matrix (M, N) : distances for a picture, in single precision, of every n-th frame (n = `every`)
    chance : mean of the whole matrix
    joints : as compared

    A cyclic curve begins anywhere in the clip's cycle and spans one cycle of each clip; its frames continue past the
    end of the clip into the next cycle.
    """

    first: int
    frames: Array
    metric: str
    ends: str
    cost: float
    limit: int
    at_limit: float
    cells: NDArray[np.int64]
    matrix: NDArray[np.float32] | None
    chance: float = 0.0
    joints: str = "all"
    every: int = 1

    @property
    def likeness(self) -> float:
        """The similarity of the matched poses: 1 if equal, 0 if no higher than between random frames of the clips."""
        return 1.0 - self.cost / self.chance if self.chance > 0.0 else 1.0

    @property
    def last(self) -> int:
        return self.first + len(self.frames) - 1

    def at(self, reference_frames: Array) -> Array:
        """Return the clip's frames at fractional reference frames; a cyclic curve is periodic."""
        if self.ends != "cyclic":
            return curve_fit.evaluate(self.frames, reference_frames - self.first)
        length, period = len(self.frames) - 1, self.frames[-1] - self.frames[0]
        cycles = np.floor((reference_frames - self.first) / length)
        # Two frames of the previous and next cycles make the slope continuous at the seam.
        around = np.concatenate([self.frames[-3:-1] - period, self.frames, self.frames[1:3] + period])
        return curve_fit.evaluate(around, reference_frames - self.first - cycles * length + 2.0) + cycles * period


@dataclass(frozen=True, eq=False)
class Registration:
    """The curves of N clips against one of them, over the reference frames first … last covered by all of them."""

    reference: int
    curves: tuple[RegistrationCurve, ...]

    @property
    def cyclic(self) -> bool:
        """Whether all clips are cycles, so that first … last is one cycle and repeats."""
        return self.curves[self.reference].ends == "cyclic"

    @cached_property
    def first(self) -> int:
        return max(c.first for c in self.curves)

    @cached_property
    def last(self) -> int:
        return min(c.last for c in self.curves)

    @property
    def grid(self) -> Array:
        """The whole reference frames (K,) from first to last."""
        return np.arange(self.first, self.last + 1, dtype=float)

    def share_of_way(self, reference_frames: Array) -> Array:
        """Return the positions of reference frames (K,) in the common stretch, from 0 at its start to 1 at its end."""
        return (reference_frames - self.first) / (self.last - self.first)

    def frames(self, reference_frames: Array) -> Array:
        """Return the frame (N, K) of every clip at fractional reference frames (K,)."""
        return np.stack([c.at(reference_frames) for c in self.curves])
