"""Poses at times, and what lies between them: slerp with ease, squad, or monotone splines.

Each pose is reached at a whole frame, as it is, and may be held. Where a pose is held the motion stops, and so it does
at both ends unless the poses go round.

Method: Key poses and reaching.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..errors import ClipError, SkeletonError
from ..motion import limits, quat
from ..motion.clip import Channel, Clip
from ..motion.quat import Array
from . import hermite

EASE, SQUAD, MONOTONE = "ease", "squad", "monotone"


@dataclass(frozen=True, eq=False)
class _Way:
    """K poses at their times, and which of the F frames lie between two of them.

    gaps (K−1,) : frames from leaving a pose to reaching the next
    passed (K,) : poses at which the motion does not stop
    before (M,) : of each frame that lies between two poses, the first of both; share (M,) : how far on it is
    """

    gaps: Array
    passed: NDArray[np.bool_]
    before: NDArray[np.int64]
    share: Array
    between: str


def interpolated(
    poses: Clip, arrive: NDArray[np.int64], leave: NDArray[np.int64], between: str, again: int = 0
) -> Clip:
    """Return a clip through poses, the K frames of a clip, each as it is from when it is reached to when it is left.

    arrive, leave (K,) : frames of the new clip, the first 0; between : "ease", "squad" or "monotone"
    again : frames in which the last pose goes over into the first one, 0 where it does not; with it the clip is a cycle
    Channels in steps hold until the next pose. Raises ClipError for poses that are not in order
    (methods: Key poses and reaching).
    """
    if again:
        poses = poses.taken(np.append(np.arange(len(poses)), 0))
        arrive, leave = np.append(arrive, leave[-1] + again), np.append(leave, leave[-1] + again)
    if arrive[0] != 0 or (leave < arrive).any() or (arrive[1:] <= leave[:-1]).any():
        raise ClipError(f"{poses.name}: poses are reached one after the other, the first at frame 0")
    count = int(leave[-1]) + 1
    limits.check_size(poses.name, count, len(poses.skeleton))
    frames = np.arange(count)
    at = np.searchsorted(arrive, frames, side="right") - 1
    moving = frames > leave[at]
    passed = arrive == leave
    passed[[0, -1]] &= bool(again) and passed[0]
    gaps, before = (arrive[1:] - leave[:-1]).astype(np.float64), at[moving]
    way = _Way(gaps, passed, before, (frames[moving] - leave[before]) / gaps[before], between)

    def filled(values: Array, found: Array) -> Array:
        whole = values[at]
        whole[moving] = found
        return whole

    keys = quat.continuous(poses.rotations)
    turns = {EASE: _eased, SQUAD: _squad, MONOTONE: _monotone}[between](keys, way)
    made = replace(
        poses.taken(at),
        rotations=quat.continuous(filled(keys, turns)),
        translations=filled(poses.translations, _curve(poses.translations, way)),
        channels={
            name: Channel(one.values[at] if one.discrete else filled(one.values, _curve(one.values, way)), one.discrete)
            for name, one in poses.channels.items()
        },
        cyclic=bool(again),
    )
    return made if poses.scales is None else replace(made, scales=filled(poses.scales, _curve(poses.scales, way)))


def between(one: Clip, other: Clip, share: float) -> Clip:
    """Return a pose between two: joints turn by a share of the shortest turn, places and the rest go straight.

    one, other : clips of one frame; share : 0 is the first, 1 the second; less and more go beyond them
    (methods: Key poses and reaching).
    Raises SkeletonError for other joints, ClipError for clips of more frames.
    """
    check_same_joints([one, other])
    if len(one) != 1 or len(other) != 1:
        raise ClipError(f"{one.name}, {other.name}: a pose is a clip of one frame; given {len(one)} and {len(other)}")

    def straight(first: Array, second: Array) -> Array:
        return np.asarray(first + share * (second - first))

    pair = [np.ones_like(clip.translations) if clip.scales is None else clip.scales for clip in (one, other)]
    turn = share * quat.log(quat.mul(quat.inv(one.rotations), other.rotations))
    channels = dict(one.channels)
    for name, channel in one.channels.items():
        theirs = other.channels.get(name, channel)
        if not (channel.discrete or theirs.discrete):
            channels[name] = Channel(straight(channel.values, theirs.values))
        elif share >= 1.0:
            channels[name] = theirs
    return replace(
        one,
        rotations=quat.mul(one.rotations, quat.exp(turn)),
        translations=straight(one.translations, other.translations),
        scales=None if one.scales is None and other.scales is None else straight(*pair),
        channels=channels,
    )


def check_same_joints(clips: list[Clip]) -> None:
    """Raise SkeletonError, naming a joint, unless all clips have the joints of the first in its order."""
    first = clips[0]
    for clip in clips[1:]:
        ours, theirs = first.skeleton.names, clip.skeleton.names
        if ours != theirs:
            unlike = next((name for name in (*ours, *theirs) if (name in ours) != (name in theirs)), None)
            other = f"only one of them has {unlike!r}" if unlike is not None else "their joints are in another order"
            raise SkeletonError(f"{clip.name} and {first.name}: {other}; put them on one body with Retarget first")


def _eased(keys: Array, way: _Way) -> Array:
    """Rotations (M, J, 4) along the shortest turns, slowly out of each pose and slowly into the next."""
    turn = _turns(keys)[way.before]
    return quat.mul(keys[way.before], quat.exp(_smooth(way.share)[:, None, None] * turn))


def _squad(keys: Array, way: _Way) -> Array:
    """Rotations (M, J, 4) by spherical quadrangles with one angular velocity on both sides of each pose: Shoemake."""
    turns = _turns(keys)
    speed = _mean_slopes(turns / way.gaps[:, None, None], way)
    gap = way.gaps[:, None, None]
    out = quat.mul(keys[:-1], quat.exp(0.5 * (gap * speed[:-1] - turns)))
    into = quat.mul(keys[1:], quat.exp(0.5 * (turns - gap * speed[1:])))
    here, share = way.before, way.share[:, None, None]
    # The pose and its inner point lie on one great circle, as far as the next ones do: signs are never changed here.
    outer = quat.mul(keys[:-1][here], quat.exp(share * turns[here]))
    inner = _great_circle(out[here], into[here], share, turns[here])
    return _great_circle(outer, inner, 2.0 * share * (1.0 - share), turns[here])


def _great_circle(one: Array, other: Array, share: Array, along: Array) -> Array:
    """Quaternions (..., 4) on the arc from ones to others, less than a whole turn long, that no sign shortens.

    along (..., 3) : which way it goes round between opposite ones
    """
    cosine = np.einsum("...k,...k->...", one, other)[..., None]
    across = other - cosine * one
    sine = np.linalg.norm(across, axis=-1, keepdims=True)
    size = np.linalg.norm(along, axis=-1, keepdims=True)
    axis = np.where(size > 0.0, along / np.where(size > 0.0, size, 1.0), np.array([1.0, 0.0, 0.0]))
    opposite = quat.mul(one, np.concatenate([np.zeros_like(size), axis], axis=-1))
    tiny = sine < 1e-9
    across = np.where(tiny, opposite, across / np.where(tiny, 1.0, sine))
    angle = share * np.arctan2(sine, cosine)
    return quat.normalize(np.cos(angle) * one + np.sin(angle) * across)


def _monotone(keys: Array, way: _Way) -> Array:
    """Rotations (M, J, 4) by monotone splines of rotation vectors about the mean pose."""
    mean = quat.mean_of_frames(keys)
    vectors = _unwound(quat.log(quat.mul(quat.inv(mean), keys)))
    return quat.mul(mean, quat.exp(_curve(vectors, way)))


def _unwound(vectors: Array) -> Array:
    """Rotation vectors (K, J, 3) of the same turns, each the nearest to the one before: turns go on beyond a half."""
    found = vectors.copy()
    for k in range(1, len(found)):
        last, now = found[k - 1], vectors[k]
        size, before = np.linalg.norm(now, axis=-1, keepdims=True), np.linalg.norm(last, axis=-1, keepdims=True)
        # A turn of nothing can be taken as a whole one about any axis: about the one that there was.
        axis = np.where(size > 1e-9, now / np.maximum(size, 1e-9), last / np.maximum(before, 1e-9))
        along = (last * axis).sum(axis=-1, keepdims=True)
        found[k] = now + 2.0 * np.pi * np.round((along - size) / (2.0 * np.pi)) * axis
    return found


def _curve(values: Array, way: _Way) -> Array:
    """Numbers (M, ...) of cubic Hermite curves through values (K, ...)."""
    wide = (slice(None), *[None] * (values.ndim - 1))
    gap = way.gaps[wide]
    slopes = np.zeros_like(values)
    if way.between == SQUAD:
        slopes = _mean_slopes(np.diff(values, axis=0) / gap, way)
    elif way.between == MONOTONE:
        slopes = _monotone_slopes(values, way)
    here, share = way.before, way.share[wide]
    out, into = (gap[here] * slopes[here + k] for k in range(2))
    step = _smooth(share)
    rest = share * (1.0 - share)
    return values[here] + step * np.diff(values, axis=0)[here] + rest * ((1.0 - share) * out - share * into)


def _turns(keys: Array) -> Array:
    """Rotation vectors (K−1, J, 3) from each pose to the next, in the frame of either."""
    return quat.log(quat.mul(quat.inv(keys[:-1]), keys[1:]))


def _smooth(share: Array) -> Array:
    return np.asarray(share * share * (3.0 - 2.0 * share))


def _mean_slopes(secants: Array, way: _Way) -> Array:
    """Slopes (K, ...) from the pose before each to the one after it; none where the motion stops."""
    wide = (slice(None), *[None] * (secants.ndim - 1))
    gaps = way.gaps[wide]
    # At the ends what is beside them is at the other end: it counts where poses go round.
    ring, gap = (np.concatenate([each[-1:], each, each[:1]]) for each in (gaps * secants, gaps))
    # Of a parabola through all three a short gap would say most, and what is fast in it swings far beyond a pose.
    return np.where(way.passed[wide], (ring[:-1] + ring[1:]) / (gap[:-1] + gap[1:]), 0.0)


def _monotone_slopes(values: Array, way: _Way) -> Array:
    """Slopes (K, ...) with which no curve leaves the range of its two ends; none where the motion stops or turns."""
    flat = values.reshape(len(values), -1)
    # Round the ring, with what comes before the first pose and after the last where they repeat.
    ring = np.concatenate([flat[:1] - flat[-1:] + flat[-2:-1], flat, flat[-1:] + flat[1:2] - flat[:1]])
    gaps = np.concatenate([way.gaps[-1:], way.gaps, way.gaps[:1]])
    times = np.concatenate([[0.0], np.cumsum(gaps)])
    slopes = hermite.monotone_slopes(times, ring[:, :, None])[1:-1, :, 0]  # of each number by itself
    return np.where(way.passed[:, None], slopes, 0.0).reshape(values.shape)
