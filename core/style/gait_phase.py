"""How far through its stride a body is at each frame of a clip, and where its strides begin and end.

Method: Style.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..check import contacts, world_pose
from ..edit import cyclic_padding
from ..errors import ClipError
from ..motion import cycles
from ..motion.clip import Clip
from ..motion.quat import Array
from ..sync import cycle_search
from ..weave import add_root_motion

SECONDS = (0.3, 3.0)  # of a stride, the shortest and the longest
MIDDLE = (0.3, 0.7)  # of a stride of two feet: where the other one comes down
REPEATS = 0.6  # of `cycle_search`; what scores less does not repeat
AROUND = 3.0  # s of a cycle before and after it, so that its strides are whole


@dataclass(frozen=True)
class Stride:
    """Frames, which may be fractions, at which a stride begins, is half over, and ends."""

    first: float
    middle: float
    end: float


@dataclass(frozen=True, eq=False)
class Phases:
    """The strides of a clip.

    clip : it, with cycles before and after it where it repeats; own : its frames in that; gait : whether a stride goes
    from one touchdown of the left foot to the next, and not from anywhere to there again
    """

    clip: Clip
    own: slice
    strides: tuple[Stride, ...]
    gait: bool

    @property
    def of_own(self) -> tuple[Stride, ...]:
        """The strides that begin in the clip itself and, unless it repeats, end in it."""
        last = self.own.stop - 1
        return tuple(stride for stride in self.strides if self.own.start <= stride.first < last)

    def at(self, frames: Array) -> Array:
        """Return the phase (K,) at frames (K,) of `clip`: a whole number where a stride begins, and half past it.

        Before the first stride and after the last it goes on as in these.
        """
        at, phase = self._knots
        inside = np.interp(frames, at, phase)
        before = phase[0] + (frames - at[0]) * 0.5 / (at[1] - at[0])
        after = phase[-1] + (frames - at[-1]) * 0.5 / (at[-1] - at[-2])
        return np.where(frames < at[0], before, np.where(frames > at[-1], after, inside))

    @property
    def _knots(self) -> tuple[Array, Array]:
        usual = float(np.mean([stride.end - stride.first for stride in self.strides]))
        at, phase = [self.strides[0].first], [0.0]
        for stride in self.strides:
            gap = stride.first - at[-1]
            if gap > 0.0:
                at.append(stride.first)
                phase.append(phase[-1] + max(1.0, round(gap / usual)))
            at += [stride.middle, stride.end]
            phase += [phase[-1] + 0.5, phase[-1] + 1.0]
        return np.array(at), np.array(phase)


def by_contacts(clip: Clip) -> Phases:
    """Return the strides from one touchdown of the left foot to the next; raises ClipError where there are none."""
    closes = len(clip) > 2 and cycles.closes(clip)
    whole = cyclic_padding.around(clip, AROUND * clip.rate, repeats=closes)
    feet = contacts.standing_feet(world_pose.pose(whole.clip))
    if not {"L", "R"} <= set(feet):
        raise ClipError(f"{clip.name}: its feet are not known, so its steps are not: name thighs, shins and feet")
    left, right = (_touchdowns(feet[side]) for side in "LR")
    strides = list(_strides(left, right, clip.rate))
    found = Phases(whole.clip, whole.own, tuple(strides), gait=True)
    if not found.of_own:
        raise ClipError(
            f"{clip.name} has no whole stride: from one touchdown of the left foot to the next, with one of the right"
            " foot in between"
            + ("" if add_root_motion.travels(clip) else "; it goes nowhere: give it travel first, if it walks")
        )
    return found


def by_cycles(clip: Clip) -> Phases:
    """Return the cycles of a clip that repeats, whatever it does; raises ClipError where it does not."""
    if len(clip) > 2 and cycles.closes(clip):
        lap = (len(clip) - 1) // cycles.repeats(clip)
        whole = cyclic_padding.around(clip, AROUND * clip.rate, repeats=True)
        starts = range(0, len(whole.clip) - lap, lap)
        return Phases(whole.clip, whole.own, tuple(_even(start, lap) for start in starts), gait=False)
    found = cycle_search.find(clip).best
    if found.score < REPEATS:
        raise ClipError(f"{clip.name} does not repeat itself (likeness {found.score:.2f}, where {REPEATS:g} is wanted)")
    starts = range(found.start % found.length, len(clip) - found.length, found.length)
    # Only where it repeats: what comes before the cycle that was found may be something else.
    strides = tuple(_even(start, found.length) for start in starts if start >= found.start)
    return Phases(clip, slice(0, len(clip)), strides, gait=False)


def _even(first: int, length: int) -> Stride:
    return Stride(first, first + 0.5 * length, first + length)


def _touchdowns(foot: contacts.Foot) -> list[int]:
    """The frames at which a foot comes down; in the first one nobody knows."""
    return [start for start, _ in contacts.runs(foot.stands) if start > 0]


def _strides(left: Sequence[int], right: Sequence[int], rate: float) -> Sequence[Stride]:
    found = []
    for first, end in pairwise(left):
        between = [frame for frame in right if first < frame < end]
        lasts = (end - first) / rate
        if len(between) != 1 or not SECONDS[0] <= lasts <= SECONDS[1]:
            continue
        if MIDDLE[0] <= (between[0] - first) / (end - first) <= MIDDLE[1]:
            found.append(Stride(first, between[0], end))
    return found
