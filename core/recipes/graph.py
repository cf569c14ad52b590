"""Options of motion graphs and of walks through them (methods: Motion graph; Following a drawn path)."""

from typing import Self

from ..options import HIDDEN, RARE, constant, declaration, option
from .base import Recipe
from .planting import PlantOptions
from .travel import TravelOptions


@declaration
class GraphOptions(TravelOptions):
    """How clips are connected to a motion graph."""

    threshold: float = option(
        0.05,
        "Connect frames nearer than this, metres a point; over 0.07 feet slide",
        bounds=(0.005, 1.0),
        usual=(0.02, 0.15),
    )
    relative: bool = constant(False)
    mirror: bool = option(True, "Use the clips' mirror images, too")
    climbing: bool = option(
        False,
        "Climb as the clips do, on stairs and ramps, and follow the curve's height",
    )
    transition: float = option(
        1.0 / 3.0, "How long a transition takes", bounds=(0.03, 2.0), unit=" s", usual=(0.1, 1.0)
    )
    labels: str = option(
        "",
        "A word for each clip, in order; only clips of one word are connected",
        shown=HIDDEN,  # a field of each source
    )


@declaration
class GraphWalk(Recipe, PlantOptions):
    """A walk through clips, or through the clips of a motion graph."""

    least = 1

    @classmethod
    def check_count(cls, count: int) -> None:
        """Accept any number of clips: an existing graph has its own, and the builder of graphs counts others."""

    def after(self, count: int) -> Self:  # noqa: ARG002  (for walks that name clips by number)
        """Return the recipe with clip numbers for a list in which `count` clips were inserted at the beginning."""
        return self


@declaration
class VariationOptions(TravelOptions):
    """How clips become the rows of a variation (methods: Variations)."""

    transition: float = option(
        1.0 / 3.0, "How long a transition takes", bounds=(0.03, 2.0), unit=" s", usual=(0.1, 1.0), shown=RARE
    )
    mirror: bool = option(False, "Use the clips' mirror images, too")
    climbing: bool = option(False, "Climb as the clips do, on stairs and ramps", shown=RARE)
    labels: str = option(
        "",
        "A word for each clip, in order; only clips of one word are connected",
        shown=HIDDEN,  # a field of each source
    )
