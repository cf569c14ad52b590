"""Read and set the pose that an armature has at the moment, keyed or not."""

import bpy
import numpy as np
from mathutils import Matrix

from ...core.motion import rotation_modes
from ...core.motion.clip import Clip
from ..ground.blender_types import present
from . import clip as clips
from . import evaluated_action
from .control_keys import ControlKeys
from .curves import Target
from .rig import Rig


def read(armature: bpy.types.Object, body: Rig, rate: float) -> Clip:
    """Return an armature's current pose as a clip of one frame, like `clip.read` or evaluated with its controls."""
    if body.controls is not None:
        return _evaluate_pose(armature, body, rate)
    values = {}
    for name, mode in zip(clips.targets_of(body), body.modes, strict=True):
        owner = present(armature.pose).bones[name] if name else armature
        for what in ("location", "scale", rotation_modes.property_of(mode)):
            values[Target(name, what)] = np.array(getattr(owner, what), dtype=np.float64)[None]
    return clips.from_channels("pose", armature, body, rate, values, 1)


def _evaluate_pose(armature: bpy.types.Object, body: Rig, rate: float) -> Clip:
    controls = present(body.controls)
    present(bpy.context.view_layer).update()
    bones = np.array([present(armature.pose).bones[name].matrix for name in controls.seen], dtype=np.float64)
    space = body.space @ np.array(armature.matrix_basis) if body.moving_object else body.space
    seen = evaluated_action.in_the_world((bones @ controls.seen_from)[None], space[None], body)
    return Clip("pose", body.skeleton, rate, *evaluated_action.as_seen(*seen, body))


def put_controls(armature: bpy.types.Object, keys: ControlKeys, bones: frozenset[str]) -> None:
    """Pose some bones of an armature with the control keys of one frame."""
    for k, name in enumerate(keys.names):
        if name in bones:
            present(armature.pose).bones[name].matrix_basis = Matrix(keys.own[0, k].tolist())


def put(armature: bpy.types.Object, body: Rig, pose: Clip, bones: frozenset[str]) -> None:
    """Pose some bones of an armature with a clip of one frame, without keys."""
    keyed = clips.as_keyed(pose, body, frozenset())
    for joint, name in enumerate(clips.targets_of(body)):
        if name not in bones:
            continue
        bone, mode = present(armature.pose).bones[name], body.modes[joint]
        what = rotation_modes.property_of(mode)
        near = np.array(getattr(bone, what), dtype=np.float64)
        setattr(bone, what, rotation_modes.from_quaternion(keyed.rotations[:, joint], mode, near)[0])
        if body.movable[joint]:
            bone.location = (keyed.translations[0, joint] / body.units[joint]).tolist()
        if keyed.scales is not None:
            bone.scale = keyed.scales[0, joint].tolist()
