"""Convert a nearly closed cycle to whole frames, and add its missing key (methods: Loops)."""

from dataclasses import replace

import numpy as np

from ...edit import hermite
from ...motion import closing, kinematics, resample, root_motion
from ...motion.clip import Clip
from ...motion.closing import Closing
from ...motion.quat import Array
from .. import ground_arc
from ..ground_arc import GroundArc
from . import repairs, tracks

USUAL = 95.0  # percentile of a clip's velocity changes; a seam with no larger one is invisible


def in_whole_frames(clip: Clip, ending: Closing) -> tuple[Clip, int]:
    """Return a clip whose cycle has a whole number of frames, and the number of frames missing from last to first.

    A cycle converted to another rate ends between two frames. It is re-timed to absorb the fraction of a frame, which
    changes no pose; any other clip is returned unchanged.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import closing, resample
        >>> from action_loom.core.weave.seam import whole_frames
        >>> walk = resample.to_rate(actions.walk(cycles=6), 24.0)  # a cycle takes 25.6 frames
        >>> made, missing = whole_frames.in_whole_frames(walk, closing.of(walk))
        >>> len(walk), len(made), missing
        (154, 154, 1)
    """
    last = len(clip) - 1
    length = last + ending.missing
    due = last + closing.overdue(clip, ending.missing) if ending.kind in (closing.GAP, closing.MISSING_KEY) else length
    if due == length:
        return clip, ending.missing
    step = due / length
    count = int(last / step + 1e-9)
    at: Array = step * np.arange(count + 1.0)
    return resample.sample(clip, at), length - count


def extrapolate_arc(clip: Clip, missing: int) -> GroundArc:
    """Return the ground arc of a cycle that lacks `missing` frames, extrapolated from both ends.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.weave.seam import whole_frames
        >>> walk = actions.walk(cycles=1)  # 1.387 m
        >>> [round(abs(whole_frames.extrapolate_arc(walk.cut(0, 33 - n), n).step), 3) for n in (0, 1)]
        [1.387, 1.387]
    """
    last = len(clip) - 1
    arc = ground_arc.between(clip, 0, last)
    whole = arc.extend(last + missing)
    if not missing:
        return whole
    ground = root_motion.ground_frames(clip)[0] @ np.array([1.0, 1j])
    moving = 0.5 * (ground[-1] - ground[-2] + (ground[1] - ground[0]) * np.exp(1j * whole.turn))
    return replace(whole, step=complex(arc.step + missing * moving))


def rows_of_cycle(still: tracks.Tracks, missing: int) -> Array:
    """Return one cycle (F − 1 + missing, C) of a clip in place, relative to its arc.

    With a missing key the gap is unknown and only extrapolated from both ends. If this extrapolation error is below the
    usual velocity changes, nothing is spread, because spreading would move all frames and make planted feet slide.
    """
    if not missing or not _goes_on(still.like, missing):
        return repairs.spread(still.values, missing)
    rows = still.values
    ends, slopes = np.stack([rows[-1], rows[0]]), np.stack([rows[-1] - rows[-2], rows[1] - rows[0]])
    between = hermite.evaluate(np.array([0.0, missing]), ends, slopes, np.arange(1.0, missing))
    return np.concatenate([rows, between])


def _goes_on(still: Clip, missing: int) -> bool:
    """Return whether a clip continues from its last frame to its first with no unusual change of velocity."""
    places = kinematics.points(still)
    moving = 0.5 * (places[1] - places[0] + places[-1] - places[-2])
    off = np.linalg.norm((places[0] - places[-1]) / missing - moving, axis=1).max()
    changes = np.linalg.norm(np.diff(places, n=2, axis=0), axis=2).max(axis=1)
    return bool(off <= np.percentile(changes, USUAL))
