"""Walk along a drawn path, through a motion graph of the clips.

Method: Following a drawn path.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

from ...errors import OptionError, wrong_count, wrong_rows
from ...options import HIDDEN, LABEL, RARE, Choice, Option, declaration, declared_options, option, readable
from ...recipes.base import graph_name
from ...recipes.graph import GraphOptions, GraphWalk
from ...recipes.splice import PointOptions, SpliceOptions
from ..splice import Splice, point_figures


@declaration
class Follow(GraphWalk, GraphOptions, PointOptions):
    """Walk along a path through a motion graph of the clips."""

    verb = "follow"
    takes_partners = True
    label = "Follow Path"
    tooltip = "Walk along the curve with the ticked actions"
    mode = "Path"
    intent = "Path"
    summary = "walk along a path, through a motion graph"

    path: tuple[tuple[float, ...], ...] = option(
        (),
        "The path: rows of x and y on the ground, metres; where clips climb, with its height",
        minimum=-1e6,
        maximum=1e6,
        table=True,
        from_file=True,
        shown=HIDDEN,  # set by a curve object
    )
    closed: bool = option(False, "Let the path lead back to its start", shown=HIDDEN)
    fidelity: float = option(
        0.3,
        "Smaller keeps to the curve, larger moves more naturally",
        minimum=0.0,
        maximum=10.0,
        usual=(0.0, 2.0),
    )
    ending: str = option(
        "walk",
        "How the walk ends",
        choices=(
            Choice("walk", "Keep Walking", "In mid-step, where the curve ends"),
            Choice("stop", "", "It comes to rest where the curve ends"),
            Choice("stand", "", "It stops, and stands for two seconds"),
            Choice("action", "", "It goes over into another action: the last one given, which is not walked"),
        ),
    )
    bend: float = option(
        10.0,
        "How far the ground may turn under a body of 1.7 m, more under smaller ones; 0 keeps the clips as"
        " captured, up to 10 is rarely noticeable",
        minimum=0.0,
        maximum=45.0,
        unit="°/m",
        usual=(0.0, 20.0),
        zero="not at all",
    )
    spread: float = option(
        1.0,
        "Time over which the rest between walk and path is spread; 0 leaves it",
        minimum=0.0,
        maximum=10.0,
        unit=" s",
        usual=(0.0, 3.0),
        zero="it is left",
    )
    speed: float = option(
        0.0,
        "Wanted speed; 0 is any",
        minimum=0.0,
        maximum=15.0,
        unit=" m/s",
        usual=(0.0, 6.0),
        zero="any",
        shown=RARE,
    )
    horizon: float = option(
        0.0,
        "How far to look ahead on very long paths; 0 is all the way",
        minimum=0.0,
        maximum=1000.0,
        unit=" m",
        usual=(0.0, 100.0),
        zero="all of it",
        shown=RARE,
    )
    follows: str = option(
        "hips",
        "Which point of the body keeps to the path",
        choices=(
            Choice("hips", "", "The hips"),
            Choice("mass", "Centre of Mass", "Where the body balances"),
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
        shown=HIDDEN,  # set by rows with an action each
    )
    stretch_options: str = option(
        "",
        "How these are spliced: options of splice for each, separated by semicolons, such as 'method=heck; posture=1"
        " splice_threshold=0.2'; for all, where there is no semicolon",
        shown=HIDDEN,  # set by fields of each row
        needs=("stretches",),
    )

    route: tuple[tuple[float, ...], ...] = option(
        (),
        "The walk itself, as the report of one has it; looked for if none is given, and if the clips have it no more",
        minimum=-1e9,
        maximum=1e9,
        table=True,
        shown=HIDDEN,  # written by a report
    )

    def prepared_of(self, clips: Sequence[Any]) -> list[Any]:
        """Return all clips except the actions of stretches and of the end."""
        actions = {number for row in self.stretches for number in row[2:]}
        actions |= {len(clips)} if self.ending == "action" and len(clips) > 1 else set()
        return [clip for number, clip in enumerate(clips, 1) if number not in actions]

    def stretch_rows(self, count: int) -> list[tuple[float, float, tuple[int, ...]]]:
        """Return start, end and clip numbers of each stretch, for `count` clips; raises OptionError."""
        return [_stretch(row, count) for row in self.stretches]

    def stretch_splices(self) -> list[Splice]:
        """Return the Splice recipe of each stretch; raises OptionError for unknown options and impossible values."""
        parts = _parts(self.stretch_options)
        if len(parts) not in (1, len(self.stretches)) and self.stretch_options.strip(" ;"):
            raise wrong_count("stretch_options", len(parts), len(self.stretches))
        parts = parts * len(self.stretches) if len(parts) == 1 else parts
        shared = {name: getattr(self, name) for name in declared_options(PointOptions)}
        return [Splice(**(shared | _options(text))) for _, text in zip(self.stretches, parts, strict=False)]

    def after(self, count: int) -> Self:
        # Invalid rows are reported by name when the stretches are read.
        rows = tuple((*row[:2], *(number + count for number in row[2:])) for row in self.stretches)
        return replace(self, stretches=rows)

    def result_name(self, names: Sequence[str]) -> str:
        return f"{graph_name(self.prepared_of(names) or names)} along a path"

    def without_effect(self, report: Mapping[str, Any]) -> list[str]:
        """Return a sentence for each option without effect, from a result's report."""
        points = () if self.stretches else declared_options(PointOptions).items()
        given = [name for name, about in points if getattr(self, name) != about.default]
        return [*super().without_effect(report), *(f"{name} had no effect: give stretches, too" for name in given)]

    def figures(self, report: Mapping[str, Any]) -> list[str]:
        """Return the main figures of a result in a few lines, from its report."""
        own = report["follow"]
        bent = f", {own['bent_share']:.0%} of the way bent" if own["bent_share"] else ""
        return [
            f"  {own['length']:.1f} m, {100.0 * own['rms']:.1f} cm off the path (RMS), {100.0 * own['max']:.1f} at most"
            f" ({100.0 * own['rms_before_spread']:.1f} before the rest was spread)",
            f"  {own['transitions']} transitions{bent}, {own['searched']} states tried",
            *_describe_ending(own["ending"]),
            *(line for carried in own["carries"] for line in [f"  {carried['action']}:", *point_figures(carried)]),
        ]


# Options of a walk that `again` can change: the path, and the actions on it.
EDITABLE = frozenset(("path", "closed", "route", "stretches", "stretch_options", *declared_options(PointOptions)))


def _describe_ending(ending: Mapping[str, Any] | None) -> list[str]:
    if ending is None:
        return []
    if "action" in ending:
        return [f"  goes over into {ending['action']} at frame {ending['frame']}"]
    return [f"  stops {100.0 * ending['off_end']:.1f} cm from the end of the path"]


def _stretch(row: Sequence[float], count: int) -> tuple[float, float, tuple[int, ...]]:
    named = all(number == int(number) and 1 <= number <= count for number in row[2:])
    if len(row) < 3 or not row[0] < row[1] <= 1.0 or not named or len(set(row[2:])) < len(row[2:]):
        raise wrong_rows("stretches", "start", "end (start < end <= 1)", f"clip (1-{count})", "…")
    return row[0], row[1], tuple(int(number) for number in row[2:])


def _parts(text: str) -> list[str]:
    """Return a text split at semicolons outside quotes; `shlex` reads the quotes later, as a shell does."""
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
    """Return the options of splice for one stretch as a text for `stretch_options`, without default values.

    Example:
        >>> from action_loom.core.verbs import follow
        >>> follow.stretch_text({"method": "heck", "posture": 0.0, "action_graph": True})
        'method=heck action_graph=yes'
    """
    import shlex  # at use: Blender loads this module at its start

    known = declared_options(SpliceOptions)
    words = {True: "yes", False: "no"}
    unusual = {name: value for name, value in values.items() if value != known[name].default}
    return " ".join(
        f"{name}={shlex.quote(words[value] if isinstance(value, bool) else f'{value}')}"
        for name, value in unusual.items()
    )


def _options(text: str) -> dict[str, Any]:
    """Return the options of splice in a text such as "method=heck posture=1", by name; raises OptionError."""
    import difflib
    import shlex

    known: dict[str, Option] = readable(SpliceOptions)
    values: dict[str, Any] = {}
    try:
        entries = shlex.split(text)
    except ValueError:
        raise OptionError(f"stretch_options has quotes that do not end: {text!r}") from None
    for entry in entries:
        name, equals, value = entry.partition("=")
        if name not in known or not equals:
            near = difflib.get_close_matches(name, known, n=3, cutoff=0.4)
            hint = f"; did you mean {', '.join(near)}?" if near else ""
            raise OptionError(f"stretch_options has {entry!r}, which is no option of splice and its value{hint}")
        about = known[name]
        if about.kind is bool and value not in _WORDS:
            raise OptionError(f"{name} is {value!r} in stretch_options, but must be yes or no")
        values[name] = about.checked(_WORDS[value] if about.kind is bool else value)
    return values


_WORDS = {"yes": True, "no": False, "true": True, "false": False}
