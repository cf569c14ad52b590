"""Manage the list of an armature's sources: a line for each action, with reading options."""

import dataclasses
import math
import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise, takewhile
from typing import Any, NamedTuple

import bpy

from ....core.errors import LoomError, OptionError
from ....core.options import declared_options
from ....core.recipes.base import Recipe
from ....core.recipes.reading import Request, Source, SourceOptions
from ....core.verbs import Fill
from ...ground import option_properties
from ...ground.blender_types import Slot, armature_data
from ...model import lists, properties, target_armature
from ...model.lists import PLAYED, TICKED
from . import posed

_LAST_FRAME = 1048574  # of Blender's timeline; its negative is the first frame

_POSE = 0.5  # frames; a shorter action is a single pose
_WORTH_HIDING, _WORD_ENDS = 4, " _.-|:"  # minimal length of a hidden part, and the characters between words
_RECORDED = re.compile(r"(\D{3,}[ _.|:-])\d+[ _.-]\d")  # a beginning of words, and the numbers of a recording
_ALONE = 6  # letters of a shared beginning to remove even if the rest does not fit
_LEAST = 8  # letters of a shortened name
_SEVERAL = 3  # names that share an ending
_FEW_BONES, _MANY = 2, 5  # an action that moves at most 2 bones of an armature with 5 times more bones is listed last


def source_of(line: Any) -> Source:
    """Return a line's action with its reading options."""
    span = {"first": line.first, "last": line.last} if line.use_range else {}
    given = {"rate": _rate(line), "slot": line.slot, "partner": line.partner}
    return Source(name=line.action.name_full, armature=line.armature, **given, **span)


def is_read_as(line: Any, source: Source) -> bool:
    """Return whether a line equals a source, without creating a source for each of hundreds of lines."""
    return (
        line.action.name_full == source.name
        and _rate(line) == source.rate
        and line.slot == source.slot
        and ("" if lists.is_own(line) else line.armature) == source.armature
        and _span(line) == source.span
    )


def _span(line: Any) -> tuple[int, int] | None:
    return (line.first, line.last) if line.use_range and line.first != line.last else None


def _rate(line: Any) -> float:
    """Return the rate of a line; an invalid rate counts as none, because panels call this while drawing."""
    if line.rate == 0.0:
        return 0.0
    try:
        return float(declared_options(SourceOptions)["rate"].checked(option_properties.round_floats(line.rate)))
    except OptionError:
        return 0.0


def add(
    rig: Any, action: bpy.types.Action, *, use: bool, player: bpy.types.Object | None = None,
    taken: set[str] | None = None,
) -> Any:  # fmt: skip
    """Add a line for an action to a list and return it, in an unused colour.

    player : the action's armature, if it is not the list's; taken : the names of the lines, which gets the new one
    """
    taken = lists.names_of(rig.sources) if taken is None else taken
    name, color = lists.free_name(taken, action.name), _free_color(rig)
    taken.add(name)
    source = rig.sources.add()
    source.name = name
    source.action, source.use, source.color = action, use, color
    if player is not None:
        lists.hold(source.player, player)
    source.first, source.last = (_whole(frame) for frame in action.frame_range[:])
    return source


def _free_color(rig: Any) -> tuple[float, float, float]:
    """Return the first unused colour; the first of all once they are used up."""
    free = dict.fromkeys(lists.COLORS)
    for source in rig.sources:
        if not free:
            break
        red, green, blue = source.color
        free.pop((round(red, 2), round(green, 2), round(blue, 2)), None)
    return next(iter(free), lists.COLORS[0])


def _whole(frame: float) -> int:
    """Return the nearest frame in Blender's timeline; 0 for infinite or undefined frames."""
    return round(min(max(frame, -_LAST_FRAME), _LAST_FRAME)) if math.isfinite(frame) else 0


def load(line: Any, source: Source, slot: Slot) -> None:
    """Set a line's reading options from a source and its slot (None without slots)."""
    line.rate, line.partner = source.rate, source.partner
    line.slot = slot.identifier if slot is not None and source.slot else ""
    line.armature = source.armature
    line.use_range = source.span is not None
    if source.span is not None:
        line.first, line.last = source.span


class Filled(NamedTuple):
    """The outcome of filling a list.

    added : actions, each with the reason for listing it last ("" for most)
    shape_keys, others : names of actions that were not added
    """

    added: dict[bpy.types.Action, str]
    shape_keys: list[str]
    others: list[str]


def add_all(rig: Any, armature: bpy.types.Object, actions: Iterable[bpy.types.Action]) -> Filled:
    """List the given actions that move bones of an armature, not ticked; actions hardly worth weaving come last.

    Lines of deleted actions are removed.
    """
    remove_deleted(rig)
    listed = {line.action for line in rig.sources}
    every = {action: moves(action, armature) for action in actions if action not in listed}
    apart = {action: why_apart(action, armature, moved) for action, moved in every.items() if moved.bones}
    apart = dict(sorted(apart.items(), key=lambda one: bool(one[1])))
    taken = lists.names_of(rig.sources)
    for action, why in apart.items():
        add(rig, action, use=False, taken=taken).apart = why
    return Filled(
        apart,
        [action.name for action, moved in every.items() if moved.shape_keys],
        [action.name for action, moved in every.items() if not moved.bones and not moved.shape_keys],
    )


def remove_deleted(rig: Any) -> None:
    """Remove lines with deleted actions from a list; the marked and the active line remain the same."""
    for k in reversed([k for k, line in enumerate(rig.sources) if line.action is None]):
        remove(rig, k)


def remove(rig: Any, place: int) -> None:
    """Remove a line from a list."""
    rig.sources.remove(place)
    if place < rig.reference:
        rig.reference -= 1
    elif place == rig.reference:
        rig.reference = 0
    if place < rig.active or rig.active == len(rig.sources):
        rig.active = max(rig.active - 1, 0)


def take_its_place(rig: Any, source: Any, result: Any) -> None:
    """Tick a result instead of its source's line, with the same weight, if that line is ticked."""
    if source.use and source != result:
        source.use, result.use = False, True
        if result.weight != source.weight:  # setting it would weave a preview again
            result.weight = source.weight
        every = list(rig.sources)
        if rig.reference == every.index(source):
            rig.reference = every.index(result)


EVERY = "EVERY"
WHICH = (
    (TICKED, "Ticked", "Those ticked in the armature's own list, or else the one it plays"),
    (PLAYED, "Playing Action", "The action that the armature has now"),
    (EVERY, "All", "Every action of its bones, except single poses and actions that hardly move"),
)


def source_of_action(scene: bpy.types.Scene, armature: bpy.types.Object, action: bpy.types.Action) -> Source:
    """Return an armature's action with the reading options of its line in the list, or the defaults."""
    lines = lists.own_lines(properties.rig_of(scene, armature), action)
    return source_of(lines[0]) if lines else Source(name=action.name_full)


def own_actions(scene: bpy.types.Scene, armature: bpy.types.Object, which: str) -> list[bpy.types.Action]:
    """Return an armature's current action or the ticked ones in its list; which : one of `lists.OWN`.

    The ticked ones are also returned if the armature lacks an action.
    """
    data = armature.animation_data
    action = None if data is None else data.action
    return [*_ticked_own(scene, armature)] if which == TICKED or action is None else [action]


def has_own(scene: bpy.types.Scene, armature: bpy.types.Object, which: str) -> bool:
    """Return whether there are `own_actions`; cheaper."""
    data = armature.animation_data
    if which != TICKED and data is not None and data.action is not None:
        return True
    return any(map(lists.is_own, lists.each_ticked(properties.rig_of(scene, armature))))


def own_sources(scene: bpy.types.Scene, armature: bpy.types.Object, which: str) -> list[Source]:
    """Return `own_actions` as sources; a ticked action has the reading options of its line."""
    actions = own_actions(scene, armature, which)
    ticked = _ticked_own(scene, armature, actions[0] if len(actions) == 1 else None)
    return [source_of(ticked[action]) if action in ticked else Source(name=action.name_full) for action in actions]


def _ticked_own(
    scene: bpy.types.Scene, armature: bpy.types.Object, only: bpy.types.Action | None = None
) -> dict[bpy.types.Action, Any]:
    """Return the ticked lines of an armature's own actions, by action; only : restrict the search to one action."""
    lines = lists.each_ticked(properties.rig_of(scene, armature))
    if only is not None:
        lines = (line for line in lines if line.action == only)
    return {line.action: line for line in lines if lists.is_own(line)}


def selected_others(context: bpy.types.Context, armature: bpy.types.Object | None) -> list[bpy.types.Object]:
    """Return the armatures that are selected, or deform a selected mesh, without the given one."""
    found = dict.fromkeys(map(target_armature.find_armature, context.selected_objects or ()))
    return [one for one in found if one is not None and one != armature]


def sources_of(scene: bpy.types.Scene, other: bpy.types.Object, which: str) -> list[Source]:
    """Return actions of another armature, a ticked one with the options of its line; which : one of WHICH."""
    if which == EVERY:
        return [
            Source(name=action.name_full, armature=other.name_full)
            for action in bpy.data.actions
            if _moves_only(action, other)
        ]
    lines = [line for line in lists.ticked_lines(properties.rig_of(scene, other)) if lists.is_own(line)]
    data = other.animation_data
    playing = None if data is None else data.action
    if which == PLAYED:
        lines = [line for line in lines if line.action == playing]
    if lines or playing is None:
        return [dataclasses.replace(source_of(line), armature=other.name_full) for line in lines]
    slot = getattr(data, "action_slot", None)
    slot_played = slot.identifier if slot is not None and len(playing.slots) > 1 else ""
    return [Source(name=playing.name_full, armature=other.name_full, slot=slot_played)]


def _moves_only(action: bpy.types.Action, armature: bpy.types.Object) -> bool:
    moved = moves(action, armature)
    return bool(moved.bones and moved.only and not why_apart(action, armature, moved))


def note_warnings(context: bpy.types.Context, armature: bpy.types.Object, lines: list[Any]) -> list[str]:
    """Read the actions of some lines and put warnings beside them; return the errors of unreadable ones."""
    from ..weaving import reading
    from . import source_warnings

    refused = []
    for line in lines:
        source = Source(name=line.action.name_full, rate=_rate(line), slot=line.slot, armature=line.armature)
        request = Request(sources=(source,))
        try:
            read = reading.read(context, armature, request)
        except LoomError as error:
            refused.append(str(error))
            continue
        source_warnings.note(context, armature, request, read)
    return refused


def shortened(names: Iterable[str], room: int) -> dict[str, str]:
    """Shorten names longer than `room` by replacing shared parts with "…".

    A shared part is an ending of most names, or the necessary words of a beginning of most. Others lose their middle.
    Results are called after their sources: "Walk_Hero + Run_Hero 50:50" becomes "Walk… + Run… 50:50".
    """
    return _shorten_names(tuple(names), room)


@lru_cache(maxsize=8)  # panels call this whenever they are drawn
def _shorten_names(names: tuple[str, ...], room: int) -> dict[str, str]:
    room = max(room, _LEAST)
    endings = _shared_endings(names)
    bare = {name: name.removesuffix(endings.get(name, "")) for name in names}
    hidden = _before_numbers(bare.values(), room - 1) | _shared_beginnings(bare.values(), room - 1)
    ends = "|".join(map(re.escape, sorted(set(endings.values()), key=len, reverse=True))) or "(?!)"
    starts = "|".join(re.escape(one) for one in set(hidden.values()) if one[-1] in _WORD_ENDS) or "(?!)"
    short = {
        name: f"{'…' if one in hidden else ''}{one[len(hidden.get(one, '')) :]}{'…' if name in endings else ''}"
        for name, one in bare.items()
        if len(name) > room and (name in endings or one in hidden)
    }
    inner = {
        name: re.sub(rf"(?<=[+>] )(?:{starts})", "…", re.sub(ends, "…", short.get(name, name)))
        for name in names
        if len(name) > room
    }
    short |= {name: one for name, one in inner.items() if one != name}
    count = Counter(short.values())
    shown = {name: short[name] if name in short and count[short[name]] == 1 else name for name in names}
    return {name: _without_middle(shown[name], shown.values(), room) for name in names if len(name) > room}


def _without_middle(name: str, names: Iterable[str], room: int) -> str:
    """Return a name without its middle if it is too long; no other name looks the same."""
    if len(name) <= room:
        return name
    for head in range(room // 2, 0, -1):
        found = [one for one in set(names) if one[:head] == name[:head] and one.endswith(name[head + 1 - room :])]
        if len(found) == 1:
            return re.sub("…+", "…", f"{name[:head]}…{name[head + 1 - room :]}")
    return f"…{name[1 - room :]}"


def _shared_endings(names: tuple[str, ...]) -> dict[str, str]:
    """Return for each name the longest ending of whole words shared by most names, if it is worth hiding."""
    every = {
        name: [name[at:] for at in range(1, len(name) - _WORTH_HIDING + 1) if name[at] in _WORD_ENDS]
        for name in set(names)
    }
    count = Counter(ending for some in every.values() for ending in some)
    most = max(_SEVERAL, len(every) // 2 + 1)  # fewer names differ by theirs, such as _Left
    shared = {name: next((one for one in some if count[one] >= most), "") for name, some in every.items()}
    return {name: ending for name, ending in shared.items() if ending}


def _before_numbers(names: Iterable[str], room: int) -> dict[str, str]:
    """Return the beginning of each long name before the numbers of its recording, if another name shares it.

    Captures among other actions differ only in these numbers, for example cmu_mb_02_01.
    """
    found = {name: match[1] for name in set(names) if (match := _RECORDED.match(name))}
    count = Counter(found.values())
    return {name: same for name, same in found.items() if len(name) > room and count[same] > 1}


def _shared_beginnings(names: Iterable[str], room: int) -> dict[str, str]:
    found: dict[str, str] = {}
    every = set(names)
    for one, other in pairwise(sorted(every)):
        alike = "".join(a for a, _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
        same = _whole_words(alike)
        while 2 * sum(name.startswith(same) for name in every) <= len(every):
            same = _whole_words(same[:-1])
        for name in (one, other):
            hides = _WORTH_HIDING <= len(same) < len(name) and len(name) > room
            if hides and len(same) > len(found.get(name, "")):
                found[name] = same
    return {name: least for name, same in found.items() if (least := _least(name, same, room))}


def _whole_words(beginning: str) -> str:
    return beginning[: max(beginning.rfind(letter) for letter in _WORD_ENDS) + 1]


def _least(name: str, same: str, room: int) -> str:
    """Return the shortest part of a shared beginning to remove, of whole words if a word is left; "" for too little."""
    ends = [place + 1 for place, letter in enumerate(same) if letter in f" _-|:{same[-1]}"]
    fitting = [end for end in ends if end >= _WORTH_HIDING and len(name) - end <= room]
    whole = bool(fitting) and any(letter.isalpha() for letter in name[fitting[0] :])
    if not whole and len(same) < _ALONE and len(name) - len(same) > room:
        return ""
    return same[: fitting[0] if whole else max(_WORTH_HIDING, len(name) - room + 1)]


def short_names(names: list[str], room: int) -> list[str]:
    """Return names, `shortened` where they exceed `room`."""
    short = shortened(names, room)
    return [short.get(name, name) for name in names]


def repeats(action: bpy.types.Action) -> bool:
    """Return whether an action repeats: it is cyclic, or its first curve has a Cycles modifier."""
    from ...bridge import curves  # numpy is loaded at first use, not when Blender starts

    if action.use_cyclic:
        return True
    slot = next(iter(getattr(action, "slots", ())), None)
    first = next(iter(curves.curves_of(action, slot)), None)
    return first is not None and any(modifier.type == "CYCLES" for modifier in first.modifiers)


class Moves(NamedTuple):
    """The parts of an armature that an action moves: the number of bones, and the frame range.

    shape_keys : whether it moves shape keys and no bones
    only : whether all bones moved by the action exist in the armature
    """

    bones: int
    first: float
    last: float
    shape_keys: bool = False
    only: bool = True


def moves(action: bpy.types.Action, armature: bpy.types.Object) -> Moves:
    """Return the parts of an armature that an action moves; zero bones for another object's action."""
    from ...bridge import curves  # numpy is loaded at first use, not when Blender starts

    slots: list[Slot] = [*curves.suitable_slots(action)] if hasattr(action, "slots") else [None]
    known = armature_data(armature).bones
    found = [curve for slot in slots for curve in curves.curves_of(action, slot)]
    every = {target.bone for target in curves.transforms(found) if target.bone}
    bones = {bone for bone in every if bone in known}
    first, last = action.curve_frame_range[:]
    return Moves(len(bones), first, last, not bones and curves.moves_shape_keys(action), bones == every)


def why_apart(action: bpy.types.Action, armature: bpy.types.Object, found: Moves) -> str:
    """Return a short reason why an action is hardly worth weaving; "" for normal actions."""
    if found.last - found.first < _POSE:
        return "a single pose"
    count = len(armature_data(armature).bones)
    if found.bones <= _FEW_BONES < _FEW_BONES * _MANY <= count:
        return f"moves {found.bones} of {count} bones"
    data = armature.animation_data
    tracks = data.nla_tracks if data is not None else ()
    if any(strip.action == action and strip.blend_type != "REPLACE" for track in tracks for strip in track.strips):
        return "added to others in the NLA"
    return ""


def why_no_partner(scene: bpy.types.Scene, armature: bpy.types.Object | None, recipe: type[Recipe]) -> str:
    """Return why the partner in the panel can't be woven with the ticked sources, "" if it can or none is chosen."""
    name = properties.settings_of(scene).result.partner
    if not name or not recipe.takes_partners or armature is None:
        return ""
    from ..weaving import partner_actions

    rig, sources = properties.rig_of(scene, armature), []
    lines = lists.ticked_lines(rig)
    if recipe is Fill and (own := posed.action_of(armature)) is not None:
        lines, sources = posed.sources(rig, armature), [(own, source_of_action(scene, armature, own))]
    sources += [(line.action, source_of(line)) for line in lines if line.action is not None]
    return partner_actions.why_not(armature, name, recipe, [] if recipe.of_action else sources)
