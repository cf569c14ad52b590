"""Export actions as motion files."""

import os
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import bpy
import numpy as np

from ....core import files
from ....core.errors import LoomError
from ....core.formats import motion_file, registry, units
from ....core.formats.motion_file import Convention
from ....core.motion import kinematics
from ....core.motion.clip import Clip
from ....core.recipes.reading import ReadingOptions, Request, Source
from ...bridge import curves
from ...ground import steps
from ...ground.blender_types import find_named, scene_of
from ..weaving import reading
from . import export_models, export_skin


@dataclass(frozen=True)
class Writing:
    """Options for writing actions to files.

    units, up : of the written motion
    visual : whether to write evaluated poses with constraints, or the keyed ones
    deform_only : of .glb and .fbx files: leave out bones that do not deform
    mesh : write the mesh at rest and its weights beside motion files
    suffix : format of files with the names of their actions
    """

    units: str = "cm"
    up: str = "y"
    visual: bool = False
    overwrite: bool = False
    suffix: str = registry.DEFAULT
    deform_only: bool = False
    mesh: bool = False


@dataclass(frozen=True)
class Exported:
    """The written files, and messages for the user."""

    paths: tuple[Path, ...]
    notes: tuple[str, ...]


def export_in_steps(
    context: bpy.types.Context, armature: bpy.types.Object, names: Sequence[str], path: str, writing: Writing
) -> steps.Steps[Exported]:
    """Write named actions of an armature, or its current action if none is named; raises LoomError kinds.

    A single action goes into the file at the path; several go into that folder, each into a file of its name. Each file
    appears completely or not at all, and none before all actions were read.
    """
    actions = _actions(armature, names)
    places = _places(path, actions, writing.suffix)
    _check(places, writing.overwrite)
    convention = Convention(writing.units, units.metres(writing.units), writing.up, False)
    if places[0].suffix.lower() in export_models.WRITABLE:
        return (yield from _export_models(context, armature, actions, places, writing))
    contents, clips = [], []
    notes: list[str] = []
    for done, action in enumerate(actions):
        yield done / len(actions), f"reading {action.name}"
        made_of = [(action, curves.choose_slot(action, armature))]
        request = Request(sources=(Source(name=action.name_full),), reading=ReadingOptions(visual=writing.visual))
        read = reading.read_actions(scene_of(context), armature, made_of, request)
        (source,) = read.sources
        # The last note states that bones posed by constraints get no keys, which does not apply to files.
        notes.extend(source.notes[:-1] if source.hidden else source.notes)
        if source.clip.channels:
            count = len(source.clip.channels)
            notes.append(f"{action.name}: motion files have no place for {count} of its curves, which move no bone")
        clips.append(source.clip)
        contents.append((places[done], motion_file.compose(source.clip, places[done], None, convention)))
        if writing.mesh:
            scene = scene_of(context)
            *skin, more = export_skin.compose_files(armature, scene, read.body, source.clip, convention)
            contents += zip(export_skin.paths(places[done]), skin, strict=True)
            notes += more
    _check([place for place, _ in contents], writing.overwrite)
    for place, clip in zip(places, clips, strict=True):
        _read_back(clip, place, dict(contents)[place], writing)
    for place, content in contents:
        _make_folder(place.parent)
        files.write(place, content)
    return Exported(tuple(places), tuple(dict.fromkeys(notes)))


def _read_back(clip: Clip, place: Path, content: bytes, writing: Writing) -> None:
    """Read a file's content back from a temporary file; raises LoomError if its motion differs from the clip."""
    with tempfile.TemporaryDirectory(prefix="action_loom") as folder, suppress(LoomError):
        files.write(Path(folder, place.name), content)
        found = motion_file.read(Path(folder, place.name), writing.units, writing.up, sides="names").clip
        places, shown = kinematics.world(found)[1], kinematics.world(clip)[1]
        same = places.shape == shown.shape and np.isclose(found.rate, clip.rate, rtol=1e-3)
        if same and np.allclose(places, shown, rtol=0.0, atol=export_models.NEAR * clip.skeleton.height):
            return
    raise LoomError(f"{place.name}: {clip.name} was not read back: nothing was kept")


def _export_models(
    context: bpy.types.Context,
    armature: bpy.types.Object,
    actions: Sequence[bpy.types.Action],
    places: Sequence[Path],
    writing: Writing,
) -> steps.Steps[Exported]:
    notes: list[str] = []
    _make_folder(places[0].parent)
    with tempfile.TemporaryDirectory(dir=places[0].parent, prefix=".action_loom") as folder:
        for done, (action, place) in enumerate(zip(actions, places, strict=True)):
            yield done / len(actions), f"writing {place.name}"
            made = Path(folder, place.name)
            notes += export_models.export(context, armature, action, made, deform_only=writing.deform_only)
        for place in places:
            os.replace(Path(folder, place.name), place)
    return Exported(tuple(places), tuple(dict.fromkeys(notes)))


def _actions(armature: bpy.types.Object, names: Sequence[str]) -> list[bpy.types.Action]:
    if not names:
        data = armature.animation_data
        if data is None or data.action is None:
            raise LoomError(f"{armature.name} has no action: play one, or tick actions in the list")
        return [data.action]
    actions = []
    for name in names:
        action = find_named(bpy.data.actions, name)
        if action is None:
            raise LoomError(f"There is no action named {name!r}")
        actions.append(action)
    return actions


def _places(path: str, actions: Sequence[bpy.types.Action], suffix: str) -> list[Path]:
    """Return the file of each action; a single action goes to the path itself unless that is a folder."""
    if not path:
        raise LoomError("Choose a file to write to, or a folder for several")
    place = Path(path)
    is_folder = path.endswith(("/", os.sep)) or place.is_dir()
    if len(actions) == 1 and not is_folder:
        return [place]
    # The file browser may pass a file name where a folder is needed.
    named_file = place.suffix.lower() in (*registry.writable(), *export_models.WRITABLE)
    folder = place.parent if named_file and not is_folder else place
    return [folder / files.file_name(action.name, suffix) for action in actions]


def _check(places: Sequence[Path], overwrite: bool) -> None:
    """Raise LoomError for paths that can't be written or must not be overwritten, before any other work."""
    for place in places:
        if place.is_dir():
            raise LoomError(f"{place} is a folder: name a file")
        if not place.parent.is_dir() and not place.parent.parent.is_dir():
            raise LoomError(f"{place}: there is no folder {place.parent}")
        if place.exists() and not overwrite:
            raise LoomError(f"{place} exists already: choose another name, or Overwrite")
    twice = files.find_repeated(places)
    if twice is not None:
        raise LoomError(f"Two actions would be written to {twice}: rename one, or export them one by one")


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise LoomError(f"{folder} can't be made ({error.strerror})") from None
