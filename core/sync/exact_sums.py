"""Round numbers so that sums of their products are exact, in any order.

A linear algebra library sums products in an order that depends on the processor and on the number of threads. The last
bits differ, and would decide between equally good choices (in a clip that repeats itself, or between a pose and its
mirror image). Rounded to 23 bits of the largest row, a tenth of a micrometre for a person, sums are exact and
reproducible.
"""

import math
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ..motion.quat import Array

BITS = 23  # twice that for a product of two rows; 7 bits remain for a sum over the frames of a window

WIDE = 2048  # numbers of a row multiplied at a time

Numbers = NDArray[np.float32] | NDArray[np.float64]
Some = TypeVar("Some", NDArray[np.float32], NDArray[np.float64])
Rows = TypeVar("Rows", NDArray[np.float64], NDArray[np.complex128])


def round_rows(rows: Rows) -> Rows:
    """Return rows (R, …), real or complex, rounded so that sums of products of any two are exact in double precision.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.sync import exact_sums
        >>> a, b = np.random.default_rng(0).normal(size=(2, 50))
        >>> x, y = exact_sums.round_rows(np.stack([a, b]))
        >>> bool(np.dot(x, y) == sum(x * y) == np.sum((x * y)[::-1])), bool(np.abs(x - a).max() < 1e-5)
        (True, True)
    """
    flat = rows.reshape(len(rows), math.prod(rows.shape[1:]))
    squares = np.einsum("rk,rk->r", flat, flat.conj()).real
    unit = unit_of(float(squares.max(initial=0.0)))
    if not unit:
        return rows
    whole = rows / unit
    np.rint(whole, out=whole)
    return np.multiply(whole, unit, out=whole)


def unit_of(square: float) -> float:
    """Return the unit to which numbers are rounded, a power of two; 0 if rounding is not possible.

    square : the sum of squares of the largest row

    Example:
        >>> from action_loom.core.sync import exact_sums
        >>> exact_sums.unit_of(4.0) * 2**22
        1.0
    """
    largest = float(np.sqrt(square))
    if not 0.0 < largest < np.inf:
        return 0.0
    # The margin keeps the last bit of this sum from mattering near a power of two.
    return float(2.0 ** (np.ceil(np.log2(largest) - 1e-9) - BITS))


def write(numbers: Array, unit: float, out: NDArray[np.float32]) -> None:
    """Write numbers rounded to multiples of `unit`, exact in single precision; `numbers` is overwritten.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.sync import exact_sums
        >>> out = np.empty(2, dtype=np.float32)
        >>> exact_sums.write(np.array([0.3, 0.6]), 0.25, out)
        >>> out.tolist()
        [0.25, 0.5]
    """
    if unit:
        numbers *= 1.0 / unit
        np.rint(numbers, out=numbers)
        numbers *= unit
    out[...] = numbers


def products(rows: Numbers, others: Numbers) -> Array:
    """Return the products (M, N) of rows (M, K) and others (N, K), in double precision, exactly, whether split or not.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.sync import exact_sums
        >>> rows = np.array([[1.0, 2.0], [0.5, 0.0]], dtype=np.float32)
        >>> exact_sums.products(rows, rows).tolist()
        [[5.0, 0.5], [0.5, 0.25]]
    """
    total = np.zeros((len(rows), len(others)))
    for first in range(0, rows.shape[1], WIDE):
        some = slice(first, first + WIDE)
        total += rows[:, some].astype(np.float64, copy=False) @ others[:, some].astype(np.float64, copy=False).T
    return total


def ready(others: Numbers) -> Numbers:
    """Return rows converted once for repeated use in `products`, unless long rows would take too much memory.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.sync import exact_sums
        >>> exact_sums.ready(np.ones((2, 3), dtype=np.float32)).dtype.name
        'float64'
    """
    return others.astype(np.float64, copy=False) if others.shape[1] <= WIDE else others
