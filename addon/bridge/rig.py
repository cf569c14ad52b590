"""An armature's bones as a skeleton, and what is needed to write a clip back onto them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.errors import RigError
from ...core.motion import quat, units
from ...core.motion.quat import Array
from ...core.motion.skeleton import Skeleton

EULER_MODES = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")


@dataclass(frozen=True, eq=False)
class Rig:
    """The skeleton of an armature object, in metres and in the world, and how its bones are keyed.

    metres, world_metres : size of one unit of the bones' own space, and of one of the scene's
    modes : rotation mode of each bone
    movable (J,) : whether a bone's location does anything (it does not on connected bones)
    """

    skeleton: Skeleton
    metres: float
    world_metres: float
    modes: tuple[str, ...]
    movable: NDArray[np.bool_]


def read(armature: Any) -> Rig:
    """Return the rig of an armature object; its bones are the joints, parents first.

    Raises RigError for an empty armature and for settings that would make the result wrong: an object that is
    mirrored, sheared or stretched, bones that do not inherit rotation.
    """
    bones = _parents_first(armature)
    index = {bone.name: k for k, bone in enumerate(bones)}
    parents = np.array([index[b.parent.name] if b.parent else -1 for b in bones], dtype=np.int64)
    rest = np.array([b.matrix_local for b in bones], dtype=np.float64)
    tails = np.array([b.tail_local for b in bones], dtype=np.float64)
    for bone in bones:
        if bone.parent and not bone.use_inherit_rotation:
            raise RigError(f"{armature.name}: bone {bone.name!r} does not inherit rotation, which is not supported yet")
    world, scale = _object_frame(armature)
    offsets, orients = _local_frames(parents, rest, world)
    tips = np.zeros((len(bones), 3))
    for k, bone in enumerate(bones):
        if not bone.children:
            tips[k] = rest[k, :3, :3].T @ (tails[k] - rest[k, :3, 3])
    names = tuple(b.name for b in bones)
    world_metres = _metres_per_unit(Skeleton(names, parents, scale * offsets, orients, scale * tips))
    metres = scale * world_metres
    skeleton = Skeleton(names, parents, metres * offsets, orients, metres * tips)
    modes = tuple(armature.pose.bones[name].rotation_mode for name in names)
    movable = np.array([not (b.use_connect and b.parent) for b in bones])
    return Rig(skeleton, metres, world_metres, modes, movable)


def _parents_first(armature: Any) -> list[Any]:
    bones = []
    waiting = [b for b in reversed(armature.data.bones) if b.parent is None]
    while waiting:
        bone = waiting.pop()
        bones.append(bone)
        waiting.extend(reversed(bone.children))
    if not bones:
        raise RigError(f"{armature.name} has no bones")
    return bones


def _object_frame(armature: Any) -> tuple[Array, float]:
    """Return the object's world matrix without its scale, and the scale; raises RigError if it is no plain one."""
    world = np.array(armature.matrix_world, dtype=np.float64)
    lengths = np.linalg.norm(world[:3, :3], axis=0)
    scale = float(lengths.mean())
    if scale <= 0.0 or np.ptp(lengths) > 1e-4 * scale or np.linalg.det(world[:3, :3]) <= 0.0:
        raise RigError(f"{armature.name} is mirrored, sheared or scaled unevenly: apply its scale first")
    world[:3, :3] /= scale
    world[:3, 3] /= scale
    return world, scale


def _local_frames(parents: NDArray[np.int64], rest: Array, world: Array) -> tuple[Array, Array]:
    """Return offsets (J, 3) in bone units and orients (J, 4), roots in the world."""
    above = np.where(parents[:, None, None] >= 0, rest[parents], np.linalg.inv(world))
    local = np.linalg.inv(above) @ rest
    return local[:, :3, 3], quat.from_matrix(local[:, :3, :3])


def _metres_per_unit(skeleton: Skeleton) -> float:
    """A body of 25 units is a person in another unit, not a giant: speeds and heights are judged in metres."""
    return units.UNITS.get(units.guess(skeleton.height), 1.0)
