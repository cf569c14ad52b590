"""A motion file of any format as a clip, and clips as the contents of files."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import files
from ..entry_points import load
from ..errors import MotionFileError
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


@dataclass(frozen=True)
class Reading:
    """How a file is read.

    unit : auto, m, dm, cm, mm, inch, cmu (5.64 cm), or a number of metres; up : auto, y or z
    skeleton : the file of the skeleton, for formats that keep it in another; "" is the one beside
    amc_rate : frames per second of AMC files, which do not say it; 0 is 120
    wanted_rate : frames per second that are enough, where some of the file's are at that rate; 0 is all
    """

    unit: str = "auto"
    up: str = "auto"
    skeleton: str = ""
    amc_rate: float = 0.0
    wanted_rate: float = 0.0

    def every(self, rate: float) -> int:
        """Return of how many of a file's frames one is kept."""
        every = round(rate / self.wanted_rate) if self.wanted_rate else 1
        return every if every > 1 and abs(rate / every - self.wanted_rate) < 1e-6 * self.wanted_rate else 1


@dataclass(frozen=True, eq=False)
class MotionFile:
    """What a file says.

    turned : of which joints it tells the rotation, even where they never turn
    layout : what its format needs to write another clip like it, None where it needs nothing
    skeleton : the file that its skeleton was read from, None where that is the file itself
    notes : what was taken for granted because the file does not say it, a sentence each
    frames, rate : of the file, where not all of its frames are in the clip (`Reading.wanted_rate`)
    """

    path: str
    clip: Clip
    convention: Convention
    turned: tuple[bool, ...]
    layout: Any = None
    skeleton: str | None = None
    notes: tuple[str, ...] = ()
    frames: int = 0
    rate: float = 0.0

    def __post_init__(self) -> None:
        if not self.frames:
            object.__setattr__(self, "frames", len(self.clip))
            object.__setattr__(self, "rate", self.clip.rate)


def read(
    path: str | os.PathLike[str],
    unit: str = "auto",
    up: str = "auto",
    *,
    skeleton: str = "",
    amc_rate: float = 0.0,
    wanted_rate: float = 0.0,
) -> MotionFile:
    """Read a motion file of any known format, as `Reading` says.

    Raises MotionFileError with file, line and what was expected instead, and OptionError for a unit or an axis.
    """
    row = registry.read_by(os.fspath(path))
    found: MotionFile = load(row.read)(path, Reading(unit, up, skeleton, amc_rate, wanted_rate))
    return found


def skeleton_of(path: str | os.PathLike[str], skeleton: str = "") -> str | None:
    """Return the file that the skeleton of a motion file is read from, None where that is the file itself.

    skeleton : the file that is asked for, "" for the one beside. Raises MotionFileError where there is none.
    """
    row = registry.read_by(os.fspath(path))
    if not row.skeletons:
        return None
    return skeleton or str(_beside(Path(path), row.skeletons))


def _beside(path: Path, suffix: str) -> Path:
    """Return the skeleton called like a file or like what comes before one of its underscores, else the only one."""
    try:
        there = {file.stem.lower(): file for file in sorted(path.parent.iterdir()) if file.suffix.lower() == suffix}
    except OSError:
        there = {}
    stem = path.stem.lower()
    while stem:
        if stem in there:
            return there[stem]
        stem = stem.rpartition("_")[0]
    if len(there) == 1:
        return next(iter(there.values()))
    several = f"none of the {len(there)} {suffix} files beside it is called like it"
    found = several if there else f"there is no {suffix} file beside it"
    raise MotionFileError(path, None, f"{found}: put its skeleton there, or name it (option skeleton)")


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
