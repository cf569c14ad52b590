"""The phase of the stride at each frame of a clip, and the limits of strides (methods: Style)."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..edit import cyclic_padding
from ..errors import ClipError
from ..motion import cycles, kinematics, root_motion
from ..motion import feet as feet_of
from ..motion.clip import Clip
from ..motion.quat import Array
from ..quality import contacts, world_pose
from ..sync import cycle_search
from ..weave import add_root_motion, root_blend

SECONDS = (0.3, 3.0)  # s; limits of the duration of a stride
MIDDLE = (0.3, 0.7)  # range of a stride within which the other foot must strike
REPEATS = 0.6  # score of `cycle_search`; clips with less are not periodic
REACH = 0.15  # leg lengths by which feet must pass each other in steps
EVEN = 0.4  # least ratio of the smaller reach of the two feet to the larger one
REACH_SMOOTH = 0.02  # s; sigma for smoothing the distance of the feet
AROUND = 3.0  # s of cyclic padding before and after a cycle, which makes its strides complete


@dataclass(frozen=True)
class Stride:
    """The (fractional) start, middle and end frames of a stride."""

    first: float
    middle: float
    end: float


@dataclass(frozen=True, eq=False)
class Phases:
    """The strides of a clip.

    clip : with cyclic padding if it repeats
    own : the frames of the original clip in it
    gait : whether strides extend between left foot strikes; otherwise they are repetitions
    """

    clip: Clip
    own: slice
    strides: tuple[Stride, ...]
    gait: bool

    @property
    def of_own(self) -> tuple[Stride, ...]:
        """The strides that begin in the clip itself; they also end in it, unless it has cyclic padding."""
        last = self.own.stop - 1
        return tuple(stride for stride in self.strides if self.own.start <= stride.first < last)

    def at(self, frames: Array) -> Array:
        """Return the phase (K,) at frames (K,) of `clip`: n where stride n begins, n + ½ in its middle.

        It is extrapolated before the first stride and after the last one.
        """
        at, phase = self._knots
        inside = np.interp(frames, at, phase)
        before = phase[0] + (frames - at[0]) * 0.5 / (at[1] - at[0])
        after = phase[-1] + (frames - at[-1]) * 0.5 / (at[-1] - at[-2])
        return np.where(frames < at[0], before, np.where(frames > at[-1], after, inside))

    @property
    def _knots(self) -> tuple[Array, Array]:
        """Frames (K,) of known phase (K,); it gains a whole number between strides with a gap."""
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


def of_steps(clip: Clip) -> Phases:
    """Return a clip's strides from its contacts or, for a cycle without any, from the reach of its feet.

    Raises ClipError if there are none.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.style import gait_phase
        >>> len(gait_phase.of_steps(actions.walk(cycles=2)).of_own)
        2
    """
    try:
        return by_contacts(clip)
    except ClipError:
        cycle = len(clip) > 2 and cycles.closes(clip)
        phases = by_reach(clip) if cycle and add_root_motion.travels(clip) else None
        if phases is None:
            raise
        return phases


def by_contacts(clip: Clip) -> Phases:
    """Return the strides between left foot strikes; raises ClipError if there are none."""
    closes = len(clip) > 2 and cycles.closes(clip)
    whole = cyclic_padding.around(clip, AROUND * clip.rate, repeats=closes)
    feet = contacts.standing_feet(world_pose.pose(whole.clip))
    if not {"L", "R"} <= set(feet):
        raise ClipError(f"{clip.name}: its feet are not known: name them in Body Roles")
    left, right = (_touchdowns(feet[side]) for side in "LR")
    strides = list(_strides(left, right, clip.rate))
    phases = Phases(whole.clip, whole.own, tuple(strides), gait=True)
    if not phases.of_own:
        raise ClipError(
            f"{clip.name} has no whole stride: from one touchdown of the left foot to the next, with one of the right"
            " foot in between"
            + ("" if add_root_motion.travels(clip) else "; it goes nowhere: give it travel first, if it walks")
        )
    return phases


def by_reach(cycle: Clip) -> Phases | None:
    """Return the strides of a cycle between the farthest reaches of the left foot in front of the right one.

    A foot strikes just after its farthest reach, even in a clip with sliding or hovering feet. None if the feet do not
    pass each other, or are not known.
    """
    points, leg = feet_of.balls_and_ankles(cycle.skeleton), cycle.skeleton.leg_length
    if not {"L", "R"} <= set(points) or not leg:
        return None
    whole = cyclic_padding.around(cycle, AROUND * cycle.rate, repeats=True)
    posed, facing = kinematics.points(whole.clip), root_blend.part(whole.clip).facing
    apart = posed[:, points["L"][1]] - posed[:, points["R"][1]]
    ahead = root_motion.smooth(apart[:, 1] * np.cos(facing) - apart[:, 0] * np.sin(facing), REACH_SMOOTH * cycle.rate)
    if ahead.max() < EVEN * -ahead.min() or -ahead.min() < EVEN * ahead.max():
        return None  # a kick, in which only one foot reaches far ahead
    left, right = _reaches(ahead, REACH * leg), _reaches(-ahead, REACH * leg)
    phases = Phases(whole.clip, whole.own, tuple(_strides(left, right, cycle.rate)), gait=True)
    return phases if phases.of_own else None


def _reaches(ahead: Array, least: float) -> list[int]:
    """Return the frame of the largest value in each run of frames (F,) above `least`, m."""
    stretches = contacts.runs(ahead > 0.0)
    largest = [start + int(np.argmax(ahead[start:end])) for start, end in stretches]
    return [frame for frame in largest if ahead[frame] > least]


def by_cycles(clip: Clip) -> Phases:
    """Return the cycles of any periodic clip as its strides; raises ClipError if it is not periodic."""
    if len(clip) > 2 and cycles.closes(clip):
        count = cycles.repeats(clip)
        length = (len(clip) - 1) // (count if (len(clip) - 1) % count == 0 else 1)
        whole = cyclic_padding.around(clip, AROUND * clip.rate, repeats=True)
        starts = range(0, len(whole.clip) - length, length)
        return Phases(whole.clip, whole.own, tuple(_even(start, length) for start in starts), gait=False)
    best = cycle_search.find(clip).best
    if best.score < REPEATS:
        raise ClipError(f"{clip.name} does not repeat itself (likeness {best.score:.2f}, where {REPEATS:g} is wanted)")
    starts = range(best.start % best.length, len(clip) - best.length, best.length)
    # The clip may show another motion before the best cycle.
    strides = tuple(_even(start, best.length) for start in starts if start >= best.start)
    return Phases(clip, slice(0, len(clip)), strides, gait=False)


def _even(first: int, length: int) -> Stride:
    """Return a stride with its middle halfway."""
    return Stride(first, first + 0.5 * length, first + length)


def _touchdowns(foot: contacts.Foot) -> list[int]:
    """Return the foot strikes, except at the first frame, where the contact may have begun earlier."""
    return [start for start, _ in contacts.runs(foot.stands) if start > 0]


def _strides(left: Sequence[int], right: Sequence[int], rate: float) -> Sequence[Stride]:
    """Return the strides from the foot strikes of both feet."""
    strides = []
    for first, end in pairwise(left):
        between = [frame for frame in right if first < frame < end]
        lasts = (end - first) / rate
        if len(between) != 1 or not SECONDS[0] <= lasts <= SECONDS[1]:
            continue
        if MIDDLE[0] <= (between[0] - first) / (end - first) <= MIDDLE[1]:
            strides.append(Stride(first, between[0], end))
    return strides
