"""Find stretches of clips by words, from what their tracks tell: no model is learnt (methods: A take becomes a set)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...errors import LibraryError
from .cutting import Cut, Stretch, speed_word
from .states import ACTION, GAITS, IDLE, RUN, TURN, WALK

RUN_SPEEDS = (1.6, 2.4)  # heights a second; slower runs are slow, faster ones fast
RAISED = 0.0  # heights of a hand over the head's joint
LEAST_RAISED = 0.3  # of a stretch with a hand raised
AROUND = 1.5  # s of a walk before it stops, or after it starts, that are shown

# Words that mean what the tracks tell, by that.
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
    "crouch": "crouch/crouches/crouching/duck/ducking/low/sit/sits/sitting",
    "start": "start/starts/starting",
    "stop": "stop/stops/stopping/halt",
    "raised": "raised/reach/reaching",
}
_MEANING = {word: meaning for meaning, words in MEANINGS.items() for word in words.split("/")}
_FILLERS = frozenset(("a", "an", "and", "at", "in", "of", "on", "the", "then", "to", "while", "with"))


@dataclass(frozen=True)
class Hit:
    """Frames first … last of a clip, and the words that fit them."""

    first: int
    last: int
    name: str
    words: tuple[str, ...]


@dataclass(frozen=True)
class Query:
    """Words that tracks tell, and other words, which names and labels must have."""

    meanings: frozenset[str]
    others: tuple[str, ...]


def asked(words: str) -> Query:
    """Return what words ask for; raises LibraryError if there is no word.

    Example:
        >>> from action_loom.core.verbs.take import words
        >>> query = words.asked("slow walk turning left, zombie")
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
    """What tracks tell of the frames first … last of a clip: its name and the words that fit; rate : of the clip."""

    first: int
    last: int
    name: str
    words: frozenset[str]
    rate: float


def find(query: Query, cut: Cut, text: str = "") -> list[Hit]:
    """Return the stretches of a cut that all words fit, longest first.

    text : the clip's name, folders and labels, in which words that no track tells must be

    Example:
        >>> from action_loom.core.figure import actions
        >>> from action_loom.core.verbs.take import cutting, words
        >>> turn = cutting.cut(actions.turn_left())
        >>> [hit.name for hit in words.find(words.asked("walk turning left"), turn)]
        ['Walk Left']
        >>> words.find(words.asked("walk turning right"), turn)
        []
    """
    return fitting(query, all_told(cut)) if named(query, text) else []


def named(query: Query, text: str) -> bool:
    """Return whether a clip's name, folders and labels have the words that no track tells.

    Example:
        >>> from action_loom.core.verbs.take import words
        >>> words.named(words.asked("zombie walk"), "zombie_02.bvh"), words.named(words.asked("walk"), "")
        (True, True)
    """
    label = text.lower()
    return all(re.search(r"(?<![^\W_])" + re.escape(word), label) for word in query.others)


def all_told(cut: Cut) -> list[Told]:
    """Return what tracks tell of each stretch of a cut: small enough to be kept.

    Example:
        >>> from action_loom.core.figure import actions
        >>> from action_loom.core.verbs.take import cutting, words
        >>> [(one.name, "walk" in one.words) for one in words.all_told(cutting.cut(actions.walk(cycles=3)))]
        [('Walk', True)]
    """
    rate = cut.clip.rate
    return [Told(one.first, one.last, one.name, told(cut, k), rate) for k, one in enumerate(cut.stretches)]


def fitting(query: Query, rows: Sequence[Told]) -> list[Hit]:
    """Return the stretches that all words fit which tracks tell, longest first.

    Example:
        >>> from action_loom.core.figure import actions
        >>> from action_loom.core.verbs.take import cutting, words
        >>> told = words.all_told(cutting.cut(actions.walk(cycles=3)))
        >>> [len(words.fitting(words.asked(text), told)) for text in ("walk", "run")]
        [1, 0]
    """
    hits = []
    for one in rows:
        if query.meanings <= one.words:
            first, last = _shown(one, query.meanings)
            hits.append(Hit(first, last, one.name, tuple(sorted(one.words))))
    return sorted(hits, key=lambda hit: (hit.first - hit.last, hit.first))


def told(cut: Cut, place: int) -> frozenset[str]:
    """Return the words (see MEANINGS) that fit a stretch of a cut, by its place.

    Example:
        >>> from action_loom.core.figure import actions
        >>> from action_loom.core.verbs.take import cutting, words
        >>> sorted(words.told(cutting.cut(actions.walk()), 0))
        ['walk']
    """
    stretch = cut.stretches[place]
    state, out = stretch.state, {stretch.state.kind, *stretch.name.lower().split(" ")}
    out |= {state.way, state.side, "crouch" if state.low else "", _speed(stretch)}
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
    """Return what the body does before and after a stretch; going on in another gait, speed or curve does not count."""
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


def _shown(stretch: Told, meanings: frozenset[str]) -> tuple[int, int]:
    """Return the frames of a stretch that are shown: of a stop its end, of a start its beginning."""
    around = round(AROUND * stretch.rate)
    if "stop" in meanings:
        return max(stretch.first, stretch.last - around), stretch.last
    if "start" in meanings:
        return stretch.first, min(stretch.last, stretch.first + around)
    return stretch.first, stretch.last
