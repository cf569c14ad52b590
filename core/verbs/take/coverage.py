"""Report the speeds, turns, starts and stops that a set has, and those it lacks for driving a character.

Method: A take becomes a set.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from . import loops
from .states import IDLE
from .take_set import Item, follows, other_side

GAP = 1.7  # a gait this many times faster than the next slower one leaves a gap
SLOWEST = 0.2  # m/s; slower loops count as standing
STRAIGHT = 15.0  # degrees a second; loops that turn less count as straight

MIRROR, BLEND, CAPTURE = "mirror", "blend", "capture"


@dataclass(frozen=True)
class Point:
    """A loop as a point: speed (m/s) against turn rate (degrees a second, positive to the left)."""

    name: str
    speed: float
    turn: float


@dataclass(frozen=True)
class Hole:
    """A missing motion: a sentence, the way to fill it (MIRROR, BLEND of two, or CAPTURE), and the items used.

    seek : words to search for in a library (see `words`), "" if the set itself can fill it
    """

    words: str
    fill: str
    of: tuple[str, ...] = ()
    seek: str = ""


def points(items: Sequence[Item]) -> list[Point]:
    """Return the standing and travelling loops of a set by speed and turn rate.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.verbs.take import coverage, take_set
        >>> [(one.name, round(one.speed, 1)) for one in coverage.points(take_set.make(actions.run(cycles=6)).items)]
        [('Run', 3.2)]
    """
    out = []
    for item in items:
        if item.loop and item.state != "action":
            speed, turn = loops.speed(item.clip)
            out.append(Point(item.name, 0.0 if item.state == IDLE else round(speed, 3), round(turn, 1)))
    return sorted(out, key=lambda point: (point.speed, point.turn, point.name))


def holes(items: Sequence[Item]) -> list[Hole]:
    """Return sentences on the motions a set lacks for driving a character.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.verbs.take import coverage, take_set
        >>> for hole in coverage.holes(take_set.make(actions.run(cycles=6)).items):
        ...     print(hole.words)
        There is no idle.
        There is no turn to the left from Run.
        There is no turn to the right from Run.
    """
    known = points(items)
    standing = [point for point in known if point.speed < SLOWEST]
    ahead = [one for one in known if one.speed >= SLOWEST and abs(one.turn) < STRAIGHT and _goes_ahead(one.name)]
    out = [] if standing else [Hole("There is no idle.", CAPTURE, seek="idle")]
    if not ahead:
        out.append(Hole("There is no walk or run straight on.", CAPTURE, seek="walk"))
    after = follows(items)
    by_name = {item.name: item for item in items}
    for point in ahead:
        if standing:
            out += _ways(point.name, [one.name for one in standing], after, by_name)
        out += _turns(point, known, items)
    out += _gaps(ahead)
    return out


def _goes_ahead(name: str) -> bool:
    return not {"Back", "Strafe"} & set(name.split(" "))


def _ways(name: str, standing: Sequence[str], after: dict[str, list[str]], by_name: dict[str, Item]) -> list[Hole]:
    """Return a missing start or stop of a gait."""
    starts = [one for rest in standing for one in after[rest] if _ends_in(by_name[one], name)]
    stops = [one for one in after[name] for rest in standing if _ends_in(by_name[one], rest)]
    gait, out = name.split(" ")[0].lower(), []
    if not starts:
        out.append(Hole(f"There is no start of {name} from {standing[0]}.", CAPTURE, seek=" ".join((gait, "start"))))
    if not stops:
        out.append(Hole(f"There is no stop of {name} to {standing[0]}.", CAPTURE, seek=" ".join((gait, "stop"))))
    return out


def _ends_in(item: Item, name: str) -> bool:
    return not item.loop and item.ends is not None and item.ends.loop == name


def _turns(point: Point, known: Sequence[Point], items: Sequence[Item]) -> list[Hole]:
    """Return the sides to which a gait has neither a turning loop nor a turn that follows it."""
    has = {}
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        curves = [one.name for one in known if sign * one.turn >= STRAIGHT and one.name.split(" ")[0] in point.name]
        leaves = [
            item.name
            for item in items
            if not item.loop and item.begins and item.begins.loop == point.name
            if side in item.name.split(" ") and _goes_ahead(item.name)
        ]
        has[side] = curves + leaves
    out = []
    for side, names in has.items():
        if names:
            continue
        image = has[other_side(side)]
        words = f"There is no turn to the {side.lower()} from {point.name}."
        seek = " ".join((point.name.split(" ")[0], "turning", side)).lower()
        out.append(Hole(words, MIRROR, tuple(image)) if image else Hole(words, CAPTURE, seek=seek))
    return out


def _gaps(ahead: Sequence[Point]) -> list[Hole]:
    """Return the gaps between the speeds of straight gaits."""
    out = []
    for slower, faster in pairwise(ahead):
        if faster.speed > GAP * slower.speed:
            words = f"There is nothing between {slower.speed:.1f} and {faster.speed:.1f} m/s."
            out.append(Hole(words, BLEND, (slower.name, faster.name)))
    return out
