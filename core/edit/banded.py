"""Pentadiagonal smoothing: linear systems that couple each unknown to two neighbours on each side.

Method: Planted feet.
"""

import numpy as np

from .. import jit
from ..motion.quat import Array


def solve(diagonal: Array, first: Array, second: Array, right: Array) -> Array:
    """Return the solution (F, K) of A·x = right for a symmetric positive definite A with five diagonals.

    diagonal (F,), first (F−1,), second (F−2,) : diagonals of A, from the main one outwards; empty where F is small
    right (F, K) : any number of right sides. Raises ValueError for other shapes. Golub & Van Loan, section 4.3.
    """
    count = len(diagonal)
    if (len(first), len(second), len(right)) != (max(count - 1, 0), max(count - 2, 0), count) or right.ndim != 2:
        shapes = ", ".join(str(values.shape) for values in (diagonal, first, second, right))
        raise ValueError(f"these are not the diagonals of a system and its right sides: {shapes}")
    if count == 0:
        return np.empty(right.shape)
    ready = (np.ascontiguousarray(values, dtype=np.float64) for values in (diagonal, first, second, right))
    solution: Array = jit.kernels(__package__).pentadiagonal(*ready)
    return solution


def smooth_curve(weights: Array, goals: Array, bending: float, holding: float) -> Array:
    """Return the smooth curve (F, K) near weighted goals (F, K): a least-squares fit in linear time.

    It minimises Σ weights·|x − goals|² + bending·Σ|x″|² + holding·Σ|x|², where x″ is the second difference at a frame,
    weights (F,) and bending are nonnegative, and holding, which pulls the curve to zero, is positive.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.edit import banded
        >>> goals = np.array([[0.0], [0.0], [1.0], [0.0], [0.0]])
        >>> banded.smooth_curve(np.ones(5), goals, bending=10.0, holding=1e-9)[:, 0].round(2).tolist()
        [0.17, 0.21, 0.24, 0.21, 0.17]
    """
    count = len(weights)
    # Σ|x″|² as a matrix: the sum over every three neighbours of (1, −2, 1)ᵀ·(1, −2, 1).
    diagonal, first, second = weights + holding, np.zeros(max(count - 1, 0)), np.zeros(max(count - 2, 0))
    if count > 2:
        for shift, square in enumerate((1.0, 4.0, 1.0)):
            diagonal[shift : count - 2 + shift] += bending * square
        first[:-1] -= 2.0 * bending
        first[1:] -= 2.0 * bending
        second += bending
    return solve(diagonal, first, second, weights[:, None] * goals)
