"""Plant the feet of a filled clip without changing its keyed frames (methods: Fill)."""

from collections.abc import Sequence

import numpy as np

from ..edit.feet import planting
from ..edit.feet.planting import Planted
from ..errors import ClipError, SkeletonError
from ..motion.clip import Clip

OFF = "Plant Feet is off"
STANDING = "its feet slide too little to plant"


def plant_gaps(clip: Clip, gaps: Sequence[tuple[int, int]]) -> tuple[Clip, Planted | None, str]:
    """Return a clip with its feet planted strictly between pairs of frames, the outcome, and the reason if none was.

    A foot in contact at one of these frames keeps its position there.

    Example:
        >>> from action_loom.core.inbetween import standing
        >>> from action_loom.core.demo_character import actions
        >>> standing.plant_gaps(actions.walk(), [(10, 30)])[2]
        'its feet slide too little to plant'
    """
    free = np.zeros(len(clip), dtype=bool)
    for first, last in gaps:
        free[first + 1 : last] = True
    try:
        result, done = planting.planted(clip, fixed=np.flatnonzero(~free).tolist())
    except (ClipError, SkeletonError) as error:
        return clip, None, str(error)
    return result, done, "" if done.spans else done.refused[0][1] if done.refused else STANDING
