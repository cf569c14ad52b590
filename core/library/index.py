"""Index motion files: update a library from folders (methods: Libraries of clips)."""

import csv
import hashlib
import io
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from .. import files, formats, jit, processes
from ..errors import LibraryError, MotionFileError
from ..formats import motion_file, registry
from ..progress import Progress
from . import basis, feature, storage
from .ending import ENDING
from .storage import Entry

BYTES_AT_A_TIME = 8_000_000  # of files per task: about a second of work
MANY_BYTES = 30_000_000  # of files; above it, loading the compiler for a second pays off
SECONDS_KEPT = 5.0  # interval between saves of the index, which limits the work lost if the process is killed
GONE = (0, 0)  # the stamp of a missing file
LABEL_COLUMNS = ("label", "labels", "description", "category", "tags", "subject")


@dataclass(frozen=True)
class Batch:
    """A task: files to read, digests of already known content, and whether there are many such tasks."""

    paths: tuple[str, ...]
    known: frozenset[str]
    many: bool


@dataclass(frozen=True, eq=False)
class Read:
    """The content of a file; without rows if it is already known or unreadable."""

    entry: Entry
    rows: NDArray[np.float16] | None = None


@dataclass
class Changes:
    """The outcome of indexing, by file path; troubles : sentences on files without rows."""

    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    moved: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    troubles: dict[str, str] = field(default_factory=dict)


def update(
    library: str,
    folders: Sequence[str],
    *,
    labels: Mapping[str, str] | None = None,
    attempts: processes.Attempts[Batch, list[Read]] | None = None,
    progress: Progress | None = None,
) -> Changes:
    """Update a library from the motion files of folders, and return the changes.

    labels : words by file name, see `read_labels`; None keeps the existing labels
    attempts : runs the tasks (`processes.attempts` with the number of processes set); the library does not depend on it

    Files with unchanged size and time are not read again; entries of other folders are kept. An unreadable file is
    listed with its reason, and the others are still read. Raises LibraryError.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.formats import bvh
        >>> from action_loom.core.library import index
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     size = Path(folder, "wave.bvh").write_bytes(bvh.compose(actions.wave()))
        ...     first = index.update(str(Path(folder, "all.loomlib")), [folder])
        ...     second = index.update(str(Path(folder, "all.loomlib")), [folder])
        >>> [Path(path).name for path in first.added], second.added, len(second.unchanged)
        (['wave.bvh'], [], 1)
    """
    paths = files_in(folders)
    attempts = attempts or partial(processes.attempts, at_a_time=1)
    changes = Changes()
    with storage.writing(library) as writer:
        old = writer.entries
        for path in sorted(path for path in old if _is_in(path, folders) and path not in paths):
            changes.removed.append(path)
        if not paths and not changes.removed:
            kinds = ", ".join(registry.readable())
            raise LibraryError(f"There are no motion files ({kinds}) in {', '.join(folders)}: name other folders")
        new = [path for path in paths if path not in old or stamp(path) != (old[path].size, old[path].modified)]
        changes.unchanged += sorted(set(paths) - set(new))
        by_digest = {old[path].digest: path for path in changes.removed}
        known = frozenset(by_digest)
        while new:
            new = _read_all(writer, _batches(new, old, known), old, by_digest, attempts, changes, progress)
            known = frozenset()
        changes.removed = [path for path in changes.removed if path in writer.entries]
        for path in changes.removed:
            writer.remove(path)
        if labels is not None:
            _label(writer, labels)
        changes.troubles |= {p: entry.trouble for p, entry in writer.entries.items() if entry.trouble and p in paths}
    for changed in (changes.added, changes.changed, changes.moved):
        changed.sort()
    return changes


def _read_all(
    writer: storage.Writer,
    batches: Sequence[Batch],
    old: Mapping[str, Entry],
    by_digest: dict[str, str],
    attempts: processes.Attempts[Batch, list[Read]],
    changes: Changes,
    progress: Progress | None,
) -> list[str]:
    """Read batches of files into a library; return files to read again: copies of moved files."""
    kept_at, done, again = monotonic(), 0, []
    count = sum(len(batch.paths) for batch in batches)
    with closing(attempts(read, batches)) as results:
        for place, attempt in results:
            contents = attempt.result or ()
            again += [content.entry.path for content in contents if not _put(writer, content, old, by_digest, changes)]
            if attempt.result is None:
                changes.troubles |= dict.fromkeys(batches[place].paths, attempt.trouble)
            done += len(batches[place].paths)
            if progress is not None:
                progress.at(done / count, f"Reading clips ({done} of {count})")
            if monotonic() - kept_at > SECONDS_KEPT:
                writer.keep()
                kept_at = monotonic()
    return again


def files_in(folders: Sequence[str]) -> dict[str, None]:
    """Return the absolute paths of motion files in folders and subfolders, sorted; `folders` may also hold files.

    Raises LibraryError for a folder that can't be read.
    """
    paths: list[str] = []
    for folder in folders:
        if os.path.isfile(folder):
            paths.append(os.path.abspath(folder))
            continue
        for parent, below, names in os.walk(os.path.abspath(folder), onerror=_refuse):
            below[:] = [name for name in below if not name.endswith(ENDING) and not name.startswith(".")]
            paths += [os.path.join(parent, name) for name in names if name.lower().endswith(registry.readable())]
    return dict.fromkeys(sorted(paths))


def _refuse(error: OSError) -> None:
    raise LibraryError(f"{error.filename}: can't be read ({error.strerror})")


def _is_in(path: str, folders: Iterable[str]) -> bool:
    """Return whether a file is one of `folders`, or below one of them."""
    places = [os.path.abspath(folder) for folder in folders]
    return any(path == place or path.startswith(os.path.join(place, "")) for place in places)


def _batches(paths: Sequence[str], old: Mapping[str, Entry], gone: frozenset[str]) -> list[Batch]:
    """Return tasks of roughly equal size, in the order of the files."""
    ends = np.cumsum([0, *(stamp(path)[0] for path in paths)])
    sizes, many = ends // BYTES_AT_A_TIME, bool(ends[-1] > MANY_BYTES)
    starts = [0, *(np.flatnonzero(np.diff(sizes)) + 1).tolist(), len(paths)]
    parts = [tuple(paths[first:last]) for first, last in pairwise(starts) if last > first]
    return [Batch(part, gone | {old[path].digest for path in part if path in old}, many) for part in parts]


def read(batch: Batch) -> list[Read]:
    """Return the rows of a batch's files, or the reason why a file is unreadable."""
    if batch.many:
        jit.kernels(formats.__name__)
    return [_read(path, batch.known) for path in batch.paths]


def _read(path: str, known: frozenset[str]) -> Read:
    """Return the rows of a file, unless its content is known."""
    size, modified = stamp(path)
    digest = processes.attempt(_digest, path)
    entry = Entry(path, size, modified, digest.result or "", trouble=digest.trouble)
    if digest.result is None or digest.result in known:
        return Read(entry)
    attempt = processes.attempt(_rows, path)
    if attempt.result is None:
        return Read(replace(entry, trouble=attempt.trouble))
    about, rows = attempt.result
    return Read(replace(about, path=path, size=size, modified=modified, digest=digest.result), rows)


def _rows(path: str) -> tuple[Entry, NDArray[np.float16]]:
    """Return the entry of a file without its digest, and its rows."""
    file = motion_file.read(path, wanted_rate=feature.RATE)
    numbers = feature.rows(file.clip)
    short = basis.shorten_rows(numbers).astype(np.float16)
    return Entry(path, rate=file.rate, frames=file.frames, rows=len(short), kept=basis.kept_variance(numbers)), short


def _files_of(path: str) -> list[str]:
    """Return the file of a clip, and the file of its skeleton if that is separate."""
    try:
        skeleton = motion_file.skeleton_of(path)
    except MotionFileError:
        return [path]
    return [path] if skeleton is None else [path, skeleton]


def digest(path: str) -> str:
    """Return a hash of the content of a clip's files, "" if they can't be read.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.formats import bvh
        >>> from action_loom.core.library import index
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     for name in ("wave.bvh", "copy.bvh"):
        ...         size = Path(folder, name).write_bytes(bvh.compose(actions.wave()))
        ...     hashes = [index.digest(str(Path(folder, name))) for name in ("wave.bvh", "copy.bvh", "none.bvh")]
        >>> hashes[0] == hashes[1], hashes[2]
        (True, '')
    """
    return processes.attempt(_digest, path).result or ""


def stamp(path: str) -> tuple[int, int]:
    """Return the size of a clip's files in bytes, and the latest modification time (ns); GONE if one is missing."""
    try:
        stats = [os.stat(file) for file in _files_of(path)]
    except OSError:
        return GONE
    return sum(stat.st_size for stat in stats), max(stat.st_mtime_ns for stat in stats)


def _digest(path: str) -> str:
    """Return a hash of the content of a clip's files; raises MotionFileError."""
    total = hashlib.sha256()
    for file in _files_of(path):
        try:
            total.update(hashlib.sha256(files.read(file)).digest())
        except OSError as error:
            raise MotionFileError(file, None, f"can't be read ({error.strerror})") from None
    return total.hexdigest()


def _put(
    writer: storage.Writer, content: Read, old: Mapping[str, Entry], by_digest: dict[str, str], changes: Changes
) -> bool:
    """Put the content of a file into a library: new, or with the old rows if it was only touched or moved.

    Return False for a copy of a moved file whose rows were already taken, which must be read again.
    """
    path, digest = content.entry.path, content.entry.digest
    if content.rows is not None or content.entry.trouble:
        rows = np.empty((0, basis.SIZE), np.float16) if content.rows is None else content.rows
        label = old[path].label if path in old else ""
        writer.add(replace(content.entry, label=label), rows)
        (changes.changed if path in old else changes.added).append(path)
        return True
    touched = path in old and old[path].digest == digest
    source = path if touched else by_digest.pop(digest, None)
    if source is None:
        return False
    before = old[source]
    writer.change(before, replace(before, path=path, size=content.entry.size, modified=content.entry.modified))
    (changes.unchanged if touched else changes.moved).append(path)
    return True


def _label(writer: storage.Writer, labels: Mapping[str, str]) -> None:
    """Set the labels of all entries by the names of their files."""
    for path, entry in writer.entries.items():
        file = Path(path)
        label = labels.get(file.name.lower(), labels.get(file.stem.lower(), ""))
        if label != entry.label:
            writer.change(entry, replace(entry, label=label))


def read_labels(path: str) -> dict[str, str]:
    """Return the words of a CSV table by file name, in lower case, with or without extension.

    The first row names the columns: files are in the first one, words in the columns named in LABEL_COLUMNS, or in all
    others. Raises LibraryError for a table that is unreadable or has only one column.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> from action_loom.core.library import index
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     table = Path(folder, "labels.csv")
        ...     size = table.write_text("file,person,label\\n02_01.bvh,A,slow walk\\n")
        ...     index.read_labels(str(table))
        {'02_01.bvh': 'slow walk'}
    """
    try:
        text = files.read(path, files.MOST_TEXT).decode("utf-8-sig")
        rows = [row for row in csv.reader(io.StringIO(text, newline="")) if row]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise LibraryError(f"{path}: can't be read ({getattr(error, 'strerror', None) or error})") from None
    if not rows or len(rows[0]) < 2:
        raise LibraryError(
            f"The labels {path}: expected a CSV table whose first row names a column of files and others"
        )
    names = [name.strip().lower() for name in rows[0]]
    chosen = [k for k, name in enumerate(names) if k > 0 and name in LABEL_COLUMNS] or list(range(1, len(names)))
    return {
        os.path.basename(row[0].strip()).lower(): " ".join(row[k].strip() for k in chosen if k < len(row)).strip()
        for row in rows[1:]
    }
