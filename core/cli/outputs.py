"""The output files of a command: names, checks before the work, and writing."""

import json
import math
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from .. import files
from ..errors import LoomError
from ..files import identity

opened_file = ""  # the file opened in Blender in which a command runs; --save saves it, and no output may replace it


def folder(path: str) -> Path | None:
    """Return the folder named by a path, if it exists or is written like a folder; None for the path of a file."""
    return Path(path) if path.endswith(("/", os.sep)) or os.path.isdir(path) else None


def place(path: str, title: str, ending: str) -> Path:
    """Return the file named by a path; in a folder it is named after the result."""
    inside = folder(path)
    return Path(path) if inside is None else inside / files.file_name(title, ending)


def check(
    paths: Sequence[Path | None],
    force: bool,
    folders: Collection[Path] = (),
    inputs: Iterable[str | os.PathLike[str] | None] = (),
) -> None:
    """Raise LoomError for files that can't be written or must not be overwritten, before any work is done.

    folders : missing folders to create later; inputs : files that are read, which are never replaced
    """
    given = [path for path in paths if path is not None]
    read = {identity(path) for path in (*inputs, opened_file) if path}
    for path in given:
        # For names that no file system accepts, functions of os.path return False where methods of Path raise.
        if os.path.isdir(path):
            raise LoomError(f"{path} is a folder; name a file")
        above = path.parent
        while not os.path.isdir(above.absolute()) and above in folders:
            above = above.parent
        if not os.path.isdir(above.absolute()):
            raise LoomError(f"{path}: there is no folder {path.parent}")
        if os.path.lexists(path) and not force:
            raise LoomError(f"{path} exists already; --force overwrites it")
        if identity(path) in read:
            raise LoomError(f"{path} is read by this command: name another file")
    twice = files.find_repeated(given)
    if twice is not None:
        raise LoomError(f"{twice} is named for two outputs")


def as_json(report: Mapping[str, Any] | Sequence[Any], indent: int | None = 1) -> bytes:
    """Return a report as strict JSON; without an indent, in one line."""
    text = json.dumps(_plain(report), indent=indent, ensure_ascii=False, allow_nan=False) + "\n"
    return text.encode("utf-8", errors="backslashreplace")  # surrogates in a path are escaped, as in JSON


def _plain(value: Any) -> Any:
    """Return a value of a report with None for NaN and infinity, which JSON does not have."""
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def write(contents: Mapping[Path, bytes], force: bool) -> None:
    """Write files atomically, creating missing folders; raises LoomError.

    force : whether to replace a file that another process has made since `check`
    """
    for path, content in contents.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise LoomError(f"{path.parent} can't be made ({error.strerror})") from None
        files.write(path, content, replace=force)
