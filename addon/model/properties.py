"""Define the panels' settings, stored in scenes, and look up settings and lists of sources."""

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import bpy
from bpy.app.handlers import persistent

from ...core.options import HIDDEN, MODE, PANEL, RARE, Declared, Option, declared_options
from ...core.recipes.base import Recipe
from ...core.recipes.graph import GraphOptions
from ...core.recipes.matching import Matching
from ...core.recipes.reading import ReadingOptions
from ...core.recipes.result import ResultOptions
from ...core.recipes.style import StyleOptions
from ...core.verbs import VERBS
from ..ground import option_properties, registrar
from ..ground.blender_types import Data
from . import contact_rows, intents, kept_styles, lists, rows, take_rows
from .intents import RECIPES

_SETTINGS = "action_loom"  # name of the scene property

# Groups of options that several recipes share, by their property names in the settings.
SHARED: dict[str, type[Declared]] = {"matching": Matching, "graph": GraphOptions, "style": StyleOptions}


# --- the panel's settings -------------------------------------------------------------------------------------------


def _group(name: str, *declarations: type, leave_out: tuple[type, ...] = ()) -> type:
    """Create a property group with a property for every option of some declarations."""
    made = option_properties.annotations(*declarations, leave_out=leave_out, group=True)
    about = {"__annotations__": made, "__module__": __name__, "__doc__": f"What the panel sets for {name}."}
    return type(f"ACTION_LOOM_PG_{name}", (bpy.types.PropertyGroup,), about)


def _shared_by(recipe: type[Recipe]) -> tuple[type[Declared], ...]:
    """Return the options of a recipe that it shares with other recipes; they have their own groups."""
    return tuple(options for options in SHARED.values() if issubclass(recipe, options))


GROUPS = {name: _group(name, options) for name, options in SHARED.items()}
GROUPS |= {
    recipe.verb: _group(recipe.verb, recipe, leave_out=_shared_by(recipe))
    for recipe in RECIPES
    if recipe.verb not in SHARED and option_properties.options_of(recipe, _shared_by(recipe))
}
GROUPS["result"] = _group("result", ResultOptions, ReadingOptions)
# A figure must not vanish when it gets a result: captures may be metres away. Scripts set the place themselves.
GROUPS["result"].__annotations__["place"] = option_properties.annotation(
    ResultOptions, "place", group=True, default="figure"
)
GROUPS["result"].__annotations__["partner"] = bpy.props.StringProperty(
    name=declared_options(ResultOptions)["partner"].title,
    description=declared_options(ResultOptions)["partner"].description,
    search=lists.find_armatures,
    options=set(),
)


# Listeners for changes of preview display, of the source shown alone, and of live updates.
when_preview_changed: list[lists.Listener] = []
when_solo_changed: list[lists.Listener] = []
when_live_changed: list[lists.Listener] = []
# Listeners, called before a scene gets its first list.
when_first_listed: list[Callable[[bpy.types.Scene], None]] = []
# Listeners for switching the display of feet on or off.
when_feet_changed: list[lists.Listener] = []


# Listeners for a chosen intent.
when_intent_chosen: list[lists.Listener] = []
# Listeners for another mode.
when_mode_changed: list[lists.Listener] = []


_RULE = "A rule of thumb in the sliders below, not a recording"


def _intent(settings: Any) -> int:
    """Return the intent of the chosen mode."""
    return intents.number_of(VERBS[settings.mode].recipe)


def _choose_intent(settings: Any, number: int) -> None:
    """Choose the first mode of an intent, unless one of its modes is already chosen."""
    settings.tool_open = False
    if _intent(settings) != number:
        settings.mode = intents.modes_of(intents.INTENTS[number].label)[0].verb
    for listener in when_intent_chosen:
        listener(settings.id_data, bpy.context)


def _is_style(_settings: Any, text: bpy.types.Text) -> bool:
    return kept_styles.is_style(text)


class ACTION_LOOM_PG_settings(bpy.types.PropertyGroup):
    """All settings of the panels, stored in the scene."""

    rigs: bpy.props.CollectionProperty(type=lists.ACTION_LOOM_PG_rig)
    pin: bpy.props.PointerProperty(type=lists.ACTION_LOOM_PG_identity)
    curve: bpy.props.PointerProperty(
        type=bpy.types.Object,
        name="Curve",
        description="The curve to walk along, from its first point",
        poll=lambda _settings, chosen: chosen.type == "CURVE",
    )
    ground: bpy.props.PointerProperty(
        type=bpy.types.Object,
        name="Ground",
        description="A mesh to walk on, such as stairs or a slope; beside it and without one, the floor",
        poll=lambda _settings, chosen: chosen.type == "MESH",
    )
    with_library: bpy.props.BoolProperty(
        name="With Library",
        description="Drive with the clips of the library, too: a quarter of an hour at most",
    )
    stretches: bpy.props.CollectionProperty(type=rows.ACTION_LOOM_PG_stretch)
    ending_action: bpy.props.PointerProperty(
        type=bpy.types.Action, name="Action", description="How the walk ends", options=set()
    )
    events: bpy.props.CollectionProperty(type=rows.ACTION_LOOM_PG_event)
    active_event: bpy.props.IntProperty(options=set())
    contacts: bpy.props.CollectionProperty(type=contact_rows.ACTION_LOOM_PG_contacts)
    show_way: bpy.props.BoolProperty(
        name="Show Root Path",
        description="Show the last walk's way in the 3D view: green on the curve, red 20 cm off it",
        default=True,
        options=set(),
    )
    mode: bpy.props.EnumProperty(
        name="Mode",
        description="What is made of the ticked actions",
        items=intents.mode_choices(),
        options=set(),
        update=lists.notifying(when_mode_changed),
    )
    intent: bpy.props.EnumProperty(
        name="Intent",
        description="What is made of the ticked actions",
        items=[(one.label, *one) for one in intents.INTENTS],
        get=_intent,
        set=_choose_intent,
        options=set(),
    )
    on_rates: bpy.props.EnumProperty(
        name="Other Rates",
        description="What to do if an imported action has another rate than the scene",
        items=[
            ("ASK", "Ask", ""),
            ("SCENE", "Change the Scene", ""),
            ("ACTION", "Re-time the Action", "Move the action's keys so that it plays as fast as it was made"),
        ],
        options=set(),
    )
    variations: bpy.props.IntProperty(
        name="Count", description="How many variations are made", default=4, min=1, max=1000, soft_max=20, options=set()
    )
    tool_open: bpy.props.BoolProperty(name="Tool", description="Show a tool in place of Weave", options=set())
    experts: bpy.props.BoolProperty(
        name="More Panels",
        description="Show the panels for experts: synchronising, body roles, controls, checking",
        options=set(),
    )
    picture: bpy.props.IntProperty(
        name="Picture", description="Which of the sources is shown matched to the reference", options=set()
    )
    bodies_aligned: bpy.props.BoolProperty(
        name="Lay Bodies Over",
        description="Draw both bodies on top of each other beside the playhead, after the best turn and shift",
        options=set(),
    )
    live: bpy.props.BoolProperty(
        name="Live",
        description="Show the result as a ghost that follows every change; nothing is written",
        default=True,
        options=set(),
        update=lists.notifying(when_live_changed),
    )
    pad: bpy.props.BoolProperty(
        name="Pad",
        description="Show a pad in the 3D view to drag between the ticked actions, or between speeds and turns",
        options=set(),
    )
    ghost_mesh: bpy.props.BoolProperty(
        name="Mesh",
        description="Show the ghost as the character's own mesh instead of lines",
        default=True,
        options=set(),
        update=lists.notifying(when_preview_changed),
    )
    ghost_beside: bpy.props.BoolProperty(
        name="Beside",
        description="Show the ghost a step aside from the character",
        options=set(),
        update=lists.notifying(when_preview_changed),
    )
    every_warning: bpy.props.BoolProperty(
        name="More", description="Show all warnings, not the first alone", options=set()
    )
    solo: bpy.props.BoolProperty(
        name="Solo",
        description="Show the active line by itself as a ghost; click another line to see that one",
        options=set(),
        update=lists.notifying(when_solo_changed),
    )
    show_feet: bpy.props.BoolProperty(
        name="Show Feet",
        description="Show the feet's ways in the 3D view: green where they stand, red where they can't be planted",
        options=set(),
        update=lists.notifying(when_feet_changed),
    )
    show_roles: bpy.props.BoolProperty(
        name="Show on Body",
        description="Show the body roles on the bones; guessed ones have another colour",
        options=set(),
    )
    edit: bpy.props.EnumProperty(
        name="Tool",
        description="What is done to the armature's action",
        items=intents.edit_choices(),
        options=set(),
    )
    edit_which: bpy.props.EnumProperty(name="Actions", items=lists.OWN, options=set())
    edit_replace: bpy.props.BoolProperty(
        name="Replace",
        description="Replace the action with the result; a copy of the action is kept",
        options=set(),
    )
    reach_object: bpy.props.PointerProperty(
        type=bpy.types.Object, name="Object", description="The target, where it is now; the 3D cursor if empty"
    )
    place_after: bpy.props.PointerProperty(type=bpy.types.Action, name="After", description="The action to go on from")
    labels: bpy.props.PointerProperty(
        type=bpy.types.Text,
        name="Labels",
        description="A comma-separated table about the actions with the columns clip, person and any others; if empty,"
        " the labels of the list name the people",
    )
    ask_curve: bpy.props.PointerProperty(
        type=bpy.types.Object,
        name="Along",
        description="The curve to walk along, from its first point",
        poll=lambda _settings, chosen: chosen.type == "CURVE",
    )
    kept_style: bpy.props.PointerProperty(
        type=bpy.types.Text,
        name="Kept",
        description="A style kept in this file; if empty, it is learnt from the ticked actions",
        poll=_is_style,
    )
    named_style: bpy.props.EnumProperty(
        name="Style",
        description=_RULE,
        items=[
            ("none", "None", ""),
            ("tired", "Tired", _RULE),
            ("happy", "Happy", _RULE),
            ("old", "Old", _RULE),
            ("proud", "Proud", _RULE),
            ("sneaky", "Sneak", "As an included capture sneaks; a rule for runs, and with examples of your own"),
        ],
        get=kept_styles.read_named_style,
        set=kept_styles.choose_named_style,
        options=set(),
    )
    restyle_each: bpy.props.BoolProperty(
        name="Each",
        description="Restyle each ticked action, not only the reference",
        options=set(),
    )
    play: bpy.props.BoolProperty(
        name="Play Result",
        description="Fit the preview range to a new result and play it",
        options=set(),
    )


ACTION_LOOM_PG_settings.__annotations__ |= {f"take_{name}": kept for name, kept in take_rows.HOW.items()}
ACTION_LOOM_PG_settings.__annotations__ |= {
    name: bpy.props.PointerProperty(type=group) for name, group in GROUPS.items()
}
# Version 0.1 named groups after earlier verbs; their values are moved when a file is opened.
ACTION_LOOM_PG_settings.__annotations__ |= {
    earlier: bpy.props.PointerProperty(type=GROUPS[recipe.verb])
    for recipe in RECIPES
    for earlier in recipe.earlier_verbs
}


def group_names(recipe: type[Recipe]) -> tuple[str, ...]:
    """Return the property names of the groups that hold a recipe's options."""
    shared = [name for name, options in SHARED.items() if issubclass(recipe, options)]
    own = [recipe.verb] if recipe.verb in GROUPS and recipe.verb not in shared else []
    return (*shared, *own)


def groups(settings: Any, recipe: type[Recipe]) -> tuple[Any, ...]:
    """Return the groups that hold a recipe's options, and the group of results."""
    return (*(getattr(settings, name) for name in group_names(recipe)), settings.result)


@cache  # panels call this whenever they are drawn
def shown_options(name: str, *where: str) -> tuple[Option, ...]:
    """Return the options of a group shown in some of the places of `SHOWN`."""
    declarations: tuple[type, ...]
    if name == "result":
        declarations = (ResultOptions, ReadingOptions)
    elif name in SHARED:
        declarations = (SHARED[name],)
    else:
        declarations = (VERBS[name].recipe,)
    leave_out = () if name in ("result", *SHARED) else _shared_by(VERBS[name].recipe)
    found = [about for one in declarations for about in option_properties.options_of(one, leave_out).values()]
    return tuple(about for about in found if about.shown in where)


def shown_in_mode(recipe: type[Recipe], *, rare: bool) -> tuple[tuple[str, Option], ...]:
    """Return the usual or the rare options that a mode of Weave shows, as (group name, option).

    Shared groups contribute only options marked for the mode itself; the rest have their own panel.
    """
    return _shown_in_mode(recipe.verb, rare)


@cache
def _shown_in_mode(verb: str, rare: bool) -> tuple[tuple[str, Option], ...]:
    found: list[tuple[str, Option]] = []
    for name in group_names(VERBS[verb].recipe):
        if name in SHARED:
            where: tuple[str, ...] = () if rare else (MODE,)
        else:
            where = (RARE,) if rare else (MODE, PANEL)
        found += [(name, about) for about in shown_options(name, *where)]
    return tuple(found)


def applies(group: Any, about: Option) -> bool:
    """Return whether an option applies with the other values of its group."""
    if about.only_for is None:
        return True
    name, values = about.only_for
    value = getattr(group, name)
    return (value if isinstance(value, bool) else option_properties.choice_of(group, name)) in values


# --- looking up settings ---------------------------------------------------------------------------------------------


def settings_of(scene: bpy.types.Scene) -> Any:
    """Return the panel's settings of a scene."""
    return getattr(scene, _SETTINGS)


def of_session(kept: Iterable[Data], uid: int) -> Data | None:
    """Return the data of a session id, or None; Blender never reuses the id of deleted data in a session."""
    return next((one for one in kept if one.session_uid == uid), None)


def rig_of(scene: bpy.types.Scene, armature: bpy.types.Object | None) -> Any:
    """Return the list of sources of an armature, or None."""
    if armature is None:
        return None
    return next(
        (rig for rig in settings_of(scene).rigs if lists.read_identity(rig.owner).find((armature,)) is not None), None
    )


def armature_of(rig: Any) -> bpy.types.Object | None:
    """Return the armature of a list of sources, or None if it was deleted."""
    return lists.read_identity(rig.owner).find(bpy.data.objects)


def pinned_armature(scene: bpy.types.Scene) -> bpy.types.Object | None:
    """Return the armature to which a scene's tab is pinned, or None."""
    pin = settings_of(scene).pin
    found = lists.read_identity(pin).find(scene.objects) if pin.name else None
    return found if found is not None and found.type == "ARMATURE" else None


def pin_to(scene: bpy.types.Scene, armature: bpy.types.Object | None) -> None:
    """Pin the tab of a scene to an armature, or to none."""
    pin = settings_of(scene).pin
    if armature is None:
        pin.name = pin.uid = pin.session = pin.library = ""
    else:
        lists.hold(pin, armature)


def ensure_rig(scene: bpy.types.Scene, armature: bpy.types.Object) -> Any:
    """Return the list of sources of an armature, created if missing."""
    rig = rig_of(scene, armature)
    if rig is None:
        for listener in when_first_listed if not len(settings_of(scene).rigs) else ():
            listener(scene)
        rig = settings_of(scene).rigs.add()
        rig.name = lists.free_name(lists.names_of(settings_of(scene).rigs), armature.name)
        lists.hold(rig.owner, armature)
    return rig


def name_lines(scene: bpy.types.Scene) -> None:
    """Name unnamed lists and lines, from older files or scripts."""
    for rig in settings_of(scene).rigs:
        if not rig.name:
            rig.name = lists.free_name(lists.names_of(settings_of(scene).rigs), rig.owner.name or "list")
        taken = lists.names_of(rig.sources)
        for line in rig.sources:
            if not line.name:
                line.name = lists.free_name(taken, line.action.name if line.action else "line")
                taken.add(line.name)


def labels_in_use(context: Any) -> list[str]:
    """Return the labels of all sources in the context's scene, sorted, each once."""
    lines = (line for rig in settings_of(context.scene).rigs for line in rig.sources)
    return sorted({line.label for line in lines if line.label})


# --- registration ---------------------------------------------------------------------------------------------------


@persistent
def _put_right(*_: Any) -> None:
    """Move values from the option names of earlier versions to current names, and reset impossible choices."""
    for scene in bpy.data.scenes:
        settings = settings_of(scene)
        for group in (settings, *(getattr(settings, name) for name in GROUPS)):
            _unset_impossible(group)
        for rig in settings.rigs:
            lists.take_given_armature(rig)
        name_lines(scene)
        for recipe in RECIPES:
            for earlier in recipe.earlier_verbs:
                _take_over(getattr(settings, earlier), getattr(settings, recipe.verb))
        for name in GROUPS:
            group = getattr(settings, name)
            for about in shown_options(name, MODE, PANEL, RARE, HIDDEN):
                for alias in about.aliases:
                    option_properties.moving(alias, about.name)(group, None)


@persistent
def _note_armatures(*_: Any) -> None:
    """Note the names and session ids of armatures before a file is saved and after it is opened.

    Also remove the lists of deleted armatures, and the pointers to a deleted curve and ground.
    """
    for scene in bpy.data.scenes:
        settings = settings_of(scene)
        for k in reversed(range(len(settings.rigs))):
            owner = settings.rigs[k].owner
            armature = armature_of(settings.rigs[k])
            if armature is not None and armature.users:
                lists.hold(owner, armature)
            elif lists.read_identity(owner).is_of_this_session:
                settings.rigs.remove(k)
                continue
            for line in settings.rigs[k].sources:
                player = lists.player_of(line)
                if player is not None:
                    lists.hold(line.player, player)
        if pinned_armature(scene) is not None:
            pin_to(scene, pinned_armature(scene))
        if settings.curve is not None and not settings.curve.users_scene:
            settings.curve = None
        if settings.ground is not None and not settings.ground.users_scene:
            settings.ground = None


def _unset_impossible(group: Any) -> None:
    """Reset enums whose stored value no longer exists: Blender reads it as "", which can't be set."""
    for about in group.bl_rna.properties:
        if about.type == "ENUM" and not getattr(group, about.identifier):
            group.property_unset(about.identifier)


def _take_over(earlier: Any, group: Any) -> None:
    for name in earlier.bl_rna.properties.keys():  # noqa: SIM118  (going through it gives properties)
        if name not in ("rna_type", "name") and earlier.is_property_set(name):
            setattr(group, name, getattr(earlier, name))
            earlier.property_unset(name)


_CLASSES = (
    *GROUPS.values(),
    ACTION_LOOM_PG_settings,
)


def register() -> None:
    registrar.add_classes(_CLASSES)
    registrar.add_property(bpy.types.Scene, _SETTINGS, bpy.props.PointerProperty(type=ACTION_LOOM_PG_settings))
    registrar.append(option_properties.labels_in, labels_in_use)
    registrar.append(bpy.app.handlers.load_post, _put_right)
    registrar.append(bpy.app.handlers.load_post, _note_armatures)
    registrar.append(bpy.app.handlers.save_pre, _note_armatures)
