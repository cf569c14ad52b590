"""Pull a clip towards how its character moves in other clips (methods: Fill).

Every stretch of half a second is filled anew between its own ends, twice, with ends at other frames; each fill counts
most in its middle and not at its ends.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from ..motion import quat
from ..motion.clip import Clip
from ..motion.quat import Array
from . import candidates, filling, trust
from .fill import Library
from .rows import RATE, Longs, of_poses

LENGTH = 0.5  # s of a stretch
FREE = 0.1  # s around a kept frame in which less and less changes
OTHER = 0.01  # squared body heights; a stretch whose middle is so far from the clip's is another motion


@dataclass(frozen=True, eq=False)
class Settled:
    """A clip pulled towards others; pulled (F,) : how much of the way in each frame, 0 to 1."""

    clip: Clip
    pulled: Array


def settled(clip: Clip, known: Library, strength: float, kept: Collection[int] = ()) -> Settled:
    """Return a clip that goes a share of the way (0 to 1) to the most alike stretches, as far as these are alike.

    kept : frames that stay as they are. Raises SkeletonError as `filling.filled` does.

    Example:
        >>> from action_loom.core.between import fill, settle
        >>> from action_loom.core.figure import actions
        >>> walk = actions.walk()
        >>> done = settle.settled(walk, fill.library([walk], 0.5), 1.0)
        >>> bool(done.pulled.mean() > 0.8), bool(abs(done.clip.rotations - walk.rotations).max() < 0.01)
        (True, True)
    """
    turns, moves = np.zeros((*clip.rotations.shape[:2], 3)), np.zeros_like(clip.translations)
    pulled = np.zeros(len(clip))
    step = max(4, round(LENGTH * clip.rate))
    for begin in (0, -(step // 2)):
        for first in range(begin, len(clip) - 1, step):
            a, b = max(first, 0), min(first + step, len(clip) - 1)
            if b - a < 4:
                continue
            found = _nearest(clip, known, a, b)
            if found is None:
                continue
            made, gain = found
            share = gain * _window(a, b, first, first + step, len(clip))[:, None, None]
            own = slice(a, b + 1)
            turns[own] += share * quat.log(quat.mul(quat.inv(clip.rotations[own]), made.rotations))
            moves[own] += share * (made.translations - clip.translations[own])
            pulled[own] += share[:, 0, 0]
    free = strength * _free(len(clip), kept, clip.rate)
    result = replace(
        clip,
        rotations=quat.continuous(quat.mul(clip.rotations, quat.exp(free[:, None, None] * turns))),
        translations=clip.translations + free[:, None, None] * moves,
    )
    return Settled(result, free * pulled)


def _nearest(clip: Clip, known: Library, a: int, b: int) -> tuple[Clip, float] | None:
    """Return the found stretch nearest to a clip's frames from a to b, and how much it is to be trusted."""
    keys = np.array([a, b])
    asked = candidates.gap_of(of_poses(clip.taken(keys)), 0, (b - a) * RATE / clip.rate)
    found = candidates.found(known.rows, asked)
    own = of_poses(clip.cut(a, b + 1)).places
    best, least = None, np.inf
    for k, one in enumerate(found):
        ends = clip.cut(a, a + 1), clip.cut(b, b + 1)  # not met: they are as rough as the rest
        made = filling.filled(known.clips, known.rows, one, *ends, b - a + 1, met=False).own
        apart = float(((of_poses(made).places - own) ** 2).sum(axis=-1).mean())
        if apart < least:
            gain = trust.gain(trust.ratio(known.rows, asked, found, k)) / (1.0 + (apart / OTHER) ** 2)
            best, least = (made, float(gain)), apart
    return best


def _window(a: int, b: int, first: int, last: int, frames: int) -> Array:
    """Return how much a stretch counts in its frames; those of both rows of stretches add up to 1 inside a clip."""
    at = (np.arange(a, b + 1) - first) / (last - first)
    share = np.sin(np.pi * at) ** 2
    share[[at_end for at_end, there in ((0, a == 0), (-1, b == frames - 1)) if there]] = 0.0
    return np.asarray(share)


def _free(frames: int, kept: Collection[int], rate: float) -> Array:
    """Return how freely each frame changes: not at all in kept ones, fully away from them."""
    if not kept:
        return np.ones(frames)
    places: Longs = np.array(sorted(kept))
    away = np.abs(np.arange(frames)[:, None] - places).min(axis=1)
    u = np.clip(away / (FREE * rate), 0.0, 1.0)
    return np.asarray(u * u * (3.0 - 2.0 * u))
