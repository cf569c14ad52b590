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

AUTO = "auto"
UPS = (AUTO, "y", "z", "x", "-y", "-z", "-x")
NAMED, EXCHANGED = "names", "exchanged"
SIDES = (AUTO, NAMED, EXCHANGED)
# Sources of a part of a file's convention: the file, the motion, common usage, or the user's choice.
OPTIONS = {"up": "up", "unit": "units", "rate": "file_rate", "sides": "sides"}  # the option that sets each part
STATED, MEASURED, ASSUMED, ASKED = "stated", "measured", "assumed", "asked"


@dataclass(frozen=True)
class Finding:
    """A part of a file's convention, and how it was found.

    part : "up", "unit", "rate" or "sides"
    value : for reports; by : STATED, MEASURED, ASSUMED or ASKED
    doubt : an unfinished sentence for the user, "" if the file is clear
    """

    part: str
    value: str
    by: str
    doubt: str = ""


@dataclass(frozen=True)
class Convention:
    """The conversion of a file's numbers to metres and Z up, and whether any of it was guessed."""

    unit: str
    metres: float
    up: str
    guessed: bool


@dataclass(frozen=True)
class Reading:
    """The options for reading a file.

    unit : auto, m, dm, cm, mm, inch, cmu (5.64 cm), or a number of metres; up : one of UPS; sides : one of SIDES
    rate : frames per second, 0 for the file's own (120 for AMC files, which do not state it)
    body : the root joint of the body to read, "" for the only one
    skeleton : the skeleton file, for formats with a separate one; "" finds it next to the motion file
    wanted_rate : a sufficient number of frames per second, if every n-th frame gives it; 0 reads all frames
    """

    unit: str = AUTO
    up: str = AUTO
    rate: float = 0.0
    sides: str = AUTO
    body: str = ""
    skeleton: str = ""
    wanted_rate: float = 0.0

    def every(self, rate: float) -> int:
        """Return n if every n-th frame of a file at this rate is to be read."""
        every = round(rate / self.wanted_rate) if self.wanted_rate else 1
        return every if every > 1 and abs(rate / every - self.wanted_rate) < 1e-6 * self.wanted_rate else 1


@dataclass(frozen=True, eq=False)
class MotionFile:
    """A motion file as read.

    turned : flags of joints that have rotations, even if they never turn
    layout : data of its format for writing a similar file, or None
    skeleton : the file of its skeleton, None if that is the file itself
    findings : how unit, axes, rate and sides were found
    notes : other observations as sentences that name the clip
    frames, rate : of the file, which may have more frames than the clip (`Reading.wanted_rate`)
    """

    path: str
    clip: Clip
    convention: Convention
    turned: tuple[bool, ...]
    layout: Any = None
    skeleton: str | None = None
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    frames: int = 0
    rate: float = 0.0

    def __post_init__(self) -> None:
        if not self.frames:
            object.__setattr__(self, "frames", len(self.clip))
            object.__setattr__(self, "rate", self.clip.rate)

    @property
    def doubts(self) -> tuple[str, ...]:
        """Sentences on doubtful parts of the file, which name the clip."""
        found = (one for one in self.findings if one.doubt)
        return (*(f"{self.clip.name}: {one.doubt} (option {OPTIONS[one.part]})" for one in found), *self.notes)


def read(
    path: str | os.PathLike[str],
    unit: str = AUTO,
    up: str = AUTO,
    *,
    rate: float = 0.0,
    sides: str = AUTO,
    body: str = "",
    skeleton: str = "",
    wanted_rate: float = 0.0,
) -> MotionFile:
    """Read a motion file of any known format; for the arguments see `Reading`.

    Raises MotionFileError with the file, the line and the expected text, SeveralBodiesError for a file with several
    bodies and no chosen one, and OptionError for an invalid unit, axis or sides.

    Example:
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.formats import motion_file
        >>> with TemporaryDirectory() as folder:
        ...     path = Path(folder, "walk.bvh")
        ...     _ = path.write_bytes(motion_file.compose(actions.walk(cycles=1), path))
        ...     motion = motion_file.read(path)
        >>> motion.clip.name, motion.clip.rate, motion.convention.unit, motion.convention.up
        ('walk', 30.0, 'cm', 'y')
    """
    row = registry.read_by(os.fspath(path))
    found: MotionFile = load(row.read)(path, Reading(unit, up, rate, sides, body, skeleton, wanted_rate))
    return found


def skeleton_of(path: str | os.PathLike[str], skeleton: str = "") -> str | None:
    """Return the file of a motion file's skeleton, None if that is the file itself.

    skeleton : the requested file, "" for one next to the motion file. Raises MotionFileError if there is none.

    Example:
        >>> from action_loom.core.formats import motion_file
        >>> motion_file.skeleton_of("01_02.amc", "01.asf"), motion_file.skeleton_of("walk.bvh")
        ('01.asf', None)
    """
    row = registry.read_by(os.fspath(path))
    if not row.skeletons:
        return None
    return skeleton or str(_find_skeleton_file(Path(path), row.skeletons))


def _find_skeleton_file(path: Path, suffix: str) -> Path:
    """Return the skeleton file next to a file, with its name or a prefix up to an underscore, or else the only one."""
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
    """Return the format for writing a file; for a device or a pipe the default. Raises OptionError.

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

    like : a file that supplies units and axes and, if it has the same format, its layout; without it `convention` is
        used
    Raises OptionError for a format that can't be written, and SkeletonError for motion that it can't represent.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.formats import motion_file
        >>> motion_file.compose(actions.walk(cycles=1), "walk.bvh").split(b"\\n")[:2]
        [b'HIERARCHY', b'ROOT hips']
    """
    row = format_of(path)
    convention = like.convention if like is not None else convention
    same_format = like is not None and like.path.lower().endswith(row.suffix)
    content: bytes = load(row.compose)(clip, like if same_format else None, convention)
    return content
