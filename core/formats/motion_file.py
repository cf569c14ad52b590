"""A motion file of any format as a clip, and clips as the contents of files."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import files
from ..entry_points import load
from ..motion.clip import Clip
from . import registry

UPS = ("auto", "y", "z")


@dataclass(frozen=True)
class Convention:
    """How a file's numbers became metres and Z up, and whether that was asked for or guessed."""

    unit: str
    metres: float
    up: str
    guessed: bool


@dataclass(frozen=True, eq=False)
class MotionFile:
    """What a file says.

    turned : of which joints it tells the rotation, even where they never turn
    layout : what its format needs to write another clip like it, None where it needs nothing
    """

    path: str
    clip: Clip
    convention: Convention
    turned: tuple[bool, ...]
    layout: Any = None


def read(path: str | os.PathLike[str], unit: str = "auto", up: str = "auto") -> MotionFile:
    """Read a motion file of any known format.

    unit : auto, m, dm, cm, mm, inch, cmu (5.64 cm), or a number of metres; up : auto, y or z
    Raises MotionFileError with file, line and what was expected instead, and OptionError for a unit or an axis.
    """
    found: MotionFile = load(registry.read_by(os.fspath(path)).read)(path, unit, up)
    return found


def format_of(path: str | os.PathLike[str]) -> registry.Format:
    """Return the format in which a file is written; a device or a pipe takes the usual one. Raises OptionError."""
    if files.takes_bytes(Path(path)):
        return registry.FORMATS[registry.DEFAULT]
    return registry.written_by(os.fspath(path))


def compose(
    clip: Clip, path: str | os.PathLike[str], like: MotionFile | None = None, convention: Convention | None = None
) -> bytes:
    """Return the contents of a file of a clip, in the format that its path names.

    like : a file whose units, axes and layout are taken over, where it is of the same format; else `convention`.
    Raises OptionError for a format that can't be written, and SkeletonError for what it can't hold.
    """
    row = format_of(path)
    convention = like.convention if like is not None else convention
    same_format = like is not None and like.path.lower().endswith(row.suffix)
    content: bytes = load(row.compose)(clip, like if same_format else None, convention)
    return content
