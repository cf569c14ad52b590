"""Measure the ends of bones without children on the mesh, since importers invent the tails of such bones."""

from collections.abc import Iterator, Sequence

import bpy
import numpy as np

from ...core.motion.quat import Array
from ..ground import memory
from ..ground.blender_types import armature_data
from . import mesh

MOST = 20_000  # vertices of each mesh
FEWEST = 4  # vertices that a bone must lead for its end to be known
LEADS = 0.5  # weight from which on a bone leads a vertex
STANDS = 0.05  # of the height of all of them: the distance from the lowest within which a bone is a foot
AROUND = 0.1  # of the size of a part of the mesh: a tail so near belongs to it
LOW = 0.15  # of the height of a foot: its sole
FARTHEST = 0.9  # quantile of their distance along the bone, beyond which they belong to its end
_known = memory.cache(32)


def of_leaves(
    armature: bpy.types.Object, bones: Sequence[bpy.types.Bone], rest: Array, tails: Array
) -> dict[int, Array]:
    """Return the ends (3,) of bones without children that deform part of a mesh, in each bone's own frame.

    bones : of the armature, in any order; rest (J, 4, 4) : their matrices at rest
    tails (J, 3) : their own ends; a tail on the mesh is left out, since it was placed by hand
    """
    leaves = {bone.name: k for k, bone in enumerate(bones) if not bone.children}
    drawn = [one for one in bpy.data.objects if one.type == "MESH"]
    skins, parts = mesh.skinned(armature, drawn), mesh.on_bones(armature, drawn)
    parts = [part for part in parts if part.parent_bone in leaves]
    if not skins and not parts:
        return {}
    key = (armature_data(armature).session_uid, len(bones), *(mesh.content(one) for one in (*skins, *parts)))
    found: dict[int, Array] = _known.made(key, lambda: _ends(armature, leaves, (rest, tails), skins, parts))
    return found


def _mesh_of(drawn: bpy.types.Object) -> bpy.types.Mesh:
    assert isinstance(drawn.data, bpy.types.Mesh)
    return drawn.data


def _ends(
    armature: bpy.types.Object,
    leaves: dict[str, int],
    drawn_so: tuple[Array, Array],
    skins: Sequence[bpy.types.Object],
    parts: Sequence[bpy.types.Object],
) -> dict[int, Array]:
    rest, tails = drawn_so
    up = np.array(armature.matrix_world.to_3x3().inverted_safe())[:, 2]
    up = up / np.linalg.norm(up)
    led: dict[int, list[Array]] = {}
    for drawn in skins:
        for joint, places in _led_by(drawn, leaves):
            led.setdefault(joint, []).append(_turned(mesh.standing(armature, drawn), places))
    for part in parts:
        places = _turned(mesh.resting_on_bone(armature, part), _places(part)[0])
        led.setdefault(leaves[part.parent_bone], []).append(places)
    every = {joint: np.concatenate(several) for joint, several in led.items()}
    heads = rest[:, :3, 3] @ up
    heights = np.concatenate([heads, *(places @ up for places in every.values())])
    floor = float(heights.min()) + STANDS * float(np.ptp(heights))
    ends = {}
    for joint, places in every.items():
        if len(places) < FEWEST:
            continue
        stands = float((places @ up).min()) < min(floor, float(heads[joint]))
        own, ours = _turned(np.linalg.inv(rest[joint]), places), rest[joint, :3, :3].T @ up
        if not _is_on(own, ours, tails[joint], stands=stands):
            ends[joint] = _sole(own, ours) if stands else _farthest(own)
    return ends


def _led_by(drawn: bpy.types.Object, leaves: dict[str, int]) -> Iterator[tuple[int, Array]]:
    """Yield each leaf that leads vertices of a mesh, with their places."""
    places, step = _places(drawn)
    vertices = _mesh_of(drawn).vertices
    joints = [leaves.get(group.name, -1) for group in drawn.vertex_groups]
    owners = np.full(len(places), -1)
    for row, k in enumerate(range(0, len(vertices), step)):
        for element in vertices[k].groups:
            if element.weight > LEADS and element.group < len(joints):
                owners[row] = joints[element.group]
    for joint in np.unique(owners[owners >= 0]).tolist():
        yield joint, places[owners == joint]


def _places(drawn: bpy.types.Object) -> tuple[Array, int]:
    """Return places (V, 3) of evenly chosen vertices of a mesh, and the step between them."""
    vertices = _mesh_of(drawn).vertices
    step = max(1, -(-len(vertices) // MOST))
    return mesh.coordinates(vertices, "co")[::step], step


def _turned(matrix: Array, places: Array) -> Array:
    return np.asarray(places @ matrix[:3, :3].T + matrix[:3, 3])


def _is_on(places: Array, up: Array, tail: Array, *, stands: bool) -> bool:
    """Return whether a tail (3,) is on the vertices (V, 3), or on a foot's sole, so it was placed by hand."""
    beyond = AROUND * np.ptp(places, axis=0).max()
    inside = (tail >= places.min(axis=0) - beyond).all() and (tail <= places.max(axis=0) + beyond).all()
    heights = places @ up
    return bool(inside and (not stands or tail @ up <= heights.min() + LOW * np.ptp(heights)))


def _farthest(places: Array) -> Array:
    """Return the middle of the vertices (V, 3) farthest from the head of a bone, in the direction of their middle."""
    along = places @ places.mean(axis=0)
    return np.asarray(places[along >= np.quantile(along, FARTHEST)].mean(axis=0))


def _sole(places: Array, up: Array) -> Array:
    """Return the end of a foot on the ground: the foremost of its lowest vertices (V, 3), as seen from the bone's head.

    up (3,) : the upward direction at rest
    """
    heights = places @ up
    low = places[heights <= heights.min() + LOW * np.ptp(heights)]
    level = low - (low @ up)[:, None] * up
    ahead = level @ level.mean(axis=0)
    front = low[ahead >= np.quantile(ahead, FARTHEST)].mean(axis=0)
    return np.asarray(front + (heights.min() - front @ up) * up)
