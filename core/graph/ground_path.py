"""A drawn path on the ground, by arc length (methods: Following a drawn path)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import OptionError, wrong_rows
from ..motion.quat import Array

STEP = 0.02  # m between samples
REACH = 0.3  # m on each side for computing the direction, so that a walk turns before a corner
BEND_REACH = 0.5  # m on each side for computing the radius
BEYOND = 4.0  # m by which a path is extended beyond its end, for edges that cross it
SAME = 1e-9  # m and radians; smaller differences are ignored
SHORTEST, LONGEST = 0.1, 20000.0  # metres; a longer path is probably in another unit


@dataclass(frozen=True, eq=False)
class GroundPath:
    """A path sampled at equal arc lengths, extended beyond its end: straight, or around again if it is closed.

    places (K,) : x + iy
    facing (K,) : along the path, radians about Z from +y, unwrapped
    heights (K,) : 0 if heights are not used
    length : up to the end
    unit : metres; all lengths are in this unit
    """

    places: NDArray[np.complex128]
    facing: Array
    heights: Array
    length: float
    closed: bool
    unit: float = 1.0

    def at(self, gone: Array) -> NDArray[np.complex128]:
        """Return the places at arc lengths (F,)."""
        low, share = self._between(gone)
        return self.places[low] + share * (self.places[low + 1] - self.places[low])

    def facing_at(self, gone: Array) -> Array:
        """Return the facings at arc lengths (F,)."""
        low, share = self._between(gone)
        return self.facing[low] + share * (self.facing[low + 1] - self.facing[low])

    def height_at(self, gone: Array) -> Array:
        """Return the heights at arc lengths (F,)."""
        low, share = self._between(gone)
        return self.heights[low] + share * (self.heights[low + 1] - self.heights[low])

    def _between(self, gone: Array) -> tuple[NDArray[np.int64], Array]:
        """Return the samples (F,) before arc lengths, and the weight (F,) of the samples after them."""
        low = np.minimum((gone / STEP).astype(np.int64), len(self.places) - 2)
        return low, np.minimum(gone / STEP - low, 1.0)

    def first_change(self, other: "GroundPath") -> float:
        """Return the arc length up to which another path of the same unit is equal, infinite if all of it is."""
        count = min(len(self.places), len(other.places))
        moved = np.abs(self.places[:count] - other.places[:count]) > SAME
        moved |= np.abs(self.heights[:count] - other.heights[:count]) > SAME
        changed = np.flatnonzero(moved | (np.abs(self.facing[:count] - other.facing[:count]) > SAME))
        if len(changed):
            return float(min(changed[0] * STEP, self.length, other.length))
        return float("inf") if self.length == other.length else min(self.length, other.length)

    def tightest(self) -> tuple[float, float]:
        """Return the smallest radius of the path over a metre, infinite if it is straight, and its arc length."""
        reach = round(BEND_REACH / STEP)
        inside = round(self.length / STEP) + 1
        if inside <= 2 * reach:
            reach = max(1, (inside - 1) // 4)
        turned = np.abs(self.facing[2 * reach : inside] - self.facing[: max(inside - 2 * reach, 0)])
        if len(turned) == 0 or turned.max() < 1e-6:
            return float("inf"), 0.0
        most = int(np.argmax(turned))
        return float(2 * reach * STEP / turned[most]), (most + reach) * STEP


def through(rows: Sequence[Sequence[float]], *, closed: bool, unit: float = 1.0, climbing: bool = False) -> GroundPath:
    """Return the path through points (N, 2 or more: x, y and height), metres.

    closed : whether it returns to its first point
    unit : metres, of the result's lengths
    climbing : whether to use heights

    Raises OptionError for points that define no path, or one that is too short or too long.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.graph import ground_path
        >>> path = ground_path.through([(0, 0), (0, 3), (4, 3)], closed=False)
        >>> path.length, np.degrees(path.facing_at(np.array([0.0, 5.0]))).round().tolist()  # to +y, then to +x
        (7.0, [0.0, -90.0])
    """
    if any(len(row) < 2 for row in rows):
        raise wrong_rows("path", *"xy")
    points = np.array([complex(row[0], row[1]) for row in rows], dtype=np.complex128)
    heights = np.array([row[2] if climbing and len(row) > 2 else 0.0 for row in rows])
    if closed and len(points):
        points, heights = np.append(points, points[0]), np.append(heights, heights[0])
    points, heights = points / unit, heights / unit
    apart = np.append(True, np.abs(np.diff(points)) > 1e-9) if len(points) else np.ones(0, dtype=bool)
    points, heights = points[apart], heights[apart]
    marks = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(points)))])
    length = float(marks[-1])
    if not SHORTEST <= length * unit <= LONGEST:
        raise OptionError(f"the path is {length * unit:g} m long, but must be {SHORTEST:g} to {LONGEST:g} m")
    lengths = np.arange(int(np.ceil((length + BEYOND) / STEP)) + 1) * STEP
    if closed:
        lengths = lengths % length
    inside = np.minimum(lengths, length)
    places = np.interp(inside, marks, points.real) + 1j * np.interp(inside, marks, points.imag)
    last = points[-1] - points[-2]
    places = places + (lengths - inside) * last / abs(last)
    return GroundPath(places, _facing(places), np.interp(inside, marks, heights), length, closed, unit)


def _facing(places: NDArray[np.complex128]) -> Array:
    """Return the facing (K,) along a sampled path, 0 for +y."""
    reach, last = round(REACH / STEP), len(places) - 1
    k = np.arange(len(places))
    ahead = places[np.minimum(k + reach, last)] - places[np.maximum(k - reach, 0)]
    # A path that reverses has no such direction at that point, so the direction of the next step is used.
    steps = np.append(np.diff(places), places[-1] - places[-2])
    ahead = np.where(np.abs(ahead) > 0.25 * REACH, ahead, steps)
    return np.unwrap(np.angle(ahead) - 0.5 * np.pi)
