"""The points of one person as read from a file, before they are matched to parts of the body."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..errors import MotionFileError
from ..motion.quat import Array

LARGEST = 1e7  # points with a larger coordinate, in any unit, count as missing
MOST_VALUES = 60_000_000  # files with more values are refused; it is five hours of 33 points at 30 frames per second
_STAYS = 0.95  # share of frames; a point that is in the origin for longer shows a file without travel
BELIEVED = 0.3  # points with a confidence up to this value count as missing


@dataclass(frozen=True, eq=False)
class Recording:
    """The points of one person, as in a file.

    labels : P names; positions (F, P, 3) : NaN where a point is missing; trust (F, P) : confidences, None if unknown
    rate : frames per second, 0 if the file does not state it
    metres : length of the file's unit, 0 if the file does not state it
    person : the person's name, "" if the file has only one person
    notes : sentences for the user
    markers : whether the points are on the skin, not at joints
    centred : whether a point stays in the origin, as in files without travel
    """

    path: str
    labels: tuple[str, ...]
    positions: Array
    trust: Array | None = None
    rate: float = 0.0
    metres: float = 0.0
    person: str = ""
    notes: tuple[str, ...] = field(default=())
    markers: bool = False
    centred: bool = False

    def __len__(self) -> int:
        return len(self.positions)


def check_size(path: object, values: int) -> None:
    """Raise MotionFileError if a file has more values than `MOST_VALUES`.

    Example:
        >>> from action_loom.core.points import recording
        >>> recording.check_size("one.csv", 1000)
    """
    if values > MOST_VALUES:
        raise MotionFileError(path, None, f"it has {values:,} values, but {MOST_VALUES:,} are read: cut it")


def frames_of(path: object, numbers: Sequence[float], values: int) -> NDArray[np.int64]:
    """Return the frame (N,) of each row of a file from its number; a missing number is a frame in which nobody is seen.

    Numbers may rise in steps of more than 1. If they do not always rise, rows are numbered in order.

    values : number of values in a frame. Raises MotionFileError for more values than `MOST_VALUES`.

    Example:
        >>> from action_loom.core.points import recording
        >>> recording.frames_of("one.trc", [10, 12, 14, 20], 99).tolist()
        [0, 1, 2, 5]
    """
    rising = np.asarray(numbers, dtype=np.float64)
    steps = np.diff(rising)
    if not len(steps) or not ((steps > 0.0) & (steps < MOST_VALUES) & (steps == np.round(steps))).all():
        return np.arange(len(rising))
    step = np.gcd.reduce(steps.astype(np.int64))
    check_size(path, int(steps.sum() // step + 1) * values)
    return np.concatenate([[0], np.cumsum(steps.astype(np.int64) // step)])


def make(
    path: object, labels: tuple[str, ...], values: NDArray[np.generic], trust: Array | None = None, **about: object
) -> Recording:
    """Return a recording of checked values (F, P, 3 or 4); a fourth coordinate is a confidence.

    Points at the origin in all coordinates, infinite ones and ones with a low confidence are missing. Raises
    MotionFileError.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.points import recording
        >>> one = recording.make("one.npy", ("hip",), np.array([[[1.0, 2.0, 3.0, 0.9]], [[1.0, 2.0, 3.0, 0.1]]]))
        >>> one.positions[:, 0, 0].tolist()  # the second is not trusted
        [1.0, nan]
    """
    if values.ndim != 3 or values.shape[2] not in (3, 4) or 0 in values.shape:
        shape = " × ".join(map(str, values.shape))
        raise MotionFileError(path, None, f"its values are {shape}, but must be frames × points × 3 coordinates")
    if values.dtype.kind not in "fiu":
        raise MotionFileError(path, None, f"its values are {values.dtype}, but must be numbers")
    check_size(path, values.size)
    if values.shape[2] == 4:
        trust = np.nan_to_num(values[..., 3].astype(np.float64))
    places = values[..., :3].astype(np.float64)
    bad = np.asarray(~np.isfinite(places).all(axis=-1) | (np.abs(np.nan_to_num(places)) > LARGEST).any(axis=-1))
    origin = np.asarray(~places.any(axis=-1))
    bad |= origin
    about = {"centred": bool((origin.mean(axis=0) > _STAYS).any()), **about}
    if trust is not None:
        bad |= ~(trust > BELIEVED)
    return Recording(str(path), labels, np.where(bad[..., None], np.nan, places), trust, **about)  # type: ignore[arg-type]
