"""Find breaks, where a recording was interrupted, and the body jumps or freezes (methods: A take becomes a set)."""

from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ..motion import kinematics
from ..motion.clip import Clip
from .contacts import runs

AROUND = 0.3  # s before and after a step that define the usual step; at least three
# times their second largest (the largest may be another break); captures have at most 2.8, cuts at least 13
OUTLIER = 4.0
LEAST = 0.04  # body heights of mean jump; a smaller one is a spike, or a fast move at a low rate
FROZEN = 1e-4  # m per frame; no living body is more still
HELD = 0.1  # s; a shorter freeze next to a jump is only a duplicated frame or two


@dataclass(frozen=True)
class Break:
    """A gap in the recording between the frames first and last, which are adjacent for a mere jump.

    jump : mean distance that the points of the body jump, metres; held : seconds of freeze in the gap
    """

    first: int
    last: int
    jump: float
    held: float

    @property
    def words(self) -> str:
        """A phrase that describes the break."""
        if self.held:
            return f"the body is frozen for {self.held:.1f} s and jumps {100.0 * self.jump:.0f} cm"
        return f"the body jumps {100.0 * self.jump:.0f} cm"


def find_breaks(clip: Clip) -> tuple[Break, ...]:
    """Return the breaks of a clip, in order.

    A step is a jump if the mean motion of the body's points is four times the second largest step within 0.3 s before
    and after, and at least 4 % of the body's height. A freeze next to a jump is part of the break. Held poses and
    repeated frames are not breaks, because all steps there are equally large.

    Example:
        >>> import numpy as np
        >>> from dataclasses import replace
        >>> from action_loom.core.quality import breaks
        >>> from action_loom.core.demo_character import actions
        >>> walk = actions.walk()
        >>> places = walk.translations.copy()
        >>> places[20:, 0] += 1.0  # metres, along each axis
        >>> [(one.first, one.last, one.words) for one in breaks.find_breaks(replace(walk, translations=places))]
        [(19, 20, 'the body jumps 171 cm')]
    """
    height, around = clip.skeleton.height, max(3, round(AROUND * clip.rate))
    if len(clip) < 2 * around + 2 or height <= 0.0:
        return ()
    weights = clip.skeleton.point_weights
    seen = weights > 0.0
    steps = np.linalg.norm(np.diff(kinematics.points(clip)[:, seen], axis=0), axis=2)
    mean, largest = steps @ (weights[seen] / weights[seen].sum()), steps.max(axis=1)
    large = np.flatnonzero(mean > LEAST * height)
    beside = sliding_window_view(np.pad(mean, around, mode="reflect"), 2 * around + 1)[large]
    usual = np.partition(np.delete(beside, around, axis=1), -2, axis=1)[:, -2]
    jumps = large[mean[large] > OUTLIER * usual]
    held = [(a, b) for a, b in runs(largest < FROZEN) if b - a >= HELD * clip.rate]  # steps a … b − 1
    out: list[Break] = []
    for at in jumps.tolist():
        first = next((a for a, b in held if b == at), at)
        last = next((b for a, b in held if a == at + 1), at + 1)
        if out and first < out[-1].last:  # frozen between two jumps
            before = out.pop()
            first, jump = before.first, max(before.jump, float(mean[at]))
        else:
            jump = float(mean[at])
        frozen = (last - first) / clip.rate if last - first > 1 else 0.0
        out.append(Break(int(first), int(last), jump, frozen))
    return tuple(out)


def whole(clip: Clip, breaks: tuple[Break, ...]) -> list[tuple[int, int]]:
    """Return the uninterrupted stretches of a clip (first frame, end exclusive).

    Example:
        >>> from action_loom.core.quality import breaks
        >>> from action_loom.core.demo_character import actions
        >>> breaks.whole(actions.walk(), (breaks.Break(19, 30, 0.5, 0.3),))
        [(0, 20), (30, 97)]
    """
    starts, ends = [0, *(one.last for one in breaks)], [*(one.first + 1 for one in breaks), len(clip)]
    return [(start, end) for start, end in zip(starts, ends, strict=True) if end > start]
