"""Recognise actions that are our results, and actions that can't be written."""

import bpy

from ...core.errors import LoomError
from ..ground.blender_types import has_property

KEY = "action_loom"  # custom property that holds how a result was made
IMPORTED = "action_loom_imported"  # custom property of actions whose keys of controls were written by an import


def is_result(action: bpy.types.Action | None) -> bool:
    """Return whether an action holds a recipe; cheap enough for drawing."""
    return action is not None and has_property(action, KEY)


def is_keyed_by_us(action: bpy.types.Action) -> bool:
    """Return whether an action is a result, or an import onto controls."""
    return is_result(action) or has_property(action, IMPORTED)


def check_writable(action: bpy.types.Action) -> None:
    """Raise LoomError for an action whose keys can't be changed, or not beyond this session."""
    if action.library is not None:
        raise LoomError(f"{action.name} is linked: make it local first")
    if action.override_library is not None:
        # Blender lets its keys be changed, but loses the change when the file is opened again.
        raise LoomError(f"{action.name} is a library override, whose keys can't be changed: make it local first")
