"""A clip as tools that look around each frame see it: a cycle among others of its own."""

from dataclasses import dataclass

import numpy as np

from ..motion import cycles
from ..motion.clip import Clip


@dataclass(frozen=True, eq=False)
class PaddedClip:
    """A clip, or a cycle with others of it before and after it, and where its own frames are in that.

    lap : frames of a cycle, without its last one; 0 for a clip that does not repeat; laps : how many there are
    """

    clip: Clip
    own: slice
    lap: int
    laps: range


def around(clip: Clip, frames: float, *, repeats: bool) -> PaddedClip:
    """Return a clip that repeats with whole cycles before and after it for so many frames; another one as it is.

    Raises SkeletonError for bodies that travel and whose joints do not all turn with their parents.
    """
    if not repeats or len(clip) < 2:
        return PaddedClip(clip, slice(0, len(clip)), 0, range(1))
    lap = len(clip) - 1
    count = int(np.ceil(frames / lap))
    first = count * lap
    return PaddedClip(cycles.unrolled(clip, count, count), slice(first, first + len(clip)), lap, range(2 * count + 1))
