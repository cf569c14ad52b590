"""Read actions visually: as the poses that Blender evaluates, with constraints, drivers and inverse kinematics.

A copy of the armature plays the action in a scene of its own, so bones that the action does not key are at rest.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import bpy
import numpy as np

from ...core.errors import some
from ...core.motion import kinematics, quat
from ...core.motion.clip import Clip
from ...core.motion.quat import Array
from ..ground import memory, steps
from ..ground.blender_types import Slot, SlottedAction, present
from . import clip as clips
from . import curves, fingerprint, stage_state
from .clip import ReadAction
from .curves import Target
from .rig import Rig
from .stage import bone_matrices, each_frame, on_stage

SOME = 100  # frames read in one step
_SEEN = memory.cache(64, large=True)  # matrices of evaluated bones

# Constraints that do not change a pose that already meets them, so that keys of the visual pose show unchanged.
_TRIM = {"FLOOR", "LIMIT_DISTANCE", "LIMIT_LOCATION", "LIMIT_ROTATION", "LIMIT_SCALE", "MAINTAIN_VOLUME"}


def read_in_steps(
    scene: bpy.types.Scene,
    armature: bpy.types.Object,
    action: bpy.types.Action,
    body: Rig,
    rate: float,
    slot: Slot = None,
    span: tuple[float, float] | None = None,
    carried: frozenset[Target] = frozenset(),
) -> steps.Steps[ReadAction]:
    """Read an action as Blender shows it on an armature, one frame of the clip per scene frame.

    Bones posed by constraints or drivers are `hidden`, because their evaluated pose differs from their keys. Their keys
    can become channels through `carried_targets`, as in `clip.read`. The movement of the armature's parent is not part
    of the clip, since a result plays under the same parent. Raises RigError for an action that moves nothing of the
    armature.
    """
    slot = curves.choose_slot(action, armature) if slot is None else slot
    keyed = clips.read(armature, action, body, rate, slot, span, carried)
    frames = keyed.frames
    linear, places = yield from seen_before_in_steps(scene, armature, (action, slot), body, body.bones, frames)
    rotations, translations, scales = kinematics.local(body.skeleton, linear, places)
    scaled = scales if np.abs(scales - 1.0).max() > 1e-5 else None
    channels, cyclic = keyed.clip.channels, keyed.clip.cyclic
    turning = quat.continuous(rotations)
    visual = Clip(action.name, body.skeleton, rate, turning, translations, scaled, channels, cyclic)
    hidden = posed_by_others(armature)
    notes = [*keyed.notes, *([_note(armature, hidden)] if hidden else [])]
    return ReadAction(visual, frames, keyed.targets, tuple(notes), keyed.start, hidden)


read = steps.at_once(read_in_steps)


def seen_in_steps(
    scene: bpy.types.Scene,
    armature: bpy.types.Object,
    played: SlottedAction,
    body: Rig,
    names: Sequence[str],
    frames: Array,
    to_body: Array | None = None,
    *,
    layers: bool = False,
    as_posed: bool = False,
    carried: bool = False,
    settings: Mapping[str, float] | None = None,
) -> steps.Steps[tuple[Array, Array]]:
    """Return world matrices' linear parts (F, J, 3, 3) and places (F, J, 3) in metres while an action plays.

    names : the bones to read, one for each bone of the body; the object is joint 0 if the body has `moving_object`
    to_body (B, 4, 4) : matrices from those bones to the body's
    layers : whether the layers of the armature's NLA play, too, and the action's own blending
    as_posed : whether bones without keys have the current pose, as in the scene, and not that of the body
    carried : whether parents and constraints place the object in each frame, instead of the body's space
    settings : temporary values of the armature's properties, by path
    Nothing of this remains in Blender between steps.
    """
    parts = []
    for first in range(0, len(frames), SOME):
        yield first / len(frames), f"Reading frame {first:,} of {len(frames):,}"
        # If an armature depends on itself, a frame depends on the previous one; the first frame is evaluated twice.
        some = np.concatenate([frames[max(first - 1, 0)][None], frames[first : first + SOME]])
        how: dict[str, Any] = {"layers": layers, "as_posed": as_posed, "carried": carried, "settings": settings}
        poses, objects = _evaluate_matrices(scene, armature, played, body, some, **how)
        order = [present(armature.pose).bones.find(name) for name in names]
        seen_bones = poses[1:, order]
        turned = seen_bones if to_body is None else seen_bones @ to_body
        parts.append(in_the_world(turned, objects[1:], body))
    linear, places = (np.concatenate(each) for each in zip(*parts, strict=True))
    return linear, places


def as_seen(linear: Array, places: Array, body: Rig) -> tuple[Array, Array]:
    """Return rotations (F, J, 4) and translations (F, J, 3) of a body from its evaluated world matrices.

    Stretched limbs keep their rest length; their children keep their evaluated places.
    """
    straight = linear / np.linalg.norm(linear, axis=-2, keepdims=True)
    rotations, translations, _ = kinematics.local(body.skeleton, quat.to_matrix(quat.from_matrix(straight)), places)
    return rotations, translations


seen_in_the_world = steps.at_once(seen_in_steps)


def seen_before_in_steps(
    scene: bpy.types.Scene,
    armature: bpy.types.Object,
    played: SlottedAction,
    body: Rig,
    names: Sequence[str],
    frames: Array,
    to_body: Array | None = None,
    settings: Mapping[str, float] | None = None,
) -> steps.Steps[tuple[Array, Array]]:
    """Return the result of `seen_in_steps`, from the cache if nothing that decides the poses has changed."""

    def find_key() -> str | None:
        with on_stage(scene, armature, *played, body, settings=settings) as (_, copies):
            curves_played = curves.curves_of(*played)
            state = stage_state.find_state(copies[armature], curves_played) if len(copies) == 1 else None
        how = names, frames.tolist(), None if to_body is None else to_body.tolist()
        content = fingerprint.fingerprint(*played), fingerprint.of_body(body)
        return None if state is None else repr((armature.session_uid, state, *content, *how))

    key = find_key()
    if key in _SEEN:
        found: tuple[Array, Array] = _SEEN.made(key, tuple)
        return found
    found = yield from seen_in_steps(scene, armature, played, body, names, frames, to_body, settings=settings)
    # The artist may have changed the rig between two steps.
    return memory.keep(_SEEN, key, found) if key is not None and key == find_key() else found


def _evaluate_matrices(
    scene: bpy.types.Scene,
    armature: bpy.types.Object,
    played: SlottedAction,
    body: Rig,
    frames: Array,
    *,
    layers: bool,
    as_posed: bool,
    carried: bool,
    settings: Mapping[str, float] | None,
) -> tuple[Array, Array]:
    """Return the matrices of all bones (F, B, 4, 4), and of the object (F, 4, 4), while an action plays."""
    action, slot = played
    count = len(present(armature.pose).bones)
    poses = np.empty((len(frames), count, 4, 4))
    objects = np.tile(body.space, (len(frames), 1, 1))
    posed = None if as_posed else body
    with on_stage(scene, armature, action, slot, posed, layers=layers, settings=settings) as (stage, copies):
        copy = copies[armature]
        for k, now in enumerate(each_frame(stage, frames)):
            seen = copy.evaluated_get(now)
            poses[k] = bone_matrices(seen)
            if carried:
                objects[k] = np.array(seen.matrix_world)
            elif body.moving_object:
                objects[k] = body.space @ np.array(seen.matrix_basis)
    return poses, objects


def _note(armature: bpy.types.Object, hidden: frozenset[str]) -> str:
    posed = some(sorted(hidden))
    return f"Constraints or drivers of {armature.name} pose {posed}; results key these as the sources do"


# --- bones that can't be keyed visually ------------------------------------------------------------------------------


def posed_by_others(armature: bpy.types.Object) -> frozenset[str]:
    """Return the bones posed by constraints or drivers; keys of their visual pose would not reproduce this pose."""
    names: set[str] = set()
    for bone in present(armature.pose).bones:
        for constraint in bone.constraints:
            if constraint.enabled and not (constraint.type in _TRIM and constraint.influence == 1.0):
                names.update(b.name for b in _chain(bone, constraint))
    data = armature.animation_data
    driven = [curves.target_of(driver) for driver in data.drivers] if data is not None else []
    return frozenset(names | {target.bone for target in driven if target is not None and target.bone})


def constraints_posing(armature: bpy.types.Object, bone: str) -> list[str]:
    """Return the active constraints that pose a bone, in words."""
    return [
        f"{constraint.name} on {owner.name}" if owner.name != bone else f"its constraint {constraint.name}"
        for owner in present(armature.pose).bones
        for constraint in owner.constraints
        if constraint.enabled and constraint.influence > 0.0 and bone in {b.name for b in _chain(owner, constraint)}
    ]


def carried_targets(armature: bpy.types.Object, sources: Sequence[SlottedAction]) -> frozenset[Target]:
    """Return the targets that some actions key on bones posed by constraints, such as a start pose for IK."""
    hidden = posed_by_others(armature)
    keyed = {target for source in sources for target in curves.transforms(curves.curves_of(*source))}
    return frozenset(target for target in keyed if target.bone in hidden)


def _chain(bone: bpy.types.PoseBone, constraint: bpy.types.Constraint) -> list[bpy.types.PoseBone]:
    """Return the bones that a constraint poses: its owner, and for inverse kinematics the chain above."""
    count = getattr(constraint, "chain_count", 1)
    above = [bone, *bone.parent_recursive]
    if not getattr(constraint, "use_tail", True):
        above = above[1:]
    return above if count == 0 else above[:count]


def in_the_world(poses: Array, objects: Array, body: Rig) -> tuple[Array, Array]:
    """Return linear parts (F, J, 3, 3), free of the object's scale, and places (F, J, 3) in metres."""
    scale = np.linalg.norm(objects[:, :3, :3], axis=1).mean(axis=1)
    axes = objects[:, :3, :3] / scale[:, None, None]
    linear = axes[:, None] @ poses[:, :, :3, :3]
    places = np.einsum("fij,fbj->fbi", objects[:, :3, :3], poses[:, :, :3, 3]) + objects[:, None, :3, 3]
    if body.moving_object:
        linear = np.concatenate([axes[:, None], linear], axis=1)
        places = np.concatenate([objects[:, None, :3, 3], places], axis=1)
    return linear, body.world_metres * places
