"""Import the mesh and weights beside a motion file, as written by `export_skin`, onto the file's new armature."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import bpy
import numpy as np

from ....core.formats import obj, weights
from ....core.formats.conventions import settling
from ....core.formats.motion_file import Convention
from ....core.formats.obj import ObjMesh
from ....core.formats.weights import Weights
from ....core.motion import quat
from ....core.motion.quat import Array
from ...bridge import bones
from . import export_skin


@dataclass(frozen=True, eq=False)
class Drawn:
    """A mesh in the file's rest pose, with its bone weights.

    vertices (V, 3) : metres, z up, in the armature's space
    joints : names of the file's joints, indexed by the weights
    """

    name: str
    vertices: Array
    mesh: ObjMesh
    weights: Weights
    joints: tuple[str, ...]

    def same(self, other: "Drawn") -> bool:
        """Return whether two meshes have the same vertices in the same places."""
        return np.array_equal(self.vertices, other.vertices)


def read(motion: str, convention: Convention, joints: tuple[str, ...]) -> tuple[Drawn | None, list[str]]:
    """Return the mesh beside a motion file, None if it is missing, and notes; touches no Blender data.

    convention, joints : of the motion file; mesh and weights use the same unit, axes and names

    Raises MotionFileError with the file and line of an error.
    """
    places = export_skin.paths(Path(motion))
    missing = [place.name for place in places if not place.exists()]
    if missing:
        return None, [f"{Path(motion).name}: no mesh comes with it: there is no {' and no '.join(missing)} beside it"]
    mesh = obj.read(places[0])
    found = weights.read(places[1], joints, len(mesh.vertices))
    left = {"vt": "texture coordinates", "usemtl": "materials"}
    written = {words[0] for one in mesh.statements if isinstance(one, str) and (words := one.split())}
    notes = [f"{places[0].name}: its {text} are left out" for kind, text in left.items() if kind in written]
    return Drawn(Path(motion).stem, _upright(mesh.vertices, convention), mesh, found, joints), notes


def _upright(places: Array, convention: Convention) -> Array:
    """Convert places (V, 3) of a file to metres and z up."""
    return convention.metres * quat.rotate(settling.TURNS[convention.up], places)


def hang(context: bpy.types.Context, drawn: Drawn, armature: bpy.types.Object, names: Mapping[str, str]) -> None:
    """Create a mesh object that an armature at rest deforms.

    names : bones by the file's joints
    """
    mesh = bpy.data.meshes.new(drawn.name)
    corners = drawn.mesh.corners.tolist()
    faces = [corners[first:last] for first, last in pairwise(drawn.mesh.begins.tolist())]
    mesh.from_pydata(drawn.vertices.tolist(), [], faces)
    mesh.validate()  # an OBJ file may name a vertex twice in a face
    mesh.update()
    made = bones.link(context, bpy.data.objects.new(drawn.name, mesh))
    made.parent = armature
    _weigh(made, drawn, names)
    modifier = made.modifiers.new("Armature", "ARMATURE")
    assert isinstance(modifier, bpy.types.ArmatureModifier)
    modifier.object = armature


def _weigh(made: bpy.types.Object, drawn: Drawn, names: Mapping[str, str]) -> None:
    """Assign vertex groups; weights with a sum above 1 are normalized, because a group can't exceed 1."""
    given = drawn.weights
    owners = np.repeat(np.arange(len(given.first) - 1), np.diff(given.first))
    shares = given.weights / np.maximum(given.totals, 1.0)[owners]
    used = np.unique(given.joints).tolist()
    groups = {joint: made.vertex_groups.new(name=names[drawn.joints[joint]]) for joint in used}
    for vertex, joint, share in zip(owners.tolist(), given.joints.tolist(), shares.tolist(), strict=True):
        groups[joint].add([vertex], share, "REPLACE")
