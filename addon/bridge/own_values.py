"""Give a rig's switches back the values that they had before an action set them, when another action replaces that."""

from collections.abc import Iterable

import bpy

from ..ground import kept_values
from . import property_paths

_SWITCHES = ('"]', ".influence", ".ik_stretch")  # ends of their paths
_OWN = "action_loom_own_values"  # by path: the value before, and the one that the action leaves


def keep(armature: bpy.types.Object, now: Iterable[bpy.types.FCurve], before: Iterable[bpy.types.FCurve]) -> None:
    """Note the values of properties that the curves about to be played set, and those played so far do not.

    What those played so far have set, and the others do not, gets its own value back, unless it was changed by hand.
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
    """Return the values that properties get back when another action is played, by path."""
    return {path: kept[0] for path, kept in _standing(armature).items()}


def value(armature: bpy.types.Object, path: str) -> float:
    """Return the value that a property has when an action is played that does not set it; raises what paths raise."""
    return values(armature).get(path, property_paths.value(armature, path))


def _standing(armature: bpy.types.Object) -> dict[str, tuple[float, float]]:
    """Return what is kept of properties that nobody has changed since."""
    return {path: kept for path, kept in _kept(armature).items() if _value(armature, path) == kept[1]}


def _kept(armature: bpy.types.Object) -> dict[str, tuple[float, float]]:
    every = kept_values.kept(armature, _OWN)
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
    """Return a property's value as it is, None for what the armature has not, or that is no number."""
    try:
        return round(property_paths.value(armature, path), 6)
    except (KeyError, TypeError, ValueError):
        return None
