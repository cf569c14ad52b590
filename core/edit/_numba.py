"""The kernels of this package for numba; `_numpy` has the same functions for numpy."""

import numpy as np

from ..jit import kernel


@kernel("f8[:, ::1](f8[::1], f8[::1], f8[::1], f8[:, ::1])")
def pentadiagonal(diagonal, first, second, right):  # type: ignore[no-untyped-def]
    """See `banded.solve`: factored as L·D·Lᵀ, then forward and back substitution."""
    count = len(diagonal)
    pivots, ones, twos = np.empty(count), np.zeros(count), np.zeros(count)
    for k in range(count):
        now = diagonal[k]
        beside = first[k] if k + 1 < count else 0.0
        if k > 0:
            now -= pivots[k - 1] * ones[k - 1] * ones[k - 1]
            beside -= pivots[k - 1] * ones[k - 1] * twos[k - 1]
        if k > 1:
            now -= pivots[k - 2] * twos[k - 2] * twos[k - 2]
        pivots[k] = now
        ones[k] = beside / now
        twos[k] = second[k] / now if k + 2 < count else 0.0
    values = right.copy()
    for column in range(values.shape[1]):
        for k in range(1, count):
            values[k, column] -= ones[k - 1] * values[k - 1, column]
            if k > 1:
                values[k, column] -= twos[k - 2] * values[k - 2, column]
        for k in range(count - 1, -1, -1):
            values[k, column] /= pivots[k]
            if k + 1 < count:
                values[k, column] -= ones[k] * values[k + 1, column]
            if k + 2 < count:
                values[k, column] -= twos[k] * values[k + 2, column]
    return values


@kernel("f8[:, ::1](f8[:, ::1], f8[:, ::1], f8[:, ::1])")
def sections_forward(filters, steady, values):  # type: ignore[no-untyped-def]
    """See `low_pass.forward_and_back`: one pass from the first sample's steady state, in transposed direct form II."""
    out = values.copy()
    for section in range(len(filters)):
        b0, b1, b2 = filters[section, 0], filters[section, 1], filters[section, 2]
        a1, a2 = filters[section, 4], filters[section, 5]
        one, two = steady[section, 0] * values[0], steady[section, 1] * values[0]
        for k in range(out.shape[0]):
            for column in range(out.shape[1]):
                sample = out[k, column]
                filtered = b0 * sample + one[column]
                one[column] = b1 * sample - a1 * filtered + two[column]
                two[column] = b2 * sample - a2 * filtered
                out[k, column] = filtered
    return out
