"""Store values on an armature as custom properties; for library overrides also in a text of the file.

Blender does not save custom properties of an override that its library lacks. The text holds them as JSON, by the
armature's name and library.
"""

import json
from typing import Any

import bpy
from bpy.app.handlers import persistent

from . import registrar
from .blender_types import has_property
from .identity import Identity, identity_of, is_same_file

TEXT = "Action Loom"
_VERSION = "action_loom"  # the key of the format's version, which identifies our text


def read_value(armature: bpy.types.Object, key: str) -> Any:
    """Return a stored value as plain values, None if there is none; anybody can write both places."""
    entry = _entry_of(armature, _entries(_text())) if armature.override_library is not None else None
    values = entry["values"] if entry is not None else {}
    return values[key] if key in values else _of_property(armature, key)


def keep(armature: bpy.types.Object, key: str, value: Any, *, empty: bool = False) -> None:
    """Store a number, or a group of plain values; an empty group removes the value unless `empty` groups are stored."""
    if armature.override_library is not None and read_value(armature, key) != value:
        _write_entry(armature, key, value)
    if value or empty or not isinstance(value, dict):
        armature[key] = value
    elif has_property(armature, key):
        del armature[key]


def _of_property(armature: bpy.types.Object, key: str) -> Any:
    value = armature.get(key)
    return value.to_dict() if hasattr(value, "to_dict") else value


def _text() -> bpy.types.Text | None:
    return next((text for text in bpy.data.texts if text.name.startswith(TEXT) and _is_ours(text)), None)


def _is_ours(text: bpy.types.Text) -> bool:
    return text.library is None and bool(_read(text))


def _read(text: bpy.types.Text) -> dict[str, Any]:
    """Return the content of a text; empty for a text that we have not written."""
    try:
        found = json.loads(text.as_string())
    except ValueError:
        return {}
    ours = isinstance(found, dict) and _VERSION in found and isinstance(found.get("armatures"), list)
    return found if ours else {}


def _entries(text: bpy.types.Text | None) -> list[dict[str, Any]]:
    """Return the stored entry of each armature: its identity as by `Identity.values`, and the values by key."""
    every = _read(text)["armatures"] if text is not None else []
    return [one for one in every if isinstance(one, dict) and isinstance(one.get("values"), dict) and "name" in one]


def _entry_of(armature: bpy.types.Object, entries: list[dict[str, Any]]) -> dict[str, Any] | None:
    now = _identity(armature)
    for one in entries:
        known = Identity(one["name"], one.get("library", ""), int(one.get("uid", 0)), one.get("session", ""))
        if known.is_of_this_session:
            if known.uid == now.uid:
                return one
        elif known.name == now.name and is_same_file(known.library, now.library):
            return one
    return None


def _identity(armature: bpy.types.Object) -> Identity:
    """Return the identity of an override, with the file of the overridden armature."""
    override = armature.override_library
    reference = override.reference if override is not None else None
    library = reference.library if reference is not None else None
    return identity_of(armature)._replace(library=library.filepath if library is not None else "")


def _write_entry(armature: bpy.types.Object, key: str, value: Any) -> None:
    text = _text()
    entries = _entries(text)
    entry = _entry_of(armature, entries)
    if entry is None:
        entry = {"values": {}}
        entries.append(entry)
    entry |= _identity(armature).values()
    entry["values"][key] = value
    _write(text, entries)


def _write(text: bpy.types.Text | None, entries: list[dict[str, Any]]) -> None:
    text = text or bpy.data.texts.new(TEXT)
    text.from_string(json.dumps({_VERSION: 1, "armatures": entries}, indent=1, ensure_ascii=False))
    text.use_fake_user = True


def _overrides() -> list[bpy.types.Object]:
    return [one for one in bpy.data.objects if one.override_library is not None and one.library is None]


@persistent
def _note_names(*_: Any) -> None:
    """Before a file is saved, update the armature names, since session ids end with the session."""
    text = _text()
    if text is None:
        return
    entries = _entries(text)
    for armature in _overrides():
        entry = _entry_of(armature, entries)
        if entry is not None:
            entry |= _identity(armature).values()
    _write(text, entries)


@persistent
def _give_back(*_: Any) -> None:
    """After a file was opened, restore the custom properties of overrides, which curves may animate."""
    if (text := _text()) is None:
        return
    entries = _entries(text)
    for armature in _overrides():
        entry = _entry_of(armature, entries)
        for key, value in entry["values"].items() if entry is not None else ():
            if value != {} and not has_property(armature, key):
                armature[key] = value
    _note_names()


def register() -> None:
    registrar.append(bpy.app.handlers.load_post, _give_back)
    registrar.append(bpy.app.handlers.save_pre, _note_names)
