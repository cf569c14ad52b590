"""Overlay actions on the upper body of a walk, along stretches of its path.

Method: Splicing upper body onto locomotion; Following a drawn path.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import OptionError
from ...motion.clip import Clip
from ...motion.quat import Array
from ..splice import actions as spliced_actions
from ..splice.actions import Actions
from . import Follow

SHORTEST = 0.5  # s of a stretch: the fades into and out of an action need this much


@dataclass(frozen=True, eq=False)
class Stretch:
    """Actions on the skeleton and at the rate of a graph, and the shares of the path where they begin and end.

    numbers : of their clips in the recipe, counted from 1
    """

    start: float
    end: float
    numbers: tuple[int, ...]
    actions: Actions


def read_stretches(recipe: Follow, clips: Sequence[Clip], like: Clip, known: Sequence[Stretch] = ()) -> list[Stretch]:
    """Return the stretches of a recipe with their actions on the skeleton and at the rate of a clip.

    clips : all clips counted by the recipe; known : stretches read earlier from the same clips, to be reused
    Raises OptionError for impossible stretches, and as `spliced_actions.gather` does.
    """
    read = {(one.numbers, one.actions.recipe): one.actions for one in known}
    found = []
    for (start, end, numbers), how in zip(recipe.stretch_rows(len(clips)), recipe.stretch_splices(), strict=True):
        key = numbers, how
        if key not in read:
            read[key] = spliced_actions.gather([clips[number - 1] for number in numbers], like, how)
        found.append(Stretch(start, end, numbers, read[key]))
    return found


def overlaid(walk: Clip, shares: Array, stretches: Sequence[Stretch]) -> tuple[Clip, list[dict[str, Any]]]:
    """Return a walk overlaid with its stretches' actions, and a report on each; later ones cover earlier ones.

    shares (F,) : of the path covered at each frame of the walk
    Raises OptionError for stretches that are too short, and LoomError kinds for actions that can't be spliced.
    """
    reports = []
    for one in stretches:
        first, last = int(np.searchsorted(shares, one.start)), int(np.searchsorted(shares, one.end, side="right"))
        if last - first < SHORTEST * walk.rate:
            seconds = (last - first) / walk.rate
            raise OptionError(
                f"the stretch from {one.start:.0%} to {one.end:.0%} takes {seconds:.1f} s, too short for "
                f"{one.actions.name}: it takes {SHORTEST} s or more"
            )
        spliced, details = spliced_actions.overlay(walk, one.actions, first, last)
        walk = spliced.clip
        carried = one.actions.carried
        place = {
            "action": one.actions.name,
            "from": one.start,
            "to": one.end,
            "frames": [first, last - 1],
            "carried": carried[0].as_report() if len(carried) == 1 else [one.as_report() for one in carried] or None,
        }
        reports.append(place | details)
    return walk, reports
