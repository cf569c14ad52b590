"""Read a motion file of any format as a clip, and compose the contents of a file from a clip."""

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
    """How a file's numbers became metres and Z up, and whether any of it was guessed."""

    unit: str
    metres: float
    up: str
    guessed: bool


@dataclass(frozen=True)
class Reading:
    """How a file is read.

    unit : auto, m, dm, cm, mm, inch, cmu (5.64 cm), or a number of metres; up : auto, y or z
    skeleton : the file of the skeleton, for formats that keep it in another file; "" is the one beside
    amc_rate : frames per second of AMC files, which do not state it; 0 is 120
    wanted_rate : frames per second that are enough, if every n-th frame of the file gives them; 0 is all frames
    """

    unit: str = "auto"
    up: str = "auto"
    skeleton: str = ""
    amc_rate: float = 0.0
    wanted_rate: float = 0.0

    def every(self, rate: float) -> int:
        """Return n where every n-th frame of a file at this rate is kept."""
        every = round(rate / self.wanted_rate) if self.wanted_rate else 1
        return every if every > 1 and abs(rate / every - self.wanted_rate) < 1e-6 * self.wanted_rate else 1


@dataclass(frozen=True, eq=False)
class MotionFile:
    """A motion file as it was read.

    turned : for which joints it has rotations, even if they never turn
    layout : what its format needs to write another clip like it, None where it needs nothing
    skeleton : the file from which its skeleton was read, None where that is the file itself
    notes : assumptions made because the file does not state them, a sentence each
    frames, rate : of the file, whose frames may not all be in the clip (`Reading.wanted_rate`)
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
    """Read a motion file of any known format; for the arguments see `Reading`.

    Raises MotionFileError with file, line and what was expected instead, and OptionError for a unit or an axis.

    Example:
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> from action_loom.core.figure import actions
        >>> from action_loom.core.formats import motion_file
        >>> with TemporaryDirectory() as folder:
        ...     path = Path(folder, "walk.bvh")
        ...     _ = path.write_bytes(motion_file.compose(actions.walk(cycles=1), path))
        ...     motion = motion_file.read(path)
        >>> motion.clip.name, motion.clip.rate, motion.convention.unit, motion.convention.up
        ('walk', 30.0, 'cm', 'y')
    """
    row = registry.read_by(os.fspath(path))
    found: MotionFile = load(row.read)(path, Reading(unit, up, skeleton, amc_rate, wanted_rate))
    return found


def skeleton_of(path: str | os.PathLike[str], skeleton: str = "") -> str | None:
    """Return the file from which the skeleton of a motion file is read, None where that is the file itself.

    skeleton : the asked file, "" for the one beside. Raises MotionFileError where there is none.

    Example:
        >>> from action_loom.core.formats import motion_file
        >>> motion_file.skeleton_of("01_02.amc", "01.asf"), motion_file.skeleton_of("walk.bvh")
        ('01.asf', None)
    """
    row = registry.read_by(os.fspath(path))
    if not row.skeletons:
        return None
    return skeleton or str(_beside(Path(path), row.skeletons))


def _beside(path: Path, suffix: str) -> Path:
    """Return the skeleton beside a file: named like it, or like its name up to an underscore, else the only one."""
    try:
        files_beside = sorted(file for file in os.listdir(path.parent) if file.lower().endswith(suffix))
        there = {Path(file).stem.lower(): path.parent / file for file in files_beside}
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
    """Return the format in which a file is written; for a device or a pipe the default. Raises OptionError.

    Example:
        >>> from action_loom.core.formats import motion_file
        >>> motion_file.format_of("walk.bvh").label
        'BVH'
    """
    if files.takes_bytes(Path(path)):
        return registry.FORMATS[registry.DEFAULT]
    return registry.written_by(os.fspath(path))


def compose(
    clip: Clip, path: str | os.PathLike[str], like: MotionFile | None = None, convention: Convention | None = None
) -> bytes:
    """Return a clip as the contents of a file, in the format of its path.

    like : a file whose units and axes are used and, if it has the same format, its layout; without it `convention`
    Raises OptionError for a format that can't be written, and SkeletonError for motion that it can't hold.

    Example:
        >>> from action_loom.core.figure import actions
        >>> from action_loom.core.formats import motion_file
        >>> motion_file.compose(actions.walk(cycles=1), "walk.bvh").split(b"\\n")[:2]
        [b'HIERARCHY', b'ROOT hips']
    """
    row = format_of(path)
    convention = like.convention if like is not None else convention
    same_format = like is not None and like.path.lower().endswith(row.suffix)
    content: bytes = load(row.compose)(clip, like if same_format else None, convention)
    return content
