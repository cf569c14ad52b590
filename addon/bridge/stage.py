"""Play an action on a copy of an armature in a separate scene, without touching the artist's pose, frame or undo."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix, Quaternion
from numpy.typing import NDArray

from ..ground.blender_types import Slot, armature_data, present
from ..ground.handlers import unheard
from . import own_values, property_paths
from .controls import FoundControls
from .rig import Rig

Copies = dict[bpy.types.Object, bpy.types.Object]


@contextmanager
def on_stage(
    scene: bpy.types.Scene,
    armature: bpy.types.Object,
    action: bpy.types.Action | None,
    slot: Slot,
    body: Rig | None,
    meshes: Sequence[bpy.types.Object] = (),
    *,
    layers: bool = False,
    settings: Mapping[str, float] | None = None,
) -> Iterator[tuple[bpy.types.Scene, Copies]]:
    """Play only an action on a copy of an armature in a temporary scene, removed with its objects afterwards.

    Yields the scene, and the copies by their originals: the armature, objects in a dependency cycle with it, and
    `meshes`. They are evaluated even if the originals are disabled in viewports.
    body : its bones are put at rest, or only its detected controls, and then get the body's unkeyed transforms, like a
        moving object; None keeps the current pose
    layers : whether to play the NLA layers and use the blending of the armature's own action
    settings : values of properties of the armature's copy, by path; properties set by the current action get their
        previous values
    """
    with unheard("frame_change_pre", "frame_change_post"):
        stage = bpy.data.scenes.new("Action Loom")
        copies: Copies = {}
        try:
            stage.render.fps, stage.render.fps_base = scene.render.fps, scene.render.fps_base
            for original in (*_list_dependents(armature), *meshes):
                copies[original] = present(original.copy())
                copies[original].hide_viewport = False  # Blender does not evaluate disabled objects
                stage.collection.objects.link(copies[original])
            for original, another in copies.items():
                _redirect(original, another, copies)
            copied = copies[armature]
            if armature_data(copied).pose_position == "REST":
                copied.data = armature_data(copied).copy()
                armature_data(copied).pose_position = "POSE"
            for bone in _at_rest(copied, body) if body is not None else ():
                stays = present(body).still.get(bone.name)
                bone.matrix_basis.identity()
                if stays is not None:
                    bone.matrix_basis = Matrix.LocRotScale(stays.location, Quaternion(stays.rotation), None)
            for target, values in {**body.posed, **body.placed}.items() if body is not None else ():
                owner = present(copied.pose).bones[target.bone] if target.bone else copied
                setattr(owner, target.property, values)
            for path, value in {**own_values.values(armature), **(settings or {})}.items():
                property_paths.assign(copied, path, value)
            data = present(copied.animation_data or copied.animation_data_create())
            if not layers:
                data.use_nla = False
                data.action_blend_type, data.action_influence = "REPLACE", 1.0
            data.action = action
            if slot is not None:
                data.action_slot = slot
            yield stage, copies
        finally:
            posed = copies[armature].data if armature in copies else None
            for another in copies.values():
                bpy.data.objects.remove(another)
            if isinstance(posed, bpy.types.Armature) and posed != armature.data:
                bpy.data.armatures.remove(posed)
            bpy.data.scenes.remove(stage)


@contextmanager
def on_itself(
    scene: bpy.types.Scene, armature: bpy.types.Object, meshes: Sequence[bpy.types.Object] = ()
) -> Iterator[tuple[bpy.types.Scene, Copies]]:
    """Play the action and layers of an armature, with its pose, in a temporary copy of its scene.

    Yields a scene and copies as `on_stage` does; the armature is its own copy. The artist's pose and frame stay,
    because Blender writes evaluated values only to the originals of the active scene.
    """
    shown = present(bpy.context.view_layer).name
    with unheard("frame_change_pre", "frame_change_post"):
        stage = present(scene.copy())
        copies: Copies = {armature: armature}
        try:
            for layer in [one for one in stage.view_layers if one.name != shown and shown in stage.view_layers]:
                stage.view_layers.remove(layer)
            for original in meshes:
                copies[original] = present(original.copy())
                copies[original].hide_viewport = False
                stage.collection.objects.link(copies[original])
            yield stage, copies
        finally:
            for another in copies.values():
                if another != armature:
                    bpy.data.objects.remove(another)
            bpy.data.scenes.remove(stage)


def each_frame(stage: bpy.types.Scene, frames: Iterable[float]) -> Iterator[bpy.types.Depsgraph]:
    """Yield the evaluated scene in each of some frames, which may be fractional."""
    for frame in frames:
        whole = math.floor(frame)
        stage.frame_set(whole, subframe=float(frame - whole))
        yield present(stage.view_layers[0].depsgraph)


def bone_matrices(seen: bpy.types.Object) -> NDArray[np.float32]:
    """Return the matrices (B, 4, 4) of all bones of an evaluated armature in its space."""
    bones = present(seen.pose).bones
    numbers = np.empty(16 * len(bones), dtype=np.float32)
    bones.foreach_get("matrix", numbers)
    return numbers.reshape(-1, 4, 4).transpose(0, 2, 1)  # Blender stores matrices column by column


def without_other_modifiers(copy: bpy.types.Object, armature: bpy.types.Object) -> None:
    """Remove all modifiers of a mesh's copy except Armature modifiers with the armature's copy."""
    for modifier in list(copy.modifiers):
        if not (isinstance(modifier, bpy.types.ArmatureModifier) and modifier.object == armature):
            copy.modifiers.remove(modifier)


def _at_rest(copied: bpy.types.Object, body: Rig) -> list[bpy.types.PoseBone]:
    """Return the bones to put at rest: all, or only the detected controls if there are any."""
    bones = present(copied.pose).bones
    if not isinstance(body.controls, FoundControls):
        return list(bones)
    return [bones[name] for name in (*body.controls.names, *body.controls.idle)]


def _list_dependents(armature: bpy.types.Object) -> list[bpy.types.Object]:
    """Return an armature, and the objects that its pose depends on and that depend on it, such as targets on bones."""
    above: dict[bpy.types.Object, set[bpy.types.Object]] = {}
    waiting = [armature]
    for one in waiting:  # grows during the loop
        if one not in above:
            above[one] = _depends_on(one)
            waiting += above[one]
    found = {armature}
    while more := {one for one, others in above.items() if one not in found and not others.isdisjoint(found)}:
        found |= more
    return [armature, *(one for one in above if one in found and one != armature)]


def _depends_on(one: bpy.types.Object) -> set[bpy.types.Object]:
    values = [one.parent, *(getattr(holder, name) for holder, name in _references(one))]
    return {value for value in values if isinstance(value, bpy.types.Object)}


def _redirect(original: bpy.types.Object, copy: bpy.types.Object, copies: Copies) -> None:
    """Point a copy's references and parent to the copies of the objects that its original refers to."""
    if original.parent is not None and original.parent in copies:
        hanging = {name: getattr(original, name) for name in ("parent_type", "parent_bone")}
        inverse = original.matrix_parent_inverse.copy()
        copy.parent = copies[original.parent]
        for name, value in hanging.items():
            setattr(copy, name, value)
        copy.matrix_parent_inverse = inverse
    for holder, name in _references(copy):
        if getattr(holder, name) in copies:
            setattr(holder, name, copies[getattr(holder, name)])


def _references(one: bpy.types.Object) -> list[tuple[Any, str]]:
    """Return the references of an object to others, except its parent, as (holder, property name)."""
    bones = present(one.pose).bones if one.pose is not None else ()
    constraints = [*one.constraints, *(constraint for bone in bones for constraint in bone.constraints)]
    holders: list[Any] = [*one.modifiers, *constraints]
    holders += [target for constraint in constraints for target in getattr(constraint, "targets", ())]
    found = [
        (holder, about.identifier)
        for holder in holders
        for about in holder.bl_rna.properties
        if about.type == "POINTER" and not about.is_readonly and about.fixed_type.identifier == "Object"
    ]
    drivers = one.animation_data.drivers if one.animation_data is not None else ()
    variables = [variable for curve in drivers for variable in present(curve.driver).variables]
    return found + [(target, "id") for variable in variables for target in variable.targets]
