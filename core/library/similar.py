"""All stretches of a library that are like one another, and clusters of them (methods: Libraries of clips).

Windows of a second become a few numbers each, and each is given its ten nearest. Two that are among the nearest of
each other are a pair, which is then warped in time as a search does it; pairs that go on are one. Windows take over
what most of their neighbours are called until nothing changes: those of one name are a cluster.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import groupby, pairwise

import numpy as np
from numpy.typing import NDArray

from .. import jit, processes
from ..errors import LibraryError
from ..progress import SILENT, Progress
from .basis import Rows
from .search import APART, Places
from .storage import Entry, Library, Stretch

LENGTH = 30  # rows of a window
STEP = 8  # rows from one window of a clip to the next
SAMPLES = 8  # rows that a window is compared by
# How many slow waves of each number of a row tell of a window: of 192 coefficients of cosines the 32 that differ most
# in captured clips. Unlike components fitted to a library, they make no pair depend on what else is in it.
WAVES = (5, 4, 2, 1, 4, 2, 2, 2, 2, 2, 1, 2, 1, 1, 0, 1)
NEIGHBOURS = 10
FARTHEST = 0.08  # mean distance of a pair; purity of clusters is 96 % at 0.06, 94 at 0.1, and fewer or more are in one
LEAST = 10  # windows of a cluster
FOLLOWING = 0.5  # of the stretches of two clusters, from which on one goes on as the other: then they are one
ROWS_OF_A_TASK = 8192
ROUNDS = 100  # of labels; captured clips take about ten
_SLACK = LENGTH // 2  # rows before and after a window that its pair may be warped onto
_PAIRS_AT_A_TIME = 128  # costs that stay in a processor's second-level cache
_WORD = re.compile(r"[^\W\d_]{3,}")

Longs = NDArray[np.int64]


@dataclass(frozen=True)
class Pair:
    """Two stretches that are like one another, and the mean distance between them."""

    one: Stretch
    other: Stretch
    distance: float


@dataclass(frozen=True)
class Cluster:
    """Stretches that are like one another; words that most of their clips have; the one that has most like it."""

    words: tuple[str, ...]
    stretches: tuple[Stretch, ...]
    typical: Stretch
    windows: int

    @property
    def seconds(self) -> float:
        return sum(stretch.seconds for stretch in self.stretches)


@dataclass(frozen=True, eq=False)
class Similar:
    """What is alike in a library: pairs, the likest first, and clusters, the largest first.

    windows : that were compared; coverage : share of them that are in a cluster
    """

    pairs: tuple[Pair, ...]
    clusters: tuple[Cluster, ...]
    windows: int
    coverage: float


@dataclass(frozen=True, eq=False)
class Windows:
    """Windows of clips: which clip (W,), its first row (W,), and the numbers that it is compared by (W, sum(WAVES))."""

    clips: Places
    firsts: Places
    numbers: Rows


@dataclass(frozen=True, eq=False)
class Task:
    """Windows, and from which to which of them the nearest are wanted."""

    windows: Windows
    low: int
    high: int


def similar(
    library: Library,
    *,
    others: Callable[[Entry], bool] | None = None,
    farthest: float = FARTHEST,
    least: int = LEAST,
    attempts: processes.Attempts[Task, Places] | None = None,
    progress: Progress = SILENT,
) -> Similar:
    """Return all stretches of a library that are like one another, and their clusters.

    others : of which clips only; farthest : distance of a pair; least : windows of a cluster
    attempts : who looks for neighbours (`processes.attempts` but for how many at a time); the result is the same
    Takes about 0.5 GB for 142,000 windows. Raises LibraryError where no clip takes a second.
    """
    entries = tuple(entry for entry in library.clips if others is None or others(entry))
    windows = windows_of(library, entries)
    if not len(windows.firsts):
        raise LibraryError("No clip takes a second: nothing can be compared")
    near = nearest(windows, attempts=attempts, progress=progress.part(0.0, 0.6))
    pairs = mutual(near)
    distances, stretches = warped(library, entries, windows, pairs, progress.part(0.6, 0.9))
    like = distances <= farthest
    pairs, distances, stretches = pairs[like], distances[like], stretches[like]
    progress.at(0.9, "Finding clusters")
    labels = follow_on(windows, labelled(len(windows.firsts), pairs, progress.part(0.9, 0.97)))
    clusters, covered = _clusters(entries, windows, pairs, labels, least)
    progress.at(0.98, "Joining pairs")
    return Similar(
        tuple(joined(entries, windows, pairs, distances, stretches)),
        tuple(clusters),
        len(windows.firsts),
        covered / len(windows.firsts),
    )


# --- windows and their neighbours -----------------------------------------------------------------------------------


def windows_of(library: Library, entries: Sequence[Entry]) -> Windows:
    """Return the windows of clips, a second each; a clip that is shorter has none."""
    counts = [max((entry.rows - LENGTH) // STEP + 1, 0) for entry in entries]
    clips = np.repeat(np.arange(len(entries), dtype=np.int32), counts)
    firsts = np.concatenate([np.zeros(0), *(STEP * np.arange(count) for count in counts)]).astype(np.int32)
    numbers = np.empty((len(clips), sum(WAVES)), dtype=np.float32)
    begins = np.cumsum([0, *counts])
    rows_of_window = np.arange(SAMPLES) * ((LENGTH - 1) // (SAMPLES - 1))
    for entry, begin, end in zip(entries, begins, begins[1:], strict=False):
        samples = firsts[begin:end, None] + rows_of_window
        numbers[begin:end] = _waves(library.rows_of(entry)[samples])
    return Windows(clips, firsts, numbers)


def _waves(samples: Rows) -> Rows:
    """Return the coefficients (W, sum(WAVES)) of windows (W, SAMPLES, SIZE), the slowest waves first.

    Distances are those of the samples' means, of which nothing is counted twice.
    """
    times = (np.arange(SAMPLES) + 0.5) * np.pi / SAMPLES
    cosines = np.cos(np.arange(max(WAVES))[:, None] * times)
    cosines /= np.linalg.norm(cosines, axis=1, keepdims=True) * np.sqrt(SAMPLES)
    columns = []
    for wave, cosine in enumerate(cosines.astype(np.float32)):
        numbers = [number for number, waves in enumerate(WAVES) if waves > wave]
        total = np.zeros((len(samples), len(numbers)), dtype=np.float32)
        for sample in range(SAMPLES):
            total += cosine[sample] * samples[:, sample, numbers]
        columns.append(total)
    return np.concatenate(columns, axis=1)


def nearest(
    windows: Windows, *, attempts: processes.Attempts[Task, Places] | None = None, progress: Progress = SILENT
) -> Places:
    """Return the ten nearest of each window (W, NEIGHBOURS), those that overlap it left out; −1 where there are fewer.

    Raises LibraryError where one of the tasks can't be done.
    """
    attempts = attempts or partial(processes.attempts, at_a_time=1)
    count = len(windows.firsts)
    bounds = [*range(0, count, ROWS_OF_A_TASK), count]
    tasks = [Task(windows, low, high) for low, high in pairwise(bounds)]
    near = np.empty((count, NEIGHBOURS), dtype=np.int32)
    progress.at(0.0, "Comparing windows")
    with closing(attempts(neighbours_of, tasks)) as results:
        for done, (place, attempt) in enumerate(results, 1):
            if attempt.result is None:
                raise LibraryError(f"Stretches could not be compared: {attempt.trouble}")
            near[tasks[place].low : tasks[place].high] = attempt.result
            progress.at(done / len(tasks), "Comparing windows")
    return near


def neighbours_of(task: Task) -> Places:
    """Return the nearest of some windows (high − low, NEIGHBOURS)."""
    windows = task.windows
    best = np.empty((task.high - task.low, NEIGHBOURS), dtype=np.float32)
    near = np.empty(best.shape, dtype=np.int32)
    kernels = jit.kernels(__package__)
    kernels.nearest(windows.numbers, windows.clips, windows.firsts, LENGTH, task.low, best, near)
    return near


def mutual(near: Places) -> Longs:
    """Return the pairs (P, 2) of windows that are among the nearest of each other, the first before the other."""
    count = len(near)
    own = np.repeat(np.arange(count), near.shape[1])
    other = near.ravel().astype(np.int64)
    own, other = own[other >= 0], other[other >= 0]
    keys = np.minimum(own, other) * count + np.maximum(own, other)
    found, times = np.unique(keys, return_counts=True)
    both = found[times == 2]
    return np.stack([both // count, both % count], axis=1)


def warped(
    library: Library, entries: Sequence[Entry], windows: Windows, pairs: Longs, progress: Progress = SILENT
) -> tuple[Rows, Places]:
    """Return the distances (P,) of pairs of windows warped in time, and the rows (P, 2) that the first fits onto.

    These are about the second window, from half as long as the first to twice; see `search.warped`.
    """
    kernels = jit.kernels(__package__)
    distances, stretches = np.empty(len(pairs), np.float32), np.empty((len(pairs), 2), np.int32)
    bases = np.array([entry.first for entry in entries])
    counts = np.array([entry.rows for entry in entries])
    width = LENGTH + 2 * _SLACK + 1
    for begin in range(0, len(pairs), _PAIRS_AT_A_TIME):
        if begin % (_PAIRS_AT_A_TIME * 64) == 0:
            progress.at(begin / len(pairs), "Warping pairs")
        one, other = pairs[begin : begin + _PAIRS_AT_A_TIME].T
        asked = bases[windows.clips[one], None] + windows.firsts[one, None] + np.arange(LENGTH)
        # Before each pair stands a column that no way crosses, as do rows before and after the clip.
        places = windows.firsts[other, None] - _SLACK - 1 + np.arange(width)
        same = windows.clips[one] == windows.clips[other]
        low = np.where(same, windows.firsts[one] + LENGTH, 0)
        inside = (places >= low[:, None]) & (places < counts[windows.clips[other], None]) & (np.arange(width) > 0)
        rows = np.asarray(library.rows[np.where(inside, bases[windows.clips[other], None] + places, 0)], np.float32)
        rows[~inside] = APART
        costs = _costs(np.asarray(library.rows[asked], np.float32), rows)
        totals, starts = np.empty(costs.shape[1], np.float32), np.empty(costs.shape[1], np.int32)
        kernels.warped(costs, totals, starts)
        last = totals.reshape(len(one), width).argmin(axis=1)
        column = np.arange(len(one)) * width
        some = slice(begin, begin + len(one))
        distances[some] = totals[column + last] / np.float32(LENGTH)
        stretches[some] = np.stack([starts[column + last] - column, last], axis=1) + places[:, :1]
    return distances, stretches


def _costs(asked: Rows, rows: Rows) -> Rows:
    """Return the distances (LENGTH, B · N) between rows of pairs (B, LENGTH, SIZE) and (B, N, SIZE), side by side."""
    costs = np.matmul(asked, rows.transpose(0, 2, 1))
    costs *= np.float32(-2.0)
    costs += np.einsum("bij,bij->bi", asked, asked)[:, :, None]
    costs += np.einsum("bij,bij->bi", rows, rows)[:, None, :]
    np.sqrt(np.maximum(costs, np.float32(0.0), out=costs), out=costs)
    return np.ascontiguousarray(costs.transpose(1, 0, 2)).reshape(asked.shape[1], -1)


# --- clusters -------------------------------------------------------------------------------------------------------


def labelled(count: int, pairs: Longs, progress: Progress = SILENT) -> Places:
    """Return the label of each window (W,): one of those that its neighbours agree on, a window's place."""
    own = np.concatenate([pairs[:, 0], pairs[:, 1]])
    other = np.concatenate([pairs[:, 1], pairs[:, 0]])
    order = np.lexsort((other, own))
    starts = np.searchsorted(own[order], np.arange(count + 1))
    neighbours = other[order].astype(np.int32)
    labels = np.arange(count, dtype=np.int32)
    kernels = jit.kernels(__package__)
    for k in range(ROUNDS):
        progress.at(k / ROUNDS, "Finding clusters")
        if kernels.agreed(starts, neighbours, labels) == 0:
            break
    return labels


def follow_on(windows: Windows, labels: Places) -> Places:
    """Return labels (W,) where those that go on as one another, in most of their stretches, have become one.

    A window and the next one of its clip are no pair, so that a motion that is repeated would be as many clusters as
    it has windows.
    """
    same_clip, other_label = np.diff(windows.clips) == 0, np.diff(labels) != 0
    goes_on = same_clip & other_label
    steps = np.stack([labels[:-1][goes_on], labels[1:][goes_on]], axis=1)
    links, times = np.unique(steps, axis=0, return_counts=True)
    # Windows of a label that stand side by side count as one: only the last of them can go on as another.
    runs = np.bincount(labels[np.concatenate([[True], ~same_clip | other_label])], minlength=len(labels))
    enough = (times >= FOLLOWING * runs[links].max(axis=1)) & (times > 1)
    merged = np.arange(len(labels), dtype=np.int32)
    for link in links[enough].tolist():
        first, last = sorted(_root(merged, label) for label in link)
        merged[last] = first
    roots = np.array([_root(merged, label) for label in range(len(merged))], dtype=np.int32)
    return roots[labels]


def _root(merged: Places, label: int) -> int:
    while merged[label] != label:
        merged[label] = merged[merged[label]]
        label = int(merged[label])
    return label


def _clusters(
    entries: Sequence[Entry], windows: Windows, pairs: Longs, labels: Places, least: int
) -> tuple[list[Cluster], int]:
    """Return the clusters, the largest first, and how many windows are in one."""
    alike = pairs[labels[pairs[:, 0]] == labels[pairs[:, 1]]]
    degrees = np.bincount(alike.ravel(), minlength=len(labels))
    order = np.argsort(labels, kind="stable")
    bounds = np.flatnonzero(np.diff(labels[order], prepend=-1, append=-1))
    whole = _words(entries)
    found, covered = [], 0
    for begin, end in sorted(pairwise(bounds.tolist()), key=lambda some: some[0] - some[1]):
        if end - begin < max(least, 2):
            break
        members = order[begin:end]
        best = int(members[degrees[members].argmax()])
        (typical,) = _stretches(entries, windows, np.array([best]))
        stretches = _stretches(entries, windows, members)
        found.append(Cluster(_telling(entries, windows.clips[members], whole), stretches, typical, len(members)))
        covered += len(members)
    return found, covered


def _stretches(entries: Sequence[Entry], windows: Windows, members: Longs) -> tuple[Stretch, ...]:
    """Return the stretches that windows, in their order, are of: those of a clip that overlap are one."""
    clips, firsts = windows.clips[members], windows.firsts[members]
    apart = (np.diff(clips) != 0) | (np.diff(firsts) > LENGTH)
    begins = np.concatenate([[0], np.flatnonzero(apart) + 1])
    ends = np.concatenate([begins[1:], [len(members)]]) - 1
    return tuple(
        Stretch(entries[clips[begin]], int(firsts[begin]), int(firsts[end]) + LENGTH - 1)
        for begin, end in zip(begins, ends, strict=True)
    )


def _words(entries: Iterable[Entry]) -> Counter[str]:
    """Return in how many clips there is which word."""
    return Counter(word for entry in entries for word in _words_of(entry))


def _words_of(entry: Entry) -> set[str]:
    """Return the words of a clip's label, of its name where it has none."""
    return set(_WORD.findall((entry.label or entry.name).lower()))


def _telling(entries: Sequence[Entry], clips: Places, whole: Counter[str]) -> tuple[str, ...]:
    """Return at most three words that most windows' clips have, the most telling first: those that others lack."""
    numbers, times = np.unique(clips, return_counts=True)
    counts: Counter[str] = Counter()
    for number, count in zip(numbers.tolist(), times.tolist(), strict=True):
        for word in _words_of(entries[number]):
            counts[word] += count
    shares = {word: count / len(clips) for word, count in counts.items()}
    telling = {word: share - whole[word] / len(entries) for word, share in shares.items() if share >= 0.5}
    best = sorted(telling, key=lambda word: (-telling[word], word))
    return tuple(best[:3])


# --- pairs ----------------------------------------------------------------------------------------------------------


@dataclass
class _Run:
    """Pairs of windows that go on as one: their rows, in how many pairs they are how far from one another."""

    first: int
    last: int
    other_first: int
    other_last: int
    shift: int
    total: float
    count: int = 1

    def takes(self, pair: "_Run", same_clip: bool) -> bool:
        """Take a pair that goes on from here: both its stretches overlap these, and it is hardly shifted."""
        last, other_first = max(self.last, pair.last), min(self.other_first, pair.other_first)
        shifted = abs(pair.shift - self.shift) > STEP
        if pair.first > self.last or pair.other_first > self.other_last or shifted:
            return False
        if same_clip and last >= other_first:
            return False
        self.last, self.other_first, self.shift = last, other_first, pair.shift
        self.other_last = max(self.other_last, pair.other_last)
        self.total += pair.total
        self.count += 1
        return True


def joined(entries: Sequence[Entry], windows: Windows, pairs: Longs, distances: Rows, stretches: Places) -> list[Pair]:
    """Return pairs of stretches, the likest first: pairs of windows that overlap and go on as one another are one."""
    clips, firsts = windows.clips[pairs], windows.firsts[pairs[:, 0]]
    order = np.lexsort((stretches[:, 0], firsts, clips[:, 1], clips[:, 0]))
    columns = (clips[:, 0], clips[:, 1], firsts, stretches[:, 0], stretches[:, 1], distances)
    rows = zip(*(column[order].tolist() for column in columns), strict=True)
    found: list[Pair] = []
    for (one, other), some in groupby(rows, key=lambda row: (row[0], row[1])):
        runs: list[_Run] = []
        for _, _, first, other_first, other_last, distance in some:
            pair = _Run(first, first + LENGTH - 1, other_first, other_last, other_first - first, distance)
            if not any(run.takes(pair, one == other) for run in reversed(runs)):
                runs.append(pair)
        for run in runs:
            stretch = Stretch(entries[one], run.first, run.last)
            found.append(Pair(stretch, Stretch(entries[other], run.other_first, run.other_last), run.total / run.count))
    return sorted(found, key=_place)


def _place(pair: Pair) -> tuple[float, str, int, str, int]:
    return pair.distance, pair.one.entry.path, pair.one.first, pair.other.entry.path, pair.other.first
