"""Close a cycle at a given place: repair its seam by the best method, and measure it (methods: Loops)."""

from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ...errors import SkeletonError
from ...motion import closing, cycles, trim
from ...motion.clip import Clip
from ...motion.closing import Closing
from ...motion.quat import Array
from ...quality import angles, quality, seams, world_pose
from ...quality.world_pose import WorldPose
from ...sync.cycle_search import Cycle
from .. import ground_arc
from ..ground_arc import GroundArc
from . import repairs, tracks, whole_frames

METHODS = ("ease", "offset", "lagrange", "spline")
EASE_SHARE = 0.25  # faded share of the cycle
SETTLE, SETTLE_SHARE = 0.17, 1.0 / 6.0  # s, and share of the cycle, over which a change of velocity settles
POLYNOMIAL = 0.1  # s on each side replaced by the polynomial
SAME_ARC = 1e-9  # m, radians: rounding tolerance
TURNS = np.radians(0.5)  # a cycle that turns less can be repeated in a straight line
STRAIGHT = np.radians(8.0)  # a cycle that turns less is assumed to be meant straight
# A seam within these limits is invisible: ratios to the clip's typical values; additional slide in cm/s.
ROUGHNESS, STEP, ACCELERATION, MORE_SLIDE = (0.8, 1.3), 1.3, 2.0, 4.0


@dataclass(frozen=True, eq=False)
class ClosedCycle:
    """A closed cycle of L + 1 frames, the last repeating the first, and its quality.

    arc : its ground arc; feet_arc : the arc on which its feet are planted, which differs if the cycle is in place
    straightened : whether it is straight although the source turned
    method : the method used; figures : of all methods tried
    before, after : quality of the source stretch, and of the cycle; of the seam under "seam"
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
        """Turn in radians a cycle."""
        return self.arc.turn

    @property
    def travel(self) -> float:
        """Travel in metres a cycle."""
        return float(abs(self.arc.step))

    @property
    def more_slide(self) -> float:
        """Increase of the slide of planted feet over the source, cm/s; 0 if unknown."""
        pair = self.after["slide_cm_s"], self.before["slide_cm_s"]
        return 0.0 if None in pair else float(pair[0] - pair[1])

    @property
    def sound(self) -> bool:
        """Whether the seam is invisible, with less slide at it than without repair."""
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
        """The composite K of the seam, plus the increase of slide over the source; smaller is better."""
        best = next(figures for figures in self.figures if figures["name"] == self.method)
        return seams.rank_cost(best["K"]) + max(0.0, self.more_slide) / seams.SLIDE_SCALE


class Closes(Protocol):
    """The options of the verb Loop needed for closing a cycle."""

    @property
    def method(self) -> str: ...
    @property
    def in_place(self) -> bool: ...
    @property
    def straighten(self) -> str: ...


def close_cycle(clip: Clip, cycle: Cycle, how: Closes) -> ClosedCycle:
    """Return the cycle of a clip closed by the requested method, or by the one that measures best.

    Example:
        >>> from action_loom.core.demo_character import actions
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
    tried = [_close_by_method(clip, cycle, travelled, arc, method) for method in methods]
    source = quality.measure(clip.cut(cycle.start, cycle.start + cycle.length + 1))
    judged = [_judge_cycle(name, closed, source) for name, closed in tried]
    figures = [measures for measures, _ in judged]
    best = min(range(len(tried)), key=lambda k: seams.rank_cost(figures[k]["K"]))
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
    """Return a clip that is one cycle from its first frame to its last, with any gap between its ends closed.

    Example:
        >>> from action_loom.core.demo_character import actions
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
    travelled = whole_frames.extrapolate_arc(whole, missing)
    arc = _arc(travelled, how)
    closed = _whole(whole, ending, travelled, arc)
    source = quality.measure(clip)
    figures, several = _judge_cycle(ending.kind or "whole", closed, source)
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


def measure_cycle(cycle: Clip, seam: int) -> dict[str, Any]:
    """Return the quality of a cycle with its seam at a given frame, with the keys of `ClosedCycle.after`.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.weave.seam import close
        >>> figures = close.measure_cycle(actions.walk(cycles=1), 0)
        >>> round(figures["path_m"], 1), figures["seam"]["step"] < 1.3  # three cycles in a row
        (4.2, True)
    """
    several = _in_a_row(cycle)
    return quality.measure_pose(several) | {"seam": seams.measure_pose(several, len(cycle) - 1 + seam)}


def as_cycle(clip: Clip, ending: Closing | None = None) -> Clip:
    """Return a clip that is one cycle with its ends closed, on its own ground arc; any other clip unchanged.

    A single gesture is not a cycle (see `closing.guess_closing`).

    ending : how its ends meet, if known

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.weave.seam import close
        >>> walk, turn = actions.walk(cycles=1), actions.turn_left()
        >>> without_last = walk.cut(0, len(walk) - 1)
        >>> close.as_cycle(without_last).cyclic, len(close.as_cycle(without_last)), close.as_cycle(turn) is turn
        (True, 33, True)
    """
    ending = ending or closing.guess_closing(clip)
    if not ending.kind:
        return clip
    if ending.kind == closing.EXACT:
        return clip if clip.cyclic else replace(clip, cyclic=True)
    whole, missing = whole_frames.in_whole_frames(clip, ending)
    travelled = whole_frames.extrapolate_arc(whole, missing)
    return _whole(whole, ending, travelled, travelled)


def trim_clip(clip: Clip, wanted: bool) -> trim.Trimmed:
    """Return the clip trimmed if `wanted`; ends that meet are never trimmed, even if they are fast.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.weave.seam import close
        >>> walk = actions.walk(cycles=1)
        >>> len(walk), len(close.trim_clip(walk, wanted=True).clip)
        (33, 33)
    """
    part = trim.if_wanted(clip, wanted)
    return trim.Trimmed(clip) if part.left_out and closing.of(clip).kind else part


def cycle_of(clip: Clip) -> tuple[Clip, list[str]]:
    """Return a clip closed by `as_cycle`, and sentences on the correction; unchanged if its body can't be moved.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.weave.seam import close
        >>> walk = actions.walk(cycles=1)
        >>> close.cycle_of(walk)[1], close.cycle_of(walk.cut(0, len(walk) - 1))[1]
        ([], ['walk: the last key of its cycle, its first pose again, was missing and is added'])
    """
    ending = closing.guess_closing(clip)
    try:
        return as_cycle(clip, ending), correction(clip.name, ending)
    except SkeletonError as error:
        return clip, [f"{clip.name}: its ends, {100.0 * ending.gap:.1f} cm apart, can't be made to meet: {error}"]


def correction(name: str, ending: Closing) -> list[str]:
    """Return a sentence on the correction that `as_cycle` makes for an ending; empty if its ends meet.

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


def straighten_cycle(cycle: Clip) -> tuple[Clip, float]:
    """Return a slightly turning cycle made straight, and the turn removed (radians a cycle), or it unchanged and 0.

    Loop does this by default, because a slightly turning cycle can't be repeated forever in a straight line.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.weave.seam import close
        >>> close.straighten_cycle(actions.walk(cycles=1))[1]
        0.0
    """
    length = len(cycle) - 1
    arc, standing = ground_arc.between(cycle, 0, length), cycles.standing_joints(cycle)
    straight, turned = straight_on(cycle, arc, np.arange(length + 1, dtype=float), standing)
    return replace(straight, cyclic=cycle.cyclic or bool(turned)), turned


def straight_on(clip: Clip, arc: GroundArc, at: Array, standing: NDArray[np.int64]) -> tuple[Clip, float]:
    """Return some frames of a cycle, at frames (F,) of it, straightened as by `straighten_cycle`.

    arc : of the whole cycle; standing : its joints that stand while it travels (see `cycles.standing_joints`)

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.weave import ground_arc
        >>> from action_loom.core.weave.seam import close
        >>> walk = actions.walk(cycles=1)
        >>> standing = np.array([], dtype=int)
        >>> close.straight_on(walk.cut(3, 5), ground_arc.between(walk, 0, 32), np.array([3.0, 4.0]), standing)[1]
        0.0
    """
    if not TURNS < abs(arc.turn) <= STRAIGHT:
        return clip, 0.0
    straight = ground_arc.add_arc(ground_arc.remove_arc(clip, arc, at), arc.straight(), at)
    return cycles.hold_joints(straight, clip, standing), arc.turn


def _whole(clip: Clip, ending: Closing, travelled: GroundArc, arc: GroundArc) -> Clip:
    """Return a clip as one cycle of L + 1 frames, on another ground arc."""
    last, length = len(clip) - 1, travelled.length
    if ending.kind == closing.EXACT and abs(arc.step - travelled.step) + abs(arc.turn - travelled.turn) < SAME_ARC:
        return replace(clip, cyclic=True)
    still = tracks.tracks_of(ground_arc.remove_arc(clip, travelled, np.arange(last + 1, dtype=float)))
    rows = whole_frames.rows_of_cycle(still, length - last)
    frames = np.append(np.minimum(np.arange(length), last), 0)
    closed = still.clip(np.concatenate([rows, rows[:1]]), frames)
    return _on_arc(closed, travelled, arc, clip, frames)


def _on_arc(closed: Clip, travelled: GroundArc, arc: GroundArc, source: Clip, frames: NDArray[np.int64]) -> Clip:
    """Return a closed cycle at the origin moved along an arc; joints that stand while the source travels stay there.

    travelled : the arc of the source
    frames (L + 1,) : of the source, the last again the first
    """
    moved = ground_arc.add_arc(closed, arc, np.arange(len(frames), dtype=float))
    standing = cycles.standing_joints(source)
    if len(standing) and abs(travelled.step) + abs(travelled.turn) >= SAME_ARC:
        moved = cycles.hold_joints(moved, source.take_frames(frames), standing)
    return replace(moved, cyclic=True)


def _arc(travelled: GroundArc, how: Closes) -> GroundArc:
    """Return the ground arc of the loop: in place, straight, or unchanged."""
    return travelled.standing() if how.in_place else _feet_arc(travelled, how)


def _feet_arc(travelled: GroundArc, how: Closes) -> GroundArc:
    """Return the ground arc of the loop if it is not in place."""
    straighten = how.straighten == "yes" or (how.straighten == "auto" and abs(travelled.turn) <= STRAIGHT)
    return travelled.straight() if straighten else travelled


def _close_by_method(clip: Clip, cycle: Cycle, travelled: GroundArc, arc: GroundArc, method: str) -> tuple[str, Clip]:
    """Return the name of the method actually used, and the closed cycle."""
    count = max(2, round(EASE_SHARE * cycle.length))
    if method == "ease" and cycle.start < count:
        after = cycle.start + cycle.length + count <= len(clip)
        method = "ease after" if after else "offset"  # offset if neither side has frames to fade into
    return method, _cut_out(clip, cycle, travelled, arc, method)


def _cut_out(clip: Clip, cycle: Cycle, travelled: GroundArc, arc: GroundArc, method: str) -> Clip:
    """Return one cycle of L + 1 frames, the last equal to the first: repaired in place, then on its new ground arc."""
    start, length = cycle.start, cycle.length
    count = max(2, round(EASE_SHARE * length))
    low, high = max(start - count - 1, 0), min(start + length + count + 2, len(clip))
    around = clip.cut(low, high)
    at: Array = np.arange(low, high, dtype=float) - start
    still = tracks.tracks_of(ground_arc.remove_arc(around, travelled, at))
    rows = _mend_rows(still.values, start - low, length, method, clip.rate)
    frames = np.append(np.arange(start - low, start - low + length), start - low)
    closed = still.clip(np.concatenate([rows, rows[:1]]), frames)
    return _on_arc(closed, travelled, arc, clip.cut(start, start + length + 1), np.append(np.arange(length), 0))


def _mend_rows(rows: Array, start: int, length: int, method: str, rate: float) -> Array:
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
    """Return the poses of three repetitions of a cycle; the seam is measured at the start of the second."""
    return world_pose.pose(cycles.unroll_cycle(cycle, 1, 1))


def _judge_cycle(name: str, closed: Clip, source: dict[str, Any]) -> tuple[dict[str, Any], WorldPose]:
    """Return a closed cycle's figures (C three repetitions, D corrected frames, K the seam's), and the three.

    name : of the method used; source : quality of the source stretch
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
