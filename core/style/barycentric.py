"""Weights of few examples whose mean is a point: barycentric, in their Delaunay triangulation.

Method: Asking by measures.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..motion.quat import Array

INSIDE = 1e-7  # of the examples' spread; what is nearer to the hull is in it
STEPS = 1000  # of the simplex method, and of least squares; few are needed
_TINY = 1e-10


@dataclass(frozen=True, eq=False)
class Place:
    """Weights (n,), none negative, sum 1, and how far the point asked for is from their mean."""

    weights: Array
    away: float


def place(points: Array, wanted: Array) -> Place:
    """Return the weights (n,) of points (n, d) whose mean is a wanted point (d,), or the nearest one to it.

    Of all weights with that mean, those for which the weighted square distance from the point is least: they are of the
    corners of one cell of the Delaunay triangulation (which is the lower hull of the points on a paraboloid), at most
    d + 1 of them. A point outside the hull goes to the nearest one on it.
    """
    centre, spread = points.mean(axis=0), float(np.linalg.norm(np.ptp(points, axis=0))) or 1.0
    corners, goal = (points - centre) / spread, (wanted - centre) / spread
    near = nearest_in_hull(corners, goal)
    reached = near @ corners
    away = float(np.linalg.norm(reached - goal))
    if away > INSIDE:
        goal = reached
    weights = _in_cell(corners, goal, near)
    return Place(weights, spread * away if away > INSIDE else 0.0)


def nearest_in_hull(points: Array, wanted: Array) -> Array:
    """Return weights (n,), none negative, sum 1, whose mean of points (n, d) is nearest to a wanted point (d,).

    By least squares without negative solutions ([Lawson]): Σ w (p − wanted) = 0 and Σ w = 1 together
    lead, scaled to sum 1, to the point of the hull that is nearest.
    """
    rows = np.concatenate([(points - wanted).T, np.ones((1, len(points)))])
    goal = np.zeros(len(rows))
    goal[-1] = 1.0
    found = _non_negative(rows, goal)
    return np.asarray(found / found.sum())


def _non_negative(rows: Array, goal: Array) -> Array:
    """The non-negative w (n,) with which rows (m, n) times w are nearest to a goal (m,)."""
    count = rows.shape[1]
    weights, used = np.zeros(count), np.zeros(count, dtype=bool)
    for _ in range(STEPS):
        slope = rows.T @ (goal - rows @ weights)
        slope[used] = -np.inf
        best = int(np.argmax(slope))
        if not slope[best] > _TINY:
            break
        used[best] = True
        while True:
            solved = np.zeros(count)
            solved[used] = np.linalg.lstsq(rows[:, used], goal, rcond=None)[0]
            if (solved[used] > 0.0).all():
                break
            worse = used & (solved <= 0.0)
            step = float((weights[worse] / (weights[worse] - solved[worse])).min())
            weights = weights + step * (solved - weights)
            used &= weights > _TINY
            weights[~used] = 0.0
        weights = solved
    return weights


def _in_cell(points: Array, wanted: Array, start: Array) -> Array:
    """The weights (n,) with a mean as wanted for which Σ w |p − wanted|² is least, from others with that mean.

    The simplex method: w ≥ 0, d + 1 equations; the first basis are the points that are used, and what completes them.
    """
    count, size = points.shape
    rows = np.concatenate([points.T, np.ones((1, count))])
    goal = rows @ start
    cost = ((points - wanted) ** 2).sum(axis=1)
    basis = _completed(rows, start)
    if len(basis) < size + 1:
        return start  # all points lie in a space of fewer dimensions
    for _ in range(STEPS):
        inside = np.linalg.inv(rows[:, basis])
        prices = cost[basis] @ inside
        gains = prices @ rows - cost
        gains[basis] = 0.0
        entering = int(np.argmax(gains))
        if gains[entering] <= _TINY:
            break
        amounts, change = inside @ goal, inside @ rows[:, entering]
        falls = change > _TINY
        if not falls.any():
            break
        ratio = np.where(falls, np.maximum(amounts, 0.0) / np.where(falls, change, 1.0), np.inf)
        basis[int(np.argmin(ratio))] = entering
    weights = np.zeros(count)
    weights[basis] = np.maximum(np.linalg.solve(rows[:, basis], goal), 0.0)
    return np.asarray(weights / weights.sum())


def _completed(rows: Array, start: Array) -> NDArray[np.int64]:
    """Columns (d + 1,) that are independent, those with weight first; fewer where there are no more."""
    chosen: list[int] = []
    left = rows.copy()
    for column in np.argsort(-start, kind="stable"):
        rest = left[:, column]
        size = float(np.linalg.norm(rest))
        if size > 1e-7:
            chosen.append(int(column))
            direction = rest / size
            left = left - np.outer(direction, direction @ left)
        if len(chosen) == len(rows):
            break
    return np.array(chosen)
