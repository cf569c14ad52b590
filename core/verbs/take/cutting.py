"""Cut a take into named stretches that cover it except for its breaks (methods: A take becomes a set)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from ...bodies import attachments, own_legs
from ...motion import trim
from ...motion.clip import Clip
from ...progress import SILENT, Progress
from ...quality.breaks import Break
from ...quality.contacts import runs
from . import activities, posture, tracks
from .states import ACTION, GAITS, IDLE, RUN, TURN, Span, State, spans
from .tracks import Tracks

NEAR = 0.14  # s; a boundary moves to a foot strike within this time
LONG = 3.0  # s; shorter actions are not split further
FLIGHT = (0.2, 1.2)  # s without ground contact that make a jump
JUMPS = 4.0  # s; a longer action with one flight is not named a jump
RIGHT_ANGLES = 45.0  # degrees to which angles of turns in place are rounded
SPEEDS = ((0.55, "Slow"), (1.05, ""), (np.inf, "Fast"))  # name by speed, body heights a second


@dataclass(frozen=True)
class Stretch:
    """Frames first … last of a take (as given) and the activity in them.

    name : such as "Walk Left", "Turn Right 90", "Action 02"; several stretches may share a name
    number : of actions, from 1; similar actions share it; 0 for other stretches
    speed : m/s over the ground; turn : degrees a second, positive to the left; angle : total turn, degrees
    heights : speed in body heights a second, comparable between bodies
    """

    first: int
    last: int
    state: State
    name: str
    number: int
    seconds: float
    speed: float
    heights: float
    turn: float
    angle: float

    def __len__(self) -> int:
        return self.last - self.first + 1


@dataclass(frozen=True, eq=False)
class Cut:
    """A take without its calibration poses, with its tracks and stretches; frames count from the take as given."""

    clip: Clip
    tracks: Tracks
    first: int
    stretches: tuple[Stretch, ...]

    def part(self, stretch: Stretch) -> Clip:
        """Return the frames of a stretch as a clip of that name."""
        part = self.clip.cut(stretch.first - self.first, stretch.last - self.first + 1)
        return replace(part, name=stretch.name)

    def breaks(self, first: int = 0, last: int | None = None) -> list[Break]:
        """Return the breaks between two frames of the take as given, in these frames."""
        found = [replace(one, first=one.first + self.first, last=one.last + self.first) for one in self.tracks.breaks]
        return [one for one in found if one.last > first and (last is None or one.first < last)]


def cut(clip: Clip, progress: Progress = SILENT) -> Cut:
    """Return a take cut into stretches; feet below another joint are attached to their legs.

    Raises ClipError as `tracks.tracks` does.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.verbs.take import cutting
        >>> [stretch.name for stretch in cutting.cut(actions.turn_left()).stretches]
        ['Walk', 'Walk Left', 'Walk']
    """
    progress.at(0.0, "Tracking")
    tracks.refuse_several(clip)
    (hung,) = attachments.find([clip]).hang([clip])
    trimmed = trim.ends(own_legs.with_hind_legs(hung))
    found = tracks.tracks(trimmed.clip)
    progress.at(0.4, "Cutting")
    unbroken = [part for span in spans(found) for part in _unbroken(span, found)]
    parts = _number_actions([part for span in unbroken for part in _parts(span, found)], found)
    ends = _at_strikes([span for span, _ in parts], found)
    named = []
    for (span, number), (first, end) in zip(parts, ends, strict=True):
        at = Span(first, end, span.state)
        named.append(_stretch(at, number, found, trimmed.first))
    return Cut(trimmed.clip, found, trimmed.first, tuple(named))


def _unbroken(span: Span, found: Tracks) -> list[Span]:
    """Return a span split where the take is interrupted."""
    changes = np.flatnonzero(np.diff(found.whole[span.first : span.end])) + 1 + span.first
    return [Span(a, b, span.state) for a, b in pairwise([span.first, *changes.tolist(), span.end])]


def _parts(span: Span, found: Tracks) -> list[Span]:
    """Return a long action split where the activity changes; other spans unchanged."""
    if span.state.kind != ACTION or len(span) < LONG * found.rate:
        return [span]
    rows = _samples(span, found)
    scale = len(span) / len(rows)
    ends = [round(end * scale) for end in activities.borders(rows)]
    return [Span(span.first + a, span.first + b, span.state) for a, b in zip([0, *ends[:-1]], ends, strict=True)]


def _samples(span: Span, found: Tracks) -> np.ndarray:
    first, last = found.frames[span.first], found.frames[span.end - 1]
    return activities.samples(found.clip.cut(int(first), int(last) + 1))


def _number_actions(parts: Sequence[Span], found: Tracks) -> list[tuple[Span, int]]:
    """Return spans with action numbers, from 1 in order of first appearance; 0 for spans that are not actions.

    Adjacent actions with one number become one span, unless the take is interrupted between them.
    """
    doing = [k for k, span in enumerate(parts) if span.state.kind == ACTION]
    numbers = dict.fromkeys(range(len(parts)), 0)
    given = activities.number_activities([_samples(parts[k], found) for k in doing])
    numbers |= {k: int(number) + 1 for k, number in zip(doing, given, strict=True)}
    out: list[tuple[Span, int]] = []
    for k, span in enumerate(parts):
        last, number = out[-1] if out else (span, 0)
        if numbers[k] and numbers[k] == number and found.whole[span.first] == found.whole[last.first]:
            out[-1] = replace(last, end=span.end), number
        else:
            out.append((span, numbers[k]))
    return out


def _at_strikes(parts: Sequence[Span], found: Tracks) -> list[tuple[int, int]]:
    """Return the row ranges of spans; boundaries next to walks and runs move to the nearest foot strike."""
    strikes = np.flatnonzero((np.diff(found.stands.astype(np.int8), axis=0) > 0).any(axis=1)) + 1
    borders = [0]
    for before, after in pairwise(parts):
        at = after.first
        broken = found.whole[at] != found.whole[at - 1]
        if len(strikes) and not broken and {before.state.kind, after.state.kind} & set(GAITS):
            nearest = int(strikes[np.argmin(np.abs(strikes - at))])
            room = borders[-1] + 2 < nearest < after.end - 2
            at = nearest if abs(nearest - at) <= NEAR * found.rate and room else at
        borders.append(at)
    return list(zip(borders, [*borders[1:], parts[-1].end], strict=True))


def _stretch(span: Span, number: int, found: Tracks, dropped: int) -> Stretch:
    rows, height = slice(span.first, span.end), found.clip.skeleton.height
    angle = float(np.degrees(found.facing[span.end - 1] - found.facing[span.first]))
    end = _end(span, found)
    seconds = (end - int(found.frames[span.first])) / found.clip.rate
    heights = float(np.median(found.speed[rows]))
    return Stretch(
        int(found.frames[span.first]) + dropped,
        end + dropped,
        span.state,
        _name(span, number, angle, found),
        number,
        round(seconds, 4),
        round(heights * height, 3),
        round(heights, 3),
        round(float(np.median(found.turn[rows])), 1),
        round(angle, 1),
    )


def _end(span: Span, found: Tracks) -> int:
    """Return the last frame of a span: the next span's first, or the last before a break or the take's end."""
    if span.end < len(found) and found.whole[span.end] == found.whole[span.end - 1]:
        return int(found.frames[span.end])
    row = int(found.frames[span.end - 1])
    return next((one.first for one in found.breaks if one.first >= row), len(found.clip) - 1)


def _name(span: Span, number: int, angle: float, found: Tracks) -> str:
    """Return the name of a stretch from its state."""
    state, side = span.state, span.state.side.capitalize()
    if state.kind == ACTION:
        return "Jump" if _is_jump(span, found) else f"Action {number:02}"
    rows = int(found.frames[span.first]), int(found.frames[span.end - 1]) + 1
    low = posture.name_posture(found.clip, *rows) if state.low else ""
    if state.kind == IDLE:
        return low or "Idle"
    if state.kind == TURN:
        return f"Turn {side} {max(1, round(abs(angle) / RIGHT_ANGLES)) * RIGHT_ANGLES:.0f}"
    if state.way == "strafe":
        words = ["Run" * (state.kind == RUN), "Strafe", side]
    else:
        gait = f"{low} {state.kind.capitalize()}".strip() if low in ("", posture.CROUCH) else "Crawl"
        words = [gait, "Back" * bool(state.way), side]
    return " ".join(word for word in words if word)


def _is_jump(span: Span, found: Tracks) -> bool:
    """Return whether an action is short and leaves the ground exactly once, for the duration of a jump."""
    off = runs(np.asarray(found.stands[span.first : span.end].sum(axis=1) == 0))
    flights = [end - start for start, end in off if end - start >= FLIGHT[0] * found.rate]
    return len(flights) == 1 and flights[0] <= FLIGHT[1] * found.rate and len(span) <= JUMPS * found.rate


def speed_word(heights: float) -> str:
    """Return "Slow", "" or "Fast" for the speed of a walk, body heights a second.

    Example:
        >>> from action_loom.core.verbs.take import cutting
        >>> [cutting.speed_word(speed) for speed in (0.3, 0.8, 1.2)]
        ['Slow', '', 'Fast']
    """
    return next(word for limit, word in SPEEDS if heights < limit)
