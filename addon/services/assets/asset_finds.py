"""Find actions that are assets in the artist's libraries, and append them to this file."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import bpy

from ....core.cache import Cache
from ....core.errors import LoomError
from ...ground import memory
from ...ground.blender_types import find_named, present
from ..sources import source_list


class Asset(NamedTuple):
    """An action that is an asset in a library file.

    label : unique text by which the asset is chosen
    """

    name: str
    file: str
    library: str
    label: str = ""


class Listing(NamedTuple):
    """All assets of all readable libraries, and a message about each library that can't be read."""

    assets: tuple[Asset, ...] = ()
    troubles: tuple[str, ...] = ()


# The action names of files by path, with the file's time and size when read; and the latest listing.
_names: Cache[str, tuple[tuple[int, int], list[str]]] = memory.cache(4096)
_listings: Cache[str, Listing] = memory.cache(1)


def libraries() -> list[tuple[str, Path]]:
    """Return the names and folders of the enabled asset libraries in the preferences."""
    every: Any = present(bpy.context.preferences).filepaths.asset_libraries  # untyped in the stubs
    kept = [one for one in every if one.path and getattr(one, "enabled", True)]
    return [(one.name, Path(bpy.path.abspath(one.path))) for one in kept]


def last() -> Listing:
    """Return the latest listing; cheap enough for drawing."""
    return _listings.get("") or Listing()


def look() -> Listing:
    """List the assets of all libraries; unchanged files are not read again."""
    found, troubles = [], []
    for library, folder in libraries():
        if not folder.is_dir():
            troubles.append(f"The folder of the asset library {library} is not there: {folder}")
            continue
        for file in sorted(folder.rglob("*.blend")):
            try:
                found += [(library, folder, file, name) for name in _read(file)]
            except OSError as error:
                troubles.append(f"{file}: can't be read ({error})")
    counts: dict[str, int] = {}
    for *_, name in found:
        counts[name] = counts.get(name, 0) + 1
    assets = [
        Asset(
            name,
            str(file),
            library,
            name if counts[name] == 1 else f"{name} ({library}: {file.relative_to(folder).with_suffix('').as_posix()})",
        )
        for library, folder, file, name in found
    ]
    listing = Listing(tuple(assets), tuple(troubles))
    _listings.keep("", listing)
    return listing


def _read(file: Path) -> list[str]:
    """Return the names of the asset actions in a file, or of the open file in its current state; raises OSError."""
    if _is_open(file):
        return [one.name for one in bpy.data.actions if one.asset_data is not None and one.library is None]
    stat = file.stat()
    stamp = stat.st_mtime_ns, stat.st_size
    known = _names.get(str(file))
    if known is not None and known[0] == stamp:
        return known[1]
    with _open_file(str(file)) as (there, _):
        names = list(there.actions)
    _names.keep(str(file), (stamp, names))
    return names


def _is_open(file: str | Path) -> bool:
    return bool(bpy.data.filepath) and Path(bpy.data.filepath).resolve() == Path(file).resolve()


def _open_file(file: str) -> Any:
    reading: Any = bpy.data.libraries  # incomplete in the stubs
    return reading.load(file, assets_only=True)


def find_asset(label: str, library: str = "") -> Asset:
    """Return the asset of a label, or of a name that only one asset has.

    library : the library to search, all if empty

    Raises LoomError.
    """
    listing = look()
    among = [one for one in listing.assets if library in ("", one.library)]
    found = [one for one in among if one.label == label] or [one for one in among if one.name == label]
    if len(found) == 1:
        return found[0]
    if found:
        raise LoomError(f"{len(found)} assets are named {label}: choose {' or '.join(one.label for one in found[:3])}")
    where = f"the asset library {library}" if library else "the asset libraries"
    why = f"; {listing.troubles[0]}" if listing.troubles else ""
    raise LoomError(f"There is no action named {label!r} among the assets of {where}{why}")


def bring(file: str, name: str, armature: bpy.types.Object) -> bpy.types.Action:
    """Append an action of a file and return it, or an identical action appended before.

    Raises LoomError, and leaves nothing behind, if the action moves no bone of the armature or is missing.
    """
    if _is_open(file):
        return own(name, armature)
    before = set(bpy.data.user_map())
    try:
        with _open_file(file) as (there, wanted):
            wanted.actions = [one for one in there.actions if one == name]
    except OSError as error:
        raise LoomError(f"{file}: can't be read ({error})") from None
    action = next((one for one in wanted.actions if isinstance(one, bpy.types.Action)), None)
    new = [one for one in bpy.data.user_map() if one not in before]
    if action is None:
        raise LoomError(f"There is no action {name!r} in {file} any more")
    why = _describe_refusal(action, armature, name)
    known = None if why else _as_here(action, name, before)
    if why or known is not None:
        bpy.data.batch_remove(new)
        if known is None:
            raise LoomError(why)
        return known
    action.asset_clear()  # it remains an asset in its own file
    action.use_fake_user = True  # clearing the asset removed the fake user
    return action


def own(name: str, armature: bpy.types.Object) -> bpy.types.Action:
    """Return an action of this file; raises LoomError if it moves no bone of an armature or is missing."""
    action = find_named(bpy.data.actions, name)
    if action is None:
        raise LoomError(f"There is no action named {name!r}")
    why = _describe_refusal(action, armature, name)
    if why:
        raise LoomError(why)
    return action


def _describe_refusal(action: bpy.types.Action, armature: bpy.types.Object, name: str) -> str:
    """Return the reason why an asset can't be a source of an armature, "" if it can."""
    moved = source_list.moves(action, armature)
    return "" if moved.bones else f"{name} moves no bone of {armature.name}, so it was not added"


def _as_here(action: bpy.types.Action, name: str, before: Iterable[bpy.types.ID]) -> bpy.types.Action | None:
    """Return the action of this file with the same name and curves as another, or None."""
    content = _content(action)
    for one in before:
        if isinstance(one, bpy.types.Action) and one.library is None and one.name == name and _content(one) == content:
            return one
    return None


def _content(action: bpy.types.Action) -> list[str]:
    from ...bridge import curves
    from ...bridge.fingerprint import fingerprint

    slots = curves.suitable_slots(action) if hasattr(action, "slots") else [None]
    return [fingerprint(action, slot) for slot in slots]
