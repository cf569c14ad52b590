"""The kernels of this package for numpy: the same numbers as `_numba`, except for rounding."""

import numpy as np

from ..motion.quat import Array


def pentadiagonal(diagonal: Array, first: Array, second: Array, right: Array) -> Array:
    """See `banded.solve`. Uses Python floats, which are faster than numpy's when processed one by one."""
    pivots, ones, twos = [], [], []
    pivot, before, one, two, two_before = 1.0, 1.0, 0.0, 0.0, 0.0
    # The last rows have fewer neighbours to the right, which are filled with zeros.
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
    columns = [_substitute(pivots, ones, twos, column) for column in right.T.tolist()]
    return np.ascontiguousarray(np.array(columns).reshape(right.shape[::-1]).T)


def _substitute(pivots: list[float], ones: list[float], twos: list[float], right: list[float]) -> list[float]:
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
    """See `low_pass.forward_and_back`: one pass from the first sample's steady state, in transposed direct form II."""
    out = values.copy()
    for (b0, b1, b2, _, a1, a2), (first, second) in zip(filters.tolist(), steady.tolist(), strict=True):
        one, two = first * values[0], second * values[0]
        for samples in out:
            filtered = b0 * samples + one
            one = b1 * samples - a1 * filtered + two
            two = b2 * samples - a2 * filtered
            samples[:] = filtered
    return out
