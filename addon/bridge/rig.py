"""Read an armature's bones as a skeleton, with the data needed to write a clip back to them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.bodies import rest_check
from ...core.errors import RigError, some
from ...core.formats import units
from ...core.motion import quat
from ...core.motion import roles as body_roles
from ...core.motion.inheritance import Inheritance
from ...core.motion.quat import Array
from ...core.motion.skeleton import OBJECT, Skeleton
from ..ground import kept_values
from ..ground.blender_types import armature_data, present
from . import bone_ends
from .controls import BodyControls

ROLES = (*body_roles.TRUNK, *(f"{role}.{side}" for side in "LR" for role in body_roles.LIMBS))
_LIKELY, _LONGEST = (0.3, 3.0), 2.0  # times the bone above: plausible median length of leaf bones, and their maximum
_SAME_BEND = 45.0  # degrees between the angles at the two feet, by which toes can bend otherwise
_SHORT = 0.01  # of the longest chain of bones: shorter bones do not define the size of the leaf below them
_SAME_SIZE = 1e-6  # factor; a smaller change is rounding
_ROLES_KEY = "action_loom_roles"


class Still(NamedTuple):
    """The location and rotation (quaternion) relative to rest of a posed bone without keys."""

    location: tuple[float, ...]
    rotation: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Rig:
    """The skeleton of an armature object, in world metres, and how its bones are keyed.

    units (J,) : metres of one unit of each joint's location; world_metres : metres of one unit of the scene
    space (4, 4) : the space of the bones, or of the moving object, with scale, in units of the scene
    modes : rotation mode of each joint; movable (J,) : whether its location has an effect (not on connected bones)
    moving_object : whether joint 0 is the armature object itself
    still : bones above the hips that only results key, "" for the object; their current transform is part of the rest
        pose
    posed : current values of bone properties that only results key, by target (a `curves.Target`)
    placed : the location and rotation of a moving object that no action moves, by target
    note : a note for the user on how the rig was read, "" for none
    carried : a note for the user on parents and constraints that move the armature, "" for none
    carrier_path : places (metres) and axes that parents and constraints give the object in some frames, () without any
    controls : the controls to key in place of the bones, if controls move them (see `control_rig` and `control_body`)
    """

    skeleton: Skeleton
    units: Array
    world_metres: float
    modes: tuple[str, ...]
    movable: NDArray[np.bool_]
    space: Array
    moving_object: bool = False
    still: dict[str, Still] = field(default_factory=dict)
    posed: Mapping[Any, tuple[float, ...]] = field(default_factory=dict)
    placed: Mapping[Any, tuple[float, ...]] = field(default_factory=dict)
    note: str = ""
    carried: str = ""
    carrier_path: tuple[float, ...] = ()
    controls: BodyControls | None = None

    @property
    def bones(self) -> tuple[str, ...]:
        """Names of the joints that are bones, in order."""
        return self.skeleton.names[1:] if self.moving_object else self.skeleton.names


def read(
    armature: bpy.types.Object,
    *,
    moving_object: bool = False,
    in_metres: bool = False,
    still: Callable[[Sequence[str]], dict[str, Still]] | None = None,
    world: Array | None = None,
) -> Rig:
    """Read the rig of an armature object; its bones are the joints, parents first.

    moving_object : whether the object itself is joint 0, for actions that move it; its transform is part of the rest
        pose otherwise
    in_metres : whether the imported file states its unit, so that the size of the body is never questioned
    still : called with the bones above the hips; returns the transforms of unkeyed ones, which become their rest, and
        under "" the rotation of a moving object, used if the body would not stand upright without it
    world : the matrix (4, 4) of the object, or of its parents if it is a joint, by default in the current frame

    Raises RigError for an armature without bones, and for an object that is mirrored, sheared or stretched.
    """
    bones = _parents_first(armature)
    parents, rest, tips = _bone_arrays(bones)
    _refuse_damaged(armature, bones, rest)
    space, scale = _static_frame(armature, world, with_own_transform=not moving_object)
    own_scale = _own_scale(armature) if moving_object else 1.0
    offsets, orients = _local_frames(parents, rest)
    measured = bone_ends.of_leaves(armature, bones, rest, tips)
    tips = _believable(tips, parents, offsets, scale * own_scale)
    for joint, end in measured.items():
        tips[joint] = end
    offsets, tips = scale * own_scale * offsets, scale * own_scale * tips
    names: tuple[str, ...] = tuple(b.name for b in bones)
    pose_bones = present(armature.pose).bones
    modes: tuple[str, ...] = tuple(pose_bones[name].rotation_mode for name in names)
    movable = np.array([not (b.use_connect and b.parent) for b in bones])
    inheritance = _inheritance(bones, space, moving_object)
    places = rest[:, :3, 3]
    steps = np.full(len(bones), scale * own_scale)
    roots = parents < 0
    if moving_object:
        names, modes = (object_joint(armature), *names), (armature.rotation_mode, *modes)
        parents = np.concatenate([[-1], np.where(roots, 0, parents + 1)])
        offsets = np.concatenate([space[None, :3, 3], offsets])
        orients = np.concatenate([quat.from_matrix(space[None, :3, :3]), orients])
        tips, movable = np.concatenate([np.zeros((1, 3)), tips]), np.concatenate([[True], movable])
        steps = np.concatenate([[scale], steps])
        places = np.concatenate([np.zeros((1, 3)), places])
    else:
        offsets[roots] = offsets[roots] @ space[:3, :3].T + space[:3, 3]
        orients[roots] = quat.mul(quat.from_matrix(space[:3, :3]), orients[roots])
    roles = _roles(armature, names, parents, places)
    staying = still(_above_hips(names, parents, roles)) if still is not None and inheritance is None else {}
    if "" in staying and rest_check.can_stand(Skeleton(names, parents, offsets, orients, tips, roles)):
        staying.pop("", None)
    for name, one in staying.items():
        joint = names.index(name) if name else 0
        offsets[joint] += quat.rotate(orients[joint], steps[joint] * np.array(one.location))
        orients[joint] = quat.mul(orients[joint], np.array(one.rotation))
    read_as = Skeleton(names, parents, offsets, orients, tips, roles)
    read_as = read_as if measured else _without_invented_tips(read_as)
    unit, metres = ("m", 1.0) if in_metres else units.of_armature(read_as)
    skeleton = Skeleton(names, parents, metres * offsets, orients, metres * read_as.tips, roles, inheritance)
    space[:3, :3] *= scale
    note = f"{armature.name}: {units.doubt(read_as, unit, metres)}" if unit == units.UNKNOWN else ""
    return Rig(skeleton, metres * steps, metres, modes, movable, space, moving_object, staying, note=note)


def place_at(body: Rig, move: Array) -> Rig:
    """Return a body moved, and scaled, as a whole by a matrix (4, 4), in units of the scene."""
    size = float(np.linalg.norm(move[:3, :3], axis=0).mean())
    size = 1.0 if abs(size - 1.0) < _SAME_SIZE else size
    turn, skeleton = quat.from_matrix(move[None, :3, :3] / size)[0], body.skeleton
    offsets, orients, tips = size * skeleton.offsets, skeleton.orients.copy(), size * skeleton.tips
    roots, shift = skeleton.parents < 0, body.world_metres * move[:3, 3]
    offsets[roots] = quat.rotate(turn, offsets[roots]) + shift
    orients[roots] = quat.mul(turn, orients[roots])
    moved = replace(skeleton, offsets=offsets, orients=orients, tips=tips)
    return replace(body, skeleton=moved, units=size * body.units, space=move @ body.space)


def part(every: Rig, names: Sequence[str], parents: Sequence[int], lengths: Sequence[float]) -> Rig:
    """Return some bones of a rig as a body of their own, below the object if that is a joint.

    parents (B,) : the parent of each bone among them, which may differ from its own; parents first
    lengths (B,) : of bones, in the armature's unit: the tips of bones without children
    """
    skip = int(every.moving_object)
    joints = [every.skeleton.names.index(name, skip) for name in names]
    above = np.array(parents, dtype=np.int64)
    if skip:
        joints, above = [0, *joints], np.concatenate([[-1], np.where(above < 0, 0, above + 1)])
    rotations, places = (each[joints] for each in every.skeleton.rest)
    offsets, orients = places.copy(), rotations.copy()
    child = np.flatnonzero(above >= 0)
    hang = rotations[above[child]]
    offsets[child] = quat.rotate(quat.inv(hang), places[child] - places[above[child]])
    orients[child] = quat.mul(quat.inv(hang), rotations[child])
    tips = np.zeros_like(offsets)
    for k in range(skip, len(joints)):
        if k not in above:
            tips[k, 1] = lengths[k - skip] * every.units[-1]
    place = {joint: k for k, joint in enumerate(joints)}
    roles = {role: place[joint] for role, joint in every.skeleton.roles.items() if joint in place}
    skeleton = Skeleton(tuple(every.skeleton.names[k] for k in joints), above, offsets, orients, tips, roles)
    modes = tuple(every.modes[joint] for joint in joints)
    movable = np.ones(len(joints), dtype=bool)
    return replace(every, skeleton=skeleton, units=every.units[joints], modes=modes, movable=movable)


def _above_hips(names: tuple[str, ...], parents: NDArray[np.int64], roles: dict[str, int]) -> list[str]:
    """Return the joints above the hips, or all roots if the hips are not known."""
    if "hips" in roles:
        return [names[joint] for joint in body_roles.ancestors(roles["hips"], parents)]
    return [name for name, parent in zip(names, parents, strict=True) if parent < 0]


def object_joint(armature: bpy.types.Object) -> str:
    """Return the name of the joint for an armature object that moves."""
    return f"{armature.name}{OBJECT}"


def set_roles(armature: bpy.types.Object, chosen: dict[str, str]) -> None:
    """Store the bones of roles on an armature, for misleading names; "" for no bone.

    Raises RigError for an unknown role, for a bone that the armature does not have, and for a linked armature.
    """
    if armature.library is not None:
        raise RigError(f"{armature.name} is linked: make a library override of it first")
    for role, bone in chosen.items():
        if role not in ROLES:
            raise RigError(f"There is no role {role!r}; the roles are {', '.join(ROLES)}")
        if bone and bone not in armature_data(armature).bones:
            raise RigError(f"{armature.name} has no bone {bone!r} for its {role}")
    kept_values.keep(armature, _ROLES_KEY, dict(chosen), empty=True)


def chosen_roles(armature: bpy.types.Object) -> dict[str, str]:
    """Return the bones chosen by hand by role, "" for no bone; raises RigError if they can't be read."""
    found = kept_values.read_value(armature, _ROLES_KEY)
    chosen = {} if found is None else found
    if not isinstance(chosen, dict) or not all(isinstance(bone, str) for bone in chosen.values()):
        raise RigError(
            f"The body roles of {armature.name} can't be read: its custom property {_ROLES_KEY!r} was changed by "
            "something else; find the roles anew"
        )
    return chosen


def found_roles(armature: bpy.types.Object) -> dict[str, str]:
    """Return the bones by role as names, hierarchy and shape suggest, without choices by hand."""
    bones = _parents_first(armature)
    names, (parents, rest, _) = tuple(bone.name for bone in bones), _bone_arrays(bones)
    return {role: names[joint] for role, joint in body_roles.find(names, parents, rest[:, :3, 3]).items()}


def _roles(
    armature: bpy.types.Object, names: tuple[str, ...], parents: NDArray[np.int64], places: Array
) -> dict[str, int]:
    """Return the joints by role as found, overridden by the artist's choices."""
    found = body_roles.find(names, parents, places)
    for role, bone in chosen_roles(armature).items():
        if role not in ROLES:
            raise RigError(f"{armature.name}: there is no role {role!r} to be played; find the roles anew")
        if bone == "":
            found.pop(role, None)
        elif bone in names:
            found[role] = names.index(bone)
        else:
            raise RigError(f"{armature.name}: the bone {bone!r}, chosen as {role}, is gone: choose another")
    return found


def _parents_first(armature: bpy.types.Object) -> list[bpy.types.Bone]:
    bones: list[bpy.types.Bone] = []
    waiting = [b for b in reversed(armature_data(armature).bones) if b.parent is None]
    while waiting:
        bone = waiting.pop()
        bones.append(bone)
        waiting.extend(reversed(bone.children))
    if not bones:
        raise RigError(f"{armature.name} has no bones")
    return bones


def _bone_arrays(bones: list[bpy.types.Bone]) -> tuple[NDArray[np.int64], Array, Array]:
    """Return parents (J,), rest matrices (J, 4, 4) in armature space, and tips (J, 3) of leaf bones in their own."""
    index = {bone.name: k for k, bone in enumerate(bones)}
    parents = np.array([index[b.parent.name] if b.parent else -1 for b in bones], dtype=np.int64)
    rest = np.array([b.matrix_local for b in bones], dtype=np.float64)
    tips = np.zeros((len(bones), 3))
    for k, bone in enumerate(bones):
        if not bone.children:
            tips[k] = rest[k, :3, :3].T @ (np.array(bone.tail_local, dtype=np.float64) - rest[k, :3, 3])
    return parents, rest, tips


def _refuse_damaged(armature: bpy.types.Object, bones: list[bpy.types.Bone], rest: Array) -> None:
    """Raise RigError for a rest matrix (4, 4) that Blender made of values of a damaged file."""
    whole = np.asarray(np.isfinite(rest).all(axis=(1, 2)))
    whole[whole] = np.linalg.det(rest[whole, :3, :3]) > 0.5  # a rotation without scale
    if not whole.all():
        damaged = some([bone.name for bone, fine in zip(bones, whole, strict=True) if not fine])
        raise RigError(f"{armature.name}: bones without axes at rest ({damaged}): the file is damaged")


def _local_frames(parents: NDArray[np.int64], rest: Array) -> tuple[Array, Array]:
    """Return offsets (J, 3) and orients (J, 4) in the parent's frame, of roots in armature space."""
    above = np.where(parents[:, None, None] >= 0, rest[parents], np.eye(4))
    local = np.linalg.inv(above) @ rest
    return local[:, :3, 3].copy(), quat.from_matrix(local[:, :3, :3])


def _believable(tips: Array, parents: NDArray[np.int64], offsets: Array, scale: float) -> Array:
    """Return the tips (J, 3) of leaf bones, shortened if they are implausible.

    Only Blender's own files store bone ends; importers guess them. The glTF importer gives a leaf the length of its
    parent, but without the object's scale. A leaf longer than twice its parent (the nearest with a length) is shortened
    to the parent's length.
    """
    lengths, tip_lengths = np.linalg.norm(offsets, axis=1), np.linalg.norm(tips, axis=1)
    lengths[parents < 0] = 0.0  # the distance from the armature's origin to a root is not a bone
    leaves = np.flatnonzero(tip_lengths > 0.0)
    above = np.zeros(len(parents))
    reach = np.zeros(len(parents))
    for joint, parent in enumerate(parents):
        if parent >= 0:
            reach[joint] = reach[parent] + lengths[joint]
    for joint in leaves.tolist():
        bone = joint
        while bone >= 0 and lengths[bone] <= _SHORT * reach.max():
            bone = int(parents[bone])
        above[joint] = lengths[bone] if bone >= 0 else tip_lengths[joint]
    known = leaves[above[leaves] > 0.0]
    if not len(known):
        return tips
    longer = tip_lengths[known] / above[known]
    forgotten = not _LIKELY[0] <= np.median(longer) <= _LIKELY[1]
    longer = scale * longer if forgotten else longer
    factors = np.full(len(tips), scale if forgotten else 1.0)
    factors[known] /= np.where(longer > (1.0 if forgotten else _LONGEST), longer, 1.0)
    return tips * factors[:, None]


def _without_invented_tips(skeleton: Skeleton) -> Skeleton:
    """Return a skeleton without tips of feet that an importer invented: they continue the two feet differently.

    Unreal mirrors the axes of one side. A tail along an axis then points up from the left foot and down from the right.
    """
    roles, tips, (rotations, places) = skeleton.roles, skeleton.tips.copy(), skeleton.rest
    for end, foot, shin in (("toe", "foot", "shin"), ("foot", "shin", "thigh")):
        pairs = [[roles.get(f"{role}.{side}", -1) for role in (end, foot, shin)] for side in "LR"]
        ends = [pair[0] for pair in pairs]
        if min(map(min, pairs)) >= 0 and tips[ends].any(axis=1).all():
            ways = [_direction_from(places[pair], quat.rotate(rotations[pair[0]], tips[pair[0]])) for pair in pairs]
            tips[ends] *= ways[0] @ ways[1] >= np.cos(np.radians(_SAME_BEND))
    return replace(skeleton, tips=tips)


def _direction_from(places: Array, tip: Array) -> Array:
    """Return the direction (3,) of a tip along a foot, across it towards the shin, and to either side.

    places (3, 3) : of the joint that has the tip, and of the two joints above
    """
    along, up = places[0] - places[1], places[2] - places[1]
    along /= max(float(np.linalg.norm(along)), 1e-12)
    up -= (up @ along) * along
    up /= max(float(np.linalg.norm(up)), 1e-12)
    way = np.array([tip @ along, tip @ up, abs(tip @ np.cross(along, up))])
    return np.asarray(way / max(float(np.linalg.norm(way)), 1e-12))


def _static_frame(armature: bpy.types.Object, there: Array | None, *, with_own_transform: bool) -> tuple[Array, float]:
    """Return the matrix of the space of the bones (or of the moving object) without scale, and its scale."""
    if there is not None:
        world = there.copy()
    elif with_own_transform:
        world = np.array(armature.matrix_world, dtype=np.float64)
    else:
        parent = armature.parent.matrix_world @ armature.matrix_parent_inverse if armature.parent else np.eye(4)
        world = np.array(parent, dtype=np.float64)
    lengths = np.linalg.norm(world[:3, :3], axis=0)
    scale = float(lengths.mean())
    if scale <= 0.0 or np.ptp(lengths) > 1e-4 * scale or np.linalg.det(world[:3, :3]) <= 0.0:
        raise RigError(f"{armature.name} is mirrored, sheared or scaled unevenly: apply its scale first")
    axes = world[:3, :3] / scale
    if not np.allclose(axes.T @ axes, np.eye(3), atol=1e-4):
        raise RigError(f"{armature.name} is mirrored, sheared or scaled unevenly: apply its scale first")
    world[:3, :3] = axes
    return world, scale


def _own_scale(armature: bpy.types.Object) -> float:
    """Return the uniform scale of an object that moves; raises RigError if there is none."""
    scales = np.array(armature.scale, dtype=np.float64)
    moved = any(armature.delta_location[:]) or any(armature.delta_rotation_euler[:])
    if moved or armature.delta_scale[:] != (1.0, 1.0, 1.0):
        raise RigError(f"{armature.name} has delta transforms and moves: apply them first")
    if np.ptp(scales) > 1e-4 * abs(scales.mean()) or scales.mean() <= 0.0:
        raise RigError(f"{armature.name} is mirrored, sheared or scaled unevenly: apply its scale first")
    return float(scales.mean())


def _inheritance(bones: list[bpy.types.Bone], space: Array, moving_object: bool) -> Inheritance | None:
    rotation = [bool(b.use_inherit_rotation) for b in bones]
    scale = [str(b.inherit_scale) for b in bones]
    location = [bool(b.use_local_location) for b in bones]
    if all(rotation) and all(location) and set(scale) == {"FULL"}:
        return None
    if moving_object:
        rotation, scale, location = [True, *rotation], ["FULL", *scale], [True, *location]
    orientation = quat.IDENTITY if moving_object else quat.from_matrix(space[:3, :3])
    return Inheritance(np.array(rotation), tuple(scale), np.array(location), orientation, moving_object)
