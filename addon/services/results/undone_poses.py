"""Keep an unkeyed pose when a result is undone.

Blender evaluates an armature again when it undoes the assignment of an action, and so overwrites unkeyed poses.
"""

from typing import Any

import bpy
from bpy.app.handlers import persistent

from ...ground import registrar
from ...ground.blender_types import present
from ...model import storage

_POSED = ("location", "rotation_quaternion", "rotation_euler", "rotation_axis_angle", "scale")

# The armatures that play results while an undo begins, and these, by name.
_played: list[tuple[str, str]] = []


def _action_of(armature: bpy.types.Object) -> bpy.types.Action | None:
    data = armature.animation_data
    return None if data is None else data.action


@persistent
def _before(*_: Any) -> None:
    _played.clear()
    for armature in bpy.data.objects:
        action = _action_of(armature) if armature.type == "ARMATURE" else None
        if action is not None and storage.read_stored(action) is not None:
            _played.append((armature.name, action.name))


@persistent
def _after(*_: Any) -> None:
    """Restore the poses that armatures have in the undone file, before Blender evaluates them."""
    poses, played = [], dict(_played)
    for armature in bpy.data.objects:
        result, action = played.get(armature.name), _action_of(armature)
        if result is not None and (action is None or action.name != result):
            poses.append((armature, poses_of(armature)))
    _played.clear()
    if not poses:
        return
    present(bpy.context.view_layer).update()
    for armature, values in poses:
        for bone, pose in zip(present(armature.pose).bones, values, strict=True):
            for name, value in zip(_POSED, pose, strict=True):
                setattr(bone, name, value)


def poses_of(armature: bpy.types.Object) -> list[list[tuple[float, ...]]]:
    """Return the pose values of an armature's bones, in the format that `give` expects."""
    return [[tuple(getattr(bone, name)) for name in _POSED] for bone in present(armature.pose).bones]


def give(armature: bpy.types.Object, values: list[list[tuple[float, ...]]]) -> None:
    """Set the pose values of an armature's bones."""
    for bone, pose in zip(present(armature.pose).bones, values, strict=True):
        for name, value in zip(_POSED, pose, strict=True):
            setattr(bone, name, value)


def register() -> None:
    registrar.at_end(_played.clear)
    registrar.append(bpy.app.handlers.undo_pre, _before)
    registrar.append(bpy.app.handlers.undo_post, _after)
