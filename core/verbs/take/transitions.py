"""Transitions between steady stretches (Start, Stop, Walk to Run, Turn), with end poses taken from loops.

Method: A take becomes a set.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from ...errors import ClipError, SkeletonError
from ...motion.clip import Clip
from ...motion.quat import Array
from ...weave import planting
from . import meeting
from .cutting import Cut, Stretch
from .meeting import Pose
from .states import ACTION, GAITS, IDLE, TURN

REACH = 1.5  # s into a loop's stretch searched for the end of a transition
PLANTINGS = 2  # rounds of planting feet and restoring the end poses
ALIKE = 0.015  # body heights; idle poses within this margin of the nearest one count as equal
LONGEST = 12.0  # s; longer motion between two loops is not a transition


@dataclass(frozen=True, eq=False)
class Between:
    """A transition or another single action, or the reason why there is none.

    begins, ends : poses of loops at its ends, None for free ends
    first, last : frames of the take; apart : distance of its own ends from these poses, metres, root mean square
    """

    name: str
    clip: Clip | None
    begins: Pose | None
    ends: Pose | None
    first: int
    last: int
    apart: float
    why: str = ""


def all_of(cut: Cut, loops: Mapping[str, Clip], loop_of: Sequence[str]) -> list[Between]:
    """Return the transitions of a take, the nearest of each name, and the reasons for omitting the others.

    loops : by name; loop_of : name of the loop of each stretch of the cut, or ""
    """
    stretches, found = cut.stretches, []
    steady = [k for k, name in enumerate(loop_of) if name]
    joined: set[int] = set()
    for a, b in pairwise(steady):
        if not _lead(stretches[a : b + 1]) or cut.breaks(stretches[a].first, stretches[b].last):
            continue
        found.append(_between(cut, a, b, loops, loop_of))
        joined |= set() if found[-1].clip is None else set(range(a + 1, b))
    for k, stretch in enumerate(stretches):
        if not loop_of[k] and k not in joined and stretch.state.kind in (ACTION, TURN):
            found.append(Between(stretch.name, cut.part(stretch), None, None, stretch.first, stretch.last, 0.0))
    return [_meet_loops(one, loops) for one in _best(found)]


def _meet_loops(one: Between, loops: Mapping[str, Clip]) -> Between:
    """Return a transition with its end poses replaced by the poses of loops."""
    if one.clip is None or one.begins is None or one.ends is None:
        return one
    first, last = loops[one.begins.loop].cut(0, 1), loops[one.ends.loop].cut(0, 1)
    return replace(one, clip=join_ends(one.clip, first, last))


def _lead(stretches: Sequence[Stretch]) -> bool:
    """Return whether the stretches between the first and the last can form one transition.

    It may contain one action, such as a jump, but only between two idles or gaits, and no crouch.
    """
    ends = {stretches[0].state.kind, stretches[-1].state.kind}
    actions = sum(stretch.state.kind == ACTION for stretch in stretches[1:-1])
    bends = any(one.state.low for one in stretches[1:-1]) and not (stretches[0].state.low or stretches[-1].state.low)
    return not bends and (actions == 0 or (actions == 1 and ACTION not in ends))


def _best(found: Sequence[Between]) -> list[Between]:
    best: dict[str, Between] = {}
    for one in found:
        if one.clip is not None and (one.name not in best or one.apart < best[one.name].apart):
            best[one.name] = one
    out = []
    for one in found:
        if one.clip is not None and best[one.name] is not one:
            other = best[one.name]
            one = replace(one, clip=None, why=f"frames {other.first} to {other.last} are one that fits better")
        out.append(one)
    return out


def _between(cut: Cut, a: int, b: int, loops: Mapping[str, Clip], loop_of: Sequence[str]) -> Between:
    """Return the transition between the loops of two stretches, with its end poses still as captured."""
    rate, here, there = cut.clip.rate, cut.stretches[a], cut.stretches[b]
    name = _name(cut.stretches[a : b + 1], loop_of[a], loop_of[b])
    low = max(here.first, here.last - round(REACH * rate)) - cut.first
    high = min(there.last, there.first + round(REACH * rate)) - cut.first
    middle = here.last - cut.first, there.first - cut.first
    whole = cut.clip.cut(low, high + 1)
    shapes = meeting.shapes(whole)
    first_loop, last_loop = loops[loop_of[a]], loops[loop_of[b]]
    alike = ALIKE * cut.clip.skeleton.height
    before, then = shapes[: middle[0] - low + 1], shapes[middle[1] - low :]
    # A start or stop includes at least one step.
    last_step = _step(first_loop, before) if there.state.kind == IDLE and here.state.kind in GAITS else 0
    first_step = _step(last_loop, then) if here.state.kind == IDLE and there.state.kind in GAITS else 0
    before, then = before[: len(before) - last_step], then[first_step:]
    left = meeting.nearest(before[::-1], meeting.shapes(first_loop, repeats=True)[0], alike * (here.state.kind == IDLE))
    entered = meeting.nearest(then, meeting.shapes(last_loop, repeats=True)[0], alike * (there.state.kind == IDLE))
    leave, away = len(before) - 1 - left[0], left[1]
    enter, off = entered[0] + first_step + middle[1] - low, entered[1]
    begins, ends, apart = Pose(loop_of[a]), Pose(loop_of[b]), max(away, off)
    first, last = leave + low + cut.first, enter + low + cut.first
    about = Between(name, None, begins, ends, first, last, apart)
    limit = meeting.LARGEST * cut.clip.skeleton.height
    if (enter - leave) / rate > LONGEST:
        return replace(about, why=f"it takes {(enter - leave) / rate:.0f} s, and a transition {LONGEST:g} at most")
    if not name:
        return replace(about, name=loop_of[a], why=f"it leads from {loop_of[a]} back to it, without a turn")
    if enter - leave < 3:
        return replace(about, why="nothing lies between the two loops")
    if apart > limit:
        far = f"{loop_of[a] if away > off else loop_of[b]}"
        return replace(about, why=f"its poses are {100.0 * apart:.0f} cm from those of {far}, too far to lead there")
    part = replace(whole.cut(leave, enter + 1), name=name)
    return replace(about, clip=part)


def _step(loop: Clip, rows: Array) -> int:
    """Return the frames of half a cycle of a gait, or of all rows but one if they are fewer."""
    return min((len(loop) - 1) // 2, len(rows) - 1)


def join_ends(part: Clip, first: Clip | None, last: Clip | None) -> Clip:
    """Return a clip with its ends moved onto one-frame poses (see `meeting.meet_poses`) and its feet planted.

    Planting moves the ends and moving the ends moves the feet; alternating both quickly makes the remaining error
    small. A clip without poses to meet is returned unchanged.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.verbs.take import meeting, transitions
        >>> walk, sneak = actions.walk(), actions.sneak()
        >>> there = transitions.join_ends(walk, sneak.cut(0, 1), None)
        >>> [round(apart, 6) for apart in meeting.gap(there.cut(0, 1), sneak.cut(0, 1))]
        [0.0, 0.0]
    """
    if first is None and last is None:
        return part
    made = meeting.meet_poses(part, first, last)
    for _ in range(PLANTINGS):
        try:
            planted, done = planting.plant_clip(made)
        except (ClipError, SkeletonError):
            return made
        if not done.spans:
            break
        made = meeting.meet_poses(planted, first, last)
    return made


def _name(stretches: Sequence[Stretch], leaves: str, enters: str) -> str:
    """Return the name of the transition across some stretches, or "" if nothing happens."""
    here, *middle, there = stretches
    doing = [stretch for stretch in middle if stretch.state.kind in (ACTION, TURN)]
    if len(doing) == 1 and doing[0].state.kind == ACTION:
        return doing[0].name
    if len(doing) == 1 and here.state.kind == there.state.kind == IDLE:
        return doing[0].name
    angle = sum(stretch.angle for stretch in middle)
    side = "Left" if angle > 0.0 else "Right"
    turns = f" {side} {max(1, round(abs(angle) / 45.0)) * 45}" if middle and abs(angle) >= 30.0 else ""
    if leaves == enters:
        return f"{leaves} Turn{turns}" if turns else ""
    if here.state.kind == IDLE and there.state.kind in GAITS:
        return f"Start {enters}{turns}"
    if here.state.kind in GAITS and there.state.kind == IDLE:
        return f"Stop {leaves}{turns}"
    return f"{leaves} to {enters}{turns}"
