"""A gap between two keyed poses, filled with a stretch that meets both exactly (methods: Fill)."""

from dataclasses import dataclass, replace

import numpy as np

from ..motion import quat, root_motion
from ..motion.clip import Clip
from .candidates import Candidate
from .rows import Rows, stretch

SEAM = 0.17  # s on each side over which two stretches go over into each other


@dataclass(frozen=True, eq=False)
class Filled:
    """A gap's frames, both keys included, as a stretch fills them (`own`) and as interpolation does (`plain`)."""

    own: Clip
    plain: Clip


def interpolated(first: Clip, last: Clip, count: int) -> Clip:
    """Return `count` frames from one pose to another (clips of one frame): the shortest turns, at an even speed.

    Example:
        >>> from action_loom.core.between import filling
        >>> from action_loom.core.figure import actions
        >>> walk = actions.walk()
        >>> len(filling.interpolated(walk.cut(0, 1), walk.cut(16, 17), 17))
        17
    """
    share = np.linspace(0.0, 1.0, count)[:, None, None]
    turn = quat.log(quat.mul(quat.inv(first.rotations), last.rotations))
    whole = first.taken(np.zeros(count, dtype=np.int64))
    clip = replace(
        whole,
        rotations=quat.mul(whole.rotations, quat.exp(share * turn)),
        translations=first.translations + share * (last.translations - first.translations),
    )
    if first.scales is None or last.scales is None:
        return clip
    return replace(clip, scales=first.scales + share * (last.scales - first.scales))


def filled(
    clips: list[Clip], rows: Rows, one: Candidate, first: Clip, last: Clip, count: int, *, met: bool = True
) -> Filled:
    """Return a gap of `count` frames, its keys included, filled with a candidate.

    clips : of the library whose rows are given; first, last : the keyed poses, clips of one frame
    met : whether the keys are met exactly; else joints turn as in the stretch, which is only led along path and facing
    Raises SkeletonError as `root_motion.placed` does.
    """
    plain = interpolated(first, last, count)
    own = _bent(_stretches(clips, rows, one, count, first), first, last, met=met)
    own = replace(plain, rotations=own.rotations, translations=own.translations)
    return Filled(own, plain)


def mixed(one: Filled, gain: float) -> Clip:
    """Return interpolation with a share of what a stretch adds to it."""
    if gain >= 1.0:
        return one.own
    if gain <= 0.0:
        return one.plain
    turn = quat.log(quat.mul(quat.inv(one.plain.rotations), one.own.rotations))
    return replace(
        one.plain,
        rotations=quat.mul(one.plain.rotations, quat.exp(gain * turn)),
        translations=one.plain.translations + gain * (one.own.translations - one.plain.translations),
    )


def _stretches(clips: list[Clip], rows: Rows, one: Candidate, count: int, like: Clip) -> Clip:
    """Return the frames of a candidate as one clip; two stretches overlap at their seam."""
    rate = like.rate
    if len(one.pieces) == 1:
        return replace(_piece(clips, rows, one, 0, count, (0, 0)), name=like.name, rate=rate)
    at = min(max(round(one.pieces[0].share * (count - 1)), 1), count - 2)
    reach = max(1, min(round(SEAM * rate), at, count - 1 - at))
    before = _piece(clips, rows, one, 0, at + 1, (0, reach))
    after = _piece(clips, rows, one, 1, count - at, (reach, 0))
    return replace(_over(before, after, at, reach), name=like.name, rate=rate)


def _piece(clips: list[Clip], rows: Rows, one: Candidate, k: int, count: int, more: tuple[int, int]) -> Clip:
    """Return a piece as `count` frames, with some more before and after it at its pace, held at the clip's ends."""
    piece = one.pieces[k]
    first, last = float(rows.frames[piece.start]), float(rows.frames[piece.end])
    step = (last - first) / max(count - 1, 1)
    return stretch(
        clips[rows.clips[piece.start]],
        first - more[0] * step,
        last + more[1] * step,
        count + sum(more),
        mirrored=bool(rows.mirrored[piece.start]),
    )


def _over(before: Clip, after: Clip, at: int, reach: int) -> Clip:
    """Return one stretch, then another placed where the first is at frame `at`; both play on while they overlap."""
    count = at + len(after) - reach
    ground, facing = root_motion.ground_frames(before.cut(at, at + 1))
    place, faced = root_motion.ground_frames(after.cut(reach, reach + 1))
    turn = float(facing[0] - faced[0])
    c, s = np.cos(turn), np.sin(turn)
    x, y = place[0]
    after = root_motion.placed(after, turn, ground[0] - np.array([c * x - s * y, s * x + c * y]))
    frames = np.arange(count)
    a = before.taken(np.clip(frames, 0, len(before) - 1))
    b = after.taken(np.clip(frames - at + reach, 0, len(after) - 1))
    u = np.clip((frames - at + reach) / (2.0 * reach), 0.0, 1.0)
    share = (u * u * (3.0 - 2.0 * u))[:, None, None]
    turns = quat.log(quat.mul(quat.inv(a.rotations), b.rotations))
    return replace(
        a,
        rotations=quat.mul(a.rotations, quat.exp(share * turns)),
        translations=a.translations + share * (b.translations - a.translations),
    )


def _bent(own: Clip, first: Clip, last: Clip, *, met: bool) -> Clip:
    """Return a stretch with its path and facing led from key to key, and, if met, what its ends lack spread over it."""
    count = len(own)
    step = np.linspace(0.0, 1.0, count)
    smooth = step * step * (3.0 - 2.0 * step)
    ground, facing = root_motion.ground_frames(own)
    (start, start_facing), (end, end_facing) = (root_motion.ground_frames(key) for key in (first, last))
    lacks = float(end_facing[0] - start_facing[0] - (facing[-1] - facing[0]))
    lacks -= 2.0 * np.pi * np.round(lacks / (2.0 * np.pi))  # the whole turns are the stretch's
    turned = facing - facing[0] + start_facing[0] + smooth * lacks
    path = ground - ground[0]
    turn = float(start_facing[0] - facing[0])
    c, s = np.cos(turn), np.sin(turn)
    path = path @ np.array([[c, s], [-s, c]]) + start[0]
    path = path + step[:, None] * (end[0] - path[-1])
    turns = turned - facing
    c, s = np.cos(turns), np.sin(turns)
    at = np.stack([c * ground[:, 0] - s * ground[:, 1], s * ground[:, 0] + c * ground[:, 1]], axis=1)
    placed = root_motion.placed(own, turns, path - at)
    share = smooth[:, None, None]
    moved = [key.translations - placed.translations[[k]] for k, key in ((0, first), (-1, last))]
    translations = placed.translations + (1.0 - share) * moved[0] + share * moved[1]
    if not met:
        return replace(placed, translations=translations)
    lack = [quat.log(quat.mul(quat.inv(placed.rotations[[k]]), key.rotations)) for k, key in ((0, first), (-1, last))]
    rotations = quat.mul(placed.rotations, quat.exp((1.0 - share) * lack[0] + share * lack[1]))
    for k, key in ((0, first), (-1, last)):
        rotations[k] = quat.same_side(key.rotations[0], rotations[k])
        translations[k] = key.translations[0]
    return replace(placed, rotations=rotations, translations=translations)
