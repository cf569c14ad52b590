"""Get and set properties by their path on an object, such as a limb's switch or a constraint's influence."""

from typing import Any

import bpy


def value(owner: bpy.types.Object, path: str) -> float:
    """Return a property's value by its path; for an enum its number, as in F-Curves."""
    found: Any = _custom(owner, path)
    return float(found[0][found[1]] if found is not None else _resolve_path(owner, path))


def assign(owner: bpy.types.Object, path: str, value: float) -> None:
    """Set a property by its path; a custom property keeps its type."""
    found = _custom(owner, path)
    if found is not None:
        group, name = found
        group[name] = type(group[name])(value)
        return
    holder, _, name = path.rpartition(".")
    setattr(_resolve_path(owner, holder), name, value)


def _custom(owner: bpy.types.Object, path: str) -> tuple[Any, str] | None:
    """Return the holder of a custom property and its name, for a path; None for other properties."""
    holder, bracket, key = path.rpartition("[")
    if not bracket or not path.endswith('"]'):
        return None
    return (_resolve_path(owner, holder) if holder else owner), bpy.utils.unescape_identifier(key[1:-2])


def _resolve_path(owner: bpy.types.Object, path: str) -> Any:
    return owner.path_resolve(path)
