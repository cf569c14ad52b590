"""Motion without a path: endless variations of actions, and the shortest way between two frames.

Method: Variations.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

from ...options import HIDDEN, LABEL, PLACE, RARE, constant, declaration, option
from ...recipes.base import Recipe, graph_name
from ...recipes.graph import GraphOptions, GraphWalk, VariationOptions


@declaration
class Walk(GraphWalk, VariationOptions):
    """Go on with clips for any time, as if the performance had gone on; the same seed gives the same result."""

    verb = "walk"
    takes_partners = True
    label = "Vary Endlessly"
    mode = "Endless"
    intent = "Vary"
    tooltip = "Go on with the ticked actions for any time; another seed gives another variation"
    summary = "go on with clips for any time, as if the performance had gone on"

    seconds: float = option(
        30.0,
        "How long the result is",
        bounds=(0.0, 36000.0),
        unit=" s",
        usual=(0.0, 300.0),
        zero="half as long again as the actions",
    )
    seed: int = option(1, "Another number gives another variation", bounds=(0, 2**31 - 1))
    variation: float = option(1.0, "How freely it is arranged: 0 keeps the order of the actions", bounds=(0.0, 1.0))
    loop: bool = option(False, "Let the end lead back to the start")
    count: int = option(
        1, "How many results are made, with this seed and the next ones", bounds=(1, 1000), usual=(1, 20), shown=HIDDEN
    )
    poses: tuple[tuple[float, ...], ...] = option(
        (),
        "Poses at times: rows of seconds, the number of a clip from 1 on, and its frame from 0",
        bounds=(0.0, 1e9),
        table=True,
        shown=RARE,
    )
    verbatim: tuple[tuple[float, ...], ...] = option(
        (),
        "Stretches that play unchanged: rows of seconds, the number of a clip from 1 on, and its first and last frame",
        bounds=(0.0, 1e9),
        table=True,
        shown=RARE,
    )
    way: tuple[tuple[float, ...], ...] = option(
        (),
        "Where it ends, seen from where it begins: metres to the right and ahead, and degrees turned to the left; or a"
        " path: two rows or more of x and y on the ground, metres",
        bounds=(-1e6, 1e6),
        table=True,
        from_file=True,
        shown=RARE,
        label="Path",
        aliases=("end",),
    )
    shares: tuple[tuple[float, ...], ...] = option(
        (),
        "How much of the result each action gets; by their lengths if empty",
        bounds=(0.0, 1e6),
        table=True,
        shown=RARE,
    )
    label_filter: str = option("", "Walk among clips of this label only", shown=RARE, aliases=("among",), pick=LABEL)
    threshold: float = option(
        0.12,
        "Poses are joined that are nearer than this, metres a point; more where nothing goes on",
        bounds=(0.005, 1.0),
        usual=(0.02, 0.3),
        shown=RARE,
    )
    hold: float = option(
        0.4,
        "How long a stretch plays at least before the next seam",
        bounds=(0.0, 3600.0),
        unit=" s",
        usual=(0.0, 10.0),
        shown=RARE,
    )
    relative: bool = constant(False)

    def each(self, clips: Sequence[Any]) -> list[tuple[Recipe, list[Any]]]:
        """Return a recipe for each result; the seeds of several follow one another."""
        if self.count == 1:
            return super().each(clips)
        return [(replace(self, seed=self.seed + k, count=1), list(clips)) for k in range(self.count)]

    def result_name(self, names: Sequence[str]) -> str:
        return f"{graph_name(names)} endless {self.seed}"

    def figures(self, report: Mapping[str, Any]) -> list[str]:
        """Return the main figures of a result in a few lines, from its report."""
        own = report["walk"]
        worst = f", the worst joins poses {own['worst_cm']:.1f} cm apart" if own["transitions"] else ""
        plural = "" if own["transitions"] == 1 else "s"
        return [
            f"  {own['transitions']} seam{plural}{worst}; {100.0 * own['used']:.0f} % of the source is used",
            f"  {own['length']:.1f} m",
        ]


@declaration
class Shortest(GraphWalk, GraphOptions):
    """Go from a frame of one clip to a frame of another through a motion graph in the least time."""

    verb = "shortest"
    takes_partners = True
    earlier_verbs = ("path",)
    label = "Shortest Transition"
    tooltip = "Go from a frame of one ticked action to a frame of another in the least time"
    summary = "go from a frame to another through a motion graph, in the least time"

    leave: str = option("", "Clip and frame to begin at, from 0, such as walk:120", pick=PLACE)
    reach: str = option("", "Clip and frame to end at, from 0, such as run:30", pick=PLACE)
    real_falls: float = constant(0.0)
    keep_hands: str = constant("off")

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
