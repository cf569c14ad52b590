"""When a foot stands on its ball or its heel: rows that are found, can be edited, and say what is planted."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from ...check import contacts, world_pose
from ...errors import OptionError
from ...motion.clip import Clip

FEET = tuple(contacts.NAMES)
BALL, HEEL = "ball", "heel"
PARTS = (BALL, HEEL)

Row = tuple[float, ...]


@dataclass(frozen=True)
class Span:
    """A foot (see `contacts.NAMES`) stands on its ball or its heel from its first frame to the one before its end."""

    foot: str
    part: str
    first: int
    end: int

    @property
    def middle(self) -> "Span":
        """Its middle half: where nothing takes hold or lets go any more."""
        quarter = (self.end - self.first) // 4
        return replace(self, first=self.first + quarter, end=self.end - quarter)

    @property
    def row(self) -> tuple[int, int, int, int]:
        """Its foot and part by their numbers, its first frame and its end, as recipes keep it."""
        return FEET.index(self.foot), PARTS.index(self.part), self.first, self.end


@dataclass(frozen=True)
class Contact:
    """Spans of one foot that touch: it rolls from one part to the next without leaving the ground.

    rows : which of the spans that were given these are, or copies of
    """

    foot: str
    spans: tuple[Span, ...]
    rows: frozenset[int]

    @property
    def standing(self) -> tuple[Span, ...]:
        """The spans on its ball; on its heel where the ball never stands."""
        return tuple(span for span in self.spans if span.part == BALL) or self.spans

    @property
    def first(self) -> int:
        return self.spans[0].first

    @property
    def end(self) -> int:
        return self.spans[-1].end


def find(clip: Clip) -> list[Span]:
    """Return the spans of a clip, by foot and time: on its ball where that stands, else on its heel.

    Method: Foot contacts.
    """
    found = []
    for name, foot in contacts.standing_feet(world_pose.pose(clip)).items():
        on_ball = foot.ball_stands.copy()
        for start, end in contacts.runs(foot.stands & ~foot.ball_stands & ~foot.ankle_stands):
            on_ball[start:end] = start > 0 and foot.ball_stands[start - 1]  # a moment between both
        for part, flags in ((BALL, foot.stands & on_ball), (HEEL, foot.stands & ~on_ball)):
            found += [Span(name, part, start, end) for start, end in contacts.runs(flags)]
    return sorted(found, key=lambda span: (FEET.index(span.foot), span.first))


def of_rows(rows: Sequence[Sequence[float]], frames: int) -> list[Span]:
    """Return the spans that rows (foot, part, first frame, end) of a clip of so many frames say, by foot and time.

    Raises OptionError for what is no such row, and for spans of one foot that overlap.
    """
    found = sorted((_of_row(row, frames) for row in rows), key=lambda span: (FEET.index(span.foot), span.first))
    for one, other in pairwise(found):
        if one.foot == other.foot and other.first < one.end:
            raise OptionError(f"spans of the {contacts.NAMES[one.foot]} overlap at frame {other.first}")
    return found


def _of_row(row: Sequence[float], frames: int) -> Span:
    numbers = [int(value) for value in row]
    fits = len(row) == 4 and numbers == list(row) and numbers[0] < len(FEET) and numbers[1] < len(PARTS)
    if not fits or min(numbers) < 0 or not numbers[2] < numbers[3] <= frames:
        given = " ".join(f"{value:g}" for value in row)
        raise OptionError(
            f"a span is a foot (0 left, 1 right, 2 and 3 in front), a part (0 ball, 1 heel), its first frame and its"
            f" end, at most {frames}, not {given!r}"
        )
    return Span(FEET[numbers[0]], PARTS[numbers[1]], numbers[2], numbers[3])


def touching(spans: Sequence[Span], laps: Sequence[int] = (0,), lap: int = 0) -> list[Contact]:
    """Return the contacts of spans; of a cycle of `lap` frames and one more, those of all its laps."""
    tiled = []
    for row, span in enumerate(spans):
        # The last frame of a cycle is the first of the next one.
        end = min(span.end, lap) if lap else span.end
        if span.first < end:
            tiled += [(Span(span.foot, span.part, span.first + k * lap, end + k * lap), row) for k in laps]
    found: list[Contact] = []
    for span, row in sorted(tiled, key=lambda one: (FEET.index(one[0].foot), one[0].first)):
        if found and found[-1].foot == span.foot and found[-1].end == span.first:
            last = found.pop()
            one = last.spans[-1]
            # What a seam cuts in two is one span.
            parts = (replace(one, end=span.end),) if one.part == span.part else (one, span)
            found.append(Contact(span.foot, (*last.spans[:-1], *parts), last.rows | {row}))
        else:
            found.append(Contact(span.foot, (span,), frozenset({row})))
    return found


def within(spans: Sequence[Span], first: int, end: int) -> list[Span]:
    """Return the parts of spans between two frames, counted from the first of these."""
    cut = [Span(s.foot, s.part, max(s.first, first) - first, min(s.end, end) - first) for s in spans]
    return [span for span in cut if span.first < span.end]


def flags(spans: Sequence[Span], frames: int) -> dict[str, contacts.Flags]:
    """Return for each foot of some spans in which frames (F,) it stands."""
    found = {span.foot: np.zeros(frames, dtype=bool) for span in spans}
    for span in spans:
        found[span.foot][span.first : span.end] = True
    return found
