"""Steer along a path by choosing one stride after the other (methods: Asking by measures)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from ...errors import OptionError, wrong_rows
from ...motion import root_motion
from ...motion.quat import Array

AHEAD = 1.5  # strides to the steering target on the path; nearer overshoots, farther cuts corners
MOST = 1000  # strides
FINE = 0.05  # m between points of the path

Choice = TypeVar("Choice")


@dataclass(frozen=True, eq=False)
class GroundPath:
    """A path (N, 2) of points spaced evenly (`FINE`) from start to end."""

    points: Array

    @property
    def length(self) -> float:
        return FINE * (len(self.points) - 1)

    def at(self, distance: float) -> Array:
        """Return the point (2,) at a distance along the path; extrapolates straight beyond its end."""
        last = len(self.points) - 1
        if distance >= self.length:
            end, before = self.points[last], self.points[max(last - 1, 0)]
            return np.asarray(end + (end - before) / FINE * (distance - self.length))
        whole = min(int(distance / FINE), last - 1)
        share = distance / FINE - whole
        return np.asarray((1.0 - share) * self.points[whole] + share * self.points[whole + 1])

    def nearest(self, place: Array, start: float, end: float) -> float:
        """Return the distance along the path (m) of its point nearest to a place, within two bounds."""
        first = max(0, min(int(start / FINE), len(self.points) - 1))
        last = max(first + 1, min(int(end / FINE) + 1, len(self.points)))
        return FINE * (first + int(np.argmin(np.linalg.norm(self.points[first:last] - place, axis=1))))

    def measure_distances(self, places: Array) -> Array:
        """Return the distance (F,) of places (F, 2) from the path."""
        return np.asarray([np.linalg.norm(self.points - place, axis=1).min() for place in places])


def path_of(rows: Sequence[Sequence[float]]) -> GroundPath:
    """Return the path through points; raises OptionError for invalid rows."""
    points = np.array([row for row in rows if len(row) == 2], dtype=np.float64)
    if len(points) < 2 or len(points) != len(rows):
        raise wrong_rows("path", *"xy")
    way = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    if way[-1] < 2.0 * FINE:
        raise OptionError(f"path is {100.0 * way[-1]:.0f} cm long: there is nowhere to walk")
    even = np.arange(int(way[-1] / FINE) + 1) * FINE
    return GroundPath(np.column_stack([np.interp(even, way, points[:, axis]) for axis in range(2)]))


def choose_along_path(
    path: GroundPath,
    chosen: Callable[[float, float, float], Choice],
    steps: Callable[[Choice, Choice], Array],
) -> tuple[list[Choice], float]:
    """Return the choice at the beginning of each stride and at the end of the last, and the start heading (radians).

    chosen : returns a choice for a distance along the path (m), the length of the stride (m, 0 before the first) and
        the turn wanted per stride (radians)
    steps : returns the steps (P, 3) of a stride that fades from one choice to another
    Pure pursuit [Coulter]: each stride follows the arc to a point of the path ahead.
    """
    first = path.at(FINE) - path.at(0.0)
    facing = start = float(np.arctan2(-first[0], first[1]))
    place, gone, stride = path.at(0.0), 0.0, 0.0
    choices = [chosen(0.0, 0.0, 0.0)]
    while len(choices) < MOST:
        whole = steps(choices[-1], choices[-1])
        # The choice at the end of a stride takes effect from its middle to the middle of the next one.
        middle, turned = _after(whole[: len(whole) // 2], place, facing)
        stride = float(np.linalg.norm(whole[:, :2].sum(axis=0)))
        there = path.nearest(middle, gone, gone + 2.0 * stride)
        goal = path.at(there + AHEAD * stride) - middle
        wanted = 2.0 * _wrap_angle(float(np.arctan2(-goal[0], goal[1])) - turned) / AHEAD
        choices.append(chosen(there, stride, wanted))
        place, facing = _after(steps(choices[-2], choices[-1]), place, facing)
        gone = path.nearest(place, gone, gone + 2.0 * stride)
        if gone >= path.length - 0.5 * stride or stride < FINE:
            return choices, start
    raise OptionError(f"path is longer than {MOST} strides: make it shorter")


def _after(steps: Array, place: Array, facing: float) -> tuple[Array, float]:
    ground, facings = root_motion.integrate(steps, place, facing)
    return ground[-1], float(facings[-1])


def _wrap_angle(angle: float) -> float:
    return (angle + np.pi) % (2.0 * np.pi) - np.pi
