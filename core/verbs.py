"""What does a recipe: the registry of verbs, the only module that leads from a declaration to the work.

It can be read without numpy; the work is loaded when a recipe is applied.
"""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .entry_points import load
from .errors import OptionError
from .options import Declared, declared
from .progress import SILENT, Progress
from .recipes.ask import Ask, AskOptions
from .recipes.base import Recipe
from .recipes.blend import Blend
from .recipes.connect import Connect
from .recipes.fewer_keys import FewerKeys
from .recipes.filter import Filter
from .recipes.graph import BuildGraph, Follow, GraphOptions, Shortest, Walk
from .recipes.key_poses import KeyPoses
from .recipes.loop import Loop
from .recipes.matching import Matching, Synchronise
from .recipes.mirror import Mirror
from .recipes.place import Place
from .recipes.plant import Plant
from .recipes.reach import Reach
from .recipes.retarget import Retarget
from .recipes.root import Root
from .recipes.splice import Splice
from .recipes.style import FitStyle, Restyle, StyleOptions
from .recipes.travel import InPlace, Travel
from .recipes.warp import MoveEvents, Warp

if TYPE_CHECKING:
    from .motion.clip import Clip


@dataclass(frozen=True)
class Verb:
    """A row of the registry; functions are named as `entry_points` loads them.

    function : takes clips, recipe and progress, and what was prepared where anything is; returns what `makes` says
    picture : draws what was made
    makes : "clip" (a Result), or what can be kept in a file of its own: "graph" (a MotionGraph), "style" (a Style)
    uses : which of these, from a file, can stand for what is prepared of clips; "" for none
    prepare : does, from the same arguments, the part of the work that depends on the clips and on the options of
        `depends` alone, so that it can be kept and used again; "" where there is none
    needs : parts of the body that must be known (see `_PARTS`), unless options name joints
    several_bodies : for clips on bodies of their own: not offered where all are on one, as the actions of an armature
    """

    recipe: type[Recipe]
    function: str
    picture: str
    makes: str = "clip"
    uses: str = ""
    prepare: str = ""
    depends: type[Declared] | None = None
    needs: tuple[str, ...] = ()
    several_bodies: bool = False


_REGISTER = "weave.preprocess:register"
_BUILD = "graph.build:build"
_LEARN = "style.fit:fit"
_ROWS = (
    Verb(Synchronise, "weave.retime:synchronise", "plots.blends:draw", prepare=_REGISTER, depends=Matching),
    Verb(Blend, "weave.blend:blend", "plots.blends:draw", prepare=_REGISTER, depends=Matching),
    Verb(Connect, "weave.connect:connect", "plots.seams:draw_connection"),
    Verb(Loop, "weave.loop:loop", "plots.seams:draw_loop"),
    Verb(Splice, "graph.action_splice:splice", "plots.splices:draw", needs=("spine", "upper arms")),
    Verb(BuildGraph, _BUILD, "plots.graphs:draw_graph", makes="graph", prepare=_BUILD, depends=GraphOptions),
    Verb(
        Follow,
        "graph.follow:follow",
        "plots.graphs:draw_walk",
        uses="graph",
        prepare=_BUILD,
        depends=GraphOptions,
        needs=("thighs",),
    ),
    Verb(Walk, "graph.free_walks:wander", "plots.graphs:draw_walk", uses="graph", prepare=_BUILD, depends=GraphOptions),
    Verb(
        Shortest,
        "graph.free_walks:shortest",
        "plots.graphs:draw_walk",
        uses="graph",
        prepare=_BUILD,
        depends=GraphOptions,
    ),
    Verb(Travel, "weave.travel:travel", "plots.travels:draw", needs=("feet",)),
    Verb(InPlace, "weave.travel:in_place", "plots.travels:draw"),
    Verb(FitStyle, _LEARN, "plots.styles:draw_style", makes="style", prepare=_LEARN, depends=StyleOptions),
    Verb(
        Restyle,
        "style.restyle:restyle",
        "plots.styles:draw_restyled",
        uses="style",
        prepare=_LEARN,
        depends=StyleOptions,
        needs=("feet",),
    ),
    Verb(Ask, "style.ask:ask", "plots.asked:draw", prepare="style.ask:gather", depends=AskOptions, needs=("feet",)),
    Verb(KeyPoses, "weave.key_poses:key_poses", "plots.key_poses:draw"),
    Verb(Mirror, "weave.mirror:mirrored", "plots.edits:draw"),
    Verb(Warp, "weave.warp:warp", "plots.warps:draw_poses"),
    Verb(FewerKeys, "weave.fewer_keys:fewer", "plots.keys:draw"),
    Verb(MoveEvents, "weave.warp:move_events", "plots.warps:draw_events"),
    Verb(Reach, "weave.reach:reach", "plots.reaches:draw"),
    Verb(Filter, "weave.filter:filtered", "plots.filters:draw"),
    Verb(Place, "weave.place:place", "plots.grounds:draw"),
    Verb(Root, "weave.root:root", "plots.grounds:draw"),
    Verb(Plant, "weave.plant:plant", "plots.plants:draw", needs=("thighs", "feet")),
    Verb(Retarget, "weave.retarget:retarget", "plots.retarget:draw", several_bodies=True),
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
