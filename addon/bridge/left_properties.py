"""Find custom properties and influences of constraints that an action does not key and another action has left."""

import re
from typing import Any

import bpy
import numpy as np

from ...core.errors import some
from ...core.weave import root_trajectory
from ..ground.blender_types import SlottedAction
from . import curves, left_poses, own_actions, property_paths
from .left_poses import SAME

# The way that results on the spot keep for *Add Root Motion*: nothing on the character shows it.
_OUR_OWN = frozenset(channel.removesuffix("[0]") for channel in root_trajectory.CHANNELS)
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')


def note(armature: bpy.types.Object, played: SlottedAction) -> str:
    """Return a sentence on the properties that another action of an armature has left, "" for none.

    A property at its default, or with a value that no frame of another action has, counts as set by the artist.
    """
    action, slot = played
    keyed = {curve.data_path for curve in curves.curves_of(action, slot)} | _OUR_OWN
    found: dict[str, None] = {}
    for other in own_actions.of(armature):
        paths = set() if other == action else own_actions.keys_of(other).paths - keyed - found.keys()
        if any(not _is_default(armature, path) for path in paths):
            found |= dict.fromkeys(path for path in sorted(paths) if _has_left(armature, other, path))
    if not found:
        return ""
    names = [_QUOTED.findall(path)[-1] for path in found]
    return f"{armature.name} has {some(names)} as another action left it: set it back, or key it in {action.name}"


def _value(armature: bpy.types.Object, path: str) -> float | None:
    try:
        return property_paths.value(armature, path)
    except (KeyError, TypeError, ValueError):  # the armature lacks it, or its value is not a number
        return None


def _is_default(armature: bpy.types.Object, path: str) -> bool:
    value = _value(armature, path)
    return value is None or abs(value - _default(armature, path)) < SAME


def _default(armature: bpy.types.Object, path: str) -> float:
    """Return the default of a property: 1 for an influence, or the default set for the custom property."""
    if not path.endswith('"]'):
        return 1.0
    holder, _, key = path.rpartition("[")
    owner: Any = armature.path_resolve(holder) if holder else armature
    default = owner.id_properties_ui(bpy.utils.unescape_identifier(key[1:-2])).as_dict().get("default", 0.0)
    return float(default) if isinstance(default, int | float) else 0.0


def _has_left(armature: bpy.types.Object, other: bpy.types.Action, path: str) -> bool:
    """Return whether a property away from its default has the value of a frame of another action."""
    value = _value(armature, path)
    first, last = other.frame_range[:]
    if value is None or _is_default(armature, path) or not np.isfinite([first, last]).all():
        return False
    frames = left_poses.played_frames(other, first, last)
    every = (curve for slot in curves.slots_of(other) for curve in curves.curves_of(other, slot))
    return any(
        bool((np.abs(curves.sample(curve, frames) - value) < SAME).any()) for curve in every if curve.data_path == path
    )
