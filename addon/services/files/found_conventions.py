"""How a chosen motion file will be read, for the import dialog: its unit, axes, rate and sides."""

import os
from functools import lru_cache

from ....core.errors import LoomError
from ....core.formats import motion_file, registry
from ....core.formats.motion_file import Finding

LARGEST = 20_000_000  # bytes; a larger file would hold up the dialog


def look(path: str) -> tuple[Finding, ...]:
    """Return how each part of a file's convention was found, () for model files and unreadable ones."""
    if not path.lower().endswith(registry.readable()):
        return ()
    try:
        about = os.stat(path)
    except OSError:
        return ()
    return _find_conventions(path, about.st_mtime_ns, about.st_size) if about.st_size <= LARGEST else ()


@lru_cache(maxsize=16)
def _find_conventions(path: str, _modified: int, _size: int) -> tuple[Finding, ...]:
    try:
        return motion_file.read(path).findings
    except LoomError:  # said when the file is imported
        return ()


def describe(findings: tuple[Finding, ...]) -> str:
    """Return in words how a file was read, "" for no findings."""
    found = {one.part: f"{one.value} ({one.by})" for one in findings}
    if not {"up", "unit", "rate", "sides"} <= set(found):
        return ""
    return f"Read with {found['up']} up, unit {found['unit']}, {found['rate']} fps, sides by {found['sides']}"
