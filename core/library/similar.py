"""Find all similar stretches of a library, and cluster them (methods: Libraries of clips).

Windows of one second are reduced to a few numbers, and get their ten nearest windows. Mutual neighbours form a pair,
which is then compared by time warping; successive pairs are merged. Clusters are found by label propagation: each
window takes the most common label of its neighbours until nothing changes.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from heapq import heappop, heappush
from itertools import groupby, pairwise

import numpy as np

from .. import processes
from ..errors import LibraryError
from ..progress import SILENT, Progress
from . import neighbours, warping
from .basis import Rows
from .search import APART
from .storage import Entry, Library, Stretch
from .warping import Longs, Places

LENGTH = 30  # rows of a window
STEP = 8  # rows from one window of a clip to the next
SAMPLES = 8  # samples per window
# Number of the lowest frequencies compared for each number of a row: of 192 coefficients of cosine transforms, the 32
# of largest variance in captured clips. Components fitted to a library would make its pairs depend on all its clips.
WAVES = (5, 4, 2, 1, 4, 2, 2, 2, 2, 2, 1, 2, 1, 1, 0, 1)
NEIGHBOURS = 10
# Largest mean distance of a pair. The purity of clusters is 96 % at 0.06, with smaller clusters, and 94 % at 0.1, with
# larger ones.
FARTHEST = 0.08
LEAST = 10  # windows per cluster
FOLLOWING = 0.5  # share of the stretches of two labels that must be consecutive for the labels to be merged
ROWS_OF_A_TASK = 8192
ROUNDS = 100  # of label propagation; captured clips take about ten
_SLACK = LENGTH // 2  # additional rows before and after a window for warping the other one onto it
_PAIRS_AT_A_TIME = 128  # whose costs fit a processor's second-level cache
_WORD = re.compile(r"[^\W\d_]{3,}")


@dataclass(frozen=True)
class Pair:
    """Two similar stretches, and the mean distance between them."""

    one: Stretch
    other: Stretch
    distance: float


@dataclass(frozen=True)
class Cluster:
    """Similar stretches, common words of their clips, and the stretch with the most neighbours."""

    words: tuple[str, ...]
    stretches: tuple[Stretch, ...]
    typical: Stretch
    windows: int

    @property
    def seconds(self) -> float:
        return sum(stretch.seconds for stretch in self.stretches)


@dataclass(frozen=True, eq=False)
class Similar:
    """The similar stretches of a library: pairs by similarity, and clusters by size.

    windows : number of windows compared; coverage : share of them in clusters
    """

    pairs: tuple[Pair, ...]
    clusters: tuple[Cluster, ...]
    windows: int
    coverage: float


@dataclass(frozen=True, eq=False)
class Windows:
    """Windows of clips: the clip (W,), the first row in it (W,), and the compared numbers (W, sum(WAVES))."""

    clips: Places
    firsts: Places
    numbers: Rows


@dataclass(frozen=True, eq=False)
class Task:
    """All windows, and the range low … high − 1 of boxes to find neighbours for."""

    boxes: neighbours.Boxes
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
    """Return all similar stretches of a library, and their clusters.

    others : whether to compare a clip; None for all
    farthest : the largest distance of a pair
    least : windows per cluster
    attempts : runs the tasks (`processes.attempts` with the number of processes set); the result does not depend on it

    Takes about 0.5 GB for 142,000 windows. Raises LibraryError if there is no clip to compare, or none lasts a second.
    """
    entries = tuple(entry for entry in library.clips if others is None or others(entry))
    if not entries:
        raise LibraryError(f"None of the library's {len(library.clips):,} clips is asked for: use other words")
    windows = windows_of(library, entries)
    if not len(windows.firsts):
        raise LibraryError("No clip that is asked for takes a second: nothing can be compared")
    near = nearest(windows, attempts=attempts, progress=progress.part(0.0, 0.6))
    pairs = mutual(near)
    distances, stretches = warp_pairs(library, entries, windows, pairs, progress.part(0.6, 0.9))
    like = distances <= farthest
    pairs, distances, stretches = pairs[like], distances[like], stretches[like]
    progress.at(0.9, "Finding clusters")
    labels = follow_on(windows, propagate_labels(len(windows.firsts), pairs, progress.part(0.9, 0.97)))
    clusters, covered = _clusters(entries, windows, pairs, labels, least)
    progress.at(0.98, "Joining pairs")
    return Similar(
        tuple(join_pairs(entries, windows, pairs, distances, stretches)),
        tuple(clusters),
        len(windows.firsts),
        covered / len(windows.firsts),
    )


# --- windows and their neighbours -----------------------------------------------------------------------------------


def windows_of(library: Library, entries: Sequence[Entry]) -> Windows:
    """Return the windows of clips, a second each; shorter clips have none."""
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
    """Return the coefficients (W, sum(WAVES)) of windows (W, SAMPLES, SIZE), lowest frequencies first.

    The waves are orthogonal and scaled so that squared distances are means over the samples.
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
    """Return the ten nearest windows of each (W, NEIGHBOURS), excluding overlapping ones; −1 fills missing entries.

    Raises LibraryError if one of the tasks fails.
    """
    attempts = attempts or partial(processes.attempts, at_a_time=1)
    near = np.empty((len(windows.firsts), NEIGHBOURS), dtype=np.int32)
    progress.at(0.0, "Comparing windows")
    # The first of equal windows are the nearest, except overlapping ones, of which there are fewer than two per row.
    boxes = neighbours.boxes(windows.numbers, windows.clips, windows.firsts, NEIGHBOURS + 2 * LENGTH)
    last = len(boxes.starts) - 1
    each = max(ROWS_OF_A_TASK * last // len(near), 1)
    tasks = [Task(boxes, low, min(low + each, last)) for low in range(0, last, each)]
    with closing(attempts(neighbours_of, tasks)) as results:
        for done, (place, attempt) in enumerate(results, 1):
            if attempt.result is None:
                raise LibraryError(f"Stretches could not be compared: {attempt.trouble}")
            first, end = boxes.starts[[tasks[place].low, tasks[place].high]]
            near[boxes.order[first:end]] = attempt.result
            progress.at(done / len(tasks), "Comparing windows")
    return near


def neighbours_of(task: Task) -> Places:
    """Return the nearest windows (W′, NEIGHBOURS) of the windows in a task's boxes."""
    return neighbours.nearest(task.boxes, task.low, task.high, NEIGHBOURS, LENGTH)


def mutual(near: Places) -> Longs:
    """Return the pairs (P, 2) of mutual nearest neighbours, each pair sorted."""
    count = len(near)
    own = np.repeat(np.arange(count), near.shape[1])
    other = near.ravel().astype(np.int64)
    own, other = own[other >= 0], other[other >= 0]
    keys = np.minimum(own, other) * count + np.maximum(own, other)
    pairs, times = np.unique(keys, return_counts=True)
    both = pairs[times == 2]
    return np.stack([both // count, both % count], axis=1)


def warp_pairs(
    library: Library, entries: Sequence[Entry], windows: Windows, pairs: Longs, progress: Progress = SILENT
) -> tuple[Rows, Places]:
    """Return distances (P,) of pairs of windows after time warping, and the rows (P, 2) that match the first one.

    The rows lie around the second window, and are half to twice as long as the first one; see `search.warp_paths`.
    """
    distances, stretches = np.empty(len(pairs), np.float32), np.empty((len(pairs), 2), np.int32)
    bases = np.array([entry.first for entry in entries])
    counts = np.array([entry.rows for entry in entries])
    width = LENGTH + 2 * _SLACK + 1
    for begin in range(0, len(pairs), _PAIRS_AT_A_TIME):
        if begin % (_PAIRS_AT_A_TIME * 64) == 0:
            progress.at(begin / len(pairs), "Warping pairs")
        first, other = pairs[begin : begin + _PAIRS_AT_A_TIME].T
        asked = bases[windows.clips[first], None] + windows.firsts[first, None] + np.arange(LENGTH)
        # No path crosses the column before each pair, nor the rows before and after the clip.
        places = windows.firsts[other, None] - _SLACK - 1 + np.arange(width)
        same = windows.clips[first] == windows.clips[other]
        low = np.where(same, windows.firsts[first] + LENGTH, 0)
        inside = (places >= low[:, None]) & (places < counts[windows.clips[other], None]) & (np.arange(width) > 0)
        rows = np.asarray(library.rows[np.where(inside, bases[windows.clips[other], None] + places, 0)], np.float32)
        rows[~inside] = APART
        costs = _costs(np.asarray(library.rows[asked], np.float32), rows)
        found = warping.paths(costs)
        column = np.arange(len(first)) * width
        ends = column + found.totals.reshape(len(first), width).argmin(axis=1)
        some = slice(begin, begin + len(first))
        distances[some] = found.totals[ends] / np.float32(LENGTH)
        stretches[some] = np.stack([found.begins(ends), ends], axis=1) - column[:, None] + places[:, :1]
    return distances, stretches


def _costs(asked: Rows, rows: Rows) -> Rows:
    """Return the distances (LENGTH, B · N) between rows of pairs (B, LENGTH, SIZE) and (B, N, SIZE), concatenated."""
    costs = np.matmul(asked, rows.transpose(0, 2, 1))
    costs *= np.float32(-2.0)
    costs += np.einsum("bij,bij->bi", asked, asked)[:, :, None]
    costs += np.einsum("bij,bij->bi", rows, rows)[:, None, :]
    np.sqrt(np.maximum(costs, np.float32(0.0), out=costs), out=costs)
    return np.ascontiguousarray(costs.transpose(1, 0, 2)).reshape(asked.shape[1], -1)


# --- clusters -------------------------------------------------------------------------------------------------------


def propagate_labels(count: int, pairs: Longs, progress: Progress = SILENT) -> Places:
    """Return the labels (W,) after propagation between neighbours; a label is the index of a window.

    Each window in turn takes its neighbours' most common label, the least of ties, until nothing changes.
    """
    own = np.concatenate([pairs[:, 0], pairs[:, 1]])
    other = np.concatenate([pairs[:, 1], pairs[:, 0]])
    order = np.lexsort((other, own))
    starts = np.searchsorted(own[order], np.arange(count + 1)).tolist()
    neighbours = other[order].tolist()
    around = [neighbours[first:last] for first, last in pairwise(starts)]
    labels, wanted = list(range(count)), [window for window in range(count) if around[window]]
    for k in range(ROUNDS):
        progress.at(k / ROUNDS, "Finding clusters")
        wanted = _adopt_labels(around, labels, wanted)
        if not wanted:
            break
    return np.array(labels, dtype=np.int32)


def _adopt_labels(around: list[list[int]], labels: list[int], wanted: list[int]) -> list[int]:
    """Give windows in turn the most common label of their neighbours; return the windows to visit in the next round.

    wanted : sorted windows with a changed neighbour, to which this round adds; all other labels are kept
    """
    queued, later = set(wanted), set[int]()
    while wanted:
        window = heappop(wanted)
        queued.discard(window)
        votes: dict[int, int] = {}
        for other in around[window]:
            votes[labels[other]] = votes.get(labels[other], 0) + 1
        label = min(votes, key=lambda name: (-votes[name], name))
        if label != labels[window]:
            labels[window] = label
            later.update(other for other in around[window] if other < window)
            for other in around[window]:
                if other > window and other not in queued:
                    queued.add(other)
                    heappush(wanted, other)
    return sorted(later)


def follow_on(windows: Windows, labels: Places) -> Places:
    """Return labels (W,), merging labels that follow each other in at least half of their stretches.

    Consecutive windows of a clip overlap, so they are never a pair. Without merging, a repeated motion would have a
    cluster for each of its windows.
    """
    same_clip, other_label = np.diff(windows.clips) == 0, np.diff(labels) != 0
    changes = same_clip & other_label
    steps = np.stack([labels[:-1][changes], labels[1:][changes]], axis=1)
    links, times = np.unique(steps, axis=0, return_counts=True)
    # Successive windows of one label count once, because only the last of them can be followed by another label.
    runs = np.bincount(labels[np.concatenate([[True], ~same_clip | other_label])], minlength=len(labels))
    enough = (times >= FOLLOWING * runs[links].max(axis=1)) & (times > 1)
    merged = np.arange(len(labels), dtype=np.int32)
    for link in links[enough].tolist():
        first, last = sorted(_root(merged, label) for label in link)
        merged[last] = first
    roots = np.array([_root(merged, label) for label in range(len(merged))], dtype=np.int32)
    return roots[labels]


def _root(merged: Places, label: int) -> int:
    """Return the label into which a label was finally merged, and shorten the path to it."""
    while merged[label] != label:
        merged[label] = merged[merged[label]]
        label = int(merged[label])
    return label


def _clusters(
    entries: Sequence[Entry], windows: Windows, pairs: Longs, labels: Places, least: int
) -> tuple[list[Cluster], int]:
    """Return the clusters, the largest first, and the number of windows in them."""
    alike = pairs[labels[pairs[:, 0]] == labels[pairs[:, 1]]]
    degrees = np.bincount(alike.ravel(), minlength=len(labels))
    order = np.argsort(labels, kind="stable")
    bounds = np.flatnonzero(np.diff(labels[order], prepend=-1, append=-1))
    whole = _words(entries)
    clusters, covered = [], 0
    for begin, end in sorted(pairwise(bounds.tolist()), key=lambda some: some[0] - some[1]):
        if end - begin < max(least, 2):
            break
        members = order[begin:end]
        best = int(members[degrees[members].argmax()])
        (typical,) = _stretches(entries, windows, np.array([best]))
        stretches = _stretches(entries, windows, members)
        words = _distinctive(entries, windows.clips[members], whole)
        clusters.append(Cluster(words, stretches, typical, len(members)))
        covered += len(members)
    return clusters, covered


def _stretches(entries: Sequence[Entry], windows: Windows, members: Longs) -> tuple[Stretch, ...]:
    """Return sorted windows as stretches, with overlapping or touching ones of a clip merged."""
    clips, firsts = windows.clips[members], windows.firsts[members]
    apart = (np.diff(clips) != 0) | (np.diff(firsts) > LENGTH)
    begins = np.concatenate([[0], np.flatnonzero(apart) + 1])
    ends = np.concatenate([begins[1:], [len(members)]]) - 1
    return tuple(
        Stretch(entries[clips[begin]], int(firsts[begin]), int(firsts[end]) + LENGTH - 1)
        for begin, end in zip(begins, ends, strict=True)
    )


def _words(entries: Iterable[Entry]) -> Counter[str]:
    """Return the number of clips that have each word."""
    return Counter(word for entry in entries for word in _words_of(entry))


def _words_of(entry: Entry) -> set[str]:
    """Return the words of a clip's label, or of its name if it has none."""
    return set(_WORD.findall((entry.label or entry.name).lower()))


def _distinctive(entries: Sequence[Entry], clips: Places, whole: Counter[str]) -> tuple[str, ...]:
    """Return at most three words common to half of the windows' clips or more, the most distinctive first."""
    numbers, times = np.unique(clips, return_counts=True)
    counts: Counter[str] = Counter()
    for number, count in zip(numbers.tolist(), times.tolist(), strict=True):
        for word in _words_of(entries[number]):
            counts[word] += count
    shares = {word: count / len(clips) for word, count in counts.items()}
    excess = {word: share - whole[word] / len(entries) for word, share in shares.items() if share >= 0.5}
    best = sorted(excess, key=lambda word: (-excess[word], word))
    return tuple(best[:3])


# --- pairs ----------------------------------------------------------------------------------------------------------


@dataclass
class _Run:
    """Successive pairs of windows: their rows, the shift between them, and the number and total distance of pairs."""

    first: int
    last: int
    other_first: int
    other_last: int
    shift: int
    total: float
    count: int = 1

    def takes(self, pair: "_Run", same_clip: bool) -> bool:
        """Add a pair if it continues this run, and return whether it does.

        Both of its stretches must overlap the stretches of the run, with nearly the same shift.
        """
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


def join_pairs(
    entries: Sequence[Entry], windows: Windows, pairs: Longs, distances: Rows, stretches: Places
) -> list[Pair]:
    """Return pairs of stretches, the most similar first; overlapping successive pairs of windows are merged."""
    clips, firsts = windows.clips[pairs], windows.firsts[pairs[:, 0]]
    order = np.lexsort((stretches[:, 0], firsts, clips[:, 1], clips[:, 0]))
    columns = (clips[:, 0], clips[:, 1], firsts, stretches[:, 0], stretches[:, 1], distances)
    rows = zip(*(column[order].tolist() for column in columns), strict=True)
    merged: list[Pair] = []
    for (clip, other), some in groupby(rows, key=lambda row: (row[0], row[1])):
        runs: list[_Run] = []
        for _, _, first, other_first, other_last, distance in some:
            pair = _Run(first, first + LENGTH - 1, other_first, other_last, other_first - first, distance)
            if not any(run.takes(pair, clip == other) for run in reversed(runs)):
                runs.append(pair)
        for run in runs:
            stretch = Stretch(entries[clip], run.first, run.last)
            match = Stretch(entries[other], run.other_first, run.other_last)
            merged.append(Pair(stretch, match, run.total / run.count))
    return sorted(merged, key=_order)


def _order(pair: Pair) -> tuple[float, str, int, str, int]:
    """Return the key by which pairs are sorted."""
    return pair.distance, pair.one.entry.path, pair.one.first, pair.other.entry.path, pair.other.first
