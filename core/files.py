"""Files that we make: their names, and writing them whole or not at all."""

import os
import re
import secrets
import stat
import time
import unicodedata
from contextlib import suppress
from pathlib import Path

from .errors import LoomError

LONGEST = 200  # bytes of a name with its ending: most file systems take 255, and a file beside it is named longer
_STALE = 3600.0  # seconds after which a half-written file is nobody's any more
_unfinished: set[Path] = set()
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
        _clear(target)
        _put(target, content, replace)
    except FileExistsError:
        raise LoomError(f"{path} exists already; --force overwrites it") from None
    except (OSError, ValueError) as error:
        raise LoomError(f"{path} can't be written ({getattr(error, 'strerror', None) or error})") from None


def _put(path: Path, content: bytes, replace: bool) -> None:
    beside = path.with_name(f".{path.name}.{secrets.token_hex(8)}.part")
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
    """Say whether a path is a device or a pipe."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return stat.S_ISCHR(mode) or stat.S_ISFIFO(mode) or stat.S_ISBLK(mode) or stat.S_ISSOCK(mode)


def _clear(path: Path) -> None:
    """Remove what processes that were killed have left of a file of this name."""
    left = re.compile(rf"\.{re.escape(path.name)}\.[0-9a-f]{{16}}\.part")
    with suppress(OSError), os.scandir(path.parent) as entries:
        for entry in entries:
            if left.fullmatch(entry.name):
                with suppress(OSError):
                    if time.time() - entry.stat().st_mtime > _STALE:
                        os.unlink(entry.path)
