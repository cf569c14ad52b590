"""The host of a command line: motion files, or the actions of a file that is opened in Blender.

Verbs, their options and job files are the same everywhere; a host defines where clips come from and where results go.
"""

import argparse
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from ..errors import OptionError
from ..motion.clip import Clip
from ..options import Option
from ..recipes.base import Recipe
from ..verbs import OF_ONE_BODY, VERBS, Verb
from ..weave.results import Result

Settings = Mapping[str, Any]


@dataclass(frozen=True)
class Destination:
    """Where results go.

    export : a motion file, or a folder for it, None for none
    save, copy : whether the opened file is saved, and the file for a copy of it; for hosts with an opened file
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
    """The name of a file; in a job file it is relative to the job file's folder."""


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
    """Clips that were read, with facts that only their host knows."""

    @property
    @abstractmethod
    def clips(self) -> list[Clip]: ...

    @property
    def notes(self) -> list[str]:
        """Notes on reading, such as what was left out and why, a sentence each."""
        return []

    @abstractmethod
    def report(self) -> dict[str, Any]:
        """Return the part of a result's report on its sources."""

    @abstractmethod
    def facts(self) -> dict[str, Any]:
        """Return facts about the first clip for `info`, beside those of every clip."""

    @abstractmethod
    def compose(self, woven: Result, path: Path) -> bytes:
        """Return a result as the contents of a motion file, in the format of its path; raises LoomError kinds."""

    def keep(self, recipe: Recipe, woven: Result) -> Kept:
        """Keep a result in the opened file; for hosts with one."""
        raise NotImplementedError


class Host(ABC):
    """Where clips come from and where results go; it is pickled with its jobs for other processes.

    name, usage : the beginning of messages, and of usage lines
    clip : the name of a clip argument in usage lines
    reading : settings of which clips are read, and how; they are flags and keys of job files
    making : further settings, of results
    single : settings for one result only
    lists : whether it knows all the clips there are
    parallel, draws : whether it can do several jobs at a time, and draw pictures
    resumes : whether the results of a stopped run stay
    several_bodies : whether clips can have different bodies, so that retargeting makes sense
    """

    name: ClassVar[str]
    usage: ClassVar[str]
    clip: ClassVar[str]
    lists: ClassVar[bool] = False
    parallel: ClassVar[bool] = True
    draws: ClassVar[bool] = True
    resumes: ClassVar[bool] = False
    several_bodies: ClassVar[bool] = True

    reading: Mapping[str, Option]
    making: Mapping[str, Option]
    single: frozenset[str] = frozenset()

    @property
    def verbs(self) -> dict[str, Verb]:
        """The verbs of the registry that this host has."""
        return VERBS if self.several_bodies else OF_ONE_BODY

    @property
    def recipes(self) -> dict[str, type[Recipe]]:
        """The recipes of its job files, by their verbs."""
        return {verb: row.recipe for verb, row in self.verbs.items()}

    @property
    def settings(self) -> dict[str, Option]:
        return {**self.reading, **self.making}

    @abstractmethod
    def add_verbs(self, verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
        """Add the commands of this host alone."""

    @abstractmethod
    def add_output(self, parser: argparse.ArgumentParser, verb: str) -> None:
        """Add the flags of a verb for where its results go."""

    @abstractmethod
    def destination(self, arguments: argparse.Namespace) -> Destination:
        """Return where results go; raises OptionError where they would go nowhere."""

    @abstractmethod
    def read(self, clips: Sequence[str], settings: Settings, recipe: Recipe | None = None) -> Sources:
        """Read clips, for a recipe where one is known; raises LoomError kinds that name the clip that can't be read."""

    @abstractmethod
    def matching(self, key: str, pattern: str, folder: str, settings: Settings) -> list[str]:
        """Return the clips that match a pattern in a job file; raises LoomError kinds that begin with its key."""

    @abstractmethod
    def every(self, settings: Settings) -> list[str]:
        """Return all the clips there are, for hosts that know them; raises LoomError kinds."""

    @abstractmethod
    def title(self, clip: str) -> str:
        """Return the name of a clip for names of results."""

    @abstractmethod
    def wanted_name(self, settings: Settings) -> str:
        """Return the result's name as the user wants it, "" for a name by its clips."""

    @abstractmethod
    def file_of(self, clip: str) -> str | None:
        """Return the file from which a clip is read, None if it has none of its own."""

    @abstractmethod
    def skeleton_of(self, clip: str, settings: Settings) -> str | None:
        """Return the file from which a clip's skeleton is read, None if it is the clip's own."""

    @abstractmethod
    def about_file(self, facts: Mapping[str, Any]) -> str:
        """Return this host's words for a clip's facts in the line of `info` about the body."""

    @abstractmethod
    def place(self, destination: Destination) -> Path | None:
        """Return the file that keeps results, None where none does."""

    @abstractmethod
    def save(self, destination: Destination) -> None:
        """Save the opened file with the results kept in it; raises LoomError."""
