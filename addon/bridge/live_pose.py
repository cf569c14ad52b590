"""Pose an armature many times a second, and restore its original pose."""

from typing import Any

import bpy
import numpy as np

from ...core.motion import rotation_modes
from ...core.motion.clip import Clip
from ...core.motion.quat import Array
from ..ground.blender_types import present
from . import clip as clips
from .rig import Rig

_PROPERTIES = ("location", "rotation_quaternion", "rotation_euler", "rotation_axis_angle", "scale")


class LivePose:
    """Store the pose of an armature and change it while the armature is driven live."""

    def __init__(self, armature: bpy.types.Object, body: Rig) -> None:
        self._name, self._body = armature.name_full, body
        self._joints = [(joint, name) for joint, name in enumerate(clips.targets_of(body)) if name]
        bones = present(armature.pose).bones
        self._before = {
            name: [tuple(getattr(bones[name], what)) for what in _PROPERTIES] for _, name in self._joints
        }  # as numbers: matrices would be rounded
        self._near: dict[int, Any] = {}

    def show(self, armature: bpy.types.Object, like: Clip, rotations: Array, translations: Array) -> None:
        """Pose the armature as rotations (J, 4) and translations (J, 3) have it; like : any clip of the same body."""
        body, bones = self._body, present(armature.pose).bones
        clip = Clip(like.name, like.skeleton, like.rate, rotations[None], translations[None])
        keyed = clips.as_keyed(clip, body, frozenset())
        for joint, name in self._joints:
            bone, mode = bones[name], body.modes[joint]
            what = rotation_modes.property_of(mode)
            near = self._near.get(joint)
            near = np.array(getattr(bone, what), dtype=np.float64) if near is None else near
            value = rotation_modes.from_quaternion(keyed.rotations[:, joint], mode, near)[0]
            self._near[joint] = value
            setattr(bone, what, value)
            if body.movable[joint]:
                bone.location = (keyed.translations[0, joint] / body.units[joint]).tolist()

    def restore(self, armature: bpy.types.Object) -> None:
        """Restore the original pose of every bone."""
        bones = present(armature.pose).bones
        for name, values in self._before.items():
            if name in bones:
                for what, value in zip(_PROPERTIES, values, strict=True):
                    setattr(bones[name], what, value)
