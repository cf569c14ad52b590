"""The upper body of actions on the lower body of a locomotion.

Method: Splicing upper body onto locomotion.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ..options import FRAME, RARE, Choice, option
from .base import Recipe, graph_name
from .planting import PlantOptions
from .splice import SpliceOptions


@dataclass(frozen=True, kw_only=True)
class Splice(Recipe, PlantOptions, SpliceOptions):
    """Put the upper body of others, actions, onto the lower body of one clip, the locomotion."""

    verb = "splice"
    label = "Splice"
    tooltip = "Put the upper body of the other ticked actions onto the lower body of the reference"
    mode = "Splice"
    mode_tooltip = "The upper body of others on the lower body of one, which is the reference"
    least = 2
    reference_first = True
    summary = "put an action on a locomotion: splice WALK BOXING walks with BOXING's upper body"

    timing: str = option(
        "auto",
        "Whether the action is played at its own speed or in step with the locomotion; auto asks whether legs match",
        choices=(
            Choice("auto", "", "In step if the legs of both do the same, else at its own speed"),
            Choice("own", "Own Speed", "As fast as it was made: for a wave, a punch, a call"),
            Choice("sync", "In Step", "Slowed and hurried with the steps: for arms that swing with them"),
            Choice(
                "points",
                "Splice Points",
                "Entered anew every second, wherever legs and trunk are alike: for long walks, and several actions",
            ),
        ),
    )
    start: int = option(
        0, "Frame of the action that it is played from, counted from 0", minimum=0, pick=FRAME, shown=RARE
    )
    if_shorter: str = option(
        "repeat",
        "What an action does that is shorter than the locomotion",
        choices=(
            Choice("repeat", "", "It begins again, looped where it has no cycle of its own"),
            Choice("hold", "", "Its last pose is held"),
        ),
        shown=RARE,
        aliases=("short",),
    )
    trim: bool = option(True, "Leave out calibration poses and jumps in the first and last 0.1 s", shown=RARE)

    def result_name(self, names: Sequence[str]) -> str:
        return f"{graph_name(names[1:])} on {names[0]}" if len(names) > 1 else super().result_name(names)
