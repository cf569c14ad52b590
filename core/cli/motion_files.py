"""Motion files as the host of a command line: clips are read from files, and results are written to files."""

import argparse
import dataclasses
import glob
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import LoomError, OptionError
from ..formats import motion_file
from ..formats.conventions import folder
from ..formats.motion_file import ASKED, ASSUMED, Convention, Finding, MotionFile
from ..formats.registry import writable
from ..motion.clip import Clip
from ..options import Option
from ..recipes.base import Recipe
from ..recipes.points import FromPoints
from ..verbs import VERBS, take
from . import cuts, reading
from .host import Command, Destination, Host, Settings, Sources

if TYPE_CHECKING:
    from ..weave.results import Result


def _add_skin(parser: argparse.ArgumentParser, host: Host) -> None:
    from . import skin

    skin.add_arguments(parser, host)


def _add_take(parser: argparse.ArgumentParser, host: Host) -> None:
    from . import take_command

    take_command.add_arguments(parser, host)


def _add_points(parser: argparse.ArgumentParser, host: Host) -> None:
    from . import points_command

    points_command.add_arguments(parser, host)


COMMANDS = {
    "skin": Command("move a mesh with a clip: one OBJ file for each frame, or one .npz", _add_skin),
    "take": Command(take.SUMMARY, _add_take),
    "points": Command(FromPoints.summary, _add_points),
}


@dataclass(frozen=True, eq=False)
class _Files(Sources):
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


_NEEDS_OUTPUT = ("blend", "graph", "follow", "walk", "shortest")  # verbs whose figures alone are not useful


class MotionFiles(Host):
    """The host of `action-loom`: motion files of all formats."""

    name = usage = "action-loom"
    clip = "CLIP"  # or CLIP[FIRST:LAST]
    resumes = True
    partners = True
    reading = reading.OPTIONS
    making: Mapping[str, Option] = {}

    @property
    def recipes(self) -> dict[str, type[Recipe]]:
        from . import take_command  # loaded on use

        return {**super().recipes, take_command.Sets.verb: take_command.Sets, FromPoints.verb: FromPoints}

    commands = COMMANDS

    def add_output(self, parser: argparse.ArgumentParser, verb: str) -> None:
        if verb != "run":  # a job file has its own outputs
            graph = VERBS[verb].makes == "graph"
            text = "the graph, with its clips" if graph else "the result"
            text += "; in a folder (FOLDER/), the file is named after it"
            kind = ".npz" if graph else " | ".join(writable())
            parser.add_argument("-o", "--output", metavar=f"OUT{kind}", required=verb in _NEEDS_OUTPUT, help=text)

    def destination(self, arguments: argparse.Namespace) -> Destination:
        return Destination(getattr(arguments, "output", None))

    def read(self, clips: Sequence[str], settings: Settings, recipe: Recipe | None = None) -> Sources:
        files = [_read(clip, settings) for clip in clips]
        again = folder.settle_together(files, lambda number, up: _read(clips[number], {**settings, "up": up}))
        return _Files(tuple(again))

    def matching(self, key: str, pattern: str, folder: str, settings: Settings) -> list[str]:
        """Return the file of that name, or else the matching files in alphabetical order; a part applies to each."""
        clip = cuts.split(pattern).clip
        part, pattern = pattern[len(clip) :], os.path.expanduser(clip)
        named = os.path.join(folder, pattern)
        if os.path.isfile(named):
            return [named + part]
        if not set(pattern) & set("*?["):
            raise OptionError(f"{key}: there is no file {named}")
        # The folder is always literal, even with special characters.
        found = glob.glob(os.path.join(glob.escape(folder), pattern), recursive=True)
        files = sorted(file + part for file in found if os.path.isfile(file))
        if not files:
            raise OptionError(f"{key}: no file matches {named}")
        return files

    def every(self, settings: Settings) -> list[str]:
        return []

    def title(self, clip: str) -> str:
        cut = cuts.split(clip)
        return f"{Path(cut.clip).stem} {cut.part}".strip()

    def wanted_name(self, settings: Settings) -> str:
        return ""

    def file_of(self, clip: str) -> str | None:
        return cuts.split(clip).clip

    def skeleton_of(self, clip: str, settings: Settings) -> str | None:
        try:
            return motion_file.skeleton_of(cuts.split(clip).clip, settings["skeleton"])
        except LoomError:  # reported when the clip is read
            return None

    def about_file(self, facts: Mapping[str, Any]) -> str:
        skeleton = f"; skeleton: {facts['skeleton']}" if facts["skeleton"] else ""
        found = ", ".join(f"{part} {one['value']} ({one['by']})" for part, one in facts["found"].items())
        return f"{found}{skeleton}"

    def place(self, destination: Destination) -> Path | None:
        return None

    def save(self, destination: Destination) -> None:
        pass


def _read(text: str, settings: Settings) -> MotionFile:
    """Read a file, or the part of it named in a text; the text becomes its path in reports."""
    file = reading.read(cuts.split(text).clip, settings["units"], settings["up"], settings)
    return dataclasses.replace(file, path=text, clip=cuts.part_of(text, file.clip))
