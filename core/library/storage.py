"""A library's folder: rows of all clips in one file, and a table of the clips (methods: Libraries of clips).

    NAME.loomlib/
        clips.sqlite     the clips, their files, the current file of rows, and its number of valid rows
        rows-N.f16       rows of all clips, concatenated, 24 numbers of 2 bytes each

Rows are only appended to their file, and become valid when the table refers to them; a killed process leaves bytes that
are never read. Rows without a clip are dropped when the others are copied to the file with the next number. One process
writes at a time, and any number read.
"""

import os
import re
import sqlite3
import stat
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import astuple, dataclass, fields, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .. import interruption
from ..errors import LibraryError
from . import feature
from .basis import SIZE, Rows
from .ending import ENDING

TABLE = "clips.sqlite"
FORMAT = 1
_BYTES = 2 * SIZE  # per row
_PATIENCE = 10.0  # s for which a reader waits until a commit ends
_IMPATIENCE = 0.5  # s for which a writer waits for another writer
_BESIDE = ("-journal", "-wal", "-shm")  # endings of files that SQLite reads beside the table
_MOST_TABLE = 1 << 28  # bytes; 10,000 clips take 3 MB
_STEPS = 10_000  # instructions of SQLite, about 0.1 ms, after which it is checked whether a signal has arrived
_FILE = re.compile(r"rows-([0-9]{1,9})\.f16")


@dataclass(frozen=True)
class Entry:
    """A clip of a library, or an unreadable file.

    path : of its file, absolute
    size (bytes), modified (ns), digest : of the file, to detect changes
    rate, frames : of the clip
    first, rows : range of its rows
    kept : share of its motion kept by the rows
    label : words from a table of labels
    trouble : the reason why it has no rows, "" if it has some
    """

    path: str
    size: int = 0
    modified: int = 0
    digest: str = ""
    rate: float = 0.0
    frames: int = 0
    first: int = 0
    rows: int = 0
    kept: float = 0.0
    label: str = ""
    trouble: str = ""

    @property
    def name(self) -> str:
        return Path(self.path).stem

    def frame_of(self, row: float) -> int:
        """Return the frame of the clip at one of its rows."""
        return min(round(row * self.rate / feature.RATE), self.frames - 1)


@dataclass(frozen=True)
class Stretch:
    """The rows first … last of a clip."""

    entry: Entry
    first: int
    last: int

    @property
    def frames(self) -> tuple[int, int]:
        """The first and the last frame of the clip."""
        return self.entry.frame_of(self.first), self.entry.frame_of(self.last)

    @property
    def seconds(self) -> float:
        return (self.last - self.first + 1) / feature.RATE


_COLUMNS = tuple(field.name for field in fields(Entry))
_KINDS_OF_ROW = tuple(type(value) for value in astuple(Entry("")))
_IN_TABLE = {str: "TEXT", int: "INTEGER", float: "REAL"}
_DECLARED = ", ".join(f"{name} {_IN_TABLE[kind]} NOT NULL" for name, kind in zip(_COLUMNS, _KINDS_OF_ROW, strict=True))
_CREATED = (
    f"CREATE TABLE clips ({_DECLARED}, PRIMARY KEY (path))",
    "CREATE TABLE about (format INTEGER, feature INTEGER, file TEXT, rows INTEGER)",
)
_SCHEMA = {("clips", _CREATED[0]), ("about", _CREATED[1]), ("sqlite_autoindex_clips_1", None)}
_INSERT = f"INSERT OR REPLACE INTO clips VALUES ({', '.join('?' * len(_COLUMNS))})"


@dataclass(frozen=True, eq=False)
class Library:
    """A library at the moment it was opened: entries sorted by their rows, then unreadable files."""

    path: str
    entries: tuple[Entry, ...]
    rows: NDArray[np.float16]

    @property
    def clips(self) -> tuple[Entry, ...]:
        """The entries with rows."""
        return tuple(entry for entry in self.entries if not entry.trouble)

    def rows_of(self, entry: Entry) -> Rows:
        """Return the rows (N, SIZE) of a clip."""
        return np.asarray(self.rows[entry.first : entry.first + entry.rows], dtype=np.float32)


def read(path: str | os.PathLike[str]) -> Library:
    """Return a library; raises LibraryError if there is none, or if it is damaged or of another version.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.formats import bvh
        >>> from action_loom.core.library import index, storage
        >>> with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        ...     size = Path(folder, "wave.bvh").write_bytes(bvh.compose(actions.wave()))
        ...     changes = index.update(str(Path(folder, "all.loomlib")), [folder])
        ...     library = storage.read(Path(folder, "all.loomlib"))
        >>> [(entry.name, entry.rows) for entry in library.clips], library.rows.shape
        ([('wave', 109)], (109, 24))
    """
    folder = Path(path)
    if not (folder / TABLE).is_file():
        raise LibraryError(f"{folder} is no library of clips: make one with library index FOLDER -o NAME{ENDING}")
    for _ in range(2):
        with _as_library_errors(folder), closing(_connect(folder, _PATIENCE)) as table:
            table.execute("BEGIN")  # all reads below see one state, even if another process writes
            entries, name, count = _content(folder, table)
        # A writer that has just copied the rows has removed this file; the table then refers to the next one.
        with suppress(FileNotFoundError), _as_library_errors(folder):
            return Library(str(folder), entries, _map_rows(folder / name, count))
    raise _damage_error(folder, f"{name} is missing")


@contextmanager
def writing(path: str | os.PathLike[str]) -> Iterator["Writer"]:
    """Open a library to change it, or create one; no other process can write until this ends.

    If this ends with an error, changes after the last `keep` are lost. Raises LibraryError.
    """
    folder = Path(path)
    with _as_library_errors(folder):
        if folder.exists() and not (folder / TABLE).is_file() and (not folder.is_dir() or any(folder.iterdir())):
            raise LibraryError(f"{folder} is there already, but is no library of clips: choose another name")
        folder.mkdir(parents=True, exist_ok=True)
        with closing(_connect(folder, _IMPATIENCE)) as table:
            writer = Writer(folder, table)
            try:
                yield writer
                writer.tidy()
            finally:
                writer.close()


class Writer:
    """Changes a library; see `writing`."""

    def __init__(self, folder: Path, table: sqlite3.Connection) -> None:
        self._folder, self._table = folder, table
        self._begin()
        table.execute(f"PRAGMA busy_timeout = {1000 * _PATIENCE:.0f}")  # readers finish quickly
        for created in _CREATED:
            table.execute(created.replace("TABLE", "TABLE IF NOT EXISTS", 1))
        if table.execute("SELECT count(*) FROM about").fetchone()[0] == 0:
            table.execute("INSERT INTO about VALUES (?, ?, ?, 0)", (FORMAT, feature.VERSION, _file_name(1)))
        table.execute("COMMIT")  # from here on readers see an empty library
        self._begin()
        entries, self._file, self._count = _content(folder, table)
        self._entries = {entry.path: entry for entry in entries}
        if self._count:
            if not (folder / self._file).is_file():
                raise _damage_error(folder, f"{self._file} is missing")
            _check_size(folder / self._file, self._count)
        _refuse_link(folder / self._file)
        self._rows = (folder / self._file).open("r+b" if self._count else "w+b")
        self._rows.seek(self._count * _BYTES)

    @property
    def entries(self) -> dict[str, Entry]:
        """The entries of the library, by path."""
        return dict(self._entries)

    def add(self, entry: Entry, rows: NDArray[np.float16]) -> None:
        """Add a clip, or an unreadable file, replacing an entry with its path."""
        entry = replace(entry, first=self._count, rows=len(rows))
        self._rows.write(np.ascontiguousarray(rows, dtype="<f2").tobytes())
        self._count += len(rows)
        self._put(entry)

    def change(self, old: Entry, new: Entry) -> None:
        """Replace an entry by one with the same rows."""
        if old.path != new.path:
            self.remove(old.path)
        self._put(new)

    def remove(self, path: str) -> None:
        """Remove a clip."""
        del self._entries[path]
        self._table.execute("DELETE FROM clips WHERE path = ?", (path,))

    def keep(self) -> None:
        """Commit all changes, so that they survive if this process is killed."""
        self._rows.flush()
        os.fsync(self._rows.fileno())
        self._table.execute("UPDATE about SET file = ?, rows = ?", (self._file, self._count))
        self._table.execute("COMMIT")
        self._begin()

    def tidy(self) -> None:
        """Commit all changes, drop rows without a clip, and sort the rows by the clips' paths."""
        self.keep()
        entries = [self._entries[path] for path in sorted(self._entries)]
        firsts = np.cumsum([0, *(entry.rows for entry in entries)]).tolist()
        if [entry.first for entry in entries] != firsts[:-1] or firsts[-1] != self._count:
            self._copy(entries, firsts)
        self._table.execute("COMMIT")
        self.close()
        for other in self._folder.glob("rows-*.f16"):
            if other.name != self._file:
                with suppress(OSError):  # if a process still reads it, the next writer removes it
                    other.unlink()

    def close(self) -> None:
        self._rows.close()

    def _copy(self, entries: list[Entry], firsts: list[int]) -> None:
        """Copy the rows of sorted entries to the file with the next number."""
        source = _map_rows(self._folder / self._file, self._count)
        self._file = _file_name(int(self._file[5:-4]) + 1)
        _refuse_link(self._folder / self._file)
        with (self._folder / self._file).open("wb") as copy:
            for entry in entries:
                copy.write(source[entry.first : entry.first + entry.rows].tobytes())
            copy.flush()
            os.fsync(copy.fileno())
        for entry, first in zip(entries, firsts[:-1], strict=True):
            self._put(replace(entry, first=first))
        self._count = firsts[-1]
        self._table.execute("UPDATE about SET file = ?, rows = ?", (self._file, self._count))

    def _put(self, entry: Entry) -> None:
        self._entries[entry.path] = entry
        self._table.execute(_INSERT, astuple(entry))

    def _begin(self) -> None:
        try:
            self._table.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error):
                raise
            raise _busy(self._folder) from None


def _file_name(number: int) -> str:
    return f"rows-{number}.f16"


def _connect(folder: Path, patience: float) -> sqlite3.Connection:
    """Return a connection to the table that waits at most `patience` seconds and starts no implicit transactions.

    A table of a stranger must not compute: raises LibraryError if it has views, triggers or others than our tables.
    """
    for place in (folder / TABLE, *(folder / f"{TABLE}{ending}" for ending in _BESIDE)):
        if os.path.lexists(place) and not place.is_file():
            raise _damage_error(folder, f"{place.name} is no regular file")
        if place.is_file() and place.stat().st_size > _MOST_TABLE:
            raise _damage_error(folder, f"{place.name} is larger than {_MOST_TABLE >> 20} MB")
    table = sqlite3.connect(folder / TABLE, isolation_level=None, timeout=patience)
    try:
        # A signal is noticed only while Python code runs.
        table.set_progress_handler(interruption.has_arrived, _STEPS)
        table.execute("PRAGMA trusted_schema = OFF")
        for about in table.execute("SELECT name, sql FROM sqlite_master"):
            if about not in _SCHEMA:
                raise _damage_error(folder, f"{TABLE} has another table, view or trigger, {about[0]!r}")
    except BaseException:
        table.close()
        raise
    return table


def _content(folder: Path, table: sqlite3.Connection) -> tuple[tuple[Entry, ...], str, int]:
    """Return the entries, the name of the file of rows, and its number of valid rows; raises LibraryError."""
    about = table.execute("SELECT format, feature, file, rows FROM about").fetchone()
    if about is None:
        raise _damage_error(folder, f"{TABLE} does not say of which version it is")
    version, numbers, name, count = about
    if not (isinstance(name, str) and _FILE.fullmatch(name) and type(count) is int and count >= 0):
        raise _damage_error(folder, f"{TABLE} does not say where its rows are")
    if (version, numbers) != (FORMAT, feature.VERSION):
        raise LibraryError(
            f"The library {folder} was made by another version of Action Loom: "
            "remove it and make it anew with library index"
        )
    rows = table.execute(f"SELECT {', '.join(_COLUMNS)} FROM clips ORDER BY first, path").fetchall()
    if not all(type(value) is kind for row in rows for value, kind in zip(row, _KINDS_OF_ROW, strict=True)):
        raise _damage_error(folder, f"{TABLE} has values of other kinds")
    entries = tuple(Entry(*row) for row in rows)
    if any(entry.first < 0 or entry.rows < 0 or entry.first + entry.rows > count for entry in entries):
        raise _damage_error(folder, "a clip has rows that are not there")
    if any(entry.rows and not (0.0 < entry.rate < 1e5 and entry.frames > 0) for entry in entries):
        raise _damage_error(folder, "a clip with rows has no frames")
    return tuple(sorted(entries, key=lambda entry: entry.rows == 0)), name, count


def _check_size(path: Path, count: int) -> None:
    """Raise LibraryError for a file with fewer rows than `count`."""
    size = path.stat().st_size
    if size < count * _BYTES:
        raise _damage_error(path.parent, f"{path.name} has {size // _BYTES} rows of {count}")


def _refuse_link(path: Path) -> None:
    """Raise LibraryError for a link, which could let a stranger's library overwrite another file, and for a device."""
    if os.path.lexists(path) and not stat.S_ISREG(path.lstat().st_mode):
        raise _damage_error(path.parent, f"{path.name} is no regular file")


def _map_rows(path: Path, count: int) -> NDArray[np.float16]:
    """Return the rows of a file, mapped into memory."""
    if count == 0:
        return np.empty((0, SIZE), dtype=np.float16)
    _check_size(path, count)
    return np.memmap(path, dtype="<f2", mode="r", shape=(count, SIZE))


@contextmanager
def _as_library_errors(folder: Path) -> Iterator[None]:
    """Convert errors of the file system and of a damaged table to LibraryError, except FileNotFoundError."""
    try:
        yield
    except FileNotFoundError:
        raise
    except (sqlite3.Error, UnicodeDecodeError) as error:
        if interruption.has_arrived():
            raise KeyboardInterrupt from None
        if "locked" in str(error):
            raise _busy(folder) from None
        raise _damage_error(folder, str(error)) from None
    except OSError as error:
        raise LibraryError(f"The library {folder} can't be used ({error.strerror or error})") from None


def _busy(folder: Path) -> LibraryError:
    return LibraryError(f"The library {folder} is being changed by another process; wait until that has ended")


def _damage_error(folder: Path, why: str) -> LibraryError:
    return LibraryError(f"The library {folder} is damaged ({why}): remove it and make it anew with library index")


def in_order(entries: Iterable[Entry]) -> list[Entry]:
    """Return entries sorted by name, then by path.

    Example:
        >>> from action_loom.core.library import storage
        >>> entries = [storage.Entry(f"/clips/{name}.bvh") for name in ("walk", "Run", "sneak")]
        >>> [entry.name for entry in storage.in_order(entries)]
        ['Run', 'sneak', 'walk']
    """
    return sorted(entries, key=lambda entry: (entry.name.lower(), entry.path))
