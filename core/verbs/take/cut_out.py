"""Cut one stretch out of a take, as a loop or as an action whose ends match poses of loops.

Method: A take becomes a set.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ... import verbs
from ...bodies import own_legs
from ...errors import ClipError, OptionError, no_frame, wrong_rows
from ...motion import trim
from ...motion.clip import Clip
from ...progress import SILENT, Progress
from ...recipes import base
from ...weave import reporting
from ...weave.results import CutOutResult
from . import KINDS, CutOut, TakeOptions, loops, meeting, placing, tracks, transitions
from .cutting import Cut, Stretch
from .loops import Made
from .states import State

NEAREST = -1  # frame number that means: the loop frame nearest to the end
_COLUMNS = 5


@dataclass(frozen=True, eq=False)
class Take:
    """A take prepared for cutting: its tracks, and a cache of the loops made of it, by stretch."""

    cut: Cut
    found: dict[tuple[int, int, str], Made] = field(default_factory=dict)

    def loop(self, first: int, last: int, kind: str) -> Clip:
        """Return the loop of a stretch; raises ClipError with the reason if there is none."""
        name, key = self.cut.clip.name, (first, last, kind)
        if key not in self.found:
            self.found[key] = loops.make_loop(self.cut, self.stretch(first, last, kind))
        made = self.found[key]
        if made.clip is None:
            raise ClipError(f"{name}: frames {first} to {last} make no loop: {made.why}")
        return made.clip

    def stretch(self, first: int, last: int, kind: str) -> Stretch:
        """Return frames of the take as a stretch; raises OptionError if the take does not contain them."""
        low, high = self.cut.first, self.cut.first + len(self.cut.clip) - 1
        if not low <= first <= last - 2 or last > high:
            name = self.cut.clip.name
            raise OptionError(
                f"{name}: frames {first} to {last} can't be cut out: it has {low} to {high}, and three are the least"
            )
        seconds = (last - first) / self.cut.clip.rate
        return Stretch(first, last, State(kind), self.cut.clip.name, 0, round(seconds, 4), 0.0, 0.0, 0.0, 0.0)


def prepare(clips: Sequence[Clip], recipe: TakeOptions, progress: Progress = SILENT) -> Take:
    """Return a take ready to be cut; raises ClipError for more than one clip, and as `tracks.tracks` does."""
    base.check_count("Take", len(clips), 1, 1)
    progress.at(0.0, "Tracking")
    trimmed = trim.if_wanted(own_legs.with_hind_legs(clips[0]), recipe.trim)
    return Take(Cut(trimmed.clip, tracks.tracks(trimmed.clip), trimmed.first, ()))


def cut_out(
    clips: Sequence[Clip], recipe: CutOut, progress: Progress = SILENT, take: Take | None = None
) -> CutOutResult:
    """Return one stretch of a take as a loop or as an action, over the origin, facing as in the rest pose.

    Raises ClipError for more than one clip, for a stretch from which a requested loop can't be made, and for ends too
    far from their target poses; OptionError for frames outside the take.

    Example:
        >>> from action_loom.core import verbs
        >>> from action_loom.core.demo_character import actions
        >>> recipe = verbs.CutOut(first=10, last=150, kind="walk", loop=True)
        >>> made = verbs.apply(recipe, [actions.walk(cycles=5)])
        >>> made.clip.cyclic, len(made.clip), round(made.report["cut_out"]["speed_m_s"], 1)
        (True, 33, 1.3)
    """
    began = time.perf_counter()
    take = prepare(clips, recipe, progress) if take is None else take
    progress.at(0.5, "Cutting")
    last = recipe.last if recipe.last >= 0 else take.cut.first + len(take.cut.clip) - 1
    part = take.cut.part(take.stretch(recipe.first, last, recipe.kind))
    own: dict[str, Any] = {"first": recipe.first, "last": last, "kind": recipe.kind, "loop": recipe.loop}
    if recipe.loop:
        made = take.loop(recipe.first, last, recipe.kind)
        found = take.found[recipe.first, last, recipe.kind]
        own["score"], warnings = found.repeats, list(found.report["warnings"])
        low, begins = recipe.first + found.low, recipe.first + found.low + found.struck
        if recipe.mirrored:
            made = _mirror_clip(made)
            struck = loops.strike(made) if recipe.kind in ("walk", "run") else 0
            made, begins = loops.begun_at(made, struck), begins + struck
    else:
        low = begins = recipe.first
        made, own["apart_m"] = _between(part, recipe, take)
        warnings = []
    warnings += [
        f"{clips[0].name}: {one.first - recipe.first} frames after the first, {one.words}"
        for one in take.cut.breaks(recipe.first, last)
    ]
    made, notes = placing.place_root(placing.at_origin(made), placing.IN_PLACE if recipe.in_place else placing.ROOT)
    made = replace(made, name=recipe.result_name([clips[0].name]), cyclic=recipe.loop)
    speed, turn = loops.speed(take.loop(recipe.first, last, recipe.kind) if recipe.loop else part)
    own |= {"speed_m_s": 0.0 if recipe.kind == "idle" else round(speed, 3), "turn_degrees_s": round(turn, 2)}
    own["turn_degrees_s"] *= -1.0 if recipe.mirrored else 1.0
    report = reporting.compose(recipe.verb, clips, made, began, [part], {"cut_out": own}, warnings, notes)
    return CutOutResult(made, report, 0, part, begins, low)


def _mirror_clip(clip: Clip) -> Clip:
    return replace(verbs.apply(verbs.Mirror(), [clip]).clip, cyclic=clip.cyclic)


def _between(part: Clip, recipe: CutOut, take: Take) -> tuple[Clip, float]:
    """Return a stretch with the end poses requested by a recipe, and its original distance from them in metres."""
    if recipe.mirrored:
        part = _mirror_clip(part)
    part = replace(part, cyclic=False)
    shapes, apart = meeting.shapes(part), 0.0
    poses: list[Clip | None] = []
    for rows, shape, end in ((recipe.begins, shapes[0], "begins"), (recipe.ends, shapes[-1], "ends")):
        if not rows:
            poses.append(None)
            continue
        loop, frame = _pose(rows, end, take)
        among = meeting.shapes(loop, repeats=True)[:-1]
        if frame == NEAREST:
            frame = meeting.nearest(among, shape)[0]
        away = meeting.nearest(among[frame : frame + 1], shape)[1]
        if away > meeting.LARGEST * part.skeleton.height:
            raise ClipError(
                f"{part.name}: it {end} {100.0 * away:.0f} cm from the pose of the loop there: choose its frames nearer"
                " to that pose, or none"
            )
        poses.append(loop.cut(frame, frame + 1))
        apart = max(apart, away)
    return transitions.join_ends(part, *poses), round(apart, 4)


def _pose(rows: Sequence[Sequence[float]], end: str, take: Take) -> tuple[Clip, int]:
    """Return the loop and its frame that a row names; raises OptionError for an invalid row."""
    if len(rows) != 1 or len(rows[0]) != _COLUMNS or not 0 <= int(rows[0][2]) < len(KINDS):
        raise wrong_rows(end, "first", "last", "kind", "frame", "mirrored")
    first, last, kind, frame, mirrored = (int(number) for number in rows[0])
    loop = take.loop(first, last, KINDS[kind])
    if mirrored:
        loop = _mirror_clip(loop)
        loop = loops.begin_at_left_strike(loop) if KINDS[kind] in ("walk", "run") else loop
    if frame >= len(loop) - 1:
        raise no_frame(end, frame, 0, len(loop) - 2)
    return loop, max(frame, NEAREST)


def row(first: int, last: int, kind: str, frame: int = 0, *, mirrored: bool = False) -> tuple[float, ...]:
    """Return the row of a recipe's `begins` or `ends` for a frame of the loop of a stretch.

    Example:
        >>> from action_loom.core.verbs.take import cut_out
        >>> cut_out.row(10, 150, "walk")
        (10.0, 150.0, 1.0, 0.0, 0.0)
    """
    return float(first), float(last), float(KINDS.index(kind)), float(frame), float(mirrored)
