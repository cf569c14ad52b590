"""Turn and move a whole clip on the ground (methods: Mirror, placement, root motion)."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...options import FRAME, RARE, Choice, declaration, option
from ...recipes.base import Recipe


@declaration
class Place(Recipe):
    """Turn and move a whole clip: to a place, to the end of another clip, or where it is."""

    verb = "place"
    takes_partners = True
    label = "Place"
    tooltip = "Turn and move the whole action on the ground, or go on from another"
    least = 1
    most = 2
    of_action = True
    summary = "turn and move a whole clip on the ground, to a place or to where a second clip ends"

    where: str = option(
        "auto",
        "Where the result begins",
        choices=(
            Choice("auto", "", "At the end of the second clip if two are given, else at x and y"),
            Choice("at", "At a Place", "Hips over x and y"),
            Choice("own", "Where It Is", "Only turned or raised"),
            Choice("after", "After Another", "At the end of the second clip, going on as it does"),
        ),
    )
    x: float = option(
        0.0,
        "Place of the hips on the ground",
        bounds=(-1e6, 1e6),
        unit=" m",
        usual=(-10.0, 10.0),
        only_for=("where", ("auto", "at")),
    )
    y: float = option(
        0.0,
        "Place of the hips on the ground",
        bounds=(-1e6, 1e6),
        unit=" m",
        usual=(-10.0, 10.0),
        only_for=("where", ("auto", "at")),
    )
    face: str = option(
        "own",
        "Which way it faces",
        choices=(
            Choice("own", "As It Is", "As it does, or as the clip before does at its end"),
            Choice("way", "A Way"),
        ),
    )
    facing: float = option(
        0.0,
        "Facing in degrees: 0 is along +y; 90, to the left of that, along -x",
        bounds=(-360.0, 360.0),
        unit="°",
        usual=(-180.0, 180.0),
        only_for=("face", ("way",)),
    )
    height: str = option(
        "own",
        "How high it is",
        choices=(
            Choice("own", "As It Is"),
            Choice("lift", "Lifted"),
            Choice("floor", "On the Floor", "Its lowest standing foot is on 0"),
        ),
    )
    lift: float = option(
        0.0,
        "By how much it is raised",
        bounds=(-1000.0, 1000.0),
        unit=" m",
        usual=(-2.0, 2.0),
        only_for=("height", ("lift",)),
    )
    frame: int = option(
        0,
        "Frame that has this place and facing, from 0",
        minimum=0,
        pick=FRAME,
        shown=RARE,
    )

    def result_name(self, names: Sequence[str]) -> str:
        return f"{names[0]} after {names[1]}" if len(names) > 1 else f"{names[0]} placed"

    def without_effect(self, report: Mapping[str, Any]) -> list[str]:
        """Return a sentence for each option without effect, from a result's report."""
        after = self.where == "auto" and report["place"]["where"] == "after"
        lost = [name for name in ("x", "y") if after and getattr(self, name)]
        why = "it begins where the second clip ends"
        return [*super().without_effect(report), *(f"{name} had no effect: {why}" for name in lost)]

    def figures(self, report: Mapping[str, Any]) -> list[str]:
        """Return the main figures of a result in a few lines, from its report."""
        own = report["place"]
        (x, y, facing), (far_x, far_y, far_facing) = own["first"][1], own["last"][1]
        raised = f", raised by {own['raised_m']:.2f} m" if own["raised_m"] else ""
        return [
            f"  turned by {own['turned_degrees']:.1f}°{raised}: from {x:.2f}, {y:.2f} facing {facing:.0f}°"
            f" to {far_x:.2f}, {far_y:.2f} facing {far_facing:.0f}°"
        ]
