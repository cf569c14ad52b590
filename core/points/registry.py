"""The registry of points files: one row for each kind, the only place that names them.

A new kind is a module with `read` and a row here. Standard library only, because menus and file browsers show the rows.
"""

from pathlib import PurePath
from typing import NamedTuple

from ..additions import Registry, Source
from ..errors import MotionFileError


class PointFormat(NamedTuple):
    """A kind of points file; the function is named as `entry_points` loads it, or given.

    suffix : of its files, in lower case
    read : takes a path and an order (names of points, () if unknown); returns a `recording.Recording` for each person
    """

    suffix: str
    read: Source


_ROWS = (
    PointFormat(".json", "points.readers.keypoints:read"),
    PointFormat(".npy", "points.readers.arrays:read"),
    PointFormat(".npz", "points.readers.arrays:read_archive"),
    PointFormat(".csv", "points.readers.table:read"),
    PointFormat(".trc", "points.readers.trc:read"),
    PointFormat(".c3d", "points.readers.c3d:read"),
)
POINT_FORMATS = Registry("point_formats", PointFormat, _ROWS, lambda row: row.suffix)


def read_by(path: str) -> PointFormat:
    """Return the row that reads a file, by its suffix; raises MotionFileError for an unknown one.

    Example:
        >>> from action_loom.core.points import registry
        >>> registry.read_by("take.TRC").suffix
        '.trc'
    """
    suffix = PurePath(path).suffix.lower()
    if suffix not in POINT_FORMATS:
        POINT_FORMATS.load_installed()
    row = POINT_FORMATS.get(suffix)
    if row is None:
        raise MotionFileError(path, None, f"its name does not end like a points file: {', '.join(POINT_FORMATS)}")
    return row
