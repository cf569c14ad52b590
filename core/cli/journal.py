"""The journal of a job file records the results of its runs, so that a stopped run can be resumed.

It has a line of JSON for each job, written just before the job's files: a hash of the job, the hashes of the files'
contents, and the report. A job is done if its hash matches and its files have these contents. Only files with a content
recorded in the journal may be replaced. Each part of a job file has its own journal, because machines write them
concurrently; a resumed run reads all of them.
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
from . import cuts, outputs
from .job import Job, Made
from .parts import Part

ENDING = ".journal"

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Entry:
    """The result of a job; files : the hashes of contents by path."""

    asked: str
    name: str
    files: dict[str, str]
    report: dict[str, Any]

    def line(self) -> bytes:
        return outputs.as_json(vars(self), indent=None)


class Journal:
    """The record of runs of a job file: `read` the entries of earlier runs, then `begin`, and `note` each result.

    kept : whether it is written
    part : the part it belongs to, None for all jobs
    resumes : whether this run continues earlier ones
    """

    def __init__(self, job_file: str, *, kept: bool, part: Part | None = None) -> None:
        self._job_file = job_file
        self.path = Path(job_file + ("" if part is None else f".{part.tag}") + ENDING)
        self.kept, self.resumes = kept, False
        self._lines: list[bytes] = []
        self._entries: dict[str, _Entry] = {}
        self._ours: set[tuple[str, str | None]] = set()
        self._sources: dict[str, str | None] = {}

    def read(self) -> None:
        """Read the entries of earlier runs, skipping truncated lines; raises LoomError kinds."""
        if not self.kept:
            raise OptionError("--resume goes on with the jobs of a file, and these come from none")
        self.resumes = True
        of_parts = map(Path, glob.glob(f"{glob.escape(self._job_file)}.*-of-*{ENDING}"))
        for path in sorted({*of_parts, Path(self._job_file + ENDING)} - {self.path}):
            self._entries_of(path)
        self._lines = self._entries_of(self.path)

    def _entries_of(self, path: Path) -> list[bytes]:
        """Read the entries of one journal, and return its whole lines."""
        try:
            lines = files.read(path).splitlines()
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
        """Return whether a file has a content written by a run."""
        return _state(path) in self._ours

    def asked(self, job: Job) -> str:
        """Return a hash of everything that determines the files of a job."""
        if not self.kept:
            return ""
        places = (job.output, job.report, job.picture, job.timewarp)
        asked = {
            "recipe": job.recipe.to_json(),
            "settings": dict(job.settings),
            "sources": [(os.path.abspath(path), self._source(path)) for path in job.inputs],
            "parts": [cuts.split(clip)[1:] for clip in job.clips],
            "outputs": [path and files.identity(path) for path in places],
        }
        if getattr(job, "partners", ()):
            asked |= {"partners": list(job.partners), "adapts": job.adapts}
        return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()

    def _source(self, path: str) -> str | None:
        """Return the hash of a source file, computed once, since many jobs may read the same file."""
        if path not in self._sources:
            self._sources[path] = _hash_of(path)
        return self._sources[path]

    def made(self, asked: str, job: Job) -> Made | None:
        """Return the result of a job from an earlier run, or None if there is none or its files have changed."""
        entry = self._entries.get(asked)
        if entry is None or not all(_state(path) in entry.files.items() for path in job.outputs):
            return None
        return Made(entry.name, {}, entry.report, "")

    def begin(self) -> None:
        """Start the journal of this run with the lines of earlier ones."""
        if self.kept:
            self._write(lambda: files.write(self.path, b"".join(self._lines)))

    def note(self, asked: str, made: Made) -> None:
        """Add the result of a job just before its files are written."""
        if self.kept:
            contents = {files.identity(path): content for path, content in made.contents.items()}
            hashes = {path: hashlib.sha256(content).hexdigest() for path, content in contents.items()}
            self._write(lambda: self._append(_Entry(asked, made.name, hashes, made.report).line()))

    def _append(self, line: bytes) -> None:
        with open(self.path, "ab", buffering=0) as stream:
            stream.write(line)

    def _write(self, write: Callable[[], None]) -> None:
        """Write to the journal; if that fails, the run continues but can't be resumed, because results matter more."""
        try:
            write()
        except (OSError, LoomError) as error:
            self.kept = False
            _log.warning("%s: this run can't be resumed", error)


def _state(path: Path) -> tuple[str, str | None]:
    """Return a key of a file with its current content."""
    return files.identity(path), _hash_of(path)


def _hash_of(path: Path | str) -> str | None:
    """Return the hash of a file's content, None for a missing file."""
    if not os.path.isfile(path):
        return None
    try:
        with open(path, "rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return None
