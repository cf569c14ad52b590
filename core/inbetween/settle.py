"""Pull a clip towards the usual motion of its character in other clips (methods: Fill).

Every stretch of half a second is refilled between its own ends, in two passes with shifted ends; each fill is weighted
most in its middle and zero at its ends. The change fades out towards the clip's ends, and joints that are turned quite
differently stay.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ..motion import quat
from ..motion.clip import Clip
from ..motion.quat import Array
from . import candidates, filling, trust
from .candidates import Candidate, Gap
from .fill import Library
from .rows import RATE, Longs, of_poses

LENGTH = 0.5  # s of a stretch
FREE = 0.1  # s around a kept frame over which the change fades out
OPPOSITE = np.radians(120.0)  # of a joint from the found stretch: another pose, which is not pulled towards
OTHER = 0.01  # squared body heights; a stretch whose middle differs more from the clip is a different motion


@dataclass(frozen=True, eq=False)
class Settled:
    """A clip pulled towards others; pulled (F,) : weight of the change in each frame, 0 to 1."""

    clip: Clip
    pulled: Array


def settle_clip(clip: Clip, known: Library, strength: float, kept: Collection[int] = ()) -> Settled:
    """Return a clip moved towards the most similar stretches, by a strength (0 to 1) times their estimated reliability.

    kept : frames that do not change. Raises SkeletonError as `filling.fill_gap` does.

    Example:
        >>> from action_loom.core.inbetween import fill, settle
        >>> from action_loom.core.demo_character import actions
        >>> walk = actions.walk()
        >>> done = settle.settle_clip(walk, fill.library([walk], 0.5), 1.0)
        >>> bool(done.pulled.mean() > 0.8), bool(abs(done.clip.rotations - walk.rotations).max() < 0.01)
        (True, True)
    """
    turns, moves = np.zeros((*clip.rotations.shape[:2], 3)), np.zeros_like(clip.translations)
    pulled = np.zeros(len(clip))
    step = max(4, round(LENGTH * clip.rate))
    for begin in (0, -(step // 2)):
        spans = [
            (first, max(first, 0), min(first + step, len(clip) - 1)) for first in range(begin, len(clip) - 1, step)
        ]
        spans = [span for span in spans if span[2] - span[1] >= 4]
        nearest = [_nearest(clip, known, a, b) for _, a, b in spans]
        for (first, a, b), one, gain in zip(spans, nearest, _gains(known, nearest), strict=True):
            if one.made is None:
                continue
            # The weights of both passes add up to 1.
            share = gain * np.sin(np.pi * (np.arange(a, b + 1) - first) / step)[:, None, None] ** 2
            own = slice(a, b + 1)
            turns[own] += share * _alike(quat.log(quat.mul(quat.inv(clip.rotations[own]), one.made.rotations)))
            moves[own] += share * (one.made.translations - clip.translations[own])
            pulled[own] += share[:, 0, 0]
    free = strength * _free(len(clip), kept, clip.rate, step)
    result = replace(
        clip,
        rotations=quat.continuous(quat.mul(clip.rotations, quat.exp(free[:, None, None] * turns))),
        translations=clip.translations + free[:, None, None] * moves,
    )
    return Settled(result, free * pulled)


class _Nearest(NamedTuple):
    """Candidates for some frames: the query, those found, index of the nearest (−1: none), its frames, its distance."""

    asked: Gap
    found: list[Candidate]
    chosen: int
    made: Clip | None
    apart: float


def _nearest(clip: Clip, known: Library, a: int, b: int) -> _Nearest:
    """Return the found stretch nearest to a clip's frames from a to b."""
    keys = np.array([a, b])
    asked = candidates.gap_of(of_poses(clip.take_frames(keys)), 0, (b - a) * RATE / clip.rate)
    found = candidates.find_candidates(known.rows, asked)
    own = of_poses(clip.cut(a, b + 1)).places
    best = _Nearest(asked, found, -1, None, np.inf)
    for k, one in enumerate(found):
        ends = clip.cut(a, a + 1), clip.cut(b, b + 1)  # not met exactly, because these frames are as noisy as the rest
        made = filling.fill_gap(known.clips, known.rows, one, *ends, b - a + 1, met=False).own
        apart = float(((of_poses(made).places - own) ** 2).sum(axis=-1).mean())
        if apart < best.apart:
            best = _Nearest(asked, found, k, made, apart)
    return best


def _gains(known: Library, nearest: Sequence[_Nearest]) -> list[float]:
    """Return the reliability of each, 0 if nothing was found."""
    asked, found, chosen = ([getattr(one, name) for one in nearest] for name in ("asked", "found", "chosen"))
    gains = []
    for one, posture in zip(nearest, trust.postures(known.rows, asked, found, chosen), strict=True):
        trusted = (
            trust.gain(trust.ratio(known.rows, one.asked, one.found, one.chosen, posture))
            if one.made is not None
            else 0.0
        )
        gains.append(trusted / (1.0 + (one.apart / OTHER) ** 2))
    return gains


def _alike(turns: Array) -> Array:
    """Return rotation vectors without those beyond `OPPOSITE`, where the shortest way may change from frame to frame.

    They decrease to zero from half that angle.
    """
    return turns * _smooth(2.0 - 2.0 * np.linalg.norm(turns, axis=-1, keepdims=True) / OPPOSITE)


def _free(frames: int, kept: Collection[int], rate: float, step: int) -> Array:
    """Return the weight of the change in each frame: 0 in kept frames and at the ends, 1 away from them."""
    at = np.arange(frames)
    free = np.sin(np.pi * np.minimum(np.minimum(at, at[::-1]) / step, 0.5)) ** 2
    places: Longs = np.array(sorted(kept), dtype=np.int64)
    if len(places):
        free *= _smooth(np.abs(at[:, None] - places).min(axis=1) / (FREE * rate))
    return np.asarray(free)


def _smooth(share: Array) -> Array:
    u = np.clip(share, 0.0, 1.0)
    return np.asarray(u * u * (3.0 - 2.0 * u))
