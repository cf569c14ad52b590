"""The journal of a job file: what its runs have made, so that one that was stopped goes on where it was.

It has a line of JSON for each job, written just before the job's files are: a hash of all that was asked, the hashes of
the files' contents, and the report. A job is done where the same is asked and its files have these contents. A file
that is as the journal says is ours to replace; any other is not. Each part of a job file has a journal of its own,
since machines write them side by side; who goes on with a run reads all of them.
"""

import glob
import hashlib
import json
import logging
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import files
from ..errors import LoomError, OptionError
from . import outputs
from .job import Job, Made
from .parts import Part

ENDING = ".journal"

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Entry:
    """What has been made of a job: files by path with the hashes of their contents."""

    asked: str
    name: str
    files: dict[str, str]
    report: dict[str, Any]

    def line(self) -> bytes:
        return outputs.as_json(vars(self), indent=None)


class Journal:
    """What runs of a job file have made: `read` what earlier ones have, then `begin`, and `note` what this one makes.

    kept : whether there is one, where the job file has a place for it; a pipe has none
    part : whose journal it is, None for that of all jobs
    resumes : whether this run goes on with earlier ones
    """

    def __init__(self, job_file: str, *, kept: bool, part: Part | None = None) -> None:
        self._job_file = job_file
        self.path = Path(job_file + ("" if part is None else f".{part.tag}") + ENDING)
        self.kept, self.resumes = kept and os.path.isfile(job_file), False
        self._lines: list[bytes] = []
        self._entries: dict[str, _Entry] = {}
        self._ours: set[tuple[str, str | None]] = set()
        self._sources: dict[str, str | None] = {}

    def read(self) -> None:
        """Read what earlier runs have made; raises LoomError kinds. A line that was cut off says nothing."""
        if not self.kept:
            raise OptionError("--resume goes on with the jobs of a file, and these come from none")
        self.resumes = True
        of_parts = map(Path, glob.glob(f"{glob.escape(self._job_file)}.*-of-*{ENDING}"))
        for path in sorted({*of_parts, Path(self._job_file + ENDING)} - {self.path}):
            self._entries_of(path)
        self._lines = self._entries_of(self.path)

    def _entries_of(self, path: Path) -> list[bytes]:
        """Take in what a journal says, and return those of its lines that say anything."""
        try:
            lines = path.read_bytes().splitlines()
        except FileNotFoundError:
            return []
        except OSError as error:
            raise LoomError(f"{path}: can't be read ({error.strerror})") from None
        whole = []
        for line in lines:
            try:
                entry = _Entry(**json.loads(line))
                self._ours |= set(entry.files.items())
                self._entries[entry.asked] = entry
                whole.append(line + b"\n")
            except (ValueError, TypeError, AttributeError, RecursionError):
                _log.info("%s: a line is not whole", path)
        return whole

    def is_ours(self, path: Path) -> bool:
        """Return whether a file is as a run has left it."""
        return _state(path) in self._ours

    def asked(self, job: Job) -> str:
        """Return a hash of all that the files of a job come from."""
        if not self.kept:
            return ""
        skeletons = dict.fromkeys(job.host.skeleton_of(clip, job.settings) for clip in job.clips)
        read = (*map(job.host.file_of, job.clips), *skeletons, job.artefact)
        sources = [path for path in read if path is not None]
        places = (job.output, job.report, job.picture, job.timewarp)
        asked = {
            "recipe": job.recipe.to_json(),
            "settings": dict(job.settings),
            "sources": [(os.path.abspath(path), self._source(path)) for path in sources],
            "outputs": [path and outputs.identity(path) for path in places],
        }
        return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()

    def _source(self, path: str) -> str | None:
        """Return the hash of a file that is read; many jobs may read the same."""
        if path not in self._sources:
            self._sources[path] = _hash_of(path)
        return self._sources[path]

    def made(self, asked: str, job: Job) -> Made | None:
        """Return what has been made of a job, None where that is nothing or its files are not as they were."""
        entry = self._entries.get(asked)
        if entry is None or not all(_state(path) in entry.files.items() for path in job.outputs):
            return None
        return Made(entry.name, {}, entry.report, "")

    def begin(self) -> None:
        """Begin the journal of this run with what is known of earlier ones."""
        if self.kept:
            self._write(lambda: files.write(self.path, b"".join(self._lines)))

    def note(self, asked: str, made: Made) -> None:
        """Note what has been made of a job and is about to be written."""
        if self.kept:
            contents = {outputs.identity(path): content for path, content in made.contents.items()}
            hashes = {path: hashlib.sha256(content).hexdigest() for path, content in contents.items()}
            self._write(lambda: self._append(_Entry(asked, made.name, hashes, made.report).line()))

    def _append(self, line: bytes) -> None:
        with open(self.path, "ab", buffering=0) as stream:
            stream.write(line)

    def _write(self, write: Callable[[], None]) -> None:
        """Write to the journal; where that can't be done, what is made is worth more than going on with it later."""
        try:
            write()
        except (OSError, LoomError) as error:
            self.kept = False
            _log.warning("%s: this run can't be resumed", error)


def _state(path: Path) -> tuple[str, str | None]:
    """Return what tells a file as it is now from any other, and from itself with another content."""
    return outputs.identity(path), _hash_of(path)


def _hash_of(path: Path | str) -> str | None:
    """Return the hash of a file's content, None where there is no such file."""
    if not os.path.isfile(path):
        return None
    try:
        with open(path, "rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return None
