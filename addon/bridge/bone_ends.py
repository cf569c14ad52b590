"""Measure the ends of bones without children on the mesh, since importers invent the tails of such bones."""

from collections.abc import Sequence
from typing import NamedTuple

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.motion.quat import Array
from ..ground import memory
from ..ground.blender_types import armature_data
from . import mesh

MOST = 20_000  # vertices of each mesh
FEWEST = 4  # vertices that a bone must lead for its end to be known
LEADS = 0.5  # weight from which on a bone leads a vertex
DRESSED = 0.3  # share of the bones that move vertices of a body's mesh; a hat or a hand alone is none
EQUAL = 1e-4  # of a length: importers repeat lengths up to rounding
BESIDE = 0.02  # of the height of the mesh: an invented end farther from it is none of the body's
STANDS = 0.05  # of the height of all of them: the distance from the lowest within which a bone is a foot
AROUND = 0.1  # of the size of a part of the mesh: a tail so near belongs to it
LOW = 0.15  # of the height of a foot: its sole
FAR = 1e6  # times the size of a skeleton: a vertex beyond this distance is damaged
FARTHEST = 0.9  # quantile of their distance along the bone, beyond which they belong to its end
_known = memory.cache(32)


def of_leaves(
    armature: bpy.types.Object, bones: Sequence[bpy.types.Bone], rest: Array, tails: Array
) -> dict[int, Array]:
    """Return the ends (3,) of bones without children as the meshes show them, in each bone's own frame.

    bones : of the armature, in any order; rest (J, 4, 4) : their matrices at rest
    tails (J, 3) : their own ends; a tail on the mesh is left out, since it was placed by hand

    The end is zero, which means none, where an importer invented it beside the mesh of a body and the bone moves no
    vertex.
    """
    leaves = {bone.name: k for k, bone in enumerate(bones) if not bone.children}
    drawn = [one for one in bpy.data.objects if one.type == "MESH"]
    skins, parts = mesh.skinned_objects(armature, drawn), mesh.on_bones(armature, drawn)
    if not skins and not parts:
        return {}
    contents = (mesh.content(one) for one in (*skins, *parts))
    key = (armature_data(armature).session_uid, rest.tobytes(), tails.tobytes(), *contents)
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
    worn = _read_meshes(armature, skins, parts)
    far = FAR * (float(np.ptp(rest[:, :3, 3], axis=0).max()) + float(np.abs(tails).max()))
    led = {leaves[name]: places for name, places in worn.led.items() if name in leaves}
    every = {joint: places for joint, places in led.items() if np.abs(places).max(initial=0.0) <= far}
    heads = rest[:, :3, 3] @ up
    heights = np.concatenate([heads, *(places @ up for places in every.values())])
    floor = float(heights.min()) + STANDS * float(np.ptp(heights))
    ends = {}
    for joint, places in every.items():
        if len(places) < FEWEST:
            continue
        stands = float((places @ up).min()) < min(floor, float(heads[joint]))
        own, ours = _turn_places(np.linalg.inv(rest[joint]), places), rest[joint, :3, :3].T @ up
        if not _is_on(own, ours, tails[joint], stands=stands):
            ends[joint] = _sole(own, ours) if stands else _farthest(own)
    bones = armature_data(armature).bones
    if len(worn.moving & {*bones.keys()}) > DRESSED * len(bones):
        far = BESIDE * float(np.ptp(worn.places @ up))
        for name, joint in leaves.items():
            if name not in worn.moving and is_invented(bones[name]):
                away = np.linalg.norm(worn.places - _turn_places(rest[joint], tails[joint]), axis=1)
                ends |= {joint: np.zeros(3)} if float(away.min()) > far else {}
    return ends


def is_invented(bone: bpy.types.Bone) -> bool:
    """Return whether the end of a bone without children is as the importers of glTF and FBX files invent it.

    Its length is its parent's; without a parent it is the distance from the armature's origin, or 1.
    """
    head = float(bone.head_local.length)
    lengths = (float(bone.parent.length),) if bone.parent else (head, 1.0)
    return any(abs(bone.length - length) <= EQUAL * bone.length for length in lengths)


class _Worn(NamedTuple):
    """The meshes of an armature at rest, in its space.

    places (V, 3) : of all vertices; led : of the vertices that each bone leads
    moving : the bones that move any vertex, and vertex groups of other names
    """

    places: Array
    led: dict[str, Array]
    moving: set[str]


def _read_meshes(
    armature: bpy.types.Object, skins: Sequence[bpy.types.Object], parts: Sequence[bpy.types.Object]
) -> _Worn:
    every, led, moving = list[Array](), dict[str, list[Array]](), set[str]()
    for drawn in skins:
        places, owners, moves = _find_owners(drawn)
        names = [group.name for group in drawn.vertex_groups]
        moving.update(names[k] for k in moves)
        every.append(_turn_places(mesh.standing(armature, drawn), places))
        for k in np.unique(owners[owners >= 0]).tolist():
            led.setdefault(names[k], []).append(every[-1][owners == k])
    for part in parts:
        moving.add(part.parent_bone)
        every.append(_turn_places(mesh.resting_on_bone(armature, part), _places(part)[0]))
        led.setdefault(part.parent_bone, []).append(every[-1])
    return _Worn(np.concatenate(every), {name: np.concatenate(several) for name, several in led.items()}, moving)


def _find_owners(drawn: bpy.types.Object) -> tuple[Array, NDArray[np.int64], set[int]]:
    """Return places (V, 3) of a mesh, the vertex group that leads each, −1 for none, and all groups with a weight."""
    places, step = _places(drawn)
    vertices, groups = _mesh_of(drawn).vertices, len(drawn.vertex_groups)
    owners, moves = np.full(len(places), -1), set[int]()
    for row, k in enumerate(range(0, len(vertices), step)):
        for element in vertices[k].groups:
            if element.weight > 0.0 and element.group < groups:
                moves.add(element.group)
                if element.weight > LEADS:
                    owners[row] = element.group
    return places, owners, moves


def _places(drawn: bpy.types.Object) -> tuple[Array, int]:
    """Return places (V, 3) of evenly chosen vertices of a mesh, and the step between them."""
    vertices = _mesh_of(drawn).vertices
    step = max(1, -(-len(vertices) // MOST))
    return mesh.coordinates(vertices, "co")[::step], step


def _turn_places(matrix: Array, places: Array) -> Array:
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
