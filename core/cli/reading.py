"""Options of reading motion files, as flags and as keys of job files."""

from dataclasses import dataclass
from typing import Any

from ..formats import motion_file, units
from ..formats.motion_file import MotionFile
from ..motion import roles
from ..options import Choice, Option, by_name
from .host import FilePath, Settings
from .listed import Contacts


@dataclass(frozen=True)
class Units(Option):
    """A unit of length: auto, a name, or metres."""

    def checked(self, value: Any) -> Any:
        if value != "auto":
            units.metres(value)
        return value


# Options that few files need.
MISSING = by_name(
    FilePath("skeleton", "", "The .asf file of AMC files (default: the one beside each)"),
    Option(
        "file_rate",
        0.0,
        "Frames per second of the files; 0 is their own, or 120 for AMC files",
        minimum=0.0,
        maximum=1000.0,
        aliases=("rate", "amc_rate"),
    ),
    Option(
        "sides", motion_file.AUTO, "Which side joints named left are on", choices=tuple(map(Choice, motion_file.SIDES))
    ),
    Option("body", "", "The root joint of the body to read, where a file has several"),
)
OPTIONS = {
    **by_name(
        Units("units", "auto", f"Of the files: auto, {', '.join(units.UNITS)} or metres a unit"),
        Option("up", "auto", "The files' upward axis", choices=tuple(map(Choice, motion_file.UPS))),
        Contacts("contacts", "", "Contacts to keep though none is found: '1 hold LR 12-40; 1 world knee.L 0-30'"),
    ),
    **MISSING,
}


def read(path: str, units: str, up: str, settings: Settings) -> MotionFile:
    """Read a motion file with the settings of `MISSING`; raises LoomError kinds."""
    chosen = {name: settings[name] for name in ("sides", "body", "skeleton")}
    return motion_file.read(path, units, up, rate=settings["file_rate"], **chosen)


def notes(file: MotionFile) -> list[str]:
    """Return sentences about doubtful parts of a file and the guessed roles of its body."""
    name = file.clip.name
    out = list(file.doubts)
    guessed = list(file.clip.skeleton.roles_found_by.values()).count(roles.SHAPE)
    if guessed >= roles.GUESSED:
        out.append(f"{name}: {guessed} body roles were guessed from its shape; info names them")
    return out
