"""Find stretches of clips by words derived from their tracks, without a trained model.

Method: A take becomes a set.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...errors import LibraryError
from .cutting import Cut, Stretch, speed_word
from .states import ACTION, GAITS, IDLE, RUN, TURN, WALK

RUN_SPEEDS = (1.6, 2.4)  # heights a second; slower runs are slow, faster ones fast
RAISED = 0.0  # heights of a hand above the head joint
LEAST_RAISED = 0.3  # share of a stretch in which a hand is raised
AROUND = 1.5  # s of walking shown before a stop or after a start

# Words that describe a state, by state.
MEANINGS = {
    WALK: "walk/walks/walking/stroll/strolling",
    RUN: "run/runs/running/jog/jogs/jogging/sprint/sprinting",
    IDLE: "idle/idles/idling/stand/stands/standing/rest/resting/wait/waiting/still",
    TURN: "turn/turns/turning/veer/veers/veering/curve/curving",
    "left": "left/leftwards",
    "right": "right/rightwards",
    "back": "back/backward/backwards",
    "strafe": "strafe/strafes/strafing/sideways/sidestep/sidesteps",
    "slow": "slow/slowly",
    "fast": "fast/quick/quickly/brisk",
    "jump": "jump/jumps/jumping/leap/leaps/hop",
    "crouch": "crouch/crouches/crouching/duck/ducking/low",
    "sit": "sit/sits/sitting/seated",
    "kneel": "kneel/kneels/kneeling",
    "crawl": "crawl/crawls/crawling",
    "lie": "lie/lies/lying",
    "start": "start/starts/starting",
    "stop": "stop/stops/stopping/halt",
    "raised": "raised/reach/reaching",
}
_MEANING = {word: meaning for meaning, words in MEANINGS.items() for word in words.split("/")}
_FILLERS = frozenset(("a", "an", "and", "at", "in", "of", "on", "the", "then", "to", "while", "with"))


@dataclass(frozen=True)
class Hit:
    """Frames first … last of a clip, and the query words that match."""

    first: int
    last: int
    name: str
    words: tuple[str, ...]


@dataclass(frozen=True)
class Query:
    """A query: words decided by tracks, and other words to look up in names and labels."""

    meanings: frozenset[str]
    others: tuple[str, ...]


def parse_query(words: str) -> Query:
    """Return the parsed query; raises LibraryError for a query without words.

    Example:
        >>> from action_loom.core.verbs.take import words
        >>> query = words.parse_query("slow walk turning left, zombie")
        >>> sorted(query.meanings), query.others
        (['left', 'slow', 'turn', 'walk'], ('zombie',))
    """
    found = [word for word in re.findall(r"[^\W_]+", words.lower()) if word not in _FILLERS]
    if not found:
        raise LibraryError(f"There is no word in {words!r}: name some, such as slow walk turning left")
    meanings = frozenset(_MEANING[word] for word in found if word in _MEANING)
    return Query(meanings, tuple(word for word in found if word not in _MEANING))


@dataclass(frozen=True)
class Told:
    """Tags of the frames first … last of a clip: their name and the matching words; rate : of the clip."""

    first: int
    last: int
    name: str
    words: frozenset[str]
    rate: float


def find(query: Query, cut: Cut, text: str = "") -> list[Hit]:
    """Return the stretches of a cut that match all words, longest first.

    text : the clip's name, folders and labels, searched for words that tracks don't decide

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.verbs.take import cutting, words
        >>> turn = cutting.cut(actions.turn_left())
        >>> [hit.name for hit in words.find(words.parse_query("walk turning left"), turn)]
        ['Walk Left']
        >>> words.find(words.parse_query("walk turning right"), turn)
        []
    """
    return fitting(query, all_told(cut)) if match_name(query, text) else []


def match_name(query: Query, text: str) -> bool:
    """Return whether a clip's name, folders and labels contain the words that tracks don't decide.

    Example:
        >>> from action_loom.core.verbs.take import words
        >>> zombie, walk = words.parse_query("zombie walk"), words.parse_query("walk")
        >>> words.match_name(zombie, "zombie_02.bvh"), words.match_name(walk, "")
        (True, True)
    """
    label = text.lower()
    return all(re.search(r"(?<![^\W_])" + re.escape(word), label) for word in query.others)


def all_told(cut: Cut) -> list[Told]:
    """Return the tags of each stretch of a cut, small enough to be cached.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.verbs.take import cutting, words
        >>> [(one.name, "walk" in one.words) for one in words.all_told(cutting.cut(actions.walk(cycles=3)))]
        [('Walk', True)]
    """
    rate = cut.clip.rate
    return [Told(one.first, one.last, one.name, describe_stretch(cut, k), rate) for k, one in enumerate(cut.stretches)]


def fitting(query: Query, rows: Sequence[Told]) -> list[Hit]:
    """Return the stretches whose tags match all words that tracks decide, longest first.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.verbs.take import cutting, words
        >>> told = words.all_told(cutting.cut(actions.walk(cycles=3)))
        >>> [len(words.fitting(words.parse_query(text), told)) for text in ("walk", "run")]
        [1, 0]
    """
    hits = []
    for one in rows:
        if query.meanings <= one.words:
            first, last = _frames_to_show(one, query.meanings)
            hits.append(Hit(first, last, one.name, tuple(sorted(one.words))))
    return sorted(hits, key=lambda hit: (hit.first - hit.last, hit.first))


def describe_stretch(cut: Cut, place: int) -> frozenset[str]:
    """Return the words (see MEANINGS) that describe a stretch of a cut, given by its index.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.verbs.take import cutting, words
        >>> sorted(words.describe_stretch(cutting.cut(actions.walk()), 0))
        ['walk']
    """
    stretch = cut.stretches[place]
    state, out = stretch.state, {stretch.state.kind, *stretch.name.lower().split(" ")}
    out |= {state.way, state.side, _speed(stretch)}
    out |= {"turn"} if state.side and state.way != "strafe" else set()
    neighbours = _neighbours(cut.stretches, place)
    if state.kind in GAITS:
        out |= {"start"} if neighbours[0] == IDLE else set()
        out |= {"stop"} if neighbours[1] == IDLE else set()
    rows = _rows(cut, stretch)
    hands = cut.tracks.hands[rows]
    out |= {"raised"} if state.kind == ACTION and float(np.mean(hands > RAISED)) >= LEAST_RAISED else set()
    low = float(np.min(cut.tracks.crouch[rows], initial=1.0))
    out |= {"crouch"} if state.kind == ACTION and low < 0.75 else set()
    return frozenset(out & set(MEANINGS))


def _neighbours(stretches: Sequence[Stretch], place: int) -> tuple[str, str]:
    """Return the states before and after a stretch, ignoring changes of gait, speed or curve."""
    before = next((one.state.kind for one in stretches[:place][::-1]), "")
    after = next((one.state.kind for one in stretches[place + 1 :]), "")
    return before, after


def _speed(stretch: Stretch) -> str:
    if stretch.state.kind == WALK:
        return speed_word(stretch.heights).lower()
    if stretch.state.kind == RUN:
        return "slow" if stretch.heights < RUN_SPEEDS[0] else "fast" if stretch.heights > RUN_SPEEDS[1] else ""
    return ""


def _rows(cut: Cut, stretch: Stretch) -> slice:
    every = cut.tracks.every
    return slice((stretch.first - cut.first) // every, max((stretch.last - cut.first) // every, 1))


def _frames_to_show(stretch: Told, meanings: frozenset[str]) -> tuple[int, int]:
    """Return the frames of a stretch to show: the end of a stop, the beginning of a start."""
    around = round(AROUND * stretch.rate)
    if "stop" in meanings:
        return max(stretch.first, stretch.last - around), stretch.last
    if "start" in meanings:
        return stretch.first, min(stretch.last, stretch.first + around)
    return stretch.first, stretch.last
