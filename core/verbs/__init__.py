"""The registry of verbs: the recipe of each, and which functions do the work and draw the picture.

Each verb has a folder here: its recipe and main figures in `__init__`, and the modules `work` and `picture`. The
registry can be read without numpy; the work is loaded when a recipe is applied.
"""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..additions import Registry, Source
from ..entry_points import load
from ..errors import OptionError
from ..options import Declared, declared_options
from ..progress import SILENT, Progress
from ..recipes.ask import AskOptions
from ..recipes.base import Recipe
from ..recipes.drive import DriveOptions
from ..recipes.fill import FillOptions
from ..recipes.graph import GraphOptions, VariationOptions
from ..recipes.matching import Matching
from ..recipes.style import StyleOptions
from .ask import Ask
from .bake import Bake
from .blend import Blend
from .build_graph import BuildGraph
from .connect import Connect
from .drive import Drive
from .fewer_keys import FewerKeys
from .fill import Fill
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
from .take import CutOut, TakeOptions
from .travel import InPlace, Travel
from .walk import Shortest, Walk
from .warp import MoveEvents, Warp
from .weight import Weight

if TYPE_CHECKING:
    from ..motion.clip import Clip


@dataclass(frozen=True)
class Verb:
    """A row of the registry; functions are named as `entry_points` loads them, below the recipe's own folder, or given.

    function : takes clips, recipe, progress and, where `prepare` is set, its result; returns what `makes` names
    picture : draws the result; a verb of another package draws none unless a function is given
    makes : "clip" (a Result), or what can have a file of its own: "graph" (a MotionGraph), "style" (a Style)
    uses : which of these, read from a file, can replace the prepared part; "" for none
    prepare : takes the same arguments and does the part of the work that depends only on the clips and on the options
        of `depends`, so that its result can be reused; "" if there is no such part
    partner : takes recipe, clips, the partner's clips, the result, the frames that it plays and whose arms adapt
    needs : parts of the body that must be known (see `_PARTS`), unless options name joints
    several_bodies : whether it takes clips on different bodies; it is then not offered for the actions of one armature
    """

    recipe: type[Recipe]
    function: Source = ""
    picture: Source = "picture:draw"
    makes: str = "clip"
    uses: str = ""
    prepare: Source = ""
    depends: type[Declared] | None = None
    partner: Source = "verbs.partner:weave_partner"
    needs: tuple[str, ...] = ()
    several_bodies: bool = False

    def __post_init__(self) -> None:
        """Complete the names of functions by the recipe's folder: "work:loop" becomes "verbs.loop.work:loop"."""
        core = __package__.removesuffix("verbs")
        folder = self.recipe.__module__.removeprefix(core)
        if folder == self.recipe.__module__:  # of another package, which gives functions
            object.__setattr__(self, "picture", "" if isinstance(self.picture, str) else self.picture)
            return
        for field in ("function", "picture", "partner"):
            text = getattr(self, field) or f"work:{self.recipe.verb}"
            if isinstance(text, str) and text.partition(":")[0].count(".") == 0:
                object.__setattr__(self, field, f"{folder}.{text}")


_MATCHED: dict[str, Any] = {"prepare": "weave.preprocess:register", "depends": Matching}
_GRAPH: dict[str, Any] = {"prepare": "graph.build:build", "depends": GraphOptions}
_STYLE: dict[str, Any] = {"prepare": "style.fit:fit", "depends": StyleOptions}
_TAKE: dict[str, Any] = {"prepare": "verbs.take.cut_out:prepare", "depends": TakeOptions}
_OF_WALK = "verbs.follow.picture:draw"
_ROWS = (
    Verb(Synchronise, "work:synchronise", "verbs.blend.picture:draw", **_MATCHED),
    Verb(Blend, **_MATCHED),
    Verb(Connect),
    Verb(Loop),
    Verb(Splice, partner="partner:weave_pair", needs=("spine", "upper arms")),
    Verb(BuildGraph, _GRAPH["prepare"], makes="graph", **_GRAPH),
    Verb(Follow, uses="graph", needs=("thighs",), **_GRAPH),
    Verb(Drive, prepare="verbs.drive.work:rows", depends=DriveOptions, partner="partner:weave_pair", needs=("feet",)),
    Verb(Walk, "varied:vary", _OF_WALK, uses="graph", prepare="verbs.walk.varied:gather", depends=VariationOptions),
    Verb(Shortest, "work:shortest", _OF_WALK, uses="graph", **_GRAPH),
    Verb(Travel, needs=("feet",)),
    Verb(InPlace),
    Verb(FitStyle, "style.fit:learnt_of", makes="style", **_STYLE),
    Verb(Restyle, uses="style", needs=("feet",), **_STYLE),
    Verb(Ask, prepare="verbs.ask.work:gather", depends=AskOptions, partner="partner:weave_pair", needs=("feet",)),
    Verb(KeyPoses),
    Verb(CutOut, "verbs.take.cut_out:cut_out", "verbs.take.picture:draw", **_TAKE),
    Verb(Fill, prepare="verbs.fill.sources:gather", depends=FillOptions, partner="partner:fill_partner"),
    Verb(Mirror, "work:make_mirrored"),
    Verb(Warp, picture="picture:draw_poses"),
    Verb(FewerKeys, "work:fewer"),
    Verb(MoveEvents, picture="picture:draw_events"),
    Verb(Reach),
    Verb(Filter, "work:make_filtered"),
    Verb(Place),
    Verb(Root, picture="verbs.place.picture:draw"),
    Verb(Bake, picture="verbs.mirror.picture:draw"),
    Verb(Weight, picture="verbs.mirror.picture:draw", needs=("thighs", "feet")),
    Verb(Plant, needs=("thighs", "feet")),
    Verb(Retarget, several_bodies=True),
)
VERBS = Registry("verbs", Verb, _ROWS, lambda row: row.recipe.verb)
OF_ONE_BODY = {verb: row for verb, row in VERBS.items() if not row.several_bodies}
# Parts of the body that verbs need. One of the body roles of a part must be known, for limbs on both sides.
_PARTS = {
    "spine": ("spine",),
    "upper arms": ("upper_arm",),
    "thighs": ("thigh",),
    "feet": ("foot", "toe", "shin"),  # a leg may end with its shin
}


def verb_of(name: str) -> Verb:
    """Return the row of a verb by its present name or an earlier one; raises OptionError.

    Example:
        >>> from action_loom.core import verbs
        >>> verbs.verb_of("path").recipe.verb
        'shortest'
    """
    if name not in VERBS:
        VERBS.load_installed()
    for row in VERBS.values():
        if name == row.recipe.verb or name in row.recipe.earlier_verbs:
            return row
    raise OptionError(f"{name[:60]!r} is no verb; the verbs are {', '.join(VERBS)}")


def lacking(known: Collection[str]) -> set[str]:
    """Return the parts of the body that verbs need (see `Verb.needs`) and that the known body roles do not cover.

    Example:
        >>> from action_loom.core import verbs
        >>> sorted(verbs.lacking({"hips", "spine", "thigh.L", "thigh.R"}))
        ['feet', 'upper arms']
    """
    return {
        part
        for part, roles in _PARTS.items()
        if not any(role in known or {f"{role}.L", f"{role}.R"} <= set(known) for role in roles)
    }


def what_works(known: Collection[str]) -> str:
    """Return a sentence that lists the modes available with the known body roles, and the parts other modes need.

    known : such as "hips" and "thigh.L". Returns "" if every needed part is known.

    Example:
        >>> from action_loom.core import verbs
        >>> legs = {f"{part}.{side}" for part in ("thigh", "shin", "foot") for side in "LR"}
        >>> verbs.what_works({"hips", "spine", *legs}).rpartition("; ")[2]
        'Splice needs upper arms'
        >>> verbs.what_works({"hips", "spine", "upper_arm.L", "upper_arm.R", *legs})
        ''
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
    """Apply a recipe to clips and return its result: a Result, a MotionGraph or a Style.

    prepared : an earlier result of `prepare` for the same clips and options. Raises LoomError kinds.

    Example:
        >>> from action_loom.core import verbs
        >>> from action_loom.core.demo_character import actions
        >>> result = verbs.apply(verbs.Mirror(), [actions.walk(cycles=1)])
        >>> result.clip.name, result.report["mirror"]["pairs"]
        ('walk mirrored', 8)
    """
    row = VERBS[recipe.verb]
    recipe.check_count(len(clips))
    function = load(row.function)
    with load("motion.kinematics:keeping")():
        given = (recipe, progress, prepared) if row.prepare else (recipe, progress)
        if row.makes != "clip":
            return function(clips, *given)
        attached = load("verbs.completing:attachments_of")(recipe, clips)
        made = function(attached.hang(clips), *given)
        return load("verbs.completing:complete")(recipe, clips, made, attached, _find_frames)


def apply_with_partner(
    recipe: Recipe,
    clips: Sequence["Clip"],
    partners: Sequence["Clip"],
    adapts: str = "both",
    progress: Progress = SILENT,
    prepared: Any = None,
) -> Any:
    """Apply a recipe to the clips of a figure and of its partner; the result has the partner's result in `partner`.

    partners : one for each clip, with the same frames; adapts : whose arms keep the contacts of their hands: "both",
        "leader" or "partner". Raises LoomError kinds.

    Example:
        >>> from action_loom.core import verbs
        >>> from action_loom.core.demo_character import actions
        >>> made = verbs.apply_with_partner(verbs.Mirror(), [actions.walk()], [actions.walk()])
        >>> made.clip.name, made.partner.clip.name
        ('walk mirrored', 'walk mirrored')
    """
    if not recipe.takes_partner_files():
        raise OptionError(f"{recipe.label} takes no partner")
    recipe, notes = for_partners(recipe)
    made = apply(recipe, clips, progress, prepared)
    made.report["notes"] += notes
    weave = load(VERBS[recipe.verb].partner)
    return weave(recipe, clips, partners, made, _find_frames(made, recipe, clips), adapts)


def for_partners(recipe: Recipe) -> tuple[Recipe, list[str]]:
    """Return a recipe as it is applied to two figures, without mirror images and a library, and notes if it had these.

    Example:
        >>> from action_loom.core import verbs
        >>> verbs.for_partners(verbs.Follow())[0].mirror
        False
    """
    notes = {
        "mirror": "mirror had no effect: the partner would change sides",
        "library": "library had no effect: its clips have no partner",
        "basis": "basis had no effect: the walks brought along have no partner",
    }
    alone = {"mirror": False, "library": "", **recipe.with_partner}
    without = {name: value for name, value in alone.items() if getattr(recipe, name, value) != value}
    options = declared_options(type(recipe))
    asked = [name for name in without if getattr(recipe, name) != options[name].default]
    return replace(recipe, **without), [notes[name] for name in asked]


def _find_frames(*given: Any) -> Any:
    """Return the frames of its sources that a result plays; few results need them, and this loads all verbs."""
    return load("verbs.source_frames:of")(*given)


def prepare(recipe: Recipe, clips: Sequence["Clip"], progress: Progress = SILENT) -> Any:
    """Return the reusable part of a verb's work, or None if it has none; raises LoomError kinds.

    Example:
        >>> from action_loom.core import verbs
        >>> from action_loom.core.demo_character import actions
        >>> clips = [actions.walk(cycles=1), actions.sneak(cycles=1)]
        >>> registered = verbs.prepare(verbs.Blend(), clips)
        >>> [len(verbs.apply(verbs.Blend(weights=pair), clips, prepared=registered).clip) for pair in ((1, 0), (0, 1))]
        [33, 67]
    """
    row = VERBS[recipe.verb]
    if not row.prepare:
        return None
    recipe.check_count(len(clips))
    with load("motion.kinematics:keeping")():
        hung = load("verbs.completing:attachments_of")(recipe, clips).hang(clips)
        return load(row.prepare)(recipe.prepared_of(hung), recipe, progress)


def picture(recipe: Recipe, made: Any) -> bytes:
    """Return a PNG that explains how a recipe reached its result; needs matplotlib.

    Example:
        >>> from action_loom.core import verbs
        >>> from action_loom.core.demo_character import actions
        >>> recipe = verbs.Mirror()
        >>> verbs.picture(recipe, verbs.apply(recipe, [actions.walk(cycles=1)]))[1:4]
        b'PNG'
    """
    image: bytes = load("plots.png:as_png")(load(VERBS[recipe.verb].picture)(made))
    return image


def from_json(text: str) -> Recipe:
    """Return the recipe stored in a JSON text of this or an earlier version.

    Raises OptionError for unknown verbs, unknown options and values out of range.

    Example:
        >>> from action_loom.core import verbs
        >>> verbs.from_json('{"verb": "walk", "among": "go", "seconds": 12}').label_filter
        'go'
    """
    try:
        values = json.loads(text)
        verb = values.pop("verb")
    except (ValueError, AttributeError, KeyError, TypeError, RecursionError):
        verb = None
    if not isinstance(verb, str):
        raise OptionError(f"This is not a recipe (a JSON object with the name of a verb): {text[:60]}") from None
    recipe = verb_of(verb).recipe
    earlier = {name: about.earlier for name, about in declared_options(recipe).items() if about.earlier is not None}
    return recipe.from_values(earlier | values, f"The recipe {recipe.verb!r}")


def options_of(recipe: type[Recipe]) -> dict[str, Any]:
    """Return the options of a recipe that can change without repeating `prepare`."""
    row = VERBS[recipe.verb]
    shared = declared_options(row.depends) if row.depends is not None else {}
    return {name: about for name, about in declared_options(recipe).items() if name not in shared}
