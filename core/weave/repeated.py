"""Repeat cycles to match the length of a take of several steps (methods: Time registration)."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..errors import RegistrationError
from ..motion import cycles
from ..motion.clip import Clip
from ..motion.closing import Closing
from ..sync import cycle_search
from .seam import close

LASTING = 1.25  # ratio of cycles in the take to cycles in the clip above which the clip is repeated
SPARE = 0.25  # additional cycles, since a take may start at any phase
LOOKED_AT = 20.0  # s of a take searched for its own cycles


def counts(clips: Sequence[Clip], endings: Sequence[Closing | None]) -> list[int]:
    """Return the repetitions of each cycle needed to match the longest take; 1 for takes, and without a take.

    endings : how the end of each clip meets its start; None if not examined

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import closing
        >>> from action_loom.core.weave import repeated
        >>> take, cycle = actions.walk(cycles=3, speed=0.8).cut(7, 120), actions.run(cycles=1)
        >>> repeated.counts([take, cycle], [closing.guess_closing(take), closing.guess_closing(cycle)])  # 2.8 strides
        [1, 3]
    """
    are_cycles = [ending is not None and bool(ending.kind) for ending in endings]
    takes = [clip for clip, cycle in zip(clips, are_cycles, strict=True) if not cycle]
    if not takes or len(takes) == len(clips):
        return [1] * len(clips)
    take = max(takes, key=lambda clip: clip.seconds)
    own, found = _cycle_of(take), []
    for clip, cycle in zip(clips, are_cycles, strict=True):
        count = 1
        if cycle:
            has = cycles.repeats(clip)
            lasts = take.seconds / (own or clip.seconds / has)
            count = int(np.ceil((lasts + SPARE) / has)) if lasts > LASTING * has else 1
        found.append(count)
    return found


def _cycle_of(take: Clip) -> float | None:
    """Return the duration of one cycle of a take in seconds; None for a take that does not repeat itself."""
    spare = max(0, len(take) - round(LOOKED_AT * take.rate)) // 2
    try:
        best = cycle_search.find(take.cut(spare, len(take) - spare)).best
    except RegistrationError:
        return None
    return best.length / take.rate if best.score >= cycle_search.WEAK else None


def close_cycle(clip: Clip, ending: Closing | None, count: int) -> tuple[Clip, list[str]]:
    """Return a clip to be repeated closed as a cycle, and sentences on the changes.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import closing
        >>> from action_loom.core.weave import repeated
        >>> walk = actions.walk(cycles=1)
        >>> repeated.close_cycle(walk, closing.of(walk), 3)[1]
        ['walk: repeated 3 times, as long as the clip beside it lasts']
    """
    if count == 1 or ending is None:
        return clip, []
    said = [f"{clip.name}: repeated {count} times, as long as the clip beside it lasts"]
    return close.as_cycle(clip, ending), close.correction(clip.name, ending) + said


def in_a_row(clip: Clip, count: int) -> Clip:
    """Return a cycle repeated `count` times as an acyclic take; any other clip unchanged.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.weave import repeated
        >>> walk = actions.walk(cycles=1)
        >>> len(walk), len(repeated.in_a_row(walk, 3))
        (33, 97)
    """
    return clip if count == 1 else replace(cycles.unroll_cycle(clip, 0, count - 1), cyclic=False)
