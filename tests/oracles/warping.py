"""Time warping the plain way: every matrix whole, every price from scratch, every stretch and both ends each time.

This code does the work that `sync` avoids, so that tests can compare the paths.
"""

from dataclasses import dataclass, replace

import numpy as np
from action_loom.core.errors import RegistrationError
from action_loom.core.recipes.matching import Matching
from action_loom.core.sync import metrics, register_pair
from action_loom.core.sync.dtw import needed_limit
from action_loom.core.sync.ends import OPEN_GAIN


def costs(distance: np.ndarray, skip_rows: np.ndarray, skip_columns: np.ndarray, limit: int):
    """Return the cost (M+1, N+1) of the cheapest path to each cell, and the step (M, N) that leads there."""
    rows, columns = distance.shape
    total, steps = np.empty((rows + 1, columns + 1)), np.zeros((rows, columns), dtype=np.int64)
    total[:, 0], total[0] = skip_rows, skip_columns
    for i in range(rows):
        row = total[i + 1, 1:]
        row[:] = total[i, :-1] + distance[i]
        for k in range(1, min(limit, i + 1)):
            _consider(row, total[i - k, :-1] + distance[i - k : i + 1].sum(axis=0), steps[i], k)
        for k in range(1, min(limit, columns)):
            ahead = sum(distance[i, r : columns - k + r] for r in range(k + 1))
            _consider(row[k:], total[i, : columns - k] + ahead, steps[i, k:], -k)
    return total, steps


def _consider(row: np.ndarray, other: np.ndarray, steps: np.ndarray, step: int) -> None:
    better = other < row
    row[better], steps[better] = other[better], step


@dataclass(frozen=True, eq=False)
class Path:
    cells: np.ndarray
    cost: float
    at_limit: float

    @property
    def kept(self) -> np.ndarray:
        """The rows and the columns that it has."""
        return self.cells[-1] - self.cells[0] + 1

    @property
    def mean_cost(self) -> float:
        return self.cost / (0.5 * float(self.kept.sum()))


def path(distance: np.ndarray, steps: np.ndarray, i: int, j: int, limit: int) -> Path:
    """Return the path that ends in a cell."""
    cells, waits = [], 0
    while i >= 0 and j >= 0:
        step = int(steps[i, j])
        waits += abs(step) == limit - 1
        cells.append((i, j))
        for _ in range(abs(step)):
            i, j = (i - 1, j) if step > 0 else (i, j - 1)
            cells.append((i, j))
        i, j = i - 1, j - 1
    cells = np.array(cells[::-1])
    return Path(cells, float(distance[tuple(cells.T)].sum()), waits * limit / len(cells) if limit > 1 else 0.0)


def pinned(distance: np.ndarray, limit: int) -> Path:
    """Return the cheapest path from corner to corner."""
    rows, columns = distance.shape
    total, steps = costs(distance, *(np.append(0.0, np.full(count, np.inf)) for count in distance.shape), limit)
    if not np.isfinite(total[-1, -1]):
        raise RegistrationError("no way")
    return path(distance, steps, rows - 1, columns - 1, limit)


def stretch(distance: np.ndarray, limit: int, price: float) -> Path:
    """Return the cheapest path with free ends that keeps half of both clips, if a frame left out costs price/2."""
    rows, columns = distance.shape
    skips = []
    for count in (rows, columns):
        frames = np.arange(count + 1)
        skips.append(np.where(2 * frames <= count, 0.5 * price * frames, np.inf))
    total, steps = costs(distance, *skips, limit)
    ends = [(rows - 1, j) for j in range(columns)] + [(i, columns - 1) for i in range(rows - 1)]
    prices = [total[i + 1, j + 1] + 0.5 * price * (rows - 1 - i + columns - 1 - j) for i, j in ends]
    for k in np.argsort(prices, kind="stable"):
        if np.isfinite(prices[k]):
            found = path(distance, steps, *ends[k], limit)
            if (2 * found.kept >= distance.shape).all():
                return found
    raise RegistrationError("no stretch")


def open_ended(distance: np.ndarray, limit: int, keep: float, floor: float) -> Path:
    """Return the best stretch; the least mean cost is found from the mean of the whole matrix."""
    price = float(distance[np.isfinite(distance)].mean())
    for _ in range(20):
        mean = stretch(distance, limit, price).mean_cost
        if mean >= price * (1.0 - 1e-6) or price <= floor:
            break
        price = mean
    return stretch(distance, limit, keep * max(price, floor))


def choose_ends(distance: np.ndarray, matching: Matching, limit: int, floor: float) -> tuple[str, Path]:
    """Return the ends and the path between them; both kinds are computed whenever `matching` leaves the choice."""
    if matching.ends == "pinned":
        return "pinned", pinned(distance, limit)
    free = open_ended(distance, limit, matching.open_end_penalty, floor)
    if matching.ends == "open" or limit < needed_limit(*distance.shape):
        return "open", free
    whole = pinned(distance, limit)
    return ("open", free) if whole.mean_cost > max(OPEN_GAIN * free.mean_cost, floor) else ("pinned", whole)


def first_pass(one, other, matching: Matching) -> tuple[str, int, Path, float]:
    """Return ends, slope limit, path and likeness of two clips by one metric, before single frames are compared."""
    bodies = [metrics.prepare(clip, matching) for clip in (one, other)]
    window = round(matching.window * one.rate)

    def under(limit: int) -> tuple[str, int, Path, float]:
        reference, clip = bodies
        for _ in range(bodies[0].passes):
            matrix = reference.matrix(clip, window)
            ends, found = choose_ends(matrix, matching, limit, reference.floor)
            (top, left), (bottom, right) = found.cells[0], found.cells[-1]
            reference, clip = bodies[0].over(top, bottom), bodies[1].over(left, right)
        return ends, limit, found, 1.0 - found.mean_cost / float(matrix.mean())

    if matching.slope:
        return under(matching.slope)
    try:
        found = under(register_pair.LIMIT)
        if found[2].at_limit <= register_pair.RAISE_AT:
            return found
    except RegistrationError:
        pass
    return under(register_pair.RAISED_LIMIT)


def by_motion(one, other) -> tuple[str, int, Path, float]:
    """Return the default result of `first_pass`: paths close to chance give way to shorter stretches, or legs alone."""
    matching = Matching(metric="motion")
    found = first_pass(one, other, matching)
    if found[3] > register_pair.BY_CHANCE:
        return found
    freer = replace(matching, ends="open", open_end_penalty=1.5, slope=register_pair.RAISED_LIMIT)
    for joints in ("all", "lower"):
        shorter = first_pass(one, other, replace(freer, joints=joints))
        if shorter[3] >= register_pair.ALIKE:
            return shorter
    return found
