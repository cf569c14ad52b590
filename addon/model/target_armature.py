"""Which armature is meant: the active one; and for the tab, which stays with its armature, the one it is about.

The tab's buttons carry its armature along in their context: where a button stands is nothing that a context tells.
"""

from contextlib import AbstractContextManager
from typing import Any

import bpy

from ...core.cache import Cache
from ..ground import memory
from ..ground.blender_types import named, scene_of
from . import properties

_CARRIED, _CARRIED_ACTION = "action_loom_armature", "action_loom_action"

# The armature that the tab of a scene was about last, by their session ids.
_last: Cache[int, int] = memory.cache(8)


def mark(layout: bpy.types.UILayout, armature: bpy.types.Object | None) -> None:
    """Let the buttons of a layout of the tab carry its armature along."""
    if armature is not None:
        layout.context_pointer_set(_CARRIED, armature)


def by_button(context: bpy.types.Context) -> bool:
    """Say whether a button of the tab asks: what it is about is on the panel, a script names it itself."""
    return getattr(context, _CARRIED, None) is not None


def mark_action(layout: bpy.types.UILayout, action: bpy.types.Action) -> None:
    """Let what is in a layout be about an action, whatever is ticked."""
    layout.context_pointer_set(_CARRIED_ACTION, action)


def action(context: bpy.types.Context) -> bpy.types.Action | None:
    """Return the action that a menu is about, None where the armature's, or the ticked ones, are meant."""
    return getattr(context, _CARRIED_ACTION, None)


def as_by_button(
    context: bpy.types.Context, armature: bpy.types.Object, action: bpy.types.Action | None = None
) -> AbstractContextManager[Any]:
    """Return a context in which an operator works as if a button of the tab about an armature was pressed.

    action : as if that of the menu of an action was
    """
    carried: dict[str, Any] = {_CARRIED: armature} | ({} if action is None else {_CARRIED_ACTION: action})
    return context.temp_override(**carried)


def armature(context: bpy.types.Context) -> bpy.types.Object | None:
    """Return the armature that an operator works on: the one of the tab for its buttons, else the active object."""
    return getattr(context, _CARRIED, None) or context.object


def of_tab(context: bpy.types.Context) -> bpy.types.Object | None:
    """Return the armature that the tab is about, or None.

    The pinned one; else the active one, the one that the active mesh hangs on, or the one before.
    """
    scene, active = scene_of(context), context.object
    found = properties.pinned(scene)
    if found is None and active is not None:
        found = active if active.type == "ARMATURE" else active.find_armature()
    if found is None:
        before = properties.of_session(scene.objects, _last.get(scene.session_uid) or 0)
        found = before if before is not None and before.type == "ARMATURE" else None
    if found is not None:
        _last.keep(scene.session_uid, found.session_uid)
    return found


def called(context: bpy.types.Context, name: str) -> bpy.types.Object | None:
    """Return the armature of a name, or the one that is meant where none is given."""
    return named(bpy.data.objects, name) if name else armature(context)
