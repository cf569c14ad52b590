"""Cyclic padding: whole cycles before and after a cycle, for filters with a neighbourhood of each frame."""

from dataclasses import dataclass

import numpy as np

from ..motion import cycles
from ..motion.clip import Clip


@dataclass(frozen=True, eq=False)
class PaddedClip:
    """A clip with cyclic padding, if it repeats.

    own : the frames of the original clip; period : frames per cycle, 0 for a clip that does not repeat
    cycles : the indices of all cycles, from 0
    """

    clip: Clip
    own: slice
    period: int
    cycles: range


def around(clip: Clip, frames: float, *, repeats: bool) -> PaddedClip:
    """Return a clip with enough whole cycles before and after it to cover `frames`; unchanged if it does not repeat.

    Raises SkeletonError for bodies that travel and whose joints do not all turn with their parents.

    Example:
        >>> from action_loom.core.edit import cyclic_padding
        >>> from action_loom.core.demo_character import actions
        >>> padded = cyclic_padding.around(actions.walk(cycles=1), 40, repeats=True)
        >>> padded.own, padded.period, len(padded.clip)
        (slice(64, 97, None), 32, 161)
    """
    if not repeats or len(clip) < 2:
        return PaddedClip(clip, slice(0, len(clip)), 0, range(1))
    period = len(clip) - 1
    count = int(np.ceil(frames / period))
    own = slice(count * period, count * period + len(clip))
    return PaddedClip(cycles.unroll_cycle(clip, count, count), own, period, range(2 * count + 1))
