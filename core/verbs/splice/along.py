"""Overlay an action on a stretch of a locomotion, piece by piece, with fades in and out.

Method: Splicing upper body onto locomotion.
"""

from dataclasses import dataclass, replace
from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray

from ...errors import RegistrationError
from ...motion.clip import Channel, Clip, join_clips
from ...motion.quat import Array
from ...recipes.matching import Matching
from ...sync import registration
from ...weave.seam import repairs
from ...weave.splice import mask, points, torso
from ...weave.splice.played import Motion, Played
from ...weave.splice.points import SplicePiece, SplicePlan
from . import Splice, whole
from .timing import NEAR

LEGS = Matching(joints="lower", metric="points", ends="pinned", slope=2)
SHORTEST = 0.3  # s; a shorter run is not re-timed
FADE = 1.0 / 3.0  # s; of the fade into the action, out of it, and between its runs


@dataclass(frozen=True, eq=False)
class Spliced:
    """A locomotion with an action on a stretch of it.

    action : at the K frames of the stretch; corrections (K, 4) : rotations added to the trunk
    places (2, K) : the action's clip and its frame
    apart : mean distance (m) between the legs of each piece and of the locomotion after re-timing; None if not re-timed
    """

    clip: Clip
    action: Clip
    corrections: Array
    places: NDArray[np.int64]
    apart: tuple[float | None, ...]


def splice_along(locomotion: Clip, played: Played, planned: SplicePlan, recipe: Splice) -> Spliced:
    """Return the locomotion with the action on the planned stretch.

    Transitions into the action, out of it and between its runs fade over 1/3 s, except at the ends of the locomotion.
    `recipe` sets method, posture, smoothing, strength and upper body. With its `retime`, runs are re-timed to match the
    legs below them if these are similar enough, but keep their first and last frame.
    """
    points.refuse_others(locomotion, played)
    upper, first, end = mask.upper_body(locomotion.skeleton, recipe.upper), planned.first, planned.end
    fade = max(2, round(FADE * locomotion.rate))
    faced = torso.facing(locomotion)
    share = np.ones(end - first)
    rotations, corrections = np.zeros((2, end - first, len(upper.joints), 4)), np.zeros((end - first, 4))
    runs: list[Clip] = []
    places: list[NDArray[np.int64]] = []
    leaving: list[tuple[int, Clip]] = []
    apart: list[float | None] = []
    for piece, following in zip_longest(planned.pieces, planned.pieces[1:]):
        # The previous run continues while the new one fades in.
        until = piece.end if following is None else min(piece.end + fade, following.end)
        run = played.motion(piece.run, until - piece.first)
        ours = locomotion.cut(piece.first, until)
        frames, near = _in_time(ours, run, piece) if recipe.retime else (None, None)
        apart.append(near)
        played_now = played.places(piece.run, until - piece.first)
        if frames is not None:
            run, played_now = run.at(frames), played_now[:, np.round(frames).astype(np.int64)]
        turned, by = whole.upper_rotations(ours, run.clip, upper, (faced[piece.first : until], run.facing), recipe)
        length = piece.end - piece.first
        on, left = slice(piece.first - first, piece.end - first), slice(piece.end - first, until - first)
        rotations[1, on], rotations[0, left], corrections[on] = turned[:length], turned[length:], by[:length]
        runs.append(run.clip.cut(0, length))
        places.append(played_now[:, :length])
        if until > piece.end:
            leaving.append((piece.end - first, run.clip.cut(length, until - piece.first)))
            share[left] = repairs.fade(until - piece.end)
    rotations[0, share == 1.0] = rotations[1, share == 1.0]
    coming = join_clips(runs)
    action = _cross_fade(_with(coming, leaving), coming, share)
    strength = recipe.strength * _ramps(end - first, fade, first > 0, end < len(locomotion))
    result = whole.overlay(
        locomotion.cut(first, end), action, upper, whole.between(rotations[0], rotations[1], share), strength
    )
    return Spliced(
        _insert_result(locomotion, result, first), action, corrections, np.concatenate(places, axis=1), tuple(apart)
    )


def _in_time(ours: Clip, run: Motion, piece: SplicePiece) -> tuple[Array | None, float | None]:
    """Return the frames (F,) of a run re-timed to the legs below it, and the mean distance (m) of the legs then.

    Returns None if the run was not entered at a splice point or the legs remain too different. Its first and last frame
    are fixed, and the local speed is between one half and twice the original.
    """
    length = piece.end - piece.first
    if piece.level is None or length < SHORTEST * ours.rate:
        return None, None
    try:
        curve = registration.register_pair(ours.cut(0, length), run.clip.cut(0, length), LEGS)
    except RegistrationError:
        return None, None
    if curve.cost > NEAR * ours.skeleton.height:
        return None, None
    at = np.arange(len(ours), dtype=float)
    return np.where(at < length, curve.at(np.minimum(at, length - 1.0)), at), curve.cost


def _with(clip: Clip, parts: list[tuple[int, Clip]]) -> Clip:
    """Return a clip with some of its frames replaced; each part starts at its frame."""
    gone, found = 0, []
    for first, part in parts:
        found += [clip.cut(gone, first), part]
        gone = first + len(part)
    found += [clip.cut(gone, len(clip))] if gone < len(clip) else []
    return join_clips(found)


def _ramps(count: int, fade: int, entered: bool, left: bool) -> Array:
    strength = np.ones(count)
    fade = min(fade, count // 2)
    if entered:
        strength[:fade] = repairs.fade(fade)
    if left:
        strength[count - fade :] = repairs.fade(fade)[::-1]
    return strength


def _cross_fade(one: Clip, other: Clip, share: Array) -> Clip:
    """Return two runs of an action cross-faded by the weight (F,) of the second, with its stepped channels."""

    def between(a: Array, b: Array) -> Array:
        part = share.reshape(-1, *[1] * (a.ndim - 1))
        return np.asarray((1.0 - part) * a + part * b)

    return replace(
        other,
        rotations=whole.between(one.rotations, other.rotations, share),
        translations=between(one.translations, other.translations),
        scales=None if one.scales is None or other.scales is None else between(one.scales, other.scales),
        channels={
            name: channel if channel.discrete else Channel(between(one.channels[name].values, channel.values))
            for name, channel in other.channels.items()
        },
    )


def _insert_result(locomotion: Clip, result: Clip, first: int) -> Clip:
    """Return the locomotion with some of its frames replaced; additional channels are held before and after."""
    stretch = slice(first, first + len(result))
    rotations, translations = locomotion.rotations.copy(), locomotion.translations.copy()
    rotations[stretch], translations[stretch] = result.rotations, result.translations
    scales = locomotion.scales
    if result.scales is not None:
        scales = np.ones_like(translations) if scales is None else scales.copy()
        scales[stretch] = result.scales
    channels = {}
    around = (first, len(locomotion) - stretch.stop)
    for name, channel in result.channels.items():
        values = np.pad(channel.values, around, mode="edge")
        if name in locomotion.channels:
            values = locomotion.channels[name].values.copy()
            values[stretch] = channel.values
        channels[name] = Channel(values, channel.discrete)
    return replace(
        locomotion, rotations=rotations, translations=translations, scales=scales, channels=channels, cyclic=False
    )
