"""Actions that the upper body does on stretches of a walk along a path.

Method: Splicing upper body onto locomotion; Following a drawn path.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import OptionError
from ...motion.clip import Clip
from ...motion.quat import Array
from ...progress import SILENT, Progress
from ..splice import actions as spliced_actions
from ..splice.actions import Actions
from . import Follow

SHORTEST = 0.5  # s of a stretch: going over into an action and out of it takes longer


@dataclass(frozen=True, eq=False)
class Stretch:
    """Actions on the skeleton and at the rate of a graph, and the shares of the path between which they are played.

    numbers : of their clips among those that the recipe counts
    """

    start: float
    end: float
    numbers: tuple[int, ...]
    actions: Actions


def read_stretches(
    recipe: Follow, clips: Sequence[Clip], like: Clip, known: Sequence[Stretch] = (), progress: Progress = SILENT
) -> list[Stretch]:
    """Return the stretches of a recipe with their actions on the skeleton and at the rate of a clip.

    clips : all those that the recipe counts; known : stretches that were read of the same clips before. Raises
    OptionError for stretches that are none, and what `spliced_actions.gather` raises.
    """
    read = {(one.numbers, one.actions.recipe): one.actions for one in known}
    found = []
    for (start, end, numbers), how in zip(recipe.stretch_rows(len(clips)), recipe.stretch_splices(), strict=True):
        key = numbers, how
        if key not in read:
            read[key] = spliced_actions.gather([clips[number - 1] for number in numbers], like, how, progress)
        found.append(Stretch(start, end, numbers, read[key]))
    return found


def overlaid(walk: Clip, shares: Array, stretches: Sequence[Stretch]) -> tuple[Clip, list[dict[str, Any]]]:
    """Return a walk overlaid with the actions of its stretches, and the report on them; of two at once, the later one.

    shares (F,) : of the path that is gone at each frame of the walk
    Raises OptionError for stretches that are too short, and LoomError kinds for actions that can't be spliced in.
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
        made, details = spliced_actions.put_on(walk, one.actions, first, last)
        walk = made.clip
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
