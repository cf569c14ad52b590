"""Import motion files as actions, for an armature that they fit or for new armatures.

All files are read before anything is written, so a broken file leaves the scene unchanged.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import bpy

from ....core.errors import LoomError, SeveralBodiesError, some
from ....core.formats import motion_file
from ....core.formats.conventions import folder, settling
from ....core.motion import resample
from ....core.motion.clip import Clip
from ....core.motion.skeleton import Skeleton
from ....core.progress import Progress
from ....core.weave.seam import close
from ...bridge import bones, control_body, control_keys, curves, other_bodies, rates, rig
from ...ground import formats, steps
from ...ground.blender_types import armature_data, present, scene_of
from ...model import target_armature
from ..weaving import on_controls, standing, writing
from . import found_conventions, import_skin, model_files, onto_armature
from .onto_armature import File, Moved

FIRST_FRAME = 1.0
AUTO, ACTIVE, NEW = ONTO = "AUTO", "ACTIVE", "NEW"


@dataclass(frozen=True)
class FileReading:
    """Options for reading files; units, up, skeleton, file_rate, sides and body as in `motion_file.read`.

    to_scene_rate : resample to the scene's rate; otherwise each captured frame is one scene frame, and the action keeps
        its rate
    onto : target of files whose joints are not the active armature's, one of ONTO; NEW applies even if they fit
    plant_feet : whether to plant the feet of retargeted clips
    trim : whether to remove a T-pose at the start of a capture, and jumps at its ends
    limbs : the controls of arms and legs to key, on a rig with FK and IK (see `ResultOptions.limbs`)
    here : whether retargeted clips begin at the armature's place
    mesh : whether to import meshes beside the files, always onto new armatures
    """

    units: str = "auto"
    up: str = "auto"
    to_scene_rate: bool = False
    onto: str = AUTO
    skeleton: str = ""
    file_rate: float = 0.0
    sides: str = "auto"
    body: str = ""
    plant_feet: bool = True
    trim: bool = True
    limbs: str = "source"
    here: bool = False
    mesh: bool = False


@dataclass(frozen=True, eq=False)
class Imported:
    """The new actions of each armature, the new armatures, and messages for the user.

    found : how the files were read, a sentence for each way
    retargeted : how files were retargeted to the character; beside : one sentence on what stays unchanged, "" for
        nothing
    refused : the reasons why files could not be retargeted, a sentence each
    """

    actions: dict[bpy.types.Object, list[bpy.types.Action]]
    made: tuple[bpy.types.Object, ...]
    notes: tuple[str, ...]
    found: tuple[str, ...] = ()
    retargeted: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    beside: str = ""


@dataclass(frozen=True, eq=False)
class Given:
    """All Blender data needed for reading and retargeting, collected before files are read.

    models : the clips of files read by Blender's own importers, by path
    armature, to : the session id of the possible target armature, and its data
    carry : whether to retarget files of other bodies to it, too
    stand : its place, a row as in `ResultOptions.stand`; () to keep the places in the files
    rate : the scene's
    """

    paths: tuple[str, ...]
    reading: FileReading
    models: dict[str, list[Clip]]
    armature: int
    to: onto_armature.Receiver | None
    carry: bool
    stand: tuple[float, ...]
    rate: float


@dataclass(frozen=True, eq=False)
class Brought:
    """Files retargeted to the armature, files for new armatures, and messages for the user (see `Imported`).

    keys : control keys of each file for the armature, by its index, or the reason for a failure
    """

    moved: tuple[Moved, ...]
    groups: tuple[tuple[File, ...], ...]
    notes: tuple[str, ...]
    refused: tuple[str, ...]
    found: tuple[str, ...]
    keys: dict[int, onto_armature.Solved | LoomError] = field(default_factory=dict)


def given_in_steps(context: bpy.types.Context, paths: Sequence[str], reading: FileReading) -> steps.Steps[Given]:
    """Collect the data of the scene; model files are read here, by Blender. Raises LoomError kinds."""
    if not paths:
        raise LoomError("Choose motion files first")
    models = {}
    for done, path in enumerate(paths):
        if _is_model(path):
            yield done / len(paths), f"reading {os.path.basename(path)}"
            models[path] = model_files.read(context, path)
    present(context.view_layer).update()  # a script may have moved the armature just now
    scene, armature = scene_of(context), None if reading.onto == NEW or reading.mesh else _active(context)
    rate = rates.of_scene(scene)
    if armature is None:
        return Given(tuple(paths), reading, models, 0, None, False, (), rate)
    to = onto_armature.receiver(armature)
    stand: tuple[float, ...] = ()
    if reading.here and not isinstance(to.body, LoomError):
        stand = yield from standing.place_in_steps(scene, armature, to.body)
    carry = reading.onto == ACTIVE or receiver(context)[1]
    return Given(tuple(paths), reading, models, armature.session_uid, to, carry, stand, rate)


def fit_files(given: Given, progress: Progress) -> Brought:
    """Read the files and fit them to the armature; touches no Blender data. Raises LoomError kinds.

    A file fits if the armature has a bone for every joint that moves. Other files are retargeted if it is a character
    or if requested; otherwise they are assigned to new armatures, one for all files with the same joints. Files that
    can't be retargeted are left out.
    """
    notes: list[str] = []
    found: dict[str, None] = {}
    read: list[File] = []
    contents = []
    for done, path in enumerate(given.paths):
        progress.at(done / (2 * len(given.paths)), f"reading {os.path.basename(path)}")
        contents.append([] if path in given.models else _contents(path, given.reading))
    for path, content in zip(given.paths, _settled_together(given, contents), strict=True):
        read += _files(path, content, given, notes, found)
    to = given.to
    groups: dict[frozenset[tuple[str, str]], list[File]] = {}
    moved: list[Moved] = []
    refused: list[str] = []
    for done, file in enumerate(read):
        progress.at(0.5 + done / (2 * len(read)), f"fitting {file.clip.name}")
        own = None if to is None else onto_armature.on_its_bones(file, to)
        if own is not None:
            moved.append(own)
        elif to is not None and (given.carry or onto_armature.has_joints(file, to)):
            try:
                carried = onto_armature.carried_onto(
                    file, to, plant_feet=given.reading.plant_feet, limbs=given.reading.limbs
                )
            except LoomError as error:
                refused.append(f"{error}; set Onto to New Armature to import it as it is")
            else:
                moved.append(move_here(carried, given.stand))
        else:
            groups.setdefault(file.tree, []).append(file)
    return Brought(tuple(moved), tuple(map(tuple, groups.values())), tuple(notes), tuple(refused), tuple(found))


def solve_in_steps(given: Given, brought: Brought) -> steps.Steps[None]:
    """Solve for the keys of the armature's controls, if it has controls, and store them in `brought.keys`."""
    for number, moved in enumerate(brought.moved):
        solving = onto_armature.solved_in_steps(_find_armature(given.armature), moved, limbs=given.reading.limbs)
        try:
            brought.keys[number] = yield from steps.within(solving, number, len(brought.moved))
        except LoomError as error:
            brought.keys[number] = error


def write_actions(context: bpy.types.Context, given: Given, brought: Brought) -> Imported:
    """Make an action of every file; raises LoomError kinds, with nothing changed."""
    reading, notes, refused = given.reading, list(brought.notes), list(brought.refused)
    if brought.groups:
        bones.check(context)
    actions: dict[bpy.types.Object, list[bpy.types.Action]] = {}
    for number, moved in enumerate(brought.moved):
        armature, keys = _find_armature(given.armature), brought.keys[number]
        try:
            if isinstance(keys, LoomError):
                raise keys
            actions.setdefault(armature, []).append(_write(armature, moved, keys, reading, notes))
        except LoomError as error:
            refused.append(str(error))
    made: list[bpy.types.Object] = []
    for group in brought.groups:
        new, names = _new_armature(context, group[0])
        _keep_roles(new, group[0].clip.skeleton, names)
        actions[new] = []
        renamed = [file.rename_joints(names) for file in group]
        try:
            to = onto_armature.receiver_of_new(new, renamed)
            for file in renamed:
                actions[new].append(_write(new, onto_armature.onto_bones(file, to), None, reading, notes))
        except LoomError as error:
            refused.append(str(error))
            bpy.data.batch_remove([*actions.pop(new), new, armature_data(new)])
            continue
        made.append(new)
        _hang(context, [file.drawn for file in group if file.drawn is not None], new, names, notes)
        first = actions[new][0]
        curves.assign(new, first, curves.choose_slot(first, new))
    if refused and not any(actions.values()):
        raise LoomError("; ".join(refused))
    retargeted = [one.retargeted for one in brought.moved if one.retargeted]
    solved = ((brought.moved[k].body, keys) for k, keys in brought.keys.items() if isinstance(keys, on_controls.OnRig))
    leaves_ik = any(control_keys.leaves_ik(body, each.keys) for body, each in solved)
    beside = "Limbs are keyed on FK, their IK controls stay; Limbs on Both moves them, too" if leaves_ik else ""
    found = tuple(filter(None, brought.found))
    once = [tuple(dict.fromkeys(words)) for words in (notes, retargeted, refused)]
    return Imported(actions, tuple(made), once[0], found, once[1], once[2], beside)


def _find_armature(uid: int) -> bpy.types.Object:
    return writing.find_data(bpy.data.objects, uid, "The armature")


def move_here(moved: Moved, stand: tuple[float, ...]) -> Moved:
    """Move a retargeted clip to the armature's place; clips of its own files are not moved."""
    if not moved.retargeted or not stand:
        return moved
    return replace(moved, clip=standing.move_to_stand(moved.clip, stand, moved.body))


def _active(context: bpy.types.Context) -> bpy.types.Object | None:
    active = target_armature.armature(context)
    if active is None or active.type != "ARMATURE" or not armature_data(active).bones:
        return None
    return active


def _is_model(path: str) -> bool:
    return os.path.splitext(path)[1].lower() in formats.MODELS


def _settled_together(given: Given, contents: list[list[motion_file.MotionFile]]) -> list[list[motion_file.MotionFile]]:
    """Resolve doubts about a file's convention with the help of other files of the same skeleton."""
    every = [(path, one) for path, content in zip(given.paths, contents, strict=True) for one in content]

    def read_again(number: int, up: str) -> motion_file.MotionFile:
        path, before = every[number]
        again = _contents(path, replace(given.reading, up=up))
        return next(one for one in again if one.clip.name == before.clip.name)

    settled = iter(folder.settle_together([one for _, one in every], read_again))
    return [[next(settled) for _ in content] for content in contents]


def _files(
    path: str, contents: list[motion_file.MotionFile], given: Given, notes: list[str], found: dict[str, None]
) -> list[File]:
    """Return the clips of a file, trimmed and at the requested rate; notes and the reading method are added."""
    reading = given.reading
    drawn = None
    if path in given.models:
        read = [(clip, (True,) * len(clip.skeleton)) for clip in given.models[path]]
        notes += [doubt for clip, _ in read for doubt in settling.find_doubts(clip)]
        notes += [f"{os.path.basename(path)}: With Mesh is for motion files, not for models"] * reading.mesh
    else:
        notes += [doubt for content in contents for doubt in content.doubts]
        found |= dict.fromkeys(found_conventions.describe(content.findings) for content in contents)
        read = [(content.clip, content.turned) for content in contents]
        if reading.mesh:
            drawn, more = import_skin.read(path, contents[0].convention, contents[0].clip.skeleton.names)
            notes += more
    trimmed = [(close.trim_clip(clip, reading.trim), turned) for clip, turned in read]
    for part, _ in trimmed:
        if part.first or part.last:
            count = part.first + part.last
            notes.append(f"{part.clip.name}: Trim left out {count} frames at its ends (a T-pose or a jump)")
    return [
        File(
            resample.to_rate(part.clip, given.rate) if reading.to_scene_rate else part.clip,
            turned,
            part.clip.rate,
            drawn,
        )
        for part, turned in trimmed
    ]


def _contents(path: str, reading: FileReading) -> list[motion_file.MotionFile]:
    """Read a file, once for each of its bodies if none was chosen."""

    def read(body: str) -> motion_file.MotionFile:
        return motion_file.read(
            path,
            reading.units,
            reading.up,
            rate=reading.file_rate,
            sides=reading.sides,
            body=body,
            skeleton=reading.skeleton,
        )

    try:
        return [read(reading.body)]
    except SeveralBodiesError as error:
        named = [(body, read(body)) for body in error.bodies]
    return [replace(one, clip=replace(one.clip, name=f"{one.clip.name} {body}")) for body, one in named]


def receiver(context: bpy.types.Context) -> tuple[bpy.types.Object | None, bool, bool]:
    """Return the target armature for files, whether it is a character, and whether it has controls.

    A character moves a mesh or has controls; it also accepts the motion of other bodies.
    """
    armature = _active(context)
    if armature is None:
        return None, False, False
    controls = control_body.has_controls(armature)
    return armature, controls or other_bodies.wears_mesh(armature, scene_of(context)), controls


def _new_armature(context: bpy.types.Context, file: File) -> tuple[bpy.types.Object, dict[str, str]]:
    """Return a new armature of a file's skeleton, and its bone names by joint name."""
    skeleton = file.clip.skeleton
    heads, tails = bones.ends(skeleton)
    name = bones.name_of(file.clip.name)
    # A connected bone can't take the joint translations of a file.
    armature, names = bones.build(context, name, skeleton, heads, tails, connected=False)
    return armature, dict(zip(skeleton.names, names, strict=True))


def _keep_roles(armature: bpy.types.Object, skeleton: Skeleton, names: dict[str, str]) -> None:
    """Store the roles found by motion on an armature if its names and rest pose do not show them."""
    shown = {role: names[skeleton.names[joint]] for role, joint in skeleton.roles.items()}
    if rig.found_roles(armature) != shown:
        rig.set_roles(armature, shown)


def _hang(
    context: bpy.types.Context,
    found: list[import_skin.Drawn],
    armature: bpy.types.Object,
    names: dict[str, str],
    notes: list[str],
) -> None:
    """Attach the first of some meshes to a new armature; note different ones."""
    if found:
        import_skin.hang(context, found[0], armature, names)
        others = [each.name for each in found[1:] if not each.same(found[0])]
        notes += [f"{armature.name} has the mesh of {found[0].name}, so that of {some(others)} is left out"] * bool(
            others
        )


def _write(
    armature: bpy.types.Object, moved: Moved, keys: onto_armature.Solved, reading: FileReading, notes: list[str]
) -> bpy.types.Action:
    rate = 0.0 if reading.to_scene_rate else moved.file.rate
    action, more = onto_armature.write(armature, moved, keys, first_frame=FIRST_FRAME, rate=rate, limbs=reading.limbs)
    notes += more
    return action
