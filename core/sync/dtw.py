"""Cheapest paths through a distance matrix: dynamic time warping with a limited slope (methods: Time registration)."""

from dataclasses import dataclass
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from .. import jit
from ..errors import RegistrationError
from ..motion.quat import Array

Cells = NDArray[np.int64]

AT_ONCE = 64  # paths that are traced back together
LONGEST_WAIT = 32_767  # frames of a step: it is held in two bytes, since every pair of frames has one


@dataclass(frozen=True, eq=False)
class WarpPath:
    """A path through a matrix: cells (K, 2), the sum of their distances, and the share of it at the slope limit."""

    cells: Cells
    cost: float
    at_limit: float

    @property
    def rows(self) -> int:
        return int(self.cells[-1, 0] - self.cells[0, 0] + 1)

    @property
    def columns(self) -> int:
        return int(self.cells[-1, 1] - self.cells[0, 1] + 1)

    @property
    def mean_cost(self) -> float:
        """The cost per matched frame: per frame and not per cell, so that no detour lowers it."""
        return self.cost / (0.5 * (self.rows + self.columns))


def accumulate(distance: Array, skip_rows: Array, skip_columns: Array, limit: int) -> tuple[Array, NDArray[np.int16]]:
    """Return the cost (M+1, N+1) of the cheapest path to each cell, and the step (M, N) that leads there.

    distance (M, N)
    skip_rows (M+1,), skip_columns (N+1,) : the cost of leaving out that many first frames, infinite where not allowed

    A step is one diagonal move and then up to limit − 1 moves down (step > 0) or to the right (step < 0):

        v(i, j) = min( min_{k=0..L−1} v(i−1−k, j−1) + Σ_{r=0..k} D(i−r, j),
                       min_{k=1..L−1} v(i−1, j−1−k) + Σ_{r=0..k} D(i, j−r) )

    so at most L frames in a row correspond to one frame. Row i of the costs has i frames done. With a limit of all
    frames this is classic dynamic time warping, since a right-angled corner is never cheaper than the diagonal.
    """
    kernels, arrays = _ready(distance, skip_rows, skip_columns, limit)
    if limit >= max(distance.shape):
        total, steps = kernels.accumulate_unlimited(*arrays)
    else:
        total, steps = kernels.accumulate(*arrays, int(limit))
    return total, steps


def borders(
    distance: Array, skip_rows: Array, skip_columns: Array, limit: int
) -> tuple[Array, Array, NDArray[np.int16]]:
    """Return the last row (N+1,) and the last column (M+1,) of the costs of `accumulate`, and its steps."""
    kernels, arrays = _ready(distance, skip_rows, skip_columns, limit)
    if limit >= max(distance.shape):
        total, steps = kernels.accumulate_unlimited(*arrays)
        return total[-1], total[:, -1], steps
    last_row, last_column, steps = kernels.borders(*arrays, int(limit))
    return last_row, last_column, steps


def _ready(distance: Array, skip_rows: Array, skip_columns: Array, limit: int) -> tuple[ModuleType, list[Array]]:
    """Return the kernels, and the arrays as they take them.

    Raises RegistrationError where steps may be too long for two bytes.
    """
    rows, columns = distance.shape
    if min(limit, max(rows, columns)) - 1 > LONGEST_WAIT:
        raise RegistrationError(
            f"{rows:,} and {columns:,} frames can't be matched if a frame may wait for more than {LONGEST_WAIT:,} "
            "others: give a slope limit, and clips of lengths more alike"
        )
    arrays = [np.require(values, np.float64, ["C", "W"]) for values in (distance, skip_rows, skip_columns)]
    return jit.kernels(__package__), arrays


def starts(steps: NDArray[np.int16], ends: Cells) -> Cells:
    """Return the cells (K, 2) where the paths begin that end in other cells (K, 2); see `accumulate`."""
    cells: Cells = jit.kernels(__package__).starts(steps, np.ascontiguousarray(ends))
    return cells


def trace(steps: NDArray[np.int16], end: tuple[int, int], longest: int) -> tuple[Cells, int]:
    """Return the cells (K, 2) of the path that ends in a cell, and how many of its steps are the longest."""
    cells, count = jit.kernels(__package__).trace(steps, *end, longest)
    return cells, count


def pinned(distance: Array, limit: int) -> WarpPath:
    """Return the cheapest path from the first corner to the last.

    Raises RegistrationError if the slope limit or the band leaves none.
    """
    rows, columns = distance.shape
    needed = needed_limit(rows, columns)
    if limit < needed:
        raise RegistrationError(
            f"{rows} and {columns} frames can't be matched from end to end with a slope limit of {limit}: "
            f"allow {needed}, or open ends"
        )
    last_row, _, steps = borders(distance, _corner(rows), _corner(columns), limit)
    if not np.isfinite(last_row[-1]):
        raise RegistrationError("The band leaves no way from end to end: allow a wider band, or a larger slope limit")
    return _path(distance, steps, rows - 1, columns - 1, limit)


def needed_limit(rows: int, columns: int) -> int:
    """Return the smallest slope limit under which a path joins both corners."""
    return -(-max(rows, columns) // min(rows, columns))


def open_ended(distance: Array, limit: int, keep: float, floor: float) -> WarpPath:
    """Return the best matching stretch, without the frames of one clip that overhang at either end.

    A frame left out costs keep·c/2, where c is the least mean cost (not less than `floor`) of a path that keeps at
    least half of both clips. The path of least mean cost itself would be shrunk to the smallest stretch allowed, for
    the last percent of cost. At most half of either clip is left out (methods: Time registration).
    """
    least = _least_mean_cost(distance, limit, floor)
    return _stretch(distance, limit, keep * least)


def _least_mean_cost(distance: Array, limit: int, floor: float) -> float:
    """Return the mean cost at which leaving out frames neither saves nor costs anything, by Dinkelbach's iteration."""
    finite = np.isfinite(distance)
    price = float(distance.mean() if finite.all() else distance[finite].mean())
    for _ in range(20):
        mean = _stretch(distance, limit, price).mean_cost
        if mean >= price * (1.0 - 1e-6):
            break
        price = mean
        if price <= floor:
            return floor
    return max(price, floor)


def _stretch(distance: Array, limit: int, price: float) -> WarpPath:
    """Return the cheapest path with free ends if a frame left out costs price/2."""
    rows, columns = distance.shape
    last_row, last_column, steps = borders(distance, _skipping(rows, price), _skipping(columns, price), limit)
    # A path may end in the last row or the last column; it then leaves out the frames after its end.
    cells = np.concatenate([_cells(rows - 1, np.arange(columns)), _cells(np.arange(rows - 1), columns - 1)])
    left_out = (rows - 1 - cells[:, 0]) + (columns - 1 - cells[:, 1])
    costs = np.concatenate([last_row[1:], last_column[1:-1]]) + 0.5 * price * left_out
    # The cheapest path that keeps enough is mostly among the first; tracing all back takes longer than finding them.
    cheapest = np.argsort(costs, kind="stable")
    for first in range(0, len(cells), AT_ONCE):
        some = cheapest[first : first + AT_ONCE]
        kept = cells[some] - starts(steps, cells[some]) + 1
        enough = (2 * kept >= distance.shape).all(axis=1) & np.isfinite(costs[some])
        if enough.any():
            i, j = cells[some[np.argmax(enough)]]
            return _path(distance, steps, int(i), int(j), limit)
    raise RegistrationError(
        f"No stretch of at least half of both clips ({rows} and {columns} frames) can be matched "
        f"with a slope limit of {limit}: allow more"
    )


def _corner(count: int) -> Array:
    return np.concatenate([[0.0], np.full(count, np.inf)])


def _skipping(count: int, price: float) -> Array:
    """Return the cost (count + 1,) of leaving out the first n frames, n = 0 … count, of which at most half may be."""
    frames = np.arange(count + 1)
    return np.where(2 * frames <= count, 0.5 * price * frames, np.inf)


def _cells(rows: NDArray[np.int64] | int, columns: NDArray[np.int64] | int) -> Cells:
    return np.stack(np.broadcast_arrays(rows, columns), axis=1)


def _path(distance: Array, steps: NDArray[np.int16], i: int, j: int, limit: int) -> WarpPath:
    """Return the path that ends in the cell (i, j), traced back along its steps."""
    cells, waits = trace(steps, (i, j), limit - 1)
    cost = float(distance[cells[:, 0], cells[:, 1]].sum())
    return WarpPath(cells, cost, waits * limit / len(cells) if limit > 1 else 0.0)
