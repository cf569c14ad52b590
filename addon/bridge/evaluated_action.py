"""Visual actions: the poses that Blender evaluates, with constraints, drivers and inverse kinematics.

A copy of the armature plays the action on a stage of its own: a bone that the action does not key is at rest, whatever
was played before.
"""

from collections.abc import Sequence

import bpy
import numpy as np

from ...core.errors import some
from ...core.motion import kinematics, quat
from ...core.motion.clip import Clip
from ...core.motion.quat import Array
from ..ground.blender_types import Slot, SlottedAction, present
from . import clip as clips
from . import curves
from .clip import ReadAction
from .curves import Target
from .rig import Rig
from .stage import on_stage

# Constraints that leave a pose alone which they have made: keys of what is seen show as they are.
_TRIM = {"FLOOR", "LIMIT_DISTANCE", "LIMIT_LOCATION", "LIMIT_ROTATION", "LIMIT_SCALE", "MAINTAIN_VOLUME"}


def read(
    scene: bpy.types.Scene,
    armature: bpy.types.Object,
    action: bpy.types.Action,
    body: Rig,
    rate: float,
    slot: Slot = None,
    span: tuple[float, float] | None = None,
    carried: frozenset[Target] = frozenset(),
) -> ReadAction:
    """Return an action as Blender shows it on an armature, one frame of the clip per scene frame.

    Bones that constraints or drivers pose are `hidden`: what is seen of them is not what their keys say. Their keys
    may be `carried` along, as `clip.read` does with further curves. A parent's movement is no part of the clip, since
    a result plays under the same parent. Raises RigError for actions that move nothing of the armature.
    """
    slot = curves.choose_slot(action, armature) if slot is None else slot
    keyed = clips.read(armature, action, body, rate, slot, span, carried)
    frames = keyed.frames
    linear, places = seen_in_the_world(scene, armature, (action, slot), body, body.bones, frames)
    rotations, translations, scales = kinematics.local(body.skeleton, linear, places)
    scaled = scales if np.abs(scales - 1.0).max() > 1e-5 else None
    channels, cyclic = keyed.clip.channels, keyed.clip.cyclic
    turning = quat.continuous(rotations)
    visual = Clip(action.name, body.skeleton, rate, turning, translations, scaled, channels, cyclic)
    hidden = posed_by_others(armature)
    notes = [*keyed.notes, *([_note(armature, hidden)] if hidden else [])]
    return ReadAction(visual, frames, keyed.targets, tuple(notes), keyed.start, hidden)


def seen_in_the_world(
    scene: bpy.types.Scene,
    armature: bpy.types.Object,
    played: SlottedAction,
    body: Rig,
    names: Sequence[str],
    frames: Array,
    ways: Array | None = None,
) -> tuple[Array, Array]:
    """Return linear parts (F, J, 3, 3) and places (F, J, 3) in metres of bones, while an armature plays an action.

    names : of the bones that are looked at, one for each of the body's; ways (B, 4, 4) : from there to the body's. The
        object is joint 0 where the body says that it moves.
    """
    action, slot = played
    bones = present(armature.pose).bones
    order = [bones.find(name) for name in names]
    poses = np.empty((len(frames), len(bones), 4, 4))
    objects = np.tile(body.space, (len(frames), 1, 1))
    buffer = np.empty(16 * len(bones), dtype=np.float32)
    with on_stage(scene, armature, action, slot, body) as (stage, copies):
        copy = copies[armature]
        for k, frame in enumerate(frames):
            stage.frame_set(int(np.floor(frame)), subframe=float(frame % 1.0))
            seen = copy.evaluated_get(present(stage.view_layers[0].depsgraph))
            present(seen.pose).bones.foreach_get("matrix", buffer)
            poses[k] = buffer.reshape(-1, 4, 4).transpose(0, 2, 1)  # Blender's matrices are column by column
            if body.moving_object:
                objects[k] = body.space @ np.array(seen.matrix_basis)
    seen_bones = poses[:, order]
    return _in_the_world(seen_bones if ways is None else seen_bones @ ways, objects, body)


def _note(armature: bpy.types.Object, hidden: frozenset[str]) -> str:
    return (
        f"Constraints or drivers of {armature.name} pose {some(sorted(hidden))}: results key them as their sources do"
    )


# --- what can't be keyed as it is seen ------------------------------------------------------------------------------


def posed_by_others(armature: bpy.types.Object) -> frozenset[str]:
    """Return the bones that constraints or drivers pose, so that keys of what is seen would show as something else."""
    names: set[str] = set()
    for bone in present(armature.pose).bones:
        for constraint in bone.constraints:
            if constraint.enabled and not (constraint.type in _TRIM and constraint.influence == 1.0):
                names.update(b.name for b in _chain(bone, constraint))
    data = armature.animation_data
    driven = [curves.target_of(driver) for driver in data.drivers] if data is not None else []
    return frozenset(names | {target.bone for target in driven if target is not None and target.bone})


def carried(armature: bpy.types.Object, sources: Sequence[SlottedAction]) -> frozenset[Target]:
    """Return what any of some actions keys on bones that others pose: where inverse kinematics begins, for one."""
    hidden = posed_by_others(armature)
    keyed = {target for source in sources for target in curves.transforms(curves.curves_of(*source))}
    return frozenset(target for target in keyed if target.bone in hidden)


def _chain(bone: bpy.types.PoseBone, constraint: bpy.types.Constraint) -> list[bpy.types.PoseBone]:
    """Return the bones that a constraint poses: its own, and for inverse kinematics those above it."""
    count = getattr(constraint, "chain_count", 1)
    above = [bone, *bone.parent_recursive]
    if not getattr(constraint, "use_tail", True):
        above = above[1:]
    return above if count == 0 else above[:count]


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
