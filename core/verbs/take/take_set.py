"""A set: loops, transitions and actions of a take, mirrored for missing sides, with their possible successors.

Method: A take becomes a set.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ... import verbs
from ...bodies import attachments
from ...errors import ClipError, LoomError
from ...motion import cycles
from ...motion.clip import Clip
from ...progress import SILENT, Progress
from ...quality import contacts
from . import cutting, loops, meeting, placing, transitions
from .cutting import Cut
from .loops import Made
from .meeting import Pose
from .states import ACTION, IDLE
from .tracks import find_ankles


@dataclass(frozen=True, eq=False)
class Item:
    """An action of a set.

    kind : "loop" or "action"
    begins, ends : poses of loops that the ends match; for a loop, its own
    first, last : frames of the take it was made of
    score : of a loop, how well the take repeats it; of an action, how far its ends were moved, in metres
    mirrored : name of the item it is a mirror image of, or ""
    """

    name: str
    clip: Clip
    kind: str
    begins: Pose | None
    ends: Pose | None
    first: int
    last: int
    score: float
    state: str
    mirrored: str = ""
    warnings: tuple[str, ...] = ()

    @property
    def loop(self) -> bool:
        return self.kind == "loop"


@dataclass(frozen=True)
class LeftOut:
    """Frames of a take that are in no item, and the reason."""

    name: str
    first: int
    last: int
    why: str


@dataclass(frozen=True, eq=False)
class TakeSet:
    """The items made of a take, the omitted frames, and warnings."""

    cut: Cut
    items: tuple[Item, ...]
    left_out: tuple[LeftOut, ...]
    warnings: tuple[str, ...]


def make(clip: Clip, *, mirror: bool = False, progress: Progress = SILENT) -> TakeSet:
    """Return the set of a take.

    mirror : whether to mirror items whose other side is missing. Raises ClipError if nothing can be made of the take,
        and as `cutting.cut` does.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.verbs.take import take_set
        >>> made = take_set.make(actions.walk(cycles=5))
        >>> [(item.name, item.kind, item.begins.loop) for item in made.items]
        [('Walk', 'loop', 'Walk')]
    """
    cut = cutting.cut(clip, progress.part(0.0, 0.1))
    made = loops.all_of(cut, progress.part(0.1, 0.7))
    named = _name_loops(made)
    items = [_of_loop(name, one) for name, one in named.items()]
    progress.at(0.7, "Joining")
    cycles_ = {name: item.clip for name, item in zip(named, items, strict=True)}
    between = transitions.all_of(cut, cycles_, _loop_of(cut, named))
    items += [_of_between(one) for one in between if one.clip is not None]
    left = [LeftOut(one.stretch.name, one.stretch.first, one.stretch.last, one.why) for one in made if one.clip is None]
    used = [(item.first, item.last) for item in items]
    left = [one for one in left if not any(a <= one.first and one.last <= b for a, b in used)]
    left += [LeftOut(one.name, one.first, one.last, one.why) for one in between if one.clip is None]
    left += [LeftOut("Break", one.first, one.last, f"{one.words}, so the take is cut there") for one in cut.breaks()]
    items = _unique(items)
    progress.at(0.85, "Mirroring")
    warnings: list[str] = []
    if mirror:
        added, warnings = _mirror_items(items)
        items += added
    if not find_ankles(cut.clip.skeleton):
        warnings.append(
            f"{clip.name}: no feet are known, so walks and turns are cut as other actions: name them in Body Roles if"
            " there are some"
        )
    if not items:
        raise ClipError(f"{clip.name}: nothing of the take can be made an action: {_reasons(left)}")
    attached = attachments.find([clip])
    items = [replace(item, clip=attached.restore(item.clip, [clip])) for item in items]
    return TakeSet(cut, tuple(items), tuple(sorted(left, key=lambda one: one.first)), tuple(warnings))


def _reasons(left: Sequence[LeftOut]) -> str:
    return "; ".join(f"{one.name} ({one.first}–{one.last}): {one.why}" for one in left[:3]) or "it is too short"


def _name_loops(made: Sequence[Made]) -> dict[str, Made]:
    """Return loops by unique names; of loops of a gait at several speeds, all but the longest get their speed."""
    groups: dict[str, list[Made]] = {}
    for one in made:
        if one.clip is not None:
            groups.setdefault(one.stretch.name, []).append(one)
    out: dict[str, Made] = {}
    for name, several in groups.items():
        if len(several) == 1:
            out[name] = several[0]
            continue
        usual = max(several, key=lambda one: (len(one.stretch), -one.stretch.first))
        for one in several:
            at = f"{loops.speed(one.clip)[0]:.1f}" if one.clip is not None else ""
            out[name if one is usual else f"{name} {at}"] = one
    return out


def _loop_of(cut: Cut, named: Mapping[str, Made]) -> list[str]:
    """Return for each stretch the loop of its kind with the nearest speed, or ""."""
    out = []
    for stretch in cut.stretches:
        fitting = [name for name, one in named.items() if one.stretch.name == stretch.name]
        out.append(min(fitting, key=lambda name: abs(named[name].stretch.heights - stretch.heights), default=""))
    return out


def _of_loop(name: str, made: Made) -> Item:
    assert made.clip is not None
    clip = placing.at_origin(replace(made.clip, name=name))
    kind = "action" if made.stretch.state.kind == ACTION else made.stretch.state.kind
    at, warnings = Pose(name), tuple(made.report["warnings"])
    return Item(
        name, clip, "loop", at, at, made.stretch.first, made.stretch.last, made.repeats, kind, warnings=warnings
    )


def _of_between(one: transitions.Between) -> Item:
    assert one.clip is not None
    clip = placing.at_origin(replace(one.clip, name=one.name))
    return Item(one.name, clip, "action", one.begins, one.ends, one.first, one.last, one.apart, "action")


def _unique(items: Sequence[Item]) -> list[Item]:
    """Return items with unique names; loops keep their name, an action of the same name gets a number."""
    taken: dict[str, int] = {}
    out = []
    for item in items:
        taken[item.name] = taken.get(item.name, 0) + 1
        name = item.name if taken[item.name] == 1 else f"{item.name} {taken[item.name]:02}"
        out.append(item if name == item.name else replace(item, name=name, clip=replace(item.clip, name=name)))
    return out


def _mirror_items(items: Sequence[Item]) -> tuple[list[Item], list[str]]:
    """Return mirror images of items whose other side is missing, and warnings on those that could not be mirrored."""
    known, added, warnings = {item.name for item in items}, [], []
    cycles_ = {item.name: item.clip for item in items if item.loop}
    for item in items:
        name = other_side(item.name)
        if name == item.name or name in known:
            continue
        try:
            clip = verbs.apply(verbs.Mirror(), [item.clip]).clip
        except LoomError as error:
            warnings.append(f"{item.name} has no other side: {error}")
            continue
        known.add(name)
        clip = replace(clip, name=name, cyclic=item.loop)
        begins = ends = Pose(name)
        if item.loop:
            clip = loops.begin_at_left_strike(clip)
            cycles_[name] = clip
        else:
            clip, begins, ends = _meeting_again(clip, item, cycles_)  # type: ignore[assignment]
        image = replace(item, name=name, clip=placing.at_origin(clip), begins=begins, ends=ends, mirrored=item.name)
        added.append(image)
    return added, warnings


def _meeting_again(clip: Clip, item: Item, cycles_: Mapping[str, Clip]) -> tuple[Clip, Pose | None, Pose | None]:
    """Return a mirrored action with its ends moved onto the nearest frames of the mirrored loops."""
    found: list[Pose | None] = []
    shapes = meeting.shapes(clip)
    for pose, shape in ((item.begins, shapes[0]), (item.ends, shapes[-1])):
        name = "" if pose is None else other_side(pose.loop)
        name = name if name in cycles_ or pose is None else pose.loop
        if name not in cycles_:
            found.append(None)
            continue
        found.append(Pose(name, meeting.nearest(meeting.shapes(cycles_[name], repeats=True)[:-1], shape)[0]))
    first, last = (None if at is None else cycles_[at.loop].cut(at.frame, at.frame + 1) for at in found)
    return transitions.join_ends(clip, first, last), found[0], found[1]


def other_side(name: str) -> str:
    """Return a name with Left and Right exchanged.

    Example:
        >>> from action_loom.core.verbs.take import take_set
        >>> take_set.other_side("Turn Left 90"), take_set.other_side("Walk")
        ('Turn Right 90', 'Walk')
    """
    exchanged = {"Left": "Right", "Right": "Left"}
    return " ".join(exchanged.get(word, word) for word in name.split(" "))


def follows(items: Sequence[Item]) -> dict[str, list[str]]:
    """Return for each item the items that start with the pose at its end; a loop follows itself."""
    loop_of = {item.name: item.name for item in items if item.loop}
    out = {}
    for item in items:
        at = item.ends
        after = [] if at is None else [other.name for other in items if other.begins == at]
        # A loop can be left at any frame, and an action that leads into a loop can enter it at any frame.
        if item.loop:
            after += [other.name for other in items if other.begins is not None and other.begins.loop == item.name]
        elif at is not None and at.loop in loop_of:
            after.append(at.loop)
        out[item.name] = list(dict.fromkeys(after))
    return out


def as_json(made: TakeSet) -> dict[str, Any]:
    """Return a set as plain values: kind, speed, turn, contacts, ends and possible successors of each item.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.verbs.take import take_set
        >>> (walk,) = take_set.as_json(take_set.make(actions.walk(cycles=5)))["actions"]
        >>> walk["loop"], round(walk["speed_m_s"], 1), walk["may_follow"]
        (True, 1.3, ['Walk'])
    """
    return {
        "take": made.cut.clip.name,
        "rate": made.cut.clip.rate,
        "stretches": [
            {
                "name": one.name,
                "kind": one.state.kind,
                "first": one.first,
                "last": one.last,
                "seconds": one.seconds,
                "speed_m_s": one.speed,
                "turn_degrees_s": one.turn,
            }
            for one in made.cut.stretches
        ],
        "actions": items_json(made.items),
        "left_out": [vars(one) for one in made.left_out],
        "warnings": list(made.warnings),
    }


def items_json(items: Sequence[Item]) -> list[dict[str, Any]]:
    """Return the items of a set as plain values; see `as_json`.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.verbs.take import take_set
        >>> (walk,) = take_set.items_json(take_set.make(actions.walk(cycles=5)).items)
        >>> [event["foot"] + " " + event["event"] for event in walk["contacts"]]
        ['L down', 'R up', 'R down', 'L up']
    """
    after = follows(items)
    return [_item_json(item, after[item.name]) for item in items]


def _item_json(item: Item, after: Sequence[str]) -> dict[str, Any]:
    speed, turn = loops.speed(item.clip)
    standing = contacts.detect(cycles.unroll_cycle(item.clip, 1, 1)) if item.loop else contacts.detect(item.clip)
    first, frames = (len(item.clip) - 1,) * 2 if item.loop else (0, len(item.clip))  # a loop's last frame is its first
    return {
        "name": item.name,
        "kind": item.kind,
        "loop": item.loop,
        "frames": len(item.clip),
        "seconds": round(item.clip.seconds, 4),
        "speed_m_s": round(0.0 if item.state == IDLE else speed, 3),
        "turn_degrees_s": round(turn, 2),
        "from": [item.first, item.last],
        "score": round(float(item.score), 4),
        "mirrored_from": item.mirrored,
        "begins": None if item.begins is None else vars(item.begins),
        "ends": None if item.ends is None else vars(item.ends),
        "may_follow": list(after),
        "contacts": _events(standing, first, frames, item.clip.rate),
        "warnings": list(item.warnings),
    }


def _events(standing: Mapping[str, np.ndarray], first: int, frames: int, rate: float) -> list[dict[str, Any]]:
    """Return foot strikes and lifts in order, in seconds from the first frame."""
    events = []
    for foot, flags in standing.items():
        for start, end in contacts.runs(flags):
            events += [(start - first, foot, "down"), (end - first, foot, "up")]
    inside = sorted(event for event in events if 0 <= event[0] < frames)
    return [{"seconds": round(at / rate, 4), "foot": foot, "event": what} for at, foot, what in inside]
