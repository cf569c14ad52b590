"""Build new armatures with a bone for each joint of a skeleton."""

from collections.abc import Iterator
from contextlib import contextmanager

import bpy
import numpy as np

from ...core.errors import RigError
from ...core.motion import quat
from ...core.motion.quat import Array
from ...core.motion.skeleton import Skeleton
from ..ground.blender_types import present

LONGEST_NAME = 63  # bytes: Blender's limit
_STUB = 0.03  # of the body's height: length of a bone whose end is unknown
_SHORTEST = 1e-3  # of the body's height: shorter bones can't be seen and turned
_TOUCH = 1e-6  # metres between a bone's head and its parent's tail where they are connected


def name_of(joint: str) -> str:
    """Shorten a joint's name to the length limit of Blender's bone names."""
    # Blender 4.2 itself cuts names in the middle of a letter and can't read the result.
    return joint.encode("utf-8", errors="replace")[:LONGEST_NAME].decode("utf-8", errors="ignore")


def ends(skeleton: Skeleton) -> tuple[Array, Array]:
    """Return heads and tails (J, 3) of a skeleton's bones in world metres.

    A bone's tail is at the head of the child that continues it most directly, or at the joint's own tip. A bone without
    either becomes a short stub in its parent's direction.
    """
    rotations, heads = skeleton.rest
    size = skeleton.height or 1.0
    tails = heads + quat.rotate(rotations, skeleton.tips)
    for joint, parent in enumerate(skeleton.parents):
        children = np.flatnonzero(skeleton.parents == joint)
        reach = heads[children] - heads[joint]
        lengths = np.linalg.norm(reach, axis=1)
        near = lengths > _SHORTEST * size
        # Roots point up. Parents come first, so a parent's direction is known.
        ahead = tails[parent] - heads[parent] if parent >= 0 else np.array([0.0, 0.0, 1.0])
        if near.any():
            straightest = (reach[near] @ ahead / lengths[near]).argmax()
            tails[joint] = heads[children[near][straightest]]
        elif np.linalg.norm(tails[joint] - heads[joint]) <= _SHORTEST * size:
            tails[joint] = heads[joint] + _STUB * size * ahead / np.linalg.norm(ahead)
    return heads, tails


def check(context: bpy.types.Context) -> None:
    """Raise RigError if no armature can be added here; call it before changing anything."""
    if not present(context.layer_collection).is_visible:
        raise RigError("The active collection is hidden: show it, or make another one active")
    collection = present(context.collection)
    if collection.library is not None or collection.override_library is not None:
        raise RigError(f"The active collection {collection.name} is linked: choose another one")


def build(
    context: bpy.types.Context, name: str, skeleton: Skeleton, heads: Array, tails: Array, *, connected: bool
) -> tuple[bpy.types.Object, tuple[str, ...]]:
    """Create an armature object at the origin; return it and the names of its bones in the skeleton's order.

    connected : connect bones that begin where their parents end, so that they turn but don't move
    Selection, active object and mode stay the same.
    """
    data = bpy.data.armatures.new(name)
    armature = link(context, bpy.data.objects.new(name, data))
    data.display_type = "STICK"
    armature.show_in_front = True
    with _editing(context, armature):
        made: list[bpy.types.EditBone] = []
        for joint, head, tail in zip(skeleton.names, heads, tails, strict=True):
            bone = data.edit_bones.new(name_of(joint))
            bone.head, bone.tail = head, tail
            # Z points where the body faces, or up on feet, so that limbs, trunk and feet all bend about X.
            points_ahead = np.abs(tail - head).argmax() == 1
            bone.align_roll((0.0, 0.0, 1.0) if points_ahead else (0.0, -1.0, 0.0))
            parent = int(skeleton.parents[len(made)])
            if parent >= 0:
                bone.parent = made[parent]
                bone.use_connect = connected and bool(np.linalg.norm(tails[parent] - head) < _TOUCH)
            made.append(bone)
        names = tuple(bone.name for bone in made)
    return armature, names


def link(context: bpy.types.Context, added: bpy.types.Object) -> bpy.types.Object:
    """Link a new object to the active collection and to the local view; return the object."""
    present(context.collection).objects.link(added)
    space = context.space_data
    if isinstance(space, bpy.types.SpaceView3D) and space.local_view is not None:
        added.local_view_set(space, True)
    return added


@contextmanager
def _editing(context: bpy.types.Context, armature: bpy.types.Object) -> Iterator[None]:
    """Put an armature alone into edit mode; restore selection, active object and mode afterwards."""
    layer = present(context.view_layer)
    active, selected = layer.objects.active, list(context.selected_objects)
    mode = "OBJECT" if active is None else active.mode
    same_mode = [each for each in layer.objects if mode != "OBJECT" and each.mode == mode]
    if mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    _select(context, [])
    layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    try:
        yield
    finally:
        bpy.ops.object.mode_set(mode="OBJECT")
        layer.objects.active = active
        if mode != "OBJECT":
            # mode_set takes every selected object into the mode, and no other.
            _select(context, same_mode)
            bpy.ops.object.mode_set(mode=mode)
        _select(context, selected)


def _select(context: bpy.types.Context, chosen: list[bpy.types.Object]) -> None:
    for each in context.selected_objects:
        each.select_set(False)
    for each in chosen:
        each.select_set(True)
