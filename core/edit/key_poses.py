"""Interpolate key poses by slerp with ease, squad, or monotone splines.

Each pose is exact at a whole frame and may be held. The motion stops at a held pose, and at both ends unless the poses
repeat.

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
class _Plan:
    """The times of K poses, and the M of the F frames that lie between two of them.

    gaps (K−1,) : frames from leaving a pose to reaching the next
    passed (K,) : poses at which the motion does not stop
    before (M,) : the pose before each frame between two; share (M,) : position in the gap after it, from 0 to 1
    """

    gaps: Array
    passed: NDArray[np.bool_]
    before: NDArray[np.int64]
    share: Array
    between: str


def interpolate_poses(
    poses: Clip, arrive: NDArray[np.int64], leave: NDArray[np.int64], between: str, again: int = 0
) -> Clip:
    """Return a clip through poses (the K frames of a clip), each held from arrival to leaving.

    arrive, leave (K,) : frames of the new clip, starting at 0; between : "ease", "squad" or "monotone"
    again : frames from the last pose back to the first, which makes the clip a cycle; 0: none
    Stepped channels hold until the next pose. Raises ClipError for unordered poses
    (methods: Key poses and reaching).

    Example:
        >>> import numpy as np
        >>> from action_loom.core.edit import key_poses
        >>> from action_loom.core.demo_character import actions
        >>> poses, at = actions.walk().take_frames(np.array([0, 8, 16])), np.array([0, 10, 20])
        >>> clip = key_poses.interpolate_poses(poses, at, at, "squad", again=10)
        >>> len(clip), clip.cyclic, bool(np.allclose(clip.translations[10], poses.translations[1]))
        (31, True, True)
    """
    if again:
        poses = poses.take_frames(np.append(np.arange(len(poses)), 0))
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
    plan = _Plan(gaps, passed, before, (frames[moving] - leave[before]) / gaps[before], between)

    def filled(values: Array, between_poses: Array | None = None) -> Array:
        whole = values[at]
        whole[moving] = _curve(values, plan) if between_poses is None else between_poses
        return whole

    keys = quat.continuous(poses.rotations)
    turns = {EASE: _ease_rotations, SQUAD: _squad, MONOTONE: _monotone}[between](keys, plan)
    clip = replace(
        poses.take_frames(at),
        rotations=quat.continuous(filled(keys, turns)),
        translations=filled(poses.translations),
        channels={
            name: Channel(one.values[at] if one.discrete else filled(one.values), one.discrete)
            for name, one in poses.channels.items()
        },
        cyclic=bool(again),
    )
    return clip if poses.scales is None else replace(clip, scales=filled(poses.scales))


def between(one: Clip, other: Clip, share: float) -> Clip:
    """Return a pose between two: joints turn by a share of the shortest turn, everything else is linear.

    one, other : one-frame clips; share : 0 is the first, 1 the second; values below 0 and above 1 extrapolate
    (methods: Key poses and reaching).
    Raises SkeletonError for different joints, ClipError for clips of several frames.

    Example:
        >>> from action_loom.core.edit import filtering, key_poses
        >>> from action_loom.core.demo_character import actions
        >>> first, second = actions.walk().cut(0, 1), actions.walk().cut(16, 17)
        >>> halfway = key_poses.between(first, second, 0.5)
        >>> [round(float(filtering.turned_by(first, pose).max()), 2) for pose in (halfway, second)]
        [0.38, 0.76]
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


def _ease_rotations(keys: Array, plan: _Plan) -> Array:
    """Return rotations (M, J, 4) along the shortest turns, with ease out of each pose and into the next."""
    turn = _turns(keys)[plan.before]
    return quat.mul(keys[plan.before], quat.exp(_smooth(plan.share)[:, None, None] * turn))


def _squad(keys: Array, plan: _Plan) -> Array:
    """Return rotations (M, J, 4) by squad, with the same angular velocity on both sides of a pose: Shoemake."""
    turns = _turns(keys)
    speed = _mean_slopes(turns / plan.gaps[:, None, None], plan)
    gap = plan.gaps[:, None, None]
    out = quat.mul(keys[:-1], quat.exp(0.5 * (gap * speed[:-1] - turns)))
    into = quat.mul(keys[1:], quat.exp(0.5 * (turns - gap * speed[1:])))
    here, share = plan.before, plan.share[:, None, None]
    # Inner points are at the same angle as their poses, which may exceed half a turn: signs must not change here.
    outer = quat.mul(keys[:-1][here], quat.exp(share * turns[here]))
    inner = _great_circle(out[here], into[here], share, turns[here])
    return _great_circle(outer, inner, 2.0 * share * (1.0 - share), turns[here])


def _great_circle(one: Array, other: Array, share: Array, along: Array) -> Array:
    """Return quaternions (..., 4) on the great circle from one to the other, also the long way; signs are kept.

    along (..., 3) : rotation vector that gives the direction between opposite quaternions
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


def _monotone(keys: Array, plan: _Plan) -> Array:
    """Return rotations (M, J, 4) by monotone splines of rotation vectors about the mean pose."""
    mean = quat.mean_of_frames(keys)
    vectors = _unwound(quat.log(quat.mul(quat.inv(mean), keys)))
    return quat.mul(mean, quat.exp(_curve(vectors, plan)))


def _unwound(vectors: Array) -> Array:
    """Return rotation vectors (K, J, 3) of the same rotations, each nearest to the previous one, beyond half a turn."""
    unwound = vectors.copy()
    for k in range(1, len(unwound)):
        last, now = unwound[k - 1], vectors[k]
        size, before = np.linalg.norm(now, axis=-1, keepdims=True), np.linalg.norm(last, axis=-1, keepdims=True)
        # The identity is also a whole turn about any axis; the previous axis is the nearest.
        axis = np.where(size > 1e-9, now / np.maximum(size, 1e-9), last / np.maximum(before, 1e-9))
        along = (last * axis).sum(axis=-1, keepdims=True)
        unwound[k] = now + 2.0 * np.pi * np.round((along - size) / (2.0 * np.pi)) * axis
    return unwound


def _curve(values: Array, plan: _Plan) -> Array:
    """Return samples (M, ...) of cubic Hermite curves through values (K, ...)."""
    wide = (slice(None), *[None] * (values.ndim - 1))
    gap = plan.gaps[wide]
    slopes = np.zeros_like(values)
    if plan.between == SQUAD:
        slopes = _mean_slopes(np.diff(values, axis=0) / gap, plan)
    elif plan.between == MONOTONE:
        slopes = _monotone_slopes(values, plan)
    here, share = plan.before, plan.share[wide]
    out, into = (gap[here] * slopes[here + k] for k in range(2))
    step = _smooth(share)
    rest = share * (1.0 - share)
    return values[here] + step * np.diff(values, axis=0)[here] + rest * ((1.0 - share) * out - share * into)


def _turns(keys: Array) -> Array:
    """Return rotation vectors (K−1, J, 3) from each pose to the next, identical in the frames of both."""
    return quat.log(quat.mul(quat.inv(keys[:-1]), keys[1:]))


def _smooth(share: Array) -> Array:
    return np.asarray(share * share * (3.0 - 2.0 * share))


def _mean_slopes(secants: Array, plan: _Plan) -> Array:
    """Return slopes (K, ...) of the line between the previous and the next pose; 0 where the motion stops."""
    wide = (slice(None), *[None] * (secants.ndim - 1))
    gaps = plan.gaps[wide]
    # The neighbour of an end is at the other end; it counts only if the poses repeat.
    ring, gap = (np.concatenate([each[-1:], each, each[:1]]) for each in (gaps * secants, gaps))
    # A parabola through three poses would be dominated by a short gap and overshoot far in a long neighbouring gap.
    return np.where(plan.passed[wide], (ring[:-1] + ring[1:]) / (gap[:-1] + gap[1:]), 0.0)


def _monotone_slopes(values: Array, plan: _Plan) -> Array:
    """Return slopes (K, ...) that keep each segment between its two values; 0 where the motion stops or turns back."""
    flat = values.reshape(len(values), -1)
    # The neighbours across the ends are included; they are only used if the poses repeat.
    ring = np.concatenate([flat[:1] - flat[-1:] + flat[-2:-1], flat, flat[-1:] + flat[1:2] - flat[:1]])
    gaps = np.concatenate([plan.gaps[-1:], plan.gaps, plan.gaps[:1]])
    times = np.concatenate([[0.0], np.cumsum(gaps)])
    slopes = hermite.monotone_slopes(times, ring[:, :, None])[1:-1, :, 0]  # each number separately
    return np.where(plan.passed[:, None], slopes, 0.0).reshape(values.shape)
