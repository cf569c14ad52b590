"""Bring stretches of motion files that a library found onto an armature's body, as ghosts or for import."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ....core.errors import LibraryError, LoomError
from ....core.formats import motion_file
from ....core.library import stretches
from ....core.motion import resample, root_motion
from ....core.progress import Progress
from . import onto_armature
from .onto_armature import File, Moved, Receiver


@dataclass(frozen=True)
class Stretch:
    """Frames first … last of a motion file, counted from 0, and whether they are mirrored."""

    path: str
    first: int
    last: int
    mirrored: bool = False


@dataclass(frozen=True)
class Coming:
    """How stretches are brought onto an armature.

    rate : frames per second to resample to; 0 keeps the file's
    place, facing : start on the ground (metres) and heading there (radians); None keeps the file's
    """

    rate: float
    plant_feet: bool = True
    place: tuple[float, float] | None = None
    facing: float = 0.0


def bring_stretches(
    stretches: Sequence[Stretch], to: Receiver, how: Coming, progress: Progress
) -> list[Moved | LoomError]:
    """Return stretches on an armature's body, or the error of each that can't be brought; every file is read once.

    No Blender data is touched, so this can run in a thread.
    """
    read: dict[str, motion_file.MotionFile | LoomError] = {}
    made: list[Moved | LoomError] = []
    for k, one in enumerate(stretches):
        progress.at(k / len(stretches), f"reading {os.path.basename(one.path)}")
        if one.path not in read:
            read[one.path] = _read(one.path)
        content = read[one.path]
        try:
            made.append(content if isinstance(content, LoomError) else _bring_clip(content, one, to, how))
        except LoomError as error:
            made.append(error)
    return made


def _read(path: str) -> motion_file.MotionFile | LoomError:
    if not os.path.isfile(path):
        return LibraryError(f"The file {path} is not there any more: bring it back, or add its folder again")
    try:
        return motion_file.read(path)
    except LoomError as error:
        return error


def _bring_clip(content: motion_file.MotionFile, one: Stretch, to: Receiver, how: Coming) -> Moved:
    clip = content.clip
    if not 0 <= one.first <= one.last < len(clip):
        raise LibraryError(
            f"{one.path} has {len(clip)} frames, not {one.last + 1} any more: add its folder again, and find anew"
        )
    cut = stretches.cut(replace(clip, channels={}), one.first, one.last, mirrored=one.mirrored)
    at_rate = resample.to_rate(cut, how.rate) if how.rate else cut
    file = File(at_rate, content.turned, clip.rate)
    own = onto_armature.on_its_bones(file, to)
    moved = own or onto_armature.carried_onto(file, to, plant_feet=how.plant_feet)
    if how.place is None:
        return moved
    return replace(moved, clip=root_motion.beginning_at(moved.clip, np.array(how.place), how.facing))
