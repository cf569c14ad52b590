"""Files that we make: their names, and writing them whole or not at all."""

import hashlib
import os
import platform
import re
import secrets
import stat
import sys
import time
import unicodedata
from contextlib import suppress
from functools import cache
from pathlib import Path

from .errors import LoomError

LONGEST = 200  # bytes of a name with its ending: most file systems take 255, and a file beside it is named longer
_STALE = 3600.0  # seconds after which a half-written file of nobody knows whom is nobody's any more
_PART = re.compile(r"\..+\.([0-9a-f]{6})-([0-9]{1,10})\.([0-9a-f]{16})\.part", re.DOTALL)
_unfinished: set[Path] = set()
_cleared: set[Path] = set()  # folders
_REFUSED = '<>:"/\\|?*'
_DEVICES = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))}


def file_name(title: str, ending: str) -> str:
    """Return a name for a file that every file system takes."""
    # Half a character of a name in another encoding (Cs) can't be written as text.
    refused = [c in _REFUSED or unicodedata.category(c) in ("Cc", "Cs") for c in title]
    name = "".join("-" if bad else c for c, bad in zip(title, refused, strict=True))
    name = name.encode("utf-8")[: LONGEST - len(ending)].decode("utf-8", errors="ignore").strip(" ").rstrip(" .")
    if name.partition(".")[0].strip().lower() in _DEVICES:
        name = f"-{name}"
    return f"{name or 'unnamed'}{ending}"


def write(path: str | os.PathLike[str], content: bytes, *, replace: bool = True) -> None:
    """Write a file beside its place first and put it there then; raises LoomError, and leaves nothing half done.

    Through a symbolic link, the file it leads to is written; a device or a pipe is written to.
    replace : whether a file that is there already is replaced, or LoomError raised, also where another process has just
        made it
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
        if replace or not _linked(beside, path):
            beside.replace(path)
    finally:
        # What could not even be named is not there.
        with suppress(OSError, ValueError):
            beside.unlink(missing_ok=True)
            _unfinished.discard(beside)


def _linked(beside: Path, path: Path) -> bool:
    """Give a file its name, where no other process has; False on file systems without links, if it is still free."""
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
    """Remove what an interruption kept `write` from removing."""
    for beside in list(_unfinished):
        with suppress(OSError, ValueError):
            beside.unlink(missing_ok=True)
        _unfinished.discard(beside)


def takes_bytes(path: Path) -> bool:
    """Return whether a path is a device or a pipe."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return stat.S_ISCHR(mode) or stat.S_ISFIFO(mode) or stat.S_ISBLK(mode) or stat.S_ISSOCK(mode)


def _part_name(name: str) -> str:
    """Return a name for a file while it is written: nobody can guess it, and it says whose it is."""
    encoded = os.fsencode(name)
    kept = name if len(encoded) <= LONGEST else hashlib.sha256(encoded).hexdigest()
    return f".{kept}.{_machine()}-{os.getpid()}.{secrets.token_hex(8)}.part"


@cache
def _machine() -> str:
    """Return six letters for where process ids are told apart: a machine, or a container on it."""
    numbers = ""
    with suppress(OSError):
        numbers = os.readlink("/proc/self/ns/pid")
    return hashlib.sha256(f"{platform.node()} {numbers}".encode(errors="replace")).hexdigest()[:6]


def _clear(folder: Path) -> None:
    """Remove what processes that were killed have left in a folder."""
    if folder in _cleared:  # it may hold thousands of files, and we may write thousands
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
    """Return whether nobody writes the file of a name any more, whose last byte is some seconds old (age)."""
    machine, process, token = name.groups()
    if machine == _machine():
        # In a container the process that was killed may have had the number of this one.
        if int(process) == os.getpid():
            return not any(token in one.name for one in list(_unfinished))
        if not _may_live(int(process)):
            return True
    return age > _STALE


def _may_live(process: int) -> bool:
    if sys.platform == "win32":
        return True  # os.kill would end it there
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass  # somebody else's, which has the number now
    return True
