"""Motion files as the sources of a command."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..formats import motion_file
from ..formats.conventions import folder
from ..formats.motion_file import ASKED, ASSUMED, Convention, Finding, MotionFile
from ..motion.clip import Clip
from . import cuts, listed, reading
from .host import Settings, Sources

if TYPE_CHECKING:
    from ..weave.results import Result


def read(clips: Sequence[str], settings: Settings) -> "Files":
    """Return the files of some texts, each a path or a part of a file; files of one folder share their up axis."""
    files = [_read(clip, settings) for clip in clips]
    again = folder.settle_together(files, lambda number, up: _read(clips[number], {**settings, "up": up}))
    return Files(tuple(listed.add(again, settings.get("contacts", ""))))


@dataclass(frozen=True, eq=False)
class Files(Sources):
    files: tuple[MotionFile, ...]

    @property
    def clips(self) -> list[Clip]:
        return [file.clip for file in self.files]

    @property
    def notes(self) -> list[str]:
        return list(dict.fromkeys(note for file in self.files for note in reading.notes(file)))

    def report(self) -> dict[str, Any]:
        skeletons = [file.skeleton for file in self.files]
        return {
            "inputs": [file.path for file in self.files],
            "units": [dataclasses.asdict(file.convention) for file in self.files],
            "conventions": [_describe_convention(file) for file in self.files],
            **({"skeletons": skeletons} if any(skeletons) else {}),
        }

    def facts(self) -> dict[str, Any]:
        convention = self.files[0].convention
        return {
            "clip": self.files[0].path,
            "unit": convention.unit,
            "metres_per_unit": convention.metres,
            "up": convention.up,
            "guessed": convention.guessed,
            "found": _describe_convention(self.files[0]),
            "skeleton": self.files[0].skeleton,
        }

    def compose(self, woven: "Result", path: Path) -> bytes:
        # A walk through a graph loaded from a file has the units of that graph's first clip.
        graph = getattr(woven, "graph", None)
        units = (woven.report if graph is None else graph.report).get("units")
        if units:
            return motion_file.compose(woven.clip, path, None, Convention(**units[0]))
        return motion_file.compose(woven.clip, path, self.files[woven.reference] if self.files else None)


def _describe_convention(file: MotionFile) -> dict[str, dict[str, str]]:
    """Return each part of a file's convention and how it was found; formats without findings have two parts."""
    by = ASSUMED if file.convention.guessed else ASKED
    plain = (Finding("up", file.convention.up, by), Finding("unit", file.convention.unit, by))
    return {one.part: {"value": one.value, "by": one.by} for one in file.findings or plain}


def _read(text: str, settings: Settings) -> MotionFile:
    """Read a file, or the part of it named in a text; the text becomes its path in reports."""
    file = reading.read(cuts.split(text).clip, settings["units"], settings["up"], settings)
    return dataclasses.replace(file, path=text, clip=cuts.part_of(text, file.clip))
