"""Transfer clips of other armatures and of files to an armature's body, with their targets and messages."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import bpy
import numpy as np

from ...core.bodies import attachments, carried, carry, partners, rest_check
from ...core.bodies.attachments import Attachments
from ...core.bodies.carried import Carried
from ...core.bodies.partners import Partners
from ...core.contacts import keep
from ...core.errors import LoomError, SkeletonError, one_line
from ...core.motion import leg_count, quat, retarget, rotation_modes
from ...core.motion.clip import Channel, Clip
from ...core.motion.skeleton import Skeleton
from ...core.weave import root_trajectory
from ..ground.blender_types import present
from . import clip as clips
from . import mesh, own_actions, rig
from .curves import Target

_REST_ALIKE = 1e-5  # 1 − |q·r| of rest rotations that count as the same


@dataclass(frozen=True, eq=False)
class Brought:
    """A clip transferred to another body, with the targets to key and messages.

    retargeted : a sentence about the method; notes : warnings, a sentence each
    carried : the transfer by body roles; None if it was joint for joint
    attached : which bones of the body are attached to which
    """

    clip: Clip
    targets: frozenset[Target]
    retargeted: str
    notes: tuple[str, ...] = ()
    carried: Carried | None = None
    attached: Attachments = field(default_factory=Attachments)


def bring(clip: Clip, body: rig.Rig, own: Clip, whose: str, onto: str) -> Brought:
    """Transfer a clip to the body of an armature: each body part repeats the movement of its counterpart.

    own : poses of the body in its own actions (see `own_poses.read`), which show its attachments

    Bodies with the same joints and rest pose are copied joint for joint. `whose` and `onto` name the clip's armature
    ("" for a file) and this one in messages. Raises LoomError naming the missing role and the bone to choose.

    Method: Body roles and retargeting.
    """
    try:
        return _bring_clip(clip, body, own, whose, onto)
    except SkeletonError as error:
        raise LoomError(f"{clip.name}{whose and f' of {whose}'} can't be carried onto {onto}: {error}") from None


def _bring_clip(clip: Clip, body: rig.Rig, own: Clip, whose: str, onto: str) -> Brought:
    if _joint_for_joint(clip.skeleton, body.skeleton):
        carried_over = _scale_clip(retarget.onto(clip, body.skeleton), retarget.leg_ratio(clip.skeleton, body.skeleton))
        keyed = set(retarget.moving(carried_over))
        joints = [k for k, name in enumerate(body.skeleton.names) if name in keyed]
        targets = _turning(body, joints) | _list_placed_targets(
            body, [k for k in joints if carried_over.translations[:, k].any()]
        )
        return Brought(carried_over, targets, f"Carried from {whose}: the same joints")
    carried.refuse(clip.skeleton, clip.name)
    attached = attachments.find([own], rest_counts=True)
    (hung,) = attached.hang([own])
    carried.refuse(leg_count.of_body(hung), onto)
    posed = _with_posed_offsets(hung.skeleton, body)
    rest = rest_check.of_own_poses(replace(hung, skeleton=posed))
    standing = rest_check.stand_up(clip)
    carried_over, how = carry.onto_body(standing, posed, body_rest=rest)
    carried_over, lost = keep.keep_carried(standing, carried_over)
    how = replace(how, lost_hands=tuple(lost))
    carried_over = attached.restore(replace(carried_over, skeleton=hung.skeleton), [])
    left = sorted(set(clip.channels) - set(root_trajectory.CHANNELS))
    notes = [f"{clip.name}: its {len(left)} other curves are its own armature's and left out"] if left else []
    retargeted = one_line(f"Carried from {whose or 'its own body'}: {how.sentence}")
    targets = keyed_by(how.pairs, how.body, body)
    return Brought(
        clips.pose_unkeyed(_scale_clip(carried_over, how.scale), body, targets),
        targets,
        retargeted,
        (*how.warnings, *notes),
        how,
        attached,
    )


def bring_posed(pose: Callable[[Skeleton], Clip], body: rig.Rig, own: Clip, onto: str) -> Brought:
    """Transfer motion without a body, such as points, to the body of an armature.

    pose : returns the motion as a clip of a skeleton with body roles; own, onto : as for `bring`. Raises LoomError
    naming the missing role and the bone to choose.
    """
    attached = attachments.find([own], rest_counts=True)
    (hung,) = attached.hang([own])
    carried.refuse(leg_count.of_body(hung), onto)
    clip = pose(_with_posed_offsets(hung.skeleton, body))
    clip = attached.restore(replace(clip, skeleton=hung.skeleton), [])
    turned = set(retarget.moving(clip))
    joints = [joint for joint, name in enumerate(body.skeleton.names) if name in turned]
    targets = _turning(body, joints) | _list_placed_targets(body, [body.skeleton.roles["hips"]])
    return Brought(clips.pose_unkeyed(clip, body, targets), targets, "", attached=attached)


def _with_posed_offsets(skeleton: Skeleton, body: rig.Rig) -> Skeleton:
    """Return a skeleton with the joints of limbs where the pose has them, so that limbs point as on the other body.

    The clip keys the location of the hips alone, and so other bones keep the location of the pose.
    """
    offsets, hips = skeleton.offsets.copy(), skeleton.roles.get("hips")
    joints = {name: joint for joint, name in enumerate(skeleton.names) if skeleton.below_hips[joint] and joint != hips}
    for target, row in body.posed.items():
        joint = joints.get(target.bone)
        if target.property == "location" and joint is not None:
            unit = body.units[body.skeleton.index(target.bone)]
            offsets[joint] += quat.rotate(skeleton.orients[joint], unit * np.array(row))
    return skeleton if np.array_equal(offsets, skeleton.offsets) else replace(skeleton, offsets=offsets)


def keyed_by(pairs: Partners, skeleton: Skeleton, body: rig.Rig) -> frozenset[Target]:
    """Return the targets of a transferred clip: rotations of joints with a partner, and the location of the carrier.

    skeleton : the skeleton of the pairs, with the joints of the body, possibly in another order
    """
    paired = [body.skeleton.index(skeleton.names[k]) for k, how in enumerate(pairs.how) if how != partners.REST]
    return _turning(body, paired) | _list_placed_targets(body, [body.skeleton.index(skeleton.names[pairs.carrier])])


def find_keyed(armature: bpy.types.Object) -> frozenset[Target]:
    """Return the properties of bones that the armature's own actions key.

    A new action keys them, too. Otherwise it would be shown with the pose of the action that played before it.
    """
    bones = present(armature.pose).bones

    def is_shown(target: Target) -> bool:
        bone = bones.get(target.bone)
        shown = () if bone is None else ("location", "scale", rotation_modes.property_of(bone.rotation_mode))
        return target.property in shown

    return frozenset(filter(is_shown, own_actions.keyed_components(own_actions.of(armature))))


def pairs_of(skeleton: Skeleton, own: Clip, names: tuple[str, str]) -> Partners:
    """Match the joints of a clip's body and of another in its own poses; both stay in their order.

    Raises LoomError, with their names, for a body that can't carry clips.
    """
    (hung,) = attachments.find([own], rest_counts=True).hang([own])
    for one, name in zip((skeleton, leg_count.of_body(hung)), names, strict=True):
        carried.refuse(one, name)
    return partners.match(skeleton, own.skeleton)


def still(body: rig.Rig, name: str, rate: float) -> Clip:
    """Return a clip of one frame of an armature at rest, for use where only the body matters."""
    count = len(body.skeleton)
    return Clip(name, body.skeleton, rate, np.tile(quat.IDENTITY, (1, count, 1)), np.zeros((1, count, 3)))


def without_others(clip: Clip) -> Clip:
    """Return a clip without its own armature's channels, except the stored root trajectory."""
    return replace(
        clip, channels={name: one for name, one in clip.channels.items() if name in root_trajectory.CHANNELS}
    )


def wears_mesh(armature: bpy.types.Object, scene: bpy.types.Scene) -> bool:
    """Return whether an armature deforms a mesh of a scene; it is then a character, not an imported file's skeleton."""
    drawn = list(scene.objects)
    return bool(mesh.skinned_objects(armature, drawn) or mesh.on_bones(armature, drawn))


def _joint_for_joint(one: Skeleton, other: Skeleton) -> bool:
    """Return whether two bodies have the same joints, and (if both are people) the same rest pose and ankle height."""
    if set(one.names) != set(other.names) or one.inheritance is not None or other.inheritance is not None:
        return retarget.same(one, other)
    if not all(map(carried.is_a_persons, (one, other))):
        return True
    order = [one.index(name) for name in other.names]
    apart = 1.0 - np.abs(np.sum(one.orients[order] * other.orients, axis=1))
    return bool((apart < _REST_ALIKE).all()) and carry.rest_as_high(one, other)


def _scale_clip(clip: Clip, scale: float) -> Clip:
    """Return a clip without its armature's own channels; its stored root trajectory is scaled like its legs."""
    trajectory = {name: clip.channels[name] for name in root_trajectory.CHANNELS if name in clip.channels}
    for name in root_trajectory.CHANNELS[:2]:
        if name in trajectory:
            trajectory[name] = Channel(scale * trajectory[name].values)
    return replace(clip, channels=trajectory)


def _turning(body: rig.Rig, joints: list[int]) -> frozenset[Target]:
    names = clips.targets_of(body)
    return frozenset(Target(names[k], rotation_modes.property_of(body.modes[k])) for k in joints)


def _list_placed_targets(body: rig.Rig, joints: list[int]) -> frozenset[Target]:
    names = clips.targets_of(body)
    return frozenset(Target(names[k], "location") for k in joints)
