"""Find the target armature of operators: the active one, or for the tab's buttons the tab's armature.

The tab stays with its armature. Its buttons get the armature through context pointers, because a context does not
reveal where a button stands.
"""

from contextlib import AbstractContextManager
from typing import Any

import bpy

from ...core.cache import Cache
from ..ground import memory
from ..ground.blender_types import find_named, scene_of
from . import properties

_CARRIED, _CARRIED_ACTION = "action_loom_armature", "action_loom_action"

# Session id of the last armature of a scene's tab, by the scene's session id.
_last: Cache[int, int] = memory.cache(8)


def mark(layout: bpy.types.UILayout, armature: bpy.types.Object | None) -> None:
    """Pass the tab's armature to the buttons of a layout."""
    if armature is not None:
        layout.context_pointer_set(_CARRIED, armature)


def invoked_from_panel(context: bpy.types.Context) -> bool:
    """Return whether a button of the tab has called; its armature is in the panel, while scripts name theirs."""
    return getattr(context, _CARRIED, None) is not None


def mark_action(layout: bpy.types.UILayout, action: bpy.types.Action) -> None:
    """Pass an action to the buttons of a layout, to use instead of the ticked ones."""
    layout.context_pointer_set(_CARRIED_ACTION, action)


def action(context: bpy.types.Context) -> bpy.types.Action | None:
    """Return the action of the calling menu; None to use the armature's action or the ticked ones."""
    return getattr(context, _CARRIED_ACTION, None)


def as_from_panel(
    context: bpy.types.Context, armature: bpy.types.Object, action: bpy.types.Action | None = None
) -> AbstractContextManager[Any]:
    """Return a context in which an operator runs as if called by a button of the tab of an armature.

    action : run as if called by the menu of this action
    """
    carried: dict[str, Any] = {_CARRIED: armature} | ({} if action is None else {_CARRIED_ACTION: action})
    return context.temp_override(**carried)


def armature(context: bpy.types.Context) -> bpy.types.Object | None:
    """Return the target armature of an operator: the tab's for its buttons, otherwise that of the active object.

    An active object without an armature is returned itself, so that the operator can refuse it.
    """
    found = getattr(context, _CARRIED, None) or context.object
    return found and (find_armature(found) or found)


def of_tab(context: bpy.types.Context) -> bpy.types.Object | None:
    """Return the armature of the tab, or None.

    It is the pinned armature; without one the active armature, the armature of the active mesh, the only one below the
    active empty (as in glTF files), or the last one.
    """
    scene, active = scene_of(context), getattr(context, "object", None)  # it is missing while files are read
    found = properties.pinned_armature(scene)
    if found is None and active is not None:
        found = find_armature(active)
    if found is None:
        before = properties.of_session(scene.objects, _last.get(scene.session_uid) or 0)
        found = before if before is not None and before.type == "ARMATURE" else None
    if found is not None:
        _last.keep(scene.session_uid, found.session_uid)
    return found


def find_armature(one: bpy.types.Object) -> bpy.types.Object | None:
    """Return an armature itself, the armature of a mesh, or the only armature below an empty."""
    return one if one.type == "ARMATURE" else one.find_armature() or _find_below(one)


def _find_below(active: bpy.types.Object) -> bpy.types.Object | None:
    if active.type != "EMPTY":
        return None
    armatures = [one for one in active.children_recursive if one.type == "ARMATURE"]
    return armatures[0] if len(armatures) == 1 else None


def by_name(context: bpy.types.Context, name: str) -> bpy.types.Object | None:
    """Return the armature of a name, or the target armature if the name is empty."""
    return find_named(bpy.data.objects, name) if name else armature(context)
