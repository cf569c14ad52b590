"""Motion graphs: building one, and walks through it (methods: Motion graph; Following a drawn path)."""

import difflib
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from ..errors import OptionError
from ..options import HIDDEN, LABEL, PANEL, PLACE, RARE, Choice, Option, declared, option
from .base import Recipe, graph_name
from .planting import PlantOptions
from .splice import PointOptions, Splice, SpliceOptions
from .travel import TravelOptions


@dataclass(frozen=True, kw_only=True)
class GraphOptions(TravelOptions):
    """How clips are connected to a motion graph (methods: Motion graph)."""

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
class Follow(GraphWalk, PointOptions):
    """Walk along a path by way of a motion graph of the clips."""

    verb = "follow"
    label = "Follow Curve"
    tooltip = "Walk along the curve, through the graph of the ticked actions"
    mode = "Path"
    mode_tooltip = "A walk along a curve, through a motion graph of them all"
    summary = "walk along a path, through a motion graph"

    path: tuple[tuple[float, ...], ...] = option(
        (),
        "The path: rows of x and y on the ground, metres; where clips climb, with its height",
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
    follows: str = option(
        "hips",
        "What of the body keeps to a path",
        choices=(
            Choice("hips", "", "The hips"),
            Choice("mass", "Centre of Mass", "Where all its parts balance, by a table of their masses"),
        ),
        shown=RARE,
    )
    label_filter: str = option("", "Walk among clips of this label only", shown=RARE, aliases=("among",), pick=LABEL)
    stretches: tuple[tuple[float, ...], ...] = option(
        (),
        "Where the upper body does something else on the way: rows of start and end, 0 to 1 of the path, and the number"
        " of a clip, counted from 1, or of several, which are connected; clips that are named here are not walked",
        minimum=0.0,
        table=True,
        shown=HIDDEN,  # rows with an action each
    )
    stretch_options: str = option(
        "",
        "How these are spliced: options of splice for each, separated by semicolons, such as 'method=heck; posture=1"
        " splice_threshold=0.2'; for all, where there is no semicolon",
        shown=HIDDEN,  # fields of each
    )

    route: tuple[tuple[float, ...], ...] = option(
        (),
        "The walk itself, as the report of one has it; looked for if none is given, and if the clips have it no more",
        minimum=-1e9,
        maximum=1e9,
        table=True,
        shown=HIDDEN,  # it comes from a report
    )

    def prepared_of(self, clips: Sequence[Any]) -> list[Any]:
        """Return all but the actions of stretches."""
        actions = {number for row in self.stretches for number in row[2:]}
        return [clip for number, clip in enumerate(clips, 1) if number not in actions]

    def stretch_rows(self, count: int) -> list[tuple[float, float, tuple[int, ...]]]:
        """Return start, end and numbers of the clips of each stretch, of so many; raises OptionError for none."""
        return [_stretch(row, count) for row in self.stretches]

    def stretch_splices(self) -> list[Splice]:
        """Return how each stretch is spliced; raises OptionError for what is no option of splice, or is no value."""
        told = _parts(self.stretch_options)
        if len(told) not in (1, len(self.stretches)) and self.stretch_options.strip(" ;"):
            raise OptionError(
                f"stretch_options has {len(told)} parts for {len(self.stretches)} stretches: give one for each, or one"
            )
        told = told * len(self.stretches) if len(told) == 1 else told
        shared = {name: getattr(self, name) for name in declared(PointOptions)}
        return [Splice(**(shared | _options(text))) for _, text in zip(self.stretches, told, strict=False)]

    def after(self, count: int) -> Self:
        # A row that is none is refused by name when the stretches are read.
        rows = tuple((*row[:2], *(number + count for number in row[2:])) for row in self.stretches)
        return replace(self, stretches=rows)

    def result_name(self, names: Sequence[str]) -> str:
        return f"{graph_name(self.prepared_of(names) or names)} along a path"


# What can be changed of a walk while it is edited: the path, and what is done on the way.
ON_THE_WAY = frozenset(("path", "closed", "route", "stretches", "stretch_options", *declared(PointOptions)))


def _stretch(row: Sequence[float], count: int) -> tuple[float, float, tuple[int, ...]]:
    if not count:
        raise OptionError("stretches name clips by their number, but none are given")
    if len(row) >= 3 and row[0] >= row[1]:
        raise OptionError(f"a stretch from {row[0]:.0%} to {row[1]:.0%} of the path ends before it begins")
    named = all(number == int(number) and 1 <= number <= count for number in row[2:])
    if len(row) < 3 or not row[1] <= 1.0 or not named or len(set(row[2:])) < len(row[2:]):
        numbers = " ".join(f"{value:g}" for value in row)
        raise OptionError(
            f"a stretch is start and end between 0 and 1 and the number of a clip from 1 to {count}, or of several, not"
            f" {numbers!r}"
        )
    return row[0], row[1], tuple(int(number) for number in row[2:])


def _parts(text: str) -> list[str]:
    """A text at its semicolons but for those in quotes, which `shlex` ends as a shell does."""
    parts, quote = [""], ""
    for letter in text:
        if letter == ";" and not quote:
            parts.append("")
            continue
        parts[-1] += letter
        if letter in "'\"":
            quote = "" if letter == quote else quote or letter
    return parts


def stretch_text(values: Mapping[str, Any]) -> str:
    """Return options of splice for one stretch as the text that `stretch_options` has of it, without usual values."""
    known = declared(SpliceOptions)
    words = {True: "yes", False: "no"}
    unusual = {name: value for name, value in values.items() if value != known[name].default}
    return " ".join(
        f"{name}={shlex.quote(words[value] if isinstance(value, bool) else f'{value}')}"
        for name, value in unusual.items()
    )


def _options(text: str) -> dict[str, Any]:
    """Options of splice by name, as a text such as "method=heck posture=1" has them."""
    known: dict[str, Option] = declared(SpliceOptions)
    values: dict[str, Any] = {}
    try:
        entries = shlex.split(text)
    except ValueError:
        raise OptionError(f"stretch_options has quotes that do not end: {text!r}") from None
    for entry in entries:
        name, equals, value = entry.partition("=")
        if name not in known or not equals:
            near = difflib.get_close_matches(name, known, n=3, cutoff=0.4)
            meant = f"; did you mean {', '.join(near)}?" if near else ""
            raise OptionError(f"stretch_options has {entry!r}, which is no option of splice and its value{meant}")
        about = known[name]
        if about.kind is bool and value not in _WORDS:
            raise OptionError(f"{name} is {value!r} in stretch_options, but must be yes or no")
        values[name] = about.checked(_WORDS[value] if about.kind is bool else value)
    return values


_WORDS = {"yes": True, "no": False, "true": True, "false": False}


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
