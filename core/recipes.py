"""The recipes: everything a user can ask for, as small frozen values with JSON in and out.

A panel fills a recipe, the command line parses one, a result carries the one that made it. Standard library
only; the work itself is imported when a recipe is applied.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from .errors import OptionError
from .options import Declared, declared, option
from .progress import SILENT, Progress
from .sync.matching import Matching

if TYPE_CHECKING:
    from .graph.graph import Graph as MotionGraph
    from .motion.clip import Clip
    from .weave.matched import Matched
    from .weave.woven import Woven


@dataclass(frozen=True, kw_only=True)
class Recipe(Declared):
    """A verb with its options."""

    verb: ClassVar[str]
    label: ClassVar[str]

    def apply(self, clips: Sequence["Clip"], progress: Progress = SILENT) -> "Woven":
        """Do it; raises LoomError kinds for clips that it can't be done with."""
        raise NotImplementedError

    def result_name(self, names: Sequence[str]) -> str:
        """Return what the result of clips of these names is called, before it is made; raises OptionError."""
        return f"{' + '.join(names)} {self.verb}"

    def to_json(self) -> str:
        values = {name: getattr(self, name) for name in declared(type(self))}
        return json.dumps({"verb": self.verb, **values}, sort_keys=True)


@dataclass(frozen=True, kw_only=True)
class Synchronise(Recipe, Matching):
    """Re-time the second clip so that it moves in step with the first."""

    verb = "sync"
    label = "Synchronise"

    def apply(
        self, clips: Sequence["Clip"], progress: Progress = SILENT, matched: "Matched | None" = None
    ) -> "Woven":
        """Do it, with what the same clips gave under the same matching before, if that is still known."""
        from .weave import retime

        return retime.synchronise(clips, self, progress, matched=matched)

    def result_name(self, names: Sequence[str]) -> str:
        if len(names) != 2 or self.reference not in ("1", "2"):
            return super().result_name(names)
        reference = int(self.reference) - 1
        return f"{names[1 - reference]} in time with {names[reference]}"


@dataclass(frozen=True, kw_only=True)
class Blend(Recipe, Matching):
    """Weave several clips into one that lies between them."""

    verb = "blend"
    label = "Blend"

    weights: tuple[float, ...] = option(
        (), "The share of each clip; any non-negative numbers, equal if none are given", minimum=0.0
    )
    weight_keys: tuple[tuple[float, ...], ...] = option(
        (),
        "Weights that change on the way: rows of a place from 0 (start) to 1 (end) and each clip's share there",
        minimum=0.0,
        table=True,
    )
    timing: str = option(
        "blended",
        "Whether the result's timing lies between the clips or follows the reference",
        choices=("blended", "reference"),
    )

    def apply(
        self, clips: Sequence["Clip"], progress: Progress = SILENT, matched: "Matched | None" = None
    ) -> "Woven":
        """Do it, with what the same clips gave under the same matching before, if that is still known."""
        from .weave import blend

        return blend.blend(
            clips,
            self,
            name=self.result_name([clip.name for clip in clips]),
            weights=self.weights,
            weight_keys=self.weight_keys,
            timing=self.timing,
            progress=progress,
            matched=matched,
        )

    def result_name(self, names: Sequence[str]) -> str:
        from .weave import shares

        keys, count = self.weight_keys, len(names)
        shared = shares.keyed(keys, count) if keys else shares.constant(self.weights, count)
        shown = [shared.rows[0], shared.rows[-1]] if shared.change else [shared.rows[0]]
        percent = (":".join(f"{round(100 * share)}" for share in row) for row in shown)
        return f"{' + '.join(names)} {' to '.join(percent)}"


@dataclass(frozen=True, kw_only=True)
class Loop(Recipe):
    """Make one cycle that repeats without a seam out of a clip that repeats itself."""

    verb = "loop"
    label = "Loop"

    finder: str = option(
        "cycle",
        "How the cycle is found: each stretch against the one after it, or by autocorrelation",
        choices=("cycle", "autocorrelation"),
    )
    start: int = option(0, "First frame of the cycle, counted from 0, where its length is given", minimum=0)
    length: int = option(0, "Frames of the cycle; 0 finds it", minimum=0)
    method: str = option(
        "ease",
        "How the seam is closed; auto tries all and takes what measures best",
        choices=("auto", "ease", "offset", "lagrange", "spline"),
    )
    in_place: bool = option(False, "Stay on the spot instead of going on over the ground")
    straighten: str = option(
        "auto",
        "Whether the cycle goes straight on; auto does if it turns by 8 degrees or less",
        choices=("auto", "yes", "no"),
    )
    phase: float = option(0.0, "Where in the cycle the result begins, as a share of it", minimum=0.0, maximum=1.0)
    repeat: int = option(1, "How many cycles the result has", minimum=1, maximum=1000)
    trim: bool = option(True, "Leave out calibration poses and jumps in the first and last 0.1 s")

    def apply(self, clips: Sequence["Clip"], progress: Progress = SILENT) -> "Woven":
        from .weave import loop

        return loop.loop(clips, self, progress)

    def result_name(self, names: Sequence[str]) -> str:
        return f"{' + '.join(names)} loop"


@dataclass(frozen=True, kw_only=True)
class Connect(Recipe):
    """Play clips one after the other, each entered where it is nearest to where the last one is left."""

    verb = "connect"
    label = "Connect"

    method: str = option(
        "ease",
        "How the seam is mended; auto tries all and takes what measures best",
        choices=("auto", "ease", "inertial", "lagrange", "spline", "registered"),
    )
    length: float = option(
        0.0, "How long the mending takes; 0 is what suits the method", minimum=0.0, maximum=5.0, unit=" s"
    )
    by_correlation: bool = option(
        False, "Let lagrange and spline choose how much to lead anew by how alike both sides are"
    )
    anywhere: bool = option(False, "Look for the transition in all of both clips, not only near end and start")
    candidate: int = option(0, "Which of the transitions found is taken, counted from 0", minimum=0, maximum=11)
    from_frame: int = option(-1, "Frame at which the first clip is left; -1 finds it", minimum=-1)
    to_frame: int = option(-1, "Frame at which the second clip is entered; -1 finds it", minimum=-1)
    trim: bool = option(True, "Leave out calibration poses and jumps in the first and last 0.1 s")

    def apply(self, clips: Sequence["Clip"], progress: Progress = SILENT) -> "Woven":
        from .weave import connect

        return connect.connect(clips, self, progress)

    def result_name(self, names: Sequence[str]) -> str:
        return " > ".join(names)


@dataclass(frozen=True, kw_only=True)
class Splice(Recipe):
    """Put the upper body of one clip, the action, onto the lower body of another, the locomotion."""

    verb = "splice"
    label = "Splice"

    method: str = option(
        "gaussian",
        "How the trunk goes with the locomotion: as its own does, as its own does about the action's posture,"
        " as the channels say, or with its swing added",
        choices=("gaussian", "heck", "copy", "additive"),
    )
    posture: float = option(
        0.0,
        "How much of the action's posture is kept, its lean and its turn (method gaussian)",
        minimum=0.0,
        maximum=1.0,
    )
    smoothing: float = option(
        0.0417,
        "Spread of the window over which the trunk's correction is averaged; more keeps more of the action's own"
        " turning (method gaussian)",
        minimum=0.0,
        maximum=0.125,
        unit=" s",
    )
    strength: float = option(
        1.0, "How much of the action there is: 0 is the locomotion as it was", minimum=0.0, maximum=1.0
    )
    upper: str = option(
        "",
        "Names of the joints where the upper body begins, apart by commas, each with all that hangs below it; with a"
        " minus before it, without. None is the lowest joint of the spine",
    )
    timing: str = option(
        "auto",
        "Whether the action is played at its own speed or in step with the locomotion; auto asks whether legs match",
        choices=("auto", "own", "sync"),
    )
    start: int = option(0, "Frame of the action that it is played from, counted from 0", minimum=0)
    short: str = option(
        "repeat", "What an action does that is shorter than the locomotion", choices=("repeat", "hold")
    )
    trim: bool = option(True, "Leave out calibration poses and jumps in the first and last 0.1 s")

    def apply(self, clips: Sequence["Clip"], progress: Progress = SILENT) -> "Woven":
        from .weave import splice

        return splice.splice(clips, self, progress)

    def result_name(self, names: Sequence[str]) -> str:
        return f"{names[1]} on {names[0]}" if len(names) == 2 else super().result_name(names)


@dataclass(frozen=True, kw_only=True)
class Graphing(Declared):
    """How clips are connected to a motion graph (methods 8)."""

    threshold: float = option(
        0.05,
        "Frames nearer than this are connected: metres a point; over 0.07 feet slide",
        minimum=0.005,
        maximum=1.0,
    )
    relative: bool = option(
        False, "Let the threshold grow with the speed: it is then seconds, times the speed of the body's points"
    )
    transition: float = option(
        1.0 / 3.0, "How long a transition takes", minimum=0.03, maximum=2.0, unit=" s"
    )
    mirror: bool = option(True, "Let the clips' mirror images take part, so that left and right are alike")
    labels: str = option("", "A word for each clip, in order; only clips of the same word are connected")

    def result_name(self, names: Sequence[str]) -> str:
        """Return what the graph of clips of these names is called."""
        return " + ".join(names) if len(names) < 4 else f"{names[0]} + {len(names) - 1} more"


@dataclass(frozen=True, kw_only=True)
class Graph(Graphing):
    """Connect clips where they are alike to a motion graph that can be walked for ever."""

    verb: ClassVar[str] = "graph"
    label: ClassVar[str] = "Motion Graph"

    def apply(self, clips: Sequence["Clip"], progress: Progress = SILENT) -> "MotionGraph":
        """Do it; raises LoomError kinds for clips that do not connect."""
        from .graph import graph

        return graph.build(clips, self, progress)


@dataclass(frozen=True, kw_only=True)
class Walking(Recipe, Graphing):
    """A walk through a motion graph of the clips."""

    def walked(self, clips: Sequence[Any]) -> list[Any]:
        """Return those of some clips, or of what belongs to each, that the graph is made of."""
        return list(clips)

    def apply(
        self, clips: Sequence["Clip"], progress: Progress = SILENT, graph: "MotionGraph | None" = None
    ) -> "Woven":
        """Do it, through a graph of the clips that are walked which was built before, if there is one."""
        if graph is None:
            from .graph.graph import build

            graph = build(self.walked(clips), self, progress.part(0.0, 0.5))
        return self.through(graph, clips, progress.part(0.5, 1.0))

    def through(self, graph: "MotionGraph", clips: Sequence["Clip"], progress: Progress) -> "Woven":
        """Walk through a graph; raises LoomError kinds for what it does not lead to."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class Follow(Walking):
    """Walk along a path by way of a motion graph of the clips."""

    verb = "follow"
    label = "Follow Path"

    path: tuple[tuple[float, ...], ...] = option(
        (), "The path: rows of x and y on the ground, metres", minimum=-1e6, maximum=1e6, table=True
    )
    closed: bool = option(False, "Let the path lead back to its start")
    fidelity: float = option(
        0.3,
        "How much likeness at transitions counts against nearness to the path: smaller keeps to the path, larger moves"
        " more naturally",
        minimum=0.0,
        maximum=10.0,
    )
    bend: float = option(
        10.0,
        "How far the ground may be turned under the clips where they do not turn enough, degrees a metre; 0 is not",
        minimum=0.0,
        maximum=45.0,
    )
    speed: float = option(0.0, "The speed that is wanted, metres a second; 0 is any", minimum=0.0, maximum=15.0)
    horizon: float = option(
        0.0,
        "Metres that are looked ahead before half of that is decided, for very long paths; 0 looks at all of it",
        minimum=0.0,
        maximum=1000.0,
    )
    spread: float = option(
        1.0,
        "Time over which what is left between walk and path is spread; 0 leaves it",
        minimum=0.0,
        maximum=10.0,
        unit=" s",
    )
    among: str = option("", "Walk among clips of this label only")
    stretches: tuple[tuple[float, ...], ...] = option(
        (),
        "Where the upper body does something else on the way: rows of start and end, 0 to 1 of the path, and the number"
        " of the clip, counted from 1; clips that are named here are not walked",
        minimum=0.0,
        table=True,
    )

    def walked(self, clips: Sequence[Any]) -> list[Any]:
        """Return all but the actions of stretches."""
        actions = {row[2] for row in self.stretches if len(row) > 2}
        return [clip for number, clip in enumerate(clips, 1) if number not in actions]

    def through(self, graph: "MotionGraph", clips: Sequence["Clip"], progress: Progress) -> "Woven":
        from .graph import follow

        return follow.follow(graph, self, progress, clips)

    def result_name(self, names: Sequence[str]) -> str:
        return f"{Graphing.result_name(self, self.walked(names) or names)} along a path"


@dataclass(frozen=True, kw_only=True)
class Walk(Walking):
    """Wander through a motion graph of the clips at random, the same way for the same seed."""

    verb = "walk"
    label = "Random Walk"

    seconds: float = option(30.0, "How long the walk is", minimum=0.1, maximum=36000.0, unit=" s")
    seed: int = option(1, "Another number gives another walk", minimum=0, maximum=2**31 - 1)
    hold: float = option(
        1.5, "How long the walk stays in a clip between transitions, on average", minimum=0.0, maximum=3600.0, unit=" s"
    )
    among: str = option("", "Walk among clips of this label only")

    def through(
        self, graph: "MotionGraph", clips: Sequence["Clip"], progress: Progress  # noqa: ARG002
    ) -> "Woven":
        from .graph import walk

        return walk.at_random(graph, self)

    def result_name(self, names: Sequence[str]) -> str:
        return f"{Graphing.result_name(self, names)} walk {self.seed}"


@dataclass(frozen=True, kw_only=True)
class ShortestPath(Walking):
    """Go from a frame of one clip to a frame of another through a motion graph in the least time."""

    verb = "path"
    label = "Shortest Transition"

    leave: str = option("", "The clip and the frame to begin at, such as walk:120")
    reach: str = option("", "The clip and the frame to end at, such as run:30")

    def through(
        self, graph: "MotionGraph", clips: Sequence["Clip"], progress: Progress  # noqa: ARG002
    ) -> "Woven":
        from .graph import walk

        return walk.shortest(graph, self)

    def result_name(self, names: Sequence[str]) -> str:
        return f"{Graphing.result_name(self, names)} {self.leave} to {self.reach}"


RECIPES: dict[str, type[Recipe]] = {
    recipe.verb: recipe for recipe in (Synchronise, Blend, Loop, Connect, Splice, Follow, Walk, ShortestPath)
}


def from_json(text: str) -> Recipe:
    """Read a recipe; raises OptionError for unknown verbs, unknown options and values out of range."""
    try:
        values = json.loads(text)
        verb = values.pop("verb")
        recipe = RECIPES[verb]
    except (ValueError, AttributeError, KeyError, TypeError, RecursionError):
        raise OptionError(f"This is not a recipe of {', '.join(RECIPES)}: {text[:80]}") from None
    unknown = sorted(set(values) - set(declared(recipe)))
    if unknown:
        raise OptionError(f"The recipe {verb!r} has no option {', '.join(unknown)}")
    return recipe(**values)


