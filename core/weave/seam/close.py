"""One cycle closed in a place: its seam mended by the best method, and judged (methods: Loops)."""

from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from ...check import angles, quality, seams, world_pose
from ...check.world_pose import WorldPose
from ...motion import closing, cycles
from ...motion.clip import Clip
from ...motion.closing import Closing
from ...motion.quat import Array
from ...sync.cycle_search import Cycle
from .. import ground_arc
from ..ground_arc import GroundArc
from . import repairs, tracks

METHODS = ("ease", "offset", "lagrange", "spline")
EASE_SHARE = 0.25  # of the cycle that is faded
SETTLE, SETTLE_SHARE = 0.17, 1.0 / 6.0  # s, and of the cycle: how long a change of velocity is felt
POLYNOMIAL = 0.1  # s each side that is led anew
SAME_WAY = 1e-9  # m, radians
STRAIGHT = np.radians(8.0)  # what turns less in a cycle was meant to go straight on
ROUGHNESS, STEP, ACCELERATION, MORE_SLIDE = (0.8, 1.3), 1.3, 2.0, 4.0  # within these nobody sees a seam (cm/s)


@dataclass(frozen=True, eq=False)
class ClosedCycle:
    """A cycle of L + 1 frames, the last its first again, and how good it is.

    led : the way that it was put on; ground : the way that its feet stand on, another where it is led on the spot
    straightened : whether it goes straight on though it turned; method : that closed it; figures : of all tried
    before, after : quality of the stretch it was cut from, and of the cycle; the seam's under "seam"
    """

    cycle: Cycle
    clip: Clip
    led: GroundArc
    ground: GroundArc
    straightened: bool
    method: str
    figures: list[dict[str, Any]]
    before: dict[str, Any]
    after: dict[str, Any]

    @property
    def turn(self) -> float:
        """How far it turns, radians a cycle."""
        return self.led.turn

    @property
    def travel(self) -> float:
        """How far it goes, metres a cycle."""
        return float(abs(self.led.step))

    @property
    def more_slide(self) -> float:
        """By how much (cm/s) standing feet slide more than in the source; 0 where that is not known."""
        pair = self.after["slide_cm_s"], self.before["slide_cm_s"]
        return 0.0 if None in pair else float(pair[0] - pair[1])

    @property
    def sound(self) -> bool:
        """Whether the seam is one that nobody sees, with less slide than if it were left as it is."""
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
        """The composite of the seam, and what the cycle slides more than its source; smaller is better."""
        best = next(one for one in self.figures if one["name"] == self.method)
        return seams.ranked(best["K"]) + max(0.0, self.more_slide) / seams.SLIDE_SCALE


class Closes(Protocol):
    """What the verb Loop asks of closing a cycle; see its options of these names."""

    @property
    def method(self) -> str: ...
    @property
    def in_place(self) -> bool: ...
    @property
    def straighten(self) -> str: ...


def close_cycle(clip: Clip, cycle: Cycle, how: Closes) -> ClosedCycle:
    """Return the cycle of a clip closed by the method asked for, or by the one that measures best."""
    travelled = ground_arc.between(clip, cycle.start, cycle.length)
    led = _led(travelled, how)
    methods = METHODS if how.method == "auto" else (how.method,)
    tried = [_closed(clip, cycle, travelled, led, method) for method in methods]
    source = quality.measure(clip.cut(cycle.start, cycle.start + cycle.length + 1))
    judged = [_judged(name, made, source) for name, made in tried]
    figures = [one for one, _ in judged]
    best = min(range(len(tried)), key=lambda k: seams.ranked(figures[k]["K"]))
    name, made = tried[best]
    plain = seams.measure_pose(_in_a_row(_cut_out(clip, cycle, travelled, led, "none")), cycle.length)
    after = {key: figures[best][key] for key in plain}
    return ClosedCycle(
        cycle,
        made,
        led,
        _way(travelled, how),
        led.turn != travelled.turn,
        name,
        figures,
        source | {"seam": plain},
        quality.measure_pose(judged[best][1]) | {"seam": after},
    )


def close_whole(clip: Clip, ending: Closing, how: Closes) -> ClosedCycle:
    """Return a clip that is one cycle as it is; its ends are made to meet where they do not quite."""
    travelled = _travelled(clip, ending)
    led = _led(travelled, how)
    made = _whole(clip, ending, travelled, led)
    source = quality.measure(clip)
    figures, several = _judged(ending.kind or "whole", made, source)
    before = seams.measure_pose(_in_a_row(clip), len(clip) - 1)
    return ClosedCycle(
        Cycle(0, travelled.length, float("nan")),
        made,
        led,
        _way(travelled, how),
        abs(led.turn - travelled.turn) >= SAME_WAY,
        figures["name"],
        [figures],
        source | {"seam": before},
        quality.measure_pose(several) | {"seam": {key: figures[key] for key in before}},
    )


def measured(made: Clip, seam: int) -> dict[str, Any]:
    """Return the quality of a cycle with its seam at a frame of it, as `ClosedCycle.after` is."""
    several = _in_a_row(made)
    return quality.measure_pose(several) | {"seam": seams.measure_pose(several, len(made) - 1 + seam)}


def as_cycle(clip: Clip) -> Clip:
    """Return a clip that is one cycle as it is with its ends made to meet, on its way; any other as it is."""
    ending = closing.of(clip)
    if not ending.kind:
        return clip
    travelled = _travelled(clip, ending)
    return _whole(clip, ending, travelled, travelled)


def _travelled(clip: Clip, ending: Closing) -> GroundArc:
    last = len(clip) - 1
    return ground_arc.between(clip, 0, last).going_on(last + ending.missing)


def _whole(clip: Clip, ending: Closing, travelled: GroundArc, led: GroundArc) -> Clip:
    """A clip as one cycle of L + 1 frames, led on another path."""
    last, length = len(clip) - 1, travelled.length
    if ending.kind == closing.EXACT and abs(led.step - travelled.step) + abs(led.turn - travelled.turn) < SAME_WAY:
        return replace(clip, cyclic=True)
    along = tracks.tracks_of(ground_arc.taken_off(clip, travelled, np.arange(last + 1, dtype=float)))
    rows = repairs.spread(along.values, ending.missing)
    frames = np.append(np.minimum(np.arange(length), last), 0)
    closed = along.clip(np.concatenate([rows, rows[:1]]), frames)
    return replace(ground_arc.put_on(closed, led, np.arange(length + 1, dtype=float)), cyclic=True)


def _led(travelled: GroundArc, how: Closes) -> GroundArc:
    """The ground path that the loop is to take: on the spot, straight, or as it was."""
    return travelled.standing() if how.in_place else _way(travelled, how)


def _way(travelled: GroundArc, how: Closes) -> GroundArc:
    """The ground path that it takes if it is not left on the spot."""
    straighten = how.straighten == "yes" or (how.straighten == "auto" and abs(travelled.turn) <= STRAIGHT)
    return travelled.straight() if straighten else travelled


def _closed(clip: Clip, cycle: Cycle, travelled: GroundArc, led: GroundArc, method: str) -> tuple[str, Clip]:
    """The closed cycle by one method, and the name of the one that was used in the end."""
    count = max(2, round(EASE_SHARE * cycle.length))
    if method == "ease":
        if cycle.start >= count:
            method = "ease"
        elif cycle.start + cycle.length + count <= len(clip):
            method = "ease after"
        else:
            method = "offset"  # no frames on either side to fade into
    return method, _cut_out(clip, cycle, travelled, led, method)


def _cut_out(clip: Clip, cycle: Cycle, travelled: GroundArc, led: GroundArc, method: str) -> Clip:
    """One cycle of L + 1 frames, the last its first again; freed of its travel, mended, and led on its new path."""
    start, length = cycle.start, cycle.length
    count = max(2, round(EASE_SHARE * length))
    low, high = max(start - count - 1, 0), min(start + length + count + 2, len(clip))
    around = clip.cut(low, high)
    at: Array = np.arange(low, high, dtype=float) - start
    stayed = ground_arc.taken_off(around, travelled, at)
    spread = tracks.tracks_of(stayed)
    rows = _mended(spread.values, start - low, length, method, clip.rate)
    frames = np.append(np.arange(start - low, start - low + length), start - low)
    closed = spread.clip(np.concatenate([rows, rows[:1]]), frames)
    return replace(ground_arc.put_on(closed, led, np.arange(length + 1, dtype=float)), cyclic=True)


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
    led = repairs.bridge(cycle[: length - half], cycle[half:], half, spacing, method)
    cycle[length - half :], cycle[:half] = led[:half], led[half:]
    return cycle


def _in_a_row(made: Clip) -> WorldPose:
    """Three of a cycle; the seam to be looked at is at the start of the second."""
    return world_pose.pose(cycles.unrolled(made, 1, 1))


def _judged(name: str, made: Clip, source: dict[str, Any]) -> tuple[dict[str, Any], WorldPose]:
    """The figures of a closed cycle by one method: C of three in a row, D of the corrected frames, the seam's, K."""
    several, seam_frame = _in_a_row(made), len(made) - 1
    reach = max(2, round(POLYNOMIAL * made.rate))
    found = seams.measure_pose(several, seam_frame)
    corrected = several.clip.cut(max(seam_frame - reach, 0), seam_frame + reach + 1)
    figures = {
        "name": name,
        "C": angles.periodicity(several),
        "D": angles.smoothness(world_pose.pose(corrected)),
        "K": seams.composite(found, source["slide_cm_s"]),
        **found,
    }
    return figures, several
