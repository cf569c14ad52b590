"""Nearest-row search: one matrix product, or bounding boxes for large databases (methods: Drive)."""

import numpy as np
from numpy.typing import NDArray

MANY = 30_000  # rows; above it boxes are faster than one product
SMALL, LARGE = 64, 1024  # rows per box
BATCH = 16  # boxes whose rows are compared at a time

Numbers = NDArray[np.float32]


class Index:
    """Rows (R, N) to search; `rows` (R,) : their numbers."""

    def __init__(self, features: Numbers, rows: NDArray[np.int64]) -> None:
        self.rows = rows
        self._features = np.ascontiguousarray(features, dtype=np.float32)
        self._squares = np.einsum("ij,ij->i", self._features, self._features)
        self._boxes = _Boxes(self._features) if len(rows) >= MANY else None

    def nearest(self, query: Numbers, penalty: Numbers | None = None) -> tuple[int, float]:
        """Return the row nearest to a query (N,) and its squared distance; penalty (R,) : cost added to each row.

        Example:
            >>> import numpy as np
            >>> from action_loom.core.drive.search import Index
            >>> index = Index(np.eye(3, dtype=np.float32), np.array([4, 5, 6]))
            >>> index.nearest(np.array([0.0, 0.9, 0.0], dtype=np.float32))[0]
            5
        """
        if self._boxes is not None:
            return self._boxes.nearest(query, penalty, self.rows)
        costs = self._squares - 2.0 * (self._features @ query)
        if penalty is not None:
            costs = costs + penalty
        best = int(np.argmin(costs))
        return int(self.rows[best]), float(costs[best] + query @ query)


class _Boxes:
    """Bounding boxes of consecutive rows, which are similar; boxes that can't contain a nearer row are skipped."""

    def __init__(self, features: Numbers) -> None:
        self._features = features
        self._low, self._high = _bounds(features, SMALL)
        each = LARGE // SMALL
        starts = np.arange(0, len(self._low), each)
        self._lower, self._higher = np.minimum.reduceat(self._low, starts), np.maximum.reduceat(self._high, starts)

    def nearest(self, query: Numbers, penalty: Numbers | None, rows: NDArray[np.int64]) -> tuple[int, float]:
        far = _squared_gaps(query, self._lower, self._higher)
        each, best, cost = LARGE // SMALL, 0, np.inf
        order = np.argsort(far, kind="stable")
        for k in range(0, len(order), BATCH):
            large = order[k : k + BATCH]
            large = large[far[large] < cost]
            if not len(large):
                break
            small = (large[:, None] * each + np.arange(each)).ravel()
            small = small[small < len(self._low)]
            bound = _squared_gaps(query, self._low[small], self._high[small])
            nearer = np.argsort(bound, kind="stable")
            for m in range(0, len(nearer), BATCH):
                some = nearer[m : m + BATCH]
                some = small[some[bound[some] < cost]]
                if not len(some):
                    break
                inside = (some[:, None] * SMALL + np.arange(SMALL)).ravel()
                inside = inside[inside < len(self._features)]
                apart = self._features[inside] - query
                costs = np.einsum("ij,ij->i", apart, apart)
                if penalty is not None:
                    costs = costs + penalty[inside]
                at = int(np.argmin(costs))
                if costs[at] < cost:
                    best, cost = int(inside[at]), float(costs[at])
        return int(rows[best]), cost


def _bounds(features: Numbers, size: int) -> tuple[Numbers, Numbers]:
    starts = np.arange(0, len(features), size)
    return np.minimum.reduceat(features, starts), np.maximum.reduceat(features, starts)


def _squared_gaps(query: Numbers, low: Numbers, high: Numbers) -> Numbers:
    """Return the squared distances of boxes from a query."""
    out = np.maximum(low - query, 0.0)
    np.maximum(out, query - high, out=out)
    return np.asarray(np.einsum("ij,ij->i", out, out), dtype=np.float32)
