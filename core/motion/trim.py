"""Trim bad ends of clips: calibration poses and the jump after them (methods: Skeleton, clip, forward kinematics)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from . import blocks, kinematics
from .clip import Clip
from .frame_map import FrameMap, LeftOut
from .quat import Array

END_SECONDS = 0.1  # s from an end searched for jumps, and for ringing after a jump
FASTEST = 15.0  # m/s; no human joint is faster
OUTLIER = 8.0  # times the clip's typical step; a larger step is a jump
FAST_OUTLIER = 3.0  # the same above FASTEST: in unknown units, or between held keys, all steps of a clip can be fast
SLOWEST_JUMP = 1.0  # m/s; a slower step is never a jump, even in a nearly still clip
STILL = 1e-4  # m per frame; below it a pose is held
SHAKEN = 3.0  # times the clip's median acceleration: resampled clips ring after a jump

CALIBRATION = "calibration pose or jump"


@dataclass(frozen=True)
class Trimmed:
    """A clip without its bad ends, and the number of frames omitted at the start (`first`) and the end (`last`)."""

    clip: Clip
    first: int = 0
    last: int = 0

    @property
    def frame_map(self) -> FrameMap:
        return FrameMap(self.first)

    @property
    def left_out(self) -> list[LeftOut]:
        """The omitted frames for the report: one entry, or none."""
        return [LeftOut(self.clip.name, self.first, self.last, CALIBRATION)] if self.first or self.last else []


def if_wanted(clip: Clip, trim: bool) -> Trimmed:
    """Return the clip without its bad ends (see `ends`), or the whole clip if `trim` is off.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import trim
        >>> trim.if_wanted(actions.walk(), False).left_out
        []
    """
    return ends(clip) if trim else Trimmed(clip)


def ends(clip: Clip) -> Trimmed:
    """Return the clip without the frames of its first and last 0.1 s up to the last impossible step of a joint.

    A step is impossible above 8 times the clip's typical step (the median of the nonzero ones) or above 15 m/s, unless
    the whole clip is that fast. A pose held before such a step is also omitted (a T-pose of any length), and up to 0.1
    s of frames after it with an acceleration above three times the median, because a resampled clip rings there.

    Example:
        >>> from dataclasses import replace
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import trim
        >>> walk = actions.walk()
        >>> places = walk.translations.copy()
        >>> places[0] += 2.0  # the first frame is elsewhere
        >>> trim.ends(replace(walk, translations=places)).first
        1
    """
    _, positions = kinematics.get_cached_pose(clip)
    steps = _fastest(positions, 1)
    if len(steps) < 4:
        return Trimmed(clip)
    typical = float(np.median(steps[steps > STILL])) if np.any(steps > STILL) else 0.0
    limit = max(OUTLIER * typical, SLOWEST_JUMP / clip.rate)
    limit = min(limit, max(FAST_OUTLIER * typical, FASTEST / clip.rate))
    if not any(_last_jump(steps[::order], limit, clip.rate) for order in (1, -1)):
        return Trimmed(clip)
    shaking = _fastest(positions, 2)
    first, last = (
        _bad(steps[::order], shaking[::order] > SHAKEN * np.median(shaking), limit, clip.rate) for order in (1, -1)
    )
    if first + last >= len(clip) - 1:
        return Trimmed(clip)  # with jumps everywhere, the ends are not special
    return Trimmed(clip.cut(first, len(clip) - last), first, last) if first or last else Trimmed(clip)


def _fastest(positions: Array, order: int) -> Array:
    """Return the longest differences (F − order,) of an order between frames, over all points (F, P, 3)."""
    longest = np.zeros(max(len(positions) - order, 0))
    for some in blocks.slices(len(longest), positions[0].size):
        steps = np.diff(positions[some.start : some.stop + order], n=order, axis=0)
        steps *= steps
        squares = steps[..., 0] + steps[..., 1]
        squares += steps[..., 2]
        longest[some] = squares.max(axis=1, initial=0.0)
    return np.sqrt(longest)


def _last_jump(steps: Array, limit: float, rate: float) -> int:
    """Return the index after the last step over the limit near the start; 0 without one."""
    moving = np.flatnonzero(steps > STILL)
    held = int(moving[0]) if len(moving) else 0
    jumps = np.flatnonzero(steps[: held + _reach(rate)] > limit)
    return int(jumps[-1]) + 1 if len(jumps) else 0


def _reach(rate: float) -> int:
    return max(1, round(END_SECONDS * rate))


def _bad(steps: Array, shaking: NDArray[np.bool_], limit: float, rate: float) -> int:
    """Return the number of bad frames before the first good one.

    steps (F−1,) : of the fastest point; shaking (F−2,) : whether accelerations are too large; limit : of a step, metres
    """
    first, reach = _last_jump(steps, limit, rate), _reach(rate)
    if not first:
        return 0
    behind = shaking[first : first + reach + 2]
    # Two consecutive small accelerations end the ringing.
    calm = np.flatnonzero(~behind[:-1] & ~behind[1:])
    return first + (int(calm[0]) if len(calm) else min(reach, max(len(behind) - 1, 0)))
