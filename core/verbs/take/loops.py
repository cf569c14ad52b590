"""Make loops from steady stretches of a take, the best one of each kind (methods: A take becomes a set)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import verbs
from ...errors import LoomError
from ...motion import cycles, root_motion
from ...motion.clip import Clip
from ...progress import SILENT, Progress
from ...quality import contacts
from .. import Loop, Walk
from . import meeting
from .cutting import Cut, Stretch
from .states import ACTION, GAITS, IDLE
from .tracks import find_ankles

STEADY = 0.25  # relative deviation from the median speed; rows beyond it are not steady
AT_REST = 0.03  # body heights a second, mean of all points; slower counts as still
LEAST_GAIT, LEAST_IDLE = 0.8, 1.0  # s of steady motion required to search for a loop
LONG_IDLE = 2.0  # s; of idles of this length or more the calmest is tried first
TRIED, GOOD = 3, 0.9  # stretches of one name to try, longest first; stop at this repeat score
BIN = 0.3  # body heights a second; gaits of one name with a smaller difference in speed are one kind
SEAM, ACCELERATION = 1.3, 2.0  # times the usual step and acceleration; a larger seam is visible
MARGIN = 0.25  # s of a stretch to keep before an idle cycle for its fade
SPACING = 0.05  # s between frames to try as ends of an idle cycle
MOST_OF = 0.5  # least length of an idle cycle, as a share of the longest possible one
LEVEL = 3.0  # degrees; cycles of an idle that turn by less are preferred
LEAST_VARIED = 2.0  # s; the loop of an idle of this length or more is a variation of its frames
LEAST_USED = 0.4  # least share of the idle's frames that such a loop has to use
SHORT = 0.5  # s; a shorter cycle of an action looks like trembling


@dataclass(frozen=True, eq=False)
class Made:
    """A loop of a stretch, or the reason why there is none.

    clip : the cycle, starting at a left foot strike; report : of Loop; why : "" for a loop
    low, struck : frame of the stretch where the found cycle starts, and frames from there to the left foot strike
    """

    stretch: Stretch
    clip: Clip | None
    report: Mapping[str, Any]
    why: str = ""
    low: int = 0
    struck: int = 0

    @property
    def repeats(self) -> float:
        """How well the take repeats the cycle (1: exact, 0: not measured, −∞: no loop), or how little an idle turns."""
        if self.clip is None:
            return -np.inf
        if self.stretch.state.kind == IDLE:
            return LEVEL / max(LEVEL, float(np.degrees(np.ptp(root_motion.ground_frames(self.clip)[1]))))
        return float(self.report["loop"]["score"] or 0.0)


def all_of(cut: Cut, progress: Progress = SILENT) -> list[Made]:
    """Return the best loop of each kind of steady stretch, and for every other stretch the reason why it has none.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.verbs.take import cutting, loops
        >>> (made,) = loops.all_of(cutting.cut(actions.walk(cycles=5)))
        >>> made.why, made.clip.cyclic
        ('', True)
    """
    groups, out = _group_stretches(cut.stretches), []
    for k, group in enumerate(groups):
        progress.at(k / len(groups), "Making the result")
        out += _best(cut, _order(cut, group))
    return sorted(out, key=lambda made: made.stretch.first)


def _group_stretches(stretches: Sequence[Stretch]) -> list[list[Stretch]]:
    """Group stretches that share a name and, for gaits, roughly a speed."""
    groups: list[list[Stretch]] = []
    for stretch in sorted(stretches, key=lambda stretch: (stretch.name, stretch.heights, stretch.first)):
        last = groups[-1] if groups else []
        same = bool(last) and last[0].name == stretch.name
        if same and (stretch.state.kind not in GAITS or stretch.heights - last[0].heights < BIN):
            last.append(stretch)
        else:
            groups.append([stretch])
    return groups


def _order(cut: Cut, group: Sequence[Stretch]) -> list[Stretch]:
    """Return similar stretches in the order in which they are tried: longest first, but of long idles the calmest."""
    longest = sorted(group, key=lambda stretch: (-len(stretch), stretch.first))
    calm = [one for one in longest if one.state.kind == IDLE and one.seconds >= LONG_IDLE]
    calm.sort(key=lambda one: float(np.median(cut.tracks.moving[_rows(cut, one)])))
    return [*calm, *(one for one in longest if one not in calm)]


def _rows(cut: Cut, stretch: Stretch) -> NDArray[np.int64]:
    """Return the rows of the tracks of a stretch."""
    frames = cut.tracks.frames + cut.first
    return np.flatnonzero((frames >= stretch.first) & (frames <= stretch.last))


def _best(cut: Cut, group: Sequence[Stretch]) -> list[Made]:
    """Return the best loop of similar stretches, and the reason for omitting each of the others."""
    tried: list[Made] = []
    for stretch in group[:TRIED]:
        tried.append(make_loop(cut, stretch))
        if tried[-1].repeats >= GOOD:
            break
    best = max(range(len(tried)), key=lambda k: (tried[k].repeats, -k))
    if tried[best].clip is None:
        return [*tried, *(Made(one, None, {}, f"{len(tried)} longer ones have no loop") for one in group[len(tried) :])]
    chosen = tried[best].stretch
    like = f"it is like frames {chosen.first} to {chosen.last}, whose loop is taken"
    others = [made if made.clip is None else replace(made, clip=None, why=like) for made in tried]
    others += [Made(one, None, {}, like) for one in group[len(tried) :]]
    return [tried[best], *(other for other in others if other.stretch is not chosen)]


def make_loop(cut: Cut, stretch: Stretch) -> Made:
    """Return the loop of one stretch, or the reason why there is none."""
    kind, part, steady = stretch.state.kind, cut.part(stretch), 0
    if kind in (*GAITS, IDLE):
        steady, end = _steady(cut, stretch)
        part = part.cut(steady, end)
        least = LEAST_GAIT if kind in GAITS else LEAST_IDLE
    elif kind == ACTION:
        least = 2.0 * SHORT
    else:
        return Made(stretch, None, {}, "it turns once")
    if len(part) < 3 or part.seconds < least:
        return Made(stretch, None, {}, f"it is steady for {part.seconds:.1f} s only, and a loop takes {least:g}")
    if kind == IDLE and (varied := _vary_rest(stretch, part)) is not None:
        return replace(varied, low=steady)
    refused: list[Made] = []
    for cycle in _of_rest(part) if kind == IDLE else [(0, 0)]:
        made = _close_loop(stretch, part, *cycle)
        if made.clip is not None:
            return replace(made, low=made.low + steady)
        refused.append(made)
    return refused[0]


def _vary_rest(stretch: Stretch, part: Clip) -> Made | None:
    """Return a loop of a whole idle in another order of its frames; None if it is short, or no loop is found.

    A single piece of an idle would repeat every second or two.
    """
    if part.seconds < LEAST_VARIED:
        return None
    try:
        made = verbs.apply(Walk(seconds=part.seconds, loop=True, plant_feet=False, keep_hands="off"), [part])
    except LoomError:
        return None
    own, facing = made.report["walk"], root_motion.ground_frames(made.clip)[1]
    if np.degrees(np.ptp(facing)) > LEVEL or own["used"] < LEAST_USED or any(times > 1.0 for _, times in own["seams"]):
        return None
    shapes = meeting.shapes(made.clip, repeats=True)[:-1]
    usual = int(np.argmin(np.linalg.norm(shapes - np.median(shapes, axis=0), axis=1)))  # where transitions meet it
    varied = replace(begun_at(made.clip, usual), name=part.name)
    closed = _close_loop(stretch, replace(varied, cyclic=False), 0, len(varied) - 1)
    return None if closed.clip is None else closed


def _close_loop(stretch: Stretch, part: Clip, start: int, length: int) -> Made:
    """Return the loop of a part of a stretch, with a given cycle or, for length 0, one found by Loop."""
    kind = stretch.state.kind
    try:
        made = verbs.apply(Loop(whole="no", start=start, length=length, trim=False), [part])
    except LoomError as error:
        return Made(stretch, None, {}, str(error).partition(";")[0])  # the rest of the message suggests options
    if kind == ACTION and made.clip.seconds < SHORT:
        return Made(stretch, None, {}, f"what it repeats takes {made.clip.seconds:.1f} s only")
    seam = made.report["quality"]["after"]["seam"]
    step, acceleration = seam["step"] or 0.0, seam["acceleration"] or 0.0
    if step > SEAM or acceleration > ACCELERATION:
        why = f"its seam would be seen: step {step:.1f}, acceleration {acceleration:.1f} times the usual one"
        return Made(stretch, None, made.report, why)
    struck = strike(made.clip) if kind in GAITS else 0
    return Made(stretch, begun_at(made.clip, struck), made.report, "", made.report["loop"]["start"], struck)


def _of_rest(part: Clip) -> list[tuple[int, int]]:
    """Return start frames and lengths of cycles in an idle, those that hardly turn first, then with most similar ends.

    An idle does not repeat, so the remaining difference between the ends fades over the frames before the start.
    """
    every = max(1, round(part.rate * SPACING))
    shapes = meeting.shapes(part)[::every]
    margin, count = round(MARGIN / SPACING), len(shapes)
    least = round((LEAST_IDLE - MARGIN) / SPACING)
    facing = np.degrees(root_motion.ground_frames(part)[1])[::every]
    turned = [np.maximum.accumulate(facing[k:]) - np.minimum.accumulate(facing[k:]) for k in range(count)]
    out: list[tuple[int, int]] = []
    lowest = min((float(turned[k][least]) for k in range(margin, count - least)), default=0.0)
    for level in (LEVEL, 2.0 * lowest, np.inf):
        reach = [int(np.searchsorted(each, level, side="right")) for each in turned]
        shortest = max(least, round(MOST_OF * max(reach[margin:], default=0)))
        found = []
        for start in range(margin, count - shortest):
            apart = np.linalg.norm(shapes[start + shortest : start + reach[start]] - shapes[start], axis=1)
            if len(apart):
                end = int(np.argmin(apart))
                found.append((float(apart[end]), start * every, (end + shortest) * every))
        out += [(start, length) for _, start, length in sorted(found)[: 2 * TRIED]]
    return out or [(0, 0)]


def _steady(cut: Cut, stretch: Stretch) -> tuple[int, int]:
    """Return the steady frames (end exclusive) of a stretch, counted from its first frame.

    A gait is steady while its speed is near its median, an idle while the body moves little.
    """
    tracks = cut.tracks
    rows = _rows(cut, stretch)
    if stretch.state.kind == IDLE:
        moving = tracks.moving[rows]
        steady = moving <= max(AT_REST, 2.0 * float(np.median(moving)))
    else:
        speed = tracks.speed[rows]
        steady = np.abs(speed - np.median(speed)) <= STEADY * np.median(speed)
    runs = contacts.runs(np.asarray(steady))
    if not runs:
        return 0, 1
    first, end = max(runs, key=lambda run: (run[1] - run[0], -run[0]))
    at = tracks.frames[rows] - (stretch.first - cut.first)
    return int(at[first]), min(int(at[end - 1]) + tracks.every, len(stretch))


def begin_at_left_strike(cycle: Clip) -> Clip:
    """Return a cycle of a gait shifted to start at a left foot strike, so that the phases of all loops agree."""
    return begun_at(cycle, strike(cycle))


def begun_at(cycle: Clip, struck: int) -> Clip:
    """Return a cycle shifted to start at one of its frames."""
    if struck == 0:
        return cycle
    length = len(cycle) - 1
    later = cycles.sample(cycle, struck + np.arange(length + 1, dtype=float))
    return replace(later, cyclic=True, name=cycle.name)


def strike(cycle: Clip) -> int:
    """Return the frame of a cycle where the left foot strikes, or, if it never stands, where it is farthest ahead."""
    length = len(cycle) - 1
    stands = contacts.detect(cycles.unroll_cycle(cycle, 1, 1)).get("L")
    inner = [] if stands is None else [a for a, _ in contacts.runs(stands) if length <= a < 2 * length]
    if inner:
        return int(inner[0] - length)
    return _farthest_ahead(cycle)


def _farthest_ahead(cycle: Clip) -> int:
    local, (left, right) = cycles.in_ground_frames(cycle), find_ankles(cycle.skeleton)
    weights = np.flatnonzero(cycle.skeleton.point_weights > 0.0).tolist()
    ahead = local[:-1, weights.index(left), 1] - local[:-1, weights.index(right), 1]
    return int(np.argmax(ahead))


def speed(clip: Clip) -> tuple[float, float]:
    """Return metres a second over the ground from the first pose to the last, and degrees a second to the left.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.verbs.take import loops
        >>> [round(abs(value), 1) for value in loops.speed(actions.walk())]
        [1.3, 0.0]
    """
    if len(clip) < 2:
        return 0.0, 0.0
    ground, facing = root_motion.ground_frames(clip)
    turn = float(np.degrees(facing[-1] - facing[0]))
    # The chord of an arc is shorter than the arc: divide by the sinc of half the turn.
    half = 0.5 * abs(np.radians(turn))
    bent = half / np.sin(half) if 1e-3 < half < 3.0 else 1.0
    return float(np.linalg.norm(ground[-1] - ground[0])) * bent / clip.seconds, turn / clip.seconds
