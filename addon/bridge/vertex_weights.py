"""Read the bone weights of a mesh's vertices, all at once through Geometry Nodes or vertex by vertex."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from itertools import pairwise
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.skin.normals import Floats, Indices
from ..ground.blender_types import present
from ..ground.handlers import unheard

Influences = tuple[Indices, Indices, Floats]

MOST = 2**27  # numbers (vertices × groups) that Geometry Nodes may store as attributes: half a gigabyte


def read(drawn: bpy.types.Object, mesh: bpy.types.Mesh, bones: list[str], *, stored_order: bool) -> Influences:
    """Return where each vertex's influences begin (V + 1,), and the bones and weights (N,) of all influences.

    bones : names of the groups to read
    stored_order : keep a vertex's influences in their stored order, which takes several times longer; by default they
        are in the order of the groups, without weights of 0
    Don't call this while Blender draws, because it creates and removes data.
    """
    number = {name: k for k, name in enumerate(bones)}
    bone_of = {group.name: number.get(group.name, -1) for group in drawn.vertex_groups}
    found = None if stored_order else by_nodes(mesh, bone_of)
    return found or by_vertices(mesh, list(bone_of.values()))


def find_used_groups(drawn: bpy.types.Object, mesh: bpy.types.Mesh) -> set[str]:
    """Return the names of the vertex groups that have a weight: importers also make groups for bones without any.

    Don't call this while Blender draws, because it creates and removes data.
    """
    names = [group.name for group in drawn.vertex_groups]
    _, owners, weights = read(drawn, mesh, names, stored_order=False)
    return {names[k] for k in np.unique(owners[(weights > 0.0) & (owners >= 0)]).tolist()}


def by_nodes(mesh: bpy.types.Mesh, bone_of: Mapping[str, int]) -> Influences | None:
    """Return all influences in the order of the groups; None if Geometry Nodes can't deliver all of them.

    bone_of : index of the bone by name of every group, in order; -1 for groups to skip
    """
    count = len(mesh.vertices)
    # In edit mode the mesh data is outdated. If a group and an attribute share a name, only one would be converted.
    if mesh.is_editmode or count * len(bone_of) > MOST or not bone_of.keys().isdisjoint(mesh.attributes.keys()):
        return None
    found: list[tuple[int, NDArray[np.intp], Floats]] = []
    column = np.empty(count, np.float32)
    with _laid_out(mesh) as shown:
        for name, bone in bone_of.items():
            if bone < 0:
                continue
            layer = shown.attributes.get(name)
            # Some names are Blender's own attributes: `position`, and `radius`, which is also a bone of the forearm.
            if not isinstance(layer, bpy.types.FloatAttribute) or len(layer.data) != count:
                return None
            layer.data.foreach_get("value", column)
            rows = np.flatnonzero(column)
            found.append((bone, rows, column[rows]))
    counts = np.zeros(count, np.int32)
    for _, rows, _ in found:
        counts[rows] += 1
    first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    owners, weights = np.empty(first[-1], np.int32), np.empty(first[-1], np.float32)
    free = first[:-1].copy()
    for bone, rows, values in found:
        owners[free[rows]], weights[free[rows]] = bone, values
        free[rows] += 1
    return first, owners, weights


def by_vertices(mesh: bpy.types.Mesh, bone_of: list[int]) -> Influences:
    """Return all influences in the order in which they are stored, vertex by vertex.

    bone_of : index of the bone by index of the group; -1 for groups to skip
    """
    counts: list[int] = []
    owners: list[int] = []
    weights: list[float] = []
    for vertex in mesh.vertices:
        before = len(owners)
        for element in vertex.groups:
            bone = bone_of[element.group] if element.group < len(bone_of) else -1
            if bone >= 0:
                owners.append(bone)
                weights.append(element.weight)
        counts.append(len(owners) - before)
    first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    return first, np.array(owners, np.int32), np.array(weights, np.float32)


@contextmanager
def _laid_out(mesh: bpy.types.Mesh) -> Iterator[bpy.types.Mesh]:
    """Yield a mesh with its vertex groups as per-vertex number attributes; remove all temporary data afterwards.

    Point clouds have no vertex groups, so Blender turns groups into attributes when it converts vertices to points.
    Only a copy without references is evaluated, so the artist's scene is not evaluated again.
    """
    with ExitStack() as afterwards:
        afterwards.enter_context(unheard("depsgraph_update_pre", "depsgraph_update_post"))
        copy = present(mesh.copy())
        afterwards.callback(bpy.data.meshes.remove, copy)
        copy.materials.clear()
        for one in (copy, copy.shape_keys):
            if one is not None:
                one.animation_data_clear()
        nodes = _nodes()
        afterwards.callback(bpy.data.node_groups.remove, nodes)
        scene = bpy.data.scenes.new("Action Loom")
        afterwards.callback(bpy.data.scenes.remove, scene)
        holder = bpy.data.objects.new("Action Loom", copy)
        afterwards.callback(bpy.data.objects.remove, holder)
        scene.collection.objects.link(holder)
        modifier = holder.modifiers.new("Action Loom", "NODES")
        assert isinstance(modifier, bpy.types.NodesModifier)
        modifier.node_group = nodes
        layer = scene.view_layers[0]
        layer.update()
        shown = holder.evaluated_get(present(layer.depsgraph)).data
        assert isinstance(shown, bpy.types.Mesh)
        yield shown


def _nodes() -> bpy.types.NodeTree:
    """Return nodes that convert vertices to points and back."""
    tree = present(bpy.data.node_groups.new("Action Loom", "GeometryNodeTree"))
    interface: Any = tree.interface  # the stubs know no kinds of sockets
    for direction in ("INPUT", "OUTPUT"):
        interface.new_socket("Geometry", in_out=direction, socket_type="NodeSocketGeometry")
    kinds = ("NodeGroupInput", "GeometryNodeMeshToPoints", "GeometryNodePointsToVertices", "NodeGroupOutput")
    chain = [tree.nodes.new(kind) for kind in kinds]
    for before, after in pairwise(chain):
        tree.links.new(before.outputs[0], after.inputs[0])
    return tree
