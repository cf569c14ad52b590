"""Walks through a motion graph without a path: at random, and the shortest between two frames.

Method: Motion graph.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

from ...options import LABEL, PANEL, PLACE, declaration, option
from ...recipes.base import graph_name
from ...recipes.graph import GraphWalk


@declaration
class Walk(GraphWalk):
    """Take a random walk through a motion graph of the clips; the same seed gives the same walk."""

    verb = "walk"
    label = "Random Walk"
    tooltip = "Wander through the ticked actions; another seed gives another walk"
    summary = "wander through a motion graph at random"

    seconds: float = option(30.0, "How long the walk is", bounds=(0.1, 36000.0), unit=" s", usual=(1.0, 300.0))
    seed: int = option(1, "Another number gives another walk", bounds=(0, 2**31 - 1))
    hold: float = option(
        1.5,
        "Average time in a clip between transitions",
        bounds=(0.0, 3600.0),
        unit=" s",
        usual=(0.0, 10.0),
    )
    label_filter: str = option("", "Walk among clips of this label only", shown=PANEL, aliases=("among",), pick=LABEL)

    def result_name(self, names: Sequence[str]) -> str:
        return f"{graph_name(names)} walk {self.seed}"

    def figures(self, report: Mapping[str, Any]) -> list[str]:
        """Return the main figures of a result in a few lines, from its report."""
        own = report["walk"]
        return [f"  {own['length']:.1f} m, {own['transitions']} transitions"]


@declaration
class Shortest(GraphWalk):
    """Go from a frame of one clip to a frame of another through a motion graph in the least time."""

    verb = "shortest"
    earlier_verbs = ("path",)
    label = "Shortest Transition"
    tooltip = "Go from a frame of one ticked action to a frame of another in the least time"
    summary = "go from a frame to another through a motion graph, in the least time"

    leave: str = option("", "Clip and frame to begin at, from 0, such as walk:120", pick=PLACE)
    reach: str = option("", "Clip and frame to end at, from 0, such as run:30", pick=PLACE)

    def with_names(self, names: Mapping[str, str]) -> Self:
        today = dict(names) | {f"{before} mirrored": f"{now} mirrored" for before, now in names.items()}
        renamed = []
        for place in (self.leave, self.reach):
            clip, colon, frame = place.rpartition(":")
            renamed.append(f"{today.get(clip, clip)}{colon}{frame}")
        return replace(self, leave=renamed[0], reach=renamed[1])

    def result_name(self, names: Sequence[str]) -> str:
        return f"{graph_name(names)} {self.leave} to {self.reach}"

    def figures(self, report: Mapping[str, Any]) -> list[str]:
        """Return the main figures of a result in a few lines, from its report."""
        own = report["shortest"]
        return [f"  {own['length']:.1f} m, {own['transitions']} transitions"]
