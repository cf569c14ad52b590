"""Least-cost paths through a distance matrix: time warping with limited slope (methods: Time registration)."""

from dataclasses import dataclass
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from .. import jit
from ..errors import RegistrationError
from ..motion.arrays import kernel_argument
from ..motion.quat import Array
from . import ties

Cells = NDArray[np.int64]

LONGEST_WAIT = 32_767  # largest length of a step in frames, because it is stored in two bytes for every pair of frames
# Dinkelbach's iteration converges quadratically: after a step of a thousandth, the error is at most a millionth.
PRECISE = 1e-3
EQUAL = 1e-6  # smaller decreases are ignored
ROUGH = 1e-2  # the same for a subsampled matrix, which is no more accurate than this
SOME = 100  # number of frames of the shorter clip in a subsampled matrix


@dataclass(frozen=True, eq=False)
class WarpPath:
    """A path through a matrix: cells (K, 2), the sum of their distances, and the share of cells at the slope limit."""

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
        """The cost per matched frame; a cost per cell could be lowered by detours."""
        return self.cost / (0.5 * (self.rows + self.columns))


class Costs:
    """The costs of the least-cost paths through a matrix that end in its last row or its last column.

    last_row (N+1,), last_column (M+1,) : by the number of columns, or of rows, covered
    A step is one diagonal move and then up to limit − 1 moves down or to the right:

        v(i, j) = min( min_{k=0..L−1} v(i−1−k, j−1) + Σ_{r=0..k} D(i−r, j),
                       min_{k=1..L−1} v(i−1, j−1−k) + Σ_{r=0..k} D(i, j−r) )

    so at most L consecutive frames correspond to one frame. With a limit of all frames this is classic dynamic time
    warping, since a right-angled corner is never cheaper than the diagonal. Ties between steps (see `ties`) are
    resolved in this order.
    """

    def __init__(self, distance: Array, skip_rows: Array, skip_columns: Array, limit: int) -> None:
        """Compute the costs for a matrix (M, N).

        skip_rows (M+1,), skip_columns (N+1,) : the cost of omitting that many first frames, infinite if not allowed

        Raises RegistrationError if steps may be too long for two bytes.
        """
        rows, columns = distance.shape
        if min(limit, max(rows, columns)) - 1 > LONGEST_WAIT:
            raise RegistrationError(
                f"{rows:,} and {columns:,} frames can't be matched if a frame may wait for more than {LONGEST_WAIT:,} "
                "others: give a slope limit, and clips of lengths more alike"
            )
        self._kernels, self._limit = _kernels(), int(limit)
        self._distance = kernel_argument(distance)
        skips = [kernel_argument(values) for values in (skip_rows, skip_columns)]
        if limit >= max(rows, columns):
            found = self._kernels.borders_unlimited(self._distance, *skips)
        else:
            found = self._kernels.borders(self._distance, *skips, self._limit)
        self.last_row: Array = found[0]
        self.last_column: Array = found[1]
        self._back = found[2]  # backtracking data: steps or all costs, depending on the engine

    def path(self, ends: Cells, rows: int = 1, columns: int = 1) -> WarpPath | None:
        """Return the least-cost path to the first of some cells (K, 2) whose path covers enough rows and columns.

        None if there is none.
        """
        cells = self._kernels.trace(self._back, np.ascontiguousarray(ends), rows, columns)
        if not len(cells):
            return None
        cost = float(self._distance[cells[:, 0], cells[:, 1]].sum())
        return WarpPath(cells, cost, _at_limit(cells, self._limit))


def _kernels() -> ModuleType:
    return jit.kernels(__package__)


def _at_limit(cells: Cells, limit: int) -> float:
    """Return the share of a path's cells (K, 2) in its longest steps."""
    begin = np.flatnonzero(np.append(True, np.diff(cells, axis=0).all(axis=1)))
    lengths = np.diff(np.append(begin, len(cells)))
    return float(np.count_nonzero(lengths == limit) * limit / len(cells)) if limit > 1 else 0.0


def find_pinned_path(distance: Array, limit: int) -> WarpPath:
    """Return the least-cost path from the first corner to the last.

    Raises RegistrationError if the slope limit or the band excludes all paths.
    """
    rows, columns = distance.shape
    needed = needed_limit(rows, columns)
    if limit < needed:
        raise RegistrationError(
            f"{rows} and {columns} frames can't be matched from end to end with a slope limit of {limit}: "
            f"allow {needed}, or open ends"
        )
    costs = Costs(distance, _corner(rows), _corner(columns), limit)
    path = costs.path(_cells(rows - 1, columns - 1)) if np.isfinite(costs.last_row[-1]) else None
    if path is None:
        raise _no_way()
    return path


def _no_way() -> RegistrationError:
    return RegistrationError("The band leaves no way from end to end: allow a wider band, or a larger slope limit")


def needed_limit(rows: int, columns: int) -> int:
    """Return the smallest slope limit under which a path joins both corners."""
    return -(-max(rows, columns) // min(rows, columns))


def find_banded_path(distance: Array, first: NDArray[np.int64], counts: NDArray[np.int64], limit: int) -> WarpPath:
    """Return the least-cost path from the first cell of a band to its last.

    distance (K,) : of the cells of the band, row by row
    first, counts (M,) : the first column of the band in each row, and its number of columns; neither the first columns
        nor the last ones decrease, and the first row begins in column 0

    Raises RegistrationError if the slope limit excludes all paths in the band.
    """
    begin = np.concatenate([[0], np.cumsum(counts)])
    cells = _kernels().find_banded_path(distance, first, begin, int(limit))
    if not len(cells):
        raise _no_way()
    at = begin[cells[:, 0]] + cells[:, 1] - first[cells[:, 0]]
    return WarpPath(cells, float(distance[at].sum()), _at_limit(cells, limit))


def compute_rolled_costs(distance: Array, starts: NDArray[np.int64], limit: int) -> Array:
    """Return the costs (K,) between the corners of a matrix (M, N) rolled to begin in some of its columns (K,)."""
    if limit < max(distance.shape):
        costs: Array = _kernels().compute_rolled_costs(kernel_argument(distance), starts, int(limit))
        return costs
    rows, columns = distance.shape
    return np.array(
        [Costs(np.roll(distance, -k, axis=1), _corner(rows), _corner(columns), limit).last_row[-1] for k in starts]
    )


class Stretches:
    """The costs of stretches of two clips if omitting a frame at an end costs price/2.

    At most half of the first frames of either clip may be omitted, and any number of the last ones. The price is a
    multiple of the least mean cost, because the path of least mean cost itself would shrink to the shortest stretch
    allowed for the last percent of cost (methods: Time registration).
    """

    def __init__(self, distance: Array, limit: int, price: float) -> None:
        rows, columns = distance.shape
        self._shape, self._limit, self._price = (rows, columns), limit, price
        self._costs = Costs(distance, _skipping(rows, price), _skipping(columns, price), limit)
        # A path may end in the last row or the last column; it then omits the frames after its end.
        self._ends = np.concatenate([_cells(rows - 1, np.arange(columns)), _cells(np.arange(rows - 1), columns - 1)])
        left_out = (rows - 1 - self._ends[:, 0]) + (columns - 1 - self._ends[:, 1])
        done = np.concatenate([self._costs.last_row[1:], self._costs.last_column[1:-1]])
        self._totals = done + 0.5 * price * left_out

    @property
    def none_cheaper(self) -> bool:
        """Whether no stretch has a mean cost below the price."""
        return bool(self._totals.min() >= 0.5 * self._price * sum(self._shape) * (1.0 - ties.TIE))

    @property
    def least_whole(self) -> float:
        """A lower bound of the cost from corner to corner."""
        return float(self._costs.last_row[-1])

    def path(self) -> WarpPath:
        """Return the path of the cheapest stretch that covers at least half of both clips.

        Raises RegistrationError if there is none.
        """
        rows, columns = self._shape
        least = (rows + 1) // 2, (columns + 1) // 2
        possible = np.flatnonzero(np.isfinite(self._totals) & (self._ends + 1 >= least).all(axis=1))
        path = self._costs.path(self._ends[possible[ties.rank_values(self._totals[possible])]], *least)
        if path is None:
            raise RegistrationError(
                f"No stretch of at least half of both clips ({rows} and {columns} frames) can be matched "
                f"with a slope limit of {self._limit}: allow more"
            )
        return path


@dataclass(frozen=True)
class LeastMean:
    """The least mean cost of a stretch, and whether it is a stable initial value for a similar matrix.

    If the limit of half of a clip is active, the cheapest path at that price may not be the best one, and the result
    depends on the initial value. In that case the iteration always starts at the mean of all distances.
    """

    cost: float
    steady: bool


def least_mean(
    distance: Array, limit: int, floor: float, guess: LeastMean | None = None, precise: float = PRECISE
) -> LeastMean:
    """Return the mean cost at which omitting frames neither saves nor costs anything, by Dinkelbach's iteration.

    guess : the result for a similar matrix
    """
    most = _mean(distance)
    price = min(guess.cost, most) if guess and guess.steady else most
    least, steady = np.inf, True
    for _ in range(20):
        mean = min(Stretches(distance, limit, price).path().mean_cost, most)
        if mean >= least * (1.0 - EQUAL):
            steady = mean <= least * (1.0 + precise)
            break
        least = mean
        if mean <= floor or abs(mean - price) <= precise * price:
            break
        price = mean
    return LeastMean(max(least, floor), steady)


def roughly_least(distance: Array, limit: int, floor: float) -> LeastMean:
    """Return an approximate `least_mean` from a subsampled matrix; of a small one, the mean of all distances."""
    thin = subsample_matrix(distance)
    try:
        if thin is not None:
            return least_mean(thin, limit, floor, precise=ROUGH)
    except RegistrationError:
        pass
    return LeastMean(_mean(distance), True)


def subsample_matrix(distance: Array) -> Array | None:
    """Return a matrix subsampled until a path takes negligible time; None for a small matrix."""
    every = min(distance.shape) // SOME
    return distance[::every, ::every] if every > 2 else None


def _mean(distance: Array) -> float:
    """Return the mean of the finite distances."""
    mean = float(distance.mean())
    return mean if np.isfinite(mean) else float(distance[np.isfinite(distance)].mean())


def _corner(count: int) -> Array:
    return np.concatenate([[0.0], np.full(count, np.inf)])


def _skipping(count: int, price: float) -> Array:
    """Return the cost (count + 1,) of omitting the first n frames, n = 0 … count, infinite for more than half."""
    frames = np.arange(count + 1)
    return np.where(2 * frames <= count, 0.5 * price * frames, np.inf)


def _cells(rows: NDArray[np.int64] | int, columns: NDArray[np.int64] | int) -> Cells:
    return np.stack(np.broadcast_arrays(np.atleast_1d(rows), np.atleast_1d(columns)), axis=1)
