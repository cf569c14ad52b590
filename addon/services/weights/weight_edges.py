"""Move the edge between two sources' shares in a stacked display."""

from collections.abc import Sequence


def move_edge(weights: Sequence[float], edge: int, level: float) -> list[float]:
    """Return weights such that the sources before `edge` have the share `level`; only the two beside the edge change.

    Example: of 2, 1 and 1 with the edge 1 at 0.25, the first two become 1 and 2.
    """
    total = sum(weights)
    if total <= 0.0:
        return [*weights]
    low = sum(weights[: edge - 1])
    both = weights[edge - 1] + weights[edge]
    first = min(max(level * total - low, 0.0), both)
    return [*weights[: edge - 1], first, both - first, *weights[edge + 1 :]]
