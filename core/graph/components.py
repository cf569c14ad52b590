"""Strongly connected components of a directed graph (Tarjan 1972; methods: Motion graph)."""

import numpy as np
from numpy.typing import NDArray

from .. import jit

Indices = NDArray[np.int64]


def strong(count: int, start: Indices, end: Indices) -> Indices:
    """Return the component (N,) of each of `count` nodes under edges (E,), numbered in the order of discovery.

    The algorithm is iterative, because a chain of nodes may exceed Python's recursion limit.
    """
    order = np.argsort(start, kind="stable")
    first = np.searchsorted(start[order], np.arange(count + 1))
    return np.asarray(jit.at_hand(__package__).number_components(first, end[order]))
