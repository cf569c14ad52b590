"""Bad ends of clips: calibration poses and the jump out of them (methods: Skeleton, clip, forward kinematics)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from . import kinematics
from .clip import Clip
from .frame_map import FrameMap, LeftOut
from .quat import Array

END_SECONDS = 0.1  # how far from an end jumps are looked for, and frames that ring behind one
FASTEST = 15.0  # m/s; no joint of a person is faster
OUTLIER = 8.0  # times the clip's typical step: more is a jump
FAST_OUTLIER = 3.0  # likewise above FASTEST: in unknown units, or between held keys, all steps of a clip can be so fast
SLOWEST_JUMP = 1.0  # m/s; a slower step is no jump, however small the typical step of a nearly still clip
STILL = 1e-4  # m a frame; below it a pose is held
SHAKEN = 3.0  # times the clip's median acceleration: behind a jump a resampled clip rings
TOGETHER = 512  # frames that are compared at a time, so that they stay in a processor's cache

CALIBRATION = "calibration pose or jump"


@dataclass(frozen=True)
class Trimmed:
    """A clip without its bad ends, and how many frames were left out at the start (`first`) and the end (`last`)."""

    clip: Clip
    first: int = 0
    last: int = 0

    @property
    def frame_map(self) -> FrameMap:
        return FrameMap(self.first)

    @property
    def left_out(self) -> list[LeftOut]:
        """The frames that were left out, for the report: one entry, or none."""
        return [LeftOut(self.clip.name, self.first, self.last, CALIBRATION)] if self.first or self.last else []


def if_wanted(clip: Clip, trim: bool) -> Trimmed:
    """Return the clip without its bad ends (see `ends`), or the whole clip if `trim` is off.

    Example:
        >>> from action_loom.core.figure import actions
        >>> from action_loom.core.motion import trim
        >>> trim.if_wanted(actions.walk(), False).left_out
        []
    """
    return ends(clip) if trim else Trimmed(clip)


def ends(clip: Clip) -> Trimmed:
    """Return the clip without the frames of its first and last 0.1 s up to the last impossible step of a joint.

    A step is impossible over 8 times the clip's typical step (the median of those that move at all) or over 15 m/s,
    unless the whole clip moves so fast. Left out are also a pose that is held before such a step (a T-pose of any
    length), and behind it up to 0.1 s of frames whose acceleration is over three times the median one, since a
    resampled clip rings there.

    Example:
        >>> from dataclasses import replace
        >>> from action_loom.core.figure import actions
        >>> from action_loom.core.motion import trim
        >>> walk = actions.walk()
        >>> places = walk.translations.copy()
        >>> places[0] += 2.0  # the first frame is elsewhere
        >>> trim.ends(replace(walk, translations=places)).first
        1
    """
    positions = kinematics.kept(clip)[1]
    steps = _longest(positions, 1)
    if len(steps) < 4:
        return Trimmed(clip)
    typical = float(np.median(steps[steps > STILL])) if np.any(steps > STILL) else 0.0
    limit = max(OUTLIER * typical, SLOWEST_JUMP / clip.rate)
    limit = min(limit, max(FAST_OUTLIER * typical, FASTEST / clip.rate))
    shaking = _longest(positions, 2)
    first, last = (
        _bad(steps[::order], shaking[::order] > SHAKEN * np.median(shaking), limit, clip.rate) for order in (1, -1)
    )
    if first + last >= len(clip) - 1:
        return Trimmed(clip)  # jumps everywhere: this is not about the ends
    return Trimmed(clip.cut(first, len(clip) - last), first, last) if first or last else Trimmed(clip)


def _longest(positions: Array, order: int) -> Array:
    """Return the length of the longest of the differences (F − order,) of points (F, P, 3) from frame to frame."""
    found = np.zeros(max(len(positions) - order, 0))
    for first in range(0, len(found), TOGETHER):
        apart = np.diff(positions[first : first + TOGETHER + order], n=order, axis=0)
        apart *= apart
        squares = apart[..., 0] + apart[..., 1] + apart[..., 2]
        found[first : first + TOGETHER] = np.sqrt(squares.max(axis=1, initial=0.0))
    return found


def _bad(steps: Array, shaking: NDArray[np.bool_], limit: float, rate: float) -> int:
    """Return the number of bad frames before the first good one.

    steps (F−1,) : of the fastest point; shaking (F−2,) : whether accelerations are too large; limit : of a step, metres
    """
    moving = np.flatnonzero(steps > STILL)
    held = int(moving[0]) if len(moving) else 0
    reach = max(1, round(END_SECONDS * rate))
    jumps = np.flatnonzero(steps[: held + reach] > limit)
    if not len(jumps):
        return 0
    first = int(jumps[-1]) + 1
    behind = shaking[first : first + reach + 2]
    # Two accelerations in a row that are not too large end the ringing.
    calm = np.flatnonzero(~behind[:-1] & ~behind[1:])
    return first + (int(calm[0]) if len(calm) else min(reach, max(len(behind) - 1, 0)))
