"""The ground under a driven body: triangles, and their height under a foot (methods: Drive)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..errors import wrong_rows
from ..motion.quat import Array

STEEPEST = math.radians(60.0)  # steeper faces are walls
AROUND = 2.0  # m from a path; triangles within this distance are kept
DECIMALS = 4  # decimals stored, metres
HEEL, TOE = 0.25, 0.4  # of the distance from ankle to ball: the heel behind the ankle, the toes in front of the ball
INSIDE = -1e-6  # least barycentric coordinate, to leave no gap between two triangles

Spot = tuple[float, Array]
LEVEL: Array = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True, eq=False)
class Ground:
    """Triangles (T, 3, 3), metres over the floor of the clips; places outside them are on that floor."""

    triangles: Array

    def __len__(self) -> int:
        return len(self.triangles)

    @cached_property
    def _bounds(self) -> tuple[Array, Array]:
        flat = self.triangles[:, :, :2]
        return flat.min(axis=1), flat.max(axis=1)

    @cached_property
    def _normals(self) -> Array:
        return _normals(self.triangles)

    def part_near(self, places: Sequence[complex], radius: float = AROUND) -> "Ground":
        """Return the part within some metres of places, x + iy, measured by bounding squares.

        Example:
            >>> from action_loom.core.drive import ground
            >>> whole = ground.of_rows([(0, 0, 0, 1, 0, 0, 0, 1, 0), (9, 9, 0, 10, 9, 0, 9, 10, 0)])
            >>> len(whole.part_near([0.5 + 0.5j]))
            1
        """
        low, high = self._bounds
        keep = np.zeros(len(self), dtype=bool)
        spots = np.unique(np.round(np.array(places) / (0.5 * radius)))  # samples half a radius apart suffice
        for spot in spots * (0.5 * radius):
            at = np.array([spot.real, spot.imag])
            keep |= ((low <= at + radius) & (high >= at - radius)).all(axis=1)
        return Ground(self.triangles[keep])

    def at(self, place: complex, below: float) -> Spot | None:
        """Return height and normal (3,) of the highest triangle under a place, up to a height; None without one.

        Example:
            >>> from action_loom.core.drive import ground
            >>> step = ground.of_rows([(0, 0, 0.2, 4, 0, 0.2, 0, 4, 0.2)])
            >>> step.at(1 + 1j, below=0.5)[0], step.at(1 + 1j, below=0.1), step.at(3 + 3j, below=0.5)
            (0.2, None, None)
        """
        x, y = place.real, place.imag
        low, high = self._bounds
        rows = np.flatnonzero((low[:, 0] <= x) & (high[:, 0] >= x) & (low[:, 1] <= y) & (high[:, 1] >= y))
        best: Spot | None = None
        for row in rows.tolist():
            (ax, ay, az), (bx, by, bz), (cx, cy, cz) = self.triangles[row].tolist()
            whole = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay)
            b = ((x - ax) * (cy - ay) - (cx - ax) * (y - ay)) / whole
            c = ((bx - ax) * (y - ay) - (x - ax) * (by - ay)) / whole
            height = az + b * (bz - az) + c * (cz - az)
            if min(b, c, 1.0 - b - c) >= INSIDE and height <= below and (best is None or height > best[0]):
                best = height, self._normals[row]
        return best

    def on(self, place: complex, height: float, climbs: float) -> float:
        """Return the ground height at a place when coming from a height and climbing steps of up to `climbs` metres.

        Example:
            >>> from action_loom.core.drive import ground
            >>> step = ground.of_rows([(0, 0, 0.2, 4, 0, 0.2, 0, 4, 0.2)])
            >>> step.on(1 + 1j, 0.0, climbs=0.4), step.on(1 + 1j, 0.0, climbs=0.1)
            (0.2, 0.0)
        """
        spot = self.at(place, height + climbs)
        return 0.0 if spot is None else spot[0]

    def under(self, ball: complex, ankle: complex, below: float) -> Spot:
        """Return the height of a foot in contact, metres, and the normal (3,) under its ball.

        If heel or toes are above a higher step, the foot stands on that step.

        Example:
            >>> from action_loom.core.drive import ground
            >>> step = ground.of_rows([(0, 0, 0.2, 4, 0, 0.2, 0, 4, 0.2)])
            >>> step.under(-0.02 + 1j, -0.2 + 1j, below=0.5)[0]  # its toes are on the step
            0.2
        """
        height, normal = self.at(ball, below) or (0.0, LEVEL)
        along, level = ball - ankle, height
        for spot in (ankle - HEEL * along, ball + TOE * along):
            there = self.at(spot, below)
            away = spot - ball
            plane = level - (normal[0] * away.real + normal[1] * away.imag) / normal[2]
            height = max(height, level + (0.0 if there is None else there[0]) - plane)
        return float(height), normal

    def rows(self) -> tuple[tuple[float, ...], ...]:
        """Return its triangles as rows of nine numbers, rounded."""
        return tuple(map(tuple, np.round(self.triangles.reshape(-1, 9), DECIMALS).tolist()))


def of_rows(rows: Sequence[Sequence[float]]) -> Ground:
    """Return the ground from rows of nine numbers, x, y and height of three corners in metres; walls are removed.

    Raises OptionError for other rows.

    Example:
        >>> from action_loom.core.drive import ground
        >>> wall = (0, 0, 0, 1, 0, 0, 0, 0, 1)
        >>> len(ground.of_rows([(0, 0, 0, 1, 0, 0, 0, 1, 0), wall]))
        1
    """
    if any(len(row) != 9 for row in rows):
        raise wrong_rows("ground", *("xyz" * 3))
    triangles = np.array([tuple(row) for row in rows], dtype=np.float64).reshape(-1, 3, 3)
    return Ground(triangles[_normals(triangles)[:, 2] > math.cos(STEEPEST)])


def _normals(triangles: Array) -> Array:
    """Return the upward normals (T, 3) of triangles; 0 for degenerate ones."""
    sides = triangles[:, 1:] - triangles[:, :1]
    normals = np.cross(sides[:, 0], sides[:, 1])
    size = np.linalg.norm(normals, axis=1, keepdims=True)
    normals = np.where(size > 1e-12, normals / np.maximum(size, 1e-300), 0.0)
    return np.where(normals[:, 2:] < 0.0, -normals, normals)
