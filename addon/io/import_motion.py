"""Motion files as actions, of the armature that they fit or of new ones.

Everything is read before anything is written, so that a broken file leaves the scene as it was.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import bpy
import numpy as np

from ...core.bodies import alike, carried
from ...core.errors import LoomError
from ...core.formats import bvh, motion_file, units
from ...core.motion import resample, retarget, rotation_modes
from ...core.motion.clip import Clip
from ...core.motion.inheritance import Inheritance
from ...core.motion.skeleton import Skeleton
from ...core.progress import Progress
from ...core.recipes.planting import PlantOptions
from ...core.weave import planting
from .. import formats, meant, other_bodies, rates
from ..blender_types import armature_data, present, scene_of
from ..bridge import bones, clip_on_controls, control_rig, curves, rig
from ..bridge import clip as clips
from ..bridge.curves import Target
from . import model_files

FIRST_FRAME = 1.0
_MOVED = 1e-4  # metres
AUTO, ACTIVE, NEW = ONTO = "AUTO", "ACTIVE", "NEW"


@dataclass(frozen=True)
class FileReading:
    """How files are read: units, up, skeleton and amc_rate as in `motion_file.read`.

    to_scene_rate : else every captured frame is one frame of the scene, and the action keeps its rate
    onto : what files of other joints than the active armature's become actions of, one of ONTO; NEW even where it fits
    plant_feet : whether the feet of what is carried onto another body are planted
    """

    units: str = "auto"
    up: str = "auto"
    to_scene_rate: bool = False
    onto: str = AUTO
    skeleton: str = ""
    amc_rate: float = 0.0
    plant_feet: bool = True


@dataclass(frozen=True, eq=False)
class Imported:
    """The new actions of each armature, which of the armatures are new, and what the user has to know.

    said : how others were carried onto the character; refused : why some could not be, a sentence each
    """

    actions: dict[bpy.types.Object, list[bpy.types.Action]]
    made: tuple[bpy.types.Object, ...]
    notes: tuple[str, ...]
    said: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class _File:
    """A clip that was read: at the requested rate, of which joints its file tells the rotation, and its own rate."""

    clip: Clip
    turned: tuple[bool, ...]
    rate: float

    @property
    def tree(self) -> frozenset[tuple[str, str]]:
        """Every joint with its parent."""
        names = self.clip.skeleton.names
        return frozenset(
            (name, names[parent] if parent >= 0 else "")
            for name, parent in zip(names, self.clip.skeleton.parents, strict=True)
        )


@dataclass(frozen=True, eq=False)
class _Moved:
    """A file, its clip on the body of an armature, what of that is keyed, and how it came there, if it was carried."""

    file: _File
    clip: Clip
    body: rig.Rig
    targets: frozenset[Target]
    said: str = ""


def import_files(
    context: bpy.types.Context, paths: Sequence[str], reading: FileReading, progress: Progress
) -> Imported:
    """Make an action of every file; raises LoomError kinds, and has changed nothing then.

    A file becomes an action of the active armature if that has a bone for every joint that moves. Others are carried
    onto its body if it is a character's or so asked, and get a new armature if not, one for all files with the same
    joints. What can't be carried is left out.
    """
    if not paths:
        raise LoomError("Choose motion files first")
    notes: list[str] = []
    read = []
    for done, path in enumerate(paths):
        progress.at(done / (2 * len(paths)), f"reading {os.path.basename(path)}")
        read += _read(context, path, reading, notes)
    present(context.view_layer).update()  # a script may have moved the armature just now
    armature = None if reading.onto == NEW else _active(context)
    by_controls = armature is not None and control_rig.is_generated(armature)
    body: rig.Rig | None = None
    groups: dict[frozenset[tuple[str, str]], list[_File]] = {}
    moved: list[_Moved] = []
    refused: list[str] = []
    for file in read:
        fits = None if armature is None or by_controls else _on_bones(file, armature)
        if armature is not None and fits is not None and _rests_alike(fits, armature):
            moved.append(_Moved(fits, *_onto(fits, armature)))
        elif armature is not None and (by_controls or fits is not None or _carries(armature, reading, context)):
            try:
                body = body or _body_of(armature)
                moved.append(_carried(file, armature, body, reading, notes))
            except LoomError as error:
                refused.append(f"{error}; with Onto: New Armature it comes in as it is")
        else:
            groups.setdefault(file.tree, []).append(file)
    if refused and not moved and not groups:
        raise LoomError("; ".join(refused))
    if groups:
        bones.check(context)
    actions: dict[bpy.types.Object, list[bpy.types.Action]] = {}
    for one in moved:
        assert armature is not None
        actions.setdefault(armature, []).append(_write(armature, one, reading, notes))
    made: list[bpy.types.Object] = []
    for group in groups.values():
        progress.at(0.5 + 0.5 * len(made) / len(groups), "making armatures")
        new, names = _new_armature(context, group[0])
        made.append(new)
        for file in group:
            renamed = _renamed(file, names)
            one = _Moved(renamed, *_onto(renamed, new))
            actions.setdefault(new, []).append(_write(new, one, reading, notes))
        first = actions[new][0]
        curves.assign(new, first, curves.choose_slot(first, new))
    once = (tuple(dict.fromkeys(words)) for words in (notes, [one.said for one in moved if one.said], refused))
    return Imported(actions, tuple(made), *once)


def _active(context: bpy.types.Context) -> bpy.types.Object | None:
    active = meant.armature(context)
    if active is None or active.type != "ARMATURE" or not armature_data(active).bones:
        return None
    return active


def _read(context: bpy.types.Context, path: str, reading: FileReading, notes: list[str]) -> list[_File]:
    """Read a motion file, or one of Blender's own importers' with all its animations."""
    if os.path.splitext(path)[1].lower() in formats.MODELS:
        found = model_files.read(context, path)
        read = [(clip, (True,) * len(clip.skeleton)) for clip in found]
    else:
        content = motion_file.read(
            path, reading.units, reading.up, skeleton=reading.skeleton, amc_rate=reading.amc_rate
        )
        notes += content.notes
        if content.convention.unit == units.UNKNOWN:
            notes.append(f"{os.path.basename(path)}: {units.note(content.convention.metres)}")
        read = [(content.clip, content.turned)]
    rate = rates.of_scene(scene_of(context))
    return [
        _File(resample.to_rate(clip, rate) if reading.to_scene_rate else clip, turned, clip.rate)
        for clip, turned in read
    ]


def _on_bones(file: _File, armature: bpy.types.Object) -> _File | None:
    """Return a file with its joints called as the armature's bones are, or None where one that moves has no bone."""
    known = {bvh.writable(name): name for name in (rig.object_joint(armature), *armature_data(armature).bones.keys())}
    joints = file.clip.skeleton.names
    if len({bones.name_of(joint) for joint in joints}) < len(joints):
        return None
    needed = retarget.moving(file.clip) or joints
    if any(bones.name_of(joint) not in known for joint in needed):
        return None
    return _renamed(file, {joint: known.get(bones.name_of(joint), joint) for joint in joints})


def _renamed(file: _File, names: dict[str, str]) -> _File:
    skeleton = file.clip.skeleton
    called = replace(skeleton, names=tuple(names[joint] for joint in skeleton.names))
    return replace(file, clip=replace(file.clip, skeleton=called))


def _onto(file: _File, armature: bpy.types.Object) -> tuple[Clip, rig.Rig, frozenset[Target]]:
    moving_object = rig.object_joint(armature) in retarget.moving(file.clip)
    body = rig.read(armature, moving_object=moving_object)
    if _same(file.clip.skeleton, body.skeleton):
        return replace(file.clip, skeleton=body.skeleton), body, _targets(file, body)
    return retarget.fitted(file.clip, body.skeleton), body, _targets(file, body)


def _rests_alike(file: _File, armature: bpy.types.Object) -> bool:
    """Say whether a file of an armature's joints rests as that does, or neither is known to be a person's."""
    both = file.clip.skeleton, rig.read(armature).skeleton
    return not all(map(carried.is_a_persons, both)) or alike.rest_alike(*both)


def _carries(armature: bpy.types.Object, reading: FileReading, context: bpy.types.Context) -> bool:
    return reading.onto == ACTIVE or other_bodies.wears_mesh(armature, scene_of(context))


def _body_of(armature: bpy.types.Object) -> rig.Rig:
    """The body that clips are carried onto; raises RigError for one whose controls are not known."""
    body = control_rig.body_of(armature)
    control_rig.refuse_unknown(armature, body)
    return body


def _carried(file: _File, armature: bpy.types.Object, body: rig.Rig, reading: FileReading, notes: list[str]) -> _Moved:
    brought = other_bodies.bring(file.clip, body, "", armature.name)
    one_source = planting.same(brought.clip, file.clip)
    found = planting.find(file.clip) if reading.plant_feet and not one_source else None
    made, _ = planting.of_result(
        brought.clip, PlantOptions(plant_feet=reading.plant_feet), one_source=one_source, found=found
    )
    notes += brought.notes
    return _Moved(file, made, body, brought.targets | other_bodies.played_on(armature), brought.said)


def _same(one: Skeleton, other: Skeleton) -> bool:
    """Say whether two bodies are one: files of a character that come back to it, whatever its bones inherit."""
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


def _new_armature(context: bpy.types.Context, file: _File) -> tuple[bpy.types.Object, dict[str, str]]:
    """Return a new armature of a file's skeleton, and which of its bones is which joint."""
    skeleton = file.clip.skeleton
    heads, tails = bones.ends(skeleton)
    name = bones.name_of(file.clip.name)
    # A connected bone could not take the places that files give to joints.
    armature, names = bones.build(context, name, skeleton, heads, tails, connected=False)
    return armature, dict(zip(skeleton.names, names, strict=True))


def _write(armature: bpy.types.Object, moved: _Moved, reading: FileReading, notes: list[str]) -> bpy.types.Action:
    clip, body = moved.clip, moved.body
    for joint, bone in enumerate(body.skeleton.names):
        if not body.movable[joint] and np.abs(clip.translations[:, joint]).max() > _MOVED:
            notes.append(f"{clip.name} moves {bone!r} in its parent, but the bone is connected: it only turns")
    named = replace(clip, name=bones.name_of(clip.name))
    how: dict[str, Any] = {"first_frame": FIRST_FRAME, "targets": moved.targets}
    if body.controls is None:
        action = clips.write(armature, named, body, **how)
    else:
        with curves.whole(named.name, armature) as into:
            notes.append(clip_on_controls.fill(into, armature, named, body, **how))
        action = into[0]
    rates.set_rate(action, 0.0 if reading.to_scene_rate else moved.file.rate)
    return action


def _targets(file: _File, body: rig.Rig) -> frozenset[Target]:
    """Return what is keyed even where nothing moves: all that the file turns, and its roots' places.

    A bone without keys would keep the pose of whatever action was shown before.
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
