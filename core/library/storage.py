"""A library's folder: rows of every clip in one file, and a table of the clips (methods: Libraries of clips).

    NAME.loomlib/
        clips.sqlite     which clips there are, their files, and how many rows of which file count
        rows-N.f16       rows of all clips, one after the other, 24 numbers of 2 bytes each

Rows are only ever added at the end of their file, and count from the moment the table says so: whoever is killed
leaves some that nobody reads. Rows that no clip has any more go when they are copied to the file of the next number.
One process writes at a time, any number read.
"""

import os
import re
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import astuple, dataclass, fields, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..errors import LibraryError
from . import feature
from .basis import SIZE, Rows
from .ending import ENDING

TABLE = "clips.sqlite"
FORMAT = 1
_BYTES = 2 * SIZE  # of a row
_PATIENCE, _IMPATIENCE = 10.0, 0.5  # s that one who reads waits for a commit, and one who writes for another who does
_FILE = re.compile(r"rows-([0-9]{1,9})\.f16")


@dataclass(frozen=True)
class Entry:
    """A clip of a library, or a file that could not be read.

    path : of its file, absolute; size (bytes), modified (ns) and digest : by which a change is noticed
    rate, frames : of the clip; first, rows : its rows among all; kept : share of its motion that they tell
    label : words from a table of labels; trouble : why it has no rows, "" where it has some
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
        """Return the frame of the clip that stands at one of its rows."""
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
_INSERT = f"INSERT OR REPLACE INTO clips VALUES ({', '.join('?' * len(_COLUMNS))})"


@dataclass(frozen=True, eq=False)
class Library:
    """A library as it was when it was opened: entries by the places of their rows, then files that can't be read."""

    path: str
    entries: tuple[Entry, ...]
    rows: NDArray[np.float16]

    @property
    def clips(self) -> tuple[Entry, ...]:
        """The entries that have rows."""
        return tuple(entry for entry in self.entries if not entry.trouble)

    def rows_of(self, entry: Entry) -> Rows:
        """Return the rows (N, SIZE) of a clip."""
        return np.asarray(self.rows[entry.first : entry.first + entry.rows], dtype=np.float32)


def read(path: str | os.PathLike[str]) -> Library:
    """Open a library; raises LibraryError where there is none, or one that is damaged or of another version."""
    folder = Path(path)
    if not (folder / TABLE).is_file():
        raise LibraryError(f"{folder} is no library of clips: make one with library index FOLDER -o NAME{ENDING}")
    for _ in range(2):
        with _told(folder), closing(_connected(folder, _PATIENCE)) as table:
            table.execute("BEGIN")  # all of what follows is of one moment, whoever writes meanwhile
            entries, name, count = _content(folder, table)
        # A writer that has just copied the rows has taken this file away: its table names the next one.
        with suppress(FileNotFoundError), _told(folder):
            return Library(str(folder), entries, _mapped(folder / name, count))
    raise _damaged(folder, f"{name} is missing")


@contextmanager
def writing(path: str | os.PathLike[str]) -> Iterator["Writer"]:
    """Open a library to be changed, made where there is none; nobody else can write until this ends.

    What `keep` has not been called for is forgotten if this does not end well. Raises LibraryError.
    """
    folder = Path(path)
    with _told(folder):
        if folder.exists() and not (folder / TABLE).is_file() and (not folder.is_dir() or any(folder.iterdir())):
            raise LibraryError(f"{folder} is there already, but is no library of clips: choose another name")
        folder.mkdir(parents=True, exist_ok=True)
        with closing(_connected(folder, _IMPATIENCE)) as table:
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
        table.execute(f"PRAGMA busy_timeout = {1000 * _PATIENCE:.0f}")  # who reads is done in a moment
        table.execute(f"CREATE TABLE IF NOT EXISTS clips ({_DECLARED}, PRIMARY KEY (path))")
        table.execute("CREATE TABLE IF NOT EXISTS about (format INTEGER, feature INTEGER, file TEXT, rows INTEGER)")
        if table.execute("SELECT count(*) FROM about").fetchone()[0] == 0:
            table.execute("INSERT INTO about VALUES (?, ?, ?, 0)", (FORMAT, feature.VERSION, _file_name(1)))
        table.execute("COMMIT")  # whoever reads from now on reads a library that is empty
        self._begin()
        entries, self._file, self._count = _content(folder, table)
        self._entries = {entry.path: entry for entry in entries}
        if self._count:
            if not (folder / self._file).is_file():
                raise _damaged(folder, f"{self._file} is missing")
            _check_size(folder / self._file, self._count)
        self._rows = (folder / self._file).open("r+b" if self._count else "w+b")
        self._rows.seek(self._count * _BYTES)

    @property
    def entries(self) -> dict[str, Entry]:
        """What the library has, by path."""
        return dict(self._entries)

    def add(self, entry: Entry, rows: NDArray[np.float16]) -> None:
        """Add a clip, or a file that can't be read, in place of what had its path."""
        entry = replace(entry, first=self._count, rows=len(rows))
        self._rows.write(np.ascontiguousarray(rows, dtype="<f2").tobytes())
        self._count += len(rows)
        self._put(entry)

    def change(self, old: Entry, new: Entry) -> None:
        """Put an entry of the same rows in the place of another."""
        if old.path != new.path:
            self.remove(old.path)
        self._put(new)

    def remove(self, path: str) -> None:
        """Forget a clip."""
        del self._entries[path]
        self._table.execute("DELETE FROM clips WHERE path = ?", (path,))

    def keep(self) -> None:
        """Keep all that has been changed so far, also if this process is killed later."""
        self._rows.flush()
        os.fsync(self._rows.fileno())
        self._table.execute("UPDATE about SET file = ?, rows = ?", (self._file, self._count))
        self._table.execute("COMMIT")
        self._begin()

    def tidy(self) -> None:
        """Keep everything, let go of rows that no clip has any more, and put clips in the order of their paths."""
        self.keep()
        entries = [self._entries[path] for path in sorted(self._entries)]
        firsts = np.cumsum([0, *(entry.rows for entry in entries)]).tolist()
        if [entry.first for entry in entries] != firsts[:-1] or firsts[-1] != self._count:
            self._copy(entries, firsts)
        self._table.execute("COMMIT")
        self.close()
        for other in self._folder.glob("rows-*.f16"):
            if other.name != self._file:
                with suppress(OSError):  # where somebody still reads it, the next one who writes removes it
                    other.unlink()

    def close(self) -> None:
        self._rows.close()

    def _copy(self, entries: list[Entry], firsts: list[int]) -> None:
        source = _mapped(self._folder / self._file, self._count)
        self._file = _file_name(int(self._file[5:-4]) + 1)
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


def _connected(folder: Path, patience: float) -> sqlite3.Connection:
    return sqlite3.connect(folder / TABLE, isolation_level=None, timeout=patience)


def _content(folder: Path, table: sqlite3.Connection) -> tuple[tuple[Entry, ...], str, int]:
    """Return the entries, and the name of the file of rows and how many of it count."""
    about = table.execute("SELECT format, feature, file, rows FROM about").fetchone()
    if about is None:
        raise _damaged(folder, f"{TABLE} does not say of which version it is")
    version, numbers, name, count = about
    if not (isinstance(name, str) and _FILE.fullmatch(name) and type(count) is int and count >= 0):
        raise _damaged(folder, f"{TABLE} does not say where its rows are")
    if (version, numbers) != (FORMAT, feature.VERSION):
        raise LibraryError(
            f"The library {folder} was made by another version of Action Loom: "
            "remove it and make it anew with library index"
        )
    found = table.execute(f"SELECT {', '.join(_COLUMNS)} FROM clips ORDER BY first, path").fetchall()
    if not all(type(value) is kind for row in found for value, kind in zip(row, _KINDS_OF_ROW, strict=True)):
        raise _damaged(folder, f"{TABLE} has values of other kinds")
    entries = tuple(Entry(*row) for row in found)
    if any(entry.first < 0 or entry.rows < 0 or entry.first + entry.rows > count for entry in entries):
        raise _damaged(folder, "a clip has rows that are not there")
    if any(entry.rows and not (0.0 < entry.rate < 1e5 and entry.frames > 0) for entry in entries):
        raise _damaged(folder, "a clip with rows has no frames")
    return tuple(sorted(entries, key=lambda entry: entry.rows == 0)), name, count


def _check_size(path: Path, count: int) -> None:
    size = path.stat().st_size
    if size < count * _BYTES:
        raise _damaged(path.parent, f"{path.name} has {size // _BYTES} rows of {count}")


def _mapped(path: Path, count: int) -> NDArray[np.float16]:
    if count == 0:
        return np.empty((0, SIZE), dtype=np.float16)
    _check_size(path, count)
    return np.memmap(path, dtype="<f2", mode="r", shape=(count, SIZE))


@contextmanager
def _told(folder: Path) -> Iterator[None]:
    """Say in one sentence what a file system or a damaged table would say in its own way."""
    try:
        yield
    except FileNotFoundError:
        raise
    except (sqlite3.Error, UnicodeDecodeError) as error:
        if "locked" in str(error):
            raise _busy(folder) from None
        raise _damaged(folder, str(error)) from None
    except OSError as error:
        raise LibraryError(f"The library {folder} can't be used ({error.strerror or error})") from None


def _busy(folder: Path) -> LibraryError:
    return LibraryError(f"The library {folder} is being changed by another process; wait until that has ended")


def _damaged(folder: Path, why: str) -> LibraryError:
    return LibraryError(f"The library {folder} is damaged ({why}): remove it and make it anew with library index")


def in_order(entries: Iterable[Entry]) -> list[Entry]:
    """Return entries by name, then by path: as people look for them."""
    return sorted(entries, key=lambda entry: (entry.name.lower(), entry.path))
