"""Systems of equations in which each unknown is tied to the two before and after it: curves that bend little."""

import numpy as np

from .. import jit
from ..motion.quat import Array


def solve(diagonal: Array, first: Array, second: Array, right: Array) -> Array:
    """Return the solution (F, K) of A·x = right for a symmetric positive definite A with five diagonals.

    diagonal (F,), first (F−1,), second (F−2,) : of A, and of the same length or none for F under 3
    right (F, K) : any number of right sides. Raises ValueError for other shapes. Golub & Van Loan, section 4.3.
    """
    count = len(diagonal)
    if (len(first), len(second), len(right)) != (max(count - 1, 0), max(count - 2, 0), count) or right.ndim != 2:
        shapes = ", ".join(str(values.shape) for values in (diagonal, first, second, right))
        raise ValueError(f"these are not the diagonals of a system and its right sides: {shapes}")
    if count == 0:
        return np.empty(right.shape)
    ready = (np.ascontiguousarray(values, dtype=np.float64) for values in (diagonal, first, second, right))
    found: Array = jit.kernels(__package__).pentadiagonal(*ready)
    return found


def pulled(weights: Array, goals: Array, bending: float, holding: float) -> Array:
    """Return the curve (F, K) that goes to its goals (F, K) as far as their weights (F,) say, bends and is little.

    It is the least of Σ weights·|x − goals|² + bending·Σ|x″|² + holding·Σ|x|², x″ the second difference of a frame.
    Weights and bending are not negative, holding is over 0.
    """
    count = len(weights)
    # The sum over every three neighbours of (1, −2, 1)ᵀ·(1, −2, 1).
    diagonal, first, second = weights + holding, np.zeros(max(count - 1, 0)), np.zeros(max(count - 2, 0))
    if count > 2:
        for shift, square in enumerate((1.0, 4.0, 1.0)):
            diagonal[shift : count - 2 + shift] += bending * square
        first[:-1] -= 2.0 * bending
        first[1:] -= 2.0 * bending
        second += bending
    return solve(diagonal, first, second, weights[:, None] * goals)
