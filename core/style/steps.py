"""Prepare clips before strides are cut: a stride that nearly closes becomes a cycle (methods: Style)."""

from dataclasses import replace

import numpy as np

from ..errors import ClipError, SkeletonError
from ..motion import closing, cycles
from ..motion.clip import Clip
from ..motion.closing import Closing
from ..motion.quat import Array
from ..recipes.travel import TravelOptions
from ..weave import add_root_motion
from ..weave.seam import close
from . import gait_phase, knees

NEAR = 1.25  # times the largest motion in a frame: largest gap between the ends of one stride
MOST_MISSING = 2  # frames missing between its last pose and its first


def ready(clip: Clip) -> tuple[Clip, list[str]]:
    """Return a clip closed if it is a cycle, and sentences on the corrections.

    In addition to the cycles found by `close.cycle_of`, a clip counts as one if each foot passes the other once, its
    ends nearly meet, and contacts give no complete stride.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.style import steps
        >>> walk = actions.walk(cycles=2)
        >>> steps.ready(walk)[0].cyclic, steps.ready(walk.cut(0, 50))[1]
        (True, [])
    """
    cycle, corrected = close.cycle_of(clip)
    if len(clip) < 4 or cycles.closes(cycle) or _has_strides(cycle):
        return cycle, corrected
    ending = _nearly_closing(cycle)
    if ending is None:
        return cycle, corrected
    try:
        # Spreading a gap over all joints can hyperextend a knee.
        closed = knees.without_hyperextension(close.as_cycle(cycle, ending), cycle)
    except SkeletonError:
        return cycle, corrected
    going = travelling(closed)[0]
    phases = gait_phase.by_reach(going) if add_root_motion.travels(going) else None
    if phases is None or len(phases.of_own) != 1:
        return cycle, corrected
    return closed, [*corrected, *close.correction(clip.name, replace(ending, kind=closing.GAP))]


def travelling(clip: Clip) -> tuple[Clip, list[str]]:
    """Return a clip with root motion added if it is in place, and sentences on that."""
    (going,), given = add_root_motion.travelling([clip], TravelOptions(), needed=True)
    return going, given


def _has_strides(clip: Clip) -> bool:
    try:
        gait_phase.by_contacts(travelling(clip)[0])
    except (ClipError, SkeletonError):
        return False
    return True


def _nearly_closing(clip: Clip) -> Closing | None:
    """Return how to close a clip with a gap of roughly one frame's motion, or None."""
    places: Array = cycles.in_ground_frames(clip)
    moves = np.linalg.norm(np.diff(places, axis=0), axis=2).max(axis=1)
    gap = float(np.linalg.norm(places[-1] - places[0], axis=1).max())
    if gap > NEAR * float(moves.max()):
        return None
    missing = min(MOST_MISSING, int(gap / max(0.5 * float(moves[0] + moves[-1]), 1e-9) + 0.5))
    return Closing(closing.MISSING_KEY if missing else closing.GAP, gap, missing)
