"""Closing a cycle at a given place: its seam is mended by the best method, and judged (methods: Loops)."""

from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from ...check import angles, quality, seams, world_pose
from ...check.world_pose import WorldPose
from ...errors import SkeletonError
from ...motion import closing, cycles, trim
from ...motion.clip import Clip
from ...motion.closing import Closing
from ...motion.quat import Array
from ...sync.cycle_search import Cycle
from .. import ground_arc
from ..ground_arc import GroundArc
from . import repairs, tracks, whole_frames

METHODS = ("ease", "offset", "lagrange", "spline")
EASE_SHARE = 0.25  # of the cycle that is faded
SETTLE, SETTLE_SHARE = 0.17, 1.0 / 6.0  # s, and of the cycle: how long a change of velocity lasts
POLYNOMIAL = 0.1  # s each side that the polynomial replaces
SAME_ARC = 1e-9  # m, radians: rounding
TURNS = np.radians(0.5)  # a cycle that turns less can be repeated in a straight line
STRAIGHT = np.radians(8.0)  # a cycle that turns less is taken as one that should go straight on
# A seam within these is not seen: times what is typical of the clip; the slide in cm/s over the source's.
ROUGHNESS, STEP, ACCELERATION, MORE_SLIDE = (0.8, 1.3), 1.3, 2.0, 4.0


@dataclass(frozen=True, eq=False)
class ClosedCycle:
    """A cycle of L + 1 frames, the last its first again, and how good it is.

    arc : its ground arc; feet_arc : the arc on which its feet stand, another one where the cycle is in place
    straightened : whether it goes straight on though the source turned
    method : the method that closed it; figures : of all methods that were tried
    before, after : quality of the stretch it was cut from, and of the cycle; the seam's under "seam"
    """

    cycle: Cycle
    clip: Clip
    arc: GroundArc
    feet_arc: GroundArc
    straightened: bool
    method: str
    figures: list[dict[str, Any]]
    before: dict[str, Any]
    after: dict[str, Any]

    @property
    def turn(self) -> float:
        """How far it turns, radians a cycle."""
        return self.arc.turn

    @property
    def travel(self) -> float:
        """How far it goes, metres a cycle."""
        return float(abs(self.arc.step))

    @property
    def more_slide(self) -> float:
        """By how much standing feet slide more than in the source, cm/s; 0 where that is not known."""
        pair = self.after["slide_cm_s"], self.before["slide_cm_s"]
        return 0.0 if None in pair else float(pair[0] - pair[1])

    @property
    def sound(self) -> bool:
        """Whether the seam is not seen, with less slide at it than without repair."""
        at, slide, plain = self.after["seam"], self.after["seam"]["slide_cm_s"], self.before["seam"]["slide_cm_s"]
        known = [at[key] for key in ("roughness", "step", "acceleration")]
        return (
            None not in known
            and ROUGHNESS[0] <= at["roughness"] <= ROUGHNESS[1]
            and at["step"] <= STEP
            and at["acceleration"] <= ACCELERATION
            and self.more_slide <= MORE_SLIDE
            and (slide is None or plain is None or slide < plain)
        )

    @property
    def cost(self) -> float:
        """The composite K of the seam, plus what the cycle slides more than its source; smaller is better."""
        best = next(figures for figures in self.figures if figures["name"] == self.method)
        return seams.ranked(best["K"]) + max(0.0, self.more_slide) / seams.SLIDE_SCALE


class Closes(Protocol):
    """The options of the verb Loop that closing a cycle takes."""

    @property
    def method(self) -> str: ...
    @property
    def in_place(self) -> bool: ...
    @property
    def straighten(self) -> str: ...


def close_cycle(clip: Clip, cycle: Cycle, how: Closes) -> ClosedCycle:
    """Return the cycle of a clip closed by the method asked for, or by the one that measures best.

    Example:
        >>> from action_loom.core.figure import actions
        >>> from action_loom.core.sync.cycle_search import Cycle
        >>> from action_loom.core.verbs import Loop
        >>> from action_loom.core.weave.seam import close
        >>> closed = close.close_cycle(actions.walk(), Cycle(10, 32, 1.0), Loop(method="offset"))
        >>> len(closed.clip), closed.method, round(closed.travel, 2)
        (33, 'offset', 1.39)
    """
    travelled = ground_arc.between(clip, cycle.start, cycle.length)
    arc = _arc(travelled, how)
    methods = METHODS if how.method == "auto" else (how.method,)
    tried = [_closed(clip, cycle, travelled, arc, method) for method in methods]
    source = quality.measure(clip.cut(cycle.start, cycle.start + cycle.length + 1))
    judged = [_judged(name, closed, source) for name, closed in tried]
    figures = [measures for measures, _ in judged]
    best = min(range(len(tried)), key=lambda k: seams.ranked(figures[k]["K"]))
    name, closed = tried[best]
    plain = seams.measure_pose(_in_a_row(_cut_out(clip, cycle, travelled, arc, "none")), cycle.length)
    after = {key: figures[best][key] for key in plain}
    return ClosedCycle(
        cycle,
        closed,
        arc,
        _feet_arc(travelled, how),
        arc.turn != travelled.turn,
        name,
        figures,
        source | {"seam": plain},
        quality.measure_pose(judged[best][1]) | {"seam": after},
    )


def close_whole(clip: Clip, ending: Closing, how: Closes) -> ClosedCycle:
    """Return a clip that is one cycle from its first frame to its last, its ends made to meet where they do not quite.

    Example:
        >>> from action_loom.core.figure import actions
        >>> from action_loom.core.motion import closing
        >>> from action_loom.core.verbs import Loop
        >>> from action_loom.core.weave.seam import close
        >>> walk = actions.walk(cycles=1)
        >>> without_last = walk.cut(0, len(walk) - 1)
        >>> closed = close.close_whole(without_last, closing.of(without_last), Loop())
        >>> len(without_last), len(closed.clip), closed.method
        (32, 33, 'missing key')
    """
    whole, missing = whole_frames.in_whole_frames(clip, ending)
    travelled = whole_frames.travelled(whole, missing)
    arc = _arc(travelled, how)
    closed = _whole(whole, ending, travelled, arc)
    source = quality.measure(clip)
    figures, several = _judged(ending.kind or "whole", closed, source)
    before = seams.measure_pose(_in_a_row(clip), len(clip) - 1)
    return ClosedCycle(
        Cycle(0, travelled.length, float("nan")),
        closed,
        arc,
        _feet_arc(travelled, how),
        abs(arc.turn - travelled.turn) >= SAME_ARC,
        figures["name"],
        [figures],
        source | {"seam": before},
        quality.measure_pose(several) | {"seam": {key: figures[key] for key in before}},
    )


def measured(cycle: Clip, seam: int) -> dict[str, Any]:
    """Return the quality of a cycle with its seam at one of its frames, with the keys of `ClosedCycle.after`.

    Example:
        >>> from action_loom.core.figure import actions
        >>> from action_loom.core.weave.seam import close
        >>> figures = close.measured(actions.walk(cycles=1), 0)
        >>> round(figures["path_m"], 1), figures["seam"]["step"] < 1.3  # three cycles in a row
        (4.2, True)
    """
    several = _in_a_row(cycle)
    return quality.measure_pose(several) | {"seam": seams.measure_pose(several, len(cycle) - 1 + seam)}


def as_cycle(clip: Clip, ending: Closing | None = None) -> Clip:
    """Return a clip that is one cycle with its ends made to meet, on its own ground arc; any other clip as it is.

    One gesture is none (see `closing.guessed`).

    ending : how its ends meet, where that is known

    Example:
        >>> from action_loom.core.figure import actions
        >>> from action_loom.core.weave.seam import close
        >>> walk, turn = actions.walk(cycles=1), actions.turn_left()
        >>> without_last = walk.cut(0, len(walk) - 1)
        >>> close.as_cycle(without_last).cyclic, len(close.as_cycle(without_last)), close.as_cycle(turn) is turn
        (True, 33, True)
    """
    ending = ending or closing.guessed(clip)
    if not ending.kind:
        return clip
    if ending.kind == closing.EXACT:
        return clip if clip.cyclic else replace(clip, cyclic=True)
    whole, missing = whole_frames.in_whole_frames(clip, ending)
    travelled = whole_frames.travelled(whole, missing)
    return _whole(whole, ending, travelled, travelled)


def trimmed(clip: Clip, wanted: bool) -> trim.Trimmed:
    """Return the good part of a clip if that is wanted; ends that meet are not trimmed, however fast they are.

    Example:
        >>> from action_loom.core.figure import actions
        >>> from action_loom.core.weave.seam import close
        >>> walk = actions.walk(cycles=1)
        >>> len(walk), len(close.trimmed(walk, wanted=True).clip)
        (33, 33)
    """
    part = trim.if_wanted(clip, wanted)
    return trim.Trimmed(clip) if part.left_out and closing.of(clip).kind else part


def cycle_of(clip: Clip) -> tuple[Clip, list[str]]:
    """Return a clip as `as_cycle` does, and a sentence on what was corrected; a body that can't be moved stays.

    Example:
        >>> from action_loom.core.figure import actions
        >>> from action_loom.core.weave.seam import close
        >>> walk = actions.walk(cycles=1)
        >>> close.cycle_of(walk)[1], close.cycle_of(walk.cut(0, len(walk) - 1))[1]
        ([], ['walk: the last key of its cycle, its first pose again, was missing and is added'])
    """
    ending = closing.guessed(clip)
    try:
        return as_cycle(clip, ending), correction(clip.name, ending)
    except SkeletonError as error:
        return clip, [f"{clip.name}: its ends, {100.0 * ending.gap:.1f} cm apart, can't be made to meet: {error}"]


def correction(name: str, ending: Closing) -> list[str]:
    """Return what `as_cycle` corrects of a clip with that ending, in a sentence; nothing where its ends meet.

    Example:
        >>> from action_loom.core.motion.closing import GAP, Closing
        >>> from action_loom.core.weave.seam import close
        >>> close.correction("walk", Closing(GAP, 0.02))
        ['walk: the ends of its cycle were 2.0 cm apart, and are made to meet']
    """
    if ending.kind == closing.MISSING_KEY:
        return [f"{name}: the last key of its cycle, its first pose again, was missing and is added"]
    apart = f"{name}: the ends of its cycle were {100.0 * ending.gap:.1f} cm apart, and are made to meet"
    return [apart] if ending.kind == closing.GAP else []


def straightened(cycle: Clip) -> tuple[Clip, float]:
    """Return a cycle that hardly turns going straight on, and by how many radians a cycle it turned; else as it is, 0.

    As Loop does by itself: a cycle that turns a little can't be repeated for ever in a straight line.

    Example:
        >>> from action_loom.core.figure import actions
        >>> from action_loom.core.weave.seam import close
        >>> close.straightened(actions.walk(cycles=1))[1]
        0.0
    """
    length = len(cycle) - 1
    straight, turned = straight_on(cycle, ground_arc.between(cycle, 0, length), np.arange(length + 1, dtype=float))
    return replace(straight, cyclic=cycle.cyclic or bool(turned)), turned


def straight_on(clip: Clip, arc: GroundArc, at: Array) -> tuple[Clip, float]:
    """Return some frames of a cycle, at frames (F,) of it, going straight on as `straightened` does.

    arc : that of the whole cycle

    Example:
        >>> import numpy as np
        >>> from action_loom.core.figure import actions
        >>> from action_loom.core.weave import ground_arc
        >>> from action_loom.core.weave.seam import close
        >>> walk = actions.walk(cycles=1)
        >>> close.straight_on(walk.cut(3, 5), ground_arc.between(walk, 0, 32), np.array([3.0, 4.0]))[1]
        0.0
    """
    if not TURNS < abs(arc.turn) <= STRAIGHT:
        return clip, 0.0
    return ground_arc.added(ground_arc.removed(clip, arc, at), arc.straight(), at), arc.turn


def _whole(clip: Clip, ending: Closing, travelled: GroundArc, arc: GroundArc) -> Clip:
    """Return a clip as one cycle of L + 1 frames, on another ground arc."""
    last, length = len(clip) - 1, travelled.length
    if ending.kind == closing.EXACT and abs(arc.step - travelled.step) + abs(arc.turn - travelled.turn) < SAME_ARC:
        return replace(clip, cyclic=True)
    still = tracks.tracks_of(ground_arc.removed(clip, travelled, np.arange(last + 1, dtype=float)))
    rows = whole_frames.rows_of_cycle(still, length - last)
    frames = np.append(np.minimum(np.arange(length), last), 0)
    closed = still.clip(np.concatenate([rows, rows[:1]]), frames)
    return replace(ground_arc.added(closed, arc, np.arange(length + 1, dtype=float)), cyclic=True)


def _arc(travelled: GroundArc, how: Closes) -> GroundArc:
    """Return the ground arc of the loop: in place, straight, or as it was."""
    return travelled.standing() if how.in_place else _feet_arc(travelled, how)


def _feet_arc(travelled: GroundArc, how: Closes) -> GroundArc:
    """Return the ground arc of the loop if it is not in place."""
    straighten = how.straighten == "yes" or (how.straighten == "auto" and abs(travelled.turn) <= STRAIGHT)
    return travelled.straight() if straighten else travelled


def _closed(clip: Clip, cycle: Cycle, travelled: GroundArc, arc: GroundArc, method: str) -> tuple[str, Clip]:
    """Return the name of the method that was used in the end, and the cycle closed by it."""
    count = max(2, round(EASE_SHARE * cycle.length))
    if method == "ease" and cycle.start < count:
        after = cycle.start + cycle.length + count <= len(clip)
        method = "ease after" if after else "offset"  # offset: no frames on either side to fade into
    return method, _cut_out(clip, cycle, travelled, arc, method)


def _cut_out(clip: Clip, cycle: Cycle, travelled: GroundArc, arc: GroundArc, method: str) -> Clip:
    """Return one cycle of L + 1 frames, the last its first again: mended without its travel, on its new ground arc."""
    start, length = cycle.start, cycle.length
    count = max(2, round(EASE_SHARE * length))
    low, high = max(start - count - 1, 0), min(start + length + count + 2, len(clip))
    around = clip.cut(low, high)
    at: Array = np.arange(low, high, dtype=float) - start
    still = tracks.tracks_of(ground_arc.removed(around, travelled, at))
    rows = _mended(still.values, start - low, length, method, clip.rate)
    frames = np.append(np.arange(start - low, start - low + length), start - low)
    closed = still.clip(np.concatenate([rows, rows[:1]]), frames)
    return replace(ground_arc.added(closed, arc, np.arange(length + 1, dtype=float)), cyclic=True)


def _mended(rows: Array, start: int, length: int, method: str, rate: float) -> Array:
    count = max(2, round(EASE_SHARE * length))
    if method == "ease":
        return repairs.ease_before(rows, start, length, count)
    if method == "ease after":
        return repairs.ease_after(rows, start, length, count)
    if method == "offset":
        return repairs.offset(rows, start, length, min(SETTLE * rate, SETTLE_SHARE * length))
    cycle = rows[start : start + length].copy()
    if method == "none":
        return cycle
    half = max(1, min(round(POLYNOMIAL * rate), length // 4))
    spacing = max(1, round(rate / repairs.SEED_RATE))
    bridged = repairs.bridge(cycle[: length - half], cycle[half:], half, spacing, method)
    cycle[length - half :], cycle[:half] = bridged[:half], bridged[half:]
    return cycle


def _in_a_row(cycle: Clip) -> WorldPose:
    """Return the poses of three cycles in a row; the seam that is measured is at the start of the second."""
    return world_pose.pose(cycles.unrolled(cycle, 1, 1))


def _judged(name: str, closed: Clip, source: dict[str, Any]) -> tuple[dict[str, Any], WorldPose]:
    """Return the figures of a closed cycle: C of three in a row, D of the corrected frames, the seam's, K; the three.

    name : of the method that closed it; source : quality of the stretch it was cut from
    """
    several, seam_frame = _in_a_row(closed), len(closed) - 1
    reach = max(2, round(POLYNOMIAL * closed.rate))
    seam = seams.measure_pose(several, seam_frame)
    corrected = several.clip.cut(max(seam_frame - reach, 0), seam_frame + reach + 1)
    figures = {
        "name": name,
        "C": angles.periodicity(several),
        "D": angles.smoothness(world_pose.pose(corrected)),
        "K": seams.composite(seam, source["slide_cm_s"]),
        **seam,
    }
    return figures, several
