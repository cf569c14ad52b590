"""Spans in which a foot's ball or heel is in contact: detected, edited, and planted (methods: Planted feet)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from ...errors import OptionError, wrong_rows
from ...motion import feet
from ...motion.clip import Clip
from ...motion.skeleton import Skeleton
from ...quality import contacts, world_pose

FEET = tuple(contacts.NAMES)
BALL, HEEL = "ball", "heel"
PARTS = (BALL, HEEL)

Row = tuple[float, ...]


@dataclass(frozen=True)
class Span:
    """A contact of a foot (see `contacts.NAMES`) by ball or heel, from frame `first` to frame `end` − 1."""

    foot: str
    part: str
    first: int
    end: int

    @property
    def middle(self) -> "Span":
        """Its middle half, in which the foot is held fully."""
        quarter = (self.end - self.first) // 4
        return replace(self, first=self.first + quarter, end=self.end - quarter)

    @property
    def row(self) -> tuple[int, int, int, int]:
        """Indices of foot and part, first frame and end, as in recipes."""
        return FEET.index(self.foot), PARTS.index(self.part), self.first, self.end


@dataclass(frozen=True)
class Contact:
    """Touching spans of one foot, which rolls from one part to the next without leaving the ground.

    rows : indices of the original spans of which these are parts or copies
    """

    foot: str
    spans: tuple[Span, ...]
    rows: frozenset[int]

    @property
    def standing(self) -> tuple[Span, ...]:
        """The spans on the ball; the spans on the heel if there are none."""
        return tuple(span for span in self.spans if span.part == BALL) or self.spans

    @property
    def first(self) -> int:
        return self.spans[0].first

    @property
    def end(self) -> int:
        return self.spans[-1].end


def find(clip: Clip, body: Skeleton | None = None) -> list[Span]:
    """Return the spans of a clip, by foot and time: on the ball during its contact, otherwise on the heel.

    body : the body to which the clip was retargeted; feet of it without a ball use the contacts of the clip's ankles,
    because an ankle moves on over a ball in contact. Method: Foot contacts.

    Example:
        >>> from action_loom.core.edit.feet import spans
        >>> from action_loom.core.demo_character import actions
        >>> [(span.foot, span.part, span.first, span.end) for span in spans.find(actions.walk(cycles=1))]
        [('L', 'heel', 0, 2), ('L', 'ball', 2, 20), ('R', 'ball', 0, 4), ('R', 'heel', 15, 18), ('R', 'ball', 18, 33)]
    """
    detected = []
    pairs = feet.balls_and_ankles(clip.skeleton if body is None else body)
    for name, foot in contacts.standing_feet(world_pose.pose(clip)).items():
        if body is not None and name in pairs and pairs[name][0] == pairs[name][1]:
            detected += [Span(name, BALL, start, end) for start, end in contacts.runs(foot.ankle_stands)]
            continue
        on_ball = foot.ball_stands.copy()
        for start, end in contacts.runs(foot.stands & ~foot.ball_stands & ~foot.ankle_stands):
            on_ball[start:end] = start > 0 and foot.ball_stands[start - 1]  # a moment between heel and ball
        for part, flags in ((BALL, foot.stands & on_ball), (HEEL, foot.stands & ~on_ball)):
            detected += [Span(name, part, start, end) for start, end in contacts.runs(flags)]
    return sorted(detected, key=lambda span: (FEET.index(span.foot), span.first))


def of_rows(rows: Sequence[Sequence[float]], frames: int) -> list[Span]:
    """Return the spans of rows (foot, part, first frame, end) of a clip with `frames` frames, by foot and time.

    Raises OptionError for invalid rows, and for overlapping spans of one foot.

    Example:
        >>> from action_loom.core.edit.feet import spans
        >>> spans.of_rows([[1, 0, 12, 30]], frames=60)
        [Span(foot='R', part='ball', first=12, end=30)]
    """
    ordered = sorted((_of_row(row, frames) for row in rows), key=lambda span: (FEET.index(span.foot), span.first))
    for one, other in pairwise(ordered):
        if one.foot == other.foot and other.first < one.end:
            raise OptionError(f"spans of the {contacts.NAMES[one.foot]} overlap at frame {other.first}")
    return ordered


def _of_row(row: Sequence[float], frames: int) -> Span:
    numbers = [int(value) for value in row]
    fits = len(row) == 4 and numbers == list(row) and numbers[0] < len(FEET) and numbers[1] < len(PARTS)
    if not fits or min(numbers) < 0 or not numbers[2] < numbers[3] <= frames:
        raise wrong_rows("spans", "foot (0-7)", "part (0-1)", "first", f"end (1-{frames})")
    return Span(FEET[numbers[0]], PARTS[numbers[1]], numbers[2], numbers[3])


def touching(spans: Sequence[Span], cycles: Sequence[int] = (0,), period: int = 0) -> list[Contact]:
    """Return the contacts formed by spans; for a cycle of `period` + 1 frames, the contacts of the given cycles.

    Example:
        >>> from action_loom.core.edit.feet import spans
        >>> rows = [[0, 1, 0, 6], [0, 0, 6, 18], [0, 1, 28, 33]]
        >>> contacts = spans.touching(spans.of_rows(rows, 33), cycles=(0, 1), period=32)
        >>> [(contact.first, contact.end, sorted(contact.rows)) for contact in contacts]
        [(0, 18, [0, 1]), (28, 50, [0, 1, 2]), (60, 64, [2])]
    """
    tiled = []
    for row, span in enumerate(spans):
        # The last frame of a cycle is the first of the next one.
        end = min(span.end, period) if period else span.end
        if span.first < end:
            tiled += [(Span(span.foot, span.part, span.first + k * period, end + k * period), row) for k in cycles]
    contacts: list[Contact] = []
    for span, row in sorted(tiled, key=lambda pair: (FEET.index(pair[0].foot), pair[0].first)):
        if contacts and contacts[-1].foot == span.foot and contacts[-1].end == span.first:
            contact = contacts.pop()
            last = contact.spans[-1]
            # Spans on the same part are halves of one span cut by a seam.
            parts = (replace(last, end=span.end),) if last.part == span.part else (last, span)
            contacts.append(Contact(span.foot, (*contact.spans[:-1], *parts), contact.rows | {row}))
        else:
            contacts.append(Contact(span.foot, (span,), frozenset({row})))
    return contacts


def within(spans: Sequence[Span], first: int, end: int) -> list[Span]:
    """Return the parts of spans between two frames, with frames counted from `first`."""
    cut = [Span(s.foot, s.part, max(s.first, first) - first, min(s.end, end) - first) for s in spans]
    return [span for span in cut if span.first < span.end]


def flags(spans: Sequence[Span], frames: int) -> dict[str, contacts.Flags]:
    """Return flags (F,) of contact for each foot of some spans.

    Example:
        >>> from action_loom.core.edit.feet import spans
        >>> spans.flags([spans.Span("L", "ball", 1, 3)], frames=4)["L"].tolist()
        [False, True, True, False]
    """
    standing = {span.foot: np.zeros(frames, dtype=bool) for span in spans}
    for span in spans:
        standing[span.foot][span.first : span.end] = True
    return standing
