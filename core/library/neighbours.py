"""Exact nearest neighbours of windows, using bounding boxes to skip distant ones (methods: Libraries of clips)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .basis import Rows
from .warping import Longs, Places

BOX = 64  # windows per box
STAGES = (1024, 4096, 16384)  # numbers of nearest windows; the distances found in one stage prune the next
_ROUNDING = np.float32(2e-5)  # relative to the squares; more than a product and a sum can differ by
_LARGEST = np.finfo(np.float32).max
_PAIRS = 1 << 18  # whose distances are summed at a time


@dataclass(frozen=True, eq=False)
class Boxes:
    """Windows (W,) grouped in boxes (B,) of neighbouring ones.

    order (W,) : the number of each window; starts (B + 1,) : start of each box
    numbers (W, K), squares (W,) : compared numbers, and their sums of squares
    clips, firsts (W,) : the clip of each window, and its first row there
    spare (W,) : whether it is excluded as a neighbour because enough earlier windows are equal to it
    least, most (K, B) : the corners of the boxes
    """

    order: Longs
    starts: Longs
    numbers: Rows
    squares: Rows
    clips: Places
    firsts: Places
    spare: NDArray[np.bool_]
    least: Rows
    most: Rows


def boxes(numbers: Rows, clips: Places, firsts: Places, equal: int) -> Boxes:
    """Return windows in boxes: bisected along the dimension of largest extent until a box has at most BOX windows.

    equal : number of identical windows (to the last bit) to compare, the first ones
    """
    parts = [np.arange(len(numbers))]
    while max(map(len, parts)) > BOX:
        parts = [half for part in parts for half in _halves(numbers, part)]
    order = np.concatenate(parts)
    starts = np.cumsum([0, *map(len, parts)])
    ordered = np.ascontiguousarray(numbers[order])
    corners = (np.ascontiguousarray(reach.reduceat(ordered, starts[:-1]).T) for reach in (np.minimum, np.maximum))
    squares = np.einsum("ij,ij->i", ordered, ordered)
    return Boxes(order, starts, ordered, squares, clips[order], firsts[order], _spare(numbers, equal)[order], *corners)


def _halves(numbers: Rows, part: Longs) -> tuple[Longs, Longs]:
    some = numbers[part]
    middle = len(part) // 2
    order = part[np.argpartition(some[:, some.var(axis=0).argmax()], middle)]
    return order[:middle], order[middle:]


def _spare(numbers: Rows, equal: int) -> NDArray[np.bool_]:
    """Return whether `equal` earlier windows are equal to each: a static body may have thousands of equal windows."""
    group = np.unique(numbers, axis=0, return_inverse=True)[1].ravel()
    order = np.argsort(group, kind="stable")
    before = np.empty_like(order)
    before[order] = np.arange(len(order)) - np.searchsorted(group[order], group[order])
    return np.asarray(before >= equal)


def nearest(boxes: Boxes, low: int, high: int, count: int, apart: int) -> Places:
    """Return the windows (W′, count) nearest to the windows of boxes low … high − 1, sorted by distance.

    Ties are sorted by number; −1 fills missing entries. Windows of the same clip whose first rows differ by less than
    `apart` are excluded. A matrix product only preselects candidates: exact squares are summed in a fixed order, so
    that distances do not depend on the processor or on the division of the work.
    """
    found = [_Search(boxes, box, count, apart).find_nearest() for box in range(low, high)]
    return np.concatenate(found)


class _Search:
    """The windows of one box, and their current nearest windows: `who`, and their squared distances `best`."""

    def __init__(self, boxes: Boxes, box: int, count: int, apart: int) -> None:
        self._boxes, self._count, self._apart = boxes, count, apart
        self._own = np.arange(boxes.starts[box], boxes.starts[box + 1])
        self._best = np.full((len(self._own), count), np.inf, np.float32)
        self._who = np.full((len(self._own), count), -1, np.int32)
        self._asked = np.float32(-2.0) * boxes.numbers[self._own]
        gap = np.maximum(boxes.least - boxes.most[:, [box]], boxes.least[:, [box]] - boxes.most)
        np.maximum(gap, np.float32(0.0), out=gap)
        self._gaps = np.einsum("kb,kb->b", gap, gap) * (np.float32(1.0) - _ROUNDING)

    def find_nearest(self) -> Places:
        """Compare with boxes in order of distance, until no other box can contain a nearer window."""
        order = np.argsort(self._gaps, kind="stable")
        sizes = np.diff(self._boxes.starts)[order]
        windows, gaps, done = np.cumsum(sizes), self._gaps[order], 0
        for stage in (*STAGES, windows[-1]):
            wanted = np.searchsorted(windows, min(stage, windows[-1])) + 1
            end = min(wanted, np.searchsorted(gaps, self._best[:, -1].max(), side="right"))
            if end > done:
                starts = self._boxes.starts[order[done:end]] - windows[done:end] + sizes[done:end]
                first = windows[done] - sizes[done]
                others = np.repeat(starts, sizes[done:end]) + np.arange(first, windows[end - 1])
                self._compare(others[~self._boxes.spare[others]])
                done = end
        return self._who

    def _compare(self, others: Longs) -> None:
        """Insert windows among the nearest where they are nearer."""
        if len(others) == 0:
            return
        boxes, own = self._boxes, self._own
        product = self._asked @ boxes.numbers.take(others, axis=0).T
        product += boxes.squares[others]
        limit = self._best[:, -1] - boxes.squares[own]
        if not np.isfinite(limit).all():
            product[self._too_near(own[:, None], others)] = np.inf
            if len(others) > self._count:
                limit = np.minimum(limit, np.partition(product, self._count - 1, axis=1)[:, self._count - 1])
        limit = limit + _ROUNDING * (boxes.squares[own] + boxes.squares[others].max())
        chosen = np.flatnonzero(product <= np.minimum(limit, _LARGEST)[:, None])
        for first in range(0, len(chosen), _PAIRS):
            row, column = np.divmod(chosen[first : first + _PAIRS], len(others))
            apart = ~self._too_near(own[row], others[column])
            self._keep(row[apart], others[column[apart]])

    def _too_near(self, own: Longs, others: Longs) -> NDArray[np.bool_]:
        boxes = self._boxes
        near = np.abs(boxes.firsts[others] - boxes.firsts[own]) < self._apart
        return np.asarray(near & (boxes.clips[others] == boxes.clips[own]))

    def _keep(self, row: Longs, others: Longs) -> None:
        """Update the nearest windows with pairs of rows of the box and other windows."""
        boxes, count = self._boxes, self._count
        away = np.ascontiguousarray((boxes.numbers[others] - boxes.numbers[self._own[row]]).T)
        totals = np.zeros(len(row), np.float32)
        for number in away:
            totals += number * number
        rows = np.concatenate([np.repeat(np.arange(len(self._own)), count), row])
        totals = np.concatenate([self._best.ravel(), totals])
        who = np.concatenate([self._who.ravel(), boxes.order[others]])
        order = np.lexsort((who, totals, rows))
        chosen = order[np.searchsorted(rows[order], np.arange(len(self._own)))[:, None] + np.arange(count)]
        self._best, self._who = totals[chosen], who[chosen].astype(np.int32)
