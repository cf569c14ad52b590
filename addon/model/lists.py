"""Define the lists of sources, one per armature, with their lines and body roles, and search them."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import bpy

from ...core.recipes.base import Recipe
from ...core.recipes.reading import SourceOptions
from ..ground import option_properties, registrar
from ..ground.identity import Identity, identity_of
from ..ground.translations.runtime import translate_text
from . import take_rows

# Distinguishable in the list, in pictures and in the viewport, also with colour blindness (Okabe & Ito 2008).
_COLORS = (
    (0.90, 0.62, 0.0),
    (0.34, 0.71, 0.91),
    (0.0, 0.62, 0.45),
    (0.80, 0.47, 0.65),
    (0.94, 0.89, 0.26),
    (0.84, 0.37, 0.0),
    (0.0, 0.45, 0.70),
)
COLORS = tuple((round(t * r, 2), round(t * g, 2), round(t * b, 2)) for t in (1.0, 0.6, 0.35) for r, g, b in _COLORS)

# Choices of an armature's own actions to work on.
TICKED, PLAYED = "TICKED", "PLAYED"
MADE = 3  # number of results listed above other actions
OWN = (
    (PLAYED, "Playing Action", "The action that the armature has now"),
    (TICKED, "Ticked", "Each ticked action, one by one"),
)

Listener = Callable[[bpy.types.Scene, bpy.types.Context], None]

# Listeners for a changed weight, role, control or colour, or a click on another line; called with scene and context.
when_weight_changed: list[Listener] = []
when_role_changed: list[Listener] = []
when_control_changed: list[Listener] = []
when_color_changed: list[Listener] = []
when_active_changed: list[Listener] = []


def notifying(listeners: list[Listener]) -> Callable[[Any, bpy.types.Context], None]:
    """Return an update callback that calls listeners when a property has changed."""

    def notify(holder: Any, context: bpy.types.Context) -> None:
        for listener in listeners:
            listener(holder.id_data, context)

    return notify


# True while all but the last of several weights are set, so that listeners are called once for all of them.
_half_set = False


def _weight_changed(source: Any, context: bpy.types.Context) -> None:
    if not _half_set:
        notifying(when_weight_changed)(source, context)


def _list_of(line: Any) -> Any:
    """Return the list that a line is in."""
    return line.id_data.path_resolve(line.path_from_id().rpartition(".sources")[0])


def _share(line: Any) -> float:
    """Return a line's share of the weights of all ticked lines, in percent."""
    total = sum(one.weight for one in each_ticked(_list_of(line)))
    return float(100.0 * line.weight / total) if total > 0.0 else 0.0


def _set_share(line: Any, percent: float) -> None:
    """Set the share of a ticked line in percent; the others keep their relative weights."""
    lines = ticked_lines(_list_of(line))
    if line not in lines:
        return
    others = sum(one.weight for one in lines if one != line)
    rest = 1.0 - 0.01 * percent
    even = rest / max(len(lines) - 1, 1)
    shares = [one.weight / others * rest if others > 0.0 else even for one in lines]
    set_weights(lines, [0.01 * percent if one == line else share for one, share in zip(lines, shares, strict=True)])


class ACTION_LOOM_PG_identity(bpy.types.PropertyGroup):
    """Data by name, file and session id: a pointer would keep it alive after deletion."""

    library: bpy.props.StringProperty(options=set())
    uid: bpy.props.StringProperty(options=set())
    session: bpy.props.StringProperty(options=set())


def _armature_called(line: Any) -> str:
    """Return the current name of a line's armature, "" for the list's own."""
    other = player_of(line)
    return str(line.player.name) if other is None else other.name_full


def find_armatures(_line: Any, context: Any, edited: str) -> list[str]:
    """Return the armatures of the scene whose names contain the typed text."""
    names = (one.name_full for one in context.scene.objects if one.type == "ARMATURE")
    return [name for name in names if edited.lower() in name.lower()]


def _tip(line: Any) -> str:
    name = line.action.name if line.action else ""
    return f"{name}\n{translate_text(line.warning)}" if line.use and line.warning else name


def _call_armature(line: Any, name: str) -> None:
    """Refer to an armature by name; a missing one is stored by name, so that messages can name it."""
    there = next((one for one in bpy.data.objects if one.name_full == name and one.type == "ARMATURE"), None)
    if there is not None:
        hold(line.player, there)
    else:
        line.player.name, line.player.library, line.player.uid, line.player.session = name, "", "", ""


@option_properties.with_options(SourceOptions)
class ACTION_LOOM_PG_source(bpy.types.PropertyGroup):
    """One line of the list of sources.

    player : the armature of the action, if it is not the list's; `armature` is its name
    carried : the method of its transfer to the list's armature at the last reading
    """

    player: bpy.props.PointerProperty(type=ACTION_LOOM_PG_identity)
    armature: bpy.props.StringProperty(
        name="Armature",
        description="The armature this action belongs to, if another; it is put on this body",
        get=_armature_called,
        set=_call_armature,
        search=find_armatures,
        search_options=set(),
        options=set(),
    )
    carried: bpy.props.StringProperty(options=set())
    action: bpy.props.PointerProperty(type=bpy.types.Action)
    # the tooltip of a row, whose name may be cut, or red because of its warning
    called: bpy.props.StringProperty(get=_tip, options=set())
    use: bpy.props.BoolProperty(
        name="Use", description="Weave this action into the result", default=True, options=set()
    )
    weight: bpy.props.FloatProperty(
        name="Share",
        description="Share of this action in the result",
        default=1.0,
        min=0.0,
        soft_max=1.0,
        update=_weight_changed,
    )
    share: bpy.props.FloatProperty(  # without a percent sign, which needs too much room in the list
        name="Share",
        description="Percent of this action; the other ticked actions make room",
        min=0.0,
        max=100.0,
        precision=0,
        get=_share,
        set=_set_share,
        options=set(),
    )
    color: bpy.props.FloatVectorProperty(
        name="Color",
        description="Of this action in pictures",
        subtype="COLOR_GAMMA",  # display colours, like the pixels of a picture
        min=0.0,
        max=1.0,
        options=set(),
        update=notifying(when_color_changed),
    )
    use_range: bpy.props.BoolProperty(name="Range", description="Take a part of the action only", options=set())
    label: bpy.props.StringProperty(
        name="Label",
        description="Motion graphs connect only actions of the same label",
        options=set(),
        search=option_properties.labels,
        search_options={"SUGGESTION"},
    )
    warning: bpy.props.StringProperty(options=set())
    # why this action is hardly one to weave
    apart: bpy.props.StringProperty(options=set())


class ACTION_LOOM_PG_role(bpy.types.PropertyGroup):
    """The bone of a body role such as hips or thigh.L; named by the role."""

    bone: bpy.props.StringProperty(
        name="Bone",
        description="The bone that plays this role; none if empty",
        options=set(),
        update=notifying(when_role_changed),
    )
    found_by: bpy.props.EnumProperty(
        name="Found",
        description="How sure it is that this bone plays the role",
        items=[
            ("NONE", "Not found", "", "BLANK1", 0),
            ("NAME", "By name", "", "CHECKMARK", 1),
            ("HIERARCHY", "By hierarchy", "", "OUTLINER", 2),
            (
                "SHAPE",
                "By shape",
                "Found by the rest pose: the names have the sides swapped, or the body faces backwards",
                "ERROR",
                3,
            ),
            ("HAND", "By hand", "", "USER", 4),
        ],
        options=set(),
    )


class ACTION_LOOM_PG_control(bpy.types.PropertyGroup):
    """The control that moves a body part; named by the part and its kind, such as "Left leg, IK"."""

    bone: bpy.props.StringProperty(
        name="Control",
        description="The bone you move for this part; none if empty",
        options=set(),
        update=notifying(when_control_changed),
    )


def take_given_armature(rig: Any, _context: Any = None) -> None:
    """Replace an armature pointer set by a script or a file of version 0.1 with an identity."""
    if rig.armature is not None:
        hold(rig.owner, rig.armature)
        rig.armature = None


def set_weights(lines: list[Any], weights: Sequence[float]) -> None:
    """Set the weights of some lines at once; listeners are called once."""
    global _half_set
    _half_set = True
    try:
        for line, weight in zip(lines[:-1], weights[:-1], strict=True):
            line.weight = weight
    finally:
        _half_set = False
    lines[-1].weight = weights[-1]


class ACTION_LOOM_PG_rig(bpy.types.PropertyGroup):
    """The sources of one armature; every armature has its own list."""

    owner: bpy.props.PointerProperty(type=ACTION_LOOM_PG_identity)
    armature: bpy.props.PointerProperty(type=bpy.types.Object, options={"HIDDEN"}, update=take_given_armature)
    sources: bpy.props.CollectionProperty(type=ACTION_LOOM_PG_source)
    active: bpy.props.IntProperty(options=set(), update=notifying(when_active_changed))
    # the action that gives the result its timing, body and place
    reference: bpy.props.IntProperty(options=set())
    left_out: bpy.props.CollectionProperty(type=ACTION_LOOM_PG_identity)  # actions removed by hand
    ticked_at_first: bpy.props.StringProperty(options=set())  # names of automatically ticked actions, a line each
    roles: bpy.props.CollectionProperty(type=ACTION_LOOM_PG_role)
    controls: bpy.props.CollectionProperty(type=ACTION_LOOM_PG_control)
    control_notes: bpy.props.StringProperty(options=set())  # on parts that can't be keyed, a line each
    take: bpy.props.PointerProperty(type=bpy.types.Action)  # the source of take_rows
    take_rows: bpy.props.CollectionProperty(type=take_rows.ACTION_LOOM_PG_take_row)
    take_active: bpy.props.IntProperty(options=set())
    take_holes: bpy.props.CollectionProperty(type=take_rows.ACTION_LOOM_PG_hole)  # gaps of the set
    edited: bpy.props.PointerProperty(type=bpy.types.Action)  # the result whose settings Edit has put into the panel
    last: bpy.props.StringProperty(options=set())
    last_of: bpy.props.StringProperty(options=set())  # the action that `last` is about
    last_beside: bpy.props.StringProperty(options=set())  # the action played at that time, beside which it is shown
    last_warnings: bpy.props.StringProperty(options=set())  # warnings about the same, a line each
    last_mode: bpy.props.StringProperty(options=set())  # the chosen mode, in which they are shown; "" for every mode
    last_made: bpy.props.StringProperty(options=set())  # names of the last results, a line each


# --- searching a list ------------------------------------------------------------------------------------------------


def ticked_lines(rig: Any) -> list[Any]:
    """Return the ticked lines of a list whose actions still exist."""
    return list(each_ticked(rig))


def keep_last(rig: Any, line: str, of: str = "", warnings: Iterable[str] = (), mode: str = "") -> None:
    """Store the last line, the name of its action, its warnings, and the mode in which they are shown."""
    rig.last, rig.last_of, rig.last_warnings, rig.last_mode = line, of, "\n".join(warnings), mode
    rig.last_beside = _name_of_played(rig)


def _name_of_played(rig: Any) -> str:
    armature = read_identity(rig.owner).find(bpy.data.objects)
    data = None if armature is None else armature.animation_data
    return "" if data is None or data.action is None else data.action.name_full


def keep_made(rig: Any, names: list[str]) -> None:
    """Store the names of the last results, and of earlier ones up to a small number."""
    before = [name for name in rig.last_made.splitlines() if name not in names]
    rig.last_made = "\n".join([*names, *before[: max(0, MADE - len(names))]])


def are_ticks_chosen(rig: Any) -> bool:
    """Return whether the user has changed the ticks; at first the list ticks two actions by itself."""
    return names_of_ticked(rig) != rig.ticked_at_first


def names_of_ticked(rig: Any) -> str:
    """Return the names of the ticked actions, a line each."""
    return "\n".join(line.action.name for line in each_ticked(rig))


def each_ticked(rig: Any) -> Iterator[Any]:
    """Yield the ticked lines of a list whose actions still exist; use it if a few of hundreds may suffice."""
    return (line for line in (() if rig is None else rig.sources) if line.use and line.action is not None)


def first_ticked(rig: Any, most: int) -> list[Any]:
    """Return at most the first `most` ticked lines of a list: enough to compare their number with a limit."""
    return list(islice(each_ticked(rig), most))


def is_own(line: Any) -> bool:
    """Return whether a line's action belongs to the list's own armature; `line.armature` would search the other one."""
    return not line.player.name


def own_lines(rig: Any, action: bpy.types.Action) -> list[Any]:
    """Return a list of at most one line: the first with an action of the armature's own, ticked or not."""
    lines = [] if rig is None else [line for line in rig.sources if line.action == action and is_own(line)]
    return lines[:1]


def active_line(rig: Any) -> Any:
    """Return the active line of a list, or None if there is none or its action was deleted."""
    there = rig is not None and 0 <= rig.active < len(rig.sources)
    return rig.sources[rig.active] if there and rig.sources[rig.active].action is not None else None


def player_of(line: Any) -> bpy.types.Object | None:
    """Return the armature of a line's action if it exists and is not the list's own, or None."""
    if not line.player.name:
        return None
    found = read_identity(line.player).find(bpy.data.objects)
    return found if found is not None and found.users_scene else None


def weights_of(rig: Any, names: Sequence[str]) -> tuple[float, ...] | None:
    """Return the weights of actions' ticked lines, in order; None if one is not ticked, or all are zero."""
    weights: dict[str, list[float]] = {}
    for line in ticked_lines(rig):
        weights.setdefault(line.action.name_full, []).append(option_properties.round_floats(line.weight))
    if any(names.count(name) > len(weights.get(name, ())) for name in names):
        return None
    found = tuple(weights[name].pop(0) for name in names)
    return found if any(found) else None


def in_order(rig: Any, recipe: type[Recipe]) -> list[Any]:
    """Return the ticked lines of a list in a recipe's order: the reference first if the recipe requires it."""
    lines = ticked_lines(rig)
    if recipe.reference_first and lines:
        lines.insert(0, lines.pop(reference_among(rig, lines)))
    return lines


def reference_among(rig: Any, sources: list[Any]) -> int:
    """Return the index of the reference among some lines of its list; 0 if it is missing there."""
    marked = rig.sources[rig.reference] if 0 <= rig.reference < len(rig.sources) else None
    return sources.index(marked) if marked in sources else 0


def name_rows(rows: Any, names: Sequence[str]) -> None:
    """Set the names of a collection's rows; rows with the right names stay: the artist may be typing in one."""
    if [row.name for row in rows] != list(names):
        rows.clear()
        for name in names:
            rows.add().name = name


def names_of(lines: Iterable[Any]) -> set[str]:
    return {line.name for line in lines}


def free_name(taken: Collection[str], wanted: str) -> str:
    """Return an unused name: weight curves find their line by name."""
    if wanted and wanted not in taken:
        return wanted
    numbered = (f"{wanted}.{k:03}" for k in range(1, len(taken) + 2))
    return next(name for name in numbered if name not in taken)


def hold(held: Any, data: bpy.types.ID) -> None:
    """Store the identity of some data in our settings."""
    for name, value in identity_of(data).values().items():
        setattr(held, name, value)


def read_identity(held: Any) -> Identity:
    """Return an identity stored in our settings."""
    uid = int(held.uid) if held.uid.isdecimal() and len(held.uid) < 20 else 0  # anybody can write properties
    return Identity(held.name, held.library, uid, held.session)


register = registrar.registration(
    (
        ACTION_LOOM_PG_identity,
        ACTION_LOOM_PG_source,
        ACTION_LOOM_PG_role,
        ACTION_LOOM_PG_control,
        ACTION_LOOM_PG_rig,
    )
)
