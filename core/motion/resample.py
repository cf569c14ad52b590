"""Clips sampled between their frames and at other rates (methods: Skeleton, clip, forward kinematics)."""

from collections.abc import Sequence
from dataclasses import replace
from weakref import WeakSet

import numpy as np

from .. import jit
from . import limits, quat
from .arrays import kernel_argument
from .clip import Channel, Clip
from .quat import Array

_ready: WeakSet[Clip] = WeakSet()  # clips whose consecutive rotations lie in one hemisphere


def ready(clip: Clip) -> Clip:
    """Return the clip with the signs of rotations prepared for `sample`, which then skips this step.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import resample
        >>> len(resample.ready(actions.walk()))
        97
    """
    made = replace(clip, rotations=quat.continuous(clip.rotations))
    _ready.add(made)
    return made


def _continuous(clip: Clip, joints: list[int] | None = None) -> Array:
    rotations = clip.rotations if joints is None else clip.rotations[:, joints]
    return rotations if clip in _ready else quat.on_one_side(rotations)


def sample(clip: Clip, frames: Array, joints: Sequence[int] | None = None) -> Clip:
    """Return the clip at fractional frames (K,), exact at whole frames and held beyond its ends.

    joints : joints to sample, by default all; then all others are at rest, and there are no channels

    Curves are cubic Hermite curves with Catmull-Rom tangents; rotations are interpolated as quaternions in one
    hemisphere and normalized. Unlike spherical linear interpolation this keeps the speed continuous, without which a
    re-timed clip would shake. Raises ClipError for more frames than fit in memory.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import resample
        >>> slow = resample.sample(actions.walk(), np.arange(0.0, 96.5, 0.5))  # half as fast
        >>> len(slow)
        193
    """
    limits.check_size(clip.name, len(frames), len(clip.skeleton))
    if joints is not None:
        return _some_sampled(clip, frames, list(joints))
    return replace(
        clip,
        rotations=quat.normalize(curve(_continuous(clip), frames)),
        translations=curve(clip.translations, frames),
        scales=None if clip.scales is None else curve(clip.scales, frames),
        channels={name: _channel(channel, frames) for name, channel in clip.channels.items()},
        cyclic=False,
    )


def _some_sampled(clip: Clip, frames: Array, joints: list[int]) -> Clip:
    shape = len(frames), len(clip.skeleton)
    rotations, translations = np.tile(quat.IDENTITY, (*shape, 1)), np.zeros((*shape, 3))
    scales = None if clip.scales is None else np.ones((*shape, 3))
    rotations[:, joints] = quat.normalize(curve(_continuous(clip, joints), frames))
    translations[:, joints] = curve(clip.translations[:, joints], frames)
    if scales is not None and clip.scales is not None:
        scales[:, joints] = curve(clip.scales[:, joints], frames)
    return replace(clip, rotations=rotations, translations=translations, scales=scales, channels={}, cyclic=False)


def _channel(channel: Channel, frames: Array) -> Channel:
    if not channel.discrete:
        return Channel(curve(channel.values, frames))
    # A step holds until the frame of the next one; the margin prevents missing that frame by rounding.
    held = np.clip(np.floor(frames + 1e-6), 0, len(channel.values) - 1).astype(np.int64)
    return Channel(channel.values[held], discrete=True)


def curve(values: Array, frames: Array) -> Array:
    """Return the values (K, ...) of evenly spaced samples (F, ...) at fractional frames (K,).

    Interpolation is as in `sample`: exact at whole frames, with held ends.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.motion import resample
        >>> resample.curve(np.array([0.0, 1.0, 2.0]), np.array([0.5, 2.0, 9.0])).tolist()
        [0.5, 2.0, 2.0]
    """
    if len(values) == 1:
        return np.repeat(values, len(frames), axis=0)
    # At the clip's own ends the tangent is the one-sided difference.
    within = np.clip(frames, 0.0, len(values) - 1.0)
    flat = kernel_argument(values.reshape(len(values), -1))
    sampled: Array = jit.kernels(__package__).curve(flat, within)
    return sampled.reshape(len(frames), *values.shape[1:])


def to_rate(clip: Clip, rate: float) -> Clip:
    """Return the clip at another frame rate; its last frame is the last one inside the clip.

    Raises ClipError for excessively many frames.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import resample
        >>> walk = resample.to_rate(actions.walk(), 60.0)
        >>> len(walk), walk.rate
        (193, 60.0)
    """
    if rate == clip.rate:
        return clip
    count = int(np.floor(clip.seconds * rate + 1e-6)) + 1
    limits.check_rate(clip.name, count, len(clip.skeleton), len(clip), clip.rate)
    return replace(sample(clip, np.arange(count, dtype=float) * clip.rate / rate), rate=rate)
