"""Breaks: where a recording was interrupted, and the body jumps or stands frozen (methods: A take becomes a set)."""

from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ..motion import kinematics
from ..motion.clip import Clip
from .contacts import runs

AROUND = 0.3  # s before and behind a step that say how large steps are there; at least three
OUTLIER = 4.0  # times the second largest of them (one may be a break, too); captures have 2.8 at most, cuts 13 at least
LEAST = 0.04  # body heights that the body's points jump on average; less is a spike, or a fast move in few frames
FROZEN = 1e-4  # m a frame; nothing that lives is so still
HELD = 0.1  # s; a shorter standstill beside a jump is a frame or two given twice


@dataclass(frozen=True)
class Break:
    """Nothing is known between the frames first and last; they follow each other where the body only jumps.

    jump : metres that the points of the body jump, on average; held : seconds for which the body is frozen between
    """

    first: int
    last: int
    jump: float
    held: float

    @property
    def words(self) -> str:
        """What happens there."""
        if self.held:
            return f"the body is frozen for {self.held:.1f} s and jumps {100.0 * self.jump:.0f} cm"
        return f"the body jumps {100.0 * self.jump:.0f} cm"


def found(clip: Clip) -> tuple[Break, ...]:
    """Return the breaks of a clip, in order.

    A step is a jump if the points of the body, on average, make four times the second largest step of the 0.3 s before
    and behind, and 4 % of the body's height. A body that stands frozen beside a jump is not known there. Poses that are
    held, or frames that were given several times, are no breaks: all steps are as large there.

    Example:
        >>> import numpy as np
        >>> from dataclasses import replace
        >>> from action_loom.core.check import breaks
        >>> from action_loom.core.figure import actions
        >>> walk = actions.walk()
        >>> places = walk.translations.copy()
        >>> places[20:, 0] += 1.0  # metres, along each axis
        >>> [(one.first, one.last, one.words) for one in breaks.found(replace(walk, translations=places))]
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
    """Return the stretches of a clip (first frame, end exclusive) that no break interrupts.

    Example:
        >>> from action_loom.core.check import breaks
        >>> from action_loom.core.figure import actions
        >>> breaks.whole(actions.walk(), (breaks.Break(19, 30, 0.5, 0.3),))
        [(0, 20), (30, 97)]
    """
    starts, ends = [0, *(one.last for one in breaks)], [*(one.first + 1 for one in breaks), len(clip)]
    return [(start, end) for start, end in zip(starts, ends, strict=True) if end > start]
