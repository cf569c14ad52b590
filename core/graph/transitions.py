"""Transitions between clips: local minima of the window distance of all pairs of frames (methods: Motion graph).

The matrix of all pairs is never held: bounds on it are computed in blocks, and what follows by symmetry is not
computed again. D(A, B) is D(B, A), and the mirror images of two clips are as far apart as the clips.

Of very many windows only some are compared (`Bodies.sparse`). A minimum between them is not seen itself, but the valley
that it lies in is: a pair of windows that is nearer than those before one and after the other. D is a metric, so it is
at most `between` of both windows over the threshold. Refinement then goes down the valley.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..motion.quat import Array
from ..progress import SILENT, Progress
from ..sync import alignment
from . import bounds, minima, windows
from .minima import SAME, SLOW, STILL, Compared
from .windows import Bodies, Windows

CELL = 0.25  # s; the best transition from one such stretch of a clip to one of another is kept
REACH = 4.0 / 120.0  # s on each side within which a transition is refined at the full rate
RISE = 0.05  # m; clips whose rises differ by more are different recordings
SAME_SHARE = 0.5  # of the moving windows of the shorter clip that make two clips the same recording
MOST = 50_000  # matches; cells grow until there are no more, and up to twice as many are refined
SOME = 4096  # matches that are refined at a time
WIDER = 1.15  # times the threshold before refinement: at the full rate distances get smaller


@dataclass(frozen=True, eq=False)
class Matches:
    """Pairs of frames (M,) that are alike, of two clips or of one.

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
    relative: bool,
    cycles: Sequence[int] = (),
    rises: Sequence[float] = (),
    progress: Progress = SILENT,
) -> Matches:
    """Return the local minima of the window distance under a threshold, each pair of frames once.

    given : number of clips that are no mirror images
    threshold : metres; if `relative` seconds, times the mean speed of the points in both windows (at least 0.6 m/s)
    cycles : frames of the cycle that each given clip repeats, 0 for none
    rises : how far (m) the ground rises in each given clip, if that was removed

    Frames of one clip are at least one transition apart, and frames of one held pose are not connected.

    Example:
        >>> from action_loom.core.figure import actions
        >>> from action_loom.core.graph import inputs, transitions, windows
        >>> ready = inputs.gather([actions.walk(), actions.turn_left()], images=False)
        >>> body = windows.bodies(ready, transition=1 / 3)
        >>> matches = transitions.find(body, ready.given, threshold=0.05, relative=False)
        >>> len(matches) > 0, bool(matches.distance.max() <= 0.05)
        (True, True)
    """
    rows = windows.windows_of(body, range(given))
    sides = [rows]
    if len(body.firsts) - 1 > given:
        sides.append(windows.windows_of(body, range(given, 2 * given)))
    compared = Compared(
        sides, bounds.sketches(sides), given, body.half, body.step, body.sparse, WIDER * threshold, relative
    )
    seeds, near, cell = _seeds(body, compared, _repeating(body, cycles), progress.part(0, 0.7))
    if not body.sparse:
        repeated = _repeated(near, rows, given, rises or given * [0.0])
        seeds = best_of_cells(_without(seeds, repeated, given), cell)
    matches = refined(body, seeds, progress.part(0.7, 1.0))
    if body.sparse:
        repeated = _repeated(_near(body, given, matches, cell), rows, given, rises or given * [0.0])
        matches = _without(matches.some(_arrived(body, seeds, matches)), repeated, given)
    limit = threshold * (_pair_speed(body, matches) if relative else 1.0)
    matches = matches.some(matches.distance <= limit)
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
        progress.at(done / len(places), "Comparing all frames")
        columns = compared.sides[side]
        for column in range(first - first % minima.COLUMNS, len(rows.clip), minima.COLUMNS):
            i, j, value, same = compared.minima(side, first, column, cell)
            matches = Matches(rows.clip[i], rows.frame[i], columns.clip[j], columns.frame[j], value)
            found.append(best_of_cells(matches, cell))
            near.append(same)
            if sum(map(len, found)) > 2 * MOST:
                matches, cell = sparser(_joined(found), cell)
                found = [matches]
    return _joined(found), np.concatenate(near), cell


def _repeating(body: Bodies, cycles: Sequence[int]) -> Matches:
    """Return the frames of clips that repeat a cycle with the frames one cycle later.

    A search would not find all of them, since windows are some frames apart and a cycle may end between them.
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


def _joined(parts: list[Matches]) -> Matches:
    return Matches(
        np.concatenate([part.clip for part in parts]),
        np.concatenate([part.frame for part in parts]),
        np.concatenate([part.other_clip for part in parts]),
        np.concatenate([part.other_frame for part in parts]),
        np.concatenate([part.distance for part in parts]),
    )


def _near(body: Bodies, given: int, matches: Matches, cell: float) -> NDArray[np.int64]:
    """Return the windows that equal one of another clip, as `_block` does, from matches that stand for whole cells."""
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


def _repeated(
    near: NDArray[np.int64], rows: Windows, given: int, rises: Sequence[float]
) -> tuple[tuple[int, int], ...]:
    """Return the pairs of clips that are the same recording, first the one that is kept."""
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
    """Return the matches without those of clips that are the same recording as an earlier one."""
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
    """Return the best of cells that are doubled until there are at most MOST, and the cells' frames."""
    while len(matches) > MOST:
        cell *= 2.0
        matches = best_of_cells(matches, cell)
    return matches, cell


def refined(body: Bodies, matches: Matches, progress: Progress = SILENT) -> Matches:
    """Return the matches moved downhill to local minima of the distance at the full rate."""
    parts = [matches.some(np.arange(0))]
    for first in range(0, len(matches), SOME):
        progress.at(first / len(matches), f"Refining {len(matches):,} transitions")
        parts.append(_refined(body, matches.some(np.arange(first, min(first + SOME, len(matches))))))
    return replace(_joined(parts), repeated=matches.repeated)


def _reach(body: Bodies) -> int:
    """Return the frames on each side within which a transition is refined."""
    return round(CELL * body.rate) + body.step if body.sparse else min(round(REACH * body.rate), body.step)


def _arrived(body: Bodies, seeds: Matches, matches: Matches) -> NDArray[np.bool_]:
    """Return which refined matches (M,) are minima, and no places on a slope where the reach ended."""
    moved = np.maximum(abs(matches.frame - seeds.frame), abs(matches.other_frame - seeds.other_frame))
    return np.asarray(moved < _reach(body))


def _refined(body: Bodies, matches: Matches) -> Matches:
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


def _pair_speed(body: Bodies, matches: Matches) -> Array:
    """Return the mean speed (M,) of the points in both windows, m/s, at least SLOW."""
    speeds = [
        windows.speed(body, clip, frame)
        for clip, frame in ((matches.clip, matches.frame), (matches.other_clip, matches.other_frame))
    ]
    return np.maximum(0.5 * (speeds[0] + speeds[1]), SLOW).astype(np.float64)
