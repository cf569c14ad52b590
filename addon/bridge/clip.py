"""Actions as clips, and clips as new actions."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core.errors import RigError
from ...core.motion import quat
from ...core.motion.clip import Clip
from ...core.motion.quat import Array
from . import curves, rig
from .curves import Channel

_AXIS_ANGLE, _QUATERNION = "AXIS_ANGLE", "QUATERNION"
_DEFAULTS = {
    "location": (0.0, 0.0, 0.0),
    "rotation_quaternion": (1.0, 0.0, 0.0, 0.0),
    "rotation_euler": (0.0, 0.0, 0.0),
    "rotation_axis_angle": (0.0, 0.0, 1.0, 0.0),
    "scale": (1.0, 1.0, 1.0),
}


@dataclass(frozen=True, eq=False)
class Source:
    """The clip of an action as keyed, the scene frame it begins at, and the channels that had curves."""

    clip: Clip
    first_frame: float
    channels: frozenset[Channel]


def read(armature: Any, action: Any, body: rig.Rig, rate: float) -> Source:
    """Return an action as keyed on an armature: its curves alone, without constraints and drivers.

    One frame of the clip per scene frame, from the action's first (its manual frame range where it has one).
    Bones without curves are at rest. Raises RigError for actions that do not move the armature's bones, that move
    the object itself, or that scale bones.
    """
    slot = curves.choose_slot(action, armature)
    every = curves.of(action, slot)
    channels = {c: by_index for c, by_index in curves.bone_channels(every).items() if c.bone in body.skeleton.names}
    if not channels:
        raise RigError(f"Action {action.name!r} moves no bone of {armature.name}")
    _refuse_object_motion(action, armature, every)
    first, last = action.frame_range
    count = int(np.floor(last - first + 1e-4)) + 1
    frames = first + np.arange(count)
    sampled = {c: _values(c, by_index, frames) for c, by_index in channels.items()}
    skeleton = body.skeleton
    rotations = np.tile(quat.IDENTITY, (count, len(skeleton), 1))
    translations = np.zeros((count, len(skeleton), 3))
    for joint, bone in enumerate(skeleton.names):
        turning = sampled.get(Channel(bone, rotation_property(body.modes[joint])))
        if turning is not None:
            rotations[:, joint] = to_quaternion(turning, body.modes[joint])
        moving = sampled.get(Channel(bone, "location"))
        if moving is not None and body.movable[joint]:
            translations[:, joint] = body.metres * moving
        scaling = sampled.get(Channel(bone, "scale"))
        if scaling is not None and np.abs(scaling - 1.0).max() > 1e-4:
            raise RigError(f"Action {action.name!r} scales bone {bone!r}, which is not supported yet")
    return Source(Clip(action.name, skeleton, rate, rotations, translations), float(first), frozenset(channels))


def _refuse_object_motion(action: Any, armature: Any, every: list[Any]) -> None:
    for curve in every:
        if curve.data_path in curves.CHANNELS and not curve.mute:
            raise RigError(
                f"Action {action.name!r} moves the object {armature.name} itself ({curve.data_path}), "
                "which is not supported yet: bake the motion onto a root bone"
            )


def _values(channel: Channel, by_index: dict[int, Any], frames: Array) -> Array:
    out = np.tile(_DEFAULTS[channel.property], (len(frames), 1))
    for index, curve in by_index.items():
        out[:, index] = curves.sample(curve, frames)
    return out


def write(armature: Any, clip: Clip, body: rig.Rig, *, first_frame: float, channels: frozenset[Channel]) -> Any:
    """Return a new action with a key on every frame, in each bone's own rotation mode; assigned to nobody.

    A bone gets rotation and location curves where one of the sources had them (`channels`) or where the clip
    moves it all the same. Euler angles and quaternions are continuous.
    """
    action, _, holder = curves.new_action(clip.name, armature)
    frames = (first_frame + np.arange(len(clip))).astype(np.float32)
    for joint, bone in enumerate(clip.skeleton.names):
        mode = body.modes[joint]
        turn = Channel(bone, rotation_property(mode))
        rotations = clip.rotations[:, joint]
        if turn in channels or np.abs(quat.log(rotations)).max() > 1e-6:
            curves.write(holder, turn, frames, from_quaternion(rotations, mode))
        move = Channel(bone, "location")
        locations = clip.translations[:, joint] / body.metres
        if body.movable[joint] and (move in channels or np.abs(clip.translations[:, joint]).max() > 1e-6):
            curves.write(holder, move, frames, locations)
    return action


def rotation_property(mode: str) -> str:
    return {_QUATERNION: "rotation_quaternion", _AXIS_ANGLE: "rotation_axis_angle"}.get(mode, "rotation_euler")


def to_quaternion(values: Array, mode: str) -> Array:
    """Return rotations (F, 4) of a bone's channel values (F, 3 or 4) in its rotation mode."""
    if mode == _QUATERNION:
        return quat.normalize(values)
    if mode == _AXIS_ANGLE:
        axis = values[:, 1:]
        length = np.linalg.norm(axis, axis=1, keepdims=True)
        return quat.exp(values[:, :1] * np.where(length > 0.0, axis / np.where(length > 0.0, length, 1.0), 0.0))
    axes, columns = _euler(mode)
    return quat.from_euler(values[:, columns], axes)


def from_quaternion(rotations: Array, mode: str) -> Array:
    """Return channel values of rotations (F, 4) in a rotation mode, without jumps from frame to frame."""
    if mode == _QUATERNION:
        return quat.continuous(rotations)
    if mode == _AXIS_ANGLE:
        vectors = quat.log(rotations)
        angle = np.linalg.norm(vectors, axis=1, keepdims=True)
        axis = np.where(angle > 1e-9, vectors / np.where(angle > 1e-9, angle, 1.0), (0.0, 1.0, 0.0))
        return np.concatenate([angle, axis], axis=1)
    axes, columns = _euler(mode)
    values = np.empty((len(rotations), 3))
    values[:, columns] = quat.to_euler(rotations, axes)
    return values


def _euler(mode: str) -> tuple[str, list[int]]:
    """Return the axes of the matrix product, left to right, and the channel of each.

    Blender's mode XYZ turns about X first, so its product is Z·Y·X; channels are x, y, z in every mode.
    """
    axes = mode[::-1]
    return axes, ["XYZ".index(axis) for axis in axes]
