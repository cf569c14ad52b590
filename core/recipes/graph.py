"""Motion graphs: building one, and walks through it (methods 8 and 9)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from ..errors import OptionError
from ..options import HIDDEN, LABEL, PANEL, PLACE, RARE, option
from .base import Recipe
from .planting import PlantOptions
from .travel import TravelOptions


@dataclass(frozen=True, kw_only=True)
class GraphOptions(TravelOptions):
    """How clips are connected to a motion graph (methods 8)."""

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
    transition: float = option(
        1.0 / 3.0, "How long a transition takes", minimum=0.03, maximum=2.0, unit=" s", usual=(0.1, 1.0)
    )
    labels: str = option(
        "",
        "A word for each clip, in order; only clips of the same word are connected",
        shown=HIDDEN,  # a field of each source
    )


def graph_name(names: Sequence[str]) -> str:
    """Return what the graph of clips of these names is called."""
    return " + ".join(names) if len(names) < 4 else f"{names[0]} + {len(names) - 1} more"


@dataclass(frozen=True, kw_only=True)
class BuildGraph(Recipe, GraphOptions):
    """Connect clips where they are alike to a motion graph that can be walked for ever."""

    verb = "graph"
    label = "Build Graph"
    tooltip = "Connect the ticked actions wherever they are alike, and show how; nothing is changed"
    least = 1
    summary = "connect clips where they are alike"

    def result_name(self, names: Sequence[str]) -> str:
        return graph_name(names)


@dataclass(frozen=True, kw_only=True)
class GraphWalk(Recipe, PlantOptions, GraphOptions):
    """A walk through a motion graph of the clips."""

    least = 1

    def after(self, count: int) -> Self:  # noqa: ARG002  (for walks that name clips by number)
        """Return the walk with so many more clips before those that it counts."""
        return self


@dataclass(frozen=True, kw_only=True)
class Follow(GraphWalk):
    """Walk along a path by way of a motion graph of the clips."""

    verb = "follow"
    label = "Follow Curve"
    tooltip = "Walk along the curve, through the graph of the ticked actions"
    mode = "Path"
    mode_tooltip = "A walk along a curve, through a motion graph of them all"
    summary = "walk along a path, through a motion graph"

    path: tuple[tuple[float, ...], ...] = option(
        (),
        "The path: rows of x and y on the ground, metres",
        minimum=-1e6,
        maximum=1e6,
        table=True,
        from_file=True,
        shown=HIDDEN,  # a curve object
    )
    closed: bool = option(False, "Let the path lead back to its start", shown=HIDDEN)
    fidelity: float = option(
        0.3,
        "How much likeness at transitions counts against nearness to the path: smaller keeps to the path, larger moves"
        " more naturally",
        minimum=0.0,
        maximum=10.0,
        usual=(0.0, 2.0),
    )
    bend: float = option(
        10.0,
        "How far the ground may be turned under the clips where they do not turn enough, for a body of 1.7 m; more for"
        " smaller ones",
        minimum=0.0,
        maximum=45.0,
        unit="°/m",
        usual=(0.0, 20.0),
        zero="not at all",
    )
    spread: float = option(
        1.0,
        "Time over which what is left between walk and path is spread; 0 leaves it",
        minimum=0.0,
        maximum=10.0,
        unit=" s",
        usual=(0.0, 3.0),
        zero="it is left",
    )
    speed: float = option(
        0.0,
        "The speed that is wanted; 0 is any",
        minimum=0.0,
        maximum=15.0,
        unit=" m/s",
        usual=(0.0, 6.0),
        zero="any",
        shown=RARE,
    )
    horizon: float = option(
        0.0,
        "How far is looked ahead before half of that is decided, for very long paths; 0 looks at all of it",
        minimum=0.0,
        maximum=1000.0,
        unit=" m",
        usual=(0.0, 100.0),
        zero="all of it",
        shown=RARE,
    )
    label_filter: str = option("", "Walk among clips of this label only", shown=RARE, aliases=("among",), pick=LABEL)
    stretches: tuple[tuple[float, ...], ...] = option(
        (),
        "Where the upper body does something else on the way: rows of start and end, 0 to 1 of the path, and the number"
        " of the clip, counted from 1; clips that are named here are not walked",
        minimum=0.0,
        table=True,
        shown=HIDDEN,  # rows with an action each
    )

    def prepared_of(self, clips: Sequence[Any]) -> list[Any]:
        """Return all but the actions of stretches."""
        actions = {row[2] for row in self.stretches if len(row) > 2}
        return [clip for number, clip in enumerate(clips, 1) if number not in actions]

    def stretch_rows(self, count: int) -> list[tuple[float, float, int]]:
        """Return start, end and number of the clip of each stretch, of so many clips; raises OptionError for none."""
        return [_stretch(row, count) for row in self.stretches]

    def after(self, count: int) -> Self:
        # A row that is none is refused by name when the stretches are read.
        rows = tuple((*row[:2], *(number + count for number in row[2:])) for row in self.stretches)
        return replace(self, stretches=rows)

    def result_name(self, names: Sequence[str]) -> str:
        return f"{graph_name(self.prepared_of(names) or names)} along a path"


def _stretch(row: Sequence[float], count: int) -> tuple[float, float, int]:
    if not count:
        raise OptionError("stretches name clips by their number, but none are given")
    if len(row) == 3 and row[0] >= row[1]:
        raise OptionError(f"a stretch from {row[0]:.0%} to {row[1]:.0%} of the path ends before it begins")
    if len(row) != 3 or not row[1] <= 1.0 or row[2] != int(row[2]) or not 1 <= row[2] <= count:
        numbers = " ".join(f"{value:g}" for value in row)
        raise OptionError(
            f"a stretch is start and end between 0 and 1 and the number of a clip from 1 to {count}, not {numbers!r}"
        )
    return row[0], row[1], int(row[2])


@dataclass(frozen=True, kw_only=True)
class Walk(GraphWalk):
    """Wander through a motion graph of the clips at random, the same way for the same seed."""

    verb = "walk"
    label = "Random Walk"
    tooltip = "Wander through the graph of the ticked actions; another seed, another walk"
    summary = "wander through a motion graph at random"

    seconds: float = option(30.0, "How long the walk is", minimum=0.1, maximum=36000.0, unit=" s", usual=(1.0, 300.0))
    seed: int = option(1, "Another number gives another walk", minimum=0, maximum=2**31 - 1)
    hold: float = option(
        1.5,
        "How long the walk stays in a clip between transitions, on average",
        minimum=0.0,
        maximum=3600.0,
        unit=" s",
        usual=(0.0, 10.0),
    )
    label_filter: str = option("", "Walk among clips of this label only", shown=PANEL, aliases=("among",), pick=LABEL)

    def result_name(self, names: Sequence[str]) -> str:
        return f"{graph_name(names)} walk {self.seed}"


@dataclass(frozen=True, kw_only=True)
class Shortest(GraphWalk):
    """Go from a frame of one clip to a frame of another through a motion graph in the least time."""

    verb = "shortest"
    earlier_verbs = ("path",)
    label = "Shortest Transition"
    tooltip = "Go from a frame of one of the ticked actions to a frame of another, in the least time"
    summary = "go from a frame to another through a motion graph, in the least time"

    leave: str = option("", "The clip and the frame of it to begin at, counted from 0, such as walk:120", pick=PLACE)
    reach: str = option("", "The clip and the frame of it to end at, counted from 0, such as run:30", pick=PLACE)

    def with_names(self, names: Mapping[str, str]) -> Self:
        today = dict(names) | {f"{before} mirrored": f"{now} mirrored" for before, now in names.items()}
        renamed = []
        for place in (self.leave, self.reach):
            clip, colon, frame = place.rpartition(":")
            renamed.append(f"{today.get(clip, clip)}{colon}{frame}")
        return replace(self, leave=renamed[0], reach=renamed[1])

    def result_name(self, names: Sequence[str]) -> str:
        return f"{graph_name(names)} {self.leave} to {self.reach}"
