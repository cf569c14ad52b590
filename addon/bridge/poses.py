"""Compute the matrices of an armature and its bones in the frames of a clip, in Blender's spaces."""

from dataclasses import replace

import bpy
import numpy as np

from ...core.motion import kinematics, quat, rotation_modes
from ...core.motion.clip import Clip
from ...core.motion.quat import Array
from ..ground.blender_types import present
from .clip import LEAST_KEYED
from .curves import Target
from .rig import Rig


def as_shown(clip: Clip, body: Rig, armature: bpy.types.Object, targets: frozenset[Target]) -> Clip:
    """Return a clip in which all properties without keys follow the armature's current pose.

    Keys of the clip would not change that part of the pose either.
    targets : the properties that get keys even without movement
    """
    bones = present(armature.pose).bones
    rotations, translations = clip.rotations.copy(), clip.translations.copy()
    scales = np.ones_like(translations) if clip.scales is None else clip.scales.copy()
    for joint in range(int(body.moving_object), len(clip.skeleton)):
        name = clip.skeleton.names[joint]
        if name in body.still or name not in bones:
            continue
        place, turn, size = bones[name].matrix_basis.decompose()
        keyed = {target.property for target in targets if target.bone == name}
        if not keyed & {rotation_modes.property_of(body.modes[joint])} and _rests(quat.log(rotations[:, joint])):
            rotations[:, joint] = turn[:]
        if "location" not in keyed and _rests(translations[:, joint]) and body.movable[joint]:
            translations[:, joint] = body.units[joint] * np.array(place)
        if "scale" not in keyed and _rests(scales[:, joint] - 1.0):
            scales[:, joint] = size[:]
    sized = scales if clip.scales is not None or not _rests(scales - 1.0) else None
    return replace(clip, rotations=rotations, translations=translations, scales=sized)


def _rests(values: Array) -> bool:
    return bool(np.abs(values).max(initial=0.0) <= LEAST_KEYED)


def of_bones(clip: Clip, body: Rig) -> tuple[Array, Array]:
    """Return the matrices (F, B, 4, 4) of an armature's bones in its space, and the metres (F,) of its unit."""
    return bones_and_object(clip, body)[:2]


def bones_and_object(clip: Clip, body: Rig) -> tuple[Array, Array, Array]:
    """Return the result of `of_bones`, and the armature's own matrices (F, 4, 4) in the scene."""
    linear, places = kinematics.matrices(clip)
    if body.moving_object:
        axes, origin = linear[:, 0], places[:, 0]
        linear, places = linear[:, 1:], places[:, 1:]
    else:
        scale = np.linalg.norm(body.space[:3, :3], axis=0).mean()
        axes = np.broadcast_to(body.space[:3, :3] / scale, (len(clip), 3, 3))
        origin = np.broadcast_to(body.world_metres * body.space[:3, 3], (len(clip), 3))
    sizes = np.linalg.norm(axes, axis=-2).mean(axis=-1)[:, None, None]  # the object's scale may be animated
    turned = axes / sizes
    metres = body.units[-1] * sizes[:, 0, 0]
    back = np.swapaxes(turned, -1, -2)[:, None]
    matrices = np.zeros((*places.shape[:2], 4, 4))
    matrices[..., :3, :3] = back @ linear / sizes[:, None]
    matrices[..., :3, 3] = (places - origin[:, None]) @ turned / metres[:, None, None]
    matrices[..., 3, 3] = 1.0
    standing = np.zeros((len(clip), 4, 4))
    standing[:, :3, :3] = turned * (metres / body.world_metres)[:, None, None]
    standing[:, :3, 3] = origin / body.world_metres
    standing[:, 3, 3] = 1.0
    return matrices, metres, standing
