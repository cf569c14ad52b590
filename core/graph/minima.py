"""Find minima of the distances of all pairs of windows, in blocks; few distances are computed (methods: Motion graph).

Bounds show for most pairs that they are too distant or that an adjacent pair is nearer, and for most others that they
are minima. Exact distances are only computed for candidates for the nearest minimum of a cell, and for undecided pairs.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..motion.quat import Array
from . import bounds
from .bounds import Floats, Sketches
from .windows import Windows

ROWS, COLUMNS = 1024, 4096  # size of a block: 16 MB of bounds
STILL = 0.01  # m/s; slower frames hold one pose, so they are all near each other
SAME = 0.01  # m; moving frames at a smaller distance are from the same recording
ACROSS = ((-1, 1), (1, -1))  # offsets to the previous and next pair on the antidiagonal
OTHERS = ((-1, -1), (-1, 0), (0, -1), (0, 1), (1, 0), (1, 1))  # offsets to the other six of the eight neighbours

Places = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Compared:
    """The comparison of the given clips' windows with themselves, and with windows of their mirror images, if any.

    given : number of clips that are not mirror images
    half : frames of half a window; step : frames from window to window
    sparse : whether minima on the antidiagonal suffice (see `windows.Bodies`)
    threshold : see `transitions.find`
    """

    sides: Sequence[Windows]
    sketches: Sequence[Sketches]
    given: int
    half: int
    step: int
    sparse: bool
    threshold: float

    def limit(self, side: int, rows: Places, columns: Places) -> float | Floats:
        """Return the distance limit between windows, whose indices broadcast."""
        one, other = self.sides[0], self.sides[side]
        limit: float | Floats = self.threshold
        if self.sparse:
            limit = limit + (one.between[rows] + other.between[columns])
        return limit

    def minima(self, side: int, first: int, column: int, cell: float) -> tuple[Places, Places, Array, Places]:
        """Return the minima of a block that may be the nearest of their cells: rows, columns and distances.

        The last array (K, 2) has rows that equal a window of another clip, and that clip; empty if sparse.
        """
        rows, columns = self.sides[0], self.sides[side]
        every = np.arange(max(first - 1, 0), min(first + ROWS + 1, len(rows.clip)))
        # Pairs before the first row follow by symmetry.
        others = np.arange(max(column - 1, first - 1, 0), min(column + COLUMNS + 1, len(columns.clip)))
        least, most = bounds.bound_squares(
            self.sketches[0], self.sketches[side], slice(every[0], every[-1] + 1), slice(others[0], others[-1] + 1)
        )
        near = least <= self.limit(side, every[:, None], others) ** 2
        may = near & _valleys(least, most)
        if not self.sparse:
            may |= near & (least <= SAME**2)
        i, j = np.nonzero(may)
        inside = (
            (every[i] >= first) & (every[i] < first + ROWS) & (others[j] >= column) & (others[j] < column + COLUMNS)
        )
        inside &= others[j] >= every[i]  # the rest follows by symmetry
        i, j = i[inside], j[inside]
        same = np.empty((0, 2), dtype=np.int64)
        if not self.sparse:
            same = self._same(side, every[i], others[j], least[i, j])
        fits = self._may_connect(side, every[i], others[j])
        i, j = i[fits], j[fits]
        around = ACROSS if self.sparse else (*ACROSS, *OTHERS)
        low, high = least[i, j], most[i, j]
        sure = high <= self.limit(side, every[i], others[j]) ** 2
        may_be = np.ones(len(i), dtype=bool)
        for (a, b), exists in _neighbours(i, j, least.shape, around):
            beside = least[a, b]
            sure &= ~exists | (high <= beside)
            if not self.sparse:  # for sparse windows, `_valleys` has already checked this
                may_be &= ~exists | (low <= most[a, b])
        if cell > self.step:  # with a smaller cell each pair is its own
            cells = _cells(rows, every, cell)[i] * len(others) + _cells(columns, others, cell)[j]
            may_be &= low <= _least_of(cells, np.where(sure, high, np.float32(np.inf)))
        i, j, sure = i[may_be], j[may_be], sure[may_be]
        value = self.distances_of(side, every[i], others[j])
        lowest = sure | (value <= self.limit(side, every[i], others[j]))
        for (a, b), exists in _neighbours(i, j, least.shape, around):
            unclear = np.flatnonzero(exists & lowest & ~sure & (least[a, b] <= most[i, j]))
            lowest[unclear] &= value[unclear] <= self.distances_of(side, every[a[unclear]], others[b[unclear]])
        return every[i[lowest]], others[j[lowest]], value[lowest], same

    def distances_of(self, side: int, rows: Places, columns: Places) -> Array:
        """Return the distances (M,) of pairs of windows; duplicate windows are computed once."""
        firsts, others = self.sketches[0].first[rows], self.sketches[side].first[columns]
        pairs, which = np.unique(firsts * len(self.sides[side].clip) + others, return_inverse=True)
        i, j = np.divmod(pairs, len(self.sides[side].clip))
        return bounds.measure_pairs(self.sides[0], self.sides[side], i, j)[which]

    def _same(self, side: int, rows: Places, columns: Places, least: Floats) -> Places:
        one, other = self.sides[0], self.sides[side]
        some = (least <= SAME**2) & (one.speed[rows] >= STILL)
        some &= (side > 0) | (one.clip[rows] != other.clip[columns] % self.given)
        rows, columns = rows[some], columns[some]
        equal = self.distances_of(side, rows, columns) <= SAME
        return np.unique(np.column_stack([rows[equal], other.clip[columns[equal]]]), axis=0)

    def _may_connect(self, side: int, rows: Places, columns: Places) -> NDArray[np.bool_]:
        """Return which pairs of windows are far enough apart in time, and not from one held pose or its image."""
        one, other = self.sides[0], self.sides[side]
        own = one.clip[rows] == other.clip[columns] % self.given
        close = (one.speed < STILL)[rows] & (other.speed < STILL)[columns]
        if side == 0:
            close |= np.abs(one.frame[rows] - other.frame[columns]) < 2 * self.half
        return np.asarray(~(own & close))


def _valleys(least: Floats, most: Floats) -> NDArray[np.bool_]:
    """Return which pairs (M, N) may be no more distant than the previous and next pair on their antidiagonal."""
    lowest = np.ones(least.shape, dtype=bool)
    lowest[:-1, 1:] &= least[:-1, 1:] <= most[1:, :-1]
    lowest[1:, :-1] &= least[1:, :-1] <= most[:-1, 1:]
    return lowest


def _neighbours(
    i: Places, j: Places, shape: tuple[int, ...], around: Sequence[tuple[int, int]]
) -> list[tuple[tuple[Places, Places], NDArray[np.bool_]]]:
    """Return for each neighbour of cells (K,) of a matrix its indices, and whether it exists."""
    found = []
    for down, across in around:
        a, b = i + down, j + across
        exists = (a >= 0) & (a < shape[0]) & (b >= 0) & (b < shape[1])
        found.append(((np.clip(a, 0, shape[0] - 1), np.clip(b, 0, shape[1] - 1)), exists))
    return found


def _cells(windows: Windows, some: Places, cell: float) -> Places:
    """Return a number for the stretch of `cell` frames of a clip that contains each of some windows (K,)."""
    stretch = np.unique(windows.frame[some] // cell, return_inverse=True)[1]  # as integers they might overflow
    return np.asarray(np.unique(windows.clip[some] * (stretch.max() + 1) + stretch, return_inverse=True)[1])


def _least_of(groups: Places, values: Floats) -> Floats:
    """Return for each member (K,) of groups the least value in its group."""
    if len(groups) == 0:
        return values
    order = np.argsort(groups)
    new = np.append(True, np.diff(groups[order]) != 0)
    least = np.empty_like(values)
    least[order] = np.minimum.reduceat(values[order], np.flatnonzero(new))[np.cumsum(new) - 1]
    return least
