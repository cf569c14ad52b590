"""Every stretch of a library that is like a given one, whatever their tempo, the likest first.

The query is warped onto all rows at once, exactly (a subsequence time warp with slopes from one half to two), first
at 10 rows a second and then at 30 about the best places.

Method: Libraries of clips.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .. import jit
from ..errors import LibraryError
from ..progress import SILENT, Progress
from . import basis, feature
from .basis import Rows
from .storage import Entry, Library, Stretch

EVERY = 3  # of 30 rows a second are gone through at first
SHORTEST_THINNED = 0.4  # s; a query that is shorter would have too few rows left
LONGEST = 30.0  # s
REFINED = 60  # places that are looked at with all rows
OVERLAP = 0.3  # of the shorter of two stretches, from which on they are the same one
BLOCK = 4096  # columns whose costs stay in a processor's second-level cache
APART = np.float32(1e6)  # a row between clips; whoever crosses one is far off, over the longest query too
_FAR = np.float32(100.0)  # mean distance of who does
_MULTIPLICATIONS = 200_000  # of one product: for larger ones a library of linear algebra would wake its threads

Places = NDArray[np.int32]


@dataclass(frozen=True)
class Found(Stretch):
    """A stretch of a clip that is like the query, and the mean distance to it."""

    distance: float
    mirrored: bool = False


@dataclass(frozen=True, eq=False)
class Searched:
    """The clips of a library that are searched, thinned and side by side, with a row between any two.

    firsts (C,) : where each clip's thin rows begin in `rows`
    """

    library: Library
    entries: tuple[Entry, ...]

    @cached_property
    def firsts(self) -> NDArray[np.int64]:
        counts = [-(-entry.rows // EVERY) + 1 for entry in self.entries]
        return np.cumsum([1, *counts])[:-1]

    @cached_property
    def rows(self) -> Rows:
        """The thin rows of all clips, and before, between and after them one that is far from everything."""
        width = int(self.firsts[-1] + -(-self.entries[-1].rows // EVERY) + 1) if self.entries else 1
        rows = np.full((width, basis.SIZE), APART, dtype=np.float32)
        for entry, first in zip(self.entries, self.firsts, strict=True):
            thin = self.library.rows[entry.first : entry.first + entry.rows : EVERY]
            rows[first : first + len(thin)] = thin
        return rows


def like(
    searched: Searched,
    asked: Sequence[Rows],
    *,
    mirror: bool = False,
    part: str = "whole",
    most: int = 20,
    others: Callable[[Entry], bool] | None = None,
    progress: Progress = SILENT,
) -> list[Found]:
    """Return the stretches most like one of several forms of a query, rows (M, WIDTH), the best first; see `search`.

    asked : from `asking.rows`; mirror : whether stretches count as well that are like it in a mirror
    Of a stretch that is found in several ways the best.
    """
    ways = [(numbers, False) for numbers in asked]
    ways += [(feature.mirrored(numbers), True) for numbers in asked if mirror]
    found: list[Found] = []
    for k, (numbers, mirrored) in enumerate(ways):
        step = progress.part(k / len(ways), (k + 1) / len(ways))
        some = search(searched, basis.shortened(numbers), part=part, most=most, others=others, progress=step)
        found += [replace(one, mirrored=mirrored) for one in some]
    taken: list[Found] = []
    for one in sorted(found, key=lambda one: one.distance):
        if not any(
            one.entry == other.entry and _same((one.first, one.last), (other.first, other.last)) for other in taken
        ):
            taken.append(one)
    return taken[:most]


def search(
    searched: Searched,
    query: Rows,
    *,
    part: str = "whole",
    most: int = 20,
    others: Callable[[Entry], bool] | None = None,
    exact: bool = False,
    progress: Progress = SILENT,
) -> list[Found]:
    """Return the stretches that are most like a query (M, SIZE) of 30 rows a second, the best first.

    part : of the body that is compared, one of `feature.PARTS`; others : of which clips only
    exact : all rows are gone through at once, not only those about the best places
    Raises LibraryError for a query that is too short or too long.
    """
    seconds = len(query) / feature.RATE
    if len(query) < 4 or seconds > LONGEST:
        raise LibraryError(f"The stretch takes {seconds:.2f} s; search for one of 0.14 to {LONGEST:g} s")
    if others is not None:
        searched = Searched(searched.library, tuple(entry for entry in searched.entries if others(entry)))
    if not searched.entries:
        return []
    to_part = basis.of_part(part)
    asked = query @ to_part
    if exact or seconds < SHORTEST_THINNED:
        return _among(searched, asked, to_part, [(k, 0, e.rows) for k, e in enumerate(searched.entries)], most)
    places = _scanned(searched, asked, to_part, max(REFINED, 2 * most), progress)
    progress.at(0.9, "Looking closer")
    return _among(searched, asked, to_part, places, most)


def _scanned(
    searched: Searched, asked: Rows, to_part: Rows, most: int, progress: Progress
) -> list[tuple[int, int, int]]:
    """Return where it is worth looking closer: a clip's place, and its rows from … to."""
    thin = asked[EVERY // 2 :: EVERY]
    totals, starts = warped(thin, searched.rows, to_part, progress.part(0.0, 0.9))
    places = []
    for first, last, _ in _best(totals, starts, most):
        k = int(np.searchsorted(searched.firsts, last, side="right")) - 1
        rows, begin = searched.entries[k].rows, int(searched.firsts[k])
        slack = len(asked) // 2 + EVERY
        low, high = EVERY * (max(first, begin) - begin) - slack, EVERY * (last - begin) + slack
        places.append((k, max(low, 0), min(high, rows)))
    return places


def _among(
    searched: Searched, asked: Rows, to_part: Rows, places: list[tuple[int, int, int]], most: int
) -> list[Found]:
    """Return the best stretches among some rows from … to of clips, gone through one by one."""
    merged = _merged(places)
    firsts = np.cumsum([1, *(high - low + 1 for _, low, high in merged)])
    rows = np.full((int(firsts[-1]), basis.SIZE), APART, dtype=np.float32)
    for (k, low, high), first in zip(merged, firsts, strict=False):
        entry = searched.entries[k]
        rows[first : first + high - low] = searched.library.rows[entry.first + low : entry.first + high]
    totals, starts = warped(asked, rows, to_part)
    found = []
    for first, last, distance in _best(totals, starts, most):
        p = int(np.searchsorted(firsts, last, side="right")) - 1
        k, low, _ = merged[p]
        shift = low - int(firsts[p])
        found.append(Found(searched.entries[k], first + shift, last + shift, distance))
    return found


def _merged(places: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Return places in order, those of a clip that overlap as one."""
    merged: list[tuple[int, int, int]] = []
    for k, low, high in sorted(places):
        if merged and merged[-1][0] == k and low <= merged[-1][2]:
            merged[-1] = (k, merged[-1][1], max(high, merged[-1][2]))
        else:
            merged.append((k, low, high))
    return merged


def warped(asked: Rows, rows: Rows, to_part: Rows, progress: Progress = SILENT) -> tuple[Rows, Places]:
    """Return for each row (N,) the mean cost of the best way through a query (M, K) that ends there, and its start.

    A way takes every row of the query, each counted once: with D(−1, j) = 0 and costs c of rows that are apart
    D(i, j) = min(D(i−1, j−1) + c(i, j), D(i−1, j−2) + ½(c(i, j−1) + c(i, j)), D(i−2, j−1) + c(i−1, j) + c(i, j)).
    rows (N, SIZE) are led to the query's numbers by `to_part` (SIZE, K).
    """
    kernels = jit.kernels(__package__)
    margin = 2 * len(asked) + 2
    totals = np.empty(len(rows), dtype=np.float32)
    starts = np.empty(len(rows), dtype=np.int32)
    for begin in range(0, len(rows), BLOCK):
        progress.at(begin / len(rows), "Searching")
        low, high = max(begin - margin, 0), min(begin + BLOCK, len(rows))
        costs = _costs(asked, rows[low:high], to_part)
        block, block_starts = np.empty(high - low, np.float32), np.empty(high - low, np.int32)
        kernels.warped(costs, block, block_starts)
        totals[begin:high] = block[begin - low :]
        starts[begin:high] = block_starts[begin - low :] + low
    return totals / np.float32(len(asked)), starts


def _costs(asked: Rows, rows: Rows, to_part: Rows) -> Rows:
    """Return the distances (M, N) between all rows of a query (M, K) and others (N, SIZE)."""
    costs = np.empty((len(asked), len(rows)), dtype=np.float32)
    squares = np.einsum("ij,ij->i", asked, asked)
    step = max(_MULTIPLICATIONS // (asked.size or 1), 16)
    for low in range(0, len(rows), step):
        led = rows[low : low + step]
        if to_part.shape[1] < basis.SIZE:
            led = led @ to_part
        part = costs[:, low : low + step]
        np.matmul(asked, led.T, out=part)
        part *= np.float32(-2.0)
        part += squares[:, None]
        part += np.einsum("ij,ij->i", led, led)
    np.maximum(costs, np.float32(0.0), out=costs)
    return np.sqrt(costs, out=costs)


def _best(totals: Rows, starts: Places, most: int) -> list[tuple[int, int, float]]:
    """Return the first row, the last and the distance of the best stretches of which no two are the same one."""
    beside = np.concatenate([[np.float32(np.inf)], totals, [np.float32(np.inf)]])
    ends = np.flatnonzero((totals <= beside[:-2]) & (totals < beside[2:]) & (totals < _FAR))
    taken: list[tuple[int, int, float]] = []
    count = 8 * most
    while True:
        some = ends if count >= len(ends) else ends[np.argpartition(totals[ends], count)[:count]]
        taken = _different(totals, starts, some[np.argsort(totals[some], kind="stable")], most)
        if len(taken) == most or count >= len(ends):
            return taken
        count *= 4


def _different(totals: Rows, starts: Places, ends: NDArray[np.int64], most: int) -> list[tuple[int, int, float]]:
    taken: list[tuple[int, int, float]] = []
    for last in ends.tolist():
        first = int(starts[last])
        if not any(_same((first, last), other[:2]) for other in taken):
            taken.append((first, last, float(totals[last])))
            if len(taken) == most:
                break
    return taken


def _same(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Say whether two stretches, first and last row, overlap so far that they are the same one."""
    common = min(one[1], other[1]) - max(one[0], other[0]) + 1
    return common > OVERLAP * (min(one[1] - one[0], other[1] - other[0]) + 1)
