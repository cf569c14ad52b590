"""A clip as rows of numbers that can be added, blended and interpolated frame by frame.

Method: Connecting two clips.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...motion import quat
from ...motion.clip import Channel, Clip
from ...motion.quat import Array


@dataclass(frozen=True, eq=False)
class Tracks:
    """A clip as values (F, C): rotation vectors about each joint's mean, translations, scales, continuous channels.

    like : the clip; means (J, 4) : the mean rotations
    """

    like: Clip
    means: Array
    values: Array

    def clip(self, values: Array, frames: NDArray[np.int64]) -> Clip:
        """Return the clip of other values (K, C); stepped channels are copied from the given frames (K,) of `like`."""
        joints, like = len(self.like.skeleton), self.like
        ends = np.cumsum([3 * joints, 3 * joints, 0 if like.scales is None else 3 * joints])
        turns, moves, sizes, others = np.split(values, ends, axis=1)
        channels = {
            name: Channel(channel.values[frames], discrete=True)
            for name, channel in like.channels.items()
            if channel.discrete
        }
        continuous = (name for name, channel in like.channels.items() if not channel.discrete)
        channels |= {name: Channel(column) for name, column in zip(continuous, others.T, strict=True)}
        return replace(
            like,
            rotations=quat.mul(self.means, quat.exp(turns.reshape(-1, joints, 3))),
            translations=moves.reshape(-1, joints, 3),
            scales=None if like.scales is None else sizes.reshape(-1, joints, 3),
            channels={name: channels[name] for name in like.channels},
            cyclic=False,
        )


def tracks_of(clip: Clip) -> Tracks:
    """Return the tracks of a clip about its own mean rotations."""
    return tracks_about(clip, quat.mean_of_frames(clip.rotations))


def tracks_about(clip: Clip, means: Array) -> Tracks:
    """Return the tracks of a clip about given mean rotations (J, 4), so that two clips can be blended.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import quat
        >>> from action_loom.core.weave.seam import tracks
        >>> walk, sneak = actions.walk().cut(0, 60), actions.sneak().cut(0, 60)
        >>> means = quat.mean_of_frames(walk.rotations)
        >>> mixed = 0.5 * (tracks.tracks_about(walk, means).values + tracks.tracks_about(sneak, means).values)
        >>> tracks.tracks_about(walk, means).clip(mixed, np.arange(60)).rotations.shape
        (60, 21, 4)
    """
    columns = [quat.log_about(means, clip.rotations), clip.translations]
    columns += [] if clip.scales is None else [clip.scales]
    columns += [channel.values for channel in clip.channels.values() if not channel.discrete]
    return Tracks(clip, means, np.concatenate([column.reshape(len(clip), -1) for column in columns], axis=1))
