"""Put clips of motion files on an existing armature: directly on fitting bones, or retargeted to its body.

The armature is read first (`receiver`) and written last; the steps between do not touch Blender data, so they can run
in a thread.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import bpy
import numpy as np

from ....core.bodies import alike, carried, carry
from ....core.errors import LoomError, RigError
from ....core.formats import bvh
from ....core.motion import retarget, rotation_modes
from ....core.motion.clip import Clip
from ....core.motion.inheritance import Inheritance
from ....core.motion.skeleton import Skeleton
from ....core.points import posing
from ....core.points.solve import Solved as SolvedPoints
from ....core.recipes.planting import PlantOptions
from ....core.weave import planting
from ...bridge import (
    bones,
    carriers,
    control_body,
    control_keys,
    control_rig,
    curves,
    keys_on_controls,
    other_bodies,
    own_poses,
    rates,
    result_mark,
    rig,
    shown,
    shown_mesh,
    unkeyed_pose,
)
from ...bridge import clip as clips
from ...bridge.control_keys import Wanted
from ...bridge.curves import Target
from ...ground import steps
from ...ground.blender_types import armature_data, scene_of
from ..weaving import on_controls
from .import_skin import Drawn

Solved = on_controls.OnRig | None  # None if bones are keyed

_MOVED = 1e-4  # metres; smaller differences count as none


@dataclass(frozen=True, eq=False)
class File:
    """A clip from a file, at the requested rate.

    turned : for each joint, whether its file has rotations for it
    rate : the file's own frame rate
    drawn : the mesh beside it, None if none is requested
    """

    clip: Clip
    turned: tuple[bool, ...]
    rate: float
    drawn: Drawn | None = None

    @property
    def tree(self) -> frozenset[tuple[str, str]]:
        """Every joint name with its parent's."""
        names = self.clip.skeleton.names
        return frozenset(
            (name, names[parent] if parent >= 0 else "")
            for name, parent in zip(names, self.clip.skeleton.parents, strict=True)
        )

    def rename_joints(self, names: Mapping[str, str]) -> "File":
        """Return the file with its joints renamed."""
        skeleton = self.clip.skeleton
        called = replace(skeleton, names=tuple(names[joint] for joint in skeleton.names))
        return replace(self, clip=replace(self.clip, skeleton=called))


@dataclass(frozen=True, eq=False)
class Moved:
    """A file and its clip on an armature's body.

    targets : properties to key
    retargeted : a sentence on the retargeting, "" if there was none
    notes : further messages for the user, a sentence each
    """

    file: File
    clip: Clip
    body: rig.Rig
    targets: frozenset[Target]
    retargeted: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Receiver:
    """The target armature of clips; an unreadable body is stored as its error.

    bones : names of its bones, and of the object itself, by their names in files
    resting, moving : its bones alone, and with the object as a joint
    body : the body to which other clips are retargeted
    own : poses of that body in the armature's own actions; None if the body is unreadable
    played : properties keyed by the actions it plays
    """

    name: str
    bones: Mapping[str, str]
    by_controls: bool
    resting: rig.Rig | LoomError
    moving: rig.Rig | LoomError
    body: rig.Rig | LoomError
    own: Clip | None
    object_joint: str
    played: frozenset[Target]


def receiver_of_new(armature: bpy.types.Object, files: Iterable[File]) -> Receiver:
    """Read an armature that was created for files, to assign them to its bones."""
    joint, resting = rig.object_joint(armature), _try_reading(lambda: rig.read(armature))
    moves = any(joint in file.clip.skeleton.names for file in files)
    moving = _try_reading(lambda: rig.read(armature, moving_object=True)) if moves else resting
    return Receiver(armature.name, {}, False, resting, moving, resting, None, joint, frozenset())


def receiver(armature: bpy.types.Object) -> Receiver:
    """Read an armature as a target of clips."""
    joint, body = rig.object_joint(armature), _try_reading(lambda: _body_of(armature))
    return Receiver(
        armature.name,
        {bvh.writable(name): name for name in (joint, *armature_data(armature).bones.keys())},
        control_rig.is_generated(armature) or (isinstance(body, rig.Rig) and body.controls is not None),
        _try_reading(lambda: rig.read(armature)),
        _try_reading(lambda: rig.read(armature, moving_object=True)),
        body,
        own_poses.read(armature, body, 1.0) if isinstance(body, rig.Rig) else None,
        joint,
        other_bodies.find_keyed(armature),
    )


def _try_reading(read: Callable[[], rig.Rig]) -> rig.Rig | LoomError:
    try:
        return read()
    except LoomError as error:
        return error


def _read(found: rig.Rig | LoomError) -> rig.Rig:
    if isinstance(found, LoomError):
        raise found
    return found


def _body_of(armature: bpy.types.Object) -> rig.Rig:
    """Return the target body of retargeted clips; raises RigError if its controls are unknown."""
    body = control_body.body_of(armature, still=partial(unkeyed_pose.still_bones, armature))
    control_body.refuse_unknown(armature, body)
    scene = scene_of(bpy.context)
    body = carriers.stand_at(scene, armature, body, (float(scene.frame_start), float(scene.frame_end)))
    return unkeyed_pose.with_lasting_pose(armature, body)


def on_its_bones(file: File, to: Receiver) -> Moved | None:
    """Return a file's clip on an armature's bones if joints and rest poses match, or None.

    Raises RigError if the bones can't be read.
    """
    fits = None if to.by_controls else _on_bones(file, to)
    return onto_bones(fits, to) if fits is not None and _rests_alike(fits, to) else None


def has_joints(file: File, to: Receiver) -> bool:
    """Return whether an armature has a bone for each moving joint of a file, or is keyed by its controls."""
    return to.by_controls or _on_bones(file, to) is not None


def _on_bones(file: File, to: Receiver) -> File | None:
    """Rename a file's joints to the armature's bone names; return None if a moving joint lacks a bone."""
    joints = file.clip.skeleton.names
    if len({bones.name_of(joint) for joint in joints}) < len(joints):
        return None
    needed = retarget.moving(file.clip) or joints
    if any(bones.name_of(joint) not in to.bones for joint in needed):
        return None
    return file.rename_joints({joint: to.bones.get(bones.name_of(joint), joint) for joint in joints})


def onto_bones(file: File, to: Receiver) -> Moved:
    """Return a file's clip on an armature's bones, which have the names of its joints."""
    body = _read(to.moving if to.object_joint in retarget.moving(file.clip) else to.resting)
    if _same(file.clip.skeleton, body.skeleton):
        return Moved(file, replace(file.clip, skeleton=body.skeleton), body, _targets(file, body))
    return Moved(file, retarget.fit_to_skeleton(file.clip, body.skeleton), body, _targets(file, body))


def _rests_alike(file: File, to: Receiver) -> bool:
    """Return whether rest poses and ankle heights match; true if file or armature is not known to be a person."""
    both = file.clip.skeleton, _read(to.resting).skeleton
    return not all(map(carried.is_a_persons, both)) or (alike.rest_alike(*both) and carry.rest_as_high(*both))


def carried_onto(file: File, to: Receiver, *, plant_feet: bool, limbs: str = "source") -> Moved:
    """Retarget a file's clip to an armature's body, with planted feet if requested. Raises LoomError kinds.

    limbs : the controls of arms and legs to key (see `ResultOptions.limbs`)
    """
    body = _read(to.body)
    own = to.own or other_bodies.still(body, to.name, 1.0)
    made = other_bodies.bring(file.clip, body, own, "", to.name)
    (clip,) = made.attached.hang([made.clip])
    clip, planted = planting.of_carried(file.clip, clip, PlantOptions(plant_feet=plant_feet), made.carried)
    clip = made.attached.restore(clip, [])
    clip, bends = control_keys.bend_legs(clip, body, control_keys.kinds_of_captured(body, limbs))
    left_out = [f"{clip.name}: not planted: {planted.why}"] if planted.has_failed else planted.sentences(clip.name)
    notes = (*made.notes, *left_out, *([f"{clip.name} {bends}"] if bends else []))
    return Moved(file, clip, body, made.targets | to.played, made.retargeted, notes)


def posed_onto(file: File, solved: SolvedPoints, to: Receiver, *, plant_feet: bool, limbs: str = "source") -> Moved:
    """Return points as a clip of an armature's body, each part turned from its own rest pose. Raises LoomError kinds.

    file : their clip on a skeleton of their own; limbs : as for `carried_onto`
    """
    body = _read(to.body)
    own = to.own or other_bodies.still(body, to.name, 1.0)
    name = file.clip.name
    made = other_bodies.bring_posed(lambda skeleton: posing.onto(solved.track, skeleton, name), body, own, to.name)
    (clip,) = made.attached.hang([made.clip])
    clip, planted = planting.of_carried(solved.clip, clip, PlantOptions(plant_feet=plant_feet), None)
    clip = made.attached.restore(clip, [])
    clip, bends = control_keys.bend_legs(clip, body, control_keys.kinds_of_captured(body, limbs))
    left_out = [f"{clip.name}: not planted: {planted.why}"] if planted.has_failed else planted.sentences(clip.name)
    told = f"{name} is carried onto {to.name}: each part turns from its own rest pose as in the points"
    return Moved(
        file, clip, body, made.targets | to.played, told, (*left_out, *([f"{clip.name} {bends}"] if bends else []))
    )


def _same(one: Skeleton, other: Skeleton) -> bool:
    """Return whether two skeletons are equal, as for a character's own files."""
    near = _MOVED * max(other.height, 1.0)
    return (
        one.names == other.names
        and np.array_equal(one.parents, other.parents)
        and np.allclose(one.offsets, other.offsets, atol=near)
        and np.allclose(np.abs(np.sum(one.orients * other.orients, axis=1)), 1.0, atol=1e-6)
        and _inherit_alike(one.inheritance, other.inheritance)
    )


def _inherit_alike(one: Inheritance | None, other: Inheritance | None) -> bool:
    if one is None or other is None:
        return one is other
    return (
        one.scale == other.scale
        and one.moving_space == other.moving_space
        and np.array_equal(one.rotation, other.rotation)
        and np.array_equal(one.location, other.location)
        and bool(np.isclose(np.abs(one.space @ other.space), 1.0, atol=1e-6))
    )


def solved_in_steps(armature: bpy.types.Object, moved: Moved, *, limbs: str = "source") -> steps.Steps[Solved]:
    """Solve for the keys of an armature's controls, None if its bones are keyed; writes nothing."""
    if moved.body.controls is None:
        return None
    return (yield from on_controls.keys_in_steps(armature, _name_clip(moved), moved.body, Wanted(limbs)))


def _name_clip(moved: Moved) -> Clip:
    return replace(moved.clip, name=bones.name_of(moved.clip.name))


def write(
    armature: bpy.types.Object, moved: Moved, keys: Solved, *, first_frame: float, rate: float, limbs: str = "source"
) -> tuple[bpy.types.Action, list[str]]:
    """Return a new action of a clip on an armature, and messages for the user.

    keys : of the armature's controls, by `solved_in_steps`
    rate : stored on the action; 0 for the scene's rate
    limbs : the controls of arms and legs to key (see `ResultOptions.limbs`)

    Raises RigError, with nothing written, for a rig whose controls do not reproduce the clip.
    """
    clip, body = moved.clip, moved.body
    notes = [*moved.notes, *(filter(None, (body.note, body.carried)) if body.controls is not None else ())]
    for joint, bone in enumerate(body.skeleton.names):
        if not body.movable[joint] and np.abs(clip.translations[:, joint]).max() > _MOVED:
            notes.append(f"{clip.name} moves {bone!r} in its parent, but the bone is connected: it only turns")
    named = _name_clip(moved)
    how: dict[str, Any] = {"first_frame": first_frame, "targets": moved.targets}
    with curves.whole(named.name, armature) as into:
        if keys is None:
            clips.fill(into, named, body, **how)
        else:
            notes += keys_on_controls.fill(into, armature, named, body, *keys, wanted=Wanted(limbs), **how)
        off, twisted = shown.compare_bones(scene_of(bpy.context), armature, into, named, body, first_frame)
        if keys is not None and off is not None and off.wrong:
            sentence = off.sentence(named.name)
            raise RigError(sentence if off.known else f"{sentence}, or its controls can't be keyed")
    action = into[0]
    unkeyed_pose.keep(armature, body, action)
    # An imported action is kept in spite of differences; errors of the controls were already reported.
    if off is not None and (keys is None or not keys.keys.notes):
        notes.append(off.sentence(action.name))
    if twisted:
        notes.append(f"{action.name}: {twisted}")
    frames = first_frame + np.arange(len(named), dtype=np.float64)
    notes += shown_mesh.Judge(scene_of(bpy.context), armature, body).sentences((into, frames), None)
    rates.set_rate(action, rate)
    if keys is not None:
        action[result_mark.IMPORTED] = True
    return action, notes


def _targets(file: File, body: rig.Rig) -> frozenset[Target]:
    """Return the properties to key even without movement: all rotations in the file, and the locations of its roots.

    A bone without keys would keep the pose of the previously played action.
    """
    modes = dict(zip(clips.targets_of(body), body.modes, strict=True))
    targets = set()
    skeleton = file.clip.skeleton
    for joint, (name, turned) in enumerate(zip(skeleton.names, file.turned, strict=True)):
        if name not in body.skeleton.names:
            continue
        bone = clips.targets_of(body)[body.skeleton.index(name)]
        if turned:
            targets.add(Target(bone, rotation_modes.property_of(modes[bone])))
        if skeleton.parents[joint] < 0:
            targets.add(Target(bone, "location"))
    return frozenset(targets)
