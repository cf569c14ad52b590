"""Options of reading motion files, as flags and as keys of job files."""

from dataclasses import dataclass
from typing import Any

from ..formats import motion_file, units
from ..formats.motion_file import MotionFile
from ..motion import roles
from ..options import Choice, Option, by_name
from .host import FilePath, Settings


@dataclass(frozen=True)
class Units(Option):
    """A unit of length: auto, a name, or metres."""

    def checked(self, value: Any) -> Any:
        if value != "auto":
            units.metres(value)
        return value


# What AMC files do not state themselves.
MISSING = by_name(
    FilePath("skeleton", "", "The .asf file of AMC files (default: the one beside each)"),
    Option("amc_rate", 0.0, "Frames per second of AMC files; 0 is 120", minimum=0.0, maximum=1000.0),
)
OPTIONS = {
    **by_name(
        Units("units", "auto", f"Of the files: auto, {', '.join(units.UNITS)} or metres a unit"),
        Option("up", "auto", "The files' upward axis", choices=tuple(map(Choice, motion_file.UPS))),
    ),
    **MISSING,
}


def read(path: str, units: str, up: str, settings: Settings) -> MotionFile:
    """Read a motion file with the settings of `MISSING`; raises LoomError kinds."""
    return motion_file.read(path, units, up, skeleton=settings["skeleton"], amc_rate=settings["amc_rate"])


def notes(file: MotionFile) -> list[str]:
    """Return what had to be assumed about a file: its unit, the roles of its body, and what its format leaves open."""
    name = file.clip.name
    out = [f"{name}: {units.note(file.convention.metres)}"] if file.convention.unit == units.UNKNOWN else []
    guessed = list(file.clip.skeleton.roles_found_by.values()).count(roles.SHAPE)
    if guessed >= roles.GUESSED:
        out.append(f"{name}: {guessed} body roles were guessed from its shape; info names them")
    return [*out, *file.notes]
