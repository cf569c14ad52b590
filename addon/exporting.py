"""Actions as motion files."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy

from ..core import files
from ..core.errors import LoomError
from ..core.motion import bvh, units
from ..core.motion.bvh import Convention
from ..core.progress import Progress
from . import rates
from .bridge import clip as clips
from .bridge import curves, rig, seen

ENDING = ".bvh"


@dataclass(frozen=True)
class Writing:
    """How actions become files: units and up of what is written, poses with constraints or as keyed."""

    units: str = "cm"
    up: str = "y"
    as_seen: bool = False
    overwrite: bool = False


@dataclass(frozen=True)
class Exported:
    """The files that were written, and what the user has to know."""

    paths: tuple[Path, ...]
    notes: tuple[str, ...]


def export_actions(
    context: Any, names: Sequence[str], path: str, writing: Writing, progress: Progress
) -> Exported:
    """Write actions of the active armature, by their names, or its own where none are named; raises LoomError kinds.

    One goes into the file that the path names, several into that folder, each into a file of its name. Every file
    appears whole or not at all, and none before all actions were read.
    """
    armature = context.object
    actions = _actions(armature, names)
    places = _places(path, actions)
    _check(places, writing.overwrite)
    convention = Convention(writing.units, units.metres(writing.units), writing.up, False)
    context.view_layer.update()  # a script may have moved the armature just now
    motions = []
    notes: list[str] = []
    for done, action in enumerate(actions):
        progress.at(done / len(actions), f"reading {action.name}")
        source = _source(context.scene, armature, action, writing.as_seen)
        # What constraints pose is left out of results that are keyed; in a file it is there.
        notes.extend(source.notes[:-1] if source.hidden else source.notes)
        if source.clip.channels:
            count = len(source.clip.channels)
            notes.append(f"{action.name}: motion files have no place for {count} of its curves, which move no bone")
        motions.append(bvh.from_clip(source.clip, None, convention))
    for place, motion in zip(places, motions, strict=True):
        _make_folder(place.parent)
        bvh.write(motion, place)
    return Exported(tuple(places), tuple(dict.fromkeys(notes)))


def _actions(armature: Any, names: Sequence[str]) -> list[Any]:
    if not names:
        data = armature.animation_data
        if data is None or data.action is None:
            raise LoomError(f"{armature.name} has no action: assign one, or name those to export")
        return [data.action]
    actions = [bpy.data.actions.get(name) for name in names]
    for name, action in zip(names, actions, strict=True):
        if action is None:
            raise LoomError(f"There is no action named {name!r}")
    return actions


def _places(path: str, actions: Sequence[Any]) -> list[Path]:
    """Return the file of each action; one that is alone is written to the path itself unless that is a folder."""
    if not path:
        raise LoomError("Choose a file to write to, or a folder for several")
    place = Path(path)
    is_folder = path.endswith(("/", os.sep)) or place.is_dir()
    if len(actions) == 1 and not is_folder:
        return [place]
    # The file browser gives a file's name, too.
    folder = place if is_folder or place.suffix.lower() != ENDING else place.parent
    return [folder / files.file_name(action.name, ENDING) for action in actions]


def _check(places: Sequence[Path], overwrite: bool) -> None:
    """Raise LoomError for what can't be written or must not be overwritten, before any work is done."""
    taken: set[str] = set()
    for place in places:
        if place.is_dir():
            raise LoomError(f"{place} is a folder: name a file")
        if not place.parent.is_dir() and not place.parent.parent.is_dir():
            raise LoomError(f"{place}: there is no folder {place.parent}")
        if place.exists() and not overwrite:
            raise LoomError(f"{place} exists already: choose another name, or Overwrite")
        same = os.path.normcase(os.path.realpath(place))
        if same in taken:
            raise LoomError(f"Two actions would be written to {place}: rename one, or export them one by one")
        taken.add(same)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise LoomError(f"{folder} can't be made ({error.strerror})") from None


def _source(scene: Any, armature: Any, action: Any, as_seen: bool) -> clips.Source:
    slot = curves.choose_slot(action, armature)
    body = rig.read(armature, moving_object=clips.moves_object(action, slot))
    rate = rates.rate_of(action) or rates.of_scene(scene)
    if as_seen:
        return seen.read(scene, armature, action, body, rate, slot)
    return clips.read(armature, action, body, rate, slot)
