"""Turn and move a whole clip on the ground (methods: Mirror, placement, root motion)."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...options import FRAME, RARE, Choice, declaration, option
from ...recipes.base import Recipe


@declaration
class Place(Recipe):
    """Turn and move a whole clip: to a place, to the end of another clip, or where it is."""

    verb = "place"
    label = "Place"
    tooltip = "Make an action of the armature's own that begins at a place, faces a way, or goes on from another"
    least = 1
    most = 2
    of_action = True
    summary = "turn and move a whole clip on the ground, to a place or to where a second clip ends"

    where: str = option(
        "auto",
        "Where the clip begins",
        choices=(
            Choice("auto", "", "Where the second clip ends, if two are given; else at x and y"),
            Choice("at", "At a Place", "With its hips over x and y"),
            Choice("own", "Where It Is", "It is only turned, or raised"),
            Choice("after", "After Another", "Where the second clip ends, going on as that does"),
        ),
    )
    x: float = option(
        0.0,
        "Where its hips are on the ground",
        minimum=-1e6,
        maximum=1e6,
        unit=" m",
        usual=(-10.0, 10.0),
        only_for=("where", ("auto", "at")),
    )
    y: float = option(
        0.0,
        "Where its hips are on the ground",
        minimum=-1e6,
        maximum=1e6,
        unit=" m",
        usual=(-10.0, 10.0),
        only_for=("where", ("auto", "at")),
    )
    face: str = option(
        "own",
        "Which way it faces",
        choices=(
            Choice("own", "As It Is", "As it does; after another clip as that one does at its end"),
            Choice("way", "A Way", "The way that is typed"),
        ),
    )
    facing: float = option(
        0.0,
        "Which way: 0 is along +y, and 90, to the left of that, along -x",
        minimum=-360.0,
        maximum=360.0,
        unit="°",
        usual=(-180.0, 180.0),
        only_for=("face", ("way",)),
    )
    height: str = option(
        "own",
        "How high it is",
        choices=(
            Choice("own", "As It Is", "Nothing is raised or lowered"),
            Choice("lift", "Lifted", "Raised by so much"),
            Choice("floor", "On the Floor", "Its lowest standing foot is on 0"),
        ),
    )
    lift: float = option(
        0.0,
        "By how much it is raised",
        minimum=-1000.0,
        maximum=1000.0,
        unit=" m",
        usual=(-2.0, 2.0),
        only_for=("height", ("lift",)),
    )
    frame: int = option(
        0,
        "Frame in which place and facing are so, counted from 0",
        minimum=0,
        pick=FRAME,
        shown=RARE,
    )

    def result_name(self, names: Sequence[str]) -> str:
        return f"{names[0]} after {names[1]}" if len(names) > 1 else f"{names[0]} placed"

    def figures(self, report: Mapping[str, Any]) -> list[str]:
        """Return the main figures of a result in a few lines, from its report."""
        own = report["place"]
        (x, y, facing), (far_x, far_y, far_facing) = own["first"][1], own["last"][1]
        raised = f", raised by {own['raised_m']:.2f} m" if own["raised_m"] else ""
        return [
            f"  turned by {own['turned_degrees']:.1f}°{raised}: from {x:.2f}, {y:.2f} facing {facing:.0f}°"
            f" to {far_x:.2f}, {far_y:.2f} facing {far_facing:.0f}°"
        ]
