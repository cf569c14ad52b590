"""Frames at a clip's ends that are no motion: calibration poses and the jump out of them.

Method: Skeleton, clip, forward kinematics.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from . import kinematics
from .clip import Clip
from .frame_map import FrameMap, LeftOut
from .quat import Array

END_SECONDS = 0.1
FASTEST = 15.0  # m/s; no joint of a person is faster
OUTLIER = 8.0  # times the clip's typical step
FAST_OUTLIER = 3.0  # the same for steps over the fastest: in unknown units, or from held key to held key, all are
SLOWEST_JUMP = 1.0  # m/s; below it a step is no jump, whatever the median of a nearly still clip
STILL = 1e-4  # m a frame; a pose that is held
SHAKEN = 3.0  # times the clip's median acceleration: behind a jump, what was filtered rings

CALIBRATION = "calibration pose or jump"


@dataclass(frozen=True)
class Trimmed:
    """A clip without its bad ends, and how many frames were left out at each."""

    clip: Clip
    first: int = 0
    last: int = 0

    @property
    def frame_map(self) -> FrameMap:
        return FrameMap(self.first)

    @property
    def left_out(self) -> list[LeftOut]:
        """What a report says of it: one entry, or none where nothing was left out."""
        return [LeftOut(self.clip.name, self.first, self.last, CALIBRATION)] if self.first or self.last else []


def if_wanted(clip: Clip, trim: bool) -> Trimmed:
    """Return what `ends` gives, or the whole clip where it is not to be trimmed."""
    return ends(clip) if trim else Trimmed(clip)


def ends(clip: Clip) -> Trimmed:
    """Drop everything in the first and last 0.1 s up to and including the last impossible joint step.

    A step is impossible over 8 times the clip's typical step (the median of those that move at all), or over
    15 m/s where that is not how the whole clip moves. A pose held still before such a step (a T-pose of any
    length) goes with it, and so does what it leaves behind where a clip was resampled: up to 0.1 s of frames whose
    acceleration is over three times the usual one.
    """
    positions = kinematics.points(clip)
    steps = np.linalg.norm(np.diff(positions, axis=0), axis=2).max(axis=1, initial=0.0)
    if len(steps) < 4:
        return Trimmed(clip)
    typical = float(np.median(steps[steps > STILL])) if np.any(steps > STILL) else 0.0
    limit = max(OUTLIER * typical, SLOWEST_JUMP / clip.rate)
    limit = min(limit, max(FAST_OUTLIER * typical, FASTEST / clip.rate))
    shaking = np.linalg.norm(np.diff(positions, n=2, axis=0), axis=2).max(axis=1, initial=0.0)
    first, last = (
        _bad(steps[::way], shaking[::way] > SHAKEN * np.median(shaking), limit, clip.rate) for way in (1, -1)
    )
    if first + last >= len(clip) - 1:
        return Trimmed(clip)  # jumps everywhere: this is not about the ends
    return Trimmed(clip.cut(first, len(clip) - last), first, last)


def _bad(steps: Array, shaking: NDArray[np.bool_], limit: float, rate: float) -> int:
    """How many frames before the first good one: steps (F−1,), and which accelerations (F−2,) are too large."""
    moving = np.flatnonzero(steps > STILL)
    held = int(moving[0]) if len(moving) else 0
    reach = max(1, round(END_SECONDS * rate))
    jumps = np.flatnonzero(steps[: held + reach] > limit)
    if not len(jumps):
        return 0
    first = int(jumps[-1]) + 1
    behind = shaking[first : first + reach + 2]
    calm = np.flatnonzero(~behind[:-1] & ~behind[1:])
    return first + (int(calm[0]) if len(calm) else min(reach, max(len(behind) - 1, 0)))
