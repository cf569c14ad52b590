"""Numbers whose products can be summed without rounding, in any order.

A linear algebra library sums products in an order that depends on the processor and on the number of threads. The last
bits differ, and where two choices are equally good (a clip that repeats itself, a pose and its mirror image) these bits
would decide. Rounded to 23 bits of the largest row, a tenth of a micrometre of a person, sums are exact, and the same.
"""

import math
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

BITS = 23  # twice that for a product of two rows; 7 bits are left for a sum over the frames of a window

Rows = TypeVar("Rows", NDArray[np.float64], NDArray[np.complex128])


def rounded(rows: Rows) -> Rows:
    """Return rows (R, …), real or complex, rounded so that the sums of products of any two are exact in doubles.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.sync import exact_sums
        >>> a, b = np.random.default_rng(0).normal(size=(2, 50))
        >>> x, y = exact_sums.rounded(np.stack([a, b]))
        >>> bool(np.dot(x, y) == sum(x * y) == np.sum((x * y)[::-1])), bool(np.abs(x - a).max() < 1e-5)
        (True, True)
    """
    flat = rows.reshape(len(rows), math.prod(rows.shape[1:]))
    squares = np.einsum("rk,rk->r", flat, flat.conj()).real
    largest = float(np.sqrt(squares.max(initial=0.0)))
    if not 0.0 < largest < np.inf:
        return rows
    # A little less, so that the last bit of this sum does not matter where it is a power of two.
    unit = 2.0 ** (np.ceil(np.log2(largest) - 1e-9) - BITS)
    whole = rows / unit
    np.rint(whole, out=whole)
    return np.multiply(whole, unit, out=whole)
