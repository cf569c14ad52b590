"""Find transitions between clips: local minima of the window distance over all pairs of frames (methods: Motion graph).

The matrix of all pairs is never stored: bounds on it are computed in blocks, and symmetric entries are computed once.
D(A, B) is D(B, A), and the mirror images of two clips have the same distance.

Very many windows are subsampled (`Bodies.sparse`). A minimum between samples is found by its valley: a pair of windows
that is nearer than its neighbours on the antidiagonal. D is a metric, so the pair's distance is at most `between` of
both windows over the threshold. Refinement then descends the valley.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..motion.quat import Array
from ..progress import SILENT, Progress
from ..sync import alignment
from . import bounds, minima, windows
from .minima import SAME, STILL, Compared
from .windows import Bodies, Windows

CELL = 0.25  # s; only the best transition between two stretches of this length is kept
REACH = 4.0 / 120.0  # s on each side within which a transition is refined at the full rate
RISE = 0.05  # m; clips whose climbs differ by more are different recordings
SAME_SHARE = 0.5  # share of the shorter clip's moving windows that identifies two clips as the same recording
MOST = 50_000  # matches; cells grow until there are no more, and up to twice this number is refined
SOME = 4096  # matches refined at a time
WIDER = 1.15  # factor on the threshold before refinement, because distances decrease at the full rate


@dataclass(frozen=True, eq=False)
class Matches:
    """Similar pairs of frames (M,), of two clips or of one.

    distance (M,) : metres, of a point
    repeated : pairs of given clips that are the same recording
    """

    clip: NDArray[np.int64]
    frame: NDArray[np.int64]
    other_clip: NDArray[np.int64]
    other_frame: NDArray[np.int64]
    distance: Array
    repeated: tuple[tuple[int, int], ...] = ()

    def __len__(self) -> int:
        return len(self.clip)

    def some(self, chosen: NDArray[np.bool_] | NDArray[np.int64]) -> "Matches":
        return Matches(
            self.clip[chosen], self.frame[chosen], self.other_clip[chosen], self.other_frame[chosen],
            self.distance[chosen], self.repeated,
        )  # fmt: skip


def find(
    body: Bodies,
    given: int,
    *,
    threshold: float,
    cycles: Sequence[int] = (),
    rises: Sequence[float] = (),
    progress: Progress = SILENT,
) -> Matches:
    """Return the local minima of the window distance below a threshold, each pair of frames once.

    given : number of clips that are not mirror images
    threshold : metres
    cycles : frames of the cycle that each given clip repeats, 0 for none
    rises : height (m) climbed in each given clip, if the ground was removed

    Frames of one clip are at least one transition apart, and frames of one held pose are not connected.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.graph import inputs, transitions, windows
        >>> ready = inputs.gather([actions.walk(), actions.turn_left()], images=False)
        >>> body = windows.bodies(ready, transition=1 / 3)
        >>> matches = transitions.find(body, ready.given, threshold=0.05)
        >>> len(matches) > 0, bool(matches.distance.max() <= 0.05)
        (True, True)
    """
    rows = windows.windows_of(body, range(given))
    sides = [rows]
    if len(body.firsts) - 1 > given:
        sides.append(windows.windows_of(body, range(given, 2 * given)))
    compared = Compared(sides, bounds.sketches(sides), given, body.half, body.step, body.sparse, WIDER * threshold)
    seeds, near, cell = _seeds(body, compared, _repeating(body, cycles), progress.part(0, 0.7))
    if not body.sparse:
        repeated = _find_repeated(near, rows, given, rises or given * [0.0])
        seeds = best_of_cells(_without(seeds, repeated, given), cell)
    matches = refine_matches(body, seeds, progress.part(0.7, 1.0))
    if body.sparse:
        repeated = _find_repeated(_find_duplicates(body, given, matches, cell), rows, given, rises or given * [0.0])
        matches = _without(matches.some(_are_minima(body, seeds, matches)), repeated, given)
    matches = matches.some(matches.distance <= threshold)
    cell = max(cell, CELL * body.rate)
    matches, _ = sparser(best_of_cells(matches, cell) if body.sparse else matches, cell)
    return replace(matches, repeated=repeated)


def _seeds(
    body: Bodies, compared: Compared, known: Matches, progress: Progress
) -> tuple[Matches, NDArray[np.int64], float]:
    """Return known matches and the minima to be refined; the windows that equal others; and the frames of a cell."""
    rows = compared.sides[0]
    found, near, cell = [known], [], float(body.step) if body.sparse else CELL * body.rate
    places = [(side, first) for side in range(len(compared.sides)) for first in range(0, len(rows.clip), minima.ROWS)]
    for done, (side, first) in enumerate(places):
        progress.at(done / len(places), "Searching the clips")
        columns = compared.sides[side]
        for column in range(first - first % minima.COLUMNS, len(rows.clip), minima.COLUMNS):
            i, j, value, same = compared.minima(side, first, column, cell)
            matches = Matches(rows.clip[i], rows.frame[i], columns.clip[j], columns.frame[j], value)
            found.append(best_of_cells(matches, cell))
            near.append(same)
            if sum(map(len, found)) > 2 * MOST:
                matches, cell = sparser(_concatenate(found), cell)
                found = [matches]
    return _concatenate(found), np.concatenate(near), cell


def _repeating(body: Bodies, cycles: Sequence[int]) -> Matches:
    """Return matches between the frames of cyclic clips and the frames one cycle later.

    A search might miss some, because windows are several frames apart and a cycle may end between them.
    """
    clip, frame, later = [], [], []
    for k, cycle in enumerate(cycles):
        frames = body.frames(k)
        if cycle >= 2 * body.half:
            frames = frames[frames + cycle <= body.firsts[k + 1] - body.firsts[k] - 1 - body.half]
            frames = frames[windows.speed(body, np.full(len(frames), k), frames) >= STILL]
            clip.append(np.full(len(frames), k))
            frame.append(frames)
            later.append(frames + cycle)
    if not clip:
        none = np.empty(0, dtype=np.int64)
        return Matches(none, none, none, none, np.empty(0))
    clips = np.concatenate(clip)
    return Matches(clips, np.concatenate(frame), clips, np.concatenate(later), np.zeros(len(clips)))


def _concatenate(parts: list[Matches]) -> Matches:
    return Matches(
        np.concatenate([part.clip for part in parts]),
        np.concatenate([part.frame for part in parts]),
        np.concatenate([part.other_clip for part in parts]),
        np.concatenate([part.other_frame for part in parts]),
        np.concatenate([part.distance for part in parts]),
    )


def _find_duplicates(body: Bodies, given: int, matches: Matches, cell: float) -> NDArray[np.int64]:
    """Return windows that equal one of another clip, as `Compared.minima` does, given matches for whole cells."""
    counts = np.array([len(body.frames(k)) for k in range(given)])
    starts = np.cumsum([0, *(counts[:-1] + 1)])
    moving = windows.speed(body, matches.clip, matches.frame) >= STILL
    same = matches.some(moving & (matches.distance <= SAME) & (matches.clip != matches.other_clip % given))
    width = max(1, round(cell / body.step))
    place = np.maximum(same.frame - body.half, 0) // body.step // width * width
    every = place[:, None] + np.arange(width)
    inside = every < counts[same.clip][:, None]
    found = (every + starts[same.clip][:, None])[inside]
    return np.unique(np.column_stack([found, np.repeat(same.other_clip, inside.sum(axis=1))]), axis=0)


def _find_repeated(
    near: NDArray[np.int64], rows: Windows, given: int, rises: Sequence[float]
) -> tuple[tuple[int, int], ...]:
    """Return the pairs of clips that are the same recording, the one to keep first."""
    near = np.unique(near.reshape(-1, 2), axis=0)
    first, second = rows.clip[near[:, 0]], near[:, 1] % given
    lengths = np.bincount(rows.clip[(rows.clip >= 0) & (rows.speed >= STILL)], minlength=given)
    counts = np.zeros((given, given), dtype=np.int64)
    np.add.at(counts, (first, second), 1)
    again: dict[int, int] = {}
    for a, b in np.argwhere(counts > 0):
        shorter = max(int(min(lengths[a], lengths[b])), 1)
        if a < b and a not in again and abs(rises[a] - rises[b]) < RISE and counts[a, b] >= SAME_SHARE * shorter:
            again.setdefault(int(b), int(a))
    return tuple((a, b) for b, a in sorted(again.items()))


def _without(matches: Matches, repeated: Sequence[tuple[int, int]], given: int) -> Matches:
    """Return the matches, except matches of clips that repeat an earlier recording."""
    again = np.array([other for _, other in repeated], dtype=np.int64)
    return matches.some(~np.isin(matches.clip % given, again) & ~np.isin(matches.other_clip % given, again))


def best_of_cells(matches: Matches, cell: float) -> Matches:
    """Return the nearest match in each cell of `cell` by `cell` frames of two clips, in order of place."""
    keys = np.zeros(len(matches), dtype=np.int64)
    for part in (matches.clip, matches.other_clip, matches.frame // cell, matches.other_frame // cell):
        keys = keys * (int(part.max(initial=0)) + 1) + part.astype(np.int64)
    order = np.lexsort((matches.distance, keys))
    new = np.ones(len(order), dtype=bool)
    new[1:] = np.diff(keys[order]) != 0
    return matches.some(order[new])


def sparser(matches: Matches, cell: float) -> tuple[Matches, float]:
    """Return the best matches of cells, doubled until at most MOST remain, and the cells' frames."""
    while len(matches) > MOST:
        cell *= 2.0
        matches = best_of_cells(matches, cell)
    return matches, cell


def refine_matches(body: Bodies, matches: Matches, progress: Progress = SILENT) -> Matches:
    """Return the matches moved downhill to local minima of the distance at the full rate."""
    parts = [matches.some(np.arange(0))]
    for first in range(0, len(matches), SOME):
        progress.at(first / len(matches), "Searching the clips")
        parts.append(_refine_some(body, matches.some(np.arange(first, min(first + SOME, len(matches))))))
    return replace(_concatenate(parts), repeated=matches.repeated)


def _reach(body: Bodies) -> int:
    """Return the frames on each side within which a transition is refined."""
    return round(CELL * body.rate) + body.step if body.sparse else min(round(REACH * body.rate), body.step)


def _are_minima(body: Bodies, seeds: Matches, matches: Matches) -> NDArray[np.bool_]:
    """Return which refined matches (M,) are minima, rather than points on a slope at the limit of refinement."""
    moved = np.maximum(abs(matches.frame - seeds.frame), abs(matches.other_frame - seeds.other_frame))
    return np.asarray(moved < _reach(body))


def _refine_some(body: Bodies, matches: Matches) -> Matches:
    reach = _reach(body)
    lengths = np.diff(body.firsts)
    first = np.stack([body.firsts[matches.clip], body.firsts[matches.other_clip]], axis=1)
    lowest = np.stack([matches.frame, matches.other_frame], axis=1)
    ends = np.stack([lengths[matches.clip], lengths[matches.other_clip]], axis=1) - 1 - body.half
    low, high = np.maximum(lowest - reach, body.half), np.minimum(lowest + reach, ends)
    places, distance = alignment.nearest_nearby(
        body.ground, body.heights, body.roots, body.samples, lowest + first, low + first, high + first
    )
    return Matches(
        matches.clip, places[:, 0] - first[:, 0], matches.other_clip, places[:, 1] - first[:, 1], distance,
        matches.repeated,
    )  # fmt: skip
