"""Store the recipe of a result, its sources, and hashes of their and its own content.

It is one custom property of the action, a group of plain values: Blender copies, appends and links it with the action,
and it does not keep data alive. Sources are found by session id, then by content, then by name. Version 1 stored
pointers to them; it can be read, and results are written as version 2.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import bpy

from ...core import verbs
from ...core.errors import LoomError, OptionError, RigError
from ...core.recipes.base import Recipe
from ...core.recipes.reading import Request, Source, request_from_json
from ..bridge import result_mark
from ..bridge.result_mark import KEY
from ..ground.blender_types import Data, Slot, SlottedAction, has_property, present
from ..ground.identity import Identity, file_of, find_called, identity_of

if TYPE_CHECKING:
    from ..bridge.source_context import SourceContext

VERSION = 2
MOST_HASHED = 500_000  # keys of an action above which it is not hashed automatically: a tenth of a second


class StoredSlot(NamedTuple):
    """A slot when the result was made; 0 and "" without slots.

    The handle survives renaming, the identifier survives copying between files.
    """

    handle: int = 0
    identifier: str = ""


class StoredSource(NamedTuple):
    """A source when the result was made.

    context : JSON of its context, "" for results of earlier versions
    pointer : the action of version 1's pointer, None if it was deleted or for later versions
    player : the armature of the action, None for the result's own
    """

    identity: Identity
    slot: StoredSlot
    hash: str
    context: str = ""
    pointer: bpy.types.Action | None = None
    player: Identity | None = None

    @property
    def name(self) -> str:
        return self.identity.name


class Stored(NamedTuple):
    """All data stored on a result; it may refer to Blender's data, so use it at once and don't store it."""

    recipe: Recipe
    request: Request
    sources: tuple[StoredSource, ...]
    slot: StoredSlot
    result_hash: str
    armature_was: Identity | None
    armature_pointer: bpy.types.Object | None = None

    @property
    def armature(self) -> bpy.types.Object | None:
        """The armature of the result, or None if no scene includes it any more."""
        known = self.armature_was
        found = self.armature_pointer
        if known is not None:
            found = known.find(bpy.data.objects)
        # After deletion in the viewport the object still exists if something refers to it.
        return found if found is not None and found.users_scene else None


def store(
    action: bpy.types.Action,
    slot: Slot,
    recipe: Recipe,
    sources: Sequence[SlottedAction],
    *,
    armature: bpy.types.Object | None = None,
    request: str = "",
    players: Sequence[bpy.types.Object | None] = (),
    parts: str = "",
    contents: Sequence[str] = (),
    contexts: "Sequence[SourceContext]" = (),
    beside: bpy.types.Action | None = None,
) -> None:
    """Store how a result was made, replacing earlier data.

    sources : (action, slot) pairs in the recipe's order
    request : JSON with the options for reading the sources and writing the result
    players : the armature of each source's action, None for the result's own
    parts : JSON with the played sources over time, see `parts`
    contents : the hash of each source at reading, "" to compute it now
    contexts : the context of each source, see `bridge.source_context`
    beside : the result of the partner, made at the same time
    """
    result_mark.check_writable(action)
    group: dict[str, Any] = {"version": VERSION, "recipe": recipe.to_json(), "request": request, "sources": []}
    count = len(sources)
    every = zip(sources, players or (None,) * count, contents or ("",) * count, strict=True)
    for k, ((source, source_slot), player, content) in enumerate(every):
        entry: dict[str, Any] = identity_of(source).values() | _slot_values(source_slot)
        if player is not None:
            entry["armature"] = identity_of(player).values()
        if contexts:
            entry["context"] = contexts[k].to_json()
        group["sources"].append(entry | {"hash": content or _fingerprint(source, source_slot)})
    group |= {**_slot_values(slot), "result_hash": _fingerprint(action, slot)}
    if armature is not None:
        group["armature"] = identity_of(armature).values()
    if parts:
        group["parts"] = parts
    if beside is not None:
        group["beside"] = identity_of(beside).values() | {"leads": True}
    if has_property(action, KEY):
        del action[KEY]
    action[KEY] = group


def _fingerprint(action: bpy.types.Action, slot: Slot) -> str:
    from ..bridge.fingerprint import fingerprint  # numpy is loaded at first use, not when Blender starts

    return fingerprint(action, slot)


def _slot_values(slot: Slot) -> dict[str, Any]:
    return {"slot_handle": slot.handle if slot else 0, "slot_identifier": slot.identifier if slot else ""}


def recipe_text(action: bpy.types.Action) -> str:
    """Return the stored text of an action's recipe, "" for none; cheap enough for drawing."""
    return _text(action, "recipe")


def parts_text(action: bpy.types.Action) -> str:
    """Return the stored text of a result's parts, "" for none; cheap enough for drawing."""
    return _text(action, "parts")


def _text(action: bpy.types.Action, name: str) -> str:
    kept = action.get(KEY)
    return str(kept.get(name, "")) if hasattr(kept, "to_dict") else ""  # anybody can write custom properties


def recipe_of(action: bpy.types.Action) -> Recipe | None:
    """Return the recipe that made an action, None for other actions; raises LoomError if it can't be read."""
    found = read_stored(action)
    return None if found is None else found.recipe


def of_result(action: bpy.types.Action) -> Stored:
    """Return the data stored on a result; raises LoomError if it is not a result or is unreadable."""
    kept = read_stored(action)
    if kept is None:
        raise LoomError(f"{action.name} was not made by Action Loom")
    return kept


def read_stored(action: bpy.types.Action) -> Stored | None:
    """Return the data stored on an action, or None; raises LoomError for invalid contents."""
    group = action.get(KEY)
    if group is None:
        return None
    try:
        return _read(group.to_dict())
    except (AttributeError, KeyError, TypeError, ValueError):
        raise _unreadable(action) from None
    except LoomError as error:
        raise LoomError(f"How {action.name} was made can't be read: {error}") from None


def contexts_of(action: bpy.types.Action) -> "list[SourceContext | None]":
    """Return the stored context of each source of a result, None for results of earlier versions.

    Raises LoomError for an action that is no result or can't be read.
    """
    from ..bridge import source_context

    texts = [one.context for one in of_result(action).sources]
    try:
        return [source_context.from_json(text) if text else None for text in texts]
    except ValueError:
        raise _unreadable(action) from None


def _unreadable(action: bpy.types.Action) -> LoomError:
    return LoomError(
        f"How {action.name} was made can't be read: its custom property {KEY!r} was changed by something else"
    )


def _read(group: dict[str, Any]) -> Stored:
    """Read a stored group, checking every value because anybody can write custom properties."""
    version = _read_typed(group, "version", int)
    if version > VERSION:
        raise LoomError("a newer Action Loom has made it, so update the extension")
    if version < 1:
        raise LoomError(f"it is of version {version}, which there never was")
    sources = tuple(
        StoredSource(
            _read_identity(entry),
            _read_slot(entry),
            _read_typed(entry, "hash", str),
            _read_typed(entry, "context", str) if "context" in entry else "",
            _pointer(entry, "action", bpy.types.Action) if version == 1 else None,
            _read_identity(_read_typed(entry, "armature", dict)) if "armature" in entry else None,
        )
        for entry in _read_typed(group, "sources", list)
    )
    pointed = _pointer(group, "armature", bpy.types.Object) if version == 1 else None
    known = _read_identity(_read_typed(group, "armature", dict)) if version > 1 and "armature" in group else None
    return Stored(
        recipe=_read_recipe(_read_typed(group, "recipe", str)),
        request=_read_request(_read_typed(group, "request", str) if "request" in group else "", sources),
        sources=sources,
        slot=_read_slot(group),
        result_hash=_read_typed(group, "result_hash", str),
        armature_was=known,
        armature_pointer=pointed,
    )


def _read_recipe(text: str) -> Recipe:
    recipe = verbs.from_json(text)
    if verbs.VERBS[recipe.verb].makes != "clip":
        raise OptionError(f"the verb {recipe.verb!r} makes no action")
    return recipe


def _read_request(text: str, sources: Sequence[StoredSource]) -> Request:
    """Return the request of a result, with defaults if it has none: scripts and version 1 may leave it out."""
    if not text:
        return Request(sources=tuple(Source(name=source.name) for source in sources))
    request = request_from_json(text)
    if len(request.sources) != len(sources):
        raise OptionError(f"{len(request.sources)} sources were asked for, and {len(sources)} are kept")
    return request


def _read_typed(group: dict[str, Any], name: str, kind: type) -> Any:
    value = group[name]
    if type(value) is not kind:
        raise TypeError(name)
    return value


def _read_slot(group: dict[str, Any]) -> StoredSlot:
    return StoredSlot(_read_typed(group, "slot_handle", int), _read_typed(group, "slot_identifier", str))


def _read_identity(group: dict[str, Any]) -> Identity:
    uid = int(_read_typed(group, "uid", str)) if "uid" in group else 0
    session = _read_typed(group, "session", str) if "session" in group else ""
    return Identity(_read_typed(group, "name", str), _read_typed(group, "library", str), uid, session)


def _pointer(group: dict[str, Any], name: str, kind: type[Data]) -> Data | None:
    value = group.get(name)
    if value is not None and not isinstance(value, kind):
        raise TypeError(name)
    return value


def find_sources(action: bpy.types.Action) -> list[SlottedAction]:
    """Return the sources of a result as (action, slot); raises RigError naming the first missing one.

    An action is found by session id, then by content, then by name; a slot by handle, then by identifier, or as the
    only one.
    """
    return [_find(action, source) for source in of_result(action).sources]


def look_for_sources(action: bpy.types.Action) -> tuple[list[SlottedAction | None], list[str]]:
    """Return the sources of a result, None for each missing one, and a sentence about each missing one."""
    found: list[SlottedAction | None] = []
    missing = []
    for source in of_result(action).sources:
        try:
            found.append(_find(action, source))
        except RigError as error:
            found.append(None)
            missing.append(str(error))
    return found, missing


def players_of(action: bpy.types.Action) -> list[bpy.types.Object | None]:
    """Return the armature of each source's action, None for the result's own.

    Raises RigError for a missing one.
    """
    return [None if one.player is None else _player(one) for one in of_result(action).sources]


def _player(source: StoredSource) -> bpy.types.Object:
    assert source.player is not None
    found = source.player.find(bpy.data.objects)
    if found is None or not found.users_scene:
        gone = f"There is no armature {source.player.name} any more, whose action {source.name} is"
        raise RigError(f"{gone}: list the action with another armature, and weave anew")
    return found


def link_to_leader(action: bpy.types.Action, leader: bpy.types.Action) -> None:
    """Store the leader's result, which is made again for both, on a partner's."""
    action[KEY]["beside"] = identity_of(leader).values() | {"leads": False}


def action_beside(action: bpy.types.Action) -> bpy.types.Action | None:
    """Return the result that was made with an action for a partner, None for none; raises LoomError."""
    entry = _read_link(action)
    return None if entry is None else _read_identity(entry).here(bpy.data.actions)


def leader_of(action: bpy.types.Action) -> bpy.types.Action:
    """Return the result that is made again for both figures; raises LoomError if it was deleted."""
    entry = _read_link(action)
    if entry is None or entry.get("leads"):
        return action
    found = action_beside(action)
    if found is None:
        raise LoomError(f"{entry['name']} was deleted, or is in another file: choose another")
    return found


def _read_link(action: bpy.types.Action) -> dict[str, Any] | None:
    group = action.get(KEY)
    try:
        entry = group.to_dict().get("beside") if group is not None else None
        if entry is not None:
            _read_identity(entry)
    except (AttributeError, KeyError, TypeError, ValueError):
        raise _unreadable(action) from None
    return entry


def edited_by_hand(action: bpy.types.Action, *, quickly: bool = False) -> bool:
    """Return whether a result's curves differ from the written ones.

    quickly : a result with too many keys to hash counts as unedited
    """
    from ..bridge import curves

    kept = of_result(action)
    try:
        slot = find_slot(action, kept.slot)
    except RigError:
        return True
    if quickly and curves.key_count(action, slot) > MOST_HASHED:
        return False
    return _fingerprint(action, slot) != kept.result_hash


def has_content(source: SlottedAction, kept: StoredSource, content: str = "") -> bool:
    """Return whether the curves of a source are still those of the result; content : its hash, "" if not known."""
    return (content or _fingerprint(*source)) == kept.hash


def changed_sources(action: bpy.types.Action) -> list[str]:
    """Return the names of a result's sources whose curves have changed since weaving.

    A missing source, or one with too many keys to hash, is left out.
    """
    from ..bridge import curves

    changed = []
    for one in of_result(action).sources:
        found = one.pointer or one.identity.here(bpy.data.actions)
        if found is not None and curves.key_count(found, find_slot(found, one.slot)) <= MOST_HASHED:
            changed += [] if _has_content(found, one) else [found.name]
    return changed


def _find(result: bpy.types.Action, source: StoredSource) -> SlottedAction:
    action = source.pointer or source.identity.here(bpy.data.actions) or _by_content(result, source)
    if action is None:
        raise RigError(f"{source.name} was deleted, or is in another file: choose another")
    if action.is_missing:  # Blender puts an empty action in place of missing linked ones
        file = bpy.path.basename(present(action.library).filepath)
        raise RigError(f"{action.name} is no longer in {file}, or the file is gone: choose another")
    return action, find_slot(action, source.slot)


def _by_content(result: bpy.types.Action, source: StoredSource) -> bpy.types.Action | None:
    """Return the action with a source's content, preferably of the same name, or the edited action of its name."""
    named = find_called(bpy.data.actions, source.name, source.identity.library, file_of(result), library_of=result)
    if named == result:
        named = None
    others = [action for action in bpy.data.actions if action not in (named, result)]
    for action in [*([] if named is None else [named]), *others]:
        if not action.is_missing and _has_content(action, source):
            return action
    return named


def _has_content(action: bpy.types.Action, source: StoredSource) -> bool:
    try:
        return _fingerprint(action, find_slot(action, source.slot)) == source.hash
    except RigError:
        return False


def find_slot(action: bpy.types.Action, slot: StoredSlot) -> Slot:
    """Return the stored slot of an action (None without slots); raises RigError if it is missing."""
    from ..bridge import curves

    if not hasattr(action, "slots"):
        return None
    suitable = curves.suitable_slots(action)
    for found in (
        [s for s in suitable if s.handle == slot.handle],
        [s for s in suitable if s.identifier == slot.identifier],
        suitable,
    ):
        if len(found) == 1:
            return found[0]
    name = slot.identifier[2:] or "the wanted one"  # identifiers begin with two letters for the type
    raise RigError(f"{action.name} has {len(suitable)} slots, but not {name}: choose another")


def note_names() -> None:
    """Update the stored names of sources and armatures before saving, since session ids end with the session."""
    for action in bpy.data.actions:
        if result_mark.is_result(action) and action.library is None and action.override_library is None:
            group = action[KEY]
            if not hasattr(group, "keys"):
                continue  # not written by us
            sources = group.get("sources")
            for entry in sources if isinstance(sources, list) else ():
                _note_name(entry, bpy.data.actions)
                if hasattr(entry, "get"):
                    _note_name(entry.get("armature"), bpy.data.objects)
            _note_name(group.get("armature"), bpy.data.objects)
            _note_name(group.get("beside"), bpy.data.actions)


def _note_name(entry: Any, kept: Iterable[bpy.types.ID]) -> None:
    try:
        known = _read_identity(entry.to_dict())
    except (AttributeError, KeyError, TypeError, ValueError):
        return  # not written by us: `read_stored` will raise an error
    now = known.here(kept)
    if now is not None and now.name != known.name:
        entry["name"] = now.name
