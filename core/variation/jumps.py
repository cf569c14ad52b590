"""Find jumps: places where motion can continue with a row other than the next one (methods: Variations)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..graph import bounds, windows
from ..graph.bounds import Floats
from ..motion import root_motion
from ..motion.quat import Array
from ..sync.alignment import Clouds
from .source import DIGITS, Indices, Source

# Distances of jumps are metres for each point of a body 1.7 m tall.
NEAR = 0.12  # first limit of the distance to try
GROWTH = 1.3  # factor on the limit if no sequence reaches the end of the result
FARTHEST = 1.0  # the limit is not increased further once it has reached this
PER_ROW = 12  # largest number of jumps from a row, and to a row
TURNED = 1.0  # rad; a joint's rotation may differ by this without a cost
PER_RADIAN = 0.1  # added to the distance for each further radian
OTHER_FOOT = 0.02  # added for each foot with contact on one side of the jump only
# Added for each second by which take-off and landing differ, because a flight joined from two parts would not fall.
FALLING = 1.0
PAIRS, PAIRED = 6, 0.4  # number of best jumps to add between each two clips, and the limit of their distance
BACKWARDS = 0.8  # s; least length of a jump within a clip, but at most a third of the longest clip
BLOCK = 1024  # rows compared at a time
ROWS = 16384  # pairs of rows whose rotations are compared at a time
# A body with at least this many feet may change the contact of one foot in four only at a jump, so that a gait is left
# and entered in the same phase.
MANY_FEET = 4


@dataclass(frozen=True, eq=False)
class Jumps:
    """J jumps. Row `end` is similar to row `start`, so row end + 1 can be played after it.

    distance (J,) : metres of a point, of a body 1.7 m tall, plus costs of feet, of flights and of turned joints
    cycles (J,) : whether a jump only repeats a cycle, so that both rows have the same pose
    """

    start: Indices
    end: Indices
    distance: Array
    cycles: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.start)


def find(source: Source, limit: float = NEAR) -> Jumps:
    """Return the jumps between the rows of clips, at most `PER_ROW` from and to each row.

    limit : metres of a point, of a body 1.7 m tall

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.graph import inputs
        >>> from action_loom.core.variation import jumps, source
        >>> found = jumps.find(source.gather(inputs.gather([actions.walk()], images=False)))
        >>> len(found) > 0, bool(found.distance.max() <= jumps.NEAR)
        (True, True)
    """
    middles, again = _middles(source), _of_cycles(source)
    if not len(middles):  # the clips are shorter than a window
        return Jumps(again[0], again[1], np.zeros(again.shape[1]), np.ones(again.shape[1], dtype=bool))
    cloud = _clouds(source, middles)
    (sketch,) = bounds.sketches([cloud])
    found, paired = [], []
    for first in range(0, len(middles), BLOCK):
        i, j = _candidates(source, sketch, middles, first, limit)
        found.append(np.stack([i, j]))
        if len(np.unique(source.clip)) > 1:
            paired.append(_nearest_of_pairs(source, sketch, middles, first))
    pairs = np.concatenate(found, axis=1)
    between = np.concatenate(paired, axis=1) if paired else np.empty((2, 0), dtype=np.int64)
    distance = [bounds.measure_pairs(cloud, cloud, *some) / source.unit for some in (pairs, between)]
    standing = _standing(source, middles)
    reach = _shortest_step_back(source)
    label = np.unique(source.inputs.labels, return_inverse=True)[1]
    jumps = []
    for (i, j), apart, most, count in zip((pairs, between), distance, (limit, PAIRED), (0, PAIRS), strict=True):
        one, other = middles[i], middles[j]
        differ = (standing[i] != standing[j]).sum(axis=1)
        apart = apart + OTHER_FOOT * differ + FALLING * np.abs(source.air[one] - source.air[other]).sum(axis=1)
        good = (apart <= most) & ~((source.clip[one] == source.clip[other]) & (np.abs(other - one) < reach))
        good &= label[source.clip[one]] == label[source.clip[other]]
        if standing.shape[1] >= MANY_FEET:
            good &= differ <= standing.shape[1] // MANY_FEET
        one, other, apart = one[good], other[good], apart[good]
        apart = apart + PER_RADIAN * np.maximum(_measure_turns(source, one, other) - TURNED, 0.0)
        apart = np.round(apart, DIGITS)
        kept = _best_of_pairs(source, one, other, apart, count) if count else _sparse(one, other, apart)
        jumps.append((one[kept], other[kept], apart[kept]))
    start, end, apart = (np.concatenate([part[k] for part in jumps]) for k in range(3))
    return Jumps(
        np.concatenate([start, again[0]]),
        np.concatenate([end, again[1]]),
        np.concatenate([apart, np.zeros(again.shape[1])]),
        np.concatenate([np.zeros(len(start), dtype=bool), np.ones(again.shape[1], dtype=bool)]),
    )


def _middles(source: Source) -> Indices:
    """Return the rows whose window lies within their clip."""
    return np.concatenate(
        [
            np.arange(source.firsts[k] + source.half, source.firsts[k + 1] - source.half)
            for k in range(len(source.firsts) - 1)
        ]
    ).astype(np.int64)


def _clouds(source: Source, middles: Indices) -> Clouds:
    ground, heights = windows.clouds_of(source.body, source.clip[middles], source.frame[middles])
    square = (ground.real**2 + ground.imag**2).sum(axis=1) + (heights**2).sum(axis=1)
    return Clouds(ground, heights, square)


def _standing(source: Source, middles: Indices) -> NDArray[np.bool_]:
    """Return which feet (M, S) stand in most of a window."""
    stands = source.body.feet.stands
    rows = windows.rows_of(source.body, source.clip[middles], source.frame[middles])
    return np.asarray(stands[rows].mean(axis=1) > 0.5)


def _measure_turns(source: Source, one: Indices, other: Indices) -> Array:
    """Return the largest angle (M,) in radians between the rotations of a joint in two rows.

    It is needed because the positions of joints say little about how far a head or a hand is turned. Joints that turn
    the whole body are not compared.
    """
    clips, skeleton = source.inputs.clips, source.inputs.clips[0].skeleton
    joints = sorted(set(skeleton.roles.values()) - {0, root_motion.travelling_joint(skeleton)})
    if not joints or not len(one):
        return np.zeros(len(one))
    turned = np.empty((len(source.clip), len(joints), 4))
    for k, clip in enumerate(clips):
        own = source.clip == k
        turned[own] = clip.rotations[np.minimum(source.frame[own], len(clip) - 1).astype(np.int64)][:, joints]
    largest = np.empty(len(one))
    for first in range(0, len(one), ROWS):
        part = slice(first, first + ROWS)
        same = np.abs(np.einsum("mjq,mjq->mj", turned[one[part]], turned[other[part]])).min(axis=1)
        largest[part] = 2.0 * np.arccos(np.minimum(same, 1.0))
    return largest


def _candidates(
    source: Source, sketch: bounds.Sketches, middles: Indices, first: int, limit: float
) -> tuple[Indices, Indices]:
    """Return pairs of windows that are local minima of the approximate distance, from a block of rows."""
    rows = slice(max(first - 1, 0), min(first + BLOCK + 1, len(middles)))
    apart = _approximate(sketch, rows)
    broken = np.flatnonzero(np.diff(source.clip[middles]) != 0) + 1  # neighbours across clips do not count
    near = apart <= (limit * source.unit) ** 2
    i, j = np.nonzero(near)
    least = np.ones(len(i), dtype=bool)
    starts = np.zeros(len(middles), dtype=bool)
    starts[broken] = True
    ends = np.roll(starts, -1)
    for down in (-1, 0, 1):
        for across in (-1, 0, 1):
            a, b = i + down, j + across
            inside = (a >= 0) & (a < apart.shape[0]) & (b >= 0) & (b < apart.shape[1])
            inside &= ~((down < 0) & starts[i + rows.start]) & ~((down > 0) & ends[i + rows.start])
            inside &= ~((across < 0) & starts[j]) & ~((across > 0) & ends[j])
            beside = apart[np.where(inside, a, i), np.where(inside, b, j)]
            least &= apart[i, j] <= beside
    i, j = i[least] + rows.start, j[least]
    own = (i >= first) & (i < first + BLOCK)
    return i[own], j[own]


def _approximate(sketch: bounds.Sketches, rows: slice) -> Floats:
    """Return the mean (M, N) of the lower and the upper bound of squared distances."""
    least, most = bounds.bound_squares(sketch, sketch, rows, slice(None))
    least += most
    least *= np.float32(0.5)
    return least


def _nearest_of_pairs(source: Source, sketch: bounds.Sketches, middles: Indices, first: int) -> Indices:
    """Return the nearest window of each other clip for each row of a block."""
    rows = slice(first, min(first + BLOCK, len(middles)))
    apart = _approximate(sketch, rows)
    clips, found = source.clip[middles], []
    for k in np.unique(clips):
        columns = np.flatnonzero(clips == k)
        nearest = columns[np.argmin(apart[:, columns], axis=1)]
        own = np.arange(rows.start, rows.stop)
        other = clips[own] != k
        found.append(np.stack([own[other], nearest[other]]))
    return np.concatenate(found, axis=1)


def _shortest_step_back(source: Source) -> int:
    longest = int(np.diff(source.firsts).max())
    return max(1, min(source.count(BACKWARDS), longest // 3))


def _sparse(one: Indices, other: Indices, apart: Array) -> Indices:
    """Return the best jumps of each row: at most `PER_ROW` that leave it, and at most `PER_ROW` that reach it."""
    chosen = np.ones(len(one), dtype=bool)
    for rows in (one, other):
        order = np.lexsort((apart, rows, ~chosen))
        group = np.flatnonzero(np.diff(rows[order], prepend=-1) != 0)
        rank = np.arange(len(order)) - np.repeat(group, np.diff(np.append(group, len(order))))
        chosen[order[rank >= PER_ROW]] = False
    return np.flatnonzero(chosen)


def _best_of_pairs(source: Source, one: Indices, other: Indices, apart: Array, count: int) -> Indices:
    """Return the best jumps between each two clips, at different times."""
    kept: list[int] = []
    clips, seconds = len(source.firsts), source.half
    key = source.clip[one] * clips + source.clip[other]
    for pair in np.unique(key):
        some = np.flatnonzero(key == pair)
        taken: list[int] = []
        for k in some[np.argsort(apart[some], kind="stable")].tolist():
            if all(abs(int(one[k]) - int(one[t])) > seconds for t in taken):
                taken.append(k)
            if len(taken) == count:
                break
        kept += taken
    return np.array(kept, dtype=np.int64)


def _of_cycles(source: Source) -> Indices:
    """Return the jumps (2, J) from the second and later cycles of a clip to the cycle before."""
    found = [np.empty((2, 0), dtype=np.int64)]
    for k, frames in enumerate(source.inputs.frame_maps):
        cycle = frames.cycle / source.step
        rows, length = source.rows_of(k), round(cycle)
        if frames.cycle == 0 or abs(cycle - length) > 1e-6:
            continue
        start = np.arange(rows.start + length, rows.stop - 1)
        found.append(np.stack([start, start - length]))
    return np.concatenate(found, axis=1)
