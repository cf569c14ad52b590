"""Read a file of points of any known kind (methods: Points)."""

import os

from ..entry_points import load
from . import orders, registry
from .recording import Recording


def people(path: str | os.PathLike[str], order: str = orders.AUTO) -> list[Recording]:
    """Return a recording of each person in a file of points.

    order : a known order of points without names, or a file with their names. Raises MotionFileError and OptionError.

    Example:
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> from action_loom.core.points import read
        >>> with TemporaryDirectory() as folder:
        ...     path = Path(folder, "one.csv")
        ...     _ = path.write_text("left_hip_x,left_hip_y,left_hip_z\\n1,2,3\\n4,5,6\\n")
        ...     one, = read.people(path)
        >>> one.labels, one.positions[1].tolist()
        (('left_hip',), [[4.0, 5.0, 6.0]])
    """
    row = registry.read_by(os.fspath(path))
    found: list[Recording] = load(row.read)(path, orders.names_of(order))
    return found
