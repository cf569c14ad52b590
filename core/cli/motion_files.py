"""Motion files as the host of a command line: clips are read from files, and results are written to files.

numpy is loaded when a command reads options or clips, so that --help and --version answer at once.
"""

import argparse
import glob
import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from ..errors import LoomError, OptionError
from ..formats.registry import writable
from ..options import Option
from ..recipes.base import Recipe
from ..recipes.points import FromPoints
from ..verbs import VERBS, take
from . import cuts
from .host import Command, Destination, Host, Settings, Sources


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


_NEEDS_OUTPUT = ("blend", "graph", "follow", "walk", "shortest")  # verbs whose figures alone are not useful


class MotionFiles(Host):
    """The host of `action-loom`: motion files of all formats."""

    name = usage = "action-loom"
    clip = "CLIP"  # or CLIP[FIRST:LAST]
    resumes = True
    partners = True
    making: Mapping[str, Option] = {}

    @cached_property
    def reading(self) -> Mapping[str, Option]:  # type: ignore[override]
        from . import reading

        return reading.OPTIONS

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
        from . import file_sources

        return file_sources.read(clips, settings)

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
        from ..formats import motion_file

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
