"""Options of motion graphs and of walks through them (methods: Motion graph; Following a drawn path)."""

from typing import Self

from ..options import HIDDEN, declaration, option
from .base import Recipe
from .planting import PlantOptions
from .travel import TravelOptions


@declaration
class GraphOptions(TravelOptions):
    """How clips are connected to a motion graph."""

    threshold: float = option(
        0.05,
        "Frames nearer than this are connected: metres a point; over 0.07 feet slide",
        minimum=0.005,
        maximum=1.0,
        usual=(0.02, 0.15),
    )
    relative: bool = option(
        False, "Let the threshold grow with the speed: it is then seconds, times the speed of the body's points"
    )
    mirror: bool = option(True, "Let the clips' mirror images take part, so that left and right are alike")
    climbing: bool = option(
        False,
        "Let walks climb as the clips do, on stairs and ramps: how high the ground is under them is carried on, and"
        " that of a path is followed",
    )
    transition: float = option(
        1.0 / 3.0, "How long a transition takes", minimum=0.03, maximum=2.0, unit=" s", usual=(0.1, 1.0)
    )
    labels: str = option(
        "",
        "A word for each clip, in order; only clips of the same word are connected",
        shown=HIDDEN,  # a field of each source
    )


@declaration
class GraphWalk(Recipe, PlantOptions, GraphOptions):
    """A walk through a motion graph of the clips."""

    least = 1

    def after(self, count: int) -> Self:  # noqa: ARG002  (for walks that name clips by number)
        """Return the recipe with so many more clips before those that it counts."""
        return self
