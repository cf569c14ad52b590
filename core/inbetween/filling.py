"""Fill a gap between two keyed poses with a stretch that meets both exactly (methods: Fill)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

import numpy as np

from ..motion import quat, root_motion
from ..motion.clip import Clip
from ..motion.quat import Array
from .candidates import Candidate, Gap, Piece
from .rows import Rows, Singles, stretch

SEAM = 0.17  # s on each side over which stretches are blended at a seam
SLOWEST, FASTEST = 0.7, 1.4  # limits of the speed ratio between the clip next to a gap and the stretch
STILL = 1e-4  # (body heights a second)², summed over points; below it a row counts as still

Leads = tuple[float, float]


@dataclass(frozen=True, eq=False)
class Filled:
    """A gap's frames, including both keys, from a stretch (`own`) and from interpolation (`plain`).

    leads : start and end speed of the stretch
    """

    own: Clip
    plain: Clip
    leads: Leads = (1.0, 1.0)


def interpolate_poses(first: Clip, last: Clip, count: int) -> Clip:
    """Return `count` frames between two one-frame poses: shortest rotations at constant speed.

    Example:
        >>> from action_loom.core.inbetween import filling
        >>> from action_loom.core.demo_character import actions
        >>> walk = actions.walk()
        >>> len(filling.interpolate_poses(walk.cut(0, 1), walk.cut(16, 17), 17))
        17
    """
    share = np.linspace(0.0, 1.0, count)[:, None, None]
    turn = quat.log(quat.mul(quat.inv(first.rotations), last.rotations))
    whole = first.take_frames(np.zeros(count, dtype=np.int64))
    clip = replace(
        whole,
        rotations=quat.mul(whole.rotations, quat.exp(share * turn)),
        translations=first.translations + share * (last.translations - first.translations),
    )
    if first.scales is None or last.scales is None:
        return clip
    return replace(clip, scales=first.scales + share * (last.scales - first.scales))


def measure_leads(rows: Rows, gap: Gap, one: Candidate) -> Leads:
    """Return start and end speed of a candidate relative to constant speed: half-way to the clip next to the gap.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.inbetween import candidates, filling, rows
        >>> from action_loom.core.demo_character import actions
        >>> walk = actions.walk()
        >>> library = rows.of_clips([walk])
        >>> gap = candidates.gap_of(rows.of_poses(walk.take_frames(np.array([8, 38]))), 0, 30.0)
        >>> best = candidates.find_candidates(library, gap)[0]
        >>> filling.measure_leads(library, gap, best)  # lone poses have no speeds
        (1.0, 1.0)
    """
    begin, end = one.pieces[0], one.pieces[-1]
    return _measure_lead(rows, gap, begin, begin.start, gap.speed), _measure_lead(
        rows, gap, end, end.end, gap.speed_after
    )


def _measure_lead(rows: Rows, gap: Gap, piece: Piece, row: int, speed: Singles | None) -> float:
    own = rows.speeds[row].astype(np.float64)
    if speed is None or (own**2).sum() < STILL:
        return 1.0
    wanted = float(np.clip((speed * own).sum() / (own**2).sum(), SLOWEST, FASTEST))
    return 0.5 + 0.5 * wanted * piece.share * gap.frames / (piece.end - piece.start)


def fill_gap(
    clips: list[Clip],
    rows: Rows,
    one: Candidate,
    first: Clip,
    last: Clip,
    count: int,
    *,
    leads: Leads = (1.0, 1.0),
) -> Filled:
    """Return a gap of `count` frames, including its keys, filled with a candidate.

    clips : of the library with the given rows; first, last : the keyed poses, one-frame clips
    leads : start and end speed (see `measure_leads`)
    Raises SkeletonError as `root_motion.place_clip` does.
    """
    plain = interpolate_poses(first, last, count)
    own = _bend_to_keys(_stretches(clips, rows, one, count, first, leads), first, last)
    own = replace(plain, rotations=own.rotations, translations=own.translations)
    return Filled(own, plain, leads)


def mix_ways(even: Clip, ways: Sequence[tuple[Clip, float]]) -> Clip:
    """Return an interpolation plus shares of the differences of other ways between the same poses from it."""
    ways = [(own, share) for own, share in ways if share > 0.0]
    if len(ways) == 1 and ways[0][1] >= 1.0:
        return ways[0][0]
    turns, moves = np.zeros((*even.rotations.shape[:2], 3)), np.zeros_like(even.translations)
    for own, share in ways:
        turns += share * quat.log(quat.mul(quat.inv(even.rotations), own.rotations))
        moves += share * (own.translations - even.translations)
    rotations = quat.mul(even.rotations, quat.exp(turns))
    return replace(even, rotations=rotations, translations=even.translations + moves)


def _stretches(clips: list[Clip], rows: Rows, one: Candidate, count: int, like: Clip, leads: Leads) -> Clip:
    """Return the frames of a candidate as one clip; stretches overlap at their seams."""
    whole: Clip | None = None
    for piece, (first, frames, _) in zip(one.pieces, list_frames(rows, one, count, like.rate, leads), strict=True):
        part = stretch(clips[rows.clips[piece.start]], frames, mirrored=bool(rows.mirrored[piece.start]))
        reach = 0 if whole is None else (len(whole) - first - 1) // 2
        whole = part if whole is None else _over(whole, part, first + reach, reach)
    assert whole is not None
    return replace(whole, name=like.name, rate=like.rate)


def list_frames(rows: Rows, one: Candidate, count: int, rate: float, leads: Leads) -> list[tuple[int, Array, Array]]:
    """Return the frames of each piece of a candidate in a gap of `count` frames.

    Each row has the first frame in the gap, the frames (K,) of the piece's clip at 30 a second, and weights (K,).
    Pieces are extended across a seam at their own speed, and overlap there.

    Example:
        >>> from action_loom.core.inbetween import candidates, filling, rows
        >>> from action_loom.core.demo_character import actions
        >>> library = rows.of_clips([actions.walk()])
        >>> one = candidates.Candidate((candidates.Piece(8, 14),), 0.0)
        >>> [(first, frames.tolist()) for first, frames, _ in filling.list_frames(library, one, 4, 15.0, (1.0, 1.0))]
        [(0, [8.0, 10.0, 12.0, 14.0])]
    """
    seams = [round(share * (count - 1)) for share in accumulate(piece.share for piece in one.pieces[:-1])]
    at = [0, *(min(max(frame, k + 1), count - len(seams) + k - 1) for k, frame in enumerate(seams)), count - 1]
    reach = [max(1, min(round(SEAM * rate), at[k] - at[k - 1], at[k + 1] - at[k])) for k in range(1, len(at) - 1)]
    reach, last, found = [0, *reach, 0], len(one.pieces) - 1, []
    for k, piece in enumerate(one.pieces):
        length = at[k + 1] - at[k]
        begin, end = leads[0] if k == 0 else 1.0, leads[1] if k == last else 1.0
        u = np.linspace(0.0, 1.0, length + 1)
        u = u + (begin - 1.0) * u * (1.0 - u) ** 2 - (end - 1.0) * u * u * (1.0 - u)
        before, after = (np.arange(1, each + 1) / max(length, 1) for each in reach[k : k + 2])
        u = np.concatenate([-before[::-1], u, 1.0 + after])
        weights = np.ones(len(u))
        for side, wide in ((weights, 2 * reach[k]), (weights[::-1], 2 * reach[k + 1])):
            rise = np.arange(wide) / max(wide, 1)
            side[:wide] *= rise * rise * (3.0 - 2.0 * rise)
        first, final = (float(rows.frames[row]) for row in (piece.start, piece.end))
        found.append((at[k] - reach[k], first + u * (final - first), weights))
    return found


def _over(before: Clip, after: Clip, at: int, reach: int) -> Clip:
    """Return two stretches blended, the second placed at frame `at` of the first; both play on while they overlap."""
    count = at + len(after) - reach
    ground, facing = root_motion.ground_frames(before.cut(at, at + 1))
    place, faced = root_motion.ground_frames(after.cut(reach, reach + 1))
    turn = float(facing[0] - faced[0])
    c, s = np.cos(turn), np.sin(turn)
    x, y = place[0]
    after = root_motion.place_clip(after, turn, ground[0] - np.array([c * x - s * y, s * x + c * y]))
    frames = np.arange(count)
    a = before.take_frames(np.clip(frames, 0, len(before) - 1))
    b = after.take_frames(np.clip(frames - at + reach, 0, len(after) - 1))
    u = np.clip((frames - at + reach) / (2.0 * reach), 0.0, 1.0)
    share = (u * u * (3.0 - 2.0 * u))[:, None, None]
    turns = quat.log(quat.mul(quat.inv(a.rotations), b.rotations))
    return replace(
        a,
        rotations=quat.mul(a.rotations, quat.exp(share * turns)),
        translations=a.translations + share * (b.translations - a.translations),
    )


def _bend_to_keys(own: Clip, first: Clip, last: Clip) -> Clip:
    """Return a stretch with its path and facing fitted to the keys, and its pose errors at the ends spread."""
    count = len(own)
    step = np.linspace(0.0, 1.0, count)
    smooth = step * step * (3.0 - 2.0 * step)
    ground, facing = root_motion.ground_frames(own)
    (start, start_facing), (end, end_facing) = (root_motion.ground_frames(key) for key in (first, last))
    lacks = float(end_facing[0] - start_facing[0] - (facing[-1] - facing[0]))
    lacks -= 2.0 * np.pi * np.round(lacks / (2.0 * np.pi))  # whole turns are kept from the stretch
    turned = facing - facing[0] + start_facing[0] + smooth * lacks
    path = ground - ground[0]
    turn = float(start_facing[0] - facing[0])
    c, s = np.cos(turn), np.sin(turn)
    path = path @ np.array([[c, s], [-s, c]]) + start[0]
    path = path + step[:, None] * (end[0] - path[-1])
    turns = turned - facing
    c, s = np.cos(turns), np.sin(turns)
    at = np.stack([c * ground[:, 0] - s * ground[:, 1], s * ground[:, 0] + c * ground[:, 1]], axis=1)
    placed = root_motion.place_clip(own, turns, path - at)
    share = smooth[:, None, None]
    moved = [key.translations - placed.translations[[k]] for k, key in ((0, first), (-1, last))]
    translations = placed.translations + (1.0 - share) * moved[0] + share * moved[1]
    lack = [quat.log(quat.mul(quat.inv(placed.rotations[[k]]), key.rotations)) for k, key in ((0, first), (-1, last))]
    rotations = quat.mul(placed.rotations, quat.exp((1.0 - share) * lack[0] + share * lack[1]))
    for k, key in ((0, first), (-1, last)):
        rotations[k] = quat.same_side(key.rotations[0], rotations[k])
        translations[k] = key.translations[0]
    return replace(placed, rotations=rotations, translations=translations)
