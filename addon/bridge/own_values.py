"""Restore a rig's switches to the values from before an action set them, when another action replaces it."""

from collections.abc import Iterable

import bpy

from ..ground import kept_values
from . import property_paths

_SWITCHES = ('"]', ".influence", ".ik_stretch")  # ends of the paths of switches
_OWN = "action_loom_own_values"  # by path: the value before the action, and the value set by the action


def keep(armature: bpy.types.Object, now: Iterable[bpy.types.FCurve], before: Iterable[bpy.types.FCurve]) -> None:
    """Store the values of properties that the next action's curves set and the previous action's curves do not.

    A property set only by the previous action gets its stored value back, unless it was changed by hand.
    """
    sets, did = _set(now), _set(before)
    own = _standing(armature)
    for path in own.keys() - sets.keys():
        property_paths.assign(armature, path, own.pop(path)[0])
    for path in sets:
        value = own[path][0] if path in own else _value(armature, path)
        if value is not None and (path in own or path not in did):
            own[path] = value, sets[path]
    kept_values.keep(armature, _OWN, {path: list(pair) for path, pair in own.items()})


def values(armature: bpy.types.Object) -> dict[str, float]:
    """Return the values to restore when another action is played, by path."""
    return {path: kept[0] for path, kept in _standing(armature).items()}


def value(armature: bpy.types.Object, path: str) -> float:
    """Return a property's value without the effect of the current action; raises the errors of invalid paths."""
    return values(armature).get(path, property_paths.value(armature, path))


def _standing(armature: bpy.types.Object) -> dict[str, tuple[float, float]]:
    """Return the stored values of properties that nobody has changed since."""
    return {path: kept for path, kept in _read_kept(armature).items() if _value(armature, path) == kept[1]}


def _read_kept(armature: bpy.types.Object) -> dict[str, tuple[float, float]]:
    every = kept_values.read_value(armature, _OWN)
    pairs = every.items() if isinstance(every, dict) else ()
    return {str(path): (float(pair[0]), float(pair[1])) for path, pair in pairs}


def _set(curves: Iterable[bpy.types.FCurve]) -> dict[str, float]:
    """Return the properties that curves set once, by path, with their values."""
    found = {}
    for curve in curves:
        if not curve.data_path.endswith(_SWITCHES):  # first: an action has many curves of thousands of keys
            continue
        values = {round(point.co[1], 6) for point in curve.keyframe_points}
        if len(values) == 1:
            found[curve.data_path] = values.pop()
    return found


def _value(armature: bpy.types.Object, path: str) -> float | None:
    """Return a property's current value, None if the armature lacks the property or it is not a number."""
    try:
        return round(property_paths.value(armature, path), 6)
    except (KeyError, TypeError, ValueError):
        return None
