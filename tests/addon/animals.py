"""Key in-place walks by hand on the controls of Rigify's animals: IK paws, torso, spine and tail."""

from typing import NamedTuple

import bpy
import numpy as np

FRAMES = 24  # of a cycle, from frame 1


class Animal(NamedTuple):
    """IK controls of the paws (hind first, left before right), other turned controls, and the size in metres."""

    paws: tuple[str, ...]
    turned: tuple[str, ...]
    size: float


def _sides(*names: str) -> tuple[str, ...]:
    return tuple(f"{name}.{side}" for name in names for side in "LR")


ANIMALS = {
    "bird": Animal(_sides("foot_ik"), ("Wing.L", "Wing.R", "head", "neck", "spine.001", "spine_fk.005"), 0.15),
    "horse": Animal(_sides("hind_foot_ik", "forefoot_ik"), ("head", "neck", "chest", "tail.002", "tail.003"), 2.1),
}


def key_walk(rig: bpy.types.Object, animal: Animal, name: str, gain: float = 1.0) -> bpy.types.Action:
    """Key a cycle; a larger gain makes longer steps and larger turns."""
    action = bpy.data.actions.new(name)
    rig.animation_data_create().action = action
    size, cycle = animal.size, 2.0 * np.pi
    for k, paw in enumerate(animal.paws):
        for frame in range(0, FRAMES + 1, 3):
            at = cycle * (frame / FRAMES + (0.0, 0.5, 0.5, 0.0)[k])
            ahead, up = -0.08 * gain * size * np.cos(at), 0.05 * gain * size * max(0.0, -np.sin(at))
            _move(rig.pose.bones[paw], (0.0, ahead, up), frame)
    for frame in range(0, FRAMES + 1, 4):
        at = cycle * frame / FRAMES
        place = 0.01 * size * np.sin(at), 0.0, size * (0.01 * np.cos(2.0 * at) - 0.07)
        _move(rig.pose.bones["torso"], place, frame)
    for k, control in enumerate(animal.turned):
        for frame in range(0, FRAMES + 1, 6):
            _turn(rig.pose.bones[control], 0.15 * gain * np.sin(cycle * frame / FRAMES + k), frame)
    return action


def _move(bone: bpy.types.PoseBone, place: tuple[float, ...], frame: int) -> None:
    """Key a step in the armature's axes."""
    axes = np.array(bone.bone.matrix_local)[:3, :3] if bone.bone.use_local_location else np.eye(3)
    bone.location = np.linalg.solve(axes, place)
    bone.keyframe_insert("location", frame=1 + frame)


def _turn(bone: bpy.types.PoseBone, angle: float, frame: int) -> None:
    if bone.rotation_mode == "QUATERNION":
        bone.rotation_quaternion = np.cos(angle / 2.0), 0.6 * np.sin(angle / 2.0), 0.0, 0.8 * np.sin(angle / 2.0)
        bone.keyframe_insert("rotation_quaternion", frame=1 + frame)
    else:
        bone.rotation_euler = 0.6 * angle, 0.0, 0.8 * angle
        bone.keyframe_insert("rotation_euler", frame=1 + frame)


def deforming(rig: bpy.types.Object, action: bpy.types.Action, frames: int = FRAMES + 1) -> np.ndarray:
    """Return the world matrices of all deforming bones (F, B, 4, 4) while an action plays."""
    rig.animation_data.action = action
    if hasattr(action, "slots"):
        rig.animation_data.action_slot = action.slots[0]
    names = [bone.name for bone in rig.data.bones if bone.use_deform]
    poses = []
    for frame in range(1, frames + 1):
        bpy.context.scene.frame_set(frame)
        seen = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
        poses.append([np.array(seen.matrix_world @ seen.pose.bones[name].matrix) for name in names])
    return np.array(poses)


def apart(one: np.ndarray, other: np.ndarray) -> tuple[float, float]:
    """Return the largest 95th percentile over frames of a bone's difference in place (mm) and direction (degrees)."""
    far = 1000.0 * np.linalg.norm((one - other)[..., :3, 3], axis=2)
    along = [each[..., :3, 1] / np.linalg.norm(each[..., :3, 1], axis=2, keepdims=True) for each in (one, other)]
    turned = np.degrees(np.linalg.norm(along[0] - along[1], axis=2))
    return tuple(float(np.percentile(each, 95, axis=0).max()) for each in (far, turned))
