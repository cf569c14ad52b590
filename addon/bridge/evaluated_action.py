"""Visual actions: the poses that Blender evaluates, with constraints, drivers and inverse kinematics."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import bpy
import numpy as np

from ...core.motion import kinematics, quat
from ...core.motion.clip import Clip
from ...core.motion.quat import Array
from ..blender_types import Slot, present
from . import clip as clips
from . import curves
from .clip import ReadAction
from .rig import Rig

# Constraints after which a bone's own keys are gone; limits and the like only trim them.
_LAST_WORD = {
    "ARMATURE",
    "COPY_ROTATION",
    "COPY_TRANSFORMS",
    "DAMPED_TRACK",
    "IK",
    "LOCKED_TRACK",
    "SPLINE_IK",
    "STRETCH_TO",
    "TRACK_TO",
}


def read(
    scene: bpy.types.Scene,
    armature: bpy.types.Object,
    action: bpy.types.Action,
    body: Rig,
    rate: float,
    slot: Slot = None,
    span: tuple[float, float] | None = None,
) -> ReadAction:
    """Return an action as Blender shows it on an armature, one frame of the clip per scene frame.

    The scene is played through once and left as it was: frame, action, slot, NLA. Further curves are carried along
    as `clip.read` does. Raises RigError for actions that move nothing of the armature.
    """
    slot = curves.choose_slot(action, armature) if slot is None else slot
    keyed = clips.read(armature, action, body, rate, slot, span)
    frames = keyed.first_frame + np.arange(len(keyed.clip))
    bones = present(armature.pose).bones
    order = [bones.find(name) for name in body.bones]
    poses = np.empty((len(frames), len(bones), 4, 4))
    objects = np.empty((len(frames), 4, 4))
    buffer = np.empty(16 * len(bones), dtype=np.float32)
    with _playing(scene, armature, action, slot):
        for k, frame in enumerate(frames):
            scene.frame_set(int(np.floor(frame)), subframe=float(frame % 1.0))
            present(armature.pose).bones.foreach_get("matrix", buffer)
            poses[k] = buffer.reshape(-1, 4, 4).transpose(0, 2, 1)  # Blender's matrices are column by column
            objects[k] = np.array(armature.matrix_world)
    linear, places = _in_the_world(poses[:, order], objects, body)
    rotations, translations, scales = kinematics.local(body.skeleton, linear, places)
    scaled = scales if np.abs(scales - 1.0).max() > 1e-5 else None
    channels, cyclic = keyed.clip.channels, keyed.clip.cyclic
    turning = quat.continuous(rotations)
    visual = Clip(action.name, body.skeleton, rate, turning, translations, scaled, channels, cyclic)
    hidden = overridden(armature)
    notes = [*keyed.notes, *([_note(armature, hidden)] if hidden else [])]
    return ReadAction(visual, keyed.first_frame, keyed.targets, tuple(notes), keyed.start, hidden)


def _note(armature: bpy.types.Object, hidden: frozenset[str]) -> str:
    names = sorted(hidden)
    shown = ", ".join(repr(n) for n in names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
    return f"Constraints or drivers of {armature.name} have the last word on {shown}: they are left out of the result"


@contextmanager
def _playing(
    scene: bpy.types.Scene, armature: bpy.types.Object, action: bpy.types.Action, slot: Slot
) -> Iterator[None]:
    """Give the armature an action, alone, and put everything back afterwards."""
    data = present(armature.animation_data or armature.animation_data_create())
    before = data.action, getattr(data, "action_slot", None), data.use_nla
    frame, subframe = scene.frame_current, scene.frame_subframe
    try:
        data.use_nla = False
        data.action = action
        if slot is not None:
            data.action_slot = slot
        yield
    finally:
        data.action = before[0]
        if before[0] is not None and before[1] is not None:
            data.action_slot = before[1]
        data.use_nla = before[2]
        scene.frame_set(frame, subframe=subframe)


def _in_the_world(poses: Array, objects: Array, body: Rig) -> tuple[Array, Array]:
    """Return linear parts (F, J, 3, 3), free of the object's scale, and places (F, J, 3) in metres."""
    scale = np.linalg.norm(objects[:, :3, :3], axis=1).mean(axis=1)
    axes = objects[:, :3, :3] / scale[:, None, None]
    linear = axes[:, None] @ poses[:, :, :3, :3]
    places = np.einsum("fij,fbj->fbi", objects[:, :3, :3], poses[:, :, :3, 3]) + objects[:, None, :3, 3]
    if body.moving_object:
        linear = np.concatenate([axes[:, None], linear], axis=1)
        places = np.concatenate([objects[:, None, :3, 3], places], axis=1)
    return linear, body.world_metres * places


def overridden(armature: bpy.types.Object) -> frozenset[str]:
    """Return the bones on which keys can't show, since a constraint or a driver has the last word."""
    names: set[str] = set()
    for bone in present(armature.pose).bones:
        for constraint in bone.constraints:
            if constraint.enabled and constraint.influence == 1.0 and constraint.type in _LAST_WORD:
                names.update(b.name for b in _chain(bone, constraint))
    data = armature.animation_data
    drivers: Iterable[bpy.types.FCurve] = data.drivers if data else ()
    targets = [curves.target_of(driver) for driver in drivers]
    return frozenset(names | {target.bone for target in targets if target is not None and target.bone})


def _chain(bone: bpy.types.PoseBone, constraint: bpy.types.Constraint) -> list[bpy.types.PoseBone]:
    """Return the bones that a constraint poses: its own, and for inverse kinematics those above it."""
    count = getattr(constraint, "chain_count", 1)
    above = [bone, *bone.parent_recursive]
    return above if count == 0 else above[:count]
