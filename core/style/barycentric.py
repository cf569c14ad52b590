"""Barycentric weights of examples in their Delaunay triangulation (methods: Asking by measures)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..motion.quat import Array

INSIDE = 1e-7  # share of the examples' spread; points nearer to the hull count as inside
STEPS = 1000  # upper limit for the simplex method and for least squares, which need few
_TINY = 1e-10  # smaller slopes, gains and weights are rounding


@dataclass(frozen=True, eq=False)
class Place:
    """Weights (n,), nonnegative with sum 1, and the distance of the wanted point from their mean."""

    weights: Array
    away: float


def place(points: Array, wanted: Array) -> Place:
    """Return the weights (n,) of points (n, d) whose mean is a wanted point (d,), or the nearest point to it.

    Of all weights with that mean, these have the least weighted squared distance from it. They are therefore nonzero
    only at the corners of one cell of the Delaunay triangulation (the lower hull of the points on a paraboloid), at
    most d + 1. A point outside the hull moves to the nearest point of the hull.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.style import barycentric
        >>> corners = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
        >>> inside = barycentric.place(corners, np.array([0.5, 0.25]))
        >>> bool(np.allclose(inside.weights @ corners, [0.5, 0.25])), int((inside.weights > 1e-9).sum())
        (True, 3)
        >>> round(barycentric.place(corners, np.array([3.0, 0.5])).away, 3)
        2.0
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
    """Return weights (n,), nonnegative with sum 1, whose mean of points (n, d) is nearest to a wanted point (d,).

    By nonnegative least squares ([Lawson]) of Σ w (p − wanted) = 0 and Σ w = 1: normalized to sum 1, the solution is
    the nearest point of the hull.
    """
    rows = np.concatenate([(points - wanted).T, np.ones((1, len(points)))])
    goal = np.zeros(len(rows))
    goal[-1] = 1.0
    weights = _non_negative(rows, goal)
    return np.asarray(weights / weights.sum())


def _non_negative(rows: Array, goal: Array) -> Array:
    """Return the nonnegative w (n,) for which rows (m, n) times w are nearest to a goal (m,)."""
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
    """Return the weights (n,) with the least Σ w |p − wanted|² that have the same mean as `start`.

    By the simplex method, with w ≥ 0 and d + 1 equations. The initial basis has the points with nonzero weight, and
    others that complete it.
    """
    count, size = points.shape
    rows = np.concatenate([points.T, np.ones((1, count))])
    goal = rows @ start
    cost = ((points - wanted) ** 2).sum(axis=1)
    basis = _complete_basis(rows, start)
    if len(basis) < size + 1:
        return start  # all points lie in a lower-dimensional space
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


def _complete_basis(rows: Array, start: Array) -> NDArray[np.int64]:
    """Return d + 1 independent columns, preferring nonzero weights; fewer if the rank is lower."""
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
