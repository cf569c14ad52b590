"""The iterations of this package for numpy: the same numbers as `_numba`, but for rounding."""

import numpy as np

from ..motion.quat import Array


def pentadiagonal(diagonal: Array, first: Array, second: Array, right: Array) -> Array:
    """See `banded.solve`. In Python's own numbers: one at a time they are faster than numpy's."""
    pivots, ones, twos = [], [], []
    pivot, before, one, two, two_before = 1.0, 1.0, 0.0, 0.0, 0.0
    # Of the last rows there is nothing to the right.
    beside_it, beyond = [*first.tolist(), 0.0], [*second.tolist(), 0.0, 0.0][: len(diagonal)]
    rows = zip(diagonal.tolist(), beside_it, beyond, strict=True)
    for main, beside, next_but_one in rows:
        now = main - pivot * one * one - before * two_before * two_before
        one = (beside - pivot * one * two) / now
        two, two_before = next_but_one / now, two
        pivot, before = now, pivot
        pivots.append(now)
        ones.append(one)
        twos.append(two)
    found = [_substituted(pivots, ones, twos, column) for column in right.T.tolist()]
    return np.ascontiguousarray(np.array(found).reshape(right.shape[::-1]).T)


def _substituted(pivots: list[float], ones: list[float], twos: list[float], right: list[float]) -> list[float]:
    count = len(right)
    values = right.copy()
    for k in range(1, count):
        values[k] -= ones[k - 1] * values[k - 1]
        if k > 1:
            values[k] -= twos[k - 2] * values[k - 2]
    for k in range(count - 1, -1, -1):
        values[k] /= pivots[k]
        if k + 1 < count:
            values[k] -= ones[k] * values[k + 1]
        if k + 2 < count:
            values[k] -= twos[k] * values[k + 2]
    return values


def sections_forward(filters: Array, steady: Array, values: Array) -> Array:
    """See `low_pass.forward_and_back`: one way, as if the first sample had always been; transposed direct form II."""
    out = values.copy()
    for (b0, b1, b2, _, a1, a2), (first, second) in zip(filters.tolist(), steady.tolist(), strict=True):
        one, two = first * values[0], second * values[0]
        for given in out:
            made = b0 * given + one
            one = b1 * given - a1 * made + two
            two = b2 * given - a2 * made
            given[:] = made
    return out
