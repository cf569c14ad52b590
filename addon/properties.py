"""Blender properties made from the recipes' options, and where the panel's settings live."""

import inspect
from collections.abc import Callable
from typing import Any

import bpy

from ..core.options import Option, declared
from ..core.recipes import Blend, Connect, Follow, Graphing, Loop, Recipe, ShortestPath, Splice, Walk
from ..core.sync.matching import Matching

# Weights and reference are set per source in the list, not as options of their own.
PER_SOURCE = ("weights", "reference")

# Told apart in the list, in pictures and in the viewport, also by those who see few colours (Okabe & Ito 2008).
COLORS = (
    (0.90, 0.62, 0.0),
    (0.34, 0.71, 0.91),
    (0.0, 0.62, 0.45),
    (0.80, 0.47, 0.65),
    (0.94, 0.89, 0.26),
    (0.84, 0.37, 0.0),
    (0.0, 0.45, 0.70),
)


def annotations(recipe: type, leave_out: type | None = None) -> dict[str, Any]:
    """Return a Blender property for every option of a recipe that the panel shows as it is."""
    others = () if leave_out is None else declared(leave_out)
    return {
        name: _property(about)
        for name, about in declared(recipe).items()
        if name not in PER_SOURCE and name not in others
    }


def with_options(recipe: type, leave_out: type | None = None) -> Callable[[type], type]:
    """Give a Blender class a property for every option of a recipe: so panel, script and JSON can't drift apart."""

    def decorate(cls: type) -> type:
        cls.__annotations__ = inspect.get_annotations(cls) | annotations(recipe, leave_out)
        return cls

    return decorate


def rounded(value: Any) -> Any:
    """Return a number without the noise of single precision; anything else as it is."""
    return float(f"{value:.6g}") if isinstance(value, float) else value


def _property(about: Option) -> Any:
    common = {"name": about.label, "description": about.description, "options": set()}
    if about.table:
        return bpy.props.StringProperty(**common, default=about.as_text(about.default))
    common["default"] = about.default
    if about.choices:
        items = [(choice, choice.replace("_", " ").title(), "") for choice in about.choices]
        return bpy.props.EnumProperty(items=items, **common)
    if about.kind is bool:
        return bpy.props.BoolProperty(**common)
    if about.kind is str:
        return bpy.props.StringProperty(**common)
    limits = {k: v for k, v in (("min", about.minimum), ("max", about.maximum)) if v is not None}
    if about.kind is int:
        return bpy.props.IntProperty(**common, **{k: int(v) for k, v in limits.items()})
    if about.unit.strip() == "s":
        return bpy.props.FloatProperty(**common, **limits, precision=3, subtype="TIME_ABSOLUTE")
    return bpy.props.FloatProperty(**common, **limits)


AS_SEEN = bpy.props.BoolProperty(
    name="As Seen",
    description="Read poses with constraints and drivers, not only what is keyed",
    default=False,
    options=set(),
)


class ResultOptions:
    """What is asked of a new action, apart from the recipe; the same for panel and operators."""

    result_name: bpy.props.StringProperty(
        name="Result", description="Name of the new action; made from the sources' names if empty", options=set()
    )
    assign: bpy.props.BoolProperty(
        name="Assign", description="Make the new action the armature's", default=True, options=set()
    )
    place: bpy.props.EnumProperty(
        name="Place",
        description="Where the result begins",
        items=[
            ("REFERENCE", "Reference", "Where the reference does, facing as it does"),
            ("CURSOR", "3D Cursor", "At the 3D cursor, facing as it is turned"),
        ],
        options=set(),
    )
    travel: bpy.props.EnumProperty(
        name="Travel",
        description="What carries the body on its way",
        items=[
            ("REFERENCE", "Reference", "As in the reference"),
            ("ROOT", "Root Bone", "The topmost bone above the hips, smoothly; the sway is left on the hips"),
            ("HIPS", "Hips", "The hips; the bones above them stand still"),
        ],
        options=set(),
    )
    interpolation: bpy.props.EnumProperty(
        name="Interpolation",
        description="Of the new keys; there is one on every frame",
        items=[("LINEAR", "Linear", ""), ("BEZIER", "Bézier", ""), ("CONSTANT", "Constant", "")],
        options=set(),
    )
    mark_contacts: bpy.props.BoolProperty(
        name="Mark Contacts",
        description="Put a pose marker where a foot begins and ends to stand",
        default=False,
        options=set(),
    )
    as_seen: AS_SEEN


RESULT_OPTIONS = tuple(ResultOptions.__annotations__)


# What is done when a weight, a role or a colour is changed in a list: called with the scene and the context.
when_weight_changed: list[Callable[[Any, Any], None]] = []
when_role_changed: list[Callable[[Any, Any], None]] = []
when_color_changed: list[Callable[[Any, Any], None]] = []


def _weight_changed(source: Any, context: Any) -> None:
    for listener in when_weight_changed:
        listener(source.id_data, context)


def _role_changed(role: Any, context: Any) -> None:
    for listener in when_role_changed:
        listener(role.id_data, context)


def _color_changed(source: Any, context: Any) -> None:
    for listener in when_color_changed:
        listener(source.id_data, context)


class ACTION_LOOM_PG_source(bpy.types.PropertyGroup):
    """One line of the list of sources."""

    action: bpy.props.PointerProperty(type=bpy.types.Action)
    use: bpy.props.BoolProperty(
        name="Use", description="Weave this action into the result", default=True, options=set()
    )
    weight: bpy.props.FloatProperty(
        name="Weight",
        description="Share of this action in the result",
        default=1.0,
        min=0.0,
        soft_max=1.0,
        options=set(),
        update=_weight_changed,
    )
    color: bpy.props.FloatVectorProperty(
        name="Color",
        description="Of this action in pictures",
        subtype="COLOR_GAMMA",  # as it is on the screen, and so in the pixels of a picture
        min=0.0,
        max=1.0,
        options=set(),
        update=_color_changed,
    )
    use_range: bpy.props.BoolProperty(
        name="Range", description="Take a part of the action only", default=False, options=set()
    )
    first: bpy.props.IntProperty(name="First", description="First frame of the part", default=1, options=set())
    last: bpy.props.IntProperty(name="Last", description="Last frame of the part", default=100, options=set())
    rate: bpy.props.FloatProperty(
        name="Rate",
        description="Frames per second that the action was made at; 0 is what it was imported with, or the scene's",
        default=0.0,
        min=0.0,
        max=1000.0,
        options=set(),
    )
    slot: bpy.props.StringProperty(
        name="Slot", description="Slot of the action that is read; the fitting one if empty", options=set()
    )
    warning: bpy.props.StringProperty(options=set())


class ACTION_LOOM_PG_role(bpy.types.PropertyGroup):
    """Which bone plays a role of the body, such as hips or thigh.L; named by the role."""

    bone: bpy.props.StringProperty(
        name="Bone", description="The bone that plays this role; none if empty", options=set(), update=_role_changed
    )


class ACTION_LOOM_PG_rig(bpy.types.PropertyGroup):
    """The sources of one armature; every armature has its own list."""

    armature: bpy.props.PointerProperty(type=bpy.types.Object)
    sources: bpy.props.CollectionProperty(type=ACTION_LOOM_PG_source)
    active: bpy.props.IntProperty(options=set())
    reference: bpy.props.IntProperty(
        name="Reference", description="The source whose time, body and place the result takes", options=set()
    )
    roles: bpy.props.CollectionProperty(type=ACTION_LOOM_PG_role)
    last: bpy.props.StringProperty(options=set())


@with_options(Matching)
class ACTION_LOOM_PG_matching(bpy.types.PropertyGroup):
    """How sources are synchronised, in every mode."""


@with_options(Blend, leave_out=Matching)
class ACTION_LOOM_PG_blend(bpy.types.PropertyGroup):
    """What the panel sets for a blend."""


@with_options(Loop)
class ACTION_LOOM_PG_loop(bpy.types.PropertyGroup):
    """What the panel sets for a loop."""


@with_options(Connect)
class ACTION_LOOM_PG_connect(bpy.types.PropertyGroup):
    """What the panel sets for a connection."""


@with_options(Splice)
class ACTION_LOOM_PG_splice(bpy.types.PropertyGroup):
    """What the panel sets for a splice."""


@with_options(Graphing)
class ACTION_LOOM_PG_graph(bpy.types.PropertyGroup):
    """How the panel's motion graph is built."""


@with_options(Follow, leave_out=Graphing)
class ACTION_LOOM_PG_follow(bpy.types.PropertyGroup):
    """What the panel sets for a walk along a curve."""


@with_options(Walk, leave_out=Graphing)
class ACTION_LOOM_PG_walk(bpy.types.PropertyGroup):
    """What the panel sets for a random walk."""


@with_options(ShortestPath, leave_out=Graphing)
class ACTION_LOOM_PG_path(bpy.types.PropertyGroup):
    """What the panel sets for the shortest way from a frame to another."""


class ACTION_LOOM_PG_stretch(bpy.types.PropertyGroup):
    """A stretch of the path on which the upper body does something else."""

    action: bpy.props.PointerProperty(
        type=bpy.types.Action, name="Action", description="What the upper body does on this stretch of the curve"
    )
    start: bpy.props.FloatProperty(
        name="From",
        description="Where on the curve it begins",
        default=40.0,
        min=0.0,
        max=100.0,
        subtype="PERCENTAGE",
        options=set(),
    )
    end: bpy.props.FloatProperty(
        name="To",
        description="Where on the curve it ends",
        default=70.0,
        min=0.0,
        max=100.0,
        subtype="PERCENTAGE",
        options=set(),
    )


class ACTION_LOOM_PG_result(ResultOptions, bpy.types.PropertyGroup):
    """What the panel asks of a new action."""


class ACTION_LOOM_PG_settings(bpy.types.PropertyGroup):
    """Everything that the panels set, kept in the scene."""

    rigs: bpy.props.CollectionProperty(type=ACTION_LOOM_PG_rig)
    matching: bpy.props.PointerProperty(type=ACTION_LOOM_PG_matching)
    blend: bpy.props.PointerProperty(type=ACTION_LOOM_PG_blend)
    loop: bpy.props.PointerProperty(type=ACTION_LOOM_PG_loop)
    connect: bpy.props.PointerProperty(type=ACTION_LOOM_PG_connect)
    splice: bpy.props.PointerProperty(type=ACTION_LOOM_PG_splice)
    graph: bpy.props.PointerProperty(type=ACTION_LOOM_PG_graph)
    follow: bpy.props.PointerProperty(type=ACTION_LOOM_PG_follow)
    walk: bpy.props.PointerProperty(type=ACTION_LOOM_PG_walk)
    path: bpy.props.PointerProperty(type=ACTION_LOOM_PG_path)
    curve: bpy.props.PointerProperty(
        type=bpy.types.Object,
        name="Curve",
        description="The curve that is walked along, from its first point on",
        poll=lambda _settings, chosen: chosen.type == "CURVE",
    )
    stretches: bpy.props.CollectionProperty(type=ACTION_LOOM_PG_stretch)
    show_way: bpy.props.BoolProperty(
        name="Show Way",
        description="Show in the 3D view where the last walk went: green on the curve, red 20 cm off it",
        default=True,
        options=set(),
    )
    result: bpy.props.PointerProperty(type=ACTION_LOOM_PG_result)
    mode: bpy.props.EnumProperty(
        name="Mode",
        description="What is woven from the ticked actions",
        items=[
            ("blend", "Blend", "One action that lies between them"),
            ("connect", "Connect", "One after the other, without a seam"),
            ("loop", "Loop", "One cycle that repeats, of a single action"),
            ("splice", "Splice", "The upper body of one on the lower body of another, which is the reference"),
            ("follow", "Path", "A walk along a curve, through a motion graph of them all"),
        ],
        options=set(),
    )
    picture: bpy.props.IntProperty(
        name="Picture", description="Which of the sources is shown matched to the reference", options=set()
    )
    live: bpy.props.BoolProperty(
        name="Live",
        description="Weave the last result again while a weight is changed",
        default=False,
        options=set(),
    )


# Which groups of the panel hold the options of a verb, where it is not one of the same name.
_GROUPS = {
    "sync": ("matching", "blend"),
    "blend": ("matching", "blend"),
    "follow": ("graph", "follow"),
    "walk": ("graph", "walk"),
    "path": ("graph", "path"),
}


def groups(settings: Any, recipe: type[Recipe]) -> tuple[Any, ...]:
    """Return the groups of the panel's settings that hold a recipe's options, and those of results."""
    names = _GROUPS.get(recipe.verb, (recipe.verb,))
    return (*(getattr(settings, name) for name in names), settings.result)


def of_session(kept: Any, uid: int) -> Any:
    """Return the data of a session id among some, or None; that of data that was deleted is never given again."""
    return next((one for one in kept if one.session_uid == uid), None)


def rig_of(scene: Any, armature: Any) -> Any:
    """Return the list of sources of an armature, or None."""
    return next((r for r in scene.action_loom.rigs if r.armature == armature), None)


def ensure_rig(scene: Any, armature: Any) -> Any:
    """Return the list of sources of an armature, made where there is none."""
    rig = rig_of(scene, armature)
    if rig is None:
        rig = scene.action_loom.rigs.add()
        rig.armature = armature
    return rig


def ticked(rig: Any) -> list[Any]:
    """Return the ticked lines of a list whose actions still exist."""
    return [] if rig is None else [s for s in rig.sources if s.use and s.action is not None]


def reference_among(rig: Any, sources: list[Any]) -> int:
    """Return the place of the reference among some lines of its list; the first where it is none of them."""
    marked = rig.sources[rig.reference] if 0 <= rig.reference < len(rig.sources) else None
    return sources.index(marked) if marked in sources else 0


_CLASSES = (
    ACTION_LOOM_PG_source,
    ACTION_LOOM_PG_role,
    ACTION_LOOM_PG_rig,
    ACTION_LOOM_PG_matching,
    ACTION_LOOM_PG_blend,
    ACTION_LOOM_PG_loop,
    ACTION_LOOM_PG_connect,
    ACTION_LOOM_PG_splice,
    ACTION_LOOM_PG_graph,
    ACTION_LOOM_PG_follow,
    ACTION_LOOM_PG_walk,
    ACTION_LOOM_PG_path,
    ACTION_LOOM_PG_stretch,
    ACTION_LOOM_PG_result,
    ACTION_LOOM_PG_settings,
)
_register, _unregister = bpy.utils.register_classes_factory(_CLASSES)


def register() -> None:
    _register()
    bpy.types.Scene.action_loom = bpy.props.PointerProperty(type=ACTION_LOOM_PG_settings)


def unregister() -> None:
    del bpy.types.Scene.action_loom
    _unregister()
