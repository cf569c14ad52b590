"""The registry of motion file formats: one row each, the only place that names them.

A new format is a module that reads and writes it, and a row here. Standard library only, because menus and file
browsers show the rows.
"""

from pathlib import PurePath
from typing import NamedTuple

from ..additions import Registry, Source
from ..errors import MotionFileError, OptionError


class Format(NamedTuple):
    """A format; functions are named as `entry_points` loads them, or given.

    suffix : of its files, in lower case; label : its name; about : a sentence
    read : takes a path and a Reading (see `motion_file.read`); returns a MotionFile
    compose : takes a clip, an optional MotionFile as a model, and an optional Convention; returns the contents of a
        file. "" for a read-only format
    skeletons : suffix of separate skeleton files, "" if each file contains its skeleton
    """

    suffix: str
    label: str
    about: str
    read: Source
    compose: Source = ""
    skeletons: str = ""


_ROWS = (
    Format(
        ".bvh",
        "BVH",
        "Biovision hierarchy: joints with offsets, Euler angles frame by frame",
        "formats.bvh:read_file",
        "formats.bvh:compose",
    ),
    Format(
        ".amc",
        "ASF/AMC",
        "Acclaim: angles bone by bone, of a skeleton in an .asf file beside",
        "formats.amc:read_file",
        skeletons=".asf",
    ),
)
FORMATS = Registry("formats", Format, _ROWS, lambda row: row.suffix)
OF_BLENDER = (".fbx", ".glb", ".gltf")  # formats read by Blender's own importers
DEFAULT = ".bvh"  # default format of results


def readable() -> tuple[str, ...]:
    """Return the suffixes of formats that can be read.

    Example:
        >>> from action_loom.core.formats import registry
        >>> ".bvh" in registry.readable()
        True
    """
    return tuple(FORMATS)


def writable() -> tuple[str, ...]:
    """Return the suffixes of formats that can be written.

    Example:
        >>> from action_loom.core.formats import registry
        >>> ".bvh" in registry.writable()
        True
    """
    return tuple(suffix for suffix, row in FORMATS.items() if row.compose)


def _row_of(path: str) -> Format | None:
    """Return the format of a file by its suffix, None for an unknown one."""
    suffix = PurePath(path).suffix.lower()
    if suffix not in FORMATS:
        FORMATS.load_installed()
    return FORMATS.get(suffix)


def read_by(path: str) -> Format:
    """Return the format that reads a file, by its suffix; raises MotionFileError for an unknown one.

    Example:
        >>> from action_loom.core.formats import registry
        >>> registry.read_by("walk.BVH").suffix
        '.bvh'
    """
    suffix = PurePath(path).suffix.lower()
    row = _row_of(path)
    motions = [other.suffix for other in FORMATS.values() if suffix and other.skeletons == suffix]
    if motions:
        raise MotionFileError(path, None, f"this is a skeleton without motion: name the {motions[0]} file instead")
    if suffix in OF_BLENDER:
        command = "blender --background FILE.blend --command action_loom VERB"
        raise MotionFileError(path, None, f"Blender reads {suffix} files: import it there, then type {command}")
    if row is None:
        raise MotionFileError(path, None, f"its name does not end like that of a motion file: {', '.join(readable())}")
    return row


def written_by(path: str) -> Format:
    """Return the format that writes a file, by its suffix; raises OptionError for one that can't be written."""
    row = _row_of(path)
    if row is None or not row.compose:
        raise OptionError(f"{path} does not end like a motion file that can be written: {', '.join(writable())}")
    return row
