"""Strongly connected components of a directed graph (Tarjan 1972; methods: Motion graph)."""

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int64]


def strong(count: int, start: Indices, end: Indices) -> Indices:
    """Return the component (N,) of each of `count` nodes under edges (E,), numbered in the order of discovery.

    The algorithm is iterative, because a chain of nodes may exceed Python's recursion limit.
    """
    order = np.argsort(start, kind="stable")
    following = end[order].tolist()
    first = np.searchsorted(start[order], np.arange(count + 1)).tolist()
    component, low, index = [-1] * count, [0] * count, [-1] * count
    waiting: list[int] = []
    counter = components = 0
    for root in range(count):
        if index[root] >= 0:
            continue
        index[root] = low[root] = counter
        counter += 1
        waiting.append(root)
        path = [(root, first[root])]
        while path:
            node, edge = path.pop()
            if edge < first[node + 1]:
                path.append((node, edge + 1))
                other = following[edge]
                if index[other] < 0:
                    index[other] = low[other] = counter
                    counter += 1
                    waiting.append(other)
                    path.append((other, first[other]))
                elif component[other] < 0:
                    low[node] = min(low[node], index[other])
                continue
            if path:
                above = path[-1][0]
                low[above] = min(low[above], low[node])
            if low[node] == index[node]:
                while True:
                    member = waiting.pop()
                    component[member] = components
                    if member == node:
                        break
                components += 1
    return np.array(component, dtype=np.int64)
