"""Read actions to bake them: either the evaluated pose as bone keys, or bone keys as input for controls.

The baked bones are read with all other bones at rest, because nothing keys those. The baked action therefore plays
correctly on a skeleton without constraints.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import bpy
import numpy as np

from ...core.motion import kinematics, quat, root_motion, rotation_modes
from ...core.motion.clip import Channel, Clip
from ...core.motion.quat import Array
from ...core.motion.roles import ancestors
from ...core.motion.skeleton import Skeleton
from ..ground import steps
from ..ground.blender_types import Slot, SlottedAction, armature_data, present
from . import clip as clips
from . import curves, evaluated_action, rig
from .clip import ReadAction
from .curves import Target
from .rig import Rig

_SAME = 1e-5  # radians and metres: evaluated poses have single precision
_SCALED = 1e-4  # of 1; inverse kinematics shows scales that are 2e-5 off


@dataclass(frozen=True)
class Baked:
    """The bones that get keys when an action is baked.

    bones : names of the bones that get keys; deforming : the deforming bones among them
    covered : whether constraints or drivers pose some of these bones or their parents, so that the keys have no effect
    """

    bones: frozenset[str]
    deforming: frozenset[str]
    covered: bool

    def carrier(self, skeleton: Skeleton) -> int:
        """Return the joint for root motion: the topmost above the hips that deforms, or the topmost, or −1."""
        above = _above_hips(skeleton)
        return next((joint for joint in above if skeleton.names[joint] in self.deforming), next(iter(above), -1))


def onto_bones(armature: bpy.types.Object, *, everything: bool) -> Baked:
    """Choose the bones of an armature to key: all of them, or deforming bones with their connected parents."""
    bones = armature_data(armature).bones
    deforming = frozenset(bone.name for bone in bones if bone.use_deform)
    baked = set(bones.keys()) if everything else set(deforming)
    for bone in bones:
        while bone.name in baked and bone.use_connect and bone.parent is not None:
            bone = bone.parent
            baked.add(bone.name)
    above = {name for one in baked for name in (one, *(b.name for b in bones[one].parent_recursive))}
    covered = not above.isdisjoint(evaluated_action.posed_by_others(armature))
    return Baked(frozenset(baked), deforming, covered)


def is_baked(played: SlottedAction, bones: Iterable[str]) -> bool:
    """Return whether an action keys some bones, on every frame, and no others."""
    by_target = curves.transforms(curves.curves_of(*played))
    if not {target.bone for target in by_target} <= {"", *bones}:
        return False
    first, last = (round(frame) for frame in played[0].frame_range[:])
    every = [curve for each in by_target.values() for curve in each.values()]
    # Counted first: menus ask this whenever they are drawn.
    return all(len(curve.keyframe_points) > last - first for curve in every) and all(
        set(range(last - first + 1)) <= {*curves.key_times([curve], float(first)).frames} for curve in every
    )


def keys_deforming(armature: bpy.types.Object, played: SlottedAction) -> bool:
    """Return whether an action keys a bone that deforms."""
    bones = armature_data(armature).bones
    keyed = {target.bone for target in curves.transforms(curves.curves_of(*played))}
    return any(name in bones and bones[name].use_deform for name in keyed)


def read_shown_in_steps(
    scene: bpy.types.Scene,
    armature: bpy.types.Object,
    played: SlottedAction,
    body: Rig,
    known: Rig,
    baked: Baked,
    rate: float,
    span: tuple[float, float] | None,
) -> steps.Steps[ReadAction]:
    """Read the evaluated poses of an action on a body of all bones, of which only the baked ones move.

    known : the rig with its controls, if it has any. Channels other than bone transforms are kept. Raises RigError for
    an action that moves nothing of the armature.
    """
    action, slot = played
    keyed = clips.read(armature, action, body, rate, slot, span)
    staged = replace(body, controls=known.controls)
    seen = evaluated_action.seen_in_steps(scene, armature, played, staged, body.bones, keyed.frames)
    linear, places = yield from seen
    rotations, translations, scales = _alone(body, linear, places, baked)
    scales[:, np.abs(scales - 1.0).max(axis=(0, 2)) < _SCALED] = 1.0
    clip = Clip(
        action.name,
        body.skeleton,
        rate,
        quat.continuous(rotations),
        translations,
        scales if (scales != 1.0).any() else None,
        _of_no_bone(keyed.clip.channels),
        keyed.clip.cyclic,
    )
    targets = frozenset(_targets(body, baked.bones)) | {target for target in keyed.targets if not target.bone}
    start = {target: value for target, value in keyed.start.items() if target in targets}
    return ReadAction(clip, keyed.frames, targets, keyed.notes, start)


def read_keyed(
    armature: bpy.types.Object,
    action: bpy.types.Action,
    body: Rig,
    rate: float,
    slot: Slot,
    span: tuple[float, float] | None,
) -> ReadAction:
    """Read the bone keys of an action, without constraints, as a clip of a body with controls.

    Bones without keys follow their parent in the body. Raises RigError for an action that moves nothing of the
    armature.
    """
    every = rig.read(armature, moving_object=body.moving_object)
    keyed = clips.read(armature, action, every, rate, slot, span)
    linear, places = kinematics.matrices(keyed.clip)
    joints = [every.skeleton.names.index(name) for name in body.skeleton.names]
    rotations, translations = evaluated_action.as_seen(linear[:, joints], places[:, joints], body)
    rests = _resting(armature, body, {target.bone for target in keyed.targets})
    rotations[:, rests], translations[:, rests] = quat.IDENTITY, 0.0
    channels, cyclic = _of_no_bone(keyed.clip.channels), keyed.clip.cyclic
    turning = quat.continuous(rotations)
    clip = Clip(action.name, body.skeleton, rate, turning, translations, channels=channels, cyclic=cyclic)
    scaled = [f"Scales of {action.name} are left out"] if keyed.clip.scales is not None else []
    return ReadAction(clip, keyed.frames, frozenset(), (*keyed.notes, *scaled))


def alone(clip: Clip, body: Rig, baked: Baked) -> Clip:
    """Return a clip of all bones in which the baked ones keep their world transforms and all others are at rest."""
    rotations, translations, scales = _alone(body, *kinematics.matrices(clip), baked)
    kept = None if clip.scales is None else scales
    return replace(clip, rotations=quat.continuous(rotations), translations=translations, scales=kept)


def _alone(body: Rig, linear: Array, places: Array, baked: Baked) -> tuple[Array, Array, Array]:
    """Return local transforms (F, J, 3, 3), (F, J, 3) that keep baked bones in place, with all others at rest.

    The topmost bone above the hips keeps its motion, if it has some: it carries the body's travel.
    """
    names = body.skeleton.names
    top = next((joint for joint in _above_hips(body.skeleton) if joint >= int(body.moving_object)), -1)
    moving = {*range(int(body.moving_object)), *(k for k, name in enumerate(names) if name in baked.bones), top}
    rotations, translations, scales = kinematics.local(body.skeleton, linear, places, {*range(len(names))} - moving)
    if top >= 0 and names[top] not in baked.bones and _rests(rotations[:, top], translations[:, top]):
        rotations[:, top], translations[:, top], scales[:, top] = quat.IDENTITY, 0.0, 1.0
    return rotations, translations, scales


def _above_hips(skeleton: Skeleton) -> list[int]:
    """Return the joints above the hips, topmost first."""
    return ancestors(root_motion.travelling_joint(skeleton), skeleton.parents)[::-1]


def _rests(rotations: Array, translations: Array) -> bool:
    return bool(np.abs(quat.log(rotations)).max() < _SAME and np.abs(translations).max() < _SAME)


def _targets(body: Rig, bones: Iterable[str]) -> list[Target]:
    found, joints = [], {name: joint for joint, name in enumerate(clips.targets_of(body))}
    for name in bones:
        joint = joints[name]
        found.append(Target(name, rotation_modes.property_of(body.modes[joint])))
        found += [Target(name, "location")] if body.movable[joint] else []
    return found


def _of_no_bone(channels: Mapping[str, Channel]) -> dict[str, Channel]:
    return {name: channel for name, channel in channels.items() if not name.startswith("pose.bones[")}


def _resting(armature: bpy.types.Object, body: Rig, keyed: set[str]) -> list[int]:
    """Return the joints of a body that no key moves relative to their parent joint."""
    pose, found = present(armature.pose).bones, []
    for joint in range(int(body.moving_object), len(body.skeleton)):
        parent = int(body.skeleton.parents[joint])
        carrying = body.skeleton.names[parent] if parent >= 0 else ""
        chain = [pose[body.skeleton.names[joint]]]
        while chain[-1].parent is not None and chain[-1].parent.name != carrying:
            chain.append(chain[-1].parent)
        if keyed.isdisjoint(bone.name for bone in chain):
            found.append(joint)
    return found
