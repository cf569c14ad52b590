"""What a command line works on: motion files, or the actions of a file that is open in Blender.

Verbs, their options and job files are the same everywhere; a host says where clips come from and where results go.
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
    save, copy : whether the opened file is saved, and which file becomes a copy of it; for hosts that have one open
    """

    export: str | None = None
    save: bool = False
    copy: Path | None = None


@dataclass(frozen=True)
class Kept:
    """What a result is called in the opened file, and what the user has to know of it."""

    name: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class FilePath(Option):
    """The name of a file; one in a job file is beside that."""


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
    """Clips that were read, and what only their host knows of them."""

    @property
    @abstractmethod
    def clips(self) -> list[Clip]: ...

    @property
    def notes(self) -> list[str]:
        """What was left out and why, a sentence each."""
        return []

    @abstractmethod
    def report(self) -> dict[str, Any]:
        """Return what the report of a result says of its sources."""

    @abstractmethod
    def facts(self) -> dict[str, Any]:
        """Return what `info` tells of the first one, beside what every clip has."""

    @abstractmethod
    def compose(self, woven: Result, path: Path) -> bytes:
        """Return the contents of a motion file of a result, in the format of its path; raises LoomError kinds."""

    def keep(self, recipe: Recipe, woven: Result) -> Kept:
        """Keep a result in the opened file, for hosts that have one."""
        raise NotImplementedError


class Host(ABC):
    """Where clips come from and where results go; it goes from process to process with its jobs.

    name, usage : what messages and what usage lines begin with
    clip : what a clip is called in usage lines
    reading : the settings that say which clips are meant and how they are read; flags and keys of job files
    making : what else is asked of results
    single : those of them that are meant for one result only
    lists : whether it knows all the clips there are
    parallel, draws : whether it can do several jobs at a time, and draw pictures
    resumes : whether what is made of each job stays where a run is stopped
    several_bodies : whether clips have bodies of their own, so that one can be put on another's
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
        """The verbs of the registry that can be done here."""
        return VERBS if self.several_bodies else OF_ONE_BODY

    @property
    def settings(self) -> dict[str, Option]:
        return {**self.reading, **self.making}

    @abstractmethod
    def add_verbs(self, verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
        """Add verbs that only this host has."""

    @abstractmethod
    def add_output(self, parser: argparse.ArgumentParser, verb: str) -> None:
        """Add the flags of a verb that say where its results go."""

    @abstractmethod
    def destination(self, arguments: argparse.Namespace) -> Destination:
        """Return where results go; raises OptionError where nothing would come of them."""

    @abstractmethod
    def read(self, clips: Sequence[str], settings: Settings) -> Sources:
        """Read clips; raises LoomError kinds that name what can't be read."""

    @abstractmethod
    def matching(self, key: str, pattern: str, folder: str, settings: Settings) -> list[str]:
        """Return the clips that a pattern in a job file stands for; raises LoomError kinds that begin with its key."""

    @abstractmethod
    def every(self, settings: Settings) -> list[str]:
        """Return all the clips there are, for hosts that know them; raises LoomError kinds."""

    @abstractmethod
    def title(self, clip: str) -> str:
        """Return what results call a clip."""

    @abstractmethod
    def wanted_name(self, settings: Settings) -> str:
        """Return what the user wants a result to be called; "" is by its clips."""

    @abstractmethod
    def file_of(self, clip: str) -> str | None:
        """Return the file that a clip is read from, if it has one of its own."""

    @abstractmethod
    def skeleton_of(self, clip: str, settings: Settings) -> str | None:
        """Return the file that a clip's skeleton is read from, if that is another than the clip's own."""

    @abstractmethod
    def about_file(self, facts: Mapping[str, Any]) -> str:
        """Return what `info` says of a clip's facts in its line about the body."""

    @abstractmethod
    def place(self, destination: Destination) -> Path | None:
        """Return the file that results are kept in, None where they are not kept."""

    @abstractmethod
    def save(self, destination: Destination) -> None:
        """Save the opened file with what was kept in it; raises LoomError."""
