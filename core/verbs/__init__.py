"""The list of verbs: what each is asked for (its recipe), and which functions do and draw it.

Each verb has a folder here: its recipe and figures in `__init__`, `work`, `picture`, and how it is tried (`trial`).
The list can be read without numpy; the work is loaded when a recipe is applied.
"""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..entry_points import load
from ..errors import OptionError
from ..options import Declared, declared
from ..progress import SILENT, Progress
from ..recipes.ask import AskOptions
from ..recipes.base import Recipe
from ..recipes.graph import GraphOptions
from ..recipes.matching import Matching
from ..recipes.style import StyleOptions
from .ask import Ask
from .blend import Blend
from .build_graph import BuildGraph
from .connect import Connect
from .fewer_keys import FewerKeys
from .filter import Filter
from .fit_style import FitStyle
from .follow import Follow
from .key_poses import KeyPoses
from .loop import Loop
from .mirror import Mirror
from .place import Place
from .plant import Plant
from .reach import Reach
from .restyle import Restyle
from .retarget import Retarget
from .root import Root
from .splice import Splice
from .synchronise import Synchronise
from .travel import InPlace, Travel
from .walk import Shortest, Walk
from .warp import MoveEvents, Warp

if TYPE_CHECKING:
    from ..motion.clip import Clip


@dataclass(frozen=True)
class Verb:
    """A row of the list; functions are named as `entry_points` loads them, below the recipe's own folder.

    function : takes clips, recipe and progress, and what was prepared where anything is; returns what `makes` says
    picture : draws the result
    makes : "clip" (a Result), or what can be kept in a file of its own: "graph" (a MotionGraph), "style" (a Style)
    uses : which of these, from a file, can replace what is prepared of clips; "" for none
    prepare : does, with the same arguments, the part of the work that depends only on the clips and on the options of
        `depends`, so that it can be kept and used again; "" where there is none
    needs : parts of the body that must be known (see `_PARTS`), unless options name joints
    several_bodies : for clips on bodies of their own: not offered where all are on one, as the actions of an armature
    """

    recipe: type[Recipe]
    function: str = ""
    picture: str = "picture:draw"
    makes: str = "clip"
    uses: str = ""
    prepare: str = ""
    depends: type[Declared] | None = None
    needs: tuple[str, ...] = ()
    several_bodies: bool = False

    def __post_init__(self) -> None:
        """Complete names of functions: "work:loop" becomes "verbs.loop.work:loop" by the folder of the recipe."""
        folder = self.recipe.__module__.partition(".core.")[2]
        for field in ("function", "picture"):
            text = getattr(self, field) or f"work:{self.recipe.verb}"
            if text.partition(":")[0].count(".") == 0:
                object.__setattr__(self, field, f"{folder}.{text}")


_MATCHED: dict[str, Any] = {"prepare": "weave.preprocess:register", "depends": Matching}
_GRAPH: dict[str, Any] = {"prepare": "graph.build:build", "depends": GraphOptions}
_STYLE: dict[str, Any] = {"prepare": "style.fit:fit", "depends": StyleOptions}
_OF_WALK = "verbs.follow.picture:draw"
_ROWS = (
    Verb(Synchronise, "work:synchronise", "verbs.blend.picture:draw", **_MATCHED),
    Verb(Blend, **_MATCHED),
    Verb(Connect),
    Verb(Loop),
    Verb(Splice, needs=("spine", "upper arms")),
    Verb(BuildGraph, _GRAPH["prepare"], makes="graph", **_GRAPH),
    Verb(Follow, uses="graph", needs=("thighs",), **_GRAPH),
    Verb(Walk, "work:random_walk", _OF_WALK, uses="graph", **_GRAPH),
    Verb(Shortest, "work:shortest", _OF_WALK, uses="graph", **_GRAPH),
    Verb(Travel, needs=("feet",)),
    Verb(InPlace),
    Verb(FitStyle, _STYLE["prepare"], makes="style", **_STYLE),
    Verb(Restyle, uses="style", needs=("feet",), **_STYLE),
    Verb(Ask, prepare="verbs.ask.work:gather", depends=AskOptions, needs=("feet",)),
    Verb(KeyPoses),
    Verb(Mirror, "work:mirrored"),
    Verb(Warp, picture="picture:draw_poses"),
    Verb(FewerKeys, "work:fewer"),
    Verb(MoveEvents, picture="picture:draw_events"),
    Verb(Reach),
    Verb(Filter, "work:filtered"),
    Verb(Place),
    Verb(Root, picture="verbs.place.picture:draw"),
    Verb(Plant, needs=("thighs", "feet")),
    Verb(Retarget, several_bodies=True),
)
VERBS = {row.recipe.verb: row for row in _ROWS}
OF_ONE_BODY = {verb: row for verb, row in VERBS.items() if not row.several_bodies}
# Parts of the body that something needs, and the body roles of which one must be known, on both sides for limbs.
_PARTS = {
    "spine": ("spine",),
    "upper arms": ("upper_arm",),
    "thighs": ("thigh",),
    "feet": ("foot", "toe", "shin"),  # a leg may end with its shin
}


def verb_of(name: str) -> Verb:
    """Return the row of a verb, which may be called as in an earlier version; raises OptionError."""
    for row in _ROWS:
        if name == row.recipe.verb or name in row.recipe.earlier_verbs:
            return row
    raise OptionError(f"{name!r} is no verb; the verbs are {', '.join(VERBS)}")


def lacking(known: Collection[str]) -> set[str]:
    """Return the parts of the body that verbs need (see `Verb.needs`) and that some body roles do not tell of."""
    return {
        part
        for part, roles in _PARTS.items()
        if not any(role in known or {f"{role}.L", f"{role}.R"} <= set(known) for role in roles)
    }


def what_works(known: Collection[str]) -> str:
    """Return in a sentence which modes work where some body roles alone are known, and what others need.

    known : such as "hips" and "thigh.L". "" where nothing that is needed is missing.
    """
    missing = lacking(known)
    modes = [row for row in _ROWS if row.recipe.mode]
    working = [row.recipe.mode for row in modes if not missing.intersection(row.needs)]
    needing = [
        f"{row.recipe.mode} needs {' and '.join(part for part in row.needs if part in missing)}"
        for row in modes
        if missing.intersection(row.needs)
    ]
    if "feet" in missing:
        needing.append("contacts and slide need feet")
    if not needing:
        return ""
    return f"{', '.join(working[:-1])} and {working[-1]} work without the roles that are missing; {', '.join(needing)}"


def apply(recipe: Recipe, clips: Sequence["Clip"], progress: Progress = SILENT, prepared: Any = None) -> Any:
    """Do what a recipe says and return what it makes: a Result, a MotionGraph or a Style.

    prepared : what `prepare` gave for the same clips and options before. Raises LoomError kinds.
    """
    row = VERBS[recipe.verb]
    function = load(row.function)
    return function(clips, recipe, progress, prepared) if row.prepare else function(clips, recipe, progress)


def prepare(recipe: Recipe, clips: Sequence["Clip"], progress: Progress = SILENT) -> Any:
    """Return the part of the work that other options do not change, None if there is none; raises LoomError kinds."""
    row = VERBS[recipe.verb]
    return load(row.prepare)(recipe.prepared_of(clips), recipe, progress) if row.prepare else None


def picture(recipe: Recipe, made: Any) -> bytes:
    """Return a PNG that tells how what a recipe made came about; needs matplotlib."""
    image: bytes = load("plots.png:as_png")(load(VERBS[recipe.verb].picture)(made))
    return image


def from_json(text: str) -> Recipe:
    """Read a recipe of this or an earlier version.

    Raises OptionError for unknown verbs, unknown options and values out of range.
    """
    try:
        values = json.loads(text)
        recipe = verb_of(values.pop("verb")).recipe
    except (ValueError, AttributeError, KeyError, TypeError, RecursionError, OptionError):
        raise OptionError(f"This is not a recipe (a JSON object with the name of a verb): {text[:60]}") from None
    return recipe.from_values(values, f"The recipe {recipe.verb!r}")


def options_of(recipe: type[Recipe]) -> dict[str, Any]:
    """Return the options of a recipe that preparing does not depend on: those that may change at no cost."""
    row = VERBS[recipe.verb]
    shared = declared(row.depends) if row.depends is not None else {}
    return {name: about for name, about in declared(recipe).items() if name not in shared}
