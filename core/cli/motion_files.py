"""Motion files as what a command line works on: clips are read from them, and results are files of their own."""

import argparse
import dataclasses
import glob
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import OptionError
from ..motion import bvh, units
from ..motion.clip import Clip
from ..options import Option, by_name
from ..weave.woven import Woven
from .host import Destination, Host, Settings, Sources


@dataclass(frozen=True)
class Units(Option):
    """A unit of length: auto, a name, or metres."""

    def checked(self, value: Any) -> Any:
        if value != "auto":
            units.metres(value)
        return value


@dataclass(frozen=True, eq=False)
class _Source:
    """A clip, the file it came from, and the convention it was read by."""

    clip: Clip
    motion: bvh.Motion
    convention: bvh.Convention


@dataclass(frozen=True, eq=False)
class _Files(Sources):
    sources: tuple[_Source, ...]

    @property
    def clips(self) -> list[Clip]:
        return [source.clip for source in self.sources]

    def report(self) -> dict[str, Any]:
        return {
            "inputs": [source.motion.path for source in self.sources],
            "units": [dataclasses.asdict(source.convention) for source in self.sources],
        }

    def facts(self) -> dict[str, Any]:
        convention = self.sources[0].convention
        return {
            "clip": self.sources[0].motion.path,
            "unit": convention.unit,
            "metres_per_unit": convention.metres,
            "up": convention.up,
            "guessed": convention.guessed,
        }

    def motion(self, woven: Woven) -> bvh.Motion:
        reference = self.sources[woven.reference]
        return bvh.from_clip(woven.clip, reference.motion, reference.convention)


class MotionFiles(Host):
    """The host of `action-loom`: BVH files."""

    name = usage = "action-loom"
    clip = "CLIP"
    reading = by_name(
        Units("units", "auto", f"Of the files: auto, {', '.join(units.UNITS)} or metres a unit"),
        Option("up", "auto", "The files' upward axis", choices=bvh.UPS),
    )
    making: Mapping[str, Option] = {}

    def add_verbs(self, verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
        pass

    def add_output(self, parser: argparse.ArgumentParser, verb: str) -> None:
        if verb != "run":  # a job file says where results go
            text = "the result; in a folder (FOLDER/), the file is named after it"
            parser.add_argument("-o", "--output", metavar="OUT.bvh", required=verb == "blend", help=text)

    def destination(self, arguments: argparse.Namespace) -> Destination:
        return Destination(getattr(arguments, "output", None))

    def read(self, clips: Sequence[str], settings: Settings) -> Sources:
        sources = []
        for path in clips:
            motion = bvh.read(path)
            clip, convention = bvh.to_clip(motion, unit=settings["units"], up=settings["up"])
            sources.append(_Source(clip, motion, convention))
        return _Files(tuple(sources))

    def matching(self, key: str, pattern: str, folder: str, settings: Settings) -> list[str]:
        """Return the file of that name, or else the files that match, in alphabetical order."""
        pattern = os.path.expanduser(pattern)
        named = os.path.join(folder, pattern)
        if os.path.isfile(named):
            return [named]
        if not set(pattern) & set("*?["):
            raise OptionError(f"{key}: there is no file {named}")
        # The folder is no pattern, whatever letters it has.
        found = glob.glob(os.path.join(glob.escape(folder), pattern), recursive=True)
        files = sorted(file for file in found if os.path.isfile(file))
        if not files:
            raise OptionError(f"{key}: no file matches {named}")
        return files

    def every(self, settings: Settings) -> list[str]:
        return []

    def title(self, clip: str) -> str:
        return Path(clip).stem

    def called(self, settings: Settings) -> str:
        return ""

    def file_of(self, clip: str) -> str | None:
        return clip

    def told(self, facts: Mapping[str, Any]) -> str:
        guess = "guessed" if facts["guessed"] else "as asked"
        unit = facts["unit"]
        if unit == "unknown":
            unit = "no unit makes this body a person's size, read as metres"
        return f"units: {unit}, {facts['up']} up ({guess})"

    def place(self, destination: Destination) -> Path | None:
        return None

    def save(self, destination: Destination) -> None:
        pass
