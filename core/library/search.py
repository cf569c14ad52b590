"""Search a library for the stretches most similar to a query at any tempo (methods: Libraries of clips).

The query is warped to all rows by exact subsequence dynamic time warping with slopes from one half to two, first at
10 rows a second, then at 30 near the best matches. Movements without a fixed order of poses, such as dances, are found
by their kind: how far each number of a row varies over some seconds.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..errors import LibraryError
from ..progress import SILENT, Progress
from . import basis, copies, feature
from .basis import Rows
from .storage import Entry, Library, Stretch
from .warping import Longs, Paths, steps

EVERY = 3  # decimation of the first pass: 10 rows a second
SHORTEST_THINNED = 0.4  # s; a shorter query would have too few rows after decimation
LONGEST = 30.0  # s of a query
REFINED = 60  # matches searched again with all rows
# A jump is short, so its height contributes little to a stretch's distance. This cost is added for each body height by
# which the maximum foot height of two stretches differs, beyond the uncertainty of the floor.
FLIGHT, FLOOR = 0.5, 0.02
SAME = 0.06  # stretches at a larger mean distance are other movements, and are sorted by the similarity of their kind
LEAST_OF_KIND = 2.0  # s; the kind of a shorter query is not compared
WINDOWS_AT_A_TIME = 4096
CHANGES = 3.0  # weight of the change from each row to the next one, 0.1 s later, relative to the rows
SHORTER = 0.6  # of the query's duration; the kind of shorter clips is not compared
OVERLAP = 0.3  # of the shorter of two stretches; if they overlap by more, they count as one match
BLOCK = 4096  # columns whose costs fit a processor's second-level cache; a multiple of 8
# value of the rows between clips, which makes paths across them costly even for the longest query
APART = np.float32(1e6)
_FAR = np.float32(100.0)  # least mean distance of such a path
_DIGITS = 2.0**20  # rows are rounded to one over this; their numbers are below 16
_MULTIPLICATIONS = 200_000  # per product; larger ones would start threads of the linear algebra library


@dataclass(frozen=True)
class Found(Stretch):
    """A stretch of a clip similar to the query, its mean distance, and other files of the same take.

    kind : distance of the kinds of movement, 0 for a stretch that is the same movement or whose kind is not compared
    """

    distance: float
    kind: float = 0.0
    mirrored: bool = False
    copies: tuple[Entry, ...] = ()


@dataclass(frozen=True, eq=False)
class Searched:
    """The clips of a library to search, decimated and concatenated, with a row between any two."""

    library: Library
    entries: tuple[Entry, ...]

    @cached_property
    def firsts(self) -> Longs:
        """The start of each clip's decimated rows in `rows` (C,)."""
        counts = [-(-entry.rows // EVERY) + 1 for entry in self.entries]
        return np.cumsum([1, *counts])[:-1]

    @cached_property
    def rows(self) -> Rows:
        """The decimated rows of all clips, separated and surrounded by rows far from everything."""
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
    """Return the stretches most similar to any form of a query, rows (M, WIDTH), best first; see `search`.

    Stretches of the same movement come first, then those of the same kind of movement, then other similar ones.

    asked : from `asking.rows`
    mirror : whether to search for its mirror image as well

    Only the best of overlapping stretches is kept, and the best of one stretch in several files of a take.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.formats import bvh
        >>> from action_loom.core.library import asking, index, search, storage
        >>> with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        ...     for clip in (actions.walk(), actions.wave()):
        ...         size = Path(folder, f"{clip.name}.bvh").write_bytes(bvh.compose(clip))
        ...     changes = index.update(str(Path(folder, "all.loomlib")), [folder])
        ...     library = storage.read(Path(folder, "all.loomlib"))
        ...     query = asking.rows(actions.wave(), 20, 79)
        ...     best = search.like(search.Searched(library, library.clips), query, most=1)[0]
        >>> best.entry.name, best.first, best.last, round(best.distance, 3)
        ('wave', 20, 79, 0.0)
    """
    forms = [(numbers, False) for numbers in asked]
    forms += [(feature.mirror_rows(numbers), True) for numbers in asked if mirror]
    found: list[Found] = []
    for k, (numbers, mirrored) in enumerate(forms):
        step = progress.part(k / len(forms), (k + 1) / len(forms))
        query = basis.shorten_rows(numbers)
        some = search(searched, query, part=part, most=2 * most, others=others, progress=step)
        if len(query) >= LEAST_OF_KIND * feature.RATE:
            some = [one if one.distance <= SAME else replace(one, kind=np.inf) for one in some]
            some += search_kind(searched, query, part=part, most=most, others=others)
        found += [replace(stretch, mirrored=mirrored) for stretch in some]
    best: list[Found] = []
    for new in sorted(found, key=lambda stretch: (stretch.kind, stretch.distance)):
        if len(best) < most and not any(_is_one(searched.library, new, other) for other in best):
            best.append(new)
    among = [entry for entry in searched.entries if others is None or others(entry)]
    return [replace(one, copies=copies.of(searched.library, one.entry, among)) for one in best]


def _is_one(library: Library, new: Found, other: Found) -> bool:
    """Return whether two stretches are the same, in a clip or in two files of one take."""
    if not _same((new.first, new.last), (other.first, other.last)):
        return False
    if new.entry == other.entry:
        return True
    return new.mirrored == other.mirrored and copies.same_take(library, new.entry, other.entry)


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
    """Return the stretches most similar to a query (M, SIZE) of 30 rows a second, best first.

    part : compared part of the body, one of `feature.PARTS`
    others : whether to search a clip; None for all
    exact : whether to search all rows at full rate, not only near the best matches

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
    count = max(REFINED, 2 * most)
    if exact or seconds < SHORTEST_THINNED:
        places = [(k, 0, entry.rows) for k, entry in enumerate(searched.entries)]
    else:
        places = _scan_rows(searched, asked, to_part, count, progress)
    progress.at(0.9, "Searching the clips")
    found = _among(searched, asked, to_part, places, count)
    if part != "arms":
        found = _as_high(searched.library, query, found)
    return found[:most]


def search_kind(
    searched: Searched,
    query: Rows,
    *,
    part: str = "whole",
    most: int = 20,
    others: Callable[[Entry], bool] | None = None,
) -> list[Found]:
    """Return the stretches whose movement is of the same kind as a query (M, SIZE) of 30 rows a second, best first.

    Windows of the query's length are compared by means, and by square roots of standard deviations, of numbers and of
    their changes. Arguments as of `search`.
    """
    if others is not None:
        searched = Searched(searched.library, tuple(entry for entry in searched.entries if others(entry)))
    to_part = basis.of_part(part)
    asked = query @ to_part
    thin = asked[::EVERY]
    (ours,) = _describe_kinds(thin, np.array([0]), np.array([len(thin)]))
    clips, firsts, lasts = _cut_windows(searched, len(thin))
    apart = np.empty(len(clips))
    for block in range(0, len(clips), WINDOWS_AT_A_TIME):
        some = slice(block, block + WINDOWS_AT_A_TIME)
        low = int(firsts[some].min())
        rows = searched.rows[low : int(lasts[some].max())] @ to_part
        apart[some] = np.linalg.norm(_describe_kinds(rows, firsts[some] - low, lasts[some] - low) - ours, axis=1)
    found: list[Found] = []
    for place in np.argsort(apart, kind="stable").tolist():
        entry, begin = searched.entries[clips[place]], int(searched.firsts[clips[place]])
        low, high = EVERY * (int(firsts[place]) - begin), min(EVERY * (int(lasts[place]) - begin), entry.rows)
        if len(found) == most:
            break
        if not any(one.entry == entry and _same((low, high - 1), (one.first, one.last)) for one in found):
            (within,) = _among(searched, asked, to_part, [(int(clips[place]), low, high)], 1)
            found.append(replace(within, kind=float(apart[place])))
    return found


def _cut_windows(searched: Searched, length: int) -> tuple[Longs, Longs, Longs]:
    """Return the clips (W,) of windows of a length, and their first rows and ends in the decimated rows."""
    rows = np.array([-(-entry.rows // EVERY) for entry in searched.entries])
    counts = np.where(rows >= SHORTER * length, np.maximum(rows - length, 0) // max(length // 4, 1) + 1, 0)
    clips = np.repeat(np.arange(len(rows)), counts)
    nth = np.arange(len(clips)) - np.repeat(np.cumsum(counts) - counts, counts)
    firsts = searched.firsts[clips] + nth * max(length // 4, 1)
    return clips, firsts, np.minimum(firsts + length, searched.firsts[clips] + rows[clips])


def _describe_kinds(rows: Rows, firsts: Longs, ends: Longs) -> NDArray[np.float64]:
    """Return the numbers (W, 3·K) by which `search_kind` compares windows of some rows (N, K), 10 a second."""
    values = np.where(rows < APART, rows, 0.0).astype(np.float64)
    changes = CHANGES * np.diff(values, axis=0, append=values[-1:])  # the last change of a window is not used
    means, spreads = [], []
    for of, end in ((values, ends), (changes, ends - 1)):
        count = (end - firsts)[:, None]
        sums, squares = (np.cumsum(np.concatenate([0.0 * part[:1], part]), axis=0) for part in (of, of**2))
        means.append((sums[end] - sums[firsts]) / count)
        variance = (squares[end] - squares[firsts]) / count - means[-1] ** 2
        spreads.append(np.maximum(variance, 0.0) ** 0.25)
    return np.concatenate([means[0], *spreads], axis=1)


def _as_high(library: Library, query: Rows, found: list[Found]) -> list[Found]:
    """Return stretches re-sorted with a cost for a different maximum foot height than the query's."""
    ours = float(basis.lower_foot(query).max())
    firsts = [one.entry.first + one.first for one in found]
    rows = [library.rows[first : first + one.last - one.first + 1] for first, one in zip(firsts, found, strict=True)]
    heights = [float(basis.lower_foot(some.astype(np.float32)).max()) for some in rows]
    farther = (FLIGHT * max(abs(height - ours) - FLOOR, 0.0) for height in heights)
    other = [replace(one, distance=one.distance + more) for one, more in zip(found, farther, strict=True)]
    return sorted(other, key=lambda one: one.distance)


def _scan_rows(
    searched: Searched, asked: Rows, to_part: Rows, most: int, progress: Progress
) -> list[tuple[int, int, int]]:
    """Return the ranges to search with all rows: index of the clip, and rows from … to."""
    thin = asked[EVERY // 2 :: EVERY]
    places = []
    for first, last, _ in _best(warp_paths(thin, searched.rows, to_part, progress.part(0.0, 0.9)), most):
        k = int(np.searchsorted(searched.firsts, last, side="right")) - 1
        rows, begin = searched.entries[k].rows, int(searched.firsts[k])
        slack = len(asked) // 2 + EVERY
        low, high = EVERY * (max(first, begin) - begin) - slack, EVERY * (last - begin) + slack
        places.append((k, max(low, 0), min(high, rows)))
    return places


def _among(
    searched: Searched, asked: Rows, to_part: Rows, places: list[tuple[int, int, int]], most: int
) -> list[Found]:
    """Return the best stretches within given row ranges of clips."""
    merged = _merge_ranges(places)
    firsts = np.cumsum([1, *(high - low + 1 for _, low, high in merged)])
    rows = np.full((int(firsts[-1]), basis.SIZE), APART, dtype=np.float32)
    for (k, low, high), first in zip(merged, firsts, strict=False):
        entry = searched.entries[k]
        rows[first : first + high - low] = searched.library.rows[entry.first + low : entry.first + high]
    found = []
    for first, last, distance in _best(warp_paths(asked, rows, to_part, exactly=True), most):
        p = int(np.searchsorted(firsts, last, side="right")) - 1
        k, low, _ = merged[p]
        shift = low - int(firsts[p])
        found.append(Found(searched.entries[k], first + shift, last + shift, distance))
    return found


def _merge_ranges(places: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Return sorted ranges, with overlapping ranges of a clip merged."""
    merged: list[tuple[int, int, int]] = []
    for k, low, high in sorted(places):
        if merged and merged[-1][0] == k and low <= merged[-1][2]:
            merged[-1] = (k, merged[-1][1], max(high, merged[-1][2]))
        else:
            merged.append((k, low, high))
    return merged


def warp_paths(asked: Rows, rows: Rows, to_part: Rows, progress: Progress = SILENT, *, exactly: bool = False) -> Paths:
    """Return for each row (N,) the best path of a query (M, K) that ends there.

    rows (N, SIZE) : compared with the query after multiplication by `to_part` (SIZE, K)
    exactly : whether the best path must be the same on any processor, which takes twice the time

    Costs are the distances between rows, and every row of the query counts once.
    """
    margin = 2 * len(asked) + 2
    totals = np.empty(len(rows), dtype=np.float32)
    quick, slow = (np.empty((len(asked), -(-len(rows) // 8)), dtype=np.uint8) for _ in range(2))
    for begin in range(0, len(rows), BLOCK):
        progress.at(begin / len(rows), "Searching")
        low, high = max(begin - margin, 0), min(begin + BLOCK, len(rows))
        block, *flags = steps((_exact_costs if exactly else _costs)(asked, rows[low:high], to_part))
        totals[begin:high] = block[begin - low :]
        for whole, part in zip((quick, slow), flags, strict=True):
            whole[:, begin // 8 : -(-high // 8)] = np.packbits(part[:, begin - low :], axis=1)
    return Paths(totals, quick, slow)


def _costs(asked: Rows, rows: Rows, to_part: Rows) -> Rows:
    """Return the distances (M, N) between all rows of a query (M, K) and others (N, SIZE)."""
    costs = np.empty((len(asked), len(rows)), dtype=np.float32)
    squares = np.einsum("ij,ij->i", asked, asked)
    step = max(_MULTIPLICATIONS // (asked.size or 1), 16)
    for low in range(0, len(rows), step):
        others = rows[low : low + step]
        if to_part.shape[1] < basis.SIZE:
            others = others @ to_part
        part = costs[:, low : low + step]
        np.matmul(asked, others.T, out=part)
        part *= np.float32(-2.0)
        part += squares[:, None]
        part += np.einsum("ij,ij->i", others, others)
    np.maximum(costs, np.float32(0.0), out=costs)
    return np.sqrt(costs, out=costs)


def _exact_costs(asked: Rows, rows: Rows, to_part: Rows) -> Rows:
    """Return the same distances from rows rounded so that sums of their products are exact in double precision."""
    ours = np.round(asked.astype(np.float64) * _DIGITS) / _DIGITS
    theirs = rows.astype(np.float64)
    if to_part.shape[1] < basis.SIZE:
        theirs = theirs @ to_part
    theirs = np.round(theirs * _DIGITS) / _DIGITS
    squares = (ours * ours).sum(axis=1)[:, None] + (theirs * theirs).sum(axis=1) - 2.0 * (ours @ theirs.T)
    return np.sqrt(np.maximum(squares, 0.0)).astype(np.float32)


def _best(found: Paths, most: int) -> list[tuple[int, int, float]]:
    """Return first row, last row and mean distance of the best distinct stretches."""
    totals = found.totals / np.float32(len(found.quick))
    beside = np.concatenate([[np.float32(np.inf)], totals, [np.float32(np.inf)]])
    ends = np.flatnonzero((totals <= beside[:-2]) & (totals < beside[2:]) & (totals < _FAR))
    count = 8 * most
    while True:
        some = ends
        if count < len(ends):
            some = ends[totals[ends] <= np.partition(totals[ends], count)[count]]
        some = some[np.argsort(totals[some], kind="stable")]
        best = _different(found.begins(some), some, totals[some], most)
        if len(best) == most or count >= len(ends):
            return best
        count *= 4


def _different(firsts: Longs, lasts: Longs, distances: Rows, most: int) -> list[tuple[int, int, float]]:
    """Return at most `most` stretches, in order, without any that equal an earlier one."""
    taken: list[tuple[int, int, float]] = []
    for first, last, distance in zip(firsts.tolist(), lasts.tolist(), distances.tolist(), strict=True):
        if not any(_same((first, last), other[:2]) for other in taken):
            taken.append((first, last, distance))
            if len(taken) == most:
                break
    return taken


def _same(rows: tuple[int, int], others: tuple[int, int]) -> bool:
    """Return whether two stretches, by first and last row, overlap enough to count as the same."""
    common = min(rows[1], others[1]) - max(rows[0], others[0]) + 1
    return common > OVERLAP * (min(rows[1] - rows[0], others[1] - others[0]) + 1)
