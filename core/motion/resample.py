"""A clip at other times than its frames."""

from dataclasses import replace

import numpy as np

from .. import jit
from . import limits, quat
from .clip import Channel, Clip
from .quat import Array


def sample(clip: Clip, frames: Array) -> Clip:
    """Return the clip at fractional frames (K,), exact where they are whole; outside it holds its ends.

    Cubic Hermite curves with Catmull-Rom tangents through the samples; rotations as quaternions in one
    hemisphere, scaled back to unit length. Against spherical linear interpolation this keeps the speed
    continuous, which a re-timed clip otherwise shows as shaking.
    """
    limits.check_size(clip.name, len(frames), len(clip.skeleton))
    return replace(
        clip,
        rotations=quat.normalize(curve(quat.continuous(clip.rotations), frames)),
        translations=curve(clip.translations, frames),
        scales=None if clip.scales is None else curve(clip.scales, frames),
        channels={name: _channel(channel, frames) for name, channel in clip.channels.items()},
        cyclic=False,
    )


def _channel(channel: Channel, frames: Array) -> Channel:
    if not channel.discrete:
        return Channel(curve(channel.values, frames))
    # A step holds until the frame where the next one is.
    held = np.clip(np.floor(frames + 1e-6), 0, len(channel.values) - 1).astype(np.int64)
    return Channel(channel.values[held], discrete=True)


def curve(values: Array, frames: Array) -> Array:
    """Return evenly spaced samples (F, ...) at fractional frames (K,), by cubic Hermite interpolation."""
    if len(values) == 1:
        return np.repeat(values, len(frames), axis=0)
    # At the clip's own ends the tangent is the one-sided difference.
    within = np.clip(frames, 0.0, len(values) - 1.0)
    flat = np.require(values.reshape(len(values), -1), np.float64, ["C", "W"])
    found: Array = jit.kernels(__package__).curve(flat, within)
    return found.reshape(len(frames), *values.shape[1:])


def to_rate(clip: Clip, rate: float) -> Clip:
    """Return the clip at another frame rate; the last frame is the last one inside the clip."""
    if rate == clip.rate:
        return clip
    count = int(np.floor(clip.seconds * rate + 1e-6)) + 1
    limits.check_rate(clip.name, count, len(clip.skeleton), len(clip), clip.rate)
    return replace(sample(clip, np.arange(count, dtype=float) * clip.rate / rate), rate=rate)
