"""Clips of other armatures and of files on an armature's body: what is keyed of it then, and what is said."""

from dataclasses import dataclass, replace

import bpy
import numpy as np

from ...core.bodies import carried, carry, partners
from ...core.bodies.partners import Partners
from ...core.errors import LoomError, SkeletonError
from ...core.motion import quat, retarget, rotation_modes
from ...core.motion.clip import Channel, Clip
from ...core.motion.skeleton import Skeleton
from ...core.weave import root_trajectory
from ..ground.blender_types import Slot, present
from . import clip as clips
from . import curves, mesh, rig
from .curves import Target

_REST_ALIKE = 1e-5  # of quaternions


@dataclass(frozen=True, eq=False)
class Brought:
    """A clip on another body, what has keys then, and what the user has to know of it.

    said : how it came there, in a sentence; notes : what else there is to know, a sentence each
    """

    clip: Clip
    targets: frozenset[Target]
    retargeted: str
    notes: tuple[str, ...] = ()


def bring(clip: Clip, body: rig.Rig, whose: str, onto: str) -> Brought:
    """Return a clip on the body of an armature, for each part of it what the same part does.

    Bodies of the same joints that rest alike keep joint for joint. whose, onto : the clip's armature ("" for a file's)
    and this one, in messages. Raises LoomError naming the role that is missing, and the bone to choose.

    Method: Body roles and retargeting.
    """
    try:
        return _brought(clip, body, whose, onto)
    except SkeletonError as error:
        raise LoomError(f"{clip.name}{whose and f' of {whose}'} can't be carried onto {onto}: {error}") from None


def _brought(clip: Clip, body: rig.Rig, whose: str, onto: str) -> Brought:
    if _joint_for_joint(clip.skeleton, body.skeleton):
        made = _with_way(retarget.onto(clip, body.skeleton), retarget.leg_ratio(clip.skeleton, body.skeleton))
        keyed = set(retarget.moving(made))
        joints = [k for k, name in enumerate(body.skeleton.names) if name in keyed]
        targets = _turning(body, joints) | _placed(body, [k for k in joints if made.translations[:, k].any()])
        return Brought(made, targets, f"Carried from {whose}: the same joints")
    carried.refuse(clip.skeleton, clip.name)
    carried.refuse(body.skeleton, onto)
    made, how = carry.onto_body(clip, body.skeleton)
    left = sorted(set(clip.channels) - set(root_trajectory.CHANNELS))
    notes = [f"{clip.name}: its {len(left)} other curves are its own armature's and left out"] if left else []
    retargeted = f"Carried from {whose or 'its own body'}: {how.sentence}"
    return Brought(_with_way(made, how.scale), keyed_by(how.pairs, body), retargeted, (*how.warnings, *notes))


def keyed_by(pairs: Partners, body: rig.Rig) -> frozenset[Target]:
    """Return what a carried clip has keys for: turns of the joints that have a partner, and the carrier's place."""
    return _turning(body, [k for k, how in enumerate(pairs.how) if how != partners.REST]) | _placed(
        body, [pairs.carrier]
    )


def played_on(armature: bpy.types.Object) -> frozenset[Target]:
    """Return what the actions that an armature plays have keys for: its own, and those of its NLA strips.

    What a new action has no keys for keeps their pose. Game characters have keys for all of every bone.
    """
    data = armature.animation_data
    if data is None:
        return frozenset()
    played = {strip.action for track in data.nla_tracks for strip in track.strips} | {data.action}
    bones = present(armature.pose).bones
    found: set[Target] = set()
    for action in filter(None, played):
        slots: list[Slot] = [*curves.suitable_slots(action)] if hasattr(action, "slots") else [None]
        for target in curves.transforms(curve for slot in slots for curve in curves.curves_of(action, slot)):
            bone = bones.get(target.bone)
            turns = rotation_modes.property_of(bone.rotation_mode) if bone is not None else ""
            if target.property in ("location", "scale", turns) and bone is not None:
                found.add(target)
    return frozenset(found)


def pairs_of(skeleton: Skeleton, body: Skeleton, names: tuple[str, str]) -> Partners:
    """Return what stands for what in two bodies; raises LoomError, with their names, for what no clip is carried on."""
    for one, name in zip((skeleton, body), names, strict=True):
        carried.refuse(one, name)
    return partners.match(skeleton, body)


def still(body: rig.Rig, name: str, rate: float) -> Clip:
    """Return a clip of one frame of an armature at rest: whose body is meant, where nothing of its motion is."""
    count = len(body.skeleton)
    return Clip(name, body.skeleton, rate, np.tile(quat.IDENTITY, (1, count, 1)), np.zeros((1, count, 3)))


def without_others(clip: Clip) -> Clip:
    """Return a clip without the curves that are its own armature's, but for the way that was taken off it."""
    return replace(
        clip, channels={name: one for name, one in clip.channels.items() if name in root_trajectory.CHANNELS}
    )


def wears_mesh(armature: bpy.types.Object, scene: bpy.types.Scene) -> bool:
    """Say whether an armature moves a mesh of a scene: then it is a character, and not what a file came on."""
    drawn = list(scene.objects)
    return bool(mesh.skinned(armature, drawn) or mesh.on_bones(armature, drawn))


def _joint_for_joint(one: Skeleton, other: Skeleton) -> bool:
    """Say whether two bodies have the same joints, and rest alike or are such that no part is known to be the same."""
    if set(one.names) != set(other.names) or one.inheritance is not None or other.inheritance is not None:
        return retarget.same(one, other)
    if not all(map(carried.is_a_persons, (one, other))):
        return True
    order = [one.index(name) for name in other.names]
    apart = 1.0 - np.abs(np.sum(one.orients[order] * other.orients, axis=1))
    return bool((apart < _REST_ALIKE).all())


def _with_way(clip: Clip, scale: float) -> Clip:
    """A clip without its armature's own curves; the way that was taken off it is as much longer as its legs."""
    way = {name: clip.channels[name] for name in root_trajectory.CHANNELS if name in clip.channels}
    for name in root_trajectory.CHANNELS[:2]:
        if name in way:
            way[name] = Channel(scale * way[name].values)
    return replace(clip, channels=way)


def _turning(body: rig.Rig, joints: list[int]) -> frozenset[Target]:
    names = clips.targets_of(body)
    return frozenset(Target(names[k], rotation_modes.property_of(body.modes[k])) for k in joints)


def _placed(body: rig.Rig, joints: list[int]) -> frozenset[Target]:
    names = clips.targets_of(body)
    return frozenset(Target(names[k], "location") for k in joints)
