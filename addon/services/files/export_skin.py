"""Export the meshes deformed by an armature, at rest, and their weights, for `action-loom skin`."""

from collections.abc import Sequence
from pathlib import Path

import bpy
import numpy as np
from numpy.typing import NDArray

from ....core.errors import LoomError
from ....core.formats import bvh, obj, weights
from ....core.formats.conventions import settling
from ....core.formats.motion_file import Convention
from ....core.motion import quat
from ....core.motion.clip import Clip
from ....core.motion.quat import Array
from ....core.skin.normals import Indices
from ...bridge import mesh
from ...bridge.rig import Rig
from ...ground.blender_types import armature_data

ENDINGS = (".obj", ".weights.txt")


def compose_files(
    armature: bpy.types.Object, scene: bpy.types.Scene, body: Rig, clip: Clip, convention: Convention
) -> tuple[bytes, bytes, list[str]]:
    """Return file contents of a mesh and its weights that match the motion file of a clip, and notes for the user.

    body : the rig on which the clip was read. Raises LoomError if the armature deforms no visible mesh, and for
        unreadable meshes.
    """
    drawn = mesh.skinned_objects(armature, [one for one in scene.objects if one.visible_get()])
    if not drawn:
        raise LoomError(f"{armature.name} deforms no mesh that is seen: export without the mesh")
    read = [mesh.read(armature, one) for one in drawn]
    surfaces = [mesh.in_armature(one, one.towards) for one in read]
    starts = np.cumsum([0, *map(len, surfaces)])
    corners = np.concatenate([one.corners + start for one, start in zip(surfaces, starts, strict=False)])
    number = [np.array([clip.skeleton.names.index(bone) for bone in one.bones], np.int64) for one in read]
    joints = np.concatenate([own[one.bones] for own, one in zip(number, surfaces, strict=True)])
    shares = np.concatenate([one.weights for one in surfaces]).astype(np.float64)
    found = weights.Weights(_count_offsets([one.first for one in surfaces]), joints, shares)
    names = [bvh.writable(name) for name in clip.skeleton.names]
    places = np.concatenate([one.vertices for one in surfaces]).astype(np.float64)
    there = _as_written(_at_rest(armature, body, places), convention)
    keep = [one.name for one in read if one.preserve_volume]
    notes = [f"{name} preserves its volume: --method dual-quaternions does" for name in keep]
    later = sorted({modifier for one in read for modifier in one.later})
    notes += [f"Modifiers after the armature's are left out: {', '.join(later)}"] if later else []
    return (
        obj.compose_mesh(there, corners, _count_offsets([one.faces for one in surfaces])),
        weights.compose_weights(found, names),
        notes,
    )


def _count_offsets(begins: Sequence[Indices]) -> NDArray[np.int64]:
    """Return the offsets of parts in concatenated surfaces, with the total length at the end."""
    return np.concatenate([[0], np.cumsum(np.concatenate([np.diff(one) for one in begins]))]).astype(np.int64)


def paths(motion: Path) -> list[Path]:
    """Return the files of mesh and weights beside a motion file."""
    return [motion.with_suffix(ending) for ending in ENDINGS]


def _at_rest(armature: bpy.types.Object, body: Rig, places: Array) -> Array:
    """Return places (V, 3) in the armature, metres in the world, at the rest pose of the body."""
    skeleton = body.skeleton
    joint = skeleton.roles.get("hips", int(body.moving_object))
    rotations, stands = skeleton.rest
    matrix = np.array(armature_data(armature).bones[skeleton.names[joint]].matrix_local)
    turn = quat.to_matrix(rotations[joint]) @ matrix[:3, :3].T
    return body.units[joint] * (places - matrix[:3, 3]) @ turn.T + stands[joint]


def _as_written(places: Array, convention: Convention) -> Array:
    """Convert places (V, 3), metres and z up, to the unit and axes of a file."""
    return quat.rotate(quat.inv(settling.TURNS[convention.up]), places) / convention.metres
