"""Read files of others within bounds, name files, and write them atomically."""

import errno
import hashlib
import io
import json
import os
import platform
import re
import secrets
import stat
import sys
import time
import unicodedata
import zipfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from .errors import LoomError

MOST_BYTES = 1 << 30  # of a file, and of everything that it inflates to
MOST_TEXT = 1 << 26  # bytes of JSON, TOML or a table: parsed, it takes up to 24 times the memory
_PIECE = 1 << 24  # bytes read at a time, so that signals are noticed in between
LONGEST = 200  # bytes of a name with its ending: most file systems allow 255, and the unfinished file's name is longer
_STALE = 3600.0  # s after which an unfinished file of another machine counts as abandoned
_PART = re.compile(r"\..+\.([0-9a-f]{6})-([0-9]{1,10})\.([0-9a-f]{16})\.part", re.DOTALL)
_unfinished: set[Path] = set()
_cleared: set[Path] = set()  # folders
_REFUSED = '<>:"/\\|?*'
_DEVICES = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))}


def read(
    path: str | os.PathLike[str], most: int = MOST_BYTES, check_head: Callable[[bytes], object] = lambda _: None
) -> bytes:
    """Return the content of a regular file; raises OSError for all others, and for more than `most` bytes.

    check_head : raises an error if the first bytes (up to 4096) are of another kind of file; called before the others
        are read

    Example:
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> from action_loom.core import files
        >>> with TemporaryDirectory() as folder:
        ...     _ = Path(folder, "p.csv").write_text("0,0")
        ...     files.read(Path(folder, "p.csv"))
        b'0,0'
    """
    try:
        with open(path, "rb", opener=_open_at_once) as stream:
            about = os.fstat(stream.fileno())
            if not stat.S_ISREG(about.st_mode):
                raise OSError(errno.EINVAL, "it is no regular file")
            if about.st_size > most:
                raise OSError(errno.EFBIG, f"it is larger than {most >> 20} MB")
            content = bytearray(stream.read(4096))
            check_head(bytes(content))
            while piece := stream.read(min(_PIECE, most + 1 - len(content))):
                content += piece
    except ValueError as error:  # a name that no file system accepts
        raise OSError(errno.EINVAL, str(error)) from None
    if len(content) > most:  # it grew, or its system states no size
        raise OSError(errno.EFBIG, f"it is larger than {most >> 20} MB")
    return bytes(content)


def _open_at_once(path: str, flags: int) -> int:
    """Open a file without waiting for the other end of a pipe."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def open_archive(content: bytes) -> io.BytesIO:
    """Return the stream of a zip file (of arrays, for numpy), checked by its directory before anything is inflated.

    Raises ValueError if it would inflate to more than MOST_BYTES, or has an error or another compression than numpy's,
    whose inflated size is unbounded.

    Example:
        >>> import io
        >>> import numpy as np
        >>> from action_loom.core import files
        >>> stream = io.BytesIO()
        >>> np.savez(stream, rows=np.arange(3))
        >>> np.load(files.open_archive(stream.getvalue()))["rows"].tolist()
        [0, 1, 2]
    """
    stream = io.BytesIO(content)
    try:
        with zipfile.ZipFile(stream) as archive:
            members = archive.infolist()
    except zipfile.BadZipFile as error:
        raise ValueError(str(error)) from None
    if {member.compress_type for member in members} - {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        raise ValueError("another compression")
    if sum(member.file_size for member in members) > MOST_BYTES:
        raise ValueError("too many bytes")
    return stream


def read_numbers(archive: Any, planar: str = "") -> dict[str, Any]:
    """Return the arrays of an archive that numpy has opened; raises ValueError for complex numbers and objects.

    planar : the name of an array that may have complex numbers

    Example:
        >>> import io
        >>> import numpy as np
        >>> from action_loom.core import files
        >>> stream = io.BytesIO()
        >>> np.savez(stream, rows=np.arange(3))
        >>> files.read_numbers(np.load(files.open_archive(stream.getvalue())))["rows"].tolist()
        [0, 1, 2]
    """
    arrays = {name: archive[name] for name in archive.files}
    if any(values.dtype.kind not in ("fiubc" if name == planar else "fiub") for name, values in arrays.items()):
        raise ValueError("values that are no real numbers")
    return arrays


def read_json(content: bytes) -> Any:
    """Return the values of a JSON text; raises ValueError, also for more than MOST_TEXT bytes or deep nesting.

    Example:
        >>> from action_loom.core import files
        >>> files.read_json(b'{"frames": [1, 2]}')
        {'frames': [1, 2]}
    """
    if len(content) > MOST_TEXT:
        raise ValueError(f"more than {MOST_TEXT >> 20} MB")
    try:
        return json.loads(content)
    except RecursionError:
        raise ValueError("brackets within brackets, too many of them") from None


def identity(path: str | os.PathLike[str]) -> str:
    """Return a text that is the same for all paths of a file, also on disks that ignore case or the form of letters.

    Example:
        >>> from action_loom.core import files
        >>> files.identity("Caf\u00e9.bvh") == files.identity("./cafe\u0301.BVH")
        True
    """
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", os.path.realpath(path)).casefold())


def find_repeated(paths: Iterable[Path]) -> Path | None:
    """Return the first path that some disks can't tell from an earlier one, None if there is none.

    Example:
        >>> from pathlib import Path
        >>> from action_loom.core import files
        >>> files.find_repeated([Path("walk.bvh"), Path("run.bvh"), Path("Walk.bvh")]).name
        'Walk.bvh'
    """
    known: set[str] = set()
    for path in paths:
        if identity(path) in known:
            return path
        known.add(identity(path))
    return None


def file_name(title: str, ending: str) -> str:
    """Return a file name that every file system accepts.

    Example:
        >>> from action_loom.core import files
        >>> files.file_name("walk > run: fast?", ".bvh"), files.file_name("con", ".bvh")
        ('walk - run- fast-.bvh', '-con.bvh')
    """
    # Surrogates (Cs), of names in another encoding, can't be written as text.
    refused = [c in _REFUSED or unicodedata.category(c) in ("Cc", "Cs") for c in title]
    name = "".join("-" if bad else c for c, bad in zip(title, refused, strict=True))
    name = name.encode("utf-8")[: LONGEST - len(ending)].decode("utf-8", errors="ignore").strip(" ").rstrip(" .")
    if name.partition(".")[0].strip().lower() in _DEVICES:
        name = f"-{name}"
    return f"{name or 'unnamed'}{ending}"


def write(path: str | os.PathLike[str], content: bytes, *, replace: bool = True) -> None:
    """Write a file atomically: first under a temporary name, then moved into place. Raises LoomError.

    A symbolic link is followed; a device or a pipe is written to directly.
    replace : whether to replace an existing file; otherwise LoomError is raised, even if another process has just
        created the file # A file with a refused name does not exist.

    Example:
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> from action_loom.core import files
        >>> with TemporaryDirectory() as folder:
        ...     files.write(Path(folder, "report.json"), b"{}")
        ...     [path.name for path in Path(folder).iterdir()]
        ['report.json']
    """
    path = Path(path)
    try:
        if replace and takes_bytes(path):
            with open(path, "wb") as stream:
                stream.write(content)
            return
        target = Path(os.path.realpath(path)) if replace else path
        _clear(target.absolute().parent)
        _put(target, content, replace)
    except FileExistsError:
        raise LoomError(f"{path} exists already; --force overwrites it") from None
    except (OSError, ValueError) as error:
        raise LoomError(f"{path} can't be written ({getattr(error, 'strerror', None) or error})") from None


def _put(path: Path, content: bytes, replace: bool) -> None:
    beside = path.with_name(_part_name(path.name))
    _unfinished.add(beside)
    try:
        with open(beside, "xb") as stream:
            stream.write(content)
        if replace or not _link_file(beside, path):
            beside.replace(path)
    finally:
        # A file whose name was refused does not exist.
        with suppress(OSError, ValueError):
            beside.unlink(missing_ok=True)
            _unfinished.discard(beside)


def _link_file(beside: Path, path: Path) -> bool:
    """Link a file to its final name (FileExistsError if that exists); returns False if the disk has no links.

    A link never replaces a file, unlike a rename.
    """
    try:
        os.link(beside, path)
    except FileExistsError:
        raise
    except OSError:
        if os.path.lexists(path):
            raise FileExistsError(path) from None
        return False
    return True


def remove_unfinished() -> None:
    """Remove the unfinished files of this process that an interruption of `write` has left.

    Example:
        >>> from action_loom.core import files
        >>> files.remove_unfinished()  # where nothing was interrupted, nothing is removed
    """
    for beside in list(_unfinished):
        with suppress(OSError, ValueError):
            beside.unlink(missing_ok=True)
        _unfinished.discard(beside)


def takes_bytes(path: Path) -> bool:
    """Return whether a path is a device or a pipe.

    Example:
        >>> import os
        >>> from pathlib import Path
        >>> from action_loom.core import files
        >>> files.takes_bytes(Path(os.devnull)), files.takes_bytes(Path("walk.bvh"))
        (True, False)
    """
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return stat.S_ISCHR(mode) or stat.S_ISFIFO(mode) or stat.S_ISBLK(mode) or stat.S_ISSOCK(mode)


def _part_name(name: str) -> str:
    """Return the name of a file while it is written: unpredictable, and with the machine and process that write it."""
    encoded = os.fsencode(name)
    kept = name if len(encoded) <= LONGEST else hashlib.sha256(encoded).hexdigest()
    return f".{kept}.{_machine()}-{os.getpid()}.{secrets.token_hex(8)}.part"


@cache
def _machine() -> str:
    """Return six letters that identify the machine or container, within which process ids are unique."""
    numbers = ""
    with suppress(OSError):
        numbers = os.readlink("/proc/self/ns/pid")
    return hashlib.sha256(f"{platform.node()} {numbers}".encode(errors="replace")).hexdigest()[:6]


def _clear(folder: Path) -> None:
    """Remove unfinished files of killed processes from a folder."""
    if folder in _cleared:  # only once: a folder may have thousands of files, and we may write thousands
        return
    _cleared.add(folder)
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            found = _PART.fullmatch(entry.name)
            if found:
                with suppress(OSError):
                    if _is_left(found, time.time() - entry.stat().st_mtime):
                        os.unlink(entry.path)


def _is_left(name: re.Match[str], age: float) -> bool:
    """Return whether an unfinished file is abandoned; age : seconds since its last byte was written."""
    machine, process, token = name.groups()
    if machine == _machine():
        # In a container the killed process may have had the id of this one.
        if int(process) == os.getpid():
            return not any(token in one.name for one in list(_unfinished))
        if not _may_live(int(process)):
            return True
    return age > _STALE


def _may_live(process: int) -> bool:
    if sys.platform == "win32":
        return True  # on Windows os.kill would end it
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass  # another user's process now has the id
    return True
