"""Armatures of every kind from a seed: all bone settings, rotation modes, scales, several roots."""

import bpy
import numpy as np

MODES = ("QUATERNION", "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX", "AXIS_ANGLE")
INHERIT_SCALES = ("FULL", "FIX_SHEAR", "ALIGNED", "AVERAGE", "NONE", "NONE_LEGACY")


def rig(seed, *, bones=24, plain_settings=False):
    """An armature object with a tree (or forest) of turned, rolled, partly connected bones."""
    rng = np.random.default_rng(seed)
    data = bpy.data.armatures.new(f"Rig{seed}")
    armature = bpy.data.objects.new(f"Rig{seed}", data)
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    made = []
    for k in range(bones):
        bone = data.edit_bones.new(f"bone{k}")
        parent = made[rng.integers(len(made))] if made and (k > 2 or rng.random() < 0.6) else None
        connected = parent is not None and rng.random() < 0.4
        start = np.array(parent.tail if parent else 2.0 * rng.normal(size=3))
        bone.head = start if connected or parent is None else start + 0.2 * rng.normal(size=3)
        bone.tail = np.array(bone.head) + rng.normal(size=3) + 0.1
        bone.roll = rng.uniform(-3.0, 3.0)
        bone.parent, bone.use_connect = parent, connected
        if not plain_settings:
            bone.use_inherit_rotation = rng.random() < 0.7
            bone.inherit_scale = INHERIT_SCALES[rng.integers(len(INHERIT_SCALES))]
            bone.use_local_location = rng.random() < 0.7
        made.append(bone)
    bpy.ops.object.mode_set(mode="OBJECT")
    for bone in armature.pose.bones:
        bone.rotation_mode = MODES[rng.integers(len(MODES))]
    return armature


def key(armature, seed, *, frames=(1, 4, 9), scales=True):
    """An action with Bézier keys on location, rotation and (if wanted) scale of every bone."""
    rng = np.random.default_rng(seed)
    armature.animation_data_create().action = None
    for frame in frames:
        for bone in armature.pose.bones:
            values = {"location": 0.3 * rng.normal(size=3), **_rotation(bone.rotation_mode, rng)}
            if scales:
                values["scale"] = np.exp(0.3 * rng.normal(size=3))
            for path, value in values.items():
                setattr(bone, path, value)
                bone.keyframe_insert(path, frame=frame)
    return armature.animation_data.action


def _rotation(mode, rng):
    if mode == "QUATERNION":
        return {"rotation_quaternion": np.array([1.0, 0.0, 0.0, 0.0]) + 0.5 * rng.normal(size=4)}
    if mode == "AXIS_ANGLE":
        return {"rotation_axis_angle": rng.normal(size=4)}
    return {"rotation_euler": rng.normal(size=3)}
