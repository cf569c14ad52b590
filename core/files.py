"""Files that we make: their names, and writing them whole or not at all."""

import os
import unicodedata
from contextlib import suppress
from pathlib import Path

from .errors import LoomError

LONGEST = 200  # bytes of a name with its ending: most file systems take 255, and a file beside it is named longer
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


def write(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file beside its place first and rename it then; raises LoomError, and leaves nothing half done."""
    path = Path(path)
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        beside.write_bytes(content)
        beside.replace(path)
    except OSError as error:
        raise LoomError(f"{path} can't be written ({error.strerror})") from None
    finally:
        # What could not even be named is not there.
        with suppress(OSError):
            beside.unlink(missing_ok=True)
