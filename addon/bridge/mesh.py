"""Read an armature's meshes as surfaces with weights; refuse meshes that Blender would deform differently."""

import dataclasses
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix

from ...core.errors import RigError, some
from ...core.motion.quat import Array
from ...core.skin.skin import Skin, skin
from ..ground.blender_types import armature_data, present
from . import vertex_weights

# Modifiers that do not move vertices.
_HARMLESS = {"UV_PROJECT", "UV_WARP", "DATA_TRANSFER", "NORMAL_EDIT", "WEIGHTED_NORMAL", "VERTEX_WEIGHT_EDIT"}

SAMPLED = 256  # number of vertices that `settings` samples, about


@dataclass(frozen=True, eq=False)
class SkinnedMesh:
    """A mesh object as a surface deformed by an armature's bones.

    surface : in the mesh's own space; it refers to bones by their index in `bones`
    towards (4, 4) : matrix from the mesh's space to the armature's, at their current places
    preserve_volume : the modifier's setting; later : names of the modifiers after it, which are ignored
    """

    name: str
    surface: Skin
    towards: Array
    bones: tuple[str, ...]
    preserve_volume: bool
    later: tuple[str, ...]


def skinned_objects(armature: bpy.types.Object, objects: Sequence[bpy.types.Object]) -> list[bpy.types.Object]:
    """Return the objects that an armature deforms, through a modifier or as their parent."""
    return [obj for obj in objects if obj.type == "MESH" and (_modifier(obj, armature) or _by_parent(obj, armature))]


def read(armature: bpy.types.Object, drawn: bpy.types.Object) -> SkinnedMesh:
    """Read a mesh deformed by an armature, at rest: with its current shape keys, before the Armature modifier.

    Raises RigError for unsupported deformations: envelopes on vertices without weights, bendy bones, several armatures,
    a mask, modifiers before the Armature modifier, shape keys limited to a group.
    """
    modifier = _modifier(drawn, armature)
    later = _check(armature, drawn, modifier)
    mesh = drawn.data
    assert isinstance(mesh, bpy.types.Mesh)
    bones = _deforming(armature)
    places = _places(drawn, mesh)
    keeps = modifier is not None and modifier.use_deform_preserve_volume
    # The signs of dual quaternions depend on the stored order; linearly any order gives the same place.
    influences = vertex_weights.read(drawn, mesh, bones, stored_order=keeps)
    try:
        surface = skin(places, influences, _faces(mesh))
    except Exception as error:
        raise RigError(f"{drawn.name}: {error}") from None
    loose = int((np.diff(surface.first) == 0).sum())
    if loose and (modifier is None or modifier.use_bone_envelopes):  # they are always on for a mesh without a modifier
        raise RigError(
            f"{loose} vertices of {drawn.name} have no weights, so bone envelopes move them: give them weights"
        )
    return SkinnedMesh(drawn.name, surface, standing(armature, drawn), tuple(bones), keeps, later)


def standing(armature: bpy.types.Object, drawn: bpy.types.Object) -> Array:
    """Return the matrix (4, 4) from a mesh's space to the armature's, at their current places."""
    return np.array(armature.matrix_world.inverted_safe() @ drawn.matrix_world)


def settings(armature: bpy.types.Object, drawn: bpy.types.Object) -> tuple[Hashable, ...]:
    """Return everything that decides the result of `read`, except `towards`; of the geometry only a sample.

    Raises RigError for the same modifiers and bones as `read`.
    """
    modifier = _modifier(drawn, armature)
    later = _check(armature, drawn, modifier)
    mesh = drawn.data
    assert isinstance(mesh, bpy.types.Mesh)
    uses = (modifier.use_deform_preserve_volume, modifier.use_bone_envelopes) if modifier is not None else ()
    groups = tuple(group.name for group in drawn.vertex_groups)
    counts = len(mesh.vertices), len(mesh.loops), len(mesh.polygons)
    about = drawn.name, mesh.session_uid, uses, later, tuple(_deforming(armature)), groups, counts
    return *about, _shapes(drawn, mesh), _sample(mesh)


def content(drawn: bpy.types.Object) -> tuple[Hashable, ...]:
    """Return a key of a mesh and its place, by a few of its vertices."""
    data = drawn.data
    assert isinstance(data, bpy.types.Mesh)
    some = [data.vertices[k].co[:] for k in range(0, len(data.vertices), max(1, len(data.vertices) // 8))]
    places = np.concatenate([np.array(drawn.matrix_world).ravel(), *some]).round(6)
    return data.session_uid, len(data.vertices), len(drawn.vertex_groups), drawn.parent_bone, places.tobytes()


def on_bones(armature: bpy.types.Object, objects: Sequence[bpy.types.Object]) -> list[bpy.types.Object]:
    """Return the objects that are parented to single bones of an armature and follow them rigidly."""
    bones = armature_data(armature).bones
    return [
        one
        for one in objects
        if one.type == "MESH" and one.parent == armature and one.parent_type == "BONE" and one.parent_bone in bones
    ]


def read_on_bone(armature: bpy.types.Object, drawn: bpy.types.Object) -> SkinnedMesh:
    """Read a mesh parented to a bone, with all vertices weighted to that bone; raises RigError kinds."""
    mesh = drawn.data
    assert isinstance(mesh, bpy.types.Mesh)
    places = _places(drawn, mesh)
    count = len(places)
    influences = np.arange(count + 1.0), np.zeros(count), np.ones(count)
    later = tuple(one.name for one in drawn.modifiers if one.show_viewport and one.type not in _HARMLESS)
    surface, towards = skin(places, influences, _faces(mesh)), resting_on_bone(armature, drawn)
    return SkinnedMesh(drawn.name, surface, towards, (drawn.parent_bone,), False, later)


def resting_on_bone(armature: bpy.types.Object, drawn: bpy.types.Object) -> Array:
    """Return the matrix (4, 4) at rest from the space of a mesh on a bone to the armature's."""
    bone = armature_data(armature).bones[drawn.parent_bone]
    end = Matrix.Translation((0.0, bone.length, 0.0))  # children of a bone are relative to its tail
    return np.array(bone.matrix_local @ end @ drawn.matrix_parent_inverse @ drawn.matrix_basis)


def in_armature(read: SkinnedMesh, towards: Array) -> Skin:
    """Return the surface transformed to the armature's space by `towards` (4, 4)."""
    turning = np.linalg.inv(towards[:3, :3]).T
    normals = read.surface.normals @ turning.T
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    return dataclasses.replace(
        read.surface,
        vertices=np.ascontiguousarray(read.surface.vertices @ towards[:3, :3].T + towards[:3, 3], np.float32),
        normals=np.ascontiguousarray(normals / np.where(lengths > 0.0, lengths, 1.0), np.float32),
    )


def _deforming(armature: bpy.types.Object) -> list[str]:
    return [bone.name for bone in armature_data(armature).bones if bone.use_deform]


def _shapes(drawn: bpy.types.Object, mesh: bpy.types.Mesh) -> tuple[Hashable, ...]:
    keys = mesh.shape_keys
    if keys is None:
        return ()
    only = drawn.active_shape_key_index if drawn.show_only_shape_key else -1
    blocks = [
        (one.name, one.value, one.mute, one.vertex_group, present(one.relative_key).name) for one in keys.key_blocks
    ]
    return only, keys.use_relative, *blocks


def _sample(mesh: bpy.types.Mesh) -> tuple[Hashable, ...]:
    """Return places and weights of some vertices."""
    some = [mesh.vertices[k] for k in range(0, len(mesh.vertices), max(1, len(mesh.vertices) // SAMPLED))]
    return tuple((*vertex.co[:], *((one.group, one.weight) for one in vertex.groups)) for vertex in some)


def _modifier(drawn: bpy.types.Object, armature: bpy.types.Object) -> bpy.types.ArmatureModifier | None:
    for one in drawn.modifiers:
        if isinstance(one, bpy.types.ArmatureModifier) and one.object == armature and one.show_viewport:
            return one
    return None


def _by_parent(drawn: bpy.types.Object, armature: bpy.types.Object) -> bool:
    return drawn.parent == armature and drawn.parent_type == "ARMATURE"


def _check(
    armature: bpy.types.Object, drawn: bpy.types.Object, modifier: bpy.types.ArmatureModifier | None
) -> tuple[str, ...]:
    """Raise RigError for unsupported deformations; return the names of later modifiers, which are ignored."""
    enabled = [one for one in drawn.modifiers if one.show_viewport and one.type not in _HARMLESS]
    place = enabled.index(modifier) if modifier is not None else -1
    before = [one.name for one in enabled[: max(place, 0)]]
    others = [one.name for one in enabled if one.type == "ARMATURE" and one != modifier]
    if others:
        raise RigError(f"{drawn.name} has another Armature modifier ({some(others)}): disable one of them")
    if before:
        raise RigError(f"{drawn.name}: {some(before)} comes before its Armature modifier: apply it, or move it down")
    if modifier is not None:
        if modifier.vertex_group:
            raise RigError(f"{drawn.name}'s Armature modifier is limited to {modifier.vertex_group!r}: clear that")
        if not modifier.use_vertex_groups:
            raise RigError(f"{drawn.name}'s Armature modifier uses no vertex groups: turn them on")
    bendy = [bone.name for bone in armature_data(armature).bones if bone.bbone_segments > 1 and bone.use_deform]
    if bendy:
        raise RigError(f"{armature.name} has bendy bones ({some(bendy)}): set their Segments to 1")
    return tuple(one.name for one in enabled[place + 1 :])


def _places(drawn: bpy.types.Object, mesh: bpy.types.Mesh) -> Array:
    """Return the vertices (V, 3) of a mesh with its current shape keys."""
    keys = mesh.shape_keys
    if keys is None or not keys.key_blocks:
        return coordinates(mesh.vertices, "co")
    if drawn.show_only_shape_key:
        return coordinates(present(drawn.active_shape_key).data, "co")
    basis = coordinates(keys.reference_key.data, "co")
    if not keys.use_relative:
        raise RigError(f"{drawn.name} has absolute shape keys: make them relative")
    places = basis.copy()
    for block in keys.key_blocks:
        if block == keys.reference_key or block.mute or not block.value:
            continue
        if block.vertex_group:
            raise RigError(f"{drawn.name}'s shape key {block.name!r} is limited to a group: clear that, or set it to 0")
        places += block.value * (coordinates(block.data, "co") - coordinates(block.relative_key.data, "co"))
    return places


def coordinates(collection: Any, name: str) -> Array:
    """Return a property of three numbers of each of V items (V, 3), such as the places of vertices."""
    found = np.empty(3 * len(collection), np.float32)
    collection.foreach_get(name, found)
    return found.reshape(-1, 3).astype(np.float64)


def _faces(mesh: bpy.types.Mesh) -> tuple[Array, Array]:
    corners, begins = np.empty(len(mesh.loops), np.int32), np.empty(len(mesh.polygons), np.int32)
    mesh.loops.foreach_get("vertex_index", corners)
    mesh.polygons.foreach_get("loop_start", begins)
    return corners.astype(np.float64), np.append(begins, len(corners)).astype(np.float64)
