"""Plan how a standing body idles, from the stretches of its clips in which the root stays in place (methods: Drive)."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..errors import GraphError
from ..graph import inputs
from ..graph.inputs import GraphInputs
from ..motion import root_motion
from ..motion.clip import Clip
from ..motion.frame_map import FrameMap
from ..motion.quat import Array
from ..quality import contacts
from ..variation import arranging, jumps, source, wishes
from ..variation.source import Source
from .database import RATE, Database, Rows
from .idling import Idling

# A row belongs to an idle stretch if the root stays below all three limits.
AROUND = 0.5  # s on each side of a row; the mean speed and turn rate of the root are measured over this window
STAYS = 0.09  # body heights a second; limit of the mean speed
TURNS = np.radians(60.0)  # radians a second; limit of the mean turn rate
GOES = 0.25  # body heights a second; limit of the speed in the row itself
LEAST = 1.0  # s; shorter stretches are not used
WHOLE = 2.0  # s; a group of stretches connected by jumps is not used if it is shorter and lacks a cycle
MOST = 40.0  # s; the longest stretches are used until their total reaches this
LENGTHS = (12.0, 24.0)  # s; shortest and longest plan
LONGER = 1.5  # length of a plan between these limits, as a multiple of the total length of its stretches
OTHERS = (1.0, 0.9, 0.8, 0.6)  # factors on this length, tried in turn until a loop is found
HOLD = 0.8  # s; least time between two jumps
FARTHEST = 0.2  # m, for a body 1.7 m tall; poses at a larger distance are not connected by a jump
ENTERS = 0.4  # m, for a body 1.7 m tall; a standing row outside the plans enters a plan at a nearer pose


def with_idling(data: Database) -> Database:
    """Return a database with the plans of its idling; none if it never stays at its place for long.

    Example:
        >>> from action_loom.core.drive import database, idle_plans
        >>> from action_loom.core.demo_character import actions
        >>> data = idle_plans.with_idling(database.build([actions.walk(cycles=1), actions.wave()]))
        >>> len(data.idling.rows) >= 11 * database.RATE
        True
    """
    loops = []
    for stretches, known in _connect(data, _find_stretches(data)):
        alone = len(stretches) == 1 and bool(_cycle(data, stretches[0]))  # a cycle is repeated as it is
        made = stretches[0] if alone else _plan(known, stretches)
        loops += [] if made is None else [made]
    entry = _enter(data, np.concatenate([*loops, np.empty(0, dtype=np.int64)]))
    if len(data.clips) > data.given:  # mirror images follow the given clips in the same order
        shift = int(data.image.argmax())
        entry[shift:] = np.where(entry[:shift] < 0, -1, entry[:shift] + shift)
        loops += [loop + shift for loop in loops]
    rows = np.concatenate([*loops, np.empty(0, dtype=np.int64)])
    ends = np.cumsum([len(loop) for loop in loops]).astype(np.int64)
    after = np.arange(1, len(rows) + 1)
    after[ends - 1] = np.concatenate([[0], ends])[:-1]
    return replace(data, idling=Idling(rows, after, entry))


def _find_stretches(data: Database) -> list[Rows]:
    """Return the stretches of given clips in which the body stays at its place, the longest first, up to `MOST`."""
    height, found = data.skeleton.height, list[Rows]()
    for k in range(data.given):
        rows = np.flatnonzero(data.clip == k)
        place, facing = _way(data, rows)
        every = np.arange(len(rows))
        low = np.maximum(every - round(AROUND * RATE), 0)
        high = np.minimum(every + round(AROUND * RATE), len(rows) - 1)
        seconds = np.maximum(high - low, 1) / RATE
        stays = np.abs(place[high] - place[low]) < STAYS * height * seconds
        stays &= np.abs(facing[high] - facing[low]) < TURNS * seconds
        stays &= np.abs(data.velocity[rows]) < GOES * height
        found += [rows[a:b] for a, b in contacts.runs(stays) if b - a >= LEAST * RATE]
    found.sort(key=len, reverse=True)
    total = np.cumsum([len(rows) for rows in found])
    return found[: 1 + int(np.searchsorted(total, MOST * RATE))]


def _way(data: Database, rows: Rows) -> tuple[NDArray[np.complex128], Array]:
    """Return places (F,) as x + iy and facings (F,) of the root along successive rows."""
    facing = np.concatenate([[0.0], np.cumsum(data.turn[rows[:-1]])])
    return np.concatenate([[0.0], np.cumsum(data.step[rows[:-1]] * np.exp(1j * facing[:-1]))]), facing


def _gather(data: Database, stretches: Sequence[Rows]) -> Source:
    """Return the rows of stretches as a source of variations; a cycle is repeated, so that it can follow itself."""
    cycles = [_cycle(data, rows) for rows in stretches]
    clips = [
        _as_clip(data, np.tile(rows, 2 if cycle else 1), k)
        for k, (rows, cycle) in enumerate(zip(stretches, cycles, strict=True))
    ]
    maps = tuple(FrameMap(cycle=cycle) for cycle in cycles)
    return source.gather(GraphInputs(tuple(clips), maps, len(clips) * ("",), len(clips), ()))


def _as_clip(data: Database, rows: Rows, number: int) -> Clip:
    place, facing = _way(data, rows)
    clip = replace(data.poses(rows), name=f"{number}", rate=RATE)
    return root_motion.place_clip(clip, facing, np.column_stack([place.real, place.imag]))


def _connect(data: Database, stretches: Sequence[Rows]) -> list[tuple[list[Rows], Source]]:
    """Return stretches in groups that jumps connect, and the rows of each, without those too short to vary."""
    if not stretches:
        return []
    try:
        known = _gather(data, stretches)
    except GraphError:  # one pose only
        return []
    found = jumps.find(known, FARTHEST)
    group = np.arange(len(stretches))
    for one, other in np.unique(np.stack([known.clip[found.start], known.clip[found.end]]), axis=1).T:
        group[group == group[other]] = group[one]
    groups = [[stretches[k] for k in np.flatnonzero(group == g).tolist()] for g in np.unique(group)]
    kept = [some for some in groups if sum(map(len, some)) >= WHOLE * RATE or any(_cycle(data, rows) for rows in some)]
    return [(some, known if len(groups) == 1 else _gather(data, some)) for some in kept]


def _cycle(data: Database, rows: Rows) -> int:
    """Return the rows of a cycle, 0 for a stretch that does not repeat."""
    return len(rows) if data.onward[rows[-1]] == rows[0] else 0


def _plan(known: Source, stretches: Sequence[Rows]) -> Rows | None:
    """Return the rows of a loop through stretches; None if no way leads back."""
    seconds = min(max(LONGER * known.seconds(), LENGTHS[0]), LENGTHS[1])
    lengths, made = np.array([len(rows) for rows in stretches], dtype=float), None
    for share in OTHERS:
        count = known.count(share * seconds)
        limits, pinned = wishes.limits(known, wishes.Wishes(count, (), ()), count, hold=HOLD, loop=True)
        made = arranging.arrange(known, count, limits, pinned, lengths / lengths.sum(), farthest=FARTHEST)
        if made is not None:
            break
    if made is None:
        return None
    clips, frames = known.clip[made[0].rows], known.frame[made[0].rows]  # the last row is the first one again
    played = []
    for clip, frame, other, end in zip(clips[:-1], frames[:-1], clips[1:], frames[1:], strict=True):
        played.append(stretches[clip][frame % len(stretches[clip])])
        # rows between two chosen ones lead to the next
        played += [stretches[other][(end - k) % len(stretches[other])] for k in range(known.step - 1, 0, -1)]
    return np.array(played, dtype=np.int64)


def _enter(data: Database, rows: Rows) -> Rows:
    """Return the planned row (R,) with which each row continues: itself, or the nearest pose for rows that stand."""
    entry = np.full(len(data), -1)
    entry[rows] = rows
    others = data.still[(entry[data.still] < 0) & (data.clip[data.still] < data.given)]
    if not len(rows) or not len(others):
        return entry
    planned = np.unique(rows)
    own, there = (inputs.points(data.poses(some)).reshape(len(some), -1) for some in (others, planned))
    square = (own**2).sum(axis=1)[:, None] + (there**2).sum(axis=1) - 2.0 * own @ there.T
    nearest = square.argmin(axis=1)
    near = square[np.arange(len(others)), nearest] < (ENTERS * data.unit) ** 2
    entry[others[near]] = planned[nearest[near]]
    return entry
