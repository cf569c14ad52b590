"""What a result knows of its making: the recipe, its sources, and how they and it looked then.

Kept on the action as custom properties, in one group: the recipe as JSON, sources and armature as Blender's own
pointers, which follow a rename and become None on deletion. (A pointer counts as a user: a source is not purged
while a result names it.) Blender copies, appends and links the group together with the action.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import bpy

from ..core import recipes
from ..core.errors import LoomError, RigError
from ..core.recipes import Recipe

KEY = "action_loom"
VERSION = 1


@dataclass(frozen=True)
class StoredSlot:
    """A slot as it was: a handle survives renaming, an identifier copying between files; 0 and "" without slots."""

    handle: int = 0
    identifier: str = ""


@dataclass(frozen=True)
class StoredSource:
    """A source as it was; `action` is what the pointer holds now, None if that was deleted."""

    name: str
    library: str
    slot: StoredSlot
    weight: float | None
    hash: str
    action: Any


@dataclass(frozen=True)
class Stored:
    """Everything kept on a result; holds Blender's data, so it is for use at once and not for keeping."""

    recipe: Recipe
    sources: tuple[StoredSource, ...]
    slot: StoredSlot
    result_hash: str
    pointed_armature: Any
    request: str = ""

    @property
    def armature(self) -> Any:
        """The armature it was made for, or None if it is in no scene any more.

        Deleted in the viewport it still exists, because our pointer uses it.
        """
        found = self.pointed_armature
        return found if found is not None and found.users_scene else None


@dataclass(frozen=True)
class SourceState:
    """What became of a source: `now` is its action's name today, and None if there is nothing left to read."""

    name: str
    now: str | None
    edited: bool

    @property
    def deleted(self) -> bool:
        return self.now is None

    @property
    def renamed(self) -> bool:
        return self.now is not None and self.now != self.name


def store(
    action: Any,
    slot: Any,
    recipe: Recipe,
    sources: Sequence[tuple[Any, Any]],
    *,
    armature: Any = None,
    request: str = "",
) -> None:
    """Keep on a result how it was made, from (action, slot) pairs in the recipe's order; replaces what was kept.

    `request` is what else was asked for (how sources are read and the result is written), as JSON.
    """
    writable(action)
    weights = getattr(recipe, "weights", ()) or (None,) * len(sources)
    group: dict[str, Any] = {"version": VERSION, "recipe": recipe.to_json(), "request": request, "sources": []}
    for (source, source_slot), weight in zip(sources, weights, strict=True):
        entry = {
            "action": source,
            "name": source.name,
            "library": source.library.filepath if source.library else "",
            **_slot_values(source_slot),
            "hash": _fingerprint(source, source_slot),
        }
        group["sources"].append(entry if weight is None else {**entry, "weight": weight})
    group |= {**_slot_values(slot), "result_hash": _fingerprint(action, slot)}
    if armature is not None:
        group["armature"] = armature
    if KEY in action:
        del action[KEY]
    action[KEY] = group


def _fingerprint(action: Any, slot: Any) -> str:
    from .bridge.fingerprint import fingerprint  # numpy is loaded at first use, not when Blender starts

    return fingerprint(action, slot)


def _slot_values(slot: Any) -> dict[str, Any]:
    return {"slot_handle": slot.handle if slot else 0, "slot_identifier": slot.identifier if slot else ""}


def recipe_of(action: Any) -> Recipe | None:
    """Return the recipe that made an action, or None; raises LoomError if it can't be read."""
    found = stored(action)
    return None if found is None else found.recipe


def stored(action: Any) -> Stored | None:
    """Return what is kept on an action, or None; raises LoomError for what we can't have written."""
    group = action.get(KEY)
    if group is None:
        return None
    try:
        return _read(group.to_dict())
    except (AttributeError, KeyError, TypeError, ValueError):
        raise LoomError(
            f"How {action.name} was made can't be read: its custom property {KEY!r} was changed by something else"
        ) from None
    except LoomError as error:
        raise LoomError(f"How {action.name} was made can't be read: {error}") from None


def _read(group: dict[str, Any]) -> Stored:
    """Check every value: anybody can write custom properties."""
    if _typed(group, "version", int) > VERSION:
        raise LoomError("a newer Action Loom has made it, so update the extension")
    sources = tuple(
        StoredSource(
            name=_typed(entry, "name", str),
            library=_typed(entry, "library", str),
            slot=_read_slot(entry),
            weight=_typed(entry, "weight", float) if "weight" in entry else None,
            hash=_typed(entry, "hash", str),
            action=_pointer(entry, "action", bpy.types.Action),
        )
        for entry in _typed(group, "sources", list)
    )
    return Stored(
        recipe=recipes.from_json(_typed(group, "recipe", str)),
        sources=sources,
        slot=_read_slot(group),
        result_hash=_typed(group, "result_hash", str),
        pointed_armature=_pointer(group, "armature", bpy.types.Object),
        request=_typed(group, "request", str) if "request" in group else "",
    )


def _typed(group: dict[str, Any], name: str, kind: type) -> Any:
    value = group[name]
    if type(value) is not kind:
        raise TypeError(name)
    return value


def _read_slot(group: dict[str, Any]) -> StoredSlot:
    return StoredSlot(_typed(group, "slot_handle", int), _typed(group, "slot_identifier", str))


def _pointer(group: dict[str, Any], name: str, kind: Any) -> Any:
    value = group.get(name)
    if value is not None and not isinstance(value, kind):
        raise TypeError(name)
    return value


def find_sources(action: Any) -> list[tuple[Any, Any]]:
    """Return the sources of a result as (action, slot); raises RigError with the first that is gone.

    An action is looked for by its pointer, then by its name; a slot by its handle, then by its identifier, and
    else it is the only one that there is.
    """
    return [_find(action, source) for source in _kept(action).sources]


def state(action: Any) -> tuple[SourceState, ...]:
    """Say what became of each source since the result was made; it reads every curve, so it is not for drawing."""
    states = []
    for source in _kept(action).sources:
        try:
            found, slot = _find(action, source)
        except RigError:
            states.append(SourceState(source.name, None, edited=False))
        else:
            states.append(SourceState(source.name, found.name, edited=_fingerprint(found, slot) != source.hash))
    return tuple(states)


def edited_by_hand(action: Any) -> bool:
    """Say whether a result's curves are no longer what was written."""
    kept = _kept(action)
    try:
        slot = find_slot(action, kept.slot)
    except RigError:
        return True
    return _fingerprint(action, slot) != kept.result_hash


def writable(action: Any) -> None:
    """Raise LoomError for an action whose keys can't be written, or not for longer than this session."""
    if action.library is not None:
        file = bpy.path.basename(action.library.filepath)
        raise LoomError(f"{action.name} is linked from {file}: make it local first")
    if action.override_library is not None:
        # Blender lets them be changed, and has forgotten it when the file is opened again.
        raise LoomError(f"{action.name} is a library override, whose keys can't be changed: make it local first")


def _kept(action: Any) -> Stored:
    kept = stored(action)
    if kept is None:
        raise LoomError(f"{action.name} was not made by Action Loom")
    return kept


def _find(result: Any, source: StoredSource) -> tuple[Any, Any]:
    action = source.action or _named(result, source)
    if action is None:
        raise RigError(f"{source.name} was deleted: choose another")
    if action.is_missing:  # Blender puts an empty one in its place
        file = bpy.path.basename(action.library.filepath)
        raise RigError(f"{action.name} is no longer in {file}, or the file is gone: choose another")
    return action, find_slot(action, source.slot)


def _named(result: Any, source: StoredSource) -> Any:
    """Return the action of a name and file; a source without a file was in the same one as the result."""
    # A path in a linked file begins at that file; Blender turns only its own paths.
    wanted = bpy.path.abspath(source.library, library=result.library) if source.library else _file(result)
    named = (a for a in bpy.data.actions if a.name == source.name and a != result)
    return next((a for a in named if os.path.normpath(_file(a)) == os.path.normpath(wanted)), None)


def _file(action: Any) -> str:
    return bpy.path.abspath(action.library.filepath) if action.library else ""


def find_slot(action: Any, slot: StoredSlot) -> Any:
    """Return the slot of an action that was stored (None without slots); raises RigError where it is gone."""
    from .bridge import curves

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
    name = slot.identifier[2:] or "the wanted one"  # two letters for its type come first
    raise RigError(f"{action.name} has {len(suitable)} slots, but not {name}: choose another")
