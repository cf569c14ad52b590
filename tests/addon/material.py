"""Armatures and actions for the add-on's tests: captured ones from ../shared, and small made-up ones."""

import hashlib
from pathlib import Path

import bpy
import numpy as np
import pytest

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="needs ../shared")


def import_bvh(name, *, mode="NATIVE"):
    """Import a captured clip with Blender's own importer, the scene at its rate; returns the armature."""
    path = SHARED / "cmu" / f"{name}.bvh"
    bpy.ops.import_anim.bvh(filepath=str(path), rotate_mode=mode, update_scene_fps=True)
    return bpy.context.object


def scene_rate():
    render = bpy.context.scene.render
    return render.fps / render.fps_base


def fcurves(action):
    """All F-curves of an action, on any Blender, without our own code."""
    if not hasattr(action, "slots"):
        return list(action.fcurves)
    return [
        curve
        for layer in action.layers
        for strip in layer.strips
        for bag in strip.channelbags
        for curve in bag.fcurves
    ]


def fingerprint(action):
    """A hash of every curve of an action: path, index, keys, handles, interpolation, modifiers."""
    digest = hashlib.sha256()
    for curve in fcurves(action):
        digest.update(f"{curve.data_path}[{curve.array_index}] {len(curve.modifiers)} {curve.extrapolation}".encode())
        for name, size in (("co", 2), ("handle_left", 2), ("handle_right", 2)):
            values = np.empty(size * len(curve.keyframe_points), dtype=np.float32)
            curve.keyframe_points.foreach_get(name, values)
            digest.update(values.tobytes())
        digest.update("".join(point.interpolation for point in curve.keyframe_points).encode())
    return digest.hexdigest()


def pose_positions(armature, names, frame):
    """World positions (J, 3) of bone heads as Blender evaluates them."""
    bpy.context.scene.frame_set(int(np.floor(frame)), subframe=float(frame % 1.0))
    return np.array([(armature.matrix_world @ armature.pose.bones[name].matrix).translation[:] for name in names])


def armature(*, modes=("QUATERNION",), connected=True, name="Rig"):
    """A chain of four bones with a side branch, keyed by nobody yet; rotation modes are dealt out in turn."""
    data = bpy.data.armatures.new(name)
    rig = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    rig.select_set(True)
    bpy.ops.object.mode_set(mode="EDIT")
    above = None
    for k in range(4):
        bone = data.edit_bones.new(f"bone{k}")
        bone.head, bone.tail, bone.roll = (0.1 * k, 0.0, 0.3 * k), (0.1 * (k + 1), 0.0, 0.3 * (k + 1)), 0.4 * k
        bone.parent, bone.use_connect = above, connected and above is not None
        above = bone
    side = data.edit_bones.new("side")
    side.head, side.tail, side.parent = (0.0, 0.2, 0.3), (0.0, 0.6, 0.3), data.edit_bones["bone1"]
    bpy.ops.object.mode_set(mode="OBJECT")
    for k, bone in enumerate(rig.pose.bones):
        bone.rotation_mode = modes[k % len(modes)]
    return rig


def key_by_hand(rig, name, *, seed, frames=(1, 9, 20, 33)):
    """A new action with a few Bézier keys on every bone, set with Blender's own keyframe_insert."""
    rng = np.random.default_rng(seed)
    rig.animation_data_create()
    rig.animation_data.action = None
    for frame in frames:
        for bone in rig.pose.bones:
            bone.location = rng.normal(size=3) * 0.1
            if bone.rotation_mode == "QUATERNION":
                bone.rotation_quaternion = np.array([1.0, 0.0, 0.0, 0.0]) + 0.3 * rng.normal(size=4)
                bone.keyframe_insert("rotation_quaternion", frame=frame)
            elif bone.rotation_mode == "AXIS_ANGLE":
                bone.rotation_axis_angle = [rng.normal(), *rng.normal(size=3)]
                bone.keyframe_insert("rotation_axis_angle", frame=frame)
            else:
                bone.rotation_euler = 0.7 * rng.normal(size=3)
                bone.keyframe_insert("rotation_euler", frame=frame)
            bone.keyframe_insert("location", frame=frame)
    action = rig.animation_data.action
    action.name = name
    action.use_fake_user = True
    return action
