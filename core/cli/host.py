"""The host of a command line: motion files, or the actions of a file opened in Blender.

Verbs, their options and job files are the same everywhere; a host defines the source of clips and the destination of
results.
"""

import argparse
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from ..errors import OptionError
from ..options import Option
from ..recipes.base import Recipe
from ..verbs import VERBS, Verb

if TYPE_CHECKING:  # numpy is loaded when a command needs it
    from ..motion.clip import Clip
    from ..weave.results import Result

Settings = Mapping[str, Any]


@dataclass(frozen=True)
class Destination:
    """The destination of results.

    export : a motion file, or a folder for it, or None
    save, copy : whether to save the opened file, and the file for a copy of it; for hosts with an opened file
    """

    export: str | None = None
    save: bool = False
    copy: Path | None = None


@dataclass(frozen=True)
class Kept:
    """The name of a result in the opened file, and notes for the user."""

    name: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class FilePath(Option):
    """A file name, relative to the job file's folder in a job file."""


@dataclass(frozen=True)
class Command:
    """A command of the command line.

    summary : its line in the list of commands; details : more of it on its own page
    add : the function that adds its arguments to a parser
    """

    summary: str
    add: Callable[[argparse.ArgumentParser, Any], None]
    details: str = ""


@dataclass(frozen=True)
class PerClip(Option):
    """A value for each of some clips: on a command line CLIP=VALUE, repeated; in a job file a table."""

    def checked(self, value: Any) -> dict[str, Any]:
        pairs = value.items() if isinstance(value, dict) else map(self._pair, value)
        return {clip: self.one(clip, given) for clip, given in pairs}

    def _pair(self, text: str) -> tuple[str, str]:
        clip, found, value = text.rpartition("=")
        if not found or not clip:
            raise OptionError(f"{self.name} is {text!r}, but must be a clip's name, =, and its {self.name}")
        return clip, value

    def one(self, clip: str, value: Any) -> Any:
        """Return the value of a clip in its own type; raises OptionError."""
        raise NotImplementedError


class Sources(ABC):
    """Clips as read, with facts that only their host knows."""

    @property
    @abstractmethod
    def clips(self) -> "list[Clip]": ...

    @property
    def partner(self) -> "Sources | None":
        """Return the clips of a second figure, if the settings name one."""
        return None

    @property
    def notes(self) -> list[str]:
        """Notes on reading as sentences, such as omissions and their reasons."""
        return []

    @abstractmethod
    def report(self) -> dict[str, Any]:
        """Return the part of a result's report on its sources."""

    @abstractmethod
    def facts(self) -> dict[str, Any]:
        """Return additional facts about the first clip for `info`."""

    @abstractmethod
    def compose(self, woven: "Result", path: Path) -> bytes:
        """Return a result as the contents of a motion file, in the format of its path; raises LoomError kinds."""

    def keep(self, recipe: Recipe, woven: "Result") -> Kept:
        """Keep a result in the opened file; for hosts with one."""
        raise NotImplementedError


class Host(ABC):
    """The source of clips and destination of results; it is pickled with its jobs for other processes.

    name, usage : the beginning of messages, and of usage lines
    clip : the name of a clip argument in usage lines
    reading : settings that select clips and how they are read, as flags and keys of job files
    making : further settings, of results
    single : settings for a single result
    lists : whether it can list all clips
    parallel, draws : whether it can run several jobs at a time, and draw pictures
    resumes : whether the results of a stopped run are kept
    several_bodies : whether clips can have different bodies, so that retargeting makes sense
    partners : whether clips of a second figure can be given beside those of the first
    """

    name: ClassVar[str]
    usage: ClassVar[str]
    clip: ClassVar[str]
    lists: ClassVar[bool] = False
    parallel: ClassVar[bool] = True
    draws: ClassVar[bool] = True
    resumes: ClassVar[bool] = False
    several_bodies: ClassVar[bool] = True
    partners: ClassVar[bool] = False

    reading: Mapping[str, Option]
    making: Mapping[str, Option]
    single: frozenset[str] = frozenset()

    @property
    def verbs(self) -> dict[str, Verb]:
        """The verbs of the registry available in this host."""
        return {verb: row for verb, row in VERBS.items() if self.several_bodies or not row.several_bodies}

    @property
    def recipes(self) -> dict[str, type[Recipe]]:
        """The recipes of its job files, by their verbs."""
        return {verb: row.recipe for verb, row in self.verbs.items()}

    @property
    def settings(self) -> dict[str, Option]:
        return {**self.reading, **self.making}

    def check_picture(self, picture: str | None) -> None:
        """Raise OptionError for a picture that can't be drawn here."""
        if picture is not None and not self.draws:
            raise OptionError("pictures are not drawn inside Blender, which has no matplotlib: action-loom draws them")

    @property
    @abstractmethod
    def commands(self) -> "Mapping[str, Command]":
        """Return the commands of this host only, by name."""

    @abstractmethod
    def add_output(self, parser: argparse.ArgumentParser, verb: str) -> None:
        """Add a verb's flags for the destination of its results."""

    @abstractmethod
    def destination(self, arguments: argparse.Namespace) -> Destination:
        """Return the destination of results; raises OptionError if there would be none."""

    @abstractmethod
    def read(self, clips: Sequence[str], settings: Settings, recipe: Recipe | None = None) -> Sources:
        """Read clips, optionally for a recipe; raises LoomError kinds that name an unreadable clip."""

    @abstractmethod
    def matching(self, key: str, pattern: str, folder: str, settings: Settings) -> list[str]:
        """Return the clips that match a pattern in a job file; raises LoomError kinds that start with its key."""

    @abstractmethod
    def every(self, settings: Settings) -> list[str]:
        """Return all clips, for hosts that can list them; raises LoomError kinds."""

    @abstractmethod
    def title(self, clip: str) -> str:
        """Return the name of a clip for use in names of results."""

    @abstractmethod
    def wanted_name(self, settings: Settings) -> str:
        """Return the result's name as requested by the user, "" for a name by its clips."""

    @abstractmethod
    def file_of(self, clip: str) -> str | None:
        """Return the file of a clip, None if it has none of its own."""

    @abstractmethod
    def skeleton_of(self, clip: str, settings: Settings) -> str | None:
        """Return the file of a clip's skeleton, None if it is the clip's own."""

    @abstractmethod
    def about_file(self, facts: Mapping[str, Any]) -> str:
        """Return this host's words for a clip's facts in the line of `info` about the body."""

    @abstractmethod
    def place(self, destination: Destination) -> Path | None:
        """Return the file that keeps results, or None."""

    @abstractmethod
    def save(self, destination: Destination) -> None:
        """Save the opened file with its results; raises LoomError."""
