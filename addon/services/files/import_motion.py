"""Import motion files as actions, of the armature that they fit or of new ones.

Everything is read before anything is written, so a broken file leaves the scene as it was.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

import bpy

from ....core.errors import LoomError
from ....core.formats import motion_file, units
from ....core.motion import resample
from ....core.progress import SILENT, Progress
from ....core.weave.seam import close
from ...bridge import bones, curves, other_bodies
from ...ground import formats, rates
from ...ground.blender_types import armature_data, present, scene_of
from ...model import target_armature
from ..weaving import standing
from . import model_files, onto_armature
from .onto_armature import File, Moved

FIRST_FRAME = 1.0
AUTO, ACTIVE, NEW = ONTO = "AUTO", "ACTIVE", "NEW"


@dataclass(frozen=True)
class FileReading:
    """How files are read; units, up, skeleton and amc_rate as in `motion_file.read`.

    to_scene_rate : resample to the scene's rate; else each captured frame is one scene frame, and the action keeps its
    rate
    onto : target of files whose joints are not the active armature's, one of ONTO; NEW even where they fit
    plant_feet : whether to plant the feet of clips carried onto another body
    trim : whether to leave out a T-pose that a capture begins with, and jumps at its ends
    limbs : which controls of arms and legs get keys, on a rig that has both kinds (see `ResultOptions.limbs`)
    here : whether what is carried onto another body begins where that stands
    """

    units: str = "auto"
    up: str = "auto"
    to_scene_rate: bool = False
    onto: str = AUTO
    skeleton: str = ""
    amc_rate: float = 0.0
    plant_feet: bool = True
    trim: bool = True
    limbs: str = "source"
    here: bool = False


@dataclass(frozen=True, eq=False)
class Imported:
    """The new actions of each armature, the new armatures, and messages for the user.

    retargeted : how files were carried onto the character
    refused : why some could not be, a sentence each
    """

    actions: dict[bpy.types.Object, list[bpy.types.Action]]
    made: tuple[bpy.types.Object, ...]
    notes: tuple[str, ...]
    retargeted: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()


def import_files(
    context: bpy.types.Context, paths: Sequence[str], reading: FileReading, progress: Progress
) -> Imported:
    """Make an action of every file; raises LoomError kinds, with nothing changed.

    A file becomes an action of the active armature if that has a bone for every joint that moves. Other files are
    carried onto its body if it is a character's or if requested; else they get a new armature, one for all files with
    the same joints. Files that can't be carried are left out.
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
    to = None if armature is None else onto_armature.receiver(armature)
    carry = armature is not None and _carries(armature, reading, context)
    groups: dict[frozenset[tuple[str, str]], list[File]] = {}
    moved: list[Moved] = []
    refused: list[str] = []
    for file in read:
        own = None if to is None else onto_armature.on_its_bones(file, to)
        if own is not None:
            moved.append(own)
        elif to is not None and (carry or onto_armature.has_joints(file, to)):
            try:
                moved.append(onto_armature.carried_onto(file, to, plant_feet=reading.plant_feet))
            except LoomError as error:
                refused.append(f"{error}; set Onto to New Armature to import it as it is")
        else:
            groups.setdefault(file.tree, []).append(file)
    if groups:
        bones.check(context)
    if reading.here and armature is not None:
        moved = [_here(scene_of(context), armature, one) for one in moved]
    actions: dict[bpy.types.Object, list[bpy.types.Action]] = {}
    for done, clip_moved in enumerate(moved):
        assert armature is not None
        part = progress.part(0.5 + 0.5 * done / len(moved), 0.5 + 0.5 * (done + 1) / len(moved))
        try:
            actions.setdefault(armature, []).append(_write(armature, clip_moved, reading, notes, part))
        except LoomError as error:
            refused.append(str(error))
    if refused and not any(actions.values()) and not groups:
        raise LoomError("; ".join(refused))
    made: list[bpy.types.Object] = []
    for group in groups.values():
        progress.at(0.5 + 0.5 * len(made) / len(groups), "making armatures")
        new, names = _new_armature(context, group[0])
        made.append(new)
        to = onto_armature.receiver(new)
        for file in group:
            one = onto_armature.onto_bones(file.renamed(names), to)
            actions.setdefault(new, []).append(_write(new, one, reading, notes))
        first = actions[new][0]
        curves.assign(new, first, curves.choose_slot(first, new))
    once = (
        tuple(dict.fromkeys(words)) for words in (notes, [one.retargeted for one in moved if one.retargeted], refused)
    )
    return Imported(actions, tuple(made), *once)


def _here(scene: bpy.types.Scene, armature: bpy.types.Object, moved: Moved) -> Moved:
    """Return a clip that was carried onto an armature's body where that stands; its own files stay as they are."""
    if not moved.retargeted:
        return moved
    row = standing.place_of_armature(scene, armature, moved.body)
    return replace(moved, clip=standing.moved(moved.clip, row)) if row else moved


def _active(context: bpy.types.Context) -> bpy.types.Object | None:
    active = target_armature.armature(context)
    if active is None or active.type != "ARMATURE" or not armature_data(active).bones:
        return None
    return active


def _read(context: bpy.types.Context, path: str, reading: FileReading, notes: list[str]) -> list[File]:
    """Read a motion file, or with Blender's own importers a model file with all its animations."""
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
    trimmed = [(close.trimmed(clip, reading.trim), turned) for clip, turned in read]
    for part, _ in trimmed:
        if part.first or part.last:
            name, first, last = part.clip.name, part.first, part.last
            notes.append(f"{name}: first {first}, last {last} frames are a T-pose or jump: left out, as Trim is on")
    read = [(part.clip, turned) for part, turned in trimmed]
    return [
        File(resample.to_rate(clip, rate) if reading.to_scene_rate else clip, turned, clip.rate)
        for clip, turned in read
    ]


def _carries(armature: bpy.types.Object, reading: FileReading, context: bpy.types.Context) -> bool:
    return reading.onto == ACTIVE or other_bodies.wears_mesh(armature, scene_of(context))


def _new_armature(context: bpy.types.Context, file: File) -> tuple[bpy.types.Object, dict[str, str]]:
    """Return a new armature of a file's skeleton, and its bone names by joint name."""
    skeleton = file.clip.skeleton
    heads, tails = bones.ends(skeleton)
    name = bones.name_of(file.clip.name)
    # A connected bone can't take the joint translations of a file.
    armature, names = bones.build(context, name, skeleton, heads, tails, connected=False)
    return armature, dict(zip(skeleton.names, names, strict=True))


def _write(
    armature: bpy.types.Object,
    moved: Moved,
    reading: FileReading,
    notes: list[str],
    progress: Progress = SILENT,
) -> bpy.types.Action:
    how = {"first_frame": FIRST_FRAME, "rate": 0.0 if reading.to_scene_rate else moved.file.rate}
    action, retargeted = onto_armature.write(armature, moved, limbs=reading.limbs, progress=progress, **how)
    notes += retargeted
    return action
